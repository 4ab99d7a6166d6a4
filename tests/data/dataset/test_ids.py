"""Sentences become ids, closed by <eos>, truncated, and padded to the longest of a batch."""

import random

import numpy as np
import pytest

from gru_mt.config.schema import TokenizerConfig
from gru_mt.data.dataset import ids
from gru_mt.data.dataset.ids import IdSequences, encode_pairs
from gru_mt.data.dataset.store import Ints
from gru_mt.data.tokenizer.sentencepiece import Subwords
from gru_mt.data.tokenizer.special import EOS, PAD
from gru_mt.data.tokenizer.tokenizer import Tokenizer, train_tokenizer
from gru_mt.data.types import Example


def rows(*indices: int) -> Ints:
    return np.array(indices, dtype=np.int64)


def lists(sequences: IdSequences) -> list[list[int]]:
    """Return the ids of each sentence."""
    return [sequences.padded(rows(row))[0][0].tolist() for row in range(len(sequences.length_N))]


# Sequences of ids


def test_sentences_end_with_eos_and_are_padded_to_the_longest_of_those_selected() -> None:
    sequences = IdSequences([[5, 6], [7], [8, 9, 10], []])
    id_BS, length_B = sequences.padded(rows(0, 1, 3))
    assert id_BS.tolist() == [[5, 6, EOS], [7, EOS, PAD], [EOS, PAD, PAD]]
    assert length_B.tolist() == [3, 2, 1]
    id_BS, length_B = sequences.padded(rows(2, 1, 2))
    assert id_BS.tolist() == [[8, 9, 10, EOS], [7, EOS, PAD, PAD], [8, 9, 10, EOS]]
    assert length_B.tolist() == [4, 2, 4]
    assert sequences.length_N.tolist() == [3, 2, 4, 1]


def test_there_may_be_no_sentences_at_all() -> None:
    assert IdSequences([]).length_N.tolist() == []
    id_BS, length_B = IdSequences([]).padded(rows())
    assert (id_BS.shape, length_B.shape) == ((0, 0), (0,))


def test_a_sentence_that_is_too_long_is_truncated_and_loses_its_end() -> None:
    sequences = IdSequences([[4, 5, 6], [7, 8], [4, 5, 6, 7], []], max_tokens=3)
    assert lists(sequences) == [[4, 5, 6], [7, 8, EOS], [4, 5, 6], [EOS]]
    assert sequences.length_N.tolist() == [3, 3, 3, 1]
    assert lists(IdSequences([[4], []], max_tokens=1)) == [[4], [EOS]]


def test_some_sentences_may_be_replaced_by_others() -> None:
    sequences = IdSequences([[4], [5, 6], [7], [8, 9]], max_tokens=2)
    others = IdSequences([[10, 11, 12], []])
    replaced = sequences.replace_rows(rows(3, 0), others)
    assert lists(replaced) == [[EOS], [5, 6], [7, EOS], [10, 11, 12, EOS]]
    assert replaced.length_N.tolist() == [1, 2, 2, 4]
    assert lists(sequences) == [[4, EOS], [5, 6], [7, EOS], [8, 9]], "as they were"
    assert lists(sequences.replace_rows(rows(), IdSequences([]))) == lists(sequences)


def test_some_sentences_may_be_selected_in_any_order() -> None:
    sequences = IdSequences([[4], [5, 6], [7], [8, 9]], max_tokens=2)
    selected = sequences.select(rows(3, 1, 3)).replace_rows(rows(1), IdSequences([[10, 11]]))
    assert lists(selected) == [[8, 9], [10, 11, EOS], [8, 9]]
    assert lists(sequences.select(rows())) == []


# Pairs


RNG = random.Random(1)


def random_text(words: str) -> str:
    return " ".join(RNG.choices(words.split(), k=RNG.randint(1, 9)))


EXAMPLES = [
    Example(
        random_text("the cat sees hears house nothing always garden somewhere neighbour"),
        random_text("le chat voit entend maison rien toujours jardin quelque voisin"),
        line,
    )
    for line in range(12)
]


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    config = TokenizerConfig(kind="unigram", vocabulary_size=300, joint=False)
    sources, targets = zip(*((pair.source, pair.target) for pair in EXAMPLES), strict=True)
    return train_tokenizer(config, sources, targets, warn=lambda _: None)


@pytest.mark.parametrize("max_tokens", [None, 9])
def test_each_side_of_a_pair_is_encoded_by_its_own_vocabulary(
    tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch, max_tokens: int | None
) -> None:
    monkeypatch.setattr(ids, "CHUNK", 5)  # 12 pairs: two whole chunks and a part
    pairs = encode_pairs(tokenizer, EXAMPLES, max_tokens=max_tokens)
    for side, vocabulary, texts in (
        (pairs.source, tokenizer.source, [example.source for example in EXAMPLES]),
        (pairs.target, tokenizer.target, [example.target for example in EXAMPLES]),
    ):
        whole = [[*vocabulary.encode(text), EOS] for text in texts]
        assert lists(side) == [ids[:max_tokens] for ids in whole]
        assert any(len(ids) > 9 for ids in whole)


def test_each_chunk_of_a_side_is_sampled_by_a_seed_of_its_own(
    tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ids, "CHUNK", 2)
    longest = max(EXAMPLES, key=lambda example: len(example.source))
    pairs = encode_pairs(tokenizer, [longest] * 5, sampling=0.2, seed=7)
    for side, vocabulary, text, seed in (
        (pairs.source, tokenizer.source, longest.source, 7),
        (pairs.target, tokenizer.target, longest.target, 8),
    ):
        assert isinstance(vocabulary, Subwords)
        expected = [
            ids
            for first, count in ((0, 2), (2, 2), (4, 1))
            for ids in vocabulary.encode_all([text] * count, sampling=0.2, seed=seed + first)
        ]
        assert lists(side) == [[*ids, EOS] for ids in expected]
    assert len({*map(tuple, lists(pairs.source))}) > 3
