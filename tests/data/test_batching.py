"""Batches: nothing lost, little padding, and an order that follows from seed and epoch alone."""

from pathlib import Path

import numpy as np
import pytest
import torch

from gru_mt.config.schema import TokenizerConfig
from gru_mt.data.batching import make_batch, plan_batches
from gru_mt.data.dataset.ids import EncodedPairs, IdSequences, encode_pairs
from gru_mt.data.dataset.store import Ints
from gru_mt.data.splits import load_splits
from gru_mt.data.tokenizer.special import BOS, EOS, PAD
from gru_mt.data.tokenizer.tokenizer import train_tokenizer
from tests.corpora import data_config


def rows(*indices: int) -> Ints:
    return np.array(indices, dtype=np.int64)


def pairs_of_lengths(source: list[int], target: list[int]) -> EncodedPairs:
    """Return pairs whose sides have these numbers of ids, and then <eos>."""
    sides = [IdSequences([7] * size for size in sizes) for sizes in (source, target)]
    return EncodedPairs(sides[0], sides[1])


def random_lengths(count: int, *, longest: int, seed: int) -> list[list[int]]:
    lengths: list[list[int]] = (
        np.random.default_rng(seed).integers(1, longest + 1, (2, count)).tolist()
    )
    return lengths


def random_pairs(count: int, *, longest: int, seed: int) -> EncodedPairs:
    return pairs_of_lengths(*random_lengths(count, longest=longest, seed=seed))


def as_lists(plan: list[Ints]) -> list[list[int]]:
    return [batch.tolist() for batch in plan]


# Batches


def test_the_decoder_reads_the_target_one_step_late() -> None:
    pairs = EncodedPairs(IdSequences([[5], [6, 7, 8]]), IdSequences([[10, 11], [12]]))
    batch = make_batch(pairs, rows(1, 0))
    assert batch.source_BS.tolist() == [[6, 7, 8, EOS], [5, EOS, PAD, PAD]]
    assert batch.source_length_B.tolist() == [4, 2]
    assert batch.target_out_BT.tolist() == [[12, EOS, PAD], [10, 11, EOS]]
    assert batch.target_in_BT.tolist() == [[BOS, 12, EOS], [BOS, 10, 11]]


def test_a_batch_moves_whole() -> None:
    batch = make_batch(pairs_of_lengths([2, 3], [4, 1]), rows(0, 1))
    moved = batch.to(torch.device("meta"))
    for name in ("source_BS", "source_length_B", "target_in_BT", "target_out_BT"):
        assert getattr(moved, name).device.type == "meta"
        assert getattr(moved, name).shape == getattr(batch, name).shape


# The plan of an epoch


@pytest.mark.parametrize("batch_tokens", [1, 13, 10_000])
def test_a_batch_holds_no_more_than_its_tokens_unless_it_is_one_long_pair(
    batch_tokens: int,
) -> None:
    pairs = random_pairs(300, longest=20, seed=1)
    for batch in plan_batches(pairs, batch_tokens=batch_tokens, seed=1, epoch=0):
        padded = make_batch(pairs, batch).target_out_BT.numel()
        assert padded <= batch_tokens or len(batch) == 1


def test_a_batch_is_as_full_as_its_tokens_allow() -> None:
    pairs = pairs_of_lengths([3] * 10, [4] * 10)  # 5 target tokens each, with <eos>
    assert sorted(map(len, plan_batches(pairs, batch_tokens=20, seed=1, epoch=0))) == [2, 4, 4]
    assert sorted(map(len, plan_batches(pairs, batch_tokens=24, seed=1, epoch=0))) == [2, 4, 4]
    assert sorted(map(len, plan_batches(pairs, batch_tokens=25, seed=1, epoch=0))) == [5, 5]


def test_epochs_and_seeds_differ_in_who_meets_and_in_the_order_of_batches() -> None:
    pairs = random_pairs(300, longest=12, seed=1)
    plans = [
        as_lists(plan_batches(pairs, batch_tokens=100, seed=seed, epoch=epoch))
        for seed, epoch in [(5, 0), (5, 1), (6, 0), (0, 5)]
    ]
    for index, plan in enumerate(plans):
        for other in plans[:index]:
            assert [len(batch) for batch in plan] != [len(batch) for batch in other]
            assert {*map(frozenset, plan)} != {*map(frozenset, other)}


