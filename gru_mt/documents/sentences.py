"""Sentences that stand on several lines of a document."""

from collections.abc import Sequence
from itertools import accumulate

from gru_mt.data.text.normalize import SPACELESS
from gru_mt.data.text.sentences import split_sentences


def joined(texts: Sequence[str]) -> str:
    """Return texts as one, with a space between two unless their script has none."""
    whole = "".join(texts[:1])
    for text in texts[1:]:
        whole += text if SPACELESS.match(whole[-1:]) and SPACELESS.match(text) else f" {text}"
    return whole


def ends_sentence(before: str, after: str) -> bool:
    """Return whether a sentence ends between two lines: not in "Mr." and "Smith"."""
    both = joined([before, after])
    return len(both) - len(after) in accumulate(map(len, split_sentences(both, "en")))
