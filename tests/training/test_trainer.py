"""The loop: updates that are not finite, the callback, what a run says and logs."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from gru_mt.config.load import load_config
from gru_mt.config.yaml_text import dump_config
from gru_mt.data.loader import PairLoader
from gru_mt.data.prepare import load_data
from gru_mt.errors import UserError
from gru_mt.inference.translator import Translator
from gru_mt.model.loss import forced_loss
from gru_mt.progress import ProgressBar
from gru_mt.run import Run
from gru_mt.training.optim import optimizer as optimizer_module
from gru_mt.training.optim.lr_schedule import buffer_updates, resolve_config
from gru_mt.training.optim.optimizer import Optimizer, Update
from gru_mt.training.state import derived_seed
from gru_mt.training.train import train
from gru_mt.training.validation import sample_rows
from tests.conftest import Configure
from tests.training.stored import NO_AUGMENT, examples


def test_a_callback_gets_the_lines_of_metrics_and_a_path_is_a_configuration(
    small_config: Configure, tmp_path: Path
) -> None:
    path, lines = tmp_path / "small.yaml", list[dict[str, Any]]()
    path.write_text(dump_config(small_config("training.max_steps=4", "training.log_steps=2")))
    state = train(str(path), tmp_path / "run", on_metrics=lines.append)
    assert state.step == 4
    assert lines == Run(tmp_path / "run").read_metrics()[0]
    assert [(line["step"], "loss" in line) for line in lines] == [(2, True), (4, True), (4, False)]
    assert lines[-1]["dev_bleu"] == state.best_bleu


@pytest.fixture
def poison(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the loss of 0-based update 3 not a number."""

    def loss(model: Any, batch: Any, rng: Any = None, **settings: Any) -> torch.Tensor:
        is_bad = rng is not None and rng.initial_seed() == derived_seed("dropout", 1, 3)
        return forced_loss(model, batch, rng, **settings) * (float("nan") if is_bad else 1.0)

    monkeypatch.setattr(optimizer_module, "forced_loss", loss)


def test_a_loss_that_is_not_finite_stops_the_run_and_names_its_lines(
    small_config: Configure, tmp_path: Path, poison: None
) -> None:
    with pytest.raises(UserError, match=r"update 3: .* not finite; .*not_finite\.json"):
        train(small_config("training.log_steps=9"), tmp_path)
    config = load_config(tmp_path / "config.yaml")
    data = load_data(config, Run(tmp_path))
    loader = PairLoader(config, data.tokenizer, data.pairs)
    training = resolve_config(config, loader).training
    [row_B] = buffer_updates(training, loader.load((0, 0)), 0)[3]
    lines = [f"small.tsv:{data.pairs.line_N[row]['line']}" for row in sorted(row_B)]
    report = json.loads((tmp_path / "not_finite.json").read_text())
    assert report == {"update": 3, "corpus_lines": lines}
    assert not (tmp_path / "checkpoints").exists()


def test_fp16_skips_and_counts_an_overflow(
    small_config: Configure, tmp_path: Path, poison: None
) -> None:
    state = train(small_config("training.precision=fp16", "training.max_steps=5"), tmp_path)
    assert state.step == 5
    assert state.skipped >= 1  # the loss scale begins too high for some gradients, too


@pytest.mark.parametrize("dev", [True, False])
def test_weights_that_are_not_finite_stop_the_run_with_or_without_dev(
    dev: bool, small_config: Configure, tmp_path: Path
) -> None:
    settings = ["training.learning_rate=1e3", "training.warmup_steps=0", "training.max_epochs=1"]
    if not dev:
        corpus = tmp_path / "corpus.tsv"
        corpus.write_text("a cat\tun chat\na dog\tun chien\n")
        settings.append(f"data.corpus={corpus}")
    with pytest.raises(UserError, match=r"update \d+: .* not finite; .*not_finite\.json"):
        train(small_config(*settings), tmp_path / "run")
    assert not (tmp_path / "run" / "model").exists()
    assert not (tmp_path / "run" / "summary.json").exists()


def test_a_configuration_that_was_edited_to_shorter_epochs_is_refused(
    small_config: Configure, tmp_path: Path
) -> None:
    train(small_config("training.max_steps=6"), tmp_path / "run")
    path = tmp_path / "run" / "config.yaml"
    path.write_text(path.read_text().replace("batch_tokens: 120", "batch_tokens: 100000"))
    config = load_config(path, ["training.max_steps=9"])
    with pytest.raises(UserError, match=r"config\.yaml: an epoch has fewer updates .*--fresh"):
        train(config, tmp_path / "run")


def test_costs_of_settings_are_said(
    small_config: Configure, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A warm-up as long as the run, and a limit that truncates sentences."""
    for steps, warned in ((6, False), (5, True)):
        config = small_config(f"training.max_steps={steps}", "training.cut_tokens=5", NO_AUGMENT)
        run = Run(tmp_path / str(steps))
        train(config, run.folder)
        said = capsys.readouterr().err
        assert ("warning: training.warmup_steps 5" in said) == warned
    data = load_data(config, run)
    source, target = data.tokenizer.source, data.tokenizer.target
    sources = sum(len(source.encode(pair.source)) + 1 > 5 for pair in examples(data))
    targets = sum(len(target.encode(pair.target)) + 1 > 5 for pair in examples(data))
    assert 0 < sources < len(data.pairs)
    assert f"{sources:,} sources and {targets:,} targets lose their end" in said


def test_every_pair_is_trained_on_once_an_epoch(
    small_config: Configure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, update = list[int](), Optimizer.update

    def watched(self: Optimizer, pairs: Any, rows: Any, rate: float, step: int) -> Update:
        seen.extend(row for row_B in rows for row in row_B.tolist())
        return update(self, pairs, rows, rate, step)

    monkeypatch.setattr(Optimizer, "update", watched)
    config = small_config("training.accumulation=4", "training.batch_tokens=600")
    train(config, tmp_path)
    pairs = load_data(config, Run(tmp_path)).pairs
    assert sorted(seen) == sorted([*range(len(pairs))] * 2)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("precision", ["fp32", "bf16", "fp16"])
def test_a_gpu_runs_the_same_code(precision: str, small_config: Configure, tmp_path: Path) -> None:
    config = small_config("training.device=cuda", f"training.precision={precision}")
    losses = []
    for name, device in (("gpu", "cuda"), ("cpu", "cpu")):
        train(config if device == "cuda" else small_config(), tmp_path / name)
        lines, _ = Run(tmp_path / name).read_metrics()
        losses.append([line["dev_loss"] for line in lines if "dev_loss" in line][-1])
    assert losses[0] == pytest.approx(losses[1], rel=0.1)


def test_a_model_that_memory_cannot_hold_is_refused_before_anything_is_written(
    small_config: Configure, tmp_path: Path
) -> None:
    sizes = ("embedding_size=16384", "encoder_size=8192", "decoder_size=16384", "decoder_layers=32")
    config = small_config(*(f"model.{size}" for size in sizes))
    with pytest.raises(UserError, match=r"^model: [\d,]+ parameters take [\d,]+ GB to train"):
        train(config, tmp_path / "run")
    assert not (tmp_path / "run").exists()


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
