"""Which columns hold the two languages: by what a user says, by a header, or by the values."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gru_mt.data.corpus.languages import CODE_BY_NAME, language_code
from gru_mt.errors import UserError, short_repr

_CODE = 3  # letters of a code, at most: a line may have "is" and "it" for words
# Of the first side, and of the second.
_ROLES = {"source", "src", "original"}, {"target", "tgt", "trg", "translation"}
_USUAL = {  # other words that stand in the names of columns
    "caption", "captions", "clean", "col", "column", "content", "data", "id", "index", "input",
    "lang", "language", "line", "number", "original", "output", "phrase", "phrases", "raw", "score",
    "seg", "segment", "sent", "sentence", "sentences", "side", "string", "text", "texts", "title",
    "translated", "translation", "translations", "unnamed", "utterance", "word", "words",
    *_ROLES[0], *_ROLES[1],
}  # fmt: skip
_BETWEEN_WORDS = re.compile(r"[\s\d_.,:;/|()\[\]-]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")  # textEn
NEARLY_ALL, _LABELS = 0.95, 0.05  # shares of lines; of distinct labels among them
_LEAST = 100  # lines to detect labels
NUMBER = re.compile(r"\s*[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?\s*+(?:%\s*+)?")
NAME = re.compile(r"\w+://\S*|(?=[\x21-\x7e]*\d)[\x21-\x7e]*+")  # an address, or such as en-fr_0012


class ReadOptions(NamedTuple):
    """What a user says of the files of a corpus."""

    languages: Sequence[str]  # that are read: two, or one of a monolingual corpus
    columns: Sequence[int] | None = None  # counted from 1
    delimiter: str | None = None
    side: int | None = None  # of a monolingual corpus: 0 if its text is the first side, 1 if second


def chosen_columns(names: Sequence[str], options: ReadOptions, file: object) -> tuple[int, ...]:
    """Return the columns, from 0, that a user or a header names; () where neither does.

    Raises UserError where they contradict each other, or the header has other languages.
    """
    named = named_columns(names, options.languages)
    if not options.columns:
        others = _other_languages(names, options.languages)
        if others and not named:
            raise UserError(
                f"{file}: its header names {' and '.join(map(short_repr, others))}, and "
                f"data.languages are {' and '.join(options.languages)}: set these, or columns"
            )
        return named
    chosen = tuple(column - 1 for column in options.columns)
    right = zip(chosen, named, strict=True) if named else ()
    if any(column in named and column != its for column, its in right):
        raise UserError(
            f"{file}: columns {[*options.columns]} are "
            f"{short_repr([names[column] for column in chosen if column < len(names)])} "
            f"by its header: set columns: {[column + 1 for column in named]}"
        )
    return chosen


def choose_names(
    names: Sequence[str], texts: Mapping[str, Sequence[str]], options: ReadOptions,
    file: object, notes: list[str],
) -> list[str]:  # fmt: skip
    """Return the names of the columns to read; `texts` has values of those that may hold text.

    Where only the values decide, `notes` get a line about it. Raises UserError, which names `file`,
    where neither a user nor the names nor the values decide.
    """
    columns = chosen_columns(names, options, file)
    if columns and max(columns) < len(names):
        return [names[column] for column in columns]
    found = [name for name, cells in texts.items() if is_text(cells)]
    if columns or len(found) != len(options.languages):
        raise UserError(
            f"{file}: {short_repr([*names])} do not tell which are "
            f"{' and '.join(options.languages)}: set columns to their numbers"
        )
    if len(found) < len(names):
        notes.append(f"{file}: {columns_note(found, options)}")
    return found


def columns_note(columns: Sequence[str], options: ReadOptions) -> str:
    """Return what to say where columns were chosen by their values; they are numbers or names."""
    languages = " and ".join(options.languages)
    return f"columns {' and '.join(columns)} are read as {languages}; set columns to read others"


def is_text(cells: Sequence[str]) -> bool:
    """Return whether the cells of a column are text, and no numbers, addresses or labels."""
    are_labels = len(cells) >= _LEAST and len({*cells}) <= _LABELS * len(cells)
    return not (are_labels or is_mostly(NUMBER, cells) or is_mostly(NAME, cells))


def is_mostly(pattern: re.Pattern[str], cells: Sequence[str]) -> bool:
    """Return whether nearly all cells, and at least one, fit a pattern."""
    found = sum(pattern.fullmatch(cell) is not None for cell in cells)
    return bool(cells) and found >= NEARLY_ALL * len(cells)


def named_columns(names: Sequence[str], languages: Sequence[str]) -> tuple[int, ...]:
    """Return the columns, from 0, that a header names for `languages`; () where it does not.

    They may be named by language ("fr", "french_sentence"), or, where there are two, by their role:
    "source" is the first, "target" the second. Of two columns one name is enough.
    """
    found = [_only_column(names, language_code(language)) for language in languages]
    for side, role in enumerate(_ROLES if len(languages) > 1 else ()):
        has_role = [bool(role & _words(name)) and _is_usual(name) for name in names]
        if found[side] is None and any(has_role):
            found[side] = has_role.index(True)
    columns = [column for column in found if column is not None]
    if len(columns) == 1 < len(languages) == len(names) and _is_usual(names[1 - columns[0]]):
        columns.insert(found.index(None), 1 - columns[0])
    return tuple(columns) if len({*columns}) == len(languages) else ()


def header_languages(names: Sequence[str]) -> list[str]:
    """Return the codes of the two languages that columns are named by, in their order; else []."""
    named = [_languages_in(name) for name in names if not _is_usual(name)]  # "id" is no language
    codes = [*dict.fromkeys(code for found in named for code in found)]
    return codes if len(codes) == 2 and is_header(names, codes) else []


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


def _other_languages(names: Sequence[str], languages: Sequence[str]) -> list[str]:
    """Return the names that are those of other languages; none if a code is not known."""
    wanted = {language_code(language) for language in languages}
    if not wanted <= {*CODE_BY_NAME.values()}:
        return []
    long = [name for name in names if len(name.strip()) > _CODE]
    return [name for name in long if (found := _languages_in(name)) and not found & wanted]


def _only_column(names: Sequence[str], code: str) -> int | None:
    """Return the only column that has a language's name alone, else the only one that has it."""
    columns = [column for column, name in enumerate(names) if _languages_in(name) == {code}]
    exact = [column for column in columns if language_code(names[column]) == code]
    return next((found[0] for found in (exact, columns) if len(found) == 1), None)


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
