"""Detect how a table is laid out by its first lines: delimiter, quotes, header, columns."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from gru_mt.data.corpus.files import CorpusFile
from gru_mt.data.corpus.readers.header import is_header, named_columns, other_languages
from gru_mt.data.corpus.readers.records import Form, has_doubled, is_closed, quoted_cells, records
from gru_mt.data.corpus.report import SAMPLE, Dropped
from gru_mt.errors import UserError, short_repr

_DELIMITERS = ",;\t|"
_NEARLY_ALL, _LABELS = 0.95, 0.05  # shares of lines; of distinct labels among them
_FEW, _LEAST, _MOST = 5, 100, 2_000  # lines to detect numbers, and labels; lines that are looked at
_NUMBER = re.compile(r"\s*[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?\s*%?\s*")
_NAME = re.compile(r"\w+://\S*|[\x21-\x7e]*\d[\x21-\x7e]*")  # an address, or such as en-fr_0012
_IN_PROSE = re.compile(r" .*[^\W\d].*", re.DOTALL)  # what follows a comma in a sentence
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?', re.IGNORECASE)  # Excel's first line


class Layout(NamedTuple):
    """How to read a table's records."""

    form: Form
    skipped: int = 0  # records at its beginning that are no data
    columns: tuple[int, ...] | None = None  # of the languages, from 0; None if unknown
    attribution: int | None = None  # a column with the source of each pair
    usual: int | None = None  # cells of most records
    width: int | None = None  # cells of a record, at most; records with more are dropped
    note: str = ""  # which columns were chosen by their values


class ReadOptions(NamedTuple):
    """What a user says of the files of a corpus."""

    languages: Sequence[str]  # that are read: two, or one of a monolingual corpus
    columns: Sequence[int] | None = None  # counted from 1
    delimiter: str | None = None
    side: int | None = None  # of a monolingual corpus: 0 if its text is the first side, 1 if second


def find_layout(sample: bytes, options: ReadOptions, file: CorpusFile) -> Layout:
    """Return the layout of a table by its beginning, of SAMPLE bytes.

    Raises UserError where the header contradicts the options.
    """
    lines, is_csv = _lines(sample), file.ending == ".csv"
    form = _form(lines, options, is_csv=is_csv)
    skipped = int(bool(is_csv and lines and _SEPARATOR_LINE.fullmatch(lines[0])))
    table = [cells for cells in records(lines[skipped:], form) if not isinstance(cells, Dropped)]
    width = _usual_width(table)
    names = table[0] if table and _has_header(table, width, options.languages) else None
    most = width if is_csv else None
    found = Layout(form, skipped + (names is not None), usual=width or None, width=most)
    if chosen := chosen_columns(names, options, file):
        return found._replace(columns=chosen)
    if len(options.languages) == 1:
        return found._replace(columns=(0,) if width < 2 else None, width=1)
    return _by_values(found, table[names is not None :], width, options)


def chosen_columns(
    names: Sequence[str] | None, options: ReadOptions, file: object
) -> tuple[int, ...] | None:
    """Return the columns, from 0, that a user or a header names; None where neither does.

    Raises UserError where they contradict each other, or the header has other languages.
    """
    named = named_columns(names, options.languages) if names else None
    if not options.columns:
        if names and not named and (others := other_languages(names, options.languages)):
            raise UserError(
                f"{file}: its header names {' and '.join(map(short_repr, others))}, and "
                f"data.languages are {' and '.join(options.languages)}: set these, or columns"
            )
        return tuple(named) if named else None
    chosen = tuple(column - 1 for column in options.columns)
    if names and named and any(
        column in named and column != right for column, right in zip(chosen, named, strict=True)
    ):  # fmt: skip
        raise UserError(
            f"{file}: columns {[*options.columns]} are "
            f"{short_repr([names[column] for column in chosen if column < len(names)])} "
            f"by its header: set columns: {[column + 1 for column in named]}"
        )
    return chosen


def choose_names(
    names: Sequence[str],
    texts: Mapping[str, Sequence[str]],
    options: ReadOptions,
    file: object,
    notes: list[str],
) -> list[str]:
    """Return the names of the columns to read; `texts` has values of those that may hold text.

    Where only the values decide, `notes` get a line about it. Raises UserError, which names `file`,
    where neither a user nor the names nor the values decide.
    """
    columns = chosen_columns(names, options, file)
    if columns is None:
        found = [name for name, cells in texts.items() if _is_text(cells)]
        if len(found) == len(options.languages):
            if len(found) < len(names):
                notes.append(f"{file}: {_note(found, options)}")
            return found
    elif max(columns) < len(names):
        return [names[column] for column in columns]
    raise UserError(
        f"{file}: {short_repr([*names])} do not tell which are "
        f"{' and '.join(options.languages)}: set columns to their numbers"
    )


def _note(columns: Sequence[str], options: ReadOptions) -> str:
    """Return what to say where columns were chosen by their values; they are numbers or names."""
    languages = " and ".join(options.languages)
    return f"columns {' and '.join(columns)} are read as {languages}; set columns to read others"


