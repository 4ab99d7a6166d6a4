"""What a validation decides."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from gru_mt.run import Run
from gru_mt.tensors import tensors_info
from gru_mt.training.state import TrainState
from gru_mt.training.train import train
from gru_mt.training.validation import Validation, perplexity
from tests.conftest import Configure

Scores = Callable[[list[float]], None]


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
    after, may_be_kept = Validation(bleu, loss).judge(before)
    assert may_be_kept == kept
    assert after.bad_validations == (0 if best else before.bad_validations + 1)
    assert after.best_bleu == max(bleu, before.best_bleu)
    assert after.best_loss == min(loss, before.best_loss or loss)


def test_perplexity_is_infinite_where_no_number_is_as_large() -> None:
    assert perplexity(2.0) == pytest.approx(7.389056)
    assert perplexity(710.0) == float("inf")


def test_the_latest_weights_that_dev_does_not_call_worse_are_kept(
    small_config: Configure, tmp_path: Path, scores: Scores
) -> None:
    scores([30.0, 29.6, 29.2])  # the last is worse than the first: it does not sink step by step
    train(small_config("training.validate_steps=2", "training.max_steps=6"), tmp_path)
    metadata = tensors_info(tmp_path / "model" / "weights.safetensors").header
    assert (metadata["step"], metadata["dev_bleu"]) == (4, 29.6)


def test_a_corpus_too_small_for_a_dev_part_keeps_the_last_weights(
    small_config: Configure, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus, run = tmp_path / "corpus.tsv", Run(tmp_path / "run")
    corpus.write_text("a cat\tun chat\na dog\tun chien\n")
    train(small_config(f"data.corpus={corpus}"), run.folder)
    said = capsys.readouterr().err
    assert "too small for a dev split" in said
    assert "first validation" not in said
    assert re.search(r"^finished: epoch 2 of 2, after .* min; never measured$", said, re.M)
    assert tensors_info(run.bundle / "weights.safetensors").header["step"] == 2
