"""A glossary: terms, and what a translation has for them."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from gru_mt.data.text.normalize import (
    APOSTROPHES,
    MARKS,
    SPACELESS,
    clean,
    in_word,
    is_mark,
    normal,
)
from gru_mt.data.text.placeholders import Span, disjoint
from gru_mt.errors import UserError, as_path, short_repr, short_text
from gru_mt.storage import read_bytes

MAX_BYTES = 30_000_000  # of a file; half a million terms take half of it
# What ends a line or changes the order of what comes after it. The marks U+061C, U+200E and U+200F
# do not, and texts in Arabic and Hebrew have them.
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_CLUSTER = re.compile(rf"\s+|.[{MARKS}]*")  # a character with its accents, or spaces


@dataclass(frozen=True, slots=True)
class Glossary:
    """Terms, and the translations that they must have.

    Example:
        >>> from gru_mt import Glossary, Translator
        >>> translator, glossary = Translator.load("runs/small"), Glossary.of({"cat": "matou"})
        >>> "matou" in translator.translate("I see a Cat.", glossary=glossary).text
        True
    """

    translations: Mapping[str, str]  # by the term, folded; in capitals if it has only these
    lengths: Mapping[str, tuple[int, ...]]  # of the terms that begin with a character

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Return the glossary of a UTF-8 file with lines of "term<TAB>translation".

        Blank lines and those that begin with # are left out. Raises UserError, one line that names
        the file and the line, for one that is malformed, and for a file without terms or with more
        than MAX_BYTES.
        """
        return cls._of_rows(read_columns(as_path(path, "the glossary"), "term"))

    @classmethod
    def of(cls, translations: "Mapping[str, str] | Glossary") -> "Glossary":
        """Return the glossary of terms and their translations: Glossary.of({"cat": "matou"}).

        A glossary is returned as it is. Raises UserError for what else is no mapping of texts, and
        for a text that is empty or has more than one line.
        """
        if isinstance(translations, Glossary):
            return translations
        if not isinstance(translations, Mapping):
            got = short_repr(translations)
            raise UserError(
                f"a glossary must be a dict of terms and translations, got {got}; "
                "Glossary.read reads a file"
            )
        items = translations.items()
        return cls._of_rows((f"glossary[{short_repr(term)}]", term, text) for term, text in items)

    @classmethod
    def _of_rows(cls, rows: Iterable[tuple[str, str, str]]) -> Self:
        """Return the glossary of terms and translations, each with where it stands."""
        first_of: dict[str, tuple[str, str]] = {}  # the translation and where it stands
        lengths: dict[str, set[int]] = {}
        for where, term, translation in rows:
            for name, text in (("term", term), ("translation", translation)):
                if not isinstance(text, str):
                    raise UserError(f"{where}: the {name} must be text, got {short_repr(text)}")
                if not clean(text):
                    raise UserError(f"{where}: the {name} is empty; write one, or remove the line")
                if CONTROL.search(text.strip()):
                    shown = short_repr(text)
                    raise UserError(f"{where}: a control character in {shown}; remove it")
            small = _fold(clean(term))
            letters = [*filter(str.isalpha, term)]
            has_only_capitals = len(letters) > 1 and all(map(str.isupper, letters))  # IT or R&D
            translation = normal(translation).strip()
            known, first = first_of.setdefault(
                small.upper() if has_only_capitals else small, (translation, where)
            )
            if known != translation:
                raise UserError(
                    f"{where}: {short_repr(term)} is {short_repr(translation)} here and "
                    f"{short_repr(known)} in {first}; remove one of the two"
                )
            lengths.setdefault(small[0], set()).add(len(small))
        return cls(
            {term: translation for term, (translation, _) in first_of.items()},
            {first: tuple(sizes) for first, sizes in lengths.items()},
        )

    def find(self, text: str) -> list[Span]:
        """Return the terms in `text`, ascending and disjoint, the longest first where two overlap.

        Case, the width of spaces, the kind of an apostrophe and the way to write accents make no
        difference. But a term that has two or more letters, all of them capitals, is found only in
        capitals, as "it" is no IT. In a line in capitals nothing tells these two apart: it is found
        there. A term is no part of a longer word, except in scripts without spaces.
        """
        folded, offsets = "", {0: 0}  # where the clusters of `folded` begin in `text`
        for match in _CLUSTER.finditer(text):
            folded += " " if match[0].isspace() else _fold(match[0])
            offsets[len(folded)] = match.end()
        spans = []
        for start in offsets:
            for length in self.lengths.get(folded[start : start + 1], ()):
                if (end := start + length) not in offsets:
                    continue
                term, first, last = folded[start:end], offsets[start], offsets[end]
                translation = self.translations.get(term)
                if text[first:last].isupper():
                    translation = self.translations.get(term.upper(), translation)
                if translation and _is_bound(folded, start) and _is_bound(folded, end):
                    spans.append(Span(first, last, translation))
        return disjoint(spans)

    def needs_capitals(self, term: str) -> bool:
        """Return whether a term that was found is one that is found only in capitals."""
        return term.isupper() and _fold(clean(term)).upper() in self.translations


def read_columns(path: Path, name: str) -> list[tuple[str, str, str]]:
    """Return where each line stands, and its two columns; blank lines and those with # are none.

    The first column holds a `name`, the second its translation. Raises UserError as
    `Glossary.read` does.
    """
    data = read_bytes(path, most_bytes=MAX_BYTES).removeprefix(b"\xef\xbb\xbf")
    rows = []
    for number, raw in enumerate(data.split(b"\n"), start=1):
        where = f"{short_text(path)}:{number}"
        try:
            line = raw.decode().rstrip("\r")
        except UnicodeDecodeError:
            raise UserError(f"{where}: not UTF-8; save the file as UTF-8") from None
        if not line.strip() or line.startswith("#"):
            continue
        first, _, translation = line.partition("\t")
        if line.count("\t") != 1:
            wanted = f"expected '{name}<TAB>translation', with one tab"
            raise UserError(f"{where}: {wanted}, got {short_repr(line)}")
        rows.append((where, first, translation))
    if not rows:
        wanted = f"write lines of '{name}<TAB>translation'"
        raise UserError(f"{short_text(path)}: no {name}s; {wanted}")
    return rows


def _fold(text: str) -> str:
    """Return `text` in small letters, accents as marks of their own, apostrophes as plain ones."""
    letters = unicodedata.normalize("NFD", text.translate(APOSTROPHES)).casefold()
    return unicodedata.normalize("NFD", letters).replace("i\u0307", "i")  # of İ


def _is_bound(text: str, index: int) -> bool:
    """Return whether no word goes on from the character before `index` to the one there."""
    sides = text[index - 1 : index], text[index : index + 1]
    is_word = all((in_word(side) or side == "_") and not SPACELESS.match(side) for side in sides)
    return not is_word and not (sides[0] and is_mark(sides[1]))
