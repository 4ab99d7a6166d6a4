"""A glossary: terms, and what a translation has for them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from gru_mt.data.literals import Span, disjoint
from gru_mt.data.text import CONTROL, clean, in_word, is_mark, is_spaceless, normal
from gru_mt.errors import UserError, quoted, shown


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
    def read(cls, path: Path) -> Self:
        """Return the glossary of a UTF-8 file with lines of "term<TAB>translation".

        Blank lines and those that begin with # are left out. Raises UserError, one line that names
        the file and the line, for one that is malformed, and for a file without terms.
        """
        try:
            data = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
        except OSError as error:
            raise UserError(f"{shown(path)}: cannot be read: {error.strerror}") from None
        rows: dict[str, tuple[str, int]] = {}
        for number, raw in enumerate(data.split(b"\n"), start=1):
            where = f"{shown(path)}:{number}"
            try:
                line = raw.decode().rstrip("\r")
            except UnicodeDecodeError:
                raise UserError(f"{where}: not UTF-8; save the file as UTF-8") from None
            if not line.strip() or line.startswith("#"):
                continue
            term, translation = _parse(line, where)
            known, first = rows.setdefault(_fold(term), (translation, number))
            if known != translation:
                raise UserError(
                    f"{where}: {quoted(term)} is {quoted(translation)} here and {quoted(known)} in "
                    f"line {first}; remove one of the two"
                )
        if not rows:
            raise UserError(f"{shown(path)}: no terms; write lines of 'term<TAB>translation'")
        return cls.of({term: translation for term, (translation, _) in rows.items()})

    @classmethod
    def of(cls, translations: Mapping[str, str]) -> Self:
        """Return the glossary of terms and their translations."""
        folded = {_fold(normal(term)): normal(text) for term, text in translations.items()}
        lengths: dict[str, set[int]] = {}
        for term in folded:
            lengths.setdefault(term[0], set()).add(len(term))
        return cls(folded, {first: tuple(sizes) for first, sizes in lengths.items()})

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
    """Return the term and the translation of a line; raises UserError if it is malformed."""
    columns = line.split("\t")
    if len(columns) != 2:
        raise UserError(
            f"{where}: expected 'term<TAB>translation', with one tab, got {quoted(line)}"
        )
    for name, column in zip(("term", "translation"), columns, strict=True):
        if not clean(column):
            raise UserError(f"{where}: the {name} is empty; write one, or remove the line")
        if CONTROL.search(column):
            raise UserError(f"{where}: a control character in {quoted(column)}; remove it")
    return clean(columns[0]), columns[1].strip()


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
