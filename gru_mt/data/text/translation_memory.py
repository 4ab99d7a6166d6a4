"""A translation memory: the short texts of the training split, and how people translated them.

It answers "Hello" from the pair "Hello!" and "Bonjour !", with the input's capitals and final mark.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple, Self

from gru_mt.data.text.normalize import (
    APOSTROPHES,
    CONTROL,
    LONGEST_SHORT,
    PLAIN_MARKS,
    WORD,
    clean,
    is_all_caps,
    is_short,
)
from gru_mt.data.tokenizer.special import PLACEHOLDER, file_lines
from gru_mt.errors import short_repr

MOST_TEXTS = 100_000  # sources that are kept, the most frequent ones
MOST_TRANSLATIONS = 4  # of a text
LEAST_INSIDE = 3  # times that a word has its capital inside sentences, if it keeps it
_FINAL_MARKS = ".!?…,;: " + "".join(map(chr, PLAIN_MARKS))
_DOTS = re.compile(r"\.{2,}")
_FIRST_WORD = re.compile(
    rf"((?:(?!['’])[\W_])*)({WORD.pattern})"
)  # not of "'s morgens", "3 heures"
_INSIDE = re.compile(rf"(?<=[\w,;] |\w['’-]){WORD.pattern}")  # a word that begins no sentence
_DIGITS = re.compile(r"\d+")
_HEADER = "# gru-mt translation memory"


class _Pair(NamedTuple):
    source: str
    target: str
    times: int  # that it stands in the training split


def parts(text: str) -> tuple[str, str, str]:
    """Return what is before, in and after the final marks of a text: ("¿", "Qué", "?")."""
    rest = text.lstrip("¿¡ ")
    body = rest.rstrip(_FINAL_MARKS)
    return text[: len(text) - len(rest)], body, rest[len(body) :]


def final_mark(text: str) -> str:
    """Return the final mark of a text in its plain form: "Va ！" -> "!" and "Hm..." -> "…"."""
    return _DOTS.sub("…", parts(text)[2].replace(" ", "").translate(PLAIN_MARKS))


def text_key(text: str) -> str:
    """Return what all texts have that differ in case, final mark and apostrophes alone."""
    return parts(text)[1].translate(APOSTROPHES).lower()


class TranslationMemory:
    """The short texts of the training split with their translations."""

    def __init__(
        self, pairs: Iterable[_Pair], marks: Mapping[str, Sequence[str]], names: Iterable[str]
    ) -> None:
        """Take pairs, the marks of the target side, and its first words that keep their capital.

        Marks are what stands before and after a text, by the source's mark: "!" -> ("", " !").
        """
        self._pairs = _by_key(pairs)
        self._marks, self.names = marks, dict.fromkeys(names)

    @classmethod
    def learn(cls, sources: Sequence[str], targets: Sequence[str]) -> Self:
        """Return the memory of cleaned, masked `sources`; each has its translation in `targets`.

        What the model copies is left out. Of translations that are as frequent, the one comes first
        whose rarest word is the more frequent one: "Au revoir." before "À la revoyure."
        """
        pairs = [*zip(sources, targets, strict=True)]
        counts = Counter(pair for pair in pairs if _is_kept(*pair))
        texts = Counter(source for source, _ in counts.elements()).most_common(MOST_TEXTS)
        kept = {source for source, _ in texts}
        frequency = Counter(word for target in targets for word in WORD.findall(target.lower()))

        def rarest(pair: _Pair) -> int:
            found = WORD.findall(pair.target.lower())
            return min((frequency[word] for word in found), default=0)

        found = (_Pair(*pair, count) for pair, count in counts.items() if pair[0] in kept)
        groups = _by_key(sorted(found, key=rarest, reverse=True)).values()
        best = [*chain.from_iterable(map(_most_frequent, groups))]
        return cls(best, _learn_marks(pairs), _learn_names(best, targets))

    def extended(self, other: "TranslationMemory") -> "TranslationMemory":
        """Return this memory with the texts of another that it lacks, after its own."""
        new = {key: group for key, group in other._pairs.items() if key not in self._pairs}
        pairs = [*chain.from_iterable({**self._pairs, **new}.values())]
        kept = {*[*dict.fromkeys(pair.source for pair in pairs)][:MOST_TEXTS]}
        return TranslationMemory(
            [pair for pair in pairs if pair.source in kept],
            {**other._marks, **self._marks},
            [*self.names, *other.names],
        )

    def corrected(self, pairs: Iterable[tuple[str, str]]) -> "TranslationMemory":
        """Return this memory with the short ones of pairs in place of its own of their texts."""
        new = _by_key(_Pair(*pair, 1) for pair in pairs if _is_kept(*pair))
        old = (group for key, group in self._pairs.items() if key not in new)
        return TranslationMemory(chain(*new.values(), *old), self._marks, self.names)

    def to_bytes(self) -> bytes:
        """Return plain text in three parts, with an empty line after each of the first two.

        They are a header with the marks, the names, and the pairs: source, target, and the count
        where it is not 1. A source that is that of the line before is left out.
        """
        lines = [_HEADER, *("\t".join([mark, *around]) for mark, around in self._marks.items())]
        lines += ["", *self.names, ""]
        before = ""
        for source, target, times in chain.from_iterable(self._pairs.values()):
            count = f"\t{times}" * (times != 1)
            lines.append(f"{'' if source == before else source}\t{target}{count}")
            before = source
        return "".join(f"{line}\n" for line in lines).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return what `to_bytes` wrote; raises ValueError that says what is wrong with it."""
        header, *lines = file_lines(data)
        if header != _HEADER:
            raise ValueError("it has no header")
        marks: dict[str, Sequence[str]] = {}
        names: list[str] = []
        pairs: list[_Pair] = []
        part, source = 0, ""
        for number, line in enumerate(lines, start=2):
            columns = line.split("\t")
            if not line and part < 2:
                part += 1
                continue
            if part == 0:
                is_right = len(columns) == 3 and _is_line(line)
                marks[columns[0]] = columns[1:]
            elif part == 1:
                is_right = WORD.fullmatch(line) is not None and _is_line(line)
                names.append(line)
            else:
                source = columns[0] or source
                target, times = (*columns[1:], "1")[:2] if columns[1:] else ("", "")
                is_right = len(columns) < 4 and times.isdecimal() and len(times) < 10
                is_right = is_right and _is_text(source) and _is_text(target)
                pairs.append(_Pair(source, target, int(times) if is_right else 0))
            if not is_right:
                kind = ("mark", "word", "pair of texts")[part]
                raise ValueError(f"line {number} is no {kind}: {short_repr(line)}")
        if part < 2:
            raise ValueError("it ends before its last part")
        return cls(pairs, marks, names)

    def find(self, text: str) -> list[str]:
        """Return the translations of a cleaned text, best first; none where it is not known.

        Those of exactly this text come first, as they stand in training. Those of texts that differ
        in case, final mark or apostrophes follow the text in these: "hello." -> "bonjour."
        """
        mark, key = final_mark(text), text_key(text)
        group = self._pairs.get(key, []) if key else []
        found: dict[str, str] = {}
        for pair in _best_first([pair for pair in group if pair.source == text], mark):
            found.setdefault(text_key(pair.target), pair.target)
        for pair in sorted(
            _best_first(group, mark), key=lambda pair: final_mark(pair.source) != mark
        ):
            found.setdefault(text_key(pair.target), self._following(text, pair))
        return [*found.values()][:MOST_TRANSLATIONS]

    def _following(self, text: str, pair: _Pair) -> str:
        """Return a pair's target with the capitals and the final mark of a text of its key."""
        (_, wanted, marks), source = parts(text), parts(pair.source)[1]
        opening, body, closing = parts(pair.target)
        if final_mark(pair.target) != final_mark(text):
            opening, closing = self.around(final_mark(text))
        if "…" in marks:
            closing = closing.replace("...", "…")
        if wanted != source and is_all_caps(wanted):
            return opening + body.upper() + closing
        if wanted != source and is_all_caps(source) and is_all_caps(body):
            body = body.lower()
        first, start = _FIRST_WORD.match(wanted), _FIRST_WORD.match(body)
        if first and start:
            typed, letter = first[2][0], start[2][0]
            if typed != typed.lower():
                letter = letter.upper()
            elif typed != typed.upper() and start[2] not in self.names:
                letter = letter.lower()
            body = start[1] + letter + body[start.start(2) + 1 :]
        return opening + body + closing

    def around(self, marks: str) -> Sequence[str]:
        """Return what stands around a translation for marks: "!!" -> ("", " !!") in French."""
        opening, closing = self._marks.get(marks[:1], ("", marks[:1]))
        for mark in marks[1:]:
            written = self._marks.get(mark, ("", mark))[1].strip()
            closing += written * (final_mark(written) == mark)
        return opening, closing


