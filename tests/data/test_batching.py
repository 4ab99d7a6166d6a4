"""Batches: nothing lost, little padding, and an order that follows from seed, epoch and buffer."""

from typing import Any

import numpy as np
import pytest
import torch

from gru_mt.data.batching import make_batch, plan_batches
from gru_mt.data.dataset.ids import EncodedPairs, IdSequences
from gru_mt.data.tokenizer.special import BOS, EOS, PAD

LENGTHS = np.random.default_rng(4).integers(1, 10, (2, 300)).tolist()
IDS = [[[*range(10, 10 + size)] for size in sizes] for sizes in LENGTHS]


def test_the_decoder_reads_the_target_one_step_late() -> None:
    pairs = EncodedPairs(IdSequences.of([[5], [6, 7, 8]]), IdSequences.of([[10, 11], [12]]))
    batch = make_batch(pairs, np.array([1, 0]))
    assert batch.source_BS.tolist() == [[6, 7, 8, EOS], [5, EOS, PAD, PAD]]
    assert batch.source_length_B.tolist() == [4, 2]
    assert batch.target_out_BT.tolist() == [[12, EOS, PAD], [10, 11, EOS]]
    assert batch.target_in_BT.tolist() == [[BOS, 12, EOS], [BOS, 10, 11]]
    assert batch.target_tokens == 2 + 3
    moved = batch.to(torch.device("meta"))
    assert [tensor.device.type for tensor in moved] == ["meta"] * 4
    assert [tensor.shape for tensor in moved] == [tensor.shape for tensor in batch]


@pytest.mark.parametrize("batch_sentences", [None, 7])
@pytest.mark.parametrize("max_tokens", [None, 1, 4, 5])
@pytest.mark.parametrize(
    ("batch_tokens", "buffer"), [(1, None), (40, None), (40, 1), (400, None), (9_999, 0)]
)
def test_an_epoch_is_what_its_rule_says_computed_pair_by_pair(
    batch_tokens: int, buffer: int | None, max_tokens: int | None, batch_sentences: int | None
) -> None:
    """The rule decides what a run trains on, so a resumed run must find it unchanged.

    Pairs are shuffled, then sorted by target length. Equal ones are sorted by source length:
    upwards if the target without <eos> has an even length, else downwards. They fill one batch
    after the other, of a size that is one of few: what is beyond it begins the next batch. The
    batches are shuffled.
    """
    pairs = EncodedPairs(*(IdSequences.of(side, max_tokens=max_tokens) for side in IDS))
    source, target = ([[*each, EOS][:max_tokens] for each in side] for side in IDS)

    rng = np.random.default_rng((6, 2) if buffer is None else (6, 2, buffer))
    ordered = rng.permutation(300).tolist()
    ordered.sort(key=lambda row: len(source[row]) * (-1) ** (len(target[row]) - 1))
    ordered.sort(key=lambda row: len(target[row]))
    expected: list[list[int]] = []
    sizes = {*range(8), *range(8, 64, 8), *range(64, 128, 16), *range(128, 301, 32)}
    grown: list[int] = []
    for row in ordered:
        most = min(batch_tokens // len(target[row]), batch_sentences or 300)
        while grown and len(grown) >= most:
            size = max(size for size in sizes if size <= len(grown))
            expected.append(grown[:size])
            grown = grown[size:]
        grown.append(row)
    expected.append(grown)
    expected = [expected[index] for index in rng.permutation(len(expected))]

    limits: dict[str, Any] = {"batch_tokens": batch_tokens, "batch_sentences": batch_sentences}
    plan = plan_batches(pairs, **limits, seed=6, epoch=2, buffer=buffer)
    assert [row_B.tolist() for row_B in plan] == expected


def test_what_a_batch_gives_back_is_batched_again() -> None:
    """The 7 of 15 pairs that are beyond a multiple of 8 do not fit beside one that is longer."""
    targets = IdSequences.of([[5] * (length - 1) for length in [10] * 15 + [30] * 4])
    plan = plan_batches(EncodedPairs(targets, targets), batch_tokens=150, seed=1, epoch=0)
    padded = [len(row_B) * int(targets.length_N[row_B].max()) for row_B in plan]
    assert sorted(padded) == [70, 80, 120]
