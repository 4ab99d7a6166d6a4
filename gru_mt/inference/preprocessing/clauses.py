"""The parts of a sentence that are translated one by one where the marks between them are lost.

Small corpora have few semicolons and dashes; a model of them goes on after one: "; qu'elle reste".
They have few sentences with several quotations; the words of one get into another.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from gru_mt.data.text.placeholders import Span, mask
from gru_mt.data.tokenizer.special import PLACEHOLDER
from gru_mt.inference.preprocessing.sentence import ENDS, Case, Sentence
from gru_mt.inference.preprocessing.tags import QUOTES

LEAST_WORDS = 3  # of a clause
MOST_WORDS = 6  # of a quotation
_BETWEEN = (";", "-", "--", "–", "—")
_STOP = re.compile(r"\s?(?<!\.)\.$")


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
    begun = (_STOP.sub("", text) for text in others)
    return "".join(text + mark for text, mark in zip(begun, marks, strict=True)) + last


def quotations_of(sentence: Sentence) -> list[Sentence]:
    """Return the quotations of a sentence `with_numbers(marks=True)`, if it has several short ones.

    They hold nothing that is copied.
    """
    found = []
    for text in _quotations(sentence).values():
        case: Case = "capital" if text[0].isupper() else "model"
        quotation = replace(
            sentence, before="", after="", typed=text, text=text, no_space=frozenset(),
            placeholders=(), case="capitals" if sentence.case == "capitals" else case, tags=(),
        )  # fmt: skip
        found.append(quotation)
    return found


def with_quotations(sentence: Sentence, translations: Sequence[str]) -> Sentence:
    """Return a sentence that has the translations of its quotations as placeholders."""
    quotations = dict(zip(_quotations(sentence), translations, strict=True))
    tokens, marks = [*PLACEHOLDER.finditer(sentence.text)], sentence.placeholders
    spans: list[Span] = []
    new: list[int] = []  # the number that each placeholder gets
    for number, (token, mark) in enumerate(zip(tokens, marks, strict=True)):
        if number - 1 in quotations:  # the mark that closes one
            text, start = _STOP.sub("", quotations[number - 1]), spans[-1].start
            left, right = ("" if side in sentence.no_space else " " for side in
                           ((number - 1, 1), (number, 0)))  # fmt: skip
            spans[-1] = Span(start, token.end(), f"{spans[-1].text}{left}{text}{right}{mark}")
        else:
            spans.append(Span(*token.span(), mark))
        new.append(len(spans) - 1)
    masked = mask(sentence.text, spans)
    return replace(
        sentence,
        text=masked.text,
        placeholders=masked.placeholders,
        no_space=frozenset(
            (new[number], side)
            for number, side in sentence.no_space
            if number - 1 + side not in quotations
        ),
        tags=tuple((new[a], new[b]) for a, b in sentence.tags if new[a] != new[b]),
    )


def _quotations(sentence: Sentence) -> dict[int, str]:
    """Return the quotations by the numbers of the placeholders that open them; none of speech."""
    tokens = [*PLACEHOLDER.finditer(sentence.text)]
    quotes = [number for number, mark in enumerate(sentence.placeholders) if mark in QUOTES]
    found = {}
    for first, last in zip(quotes[::2], quotes[1::2], strict=False):
        text = sentence.text[tokens[first].end() : tokens[last].start()].strip()
        is_short = any(map(str.isalpha, text)) and len(text.split()) <= MOST_WORDS
        if last == first + 1 and is_short:
            found[first] = text
    is_speech = any(text.endswith((*ENDS, ",")) for text in found.values())
    return {} if len(found) < 2 or len(quotes) % 2 or is_speech else found