def _is_kept(source: str, target: str) -> bool:
    """Return whether a pair is remembered: both are short, and the model copies nothing of them."""
    return (
        is_short(source)
        and len(target) <= LONGEST_SHORT
        and not PLACEHOLDER.search(source + target)
        and sorted(_DIGITS.findall(source)) == sorted(_DIGITS.findall(target))
        and all(parts(side)[1] for side in (source, target))
    )


def _by_key(pairs: Iterable[_Pair]) -> dict[str, list[_Pair]]:
    by_key: dict[str, list[_Pair]] = {}
    for pair in pairs:
        by_key.setdefault(text_key(pair.source), []).append(pair)
    return by_key


def _ranks(pairs: Iterable[_Pair]) -> dict[str, int]:
    """Return the ranks of translations by their keys: 0 for that of most training pairs."""
    counts: Counter[str] = Counter()
    for pair in pairs:
        counts[text_key(pair.target)] += pair.times
    return {key: rank for rank, (key, _) in enumerate(counts.most_common())}


def _best_first(pairs: Iterable[_Pair], mark: str) -> list[_Pair]:
    """Return pairs, those of the most frequent translations first, of each that with `mark`."""
    ranks = _ranks(pairs)
    return sorted(
        pairs, key=lambda pair: (ranks[text_key(pair.target)], final_mark(pair.target) != mark)
    )


