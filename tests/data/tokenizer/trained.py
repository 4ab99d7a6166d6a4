"""Tokenizers of a few sentences, each trained once."""

import io
from collections.abc import Callable, Sequence
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal

import pytest
import sentencepiece

from gru_mt.config.schema import TokenizerConfig
from gru_mt.data.tokenizer.tokenizer import Tokenizer, Vocabulary, learn_tokenizer
from gru_mt.data.types import Example

Kind = Literal["unigram", "bpe", "char", "word"]
SUBWORDS: tuple[Kind, ...] = ("unigram", "bpe", "char")
KINDS: tuple[Kind, ...] = (*SUBWORDS, "word")

NOUNS = [("cat", "chat"), ("dog", "chien"), ("horse", "cheval"), ("bird", "oiseau")]
VERBS = [("sees", "voit"), ("hears", "entend"), ("follows", "suit"), ("finds", "trouve")]
PAIRS = [
    (f"The {a} {verb} the {b}, doesn't it?", f"Le {c} {verbe} le {d}, n'est-ce pas ?")
    for a, c in NOUNS
    for verb, verbe in VERBS
    for b, d in NOUNS
]
SOURCES, TARGETS = ([*side] for side in zip(*PAIRS, strict=True))
STRANGE = [
    "Emoji 😀👩‍👩‍👧‍👦🇫🇷 and 中文字",
    "e\u0301 is not é, nor Ａ A, ﬁ fi or Ⅳ IV",
    "0123456789 3,14 ½ ٣",
    "▁▁ a▁b ▁ c▁",
    "\ue000 \ue0000 \ue0001 \ue000▁1",
    "<pad> <unk> <s> </s> <0x41> ⁇ ▅",
    "\u200b\u00ad\ufeff\ufffd\uffff\U0010ffff",
    "  several\u00a0spaces\u202f\tand\nlines \u2028 ",
    "z" * 10_000,
    "",
]


def refuse(warning: str) -> None:
    pytest.fail(f"unexpected warning: {warning}")


def train(
    kind: Kind,
    *,
    size: int = 1_000,
    joint: bool = True,
    warn: Callable[[str], object] = str,  # which does nothing with a warning
    sources: list[str] = SOURCES,
    targets: list[str] = TARGETS,
) -> Tokenizer:
    tokenizer, warnings = trained(kind, size, joint, tuple(sources), tuple(targets))
    for warning in warnings:
        warn(warning)
    return tokenizer


@cache  # many tests read the same one
def trained(
    kind: Kind, size: int, joint: bool, sources: tuple[str, ...], targets: tuple[str, ...]
) -> tuple[Tokenizer, list[str]]:
    """Return a tokenizer and its warnings."""
    config = TokenizerConfig(kind=kind, vocabulary_size=size, joint=joint, min_frequency=1)
    sides = zip(*zip_longest(sources, targets, fillvalue=""), strict=True)  # "" adds nothing
    return learn(config, *sides)


def learn(
    config: TokenizerConfig, sources: Sequence[str], targets: Sequence[str]
) -> tuple[Tokenizer, list[str]]:
    """Return a tokenizer of sources and targets that people wrote, and its warnings."""
    pairs = [Example(*sides, 0) for sides in zip(sources, targets, strict=True)]
    return learn_tokenizer(config, None, len(pairs), pairs)


def save(tokenizer: Tokenizer, folder: Path) -> None:
    for name, data in tokenizer.files().items():
        (folder / name).write_bytes(data)


def round_trip(side: Vocabulary, texts: list[str]) -> list[str]:
    return [side.decode(ids) for ids in side.encode_all(texts)]


def sentencepiece_model(**options: Any) -> bytes:
    model = io.BytesIO()
    options = {"vocab_size": 30, "minloglevel": 2} | options
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SOURCES), model_writer=model, **options
    )
    return model.getvalue()
