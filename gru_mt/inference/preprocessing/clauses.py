"""The clauses of a sentence, which are translated one by one where the mark between them is lost.

Small corpora have few semicolons and dashes; a model of them goes on after one: "; qu'elle reste".
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from gru_mt.data.text.placeholders import Span, mask
from gru_mt.data.tokenizer.special import PLACEHOLDER
from gru_mt.inference.preprocessing.sentence import Sentence

LEAST_WORDS = 3  # of a clause
_BETWEEN = (";", "-", "--", "–", "—")


def marks_between(sentence: Sentence) -> list[re.Match[str]]:
    """Return the placeholder tokens of the marks between clauses."""
    tokens = zip(PLACEHOLDER.finditer(sentence.text), sentence.placeholders, strict=True)
    return [token for token, mark in tokens if mark in _BETWEEN]


def clauses_of(sentence: Sentence) -> list[Sentence]:
    """Return the clauses of a sentence `with_numbers(marks=True)`, or the sentence alone.

    The placeholders of a clause are the tokens of the whole sentence, for `joined`.
    """
    ends = [0, *(at for mark in marks_between(sentence) for at in mark.span()), len(sentence.text)]
    texts = [sentence.text[start:end].strip() for start, end in [*pairwise(ends)][::2]]
    if len(texts) < 2 or min(len(text.split()) for text in texts) < LEAST_WORDS:
        return [sentence]
    clauses = []
    for number, text in enumerate(texts):
        spans = [Span(*token.span(), token[0]) for token in PLACEHOLDER.finditer(text)]
        masked = mask(text, spans)
        clause = replace(
            sentence, before="", after="", typed=text, text=masked.text, no_space=frozenset(),
            placeholders=masked.placeholders, case="small" if number else "model", tags=(),
        )  # fmt: skip
        clauses.append(clause)
    return clauses


def joined(sentence: Sentence, translations: Sequence[str]) -> str:
    """Return the translations of clauses as the model's text for the whole sentence."""
    *others, last = translations
    marks = (f" {mark[0]} " for mark in marks_between(sentence))
    begun = (re.sub(r"\s?(?<!\.)\.$", "", text) for text in others)
    return "".join(text + mark for text, mark in zip(begun, marks, strict=True)) + last
