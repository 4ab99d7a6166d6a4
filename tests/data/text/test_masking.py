"""Spans of a text hidden from the model behind marks, and put back."""

from gru_mt.data.text.placeholders import (
    Masked,
    Span,
    disjoint,
    find_placeholders,
    mask,
    placeholder_indices,
    restore,
)
from gru_mt.data.tokenizer.special import PLACEHOLDER_TOKENS


def test_forty_placeholders_in_one_line_come_back_each_in_its_place() -> None:
    text = " ".join(f"{{x{i}}}" for i in range(40))
    masked = mask(text, find_placeholders(text))
    assert masked.text == " ".join([*PLACEHOLDER_TOKENS] * 5)
    assert masked.placeholders == tuple(f"{{x{i}}}" for i in range(40))
    assert restore(masked.text, masked.placeholders) == text


def test_a_placeholder_is_put_where_its_mark_stands() -> None:
    masked = mask("a@b.org or c@d.org.", find_placeholders("a@b.org or c@d.org."))
    assert masked == Masked("\ue010 or \ue011.", ("a@b.org", "c@d.org"))
    assert restore("\ue011 ou \ue010", masked.placeholders) == "c@d.org ou a@b.org"
    # The second \ue010 is placeholder 8, the second \ue011 would be placeholder 9.
    placeholders = [*"abcdefgh", "\ue011"]
    assert restore("\ue010\ue011\ue010\ue011\ue010", placeholders) == "ab\ue011\ue011\ue010"
    assert mask("abc", []) == Masked("abc", ())


def test_of_spans_that_overlap_the_longest_stays_and_the_first_of_the_longest() -> None:
    spans = [Span(0, 2, "a"), Span(1, 4, "b"), Span(3, 6, "c"), Span(5, 7, "d"), Span(7, 9, "e")]
    assert disjoint(spans) == [Span(1, 4, "b"), Span(5, 7, "d"), Span(7, 9, "e")]
    assert disjoint(reversed(spans)) == disjoint(spans)
    assert disjoint([]) == []


def test_the_second_of_a_mark_stands_for_the_ninth_placeholder_and_so_on() -> None:
    assert placeholder_indices("\ue010 a \ue012\ue010 \ue011\ue010") == [0, 2, 8, 1, 16]
    assert placeholder_indices("\ue017\ue017") == [7, 15]
    assert placeholder_indices("none") == []


def test_a_span_may_have_another_text_than_stands_there() -> None:
    masked = mask("the cat", [Span(4, 7, "matou")])
    assert masked == Masked("the \ue010", ("matou",))
    assert restore("\ue010 là", masked.placeholders) == "matou là"
