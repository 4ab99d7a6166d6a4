"""A translation memory: the short texts of the training split, and how people translated them.

It answers "Hello" from the pair "Hello!" and "Bonjour !", with the input's capitals and final mark.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Self

from gru_mt.data.text.normalize import APOSTROPHES, CONTROL, PLAIN_MARKS, SPACELESS, WORD, clean
from gru_mt.data.text.truecase import is_all_caps
from gru_mt.data.tokenizer.special import MOST_TOKENS, PLACEHOLDER_TOKENS
from gru_mt.errors import short_repr

MOST_TEXTS = 100_000  # sources that are kept, the most frequent ones
MOST_TRANSLATIONS = 4  # of a text
MOST_WORDS = 3  # of a text
LONGEST_TEXT = 100  # letters, on either side
# Of scripts without spaces; as many letters are taken for a word.
HAN_LETTERS, OTHER_LETTERS = 2, 4
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
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
        return _plain_mark(self.closing)

    @property
    def key(self) -> str:
        """What all texts have that differ in case, final mark and apostrophes alone."""
        return self.body.translate(APOSTROPHES).lower()


def _plain_mark(closing: str) -> str:
    return _DOTS.sub("…", closing.replace(" ", "").translate(PLAIN_MARKS))


def is_short(text: str) -> bool:
    """Return whether a cleaned text has one to MOST_WORDS words: "Come on in!" -> True.

    In scripts without spaces HAN_LETTERS letters of Han, or OTHER_LETTERS others, count as a word:
    "ありがとうございます" -> True.
    """
    if len(text) > LONGEST_TEXT or text.count(" ") > 2 * MOST_WORDS:
        return False
    rest, letters = SPACELESS.subn(" ", text)
    han = len(_HAN.findall(text))
    words = sum(any(map(str.isalnum, word)) for word in rest.split())
    size = words + han / HAN_LETTERS + (letters - han) / OTHER_LETTERS
    return 0 < size <= MOST_WORDS and any(map(str.isalpha, text))


class TranslationMemory:
    """The short texts of the training split with their translations."""

    def __init__(
        self,
        pairs: Iterable[_Pair],
        marks: Mapping[str, tuple[str, str]],
        names: Iterable[str],
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
        found.sort(key=lambda pair: -_rarest(pair.target, frequency))
        best = [pair for group in _by_key(found).values() for pair in _most_frequent(group)]
        return cls(best, _learn_marks(pairs), _learn_names(best, targets))

    def extended(self, other: "TranslationMemory") -> "TranslationMemory":
        """Return this memory with the texts of another that it lacks, after its own."""
        new = {key: group for key, group in other._pairs.items() if key not in self._pairs}
        pairs = [pair for group in ({**self._pairs, **new}).values() for pair in group]
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
        for group in self._pairs.values():
            for source, target, times in group:
                fields = ["" if source == before else source, target]
                lines.append("\t".join(fields if times == 1 else [*fields, str(times)]))
                before = source
        return "".join(f"{line}\n" for line in lines).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return what `to_bytes` wrote; raises ValueError that says what is wrong with it."""
        if data.count(b"\n") > MOST_TOKENS:
            raise ValueError(f"it has more than {MOST_TOKENS:,} lines")
        header, *rest = data.decode().split("\n")
        if header != _HEADER or not rest or rest.pop() != "":
            raise ValueError("it has no header, or its last line is cut off")
        lines = iter(enumerate(rest, start=2))
        marks: dict[str, tuple[str, str]] = {}
        for number, line in _until_empty(lines):
            mark, *around = line.split("\t")
            if len(around) != 2 or len(line) > LONGEST_TEXT or CONTROL.search("".join(around)):
                raise ValueError(f"line {number} is no mark: {short_repr(line)}")
            marks[mark] = (around[0], around[1])
        names = []
        for number, line in _until_empty(lines):
            if not WORD.fullmatch(line) or len(line) > LONGEST_TEXT:
                raise ValueError(f"line {number} is no word: {short_repr(line)}")
            names.append(line)
        return cls(_parsed(lines), marks, names)

    def find(self, text: str) -> list[str]:
        """Return the translations of a cleaned text, best first; none where it is not known.

        Those of exactly this text come first, as they stand in training. The others are of texts
        that differ in case, final mark or apostrophes, those with the same mark before the rest,
        and follow the text in both: "hello." -> "bonjour."
        """
        wanted = _Marked.of(text)
        group = self._pairs.get(wanted.key, []) if wanted.key else []
        exact = [pair for pair in group if pair.source == text]
        by_mark = sorted(
            _best_first(group, wanted.mark),
            key=lambda pair: _Marked.of(pair.source).mark != wanted.mark,
        )
        found: dict[str, str] = {}
        for pair in _best_first(exact, wanted.mark):
            found.setdefault(_Marked.of(pair.target).key, pair.target)
        for pair in by_mark:
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
        if first and start:
            place = start.start(1)
            if first[1] != first[1].lower():
                return body[:place] + start[1].upper() + body[place + 1 :]
            if first[1] != first[1].upper() and _first_word(body) not in self._names:
                return body[:place] + start[1].lower() + body[place + 1 :]
        return body

    def _around(self, mark: str) -> tuple[str, str]:
        """Return what stands around a translation for a mark: "!!" -> ("", " !!") in French."""
        opening, closing = self._marks.get(mark[:1], ("", mark[:1]))
        others = ((each, self._marks.get(each, ("", each))[1].strip()) for each in mark[1:])
        return opening, closing + "".join(
            written for each, written in others if _plain_mark(written) == each
        )


