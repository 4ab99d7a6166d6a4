"""Texts become ids by the vocabulary of their side; `test_batching` pads and truncates them."""

import numpy as np
import pytest

from gru_mt.config.schema import TokenizerConfig
from gru_mt.data.dataset import ids
from gru_mt.data.dataset.ids import IdSequences, encode_pairs
from gru_mt.data.tokenizer.special import EOS, PAD
from gru_mt.data.types import Texts
from tests.data.tokenizer.trained import learn


def lists(sequences: IdSequences) -> list[list[int]]:
    """Return the ids of each sentence."""
    rows = range(len(sequences.length_N))
    return [sequences.padded(np.array([row]))[0][0].tolist() for row in rows]


def test_no_sentences_are_padded_to_nothing() -> None:
    id_BS, length_B = IdSequences.of([]).padded(np.array([], np.int64))
    assert (id_BS.shape, length_B.shape) == ((0, 0), (0,))


def test_some_sentences_may_be_replaced_by_others_and_padded_in_any_order() -> None:
    sequences = IdSequences.of([[4], [5, 6], [7], [8, 9]], max_tokens=2)
    replaced = sequences.replace_rows(np.array([3, 0]), IdSequences.of([[10, 11, 12], []]))
    assert lists(replaced) == [[EOS], [5, 6], [7, EOS], [10, 11, 12, EOS]]
    assert lists(sequences) == [[4, EOS], [5, 6], [7, EOS], [8, 9]], "as they were"
    id_BS, length_B = replaced.padded(np.array([3, 1, 3]))
    assert id_BS.tolist() == [[10, 11, 12, EOS], [5, 6, PAD, PAD], [10, 11, 12, EOS]]
    assert length_B.tolist() == [4, 2, 4]


def test_each_chunk_of_a_side_is_sampled_by_a_seed_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And each side is encoded by its own vocabulary."""
    pair = Texts("the cat sees nothing in the garden", "le chat ne voit rien dans le jardin")
    config = TokenizerConfig(kind="unigram", vocabulary_size=300, joint=False)
    tokenizer = learn(config, [pair.source] * 9, [pair.target] * 9)[0]
    monkeypatch.setattr(ids, "CHUNK", 2)
    pairs = encode_pairs(tokenizer, [pair] * 5, sampling=0.02, seed=7)
    for side, vocabulary, text, seed in (
        (pairs.source, tokenizer.source, pair.source, 7),
        (pairs.target, tokenizer.target, pair.target, 8),
    ):
        expected = [
            ids
            for first, count in ((0, 2), (2, 2), (4, 1))
            for ids in vocabulary.encode_all([text] * count, sampling=0.02, seed=seed + first)
        ]
        assert lists(side) == [[*ids, EOS] for ids in expected]
    assert len({*map(tuple, lists(pairs.source))}) > 3
