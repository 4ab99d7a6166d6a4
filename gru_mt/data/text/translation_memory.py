"""A translation memory: the short texts of the training split, and how people translated them.

It answers "Hello" from the pair "Hello!" and "Bonjour !", with the input's capitals and final mark.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, Self

from gru_mt.data.text.normalize import (
    APOSTROPHES,
    CONTROL,
    LONGEST_SHORT,
    PLAIN_MARKS,
    WORD,
    clean,
    is_short,
)
from gru_mt.data.text.truecase import is_all_caps
from gru_mt.data.tokenizer.special import MOST_TOKENS, PLACEHOLDER
from gru_mt.errors import short_repr

MOST_TEXTS = 100_000  # sources that are kept, the most frequent ones
MOST_TRANSLATIONS = 4  # of a text
FINAL_MARKS = ".!?…,;:" + "".join(map(chr, PLAIN_MARKS))
FIRST_MARKS = "¿¡"
_DOTS = re.compile(r"\.{2,}")
_FIRST_LETTER = re.compile(r"(?:(?!['’])[\W_])*([^\W\d_])")  # not of "'s morgens" or "3 heures"
_INSIDE = re.compile(rf"(?<=[\w,;] |\w['’-]){WORD.pattern}")  # a word that begins no sentence
LEAST_INSIDE = 3  # times that a word has its capital inside sentences, if it keeps it
_DIGITS = re.compile(r"\d+")
_HEADER = "# gru-mt translation memory"


class _Pair(NamedTuple):
    source: str
    target: str
    times: int  # that it stands in the training split


class _Marked(NamedTuple):
    """A text in its parts: "¿Qué?" -> "¿", "Qué" and "?"."""

    opening: str
    body: str
    closing: str  # with the space before it

    @classmethod
    def of(cls, text: str) -> Self:
        rest = text.lstrip(f"{FIRST_MARKS} ")
        body = rest.rstrip(f"{FINAL_MARKS} ")
        return cls(text[: len(text) - len(rest)], body, rest[len(body) :])

    @property
    def mark(self) -> str:
        """The final mark in its plain form: " ！" -> "!" and "..." -> "…"."""
        return _DOTS.sub("…", self.closing.replace(" ", "").translate(PLAIN_MARKS))

    @property
    def key(self) -> str:
        """What all texts have that differ in case, final mark and apostrophes alone."""
        return self.body.translate(APOSTROPHES).lower()


class TranslationMemory:
    """The short texts of the training split with their translations."""

    def __init__(
        self, pairs: Iterable[_Pair], marks: Mapping[str, tuple[str, str]], names: Iterable[str]
    ) -> None:
        """Take pairs, the marks of the target side, and its first words that keep their capital.

        Marks are what stands before and after a text, by the source's mark: "!" -> ("", " !").
        """
        self._pairs = _by_key(pairs)
        self._marks, self._names = dict(marks), dict.fromkeys(names)

    @classmethod
    def learn(cls, sources: Sequence[str], targets: Sequence[str]) -> Self:
        """Return the memory of cleaned, masked `sources`; each has its translation in `targets`.

        A pair with a placeholder, or with other digits in its translation, is left out: the model
        copies these. Of translations that are as frequent, the one comes first whose rarest word is
        the more frequent one: "Au revoir." before "À la revoyure."
        """
        pairs = [*zip(sources, targets, strict=True)]
        counts = Counter(pair for pair in pairs if is_short(pair[0]) and _is_kept(*pair))
        texts = Counter(source for source, _ in counts.elements()).most_common(MOST_TEXTS)
        kept = {source for source, _ in texts}
        frequency = Counter(word for target in targets for word in WORD.findall(target.lower()))
        found = [_Pair(*pair, count) for pair, count in counts.items() if pair[0] in kept]
        rarest = {
            pair: min((frequency[word] for word in WORD.findall(pair.target.lower())), default=0)
            for pair in found
        }
        found.sort(key=lambda pair: -rarest[pair])
        best = [pair for group in _by_key(found).values() for pair in _most_frequent(group)]
        return cls(best, _learn_marks(pairs), _learn_names(best, targets))

    def extended(self, other: "TranslationMemory") -> "TranslationMemory":
        """Return this memory with the texts of another that it lacks, after its own."""
        new = {key: group for key, group in other._pairs.items() if key not in self._pairs}
        pairs = [*chain.from_iterable({**self._pairs, **new}.values())]
        kept = {*[*dict.fromkeys(pair.source for pair in pairs)][:MOST_TEXTS]}
        return TranslationMemory(
            [pair for pair in pairs if pair.source in kept],
            {**other._marks, **self._marks},
            [*self._names, *other._names],
        )

    def to_bytes(self) -> bytes:
        """Return plain text in three parts, with an empty line after each of the first two.

        They are a header with the marks, the names, and the pairs: source, target, and the count
        where it is not 1. A source that is that of the line before is left out.
        """
        lines = [_HEADER, *("\t".join([mark, *around]) for mark, around in self._marks.items())]
        lines += ["", *self._names, ""]
        before = ""
        for source, target, times in chain.from_iterable(self._pairs.values()):
            count = f"\t{times}" * (times != 1)
            lines.append(f"{'' if source == before else source}\t{target}{count}")
            before = source
        return "".join(f"{line}\n" for line in lines).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return what `to_bytes` wrote; raises ValueError that says what is wrong with it."""
        if data.count(b"\n") > MOST_TOKENS:
            raise ValueError(f"it has more than {MOST_TOKENS:,} lines")
        header, *lines = data.decode().split("\n")
        if header != _HEADER or not lines or lines.pop() != "":
            raise ValueError("it has no header, or its last line is truncated")
        if lines.count("") < 2:
            raise ValueError("it ends before its last part")
        first = lines.index("")
        second = lines.index("", first + 1)
        marks: dict[str, tuple[str, str]] = {}
        for number, line in enumerate(lines[:first], start=2):
            mark, *around = line.split("\t")
            if len(around) != 2 or len(line) > LONGEST_SHORT or CONTROL.search("".join(around)):
                raise ValueError(f"line {number} is no mark: {short_repr(line)}")
            marks[mark] = (around[0], around[1])
        names = lines[first + 1 : second]
        for number, line in enumerate(names, start=first + 3):
            if not WORD.fullmatch(line) or len(line) > LONGEST_SHORT:
                raise ValueError(f"line {number} is no word: {short_repr(line)}")
        return cls(_parsed(lines[second + 1 :], first_number=second + 3), marks, names)

    def find(self, text: str) -> list[str]:
        """Return the translations of a cleaned text, best first; none where it is not known.

        Those of exactly this text come first, as they stand in training. The others are of texts
        that differ in case, final mark or apostrophes, those with the same mark before the rest,
        and follow the text in both: "hello." -> "bonjour."
        """
        wanted = _Marked.of(text)
        group = self._pairs.get(wanted.key, []) if wanted.key else []
        found: dict[str, str] = {}
        for pair in _best_first([pair for pair in group if pair.source == text], wanted.mark):
            found.setdefault(_Marked.of(pair.target).key, pair.target)
        ranked = _best_first(group, wanted.mark)
        for pair in sorted(ranked, key=lambda pair: _Marked.of(pair.source).mark != wanted.mark):
            found.setdefault(_Marked.of(pair.target).key, self._following(wanted, pair))
        return [*found.values()][:MOST_TRANSLATIONS]

    def _following(self, wanted: _Marked, pair: _Pair) -> str:
        """Return a pair's target with the capitals and the final mark of what is wanted."""
        target = _Marked.of(pair.target)
        opening, body, closing = target
        if target.mark != wanted.mark:
            opening, closing = self._around(wanted.mark)
        return opening + self._cased(body, wanted.body, _Marked.of(pair.source).body) + closing

    def _cased(self, body: str, wanted: str, source: str) -> str:
        """Return the translation of `source` with the capitals of `wanted`, all without marks."""
        if wanted != source:
            if is_all_caps(wanted):
                return body.upper()
            if is_all_caps(source) and is_all_caps(body):
                body = body.lower()
        first, start = _FIRST_LETTER.match(wanted), _FIRST_LETTER.match(body)
        if not first or not start:
            return body
        letter = start[1]
        if first[1] != first[1].lower():
            letter = letter.upper()
        elif first[1] != first[1].upper() and _first_word(body) not in self._names:
            letter = letter.lower()
        return body[: start.start(1)] + letter + body[start.end(1) :]

    def _around(self, marks: str) -> tuple[str, str]:
        """Return what stands around a translation for marks: "!!" -> ("", " !!") in French."""
        opening, closing = self._marks.get(marks[:1], ("", marks[:1]))
        for mark in marks[1:]:
            written = self._marks.get(mark, ("", mark))[1].strip()
            closing += written * (_Marked("", "", written).mark == mark)
        return opening, closing


