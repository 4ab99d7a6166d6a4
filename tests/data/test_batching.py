"""Batches: nothing lost, little padding, and an order that follows from seed and epoch alone."""

from pathlib import Path

import numpy as np
import pytest
import torch

from gru_mt.config import DataConfig, TokenizerConfig
from gru_mt.data.batching import EncodedPairs
from gru_mt.data.corpus import load_corpus
from gru_mt.data.sentences import Ints, Sentences, closed_batch
from gru_mt.data.split import split_pairs
from gru_mt.data.tokenizer import BOS, EOS, PAD, train_tokenizer


def rows(*indices: int) -> Ints:
    return np.array(indices, dtype=np.int64)


def pairs_of_lengths(source: list[int], target: list[int]) -> EncodedPairs:
    sides = [Sentences([[7] * size for size in sizes]) for sizes in (source, target)]
    return EncodedPairs(sides[0], sides[1])


def random_pairs(count: int, *, longest: int, seed: int) -> EncodedPairs:
    rng = np.random.default_rng(seed)
    source, target = rng.integers(1, longest + 1, (2, count)).tolist()
    return pairs_of_lengths(source, target)


def as_lists(plan: list[Ints]) -> list[list[int]]:
    return [batch.tolist() for batch in plan]


# Sentences and batches


def test_sentences_are_padded_to_the_longest_of_those_taken() -> None:
    sentences = Sentences([[5, 6], [7], [8, 9, 10], []])
    assert sentences.padded(rows(0, 1)).tolist() == [[5, 6], [7, PAD]]
    assert sentences.padded(rows(2, 3, 2)).tolist() == [[8, 9, 10], [PAD] * 3, [8, 9, 10]]
    assert sentences.padded(rows(3)).tolist() == [[]]
    assert sentences.length_N.tolist() == [2, 1, 3, 0]


def test_there_may_be_no_sentences_at_all() -> None:
    assert Sentences([]).length_N.tolist() == []
    assert Sentences([]).padded(rows()).shape == (0, 0)


def test_a_source_ends_with_eos_before_its_padding() -> None:
    source_BS, length_B = closed_batch(Sentences([[5, 6], [7], []]), rows(0, 1, 2))
    assert source_BS.tolist() == [[5, 6, EOS], [7, EOS, PAD], [EOS, PAD, PAD]]
    assert length_B.tolist() == [3, 2, 1]


def test_the_decoder_reads_the_target_one_step_late() -> None:
    pairs = EncodedPairs(Sentences([[5], [6, 7, 8]]), Sentences([[10, 11], [12]]))
    batch = pairs.batch(rows(1, 0))
    assert batch.source_BS.tolist() == [[6, 7, 8, EOS], [5, EOS, PAD, PAD]]
    assert batch.source_length_B.tolist() == [4, 2]
    assert batch.target_out_BT.tolist() == [[12, EOS, PAD], [10, 11, EOS]]
    assert batch.target_in_BT.tolist() == [[BOS, 12, EOS], [BOS, 10, 11]]


def test_target_tokens_count_eos_and_no_padding() -> None:
    pairs = pairs_of_lengths([1, 1, 1], [2, 5, 3])
    assert pairs.target_tokens(rows(0, 1)) == 2 + 5 + 2
    assert pairs.target_tokens(rows(2)) == 4
    batch = pairs.batch(rows(0, 1, 2))
    assert pairs.target_tokens(rows(0, 1, 2)) == int((batch.target_out_BT != PAD).sum())


def test_a_batch_moves_whole() -> None:
    batch = pairs_of_lengths([2, 3], [4, 1]).batch(rows(0, 1))
    moved = batch.to(torch.device("meta"))
    for name in ("source_BS", "source_length_B", "target_in_BT", "target_out_BT"):
        assert getattr(moved, name).device.type == "meta"
        assert getattr(moved, name).shape == getattr(batch, name).shape


# The plan of an epoch


@pytest.mark.parametrize("seed", range(20))
def test_every_pair_is_in_exactly_one_batch(seed: int) -> None:
    pairs = random_pairs(200 + seed, longest=12, seed=seed)
    plan = pairs.plan(batch_tokens=50, seed=seed, epoch=3)
    assert sorted(np.concatenate(plan).tolist()) == list(range(200 + seed))


@pytest.mark.parametrize("batch_tokens", [1, 13, 50, 51, 10_000])
def test_a_batch_holds_no_more_than_its_tokens_unless_it_is_one_long_pair(
    batch_tokens: int,
) -> None:
    pairs = random_pairs(300, longest=20, seed=1)
    for batch in pairs.plan(batch_tokens=batch_tokens, seed=1, epoch=0):
        padded = pairs.batch(batch).target_out_BT.numel()
        assert padded <= batch_tokens or len(batch) == 1


def test_a_batch_is_as_full_as_its_tokens_allow() -> None:
    pairs = pairs_of_lengths([3] * 10, [4] * 10)  # 5 target tokens each, with <eos>
    assert sorted(map(len, pairs.plan(batch_tokens=20, seed=1, epoch=0))) == [2, 4, 4]
    assert sorted(map(len, pairs.plan(batch_tokens=24, seed=1, epoch=0))) == [2, 4, 4]
    assert sorted(map(len, pairs.plan(batch_tokens=25, seed=1, epoch=0))) == [5, 5]