def _by_values(
    found: Layout, table: Sequence[Sequence[str]], width: int, options: ReadOptions
) -> Layout:
    """Return a layout with the columns that hold text: the first two, where up to three may."""
    texts = tuple(column for column in range(width) if _is_text(_cells(table, column)))
    in_prose = any(_is_mostly(_IN_PROSE, _cells(table, column)) for column in range(1, width))
    if in_prose and width > 2 and found.form.delimiter != "\t":
        return found._replace(width=1)  # a delimiter that stands in sentences divides nothing
    if width < 4 and (len(texts) != 2 or texts == (0, 1)):
        is_credit = not any(_is_mostly(pattern, _cells(table, 2)) for pattern in (_NUMBER, _NAME))
        most = 3 if found.width is None else max(2, width)
        return found._replace(columns=(0, 1), attribution=2 if is_credit else None, width=most)
    if len(texts) != 2:
        return found._replace(width=3)
    numbers = [str(column + 1) for column in texts]
    return found._replace(columns=texts, note="" if texts == (0, 1) else _note(numbers, options))


def _lines(sample: bytes) -> list[str]:
    """Return the whole lines of a beginning."""
    whole = sample.rpartition(b"\n")[0] if len(sample) >= SAMPLE else sample
    text = (whole or sample).decode(errors="replace").removeprefix("\ufeff")
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")[:_MOST]]


def _form(lines: Sequence[str], options: ReadOptions, *, is_csv: bool) -> Form:
    marks = options.delimiter or (_DELIMITERS if is_csv else "\t")
    if not is_csv or len(options.delimiter or "") > 1:
        is_quoted = len(marks) == 1 < len(options.languages) and _is_quoted(lines, marks)
        return Form(marks, quoted=is_quoted)
    if not options.delimiter and lines and (match := _SEPARATOR_LINE.fullmatch(lines[0])):
        marks = match[1]
    lines = [line for line in lines if line.strip()]
    escapes = [None, "\\"] if any('\\"' in line for line in lines) else [None]
    single = sum(line[0] == line[-1] == "'" for line in lines) >= _NEARLY_ALL * len(lines)
    quote = "'" if single else '"'
    forms = [Form(mark, True, quote, escape) for mark in marks for escape in escapes]
    return max(forms, key=lambda form: _fitness(lines, form, options))


def _fitness(
    lines: Sequence[str], form: Form, options: ReadOptions
) -> tuple[bool, bool, bool, bool, int, float]:
    """Return how well a form of CSV fits: its delimiter gives nearly all lines as many columns.

    Of those that do, one is better that has a header, one that no space follows, as in prose, one
    that gives no more columns than are read, and one whose quotation marks fit more lines.
    """
    read = [*records(lines, form)]
    table = [cells for cells in read if not isinstance(cells, Dropped)]
    width = _usual_width(table)
    least = max([len(options.languages), *(options.columns or ())])
    if width < least:
        return False, False, False, False, 0, 0.0
    share = sum(len(cells) == width for cells in table) / len(read)
    after = [cell for cells in table for cell in cells[1:]]
    in_prose = 2 * sum(cell[:1] == " " for cell in after) > len(after)
    named = named_columns(table[0], options.languages) is not None
    sound = sum(quoted_cells(line, form) != (None, False) for line in lines)
    return share >= _NEARLY_ALL, named, not in_prose, width == least, sound, share


def _is_quoted(lines: Sequence[str], delimiter: str) -> bool:
    """Return whether cells of a table without CSV's name stand in quotation marks as there.

    Either all do that are no numbers, or just those that need it because they hold marks.
    """
    cells = [cell for line in lines for cell in line.split(delimiter) if cell.strip()]
    marked = [cell for cell in cells if '"' in cell]
    closed = sum(is_closed(cell) for cell in marked)
    numbers = sum(_NUMBER.fullmatch(cell) is not None for cell in cells)
    if closed and closed + numbers >= _NEARLY_ALL * len(cells):
        return True
    open_end = [cell for cell in marked if cell.count('"') % 2]  # of a cell of several lines
    needed = sum(map(has_doubled, marked))
    return needed > 0 and needed + len(open_end) == len(marked)


def _usual_width(table: Sequence[Sequence[str]]) -> int:
    widths = Counter(map(len, table))
    return max(widths, key=lambda width: (widths[width], width), default=0)


def _has_header(table: Sequence[Sequence[str]], width: int, languages: Sequence[str]) -> bool:
    """Return whether the first record names the columns; one of numbers may begin with a word."""
    first, rest = table[0], table[1:]
    if is_header(first, languages):
        below = Counter(cell for cells in rest for cell in enumerate(cells))
        return not any(2 * below[cell] > len(rest) for cell in enumerate(first))
    return width > 2 and len(first) == width and len(rest) >= _FEW and any(
        not _NUMBER.fullmatch(first[column]) and _is_mostly(_NUMBER, _cells(rest, column))
        for column in range(width)
    )  # fmt: skip


def _cells(table: Sequence[Sequence[str]], column: int) -> list[str]:
    return [cells[column] for cells in table if column < len(cells)]


def _is_mostly(pattern: re.Pattern[str], cells: Sequence[str]) -> bool:
    found = sum(pattern.fullmatch(cell) is not None for cell in cells)
    return bool(cells) and found >= _NEARLY_ALL * len(cells)


def _is_text(cells: Sequence[str]) -> bool:
    """Return whether the cells of a column are text, and no numbers, addresses or labels."""
    if _is_mostly(_NUMBER, cells) or _is_mostly(_NAME, cells):
        return False
    return len(cells) < _LEAST or len({*cells}) > _LABELS * len(cells)
