"""What a validation decides."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gru_mt.config.schema import Config
from gru_mt.tensors import load_tensors
from gru_mt.training.state import TrainState
from gru_mt.training.train import train
from gru_mt.training.validation import Validation

Configure = Callable[..., Config]


def metrics(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


@pytest.mark.parametrize(
    ("before", "bleu", "loss", "best", "kept"),
    [
        (TrainState(), 0.0, 3.0, True, True),  # the first
        (TrainState(best_bleu=0.0, best_loss=3.0), 0.0, 2.9, True, True),  # BLEU tells nothing
        (TrainState(best_bleu=0.0, best_loss=3.0), 0.9, 3.1, False, False),
        (TrainState(best_bleu=0.9, best_loss=3.0), 1.2, 3.1, True, True),  # now it does
        (TrainState(best_bleu=9.0, best_loss=3.0), 0.0, 2.0, False, False),
        (TrainState(best_bleu=9.0, best_loss=3.0), 8.6, 3.5, False, True),  # within the noise
    ],
)
def test_loss_decides_while_bleu_tells_nothing(
    before: TrainState, bleu: float, loss: float, best: bool, kept: bool
) -> None:
    found = Validation(bleu, loss)
    assert (found.is_best(before), found.may_be_kept(before)) == (best, kept)
    after = found.count(before)
    assert after.bad_validations == (0 if best else before.bad_validations + 1)
    assert after.best_bleu == max(bleu, before.best_bleu)
    assert after.best_loss == min(loss, before.best_loss or loss)


def test_perplexity_is_infinite_where_no_number_is_as_large() -> None:
    assert Validation(0.0, 2.0).perplexity == pytest.approx(7.389056)
    assert Validation(0.0, 710.0).perplexity == float("inf")


@pytest.mark.parametrize(("dev_bleu", "kept"), [
    ([10.0, 30.0, 20.0], 8),
    ([10.0, 30.0, 29.6], 12),  # later, and no worse than the noise
    ([10.0, 30.0, 29.4], 8),
    ([30.0, 29.6, 29.2], 8),  # what is kept does not sink step by step
])  # fmt: skip
def test_the_latest_weights_that_dev_does_not_call_worse_are_kept(
    small_config: Configure,
    tmp_path: Path,
    scores: Callable[[list[float]], None],
    dev_bleu: list[float],
    kept: int,
) -> None:
    scores(dev_bleu)
    train(small_config("training.validate_steps=4", "training.max_steps=12"), tmp_path / "run")
    _, metadata = load_tensors(tmp_path / "run" / "model" / "weights.safetensors")
    assert (metadata["step"], metadata["dev_bleu"]) == (kept, dev_bleu[kept // 4 - 1])


def test_patience_counts_validations_without_a_better_score(
    small_config: Configure,
    tmp_path: Path,
    scores: Callable[[list[float]], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    scores([10.0, 20.0, 20.0, 15.0, 99.0])
    state = train(
        small_config("training.validate_steps=2", "training.patience=2"), tmp_path / "run"
    )
    assert (state.step, state.best_bleu) == (8, 20.0)
    assert "stopped: no better for 2 validations, after" in capsys.readouterr().err


def test_the_last_update_is_validated_wherever_it_falls(
    small_config: Configure, tmp_path: Path
) -> None:
    train(small_config("training.validate_steps=5", "training.max_steps=7"), tmp_path / "run")
    validated = [line["step"] for line in metrics(tmp_path / "run") if "dev_bleu" in line]
    assert validated == [5, 7]


def test_a_corpus_too_small_for_a_dev_part_keeps_the_last_weights(
    small_config: Configure, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = tmp_path / "corpus.tsv"
    corpus.write_text("a cat\tun chat\na dog\tun chien\n")
    train(small_config(f"data.corpus={corpus}"), tmp_path / "run")
    said = capsys.readouterr().err
    assert "too small for a dev split" in said
    assert "first validation" not in said
    assert re.search(r"^finished: epoch 2 of 2, after .* min; never measured$", said, re.M)
    _, metadata = load_tensors(tmp_path / "run" / "model" / "weights.safetensors")
    assert metadata["step"] == 2
