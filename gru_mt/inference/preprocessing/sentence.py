"""A sentence as a model reads it, and from the model's words back to the text that is shown."""

import re
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self

from gru_mt.data.text.normalize import MARKS, PLAIN_MARKS, SPACELESS, WORD, in_word, is_cased
from gru_mt.data.text.placeholders import Span, mask, placeholder_indices, restore
from gru_mt.data.text.terms.articles import contracted
from gru_mt.data.tokenizer.special import ANY_PLACEHOLDER, PLACEHOLDER, PLACEHOLDER_TOKENS
from gru_mt.inference.preprocessing.tags import QUOTES, nested, pairs

Case = Literal["capitals", "capital", "small", "model"]
# What `placeholders` leaves to the model: 7, 12, 10:30, 1.5, 5th, 7-0, -5.
_UNSPACED = (
    r"\u0e00-\u109f\u1100-\u11ff\u1780-\u17ff\u1950-\u1aaf\u2e80-\ud7ff\uf900-\ufaff\uff66-\uff9f"
)
_LETTER = rf"(?:(?![{_UNSPACED}])[^\W\d_]|[{MARKS}])"  # 3つ is a number and a word
_FEW_LETTERS = rf"{_LETTER}{{1,3}}(?!{_LETTER})"
_NUMBER = rf"(?:(?<![^\s(])[-−])?\d++(?:[.,:/–-]\d+)*+(?:{_FEW_LETTERS}|(?![{MARKS}]))"
_DIGITS = re.compile(r"\d+")
_OTHERWISE = re.compile(r"(?<!\d)\d++\s?(?=[月万萬亿億만억])")  # otherwise: May, 30,000
_PLAIN_DIGITS = str.maketrans(
    {chr(ord(zero) + n): str(n) for zero in "٠۰०০੦૦୦௦౦೦൦๐໐༠၀០" for n in range(10)}
)
_JOINED_DIGITS = re.compile(r"(?<![^\s(])[-−]\d+|\d+(?:[–-]\d+)+")  # a sign, a score
_GLUED = re.compile(r"\d[A-Za-zÀ-ɏЀ-ӿ]{4,}|\d\s?[!?]\s?\d+")  # or torn: 1 !5
_DIGIT_WITH_LETTERS = re.compile(rf"\d{_FEW_LETTERS}")
ENDS = (".", "!", "?", "…")
_LATIN = "[A-Za-zÀ-ɏ]"  # a dash may be the verb of a Russian sentence, ; the question mark of Greek
_ENDED = rf"(?:{_LATIN}|[0-9)\"”»]|{ANY_PLACEHOLDER})"
_MARKS = {  # in a source, and in a translation
    rf"[{QUOTES}]": rf"[{QUOTES}]",
    "[(（]": "[(（]",
    "[)）]": "[)）]",
    rf"(?<={_ENDED} )(?:--|[-–—])(?= [^Ͱ-᷿])|(?<={_LATIN})—(?={_LATIN})": r"\s(?:--|[-–—])\s|—",
    rf"(?<={_ENDED});|(?<={_ENDED} );": "[;；]",
}
_PLACEHOLDER_OR_NUMBER = re.compile(f"{PLACEHOLDER.pattern}|{_NUMBER}")
_OR_MARK = re.compile(rf"\({_NUMBER}\)|{_PLACEHOLDER_OR_NUMBER.pattern}|{'|'.join(_MARKS)}")
_OPENED = re.compile(rf"(?<!\S)[{QUOTES}(]\w+")
_HOLLOW = re.compile(r"\s[\"“«]\s?[,.;]")  # a quotation that has lost its words
_BEGINNING = re.compile(r"\A[\W_]+")
_ELLIPSIS = re.compile(r"(?<![\s.…?!])\s*((?:\.{2}|…)[.…]*+)$")
_AFTER_QUOTE = re.compile(rf"([.!?…]\s?[\"”»]\s+)({WORD.pattern})")  # "Stop!" she said.
_TWO_MARKS = re.compile(r"(?<=[?!])\s+(?=[?!])")
_ASKS = "?？؟፧"
_OTHER_STOPS = "".join(chr(mark) for mark, plain in PLAIN_MARKS.items() if plain == ".")
_LAST_COMMA = re.compile(r"(?<=[^\s,]),$")
_LAST_STOP = re.compile(rf"(?:\s?(?:[,、，]|(?<![.…])[.{_OTHER_STOPS}]))?$")
_END_MARKS = re.compile(rf"(?<![{_ASKS}!！])[{_ASKS}!！]++[.…]*+$")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as it stands in its line, and as the model reads it."""

    source: str  # in the `readable` line, with its frame
    gap: str  # the spaces after it
    before: str  # its frame: see `frames`
    after: str
    typed: str  # without its frame, as it was written, masked
    text: str  # masked, in its usual case
    placeholders: tuple[str, ...]  # what the tokens in `text` become in a translation
    no_space: frozenset[tuple[int, int]]  # a placeholder, and its side that touches a word: 0, 1
    case: Case  # of the translation, where the model's is not taken
    spelling_corrected: bool  # whether a word was taken for one with a typo
    tags: tuple[tuple[int, int], ...] = ()  # placeholders that open and close: see `tags.pairs`
    terms: frozenset[str] = frozenset()  # those that get a capital where a translation begins
    is_part: bool = False  # of a sentence that is too long
    correction: str | None = None  # its translation, as it is shown, where people have corrected it

    @property
    def is_copied(self) -> bool:
        """Whether it has nothing to translate, no letter outside placeholders: "10."."""
        is_letter = len(self.text) == 1 and self.text.islower() and self.case == "capital"  # M, L
        return is_letter or not any(map(str.isalpha, self.text))

    def finished(self, text: str, names: Container[str] = ()) -> str:
        """Return the model's `text` as it is shown: placeholders filled, in capitals if wanted."""
        first = first_letter(text)
        is_moved = PLACEHOLDER.search(text[:first]) and not PLACEHOLDER.match(self.text)
        if self.case == "capitals":
            text = text.upper()
        elif self.case == "small" and (word := WORD.match(text, first)) and word[0] in names:
            pass
        elif self.case != "model" and not is_moved:
            change = str.upper if self.case == "capital" else str.lower
            text = text[:first] + change(text[first : first + 1]) + text[first + 1 :]
        words = [word for _, word in _AFTER_QUOTE.findall(self.typed)]
        if words and all(word[:1].islower() for word in words):
            text = _AFTER_QUOTE.sub(
                lambda m: m[0] if m[2] in names else m[1] + m[2][:1].lower() + m[2][1:], text
            )
        if "…" in self.typed:
            text = text.replace("...", "…")
        typed = _LAST_COMMA.sub("", self.typed)
        ellipsis = _ELLIPSIS.search(typed)
        if ellipsis:
            text = re.sub(rf"[{_OTHER_STOPS}]$", "…", text)
            text = re.sub(r"(?<!\.)\.$|(?<![\s!?.…])\s?!$", ellipsis[1], text)
        if typed != self.typed and not text.endswith(("!", "?", "！", "？")):
            text = _LAST_STOP.sub("、" if SPACELESS.search(text) else ",", text, count=1)
        text = _TWO_MARKS.sub("", text)
        marks = _END_MARKS.search(self.typed)
        if marks and len(marks[0]) > 1:
            text = _END_MARKS.sub(lambda end: _in_script_of(end[0], marks[0]), text)
        return f"{self.before}{self._with_placeholders(text)}{self.after}"

    def _with_placeholders(self, text: str) -> str:
        if not self.placeholders:
            return text
        between = PLACEHOLDER.split(self.text)
        inside = {first: "".join(between[first + 1 : last + 1]) for first, last in self.tags}
        full = frozenset(first for first, words in inside.items() if any(map(str.isalnum, words)))
        texts, order = nested(PLACEHOLDER.split(text), placeholder_indices(text), self.tags, full)
        for index in range(1, len(order)):  # as far apart as in the source
            first, second = order[index - 1 : index + 1]
            if second == first + 1 < len(between) and not (texts[index] + between[second]).strip():
                texts[index] = between[second]
        tokens, whole, gap = PLACEHOLDER.findall(text), texts[0], texts[0]
        has_begun = any(map(str.isalpha, whole))
        for token, index, after in zip(tokens, order, texts[1:], strict=True):
            if whole[-1:] in ENDS and index < len(between) and between[index][-1:] in ("", " "):
                whole += " "  # the model had ended: "Où sont-ils ?Oksana"
            placeholder = self.placeholders[index] if index < len(self.placeholders) else token
            if placeholder in self.terms and not has_begun:
                placeholder = placeholder[:1].upper() + placeholder[1:]
            has_begun = has_begun or in_word(placeholder[:1]) or any(map(str.isalpha, after))
            if not gap.isspace():
                whole, placeholder = contracted(whole, placeholder)
            gap = after
            whole = _joined(whole, placeholder, no_space=(index, 0) in self.no_space)
            whole = _joined(whole, after, no_space=(index, 1) in self.no_space)
        return whole

    def with_numbers(self, *, marks: bool = False) -> Self:
        """Return the sentence with its short numbers as placeholders too, or also its `marks`.

        Those are quotation marks, brackets, semicolons, and dashes between words.
        """
        own = iter(self.placeholders)
        pattern = _OR_MARK if marks else _PLACEHOLDER_OR_NUMBER
        cased = str.upper if self.case == "capitals" else str  # 5PM
        spans = [
            Span(*match.span(), next(own) if match[0] in PLACEHOLDER_TOKENS else cased(match[0]))
            for match in pattern.finditer(self.text)
        ]
        masked = mask(self.text, spans)
        new = [n for n, span in enumerate(spans) if PLACEHOLDER.match(self.text, span.start)]
        around = [pair for pair in pairs(*masked) if not {*pair} & {*new}]
        text, no_space = freed(masked.text)
        return replace(
            self,
            text=text,
            placeholders=masked.placeholders,
            no_space=no_space | {(new[index], side) for index, side in self.no_space},
            tags=(*((new[first], new[last]) for first, last in self.tags), *around),
        )

    def keeps_numbers(self, text: str) -> bool:
        """Return whether a translation, as it is shown, has the digits of all numbers, as often.

        Those with letters have all of them and no more, and no others have many: no 5p or 5pmir for
        5pm.
        """
        whole = self._whole
        parts = (part.translate(_PLAIN_DIGITS) for part in (_OTHERWISE.sub("", whole), text))
        wanted, found = (Counter(_DIGITS.findall(part)) for part in parts)
        has_joined = all(number in text for number in _JOINED_DIGITS.findall(self.text))
        has_other = any(
            re.search(f"{word[:2]}(?!{word[2:]}(?!{_LETTER}))", text, re.IGNORECASE)
            for word in _DIGIT_WITH_LETTERS.findall(self.text)
        )
        is_glued = any(word not in whole for word in _GLUED.findall(text))
        has_all = all(found[number] == count for number, count in wanted.items())
        return has_all and has_joined and not has_other and not is_glued

    def keeps_all(self, text: str) -> bool:
        """Return whether it also has all of _MARKS, no half of "", and no "(very" of the source.

        No quotation in it begins with a comma.
        """
        kinds = [found for own, found in _MARKS.items() if re.search(own, self.text)]
        is_left = any(opened in text for opened in _OPENED.findall(self.text))
        is_left = is_left or _HOLLOW.search(text) is not None
        return (
            self.keeps_numbers(text)
            and not is_left
            and (not kinds or _counts(kinds, text) == _counts(kinds, self._whole))
        )

    @property
    def _whole(self) -> str:
        return " ".join([self.before, self.text, *self.placeholders, self.after])

    def shown(self, tokens: list[str]) -> list[str]:
        """Return tokens with placeholders put back."""
        if not self.placeholders or not tokens:
            return tokens
        return restore("\n".join(tokens), self.placeholders).split("\n")


