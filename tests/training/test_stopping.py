"""Runs that stop, resume to the bit, and go on."""

import shutil
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import torch

from gru_mt.bundle import load_bundle
from gru_mt.run import WEIGHTS
from gru_mt.storage import read_json
from gru_mt.training.state import TrainState
from gru_mt.training.train import train
from tests.conftest import Configure
from tests.training.processes import bits, train_until

SHORT = "training.max_steps=8"


@pytest.mark.parametrize(
    "overrides",
    [
        ["training.batch_tokens=900"],  # two whole epochs
        [SHORT, "training.accumulation=3", "model.decoder_layers=2", "tokenizer.kind=bpe",
         "tokenizer.vocabulary_size=300", "tokenizer.sampling=0.2"],
        [SHORT, "model.cell=lstm", "model.attention=none", "model.context=repeat",
         "training.cut_tokens=6", "training.batch_sentences=21", "training.precision=fp16"],
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


def test_a_finished_run_says_so_and_goes_on_with_more(
    small_config: Configure,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    scores: Callable[[list[float]], None],
) -> None:
    def trained(*settings: str) -> TrainState:
        config = small_config("training.validate_steps=2", *settings)
        return train(config, tmp_path / "run")

    scores([10.0, 20.0, 20.0, *[15.0] * 4])
    first = trained("training.patience=2")
    assert (first.step, first.best_bleu) == (8, 20.0)
    assert "stopped: no better for 2 validations, after" in capsys.readouterr().err
    assert trained("training.patience=2") == first
    assert "finished; a larger training.patience goes on with it" in capsys.readouterr().err
    assert trained("training.patience=4").step == first.step + 4


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
    monkeypatch.setattr("gru_mt.training.trainer.machine", lambda _: {"cpu": "second"})
    train(small_config("training.max_steps=2"), finished)
    assert summary.read_bytes() == before
    train(small_config("training.max_steps=3"), finished)
    assert read_json(summary)["machine"] == {"cpu": "second"}


def test_another_seed_gives_other_weights(
    small_config: Configure, finished: Path, tmp_path: Path
) -> None:
    train(small_config("training.max_steps=2", "training.seed=2"), tmp_path / "other")
    one, other = (folder / "model" / WEIGHTS for folder in (finished, tmp_path / "other"))
    assert one.read_bytes() != other.read_bytes()


def test_a_run_stopped_before_its_first_validation_leaves_a_translator(
    small_config: Configure, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    stopped = train_until(small_config(), tmp_path / "run", 1, signal.SIGHUP)
    assert "stopped and saved" in str(stopped)
    assert load_bundle(tmp_path / "run", torch.device("cpu")).provenance["weights"]["step"] == 1
    said = capfd.readouterr().err
    assert "stopping: saving first" in said
    assert f"of update 1, not measured, is {tmp_path / 'run' / 'model'}" in said
