"""Which placeholders open and close each other, such as tags, and how they nest."""

import re
from collections import Counter
from collections.abc import Sequence

from gru_mt.data.text.normalize import IN_WORD, in_word
from gru_mt.data.tokenizer.special import PLACEHOLDER

_TAG = re.compile(r"<(/?)([A-Za-z\d][\w:.-]*)[^<>]*(?<!/)>", re.DOTALL)  # and not <br/>
_BRACKET_TAG = re.compile(r"([\[{])(/?)([A-Za-z][\w-]*)[^\[\]{}]*[\]}]")  # [b] and [/b]
_SIGNS = re.compile(r"([*_~=|^+#])\1*|&quot;")
QUOTES = '"“”„«»「」『』'
_INSIDE = r"[^'‘’]|(?<=\w)['’](?=\w)"  # of single quotes: no apostrophe but within a word
# Not 'tis, 'n', the dogs' house; but with a mark at its end 'the dogs' house,'.
_SINGLE_QUOTED = re.compile(
    rf"""(?<![{IN_WORD}'’])['‘]
    (?!(?:[Tt](?:is|was|il)|[Ee]m|[Cc](?:ause|uz)|[Bb]out|[nstk])\b)(?=[^\W\d])
    (?: ((?:{_INSIDE}|(?<=s)['’](?=\s)){{1,200}}?(?<=[.,!?…])) | ((?:{_INSIDE}){{1,200}}?) )
    ['’](?![{IN_WORD}])""",
    re.VERBOSE,
)
_WORD = re.compile(r"\s*[^\s\w]*\w[^\s]*")
_LAST_WORD = re.compile(r"\w\S*\s*$")


def _role(placeholder: str) -> tuple[str, bool | None]:
    """Return what a placeholder pairs with, if anything, and whether it closes; None if either."""
    if tag := _TAG.fullmatch(placeholder.replace("&lt;", "<").replace("&gt;", ">")):
        return f"<{tag[2].lower()}", bool(tag[1])
    if tag := _BRACKET_TAG.fullmatch(placeholder):
        return f"{tag[1]}{tag[3]}", bool(tag[2])
    if placeholder in ("[", "![", "[![") or placeholder.startswith(("](", "][")):
        return "[", placeholder[0] == "]"
    if placeholder in [*"()（）"]:
        return "(", placeholder in ")）"
    if placeholder == "}" or placeholder.endswith("{"):
        return "{", placeholder == "}"
    if placeholder in [*QUOTES]:
        return '"', None
    return placeholder if _SIGNS.fullmatch(placeholder) else "", None


def double_quoted(text: str) -> str:
    """Return a text with "" around what is in single quotation marks, which are apostrophes too."""
    return _SINGLE_QUOTED.sub(lambda match: f'"{match[1] or match[2]}"', text)


def pairs(text: str, placeholders: Sequence[str]) -> list[tuple[int, int]]:
    """Return the numbers of placeholders that open and of those that close them: <b>, </b>.

    Signs around words are such pairs too, as those of *this*. `text` is masked.
    """
    opened: list[tuple[str, int]] = []
    names: Counter[str] = Counter()  # of those that are open
    found = []
    for number, token in enumerate(PLACEHOLDER.finditer(text)):
        name, closes = _role(placeholders[number])
        is_open = names[name] > 0
        if closes is None:  # by the side on which it touches a word
            before, after = text[: token.start()][-1:], text[token.end() :][:1]
            closes = is_open and not before.isspace()
            if not name or (not closes and (not after.strip() or in_word(before))):
                continue
        if not closes:
            opened.append((name, number))
            names[name] += 1
        elif is_open:
            while opened[-1][0] != name:
                names[opened.pop()[0]] -= 1
            names[name] -= 1
            found.append((opened.pop()[1], number))
    return found


def nested(
    texts: list[str], order: list[int], pairs: Sequence[tuple[int, int]], full: frozenset[int]
) -> tuple[list[str], list[int]]:
    """Return a translation's texts and the placeholders between them, its tags well nested.

    `order` has the numbers of the placeholders, and `texts` one more. Placeholders of `pairs` that
    cross come in the order of the source. A pair whose first is in `full`, as it has words in the
    source, gets the word beside it if it has none; another has the placeholders of the source.
    """
    texts, order = [*texts], [*order]
    present = [pair for pair in pairs if {*pair} <= {*order}]
    for pair in present:
        _arrange(order, pair)
    spans = [(order.index(first), order.index(last)) for first, last in present]
    if any(a < c < b < d for a, b in spans for c, d in spans):  # two cross
        _arrange(order, sorted(number for pair in present for number in pair))
    for first, last in sorted(present):  # the outer ones first, which may get a word for others
        if first not in full:
            for number in range(first + 1, last):
                _put_inside(texts, order, number, first, last)
            continue
        opening, closing = order.index(first), order.index(last)
        if any(map(str.isalnum, "".join(texts[opening + 1 : closing + 1]))):
            continue
        if word := _WORD.match(texts[closing + 1]):
            texts[closing] += word[0]
            texts[closing + 1] = texts[closing + 1][word.end() :]
        elif word := _LAST_WORD.search(texts[opening]):
            texts[opening + 1] = word[0] + texts[opening + 1]
            texts[opening] = texts[opening][: word.start()]
    return texts, order


def _arrange(order: list[int], numbers: Sequence[int]) -> None:
    """Put these numbers in this order, in the positions that they have together."""
    for index, number in zip(sorted(map(order.index, numbers)), numbers, strict=True):
        order[index] = number


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
