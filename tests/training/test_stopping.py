"""Runs that stop, resume to the bit, and go on."""

import shutil
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
import torch

from gru_mt.bundle import load_bundle
from gru_mt.run import Run
from gru_mt.storage import read_json
from gru_mt.training.train import train
from tests.conftest import Configure
from tests.training.processes import bits, train_until

SHORT = "training.max_steps=12"


@pytest.mark.parametrize(
    "overrides",
    [
        ["training.batch_tokens=400"],  # two whole epochs
        [SHORT, "training.accumulation=3", "model.decoder_layers=2", "tokenizer.kind=bpe",
         "tokenizer.vocabulary_size=300", "tokenizer.sampling=0.2"],
        [SHORT, "model.cell=gru_reset_before", "model.attention=none", "model.context=repeat",
         "training.cut_tokens=6", "training.batch_sentences=21"],
        [SHORT, "model.cell=lstm", "training.precision=bf16"],
        [SHORT, "training.precision=fp16"],
    ],
)  # fmt: skip
def test_a_run_stopped_in_mid_epoch_and_resumed_ends_in_the_same_bits(
    overrides: list[str], small_config: Configure, tmp_path: Path
) -> None:
    config = small_config(*overrides)
    whole = train(config, tmp_path / "whole")
    for step, number in ((3, signal.SIGTERM), (whole.step // 2 + 2, signal.SIGINT)):
        assert train_until(config, tmp_path / "stopped", step, number).signal == number
    resumed = train(config, tmp_path / "stopped")
    assert (resumed.step, resumed.best_bleu) == (whole.step, whole.best_bleu)
    assert bits(tmp_path / "stopped") == bits(tmp_path / "whole")
    for name in ("weights.safetensors", "tokenizer.model", "config.yaml"):
        files = [tmp_path / folder / "model" / name for folder in ("whole", "stopped")]
        assert files[0].read_bytes() == files[1].read_bytes(), name


def test_the_same_seed_gives_the_same_bits_and_another_does_not(
    small_config: Configure, tmp_path: Path
) -> None:
    weights = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        train(small_config(f"training.seed={seed}", "training.max_steps=4"), tmp_path / name)
        weights.append((tmp_path / name / "model" / "weights.safetensors").read_bytes())
    assert weights[0] == weights[1] != weights[2]


def test_a_resumed_run_writes_each_metric_once(
    small_config: Configure, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = small_config("training.log_steps=2", "training.max_steps=12")
    train_until(config, tmp_path / "run", 7, signal.SIGTERM)
    with (tmp_path / "run" / "metrics.jsonl").open("a") as file:
        file.write('{"step": 2, "lo')
    capsys.readouterr()
    train(config, tmp_path / "run")
    assert "metrics.jsonl: unreadable lines were dropped: 1\n" in capsys.readouterr().err
    steps = [x["step"] for x in Run(tmp_path / "run").read_metrics()[0] if "loss" in x]
    assert steps == sorted(set(steps))


@pytest.mark.parametrize(
    ("ends", "goes_on", "named"),
    [
        ("training.max_epochs=1", "training.max_epochs=2", "training.max_epochs"),
        ("training.max_steps=2", "training.max_steps=3", "training.max_steps"),
        ("training.patience=1", "training.patience=3", "training.patience"),
    ],
)
def test_a_finished_run_says_so_and_goes_on_with_more(
    ends: str,
    goes_on: str,
    named: str,
    small_config: Configure,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    scores: Callable[[list[float]], None],
) -> None:
    scores([10.0, 10.0, 10.0, 10.0])
    settings = ("training.validate_steps=2" if "patience" in ends else "training.batch_tokens=400",)
    first = train(small_config(ends, *settings), tmp_path / "run")
    assert train(small_config(ends, *settings), tmp_path / "run") == first
    assert f"finished; a larger {named} goes on with it" in capsys.readouterr().err
    assert train(small_config(goes_on, *settings), tmp_path / "run").step > first.step


@pytest.fixture
def finished(small_config: Configure, made_once: Callable[..., Path], tmp_path: Path) -> Path:
    """Return a copy of a run that ended after two updates."""
    made = made_once("two-updates", partial(train, small_config("training.max_steps=2")))
    return shutil.copytree(made, tmp_path / "run")


def test_a_summary_is_written_once_and_says_on_which_machine_the_run_was_trained(
    small_config: Configure, finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = finished / "summary.json"
    before = summary.read_bytes()
    summary.unlink()  # as a kill before it is written
    train(small_config("training.max_steps=2"), finished)
    assert summary.read_bytes() == before
    monkeypatch.setattr("gru_mt.training.trainer.machine", lambda: {"cpu": "second"})
    train(small_config("training.max_steps=2"), finished)
    assert summary.read_bytes() == before
    train(small_config("training.max_steps=3"), finished)
    assert read_json(summary)["machine"] == {"cpu": "second"}


def test_a_run_stopped_before_its_first_validation_leaves_a_translator(
    small_config: Configure, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    stopped = train_until(small_config(), tmp_path / "run", 1, signal.SIGHUP)
    assert "stopped and saved" in str(stopped)
    assert load_bundle(tmp_path / "run", torch.device("cpu")).provenance["weights"]["step"] == 1
    said = capfd.readouterr().err
    assert "stopping: saving first" in said
    assert f"of update 1, not measured, is {tmp_path / 'run' / 'model'}" in said


def test_training_in_a_thread_takes_no_signals(small_config: Configure, tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as pool:
        progress = pool.submit(train, small_config("training.max_steps=1"), tmp_path / "run")
    assert progress.result().step == 1