def _is_kept(source: str, target: str) -> bool:
    """Return whether a short source and its translation are remembered."""
    return (
        len(target) <= LONGEST_TEXT
        and not any(mark in source or mark in target for mark in PLACEHOLDER_TOKENS)
        and sorted(_DIGITS.findall(source)) == sorted(_DIGITS.findall(target))
        and bool(_Marked.of(source).body and _Marked.of(target).body)
    )


def _rarest(text: str, frequency: Mapping[str, int]) -> int:
    """Return the frequency of a text's rarest word; 0 for a text without words."""
    return min((frequency[word] for word in WORD.findall(text.lower())), default=0)


def _by_key(pairs: Iterable[_Pair]) -> dict[str, list[_Pair]]:
    """Return the pairs of each key."""
    by_key: dict[str, list[_Pair]] = {}
    for pair in pairs:
        by_key.setdefault(_Marked.of(pair.source).key, []).append(pair)
    return by_key


def _counts(group: Iterable[_Pair]) -> Counter[str]:
    """Return how many training pairs have each translation, by its key."""
    counts: Counter[str] = Counter()
    for pair in group:
        counts[_Marked.of(pair.target).key] += pair.times
    return counts


def _best_first(pairs: Sequence[_Pair], mark: str) -> list[_Pair]:
    """Return pairs, those of the most frequent translations first, and then as they stand.

    Of pairs that differ in the mark of one translation, "Bonjour !" and "Bonjour.", that with
    `mark` comes first.
    """
    counts = _counts(pairs)
    places = {key: place for place, (key, _) in enumerate(counts.most_common())}

    def rank(pair: _Pair) -> tuple[int, bool]:
        target = _Marked.of(pair.target)
        return places[target.key], target.mark != mark

    return sorted(pairs, key=rank)


def _most_frequent(group: Sequence[_Pair]) -> Iterator[_Pair]:
    """Yield the pairs of the most frequent translations, and the first choice of each text."""
    frequent = {key for key, _ in _counts(group).most_common(MOST_TRANSLATIONS)}
    best: dict[str, _Pair] = {}
    for pair in sorted(group, key=lambda pair: -pair.times):
        best.setdefault(pair.source, pair)
    for pair in group:
        if _Marked.of(pair.target).key in frequent or pair is best[pair.source]:
            yield pair


def _learn_marks(pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Return what mostly stands around translations, by the source's final mark."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for source, target in pairs:
        mark = _Marked.of(source).mark
        if len(mark) == 1:
            opening, _, closing = _Marked.of(target)
            counts[mark, opening, closing] += 1
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


def _until_empty(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield numbered lines up to an empty one, which is taken too."""
    for number, line in lines:
        if not line:
            return
        yield number, line
    raise ValueError("it ends before its last part")


def _parsed(lines: Iterable[tuple[int, str]]) -> Iterator[_Pair]:
    """Yield the pairs of the file's last part."""
    source = ""
    for number, line in lines:
        own, *fields = line.split("\t")
        source = own or source
        target, count = (*fields, "1")[:2] if fields else ("", "")
        is_pair = len(fields) in (1, 2) and _is_text(source) and _is_text(target)
        if not is_pair or not count.isdecimal() or len(count) > 9:
            raise ValueError(f"line {number} is no pair of texts: {short_repr(line)}")
        yield _Pair(source, target, int(count))


def _is_text(text: str) -> bool:
    """Return whether a text may be one of a pair."""
    is_line = len(text) <= LONGEST_TEXT and text == clean(text) and not CONTROL.search(text)
    return is_line and bool(_Marked.of(text).body)