def _is_kept(source: str, target: str) -> bool:
    """Return whether a short source and its translation are remembered."""
    is_plain = len(target) <= LONGEST_SHORT and not PLACEHOLDER.search(source + target)
    has_same_digits = sorted(_DIGITS.findall(source)) == sorted(_DIGITS.findall(target))
    return is_plain and has_same_digits and all(_Marked.of(side).body for side in (source, target))


def _by_key(pairs: Iterable[_Pair]) -> dict[str, list[_Pair]]:
    """Return the pairs of each key."""
    by_key: dict[str, list[_Pair]] = {}
    for pair in pairs:
        by_key.setdefault(_Marked.of(pair.source).key, []).append(pair)
    return by_key


def _ranks(pairs: Iterable[_Pair]) -> dict[str, int]:
    """Return the ranks of translations by their keys: 0 for that of most training pairs."""
    counts: Counter[str] = Counter()
    for pair in pairs:
        counts[_Marked.of(pair.target).key] += pair.times
    return {key: rank for rank, (key, _) in enumerate(counts.most_common())}


def _best_first(pairs: Sequence[_Pair], mark: str) -> list[_Pair]:
    """Return pairs, those of the most frequent translations first, and then as they stand.

    Of pairs that differ in the mark of one translation, "Bonjour !" and "Bonjour.", that with
    `mark` comes first.
    """
    ranks = _ranks(pairs)
    targets = ((pair, _Marked.of(pair.target)) for pair in pairs)
    keys = {pair: (ranks[target.key], target.mark != mark) for pair, target in targets}
    return sorted(pairs, key=keys.__getitem__)