def test_pairs_that_are_identical_or_share_a_source_meet_and_none_is_dropped() -> None:
    sources, targets = [[5, 6]] * 6, [[8, 9]] * 3 + [[10, 11], [12, 13], [14, 15]]
    pairs = EncodedPairs(Sentences(sources), Sentences(targets))
    (batch,) = pairs.plan(batch_tokens=1_000, seed=1, epoch=0)
    assert sorted(batch.tolist()) == [0, 1, 2, 3, 4, 5]
    assert sorted(pairs.batch(batch).target_out_BT[:, :2].tolist()) == targets


def test_the_plan_is_a_pure_function_of_seed_and_epoch() -> None:
    pairs = random_pairs(300, longest=12, seed=1)
    first = pairs.plan(batch_tokens=100, seed=5, epoch=2)
    pairs.plan(batch_tokens=100, seed=5, epoch=3)
    np.random.seed(9)  # the generator that everybody shares plays no part
    again = random_pairs(300, longest=12, seed=1).plan(batch_tokens=100, seed=5, epoch=2)
    assert as_lists(first) == as_lists(again)


def test_epochs_and_seeds_differ_in_who_meets_and_in_the_order_of_batches() -> None:
    pairs = random_pairs(300, longest=12, seed=1)
    plans = [
        as_lists(pairs.plan(batch_tokens=100, seed=seed, epoch=epoch))
        for seed, epoch in [(5, 0), (5, 1), (6, 0), (0, 5)]
    ]
    for index, plan in enumerate(plans):
        for other in plans[:index]:
            assert [len(batch) for batch in plan] != [len(batch) for batch in other]
            assert {*map(frozenset, plan)} != {*map(frozenset, other)}


def test_a_batch_holds_no_more_pairs_than_it_may() -> None:
    plan = random_pairs(300, longest=9, seed=3).plan(
        batch_tokens=100, batch_sentences=7, seed=1, epoch=0
    )
    assert max(map(len, plan)) == 7
    assert sorted(np.concatenate(plan).tolist()) == [*range(300)]


def test_a_side_that_is_too_long_is_cut_and_loses_its_end() -> None:
    pairs = EncodedPairs(
        Sentences([[4, 5, 6], [7, 8]]), Sentences([[9], [10, 11, 12, 13]]), cut_tokens=3
    )
    batch = pairs.batch(rows(0, 1))
    assert batch.source_BS.tolist() == [[4, 5, 6], [7, 8, EOS]]
    assert batch.source_length_B.tolist() == [3, 3]
    assert batch.target_in_BT.tolist() == [[BOS, 9, EOS], [BOS, 10, 11]]
    assert batch.target_out_BT.tolist() == [[9, EOS, PAD], [10, 11, 12]]
    assert pairs.target_tokens(rows(0, 1)) == 2 + 3
    assert pairs.lost_ends() == (1, 1)


def test_a_batch_of_cut_pairs_is_counted_as_it_is_cut() -> None:
    pairs = random_pairs(300, longest=30, seed=3)
    cut = EncodedPairs(pairs.source, pairs.target, cut_tokens=5)
    plan = cut.plan(batch_tokens=50, seed=1, epoch=0)
    assert all(cut.batch(row_B).target_out_BT.numel() <= 50 for row_B in plan)
    assert sum(len(row_B) == 10 for row_B in plan) > 20  # of 5 tokens each


def test_short_batches_do_not_all_come_first() -> None:
    pairs = random_pairs(1_000, longest=12, seed=1)
    plan = pairs.plan(batch_tokens=100, seed=1, epoch=0)
    longest = [int(pairs.target.length_N[batch].max()) for batch in plan]
    assert longest != sorted(longest)
    assert longest != sorted(longest, reverse=True)


def padding(sentences: Sentences, plan: list[Ints]) -> float:
    """Return which part of all tokens, <eos> among the real ones, is padding."""
    real = padded = 0
    for batch in plan:
        lengths = sentences.length_N[batch] + 1
        real += int(lengths.sum())
        padded += int(lengths.max()) * len(batch)
    return 1 - real / padded


def test_on_the_real_corpus_at_most_5_percent_is_padding(fra_eng_zip: Path) -> None:
    train = split_pairs(load_corpus(DataConfig(corpus=str(fra_eng_zip))).pairs).train
    sources, targets = [pair.source for pair in train], [pair.target for pair in train]
    config = TokenizerConfig(kind="unigram", vocabulary_size=4_000)
    tokenizer = train_tokenizer(config, sources[::8], targets[::8], warn=pytest.fail)
    pairs = EncodedPairs(
        Sentences(tokenizer.source.encode_all(sources)),
        Sentences(tokenizer.target.encode_all(targets)),
    )
    plan = pairs.plan(batch_tokens=2_048, seed=1, epoch=0)
    assert sum(map(len, plan)) == 161_973
    assert padding(pairs.source, plan) <= 0.05
    assert padding(pairs.target, plan) <= 0.05