def with_one_mark(text: str) -> str:
    """Return `text` as the model reads it, with one plain mark at its end, and no comma.

    "Who?!" -> "Who?", and "So… yes…" -> "So... yes." but in scripts without spaces, whose corpora
    have such signs. `Sentence.finished` puts them back.
    """

    def one(marks: re.Match[str]) -> str:
        return next((mark for mark in marks[0] if mark in _ASKS), marks[0][0])

    text = _LAST_COMMA.sub("", text)
    if not SPACELESS.search(text):
        text = _ELLIPSIS.sub(".", text).replace("…", "...")
    return _END_MARKS.sub(one, text)


def _in_script_of(end: str, marks: str) -> str:
    """Return marks in the script of the marks that end a translation: "？" and "?!" -> "？！"."""
    plain = marks.translate(PLAIN_MARKS)
    if end[0] in "？！":
        return plain.replace("?", "？").replace("!", "！")
    return plain.replace("?", end[0]) if end[0] in _ASKS else plain


def freed(text: str) -> tuple[str, frozenset[tuple[int, int]]]:
    """Return `text` with a space between a placeholder token and a word beside it, and where.

    So the model reads "<b>here</b>" as a word between two placeholders, and not as the end of one.
    """
    free, *others = PLACEHOLDER.split(text)
    no_space = set()
    for index, (token, after) in enumerate(zip(PLACEHOLDER.findall(text), others, strict=True)):
        if is_cased(free[-1:]):
            no_space.add((index, 0))
            free += " "
        free += token
        if is_cased(after[:1]):
            no_space.add((index, 1))
            free += " "
        free += after
    return free, frozenset(no_space)


def _counts(kinds: Sequence[str], text: str) -> list[int]:
    """Return how many marks of each kind there are, and whether half a pair of "" is."""
    return [*(len(re.findall(kind, text)) for kind in kinds), text.count('"') % 2]


def first_letter(text: str) -> int:
    """Return where the first letter or digit stands, behind placeholder tokens too."""
    return len(text) - len(_BEGINNING.sub("", text))


def _joined(left: str, right: str, *, no_space: bool) -> str:
    """Return two texts as one: without a space if `no_space`, and with one between two words."""
    if no_space:
        return left.rstrip() + right.lstrip()
    return f"{left} {right}" if is_cased(left[-1:]) and is_cased(right[:1]) else left + right
