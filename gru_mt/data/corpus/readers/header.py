"""Which columns hold the two languages, by the names in a header."""

import re
from collections.abc import Sequence

from gru_mt.data.corpus.languages import CODE_BY_NAME, language_code

_CODE = 3  # letters of a code, at most: a line may have "is" and "it" for words
_ROLES = (
    {"source", "src", "original"},
    {"target", "tgt", "trg", "translation"},
)  # of the first side, and of the second
_USUAL = {  # other words that stand in the names of columns
    "caption", "captions", "clean", "col", "column", "content", "data", "id", "index", "input",
    "lang", "language", "line", "number", "original", "output", "phrase", "phrases", "raw", "score",
    "seg", "segment", "sent", "sentence", "sentences", "side", "string", "text", "texts", "title",
    "translated", "translation", "translations", "unnamed", "utterance", "word", "words",
    *_ROLES[0], *_ROLES[1],
}  # fmt: skip
_BETWEEN_WORDS = re.compile(r"[\s\d_.,:;/|()\[\]-]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")  # textEn


def named_columns(names: Sequence[str], languages: Sequence[str]) -> list[int] | None:
    """Return the columns, from 0, that a header names for `languages`; None where it does not.

    They may be named by language ("fr", "french_sentence"), or, where there are two, by their role:
    "source" is the first, "target" the second. Of two columns one name is enough.
    """
    found = [_only_column(names, language_code(language)) for language in languages]
    if None in found and len(languages) > 1:
        found = [_column_of(names, role) if column is None else column
                 for role, column in zip(_ROLES, found, strict=True)]  # fmt: skip
    columns = [column for column in found if column is not None]
    if len(columns) == 1 < len(languages) == len(names) and _is_usual(names[1 - columns[0]]):
        columns.insert(found.index(None), 1 - columns[0])
    return columns if len({*columns}) == len(languages) else None


def is_header(names: Sequence[str], languages: Sequence[str]) -> bool:
    """Return whether a line names its columns: "en" and "fr", "source" and "target", "id" ..."""
    cells = [name.strip().lower() for name in names if name.strip()]
    if len(cells) < 2 or len({*cells}) < len(cells):
        return False
    if named_columns(names, languages):
        return True
    named = [_languages_in(cell) for cell in cells if not _is_usual(cell)]
    are_names = all(len(cell) > _CODE or _is_usual(cell) for cell in cells)
    return are_names and all(named) and len(set().union(*named)) == len(named)


def other_languages(names: Sequence[str], languages: Sequence[str]) -> list[str]:
    """Return the names in a header that are those of languages, but of none of `languages`.

    Where a code of `languages` is not known, nothing can be said, and the list is empty.
    """
    wanted = {language_code(language) for language in languages}
    if not wanted <= {*CODE_BY_NAME.values()}:
        return []
    long = [name for name in names if len(name.strip()) > _CODE]
    return [name for name in long if (found := _languages_in(name)) and not found & wanted]


def _only_column(names: Sequence[str], code: str) -> int | None:
    """Return the column that a header names for a language: by its name alone, else with others.

    It is None where several are, as in "en_1" and "en_2".
    """
    columns = [column for column, name in enumerate(names) if _languages_in(name) == {code}]
    exact = [column for column in columns if language_code(names[column]) == code]
    for found in (exact, columns):
        if len(found) == 1:
            return found[0]
    return None


def _column_of(names: Sequence[str], role: set[str]) -> int | None:
    """Return the first column whose name has a word of `role`, and others of columns alone."""
    return next(
        (column for column, name in enumerate(names) if role & _words(name) and _is_usual(name)),
        None,
    )


def _languages_in(name: str) -> set[str]:
    """Return the codes of the languages that a column's name has: "sentence_en" -> {"en"}.

    A sentence that speaks of a language is no name.
    """
    code, words = language_code(name), _words(name)
    if code in CODE_BY_NAME.values():
        return {code}
    if words - CODE_BY_NAME.keys() - _USUAL or re.search(r"[.?!。？！]\s*$", name):
        return set()
    return {CODE_BY_NAME[word] for word in words & CODE_BY_NAME.keys()}


def _is_usual(cell: str) -> bool:
    """Return whether a cell has words of columns alone: "text_1", but not "sentence 1"."""
    words = _words(cell)
    return bool(words) and words <= _USUAL and not re.search(r"\w\s+\d", cell)


def _words(name: str) -> set[str]:
    return {*_BETWEEN_WORDS.split(_CAMEL.sub(" ", name).lower())} - {""}
