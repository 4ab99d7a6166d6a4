"""The page's vocabularies against SentencePiece's segmentation, and Python's words."""

import random
import struct
from functools import cache
from typing import Any

import pytest
import zstandard

from gru_mt.config.schema import TokenizerConfig
from gru_mt.data.corpus.load import PHRASEBOOK
from gru_mt.data.text.normalize import clean
from gru_mt.data.tokenizer.sentencepiece import Subwords
from gru_mt.data.tokenizer.special import PLACEHOLDER_TOKENS
from gru_mt.data.tokenizer.tokenizer import Vocabulary
from gru_mt.page.model_data import vocabulary_data
from tests.data.tokenizer.trained import learn
from tests.page.node import needs_node, run_node
from tests.page.strings import random_strings

pytestmark = needs_node

IDS = """
import { vocabulary } from "./tokenizer/tokenizer.js";
const side = vocabulary(data.vocabulary);
const lists = data.texts.map((text) => side.encode(text));
result = {
  lists,
  pieces: lists.map((ids) => side.pieces(ids)),
  decoded: data.lists.map((ids) => side.decode(ids)),
};
"""
KINDS: list[Any] = ["unigram", "bpe", "char", "word", "space"]


@cache
def pairs() -> list[list[str]]:
    """Return pairs of the phrasebook from here and there."""
    with zstandard.open(PHRASEBOOK, "rt", encoding="utf-8") as file:
        return [line.rstrip("\n").split("\t") for line in file][::27]


@pytest.fixture(scope="module", params=KINDS)
def side(request: pytest.FixtureRequest) -> tuple[str, Vocabulary]:
    config = TokenizerConfig(kind=request.param, vocabulary_size=900)
    sources, targets = map(list, zip(*pairs(), strict=True))
    return request.param, learn(config, sources, targets)[0].source


def test_ids_pieces_and_texts_are_pythons(side: tuple[str, Vocabulary]) -> None:
    kind, vocabulary = side
    rng = random.Random(4)
    sentences = [text for pair in pairs()[::5] for text in pair]
    tokens = [" ".join(rng.choices(PLACEHOLDER_TOKENS, k=2)) for _ in sentences]
    marked = [text.replace(" ", f" {two} ", 1) for text, two in zip(sentences, tokens, strict=True)]
    cleaned = [clean(text) for text in random_strings(1_000) if text.isprintable()]
    texts = [*sentences, *marked, *cleaned]
    ends = [vocabulary.size, 300, 12]  # of all tokens; of bytes and more; of special ones
    lists = [
        [
            rng.randrange(2, min(rng.choice(ends), vocabulary.size))
            for _ in range(rng.randint(0, 12))
        ]
        for _ in range(300)
    ]
    data = {"vocabulary": vocabulary_data(vocabulary, kind), "texts": texts, "lists": lists}
    found = run_node(IDS, data)
    expected = vocabulary.encode_all(texts)
    wrong = [row for row in zip(texts, found["lists"], expected, strict=True) if row[1] != row[2]]
    assert wrong == []
    assert found["pieces"] == [vocabulary.pieces(ids) for ids in expected]
    decoded = [vocabulary.decode(ids) for ids in lists]
    odd = [row for row in zip(lists, found["decoded"], decoded, strict=True) if row[1] != row[2]]
    assert odd == []


@pytest.mark.parametrize(("kind", "step", "factor"), [("unigram", 1, 0.1), ("bpe", 50, 1)])
def test_of_equally_good_segmentations_it_takes_pythons(
    kind: Any, step: float, factor: float
) -> None:
    sources = [source for source, _ in pairs()]
    trained = Subwords.train(sources, kind=kind, size=900, warn=print)
    vocabulary = Subwords(with_few_scores(trained, step, factor))
    rng = random.Random(5)
    words = sorted({word for text in sources for word in text.split()})
    between = [*PLACEHOLDER_TOKENS, " "]
    texts = [
        "".join([*rng.choices(words, k=3), rng.choice(between), word * rng.randint(1, 5)])
        for word in rng.choices(words, k=2_000)
    ]
    data = {"vocabulary": vocabulary_data(vocabulary, kind), "texts": texts, "lists": []}
    expected = vocabulary.encode_all(texts)
    assert expected != trained.encode_all(texts)
    assert run_node(IDS, data)["lists"] == expected


def with_few_scores(vocabulary: Subwords, step: float, factor: float) -> bytes:
    """Return a model with few different scores. Sums that should be equal differ by rounding."""
    model = vocabulary.to_bytes()
    pieces = vocabulary.pieces(range(vocabulary.size))
    for piece, score in zip(pieces, vocabulary.scores(), strict=True):
        name = piece.encode()
        head = bytes([0x0A, len(name)]) + name + b"\x15"  # of SentencePiece's protocol buffer
        rounded = round(score / step) * factor
        model = model.replace(head + struct.pack("<f", score), head + struct.pack("<f", rounded), 1)
    return model
