"""A vocabulary as the page reads it."""

from typing import Any

from gru_mt.data.tokenizer.sentencepiece import Subwords
from gru_mt.data.tokenizer.words import Words


def vocabulary_data(side: Subwords | Words, kind: str) -> dict[str, Any]:
    """Return a vocabulary as JSON values; `kind` is the one of the configuration.

    Those of a SentencePiece model are its pieces in the order of ids, and their scores. Those of a
    vocabulary of words are what its file holds.
    """
    if isinstance(side, Words):
        return {"kind": kind, "words": side.to_bytes().decode()}
    pieces = side.pieces(range(side.size))
    return {"kind": kind, "pieces": pieces, "scores": side.scores()}
