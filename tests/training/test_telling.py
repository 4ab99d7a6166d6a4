"""What a run says on its way, and what it logs."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from gru_mt.config.schema import Config
from gru_mt.inference.translator import Translator
from gru_mt.progress import ProgressBar
from gru_mt.training import validation
from gru_mt.training.train import train
from gru_mt.training.validation import sample_rows

Configure = Callable[..., Config]


def logged(folder: Path) -> list[str]:
    """Return the lines of a run's log, without their times."""
    return [line.partition("  ")[2] for line in (folder / "train.log").read_text().splitlines()]


def test_the_rows_of_samples_are_a_short_a_middling_and_a_long_sentence() -> None:
    texts = ["seven..", "two", "three", "1", "five.", "six...", "four", "eight...", "nine....."]
    assert [texts[row] for row in sample_rows(texts)] == ["two", "five.", "eight..."]
    assert sample_rows(["bb", "a"]) == [1, 0]
    assert sample_rows(["a"]) == [0]


def test_each_validation_logs_the_same_three_sentences_before_and_after_a_stop(
    small_config: Configure, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for steps in (4, 6):
        train(small_config("training.validate_steps=2", f"training.max_steps={steps}"), tmp_path)
    [dev] = json.loads((tmp_path / "dev.json").read_text())["sets"]
    rows = sample_rows(dev["sources"])
    assert len({*rows}) == 3
    lines = logged(tmp_path)
    validations = [index for index, line in enumerate(lines) if line.startswith("update ")]
    assert len(validations) == 3
    for index in validations:
        for row, first in zip(rows, (index + 1, index + 4, index + 7), strict=True):
            assert lines[first] == f"  source       {dev['sources'][row]}"
            assert lines[first + 1] == f"  reference    {dev['references'][row][0]}"
            assert lines[first + 2].startswith("  translation  ")
    assert "  source       " not in capsys.readouterr().err


def test_the_samples_are_what_the_kept_model_translates(
    small_config: Configure, tmp_path: Path
) -> None:
    train(small_config("training.max_epochs=1", "training.learning_rate=0.02"), tmp_path)
    [dev] = json.loads((tmp_path / "dev.json").read_text())["sets"]
    translator = Translator.load(tmp_path)
    texts = [dev["sources"][row] for row in sample_rows(dev["sources"])]
    texts_found = [found.text for found in translator.translate(texts, beam_size=1)]
    assert any(texts_found)
    said = [line for line in logged(tmp_path) if line.startswith("  translation")]
    assert said == [f"  translation  {text}" for text in texts_found]


def test_the_beginning_and_the_end_of_a_run_are_said_and_logged(
    small_config: Configure,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    scores = iter([10.0, 31.24, 20.0])
    monkeypatch.setattr(validation, "corpus_bleu", lambda *_, **__: next(scores))
    folder = tmp_path / "a run"
    settings = ("training.validate_steps=4", "training.max_epochs=3")
    train(small_config(*settings, "training.max_steps=7"), folder)
    first = capsys.readouterr().err
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
    second = capsys.readouterr().err
    assert "resumed at update 7\nnext validation after update 8; " in second
    assert "resumed at update 7" in logged(folder)


def test_stages_of_the_preparation_and_an_end_by_epochs_are_named(
    small_config: Configure, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train(small_config("training.max_epochs=1", "training.batch_tokens=999"), tmp_path)
    stages = ["reading small", "splitting", "masking what is copied", "training the word tokenizer",
              "encoding"]  # fmt: skip
    text = capsys.readouterr().err
    assert [line for line in text.splitlines() if line in stages] == stages
    assert "\nfinished: epoch 1 of 1, after " in text


def test_the_line_of_progress_has_the_epoch_under_way_and_the_newest_figures(
    small_config: Configure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[tuple[str, str]] = []
    monkeypatch.setattr(
        ProgressBar, "update", lambda self, n=1: shown.append((self.desc, str(self.postfix or "")))
    )
    scores = iter([31.24, 50.0])
    monkeypatch.setattr(validation, "corpus_bleu", lambda *_, **__: next(scores))
    train(small_config("training.log_steps=2"), tmp_path)
    metrics = map(json.loads, (tmp_path / "metrics.jsonl").read_text().splitlines())
    first, last = (line["step"] for line in metrics if "dev_bleu" in line)
    shown = shown[-last:]  # before them are those of the preparation
    assert shown[0] == ("epoch 1 of 2", "")
    epochs = ["epoch 1 of 2"] * first + ["epoch 2 of 2"] * (last - first)
    assert [epoch for epoch, _ in shown] == epochs
    names = [re.sub("[0-9.]+[0-9,.]*", "9", text) for _, text in (shown[1], shown[first])]
    assert names == ["loss 9 9 tokens/s", "loss 9 BLEU 9 9 tokens/s"]
    assert "BLEU 31.2" in shown[first][1]