def _most_frequent(group: Iterable[_Pair]) -> list[_Pair]:
    """Return the pairs of the most frequent translations, and the first choice of each text."""
    frequent = [*_ranks(group)][:MOST_TRANSLATIONS]
    rare_first = sorted(group, key=lambda pair: -pair.times)[::-1]
    best = {pair.source: pair for pair in rare_first}  # the most frequent one, the first of these
    return [
        each for each in group if text_key(each.target) in frequent or each is best[each.source]
    ]


def _learn_marks(pairs: Iterable[tuple[str, str]]) -> dict[str, Sequence[str]]:
    """Return what mostly stands around translations, by the source's final mark."""
    counts = Counter((final_mark(source), *parts(target)[::2]) for source, target in pairs)
    marks: dict[str, Sequence[str]] = {}
    for (mark, *around), _ in counts.most_common():
        if len(mark) == 1 and _is_line("\t".join([mark, *around])):
            marks.setdefault(mark, around)
    return marks


def _learn_names(pairs: Iterable[_Pair], targets: Iterable[str]) -> list[str]:
    """Return the first words of translations that have a capital inside sentences too."""
    inside = Counter(word for target in targets for word in _INSIDE.findall(target))
    firsts = (_FIRST_WORD.match(parts(pair.target)[1]) for pair in pairs)
    return [
        word
        for word in dict.fromkeys(first[2] for first in firsts if first)
        if word[0] != word[0].lower() and inside[word] >= max(LEAST_INSIDE, inside[word.lower()])
    ]


def _is_line(text: str) -> bool:
    return len(text) <= LONGEST_SHORT and not CONTROL.search(text)


def _is_text(text: str) -> bool:
    return _is_line(text) and text == clean(text) and parts(text)[1] != ""
