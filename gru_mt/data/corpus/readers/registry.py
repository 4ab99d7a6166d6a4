"""The rows of a file, or of two parallel files, by what they are: a new format is added here."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import zip_longest

from gru_mt.data.corpus.files import FileGroup
from gru_mt.data.corpus.readers.columns import ReadOptions, is_header
from gru_mt.data.corpus.readers.json_lines import are_named, is_json, json_records, named_records
from gru_mt.data.corpus.readers.parquet import ParquetTable, is_parquet, parquet_records
from gru_mt.data.corpus.readers.sgml import begins_markup, side_lines
from gru_mt.data.corpus.readers.table import table_records
from gru_mt.data.corpus.readers.tmx import tmx_records
from gru_mt.data.corpus.report import Dropped, DropReason, Record, Row
from gru_mt.data.corpus.text_stream import TextStream, open_text
from gru_mt.errors import UserError

Source = TextStream | ParquetTable


@contextmanager
def open_group(
    group: FileGroup, encoding: str | None = None, missing: str = ""
) -> Iterator[Sequence[Source]]:
    """Yield what is in a table, or in two parallel files; see `open_text`."""
    with ExitStack() as stack:
        if len(group) == 1 and is_parquet(group[0]):
            yield [stack.enter_context(ParquetTable(group[0]))]
        else:
            opened = (open_text(file, encoding=encoding, missing=missing) for file in group)
            yield [*map(stack.enter_context, opened)]


def read_rows(sources: Sequence[Source], options: ReadOptions) -> Iterator[Row]:
    """Yield the row of each line of a table, of two parallel files or of a translation memory.

    Of a monolingual corpus the other side is empty. Raises UserError, here or at reading, for a
    file of another kind.
    """
    for record in _records(sources, options):
        if isinstance(record, Dropped):
            yield record
        elif options.side is None:
            yield record[0], record[1], record[2] if len(record) > 2 else ""
        else:
            yield ("", record[0], "") if options.side else (record[0], "", "")


def _records(sources: Sequence[Source], options: ReadOptions) -> Iterator[Record]:
    source, texts = sources[0], [source for source in sources if isinstance(source, TextStream)]
    if isinstance(source, ParquetTable):
        return parquet_records(source, options)
    memory = next(filter(_is_tmx, texts), None)
    if memory and (len(sources) > 1 or options.side is not None):
        fix = "give it alone" if len(sources) > 1 else "leave out side: target"
        raise UserError(f"{memory.file}: a translation memory has both sides; {fix}")
    if len(sources) > 1:
        if are_named(tuple(text.file for text in texts)):
            return named_records(texts)
        return _parallel_records(texts, options.languages)
    if memory:
        return tmx_records(memory, options.languages)
    if begins_markup(source.start):
        if options.side is None:
            raise UserError(
                f"{source.file}: markup of one language; for two such files set path: [FILE, FILE]"
            )
        return (line if isinstance(line, Dropped) else [line] for line in side_lines(source))
    return json_records(source, options) if is_json(source) else table_records(source, options)


def _parallel_records(texts: Sequence[TextStream], languages: Sequence[str]) -> Iterator[Record]:
    """Yield the two texts of each line; UserError if one file has more lines than the other."""
    lines = [*map(side_lines, texts)]
    for number, sides in enumerate(zip_longest(*lines), start=1):
        if None in sides:
            is_second_longer = sides[0] is None
            counts = [number - 1, number + sum(1 for _ in lines[is_second_longer])]
            first, second = counts if is_second_longer else reversed(counts)
            raise UserError(
                f"{texts[0].file} and {texts[1].file}: {first:,} and {second:,} lines; parallel "
                "files need as many"
            )
        both = [side.text if isinstance(side, Dropped) else side for side in sides]
        dropped = [side.reason for side in sides if isinstance(side, Dropped)]
        if number == 1 and not dropped and is_header(both, languages):
            dropped = [DropReason.HEADER]
        yield Dropped(dropped[0], " | ".join(both)) if dropped else both


def _is_tmx(text: TextStream) -> bool:
    start = text.start.lstrip()
    return text.file.ending == ".tmx" or (start.startswith("<") and "<tmx" in start)
