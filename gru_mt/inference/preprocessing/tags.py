"""Which placeholders open and close each other, such as tags, and how they nest."""

import re
from collections.abc import Sequence

from gru_mt.data.text.normalize import in_word
from gru_mt.data.tokenizer.special import PLACEHOLDER

_TAG = re.compile(r"<(/?)([A-Za-z\d][\w:.-]*)[^<>]*(?<!/)>", re.DOTALL)  # and not <br/>
_BRACKET_TAG = re.compile(r"([\[{])(/?)([A-Za-z][\w-]*)[^\[\]{}]*[\]}]")  # [b] and [/b]
_WORD = re.compile(r"\s*[^\s\w]*\w[^\s]*")
_LAST_WORD = re.compile(r"\w\S*\s*$")


def _role(placeholder: str) -> tuple[str, bool | None] | None:
    """Return what a placeholder pairs with, and whether it closes; None if both may be."""
    if tag := _TAG.fullmatch(placeholder.replace("&lt;", "<").replace("&gt;", ">")):
        return f"<{tag[2].lower()}", bool(tag[1])
    if tag := _BRACKET_TAG.fullmatch(placeholder):
        return f"{tag[1]}{tag[3]}", bool(tag[2])
    if placeholder.startswith(("](", "][")):
        return "[", True
    if placeholder in ("[", "![", "[!["):
        return "[", False
    if placeholder.endswith("{"):
        return "{", False
    if placeholder == "}":
        return "{", True
    is_run = placeholder == placeholder[0] * len(placeholder) and placeholder[0] in "*_~=|^+#"
    return (placeholder, None) if is_run or placeholder == "&quot;" else None


def pairs(text: str, placeholders: Sequence[str]) -> list[tuple[int, int]]:
    """Return the numbers of placeholders that open and of those that close them: <b>, </b>.

    Signs around words are such pairs too, as those of *this*. `text` is masked.
    """
    opened: list[tuple[str, int]] = []
    found = []
    for number, (placeholder, token) in enumerate(
        zip(placeholders, PLACEHOLDER.finditer(text), strict=True)
    ):
        if not (role := _role(placeholder)):
            continue
        name, closes = role
        if closes is None:  # by the side on which it touches a word
            before, after = text[: token.start()][-1:], text[token.end() :][:1]
            closes = any(other == name for other, _ in opened) and not before.isspace()
            if not closes and (not after.strip() or in_word(before)):
                continue
        if not closes:
            opened.append((name, number))
        elif any(other == name for other, _ in opened):
            while opened[-1][0] != name:
                opened.pop()
            found.append((opened.pop()[1], number))
    return found


def nested(
    texts: list[str], order: list[int], pairs: Sequence[tuple[int, int]], full: frozenset[int]
) -> tuple[list[str], list[int]]:
    """Return a translation's texts and the placeholders between them, its tags well nested.

    `order` has the numbers of the placeholders, and texts one more. Placeholders of `pairs` that
    cross come in the order of the source. A pair whose first is in `full`, as it has words in the
    source, gets the word beside it if it has none; another has the
    placeholders that it has in the source.
    """
    texts, order = [*texts], [*order]
    present = [pair for pair in pairs if {*pair} <= {*order}]
    for pair in present:
        first, last = sorted(map(order.index, pair))
        order[first], order[last] = pair
    if _crosses(order, present):
        tags = sorted(number for pair in present for number in pair)
        indices = sorted(map(order.index, tags))
        for index, number in zip(indices, tags, strict=True):
            order[index] = number
    for first, last in sorted(present):  # the outer ones first, which may get a word for others
        for number in range(first + 1, last) if first not in full else ():
            _put_inside(texts, order, number, first, last)
        opening, closing = order.index(first), order.index(last)
        if first in full and not any(map(_has_word, texts[opening + 1 : closing + 1])):
            if word := _WORD.match(texts[closing + 1]):
                texts[closing] += word[0]
                texts[closing + 1] = texts[closing + 1][word.end() :]
            elif word := _LAST_WORD.search(texts[opening]):
                texts[opening + 1] = word[0] + texts[opening + 1]
                texts[opening] = texts[opening][: word.start()]
    return texts, order


def _put_inside(texts: list[str], order: list[int], number: int, first: int, last: int) -> None:
    """Move a placeholder that stands elsewhere to before the end of the pair around it."""
    index = order.index(number) if number in order else -1
    if index < 0 or order.index(first) < index < order.index(last):
        return
    del order[index]
    texts[index : index + 2] = [texts[index].rstrip() + texts[index + 1]]
    index = order.index(last)
    order.insert(index, number)
    texts.insert(index + 1, "")


def _has_word(text: str) -> bool:
    return any(map(str.isalnum, text))


def _crosses(order: Sequence[int], pairs: Sequence[tuple[int, int]]) -> bool:
    """Return whether a pair closes while one is open that was opened in it."""
    opened: list[int] = []
    closing = {last: first for first, last in pairs}
    first_ones = {first for first, _ in pairs}
    for number in order:
        if number in first_ones:
            opened.append(number)
        elif number in closing and opened.pop() != closing[number]:
            return True
    return False
