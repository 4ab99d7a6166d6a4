"""Vocabularies of words as in tutorials on recurrent translation: lower case, punctuation apart.

They are baselines and lose text: case is gone, spacing is a guess, rare words become `<unk>`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Self

from gru_mt.data.text.normalize import IN_WORD, in_word, is_word
from gru_mt.data.tokenizer.special import (
    BOS,
    EOS,
    PAD,
    PLACEHOLDER_TOKENS,
    SPECIALS,
    UNK,
    file_lines,
)
from gru_mt.errors import UserError

_FIRST = (*SPECIALS, *PLACEHOLDER_TOKENS)
_JOINS = ("", "<", ">", "<>")  # where a token has no space: nowhere, before it, after it, both


@cache
def _token(kind: str) -> re.Pattern[str]:
    """Return the pattern of a token. It is built at its first use, because that takes long."""
    if kind == "space":
        inside = f"[^ ,.!?{''.join(PLACEHOLDER_TOKENS)}]"
        return re.compile(rf"[,.!?]{inside}*|{inside}+|[^ ]")
    letter = f"[{IN_WORD}]"
    return re.compile(
        r"\d+(?:[.,:]\d+)+"  # 3.14, 10,000, 7:30
        rf"|{letter}+(?:-{letter}+)*(?:['’](?={letter}))?"  # peut-être; l' and homme; don' and t
        r"|\S"
    )


def split_words(text: str, kind: str = "word") -> list[str]:
    """Return the tokens of `text`: "L'homme rit, non ?" -> ["l'", "homme", "rit", ",", "non", "?"].

    Hyphens and decimal points stay inside; an apostrophe between letters ends a token. Kind `space`
    splits as tutorials do, at spaces and before each of , . ! ? -> ["l'homme", "rit", ",", ...]
    """
    return _token(kind).findall(text.lower())


def _learn_joins(texts: Iterable[str], kind: str) -> dict[str, str]:
    """Return where a mark or an elided word mostly has no space, if anywhere: "," -> "<"."""
    total: Counter[str] = Counter()
    joined: Counter[tuple[str, str]] = Counter()
    for text in texts:
        lowered = f" {text.lower()} "
        for match in _token(kind).finditer(lowered):
            token = match[0]
            if not in_word(token[-1]):
                total[token] += 1
                joined[token, "<"] += lowered[match.start() - 1] != " "
                joined[token, ">"] += lowered[match.end()] != " "
    return {
        token: "".join(side for side in "<>" if 2 * joined[token, side] > count)
        for token, count in total.items()
    }


class Words:
    """A vocabulary of words. `decode` spaces punctuation as the corpus mostly does."""

    def __init__(self, tokens: Sequence[str], joins: Mapping[str, str], kind: str = "word") -> None:
        """Take the tokens in the order of ids, the _JOINS of some, and how text is split."""
        self.kind, self.tokens, self._joins = kind, tuple(tokens), joins
        # A text may say <pad> too, and there it is an unknown word.
        self._ids = {token: index for index, token in enumerate(tokens) if token not in SPECIALS}

    @classmethod
    def train(
        cls,
        texts: Iterable[str],
        written: Iterable[str],
        *,
        kind: str = "word",
        size: int,
        min_frequency: int,
    ) -> Self:
        """Return a vocabulary of at most `size` tokens: _FIRST, and the most frequent in `texts`.

        Ties are in alphabetical order. A token rarer than `min_frequency` is left out. `decode`
        spaces tokens as `written` does. Raises UserError where no token is frequent enough.
        """
        counts = Counter(token for text in texts for token in split_words(text, kind))
        frequent = [
            token
            for token, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
            if count >= min_frequency and token not in _FIRST
        ]
        if not frequent:
            raise UserError(
                f"tokenizer.min_frequency {min_frequency}: no word of the training side occurs so "
                f"often; set it to {max(counts.values())} or less"
            )
        joins = _learn_joins(written, kind)
        return cls([*_FIRST, *frequent[: size - len(_FIRST)]], joins, kind)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return what `to_bytes` wrote; raises ValueError that says what is wrong with it."""
        rows = [line.partition("\t")[::2] for line in file_lines(data)]
        kind = "space" if rows[0] == (SPECIALS[PAD], "space") else "word"
        if kind == "space":
            rows[0] = SPECIALS[PAD], ""
        tokens = [token for token, _ in rows]
        if tuple(tokens[: len(_FIRST)]) != _FIRST:
            raise ValueError(
                f"it must begin with the lines {', '.join(SPECIALS)} and {len(PLACEHOLDER_TOKENS)} "
                "placeholder tokens; an older model must be trained again"
            )
        seen: set[str] = set()
        for number, (token, joins) in enumerate(rows, start=1):
            if not is_word(token) or token in seen or joins not in _JOINS:
                raise ValueError(f"line {number} is not a new word, alone or with a tab and <, >")
            seen.add(token)
        return cls(tokens, dict(rows), kind)

    def to_bytes(self) -> bytes:
        """Return plain text: a line for each token in the order of ids, its _JOINS after a tab.

        In the first line, which is <pad>, "space" after the tab is the vocabulary's kind.
        """
        joins = {**self._joins, SPECIALS[PAD]: "space" if self.kind == "space" else ""}
        lines = (f"{token}\t{joins.get(token, '')}".rstrip("\t") for token in self.tokens)
        return "".join(f"{line}\n" for line in lines).encode()

    @property
    def size(self) -> int:
        return len(self.tokens)

    def encode(self, text: str) -> list[int]:
        """Return the ids of `text`, UNK for unknown words, without BOS and EOS."""
        return [self._ids.get(token, UNK) for token in split_words(text, self.kind)]

    def encode_all(
        self, texts: Sequence[str], *, sampling: float = 0.0, seed: int = 0
    ) -> list[list[int]]:
        """Return the ids of each text; `sampling` must be 0, as words have no pieces to draw."""
        assert not sampling, f"no sampling {sampling} of words, whatever the seed {seed}"
        return [*map(self.encode, texts)]

    def pieces(self, ids: Iterable[int]) -> list[str]:
        """Return the token of each id."""
        return [self.tokens[index] for index in ids]

    def decode(self, ids: Iterable[int]) -> str:
        """Return one line of text for any ids; UNK is written `<unk>`."""
        text = ""
        inside_quotes = False
        joined = True  # no space before the next token
        for token in self.pieces(index for index in ids if index not in (PAD, BOS, EOS)):
            joins = self._joins.get(token, "")
            if token == '"':  # the same mark opens and closes
                joins = "<" if inside_quotes else ">"
                inside_quotes = not inside_quotes
            text += token if joined or "<" in joins else f" {token}"
            joined = ">" in joins
        return text