def _most_frequent(group: Sequence[_Pair]) -> Iterator[_Pair]:
    """Yield the pairs of the most frequent translations, and the first choice of each text."""
    ranks = _ranks(group)
    best: dict[str, _Pair] = {}
    for pair in sorted(group, key=lambda pair: -pair.times):
        best.setdefault(pair.source, pair)
    for pair in group:
        is_frequent = ranks[_Marked.of(pair.target).key] < MOST_TRANSLATIONS
        if is_frequent or pair is best[pair.source]:
            yield pair


def _learn_marks(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Return what mostly stands around translations, by the source's final mark."""
    counts = Counter(
        (source.mark, target.opening, target.closing)
        for source, target in (map(_Marked.of, pair) for pair in pairs)
        if len(source.mark) == 1
    )
    marks: dict[str, tuple[str, str]] = {}
    for (mark, opening, closing), _ in counts.most_common():
        marks.setdefault(mark, (opening, closing))
    return marks


def _learn_names(pairs: Iterable[_Pair], targets: Iterable[str]) -> list[str]:
    """Return the first words of translations that have a capital inside sentences too."""
    inside = Counter(word for target in targets for word in _INSIDE.findall(target))
    firsts = dict.fromkeys(_first_word(_Marked.of(pair.target).body) for pair in pairs)
    return [
        word
        for word in firsts
        if word and word[0] != word[0].lower()
        if inside[word] >= max(LEAST_INSIDE, inside[word.lower()])
    ]


def _first_word(body: str) -> str | None:
    """Return the word that a text begins with: "Tom's here" -> "Tom"."""
    start = _FIRST_LETTER.match(body)
    word = start and WORD.match(body, start.start(1))
    return word[0] if word else None


def _parsed(lines: Iterable[str], first_number: int) -> Iterator[_Pair]:
    """Yield the pairs of the file's last part."""
    source = ""
    for number, line in enumerate(lines, start=first_number):
        own, *fields = line.split("\t")
        source = own or source
        target, count = (*fields, "1")[:2] if fields else ("", "")
        is_pair = len(fields) in (1, 2) and _is_text(source) and _is_text(target)
        if not is_pair or not count.isdecimal() or len(count) > 9:
            raise ValueError(f"line {number} is no pair of texts: {short_repr(line)}")
        yield _Pair(source, target, int(count))


def _is_text(text: str) -> bool:
    """Return whether a text may be one of a pair."""
    is_line = len(text) <= LONGEST_SHORT and text == clean(text) and not CONTROL.search(text)
    return is_line and bool(_Marked.of(text).body)
