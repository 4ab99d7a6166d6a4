"""What a run says on its way, and what it logs."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from gru_mt.inference.translator import Translator
from gru_mt.progress import ProgressBar
from gru_mt.run import Run
from gru_mt.training.train import train
from gru_mt.training.validation import sample_rows
from tests.conftest import Configure

Scores = Callable[[list[float]], None]


def logged(folder: Path) -> list[str]:
    """Return the lines of a run's log, without their times."""
    return [line.partition("  ")[2] for line in (folder / "train.log").read_text().splitlines()]


def test_the_rows_of_samples_are_a_short_a_middling_and_a_long_sentence() -> None:
    texts = ["seven..", "two", "three", "1", "five.", "six...", "four", "eight...", "nine....."]
    assert [texts[row] for row in sample_rows(texts)] == ["two", "five.", "eight..."]
    assert sample_rows(["bb", "a"]) == [1, 0]


def test_each_validation_logs_what_the_model_translates_before_and_after_a_stop(
    small_config: Configure, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for steps in (6, 8):
        settings = ("training.validate_steps=4", "training.learning_rate=0.02")
        train(small_config(*settings, f"training.max_steps={steps}"), tmp_path)
    [dev] = json.loads((tmp_path / "dev.json").read_text())["sets"]
    rows = sample_rows(dev["sources"])
    texts = [dev["sources"][row] for row in rows]
    expected = []
    for row, found in zip(
        rows, Translator.load(tmp_path).translate(texts, beam_size=1), strict=True
    ):
        expected += [
            f"  source       {dev['sources'][row]}",
            f"  reference    {dev['references'][row][0]}",
            f"  translation  {found.text}",
        ]
    lines = logged(tmp_path)
    validations = [index for index, line in enumerate(lines) if line.startswith("update ")]
    assert len(validations) == 3
    for index in validations:
        samples = lines[index + 1 : index + 10]
        assert [line[:15] for line in samples] == [line[:15] for line in expected]
        if lines[index].endswith(", kept"):
            newest = samples
    assert newest == expected
    assert "  source       " not in capsys.readouterr().err


def test_the_beginning_and_the_end_of_a_run_are_said_and_logged(
    small_config: Configure, tmp_path: Path, scores: Scores, capsys: pytest.CaptureFixture[str]
) -> None:
    scores([10.0, 31.24, 20.0])
    folder = tmp_path / "a run"
    settings = ("training.validate_steps=4", "training.max_epochs=3")
    train(small_config(*settings, "training.max_steps=7"), folder)
    first = capsys.readouterr().err
    stages = ["reading small", "splitting", "masking what is copied", "training the word tokenizer",
              "encoding"]  # fmt: skip
    assert [line for line in first.splitlines() if line in stages] == stages
    assert re.search(r"^first validation after update 4; an epoch has \d+ updates$", first, re.M)
    assert "resumed" not in first
    assert re.search(r"^finished: update 7 of 7, after \d+\.\d min; best BLEU 31\.24$", first, re.M)
    ends = [
        f"the translator is {folder}/model; try it, or score it on test:",
        f"  gru-mt translate --model '{folder}' \"...\"",
        f"  gru-mt eval --model '{folder}'",
    ]
    assert first.splitlines()[-3:] == ends
    assert logged(folder)[-3:] == ends
    train(small_config(*settings, "training.max_steps=8"), folder)
    assert "resumed at update 7\nnext validation after update 8; " in capsys.readouterr().err
    assert "resumed at update 7" in logged(folder)


def test_the_line_of_progress_has_the_epoch_under_way_and_the_newest_figures(
    small_config: Configure, tmp_path: Path, scores: Scores, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[tuple[str, str]] = []
    monkeypatch.setattr(
        ProgressBar, "update", lambda self, n=1: shown.append((self.desc, str(self.postfix or "")))
    )
    scores([31.24, 50.0])
    train(small_config("training.log_steps=2", "training.batch_tokens=400"), tmp_path)
    first, last = (x["step"] for x in Run(tmp_path).read_metrics()[0] if "dev_bleu" in x)
    shown = shown[-last:]  # before them are those of the preparation
    assert shown[0] == ("epoch 1 of 2", "")
    epochs = ["epoch 1 of 2"] * first + ["epoch 2 of 2"] * (last - first)
    assert [epoch for epoch, _ in shown] == epochs
    names = [re.sub("[0-9.]+[0-9,.]*", "9", text) for _, text in (shown[1], shown[first])]
    assert names == ["loss 9 9 tokens/s", "loss 9 BLEU 9 9 tokens/s"]
    assert "BLEU 31.2" in shown[first][1]
