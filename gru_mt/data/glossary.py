"""A glossary: terms, and what a translation has for them."""

import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from gru_mt.arguments import as_path
from gru_mt.data.masking import Span, disjoint
from gru_mt.data.text import clean, in_word, is_mark, is_spaceless, normal
from gru_mt.errors import UserError, quoted, shown
from gru_mt.storage import read_bytes

MAX_BYTES = 30_000_000  # of a file; half a million terms take half of it
# What ends a line or changes the order of what comes after it. The marks U+061C, U+200E and U+200F
# do not, and texts in Arabic and Hebrew have them.
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Glossary:
    """Terms, and the translations that they must have.

    >>> from gru_mt import Glossary, Translator
    >>> translator, glossary = Translator.load("runs/small"), Glossary.of({"cat": "matou"})
    >>> "matou" in translator.translate("I see a Cat.", glossary=glossary).text
    True
    """

    translations: Mapping[str, str]  # by the term as `_fold` writes it
    lengths: Mapping[str, tuple[int, ...]]  # of the terms that begin with a character

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Return the glossary of a UTF-8 file with lines of "term<TAB>translation".

        Blank lines and those that begin with # are left out. Raises UserError, one line that names
        the file and the line, for one that is malformed, and for a file without terms or with more
        than MAX_BYTES.
        """
        path = as_path(path, "the glossary")
        data = read_bytes(path, most_bytes=MAX_BYTES).removeprefix(b"\xef\xbb\xbf")
        rows = []
        for number, raw in enumerate(io.BytesIO(data), start=1):
            where = f"{shown(path)}:{number}"
            try:
                line = raw.decode().rstrip("\r\n")
            except UnicodeDecodeError:
                raise UserError(f"{where}: not UTF-8; save the file as UTF-8") from None
            if line.strip() and not line.startswith("#"):
                rows.append((where, *_parse(line, where)))
        if not rows:
            raise UserError(f"{shown(path)}: no terms; write lines of 'term<TAB>translation'")
        return cls._of_rows(rows)

    @classmethod
    def of(cls, translations: Mapping[str, str]) -> Self:
        """Return the glossary of terms and their translations: Glossary.of({"cat": "matou"}).

        Raises UserError for what is no mapping of texts, and for a text that is empty or has more
        than one line.
        """
        if not isinstance(translations, Mapping):
            raise UserError(
                f"a glossary must be a dict of terms and translations, got {quoted(translations)}; "
                "Glossary.read reads a file"
            )
        rows = ((f"glossary[{quoted(term)}]", term, each) for term, each in translations.items())
        return cls._of_rows(rows)

    @classmethod
    def _of_rows(cls, rows: Iterable[tuple[str, str, str]]) -> Self:
        """Return the glossary of terms and translations, each with where it stands."""
        folded: dict[str, tuple[str, str]] = {}
        lengths: dict[str, set[int]] = {}
        for where, term, translation in rows:
            _check(term, translation, where)
            key = _fold(clean(term))
            translation = normal(translation).strip()
            known, first = folded.setdefault(key, (translation, where))
            if known != translation:
                raise UserError(
                    f"{where}: {quoted(term)} is {quoted(translation)} here and {quoted(known)} in "
                    f"{first}; remove one of the two"
                )
            lengths.setdefault(key[0], set()).add(len(key))
        return cls(
            {term: translation for term, (translation, _) in folded.items()},
            {first: tuple(sizes) for first, sizes in lengths.items()},
        )

    def find(self, text: str) -> list[Span]:
        """Return the terms in `text`, ascending and disjoint, the longest first where two overlap.

        Case makes no difference, nor how wide a space is. A term is no part of a longer word,
        except in scripts without spaces.
        """
        # A space for each run of whitespace, and where each character stood.
        places = [
            i for i in range(len(text)) if not (text[i].isspace() and text[i - 1 : i].isspace())
        ]
        folded = _fold("".join(text[i] for i in places))
        spans = []
        for start, first in enumerate(folded):
            for length in self.lengths.get(first, ()):
                end = start + length
                known = end <= len(folded) and folded[start:end] in self.translations
                if known and _ends(folded, start) and _ends(folded, end):
                    translation = self.translations[folded[start:end]]
                    spans.append(Span(places[start], places[end - 1] + 1, translation))
        return disjoint(spans)


def _parse(line: str, where: str) -> tuple[str, str]:
    """Return the two columns of a line; raises UserError if there are not two."""
    columns = line.split("\t")
    if len(columns) != 2:
        raise UserError(
            f"{where}: expected 'term<TAB>translation', with one tab, got {quoted(line)}"
        )
    return columns[0], columns[1]


def _check(term: Any, translation: Any, where: str) -> None:
    """Raise UserError where one of the two is no text that can be in a line."""
    for name, text in (("term", term), ("translation", translation)):
        if not isinstance(text, str):
            raise UserError(f"{where}: the {name} must be text, got {quoted(text)}")
        if not clean(text):
            raise UserError(f"{where}: the {name} is empty; write one, or remove the line")
        if _CONTROL.search(text.strip()):
            raise UserError(f"{where}: a control character in {quoted(text)}; remove it")


def _fold(text: str) -> str:
    """Return `text` with each character in lower case, as one character, and plain spaces."""
    folds = (
        " " if character.isspace() else min(character.casefold(), character.lower()[0], key=len)
        for character in text
    )
    return "".join(folds)


def _ends(text: str, place: int) -> bool:
    """Return whether no word goes on from the character before `place` to the one there."""
    before, after = text[place - 1 : place], text[place : place + 1]
    return not ((before and is_mark(after)) or (_in_word(before) and _in_word(after)))


def _in_word(character: str) -> bool:
    """Return whether `character` (or "") is a part of a word that spaces end."""
    return (character == "_" or in_word(character)) and not is_spaceless(character)