@pytest.mark.parametrize("batch_sentences", [None, 7])
@pytest.mark.parametrize("max_tokens", [None, 1, 4, 5])
def test_an_epoch_is_what_its_rule_says_computed_pair_by_pair(
    max_tokens: int | None, batch_sentences: int | None
) -> None:
    """The rule decides what a run trains on, so a resumed run must find it unchanged.

    Pairs are shuffled, then sorted by target length. Equal ones are sorted by source length:
    upwards if the target without <eos> has an even length, else downwards. They fill one batch
    after the other, and the batches are shuffled.
    """
    ids = [
        [[*range(10, 10 + size)] for size in sizes]
        for sizes in random_lengths(300, longest=9, seed=4)
    ]
    pairs = EncodedPairs(*(IdSequences(side, max_tokens=max_tokens) for side in ids))
    source, target = ([[*each, EOS][:max_tokens] for each in side] for side in ids)

    rng = np.random.default_rng((6, 2))
    ordered = rng.permutation(300).tolist()
    ordered.sort(key=lambda row: len(source[row]) * (-1) ** (len(target[row]) - 1))
    ordered.sort(key=lambda row: len(target[row]))
    expected: list[list[int]] = []
    for row in ordered:
        grown = [*(expected[-1] if expected else []), row]
        fits = len(grown) * len(target[row]) <= 40 and len(grown) <= (batch_sentences or 300)
        if expected and fits:
            expected[-1] = grown
        else:
            expected.append([row])
    expected = [expected[index] for index in rng.permutation(len(expected))]

    plan = plan_batches(pairs, batch_tokens=40, batch_sentences=batch_sentences, seed=6, epoch=2)
    assert as_lists(plan) == expected
    for row_B in plan:
        batch = make_batch(pairs, row_B)
        for tensor, side in ((batch.source_BS, source), (batch.target_out_BT, target)):
            longest = max(len(side[row]) for row in row_B)
            padded = [[*side[row], *[PAD] * (longest - len(side[row]))] for row in row_B]
            assert tensor.tolist() == padded
        assert batch.target_in_BT.tolist() == [[BOS, *ids[:-1]] for ids in padded]
        assert batch.source_length_B.tolist() == [len(source[row]) for row in row_B]


def padding(sentences: IdSequences, plan: list[Ints]) -> float:
    """Return which part of all tokens, <eos> among the real ones, is padding."""
    real = padded = 0
    for batch in plan:
        lengths = sentences.length_N[batch]
        real += int(lengths.sum())
        padded += int(lengths.max()) * len(batch)
    return 1 - real / padded


@pytest.mark.slow
def test_on_the_real_corpus_at_most_5_percent_is_padding(fra_eng_zip: Path) -> None:
    train = [*load_splits(data_config(corpus=str(fra_eng_zip))).train]
    config = TokenizerConfig(kind="word", vocabulary_size=20_000)
    sources, targets, *_ = map(list, zip(*train[::8], strict=True))
    tokenizer = train_tokenizer(config, sources, targets, warn=lambda _: None)
    pairs = encode_pairs(tokenizer, train)
    plan = plan_batches(pairs, batch_tokens=2_048, seed=1, epoch=0)
    assert sum(map(len, plan)) == 161_973
    assert padding(pairs.source, plan) <= 0.05
    assert padding(pairs.target, plan) <= 0.05


def test_target_tokens_count_eos_and_no_padding() -> None:
    target = IdSequences([[7] * 2, [7] * 5, [7] * 3])
    pairs = EncodedPairs(IdSequences([[7]] * 3), target)
    assert make_batch(pairs, rows(0, 1)).target_tokens == 3 + 6
    assert make_batch(pairs, rows(2)).target_tokens == 4
    whole = make_batch(pairs, rows(0, 1, 2)).target_tokens
    assert whole == int((target.padded(rows(0, 1, 2))[0] != PAD).sum())
