"""Load the corpora that a configuration names, whatever files they are in."""

import difflib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from gru_mt.config.data import CorpusConfig, DataConfig
from gru_mt.data.corpus import fra_eng
from gru_mt.data.corpus.builder import Corpus, CorpusBuilder, FileEnd, PairStore
from gru_mt.data.corpus.files import CorpusFile, FileGroup, find_files, notes_on_unread, user_path
from gru_mt.data.corpus.filters import FilteredChunk, filter_chunk
from gru_mt.data.corpus.fra_eng import FRA_ENG_SHA256, TATOEBA_ATTRIBUTION
from gru_mt.data.corpus.readers.layout import TableOptions
from gru_mt.data.corpus.readers.registry import pair_rows, text_rows
from gru_mt.data.corpus.report import Row
from gru_mt.data.corpus.text_stream import TextStream, open_text
from gru_mt.data.dataset.store import CHUNK
from gru_mt.data.pool import map_in_order
from gru_mt.data.stages import Tell, tell_nobody
from gru_mt.errors import UserError, short_repr, short_text

PHRASEBOOK = Path(__file__).with_name("phrasebook.tsv.zst")  # scripts/phrasebook makes it
_BUILT_IN = ("fra-eng", "phrasebook")  # their first side is English, their second French


class FilteredPart(NamedTuple):
    """What became of some rows of a file."""

    begins: str  # the name of the file that they begin, or ""
    share: float  # of the corpus, from 0 to 1, that was read with them
    judged: FilteredChunk


def load_corpora(
    config: DataConfig,
    folder: Path | None = None,
    tell: Tell = tell_nobody,
) -> list[Corpus]:
    """Return the corpora that `config` names, each pair in the order of `config.languages`.

    The pairs are stored in `folder`; see `scratch`. Raises UserError, one line that names the file,
    if there is no such corpus, it cannot be read, parallel files differ in length, no pair is left,
    or too many lines were dropped.
    """
    _check_names_differ(config)
    stored = PairStore(folder)
    return [_load(corpus, config, stored, tell) for corpus in config.corpus]


def _check_names_differ(config: DataConfig) -> None:
    """Raise UserError where two corpora have one name."""
    names = Counter(corpus_name(each, config.languages) for each in config.corpus)
    if twice := [name for name, count in names.items() if count > 1]:
        raise UserError(
            f"data.corpus: two corpora are called {short_repr(twice[0])}; give each a name of "
            "its own"
        )


def corpus_name(corpus: CorpusConfig, languages: Sequence[str]) -> str:
    """Return the name of a corpus: its own, or its first file's."""
    own = corpus.name
    return CorpusFile(Path(corpus.path[0])).stem(languages) if own is None else own


def data_files(config: DataConfig) -> list[Path]:
    """Return the user's files and folders that a configuration reads."""
    own = [corpus for corpus in config.corpus if not is_built_in(corpus)]
    return [user_path(path) for each in (*own, *config.dev, *config.test) for path in each.path]


class _Chunk(NamedTuple):
    """Some rows of a file; see `FilteredPart`."""

    rows: list[Row]
    begins: str
    share: float


def _load(corpus: CorpusConfig, config: DataConfig, stored: PairStore, tell: Tell) -> Corpus:
    """Return one corpus."""
    name, (where, _) = corpus_name(corpus, config.languages), _shards(corpus, config)
    account = CorpusBuilder(config, where, _sides(corpus, config), stored)
    filtered = partial(_filtered, config, _sides(corpus, config))
    for each in map_in_order(filtered, _chunks(corpus, config)):
        if isinstance(each, FileEnd):
            account.end(each)
            continue
        if each.begins:
            account.begin(each.begins)
        account.add(each.judged)
        tell(f"reading {name}", f"{account.read:,} lines", each.share)
    loaded = account.corpus(name)
    loaded = replace(loaded, warnings=(*loaded.warnings, *_unread(corpus, config)))
    if is_built_in(corpus) and corpus.path[0] == "fra-eng":
        loaded = _as_fra_eng(loaded, where)
    return loaded


def _chunks(corpus: CorpusConfig, config: DataConfig) -> Iterator[_Chunk | FileEnd]:
    """Yield each file's chunks, and its end."""
    _, groups = _shards(corpus, config)
    for done, group in enumerate(groups):
        with ExitStack() as stack:
            texts = [stack.enter_context(_opened(place, corpus)) for place in group]
            begins = group[0].name
            rows = iter(_rows(texts, corpus, config))
            while (chunk := [*islice(rows, CHUNK)]) or begins:
                share = (done + texts[0].share()) / len(groups)
                yield _Chunk(chunk, begins, share)
                begins = ""
            yield FileEnd.of(texts)


def _filtered(
    config: DataConfig, sides: Sequence[int], chunk: _Chunk | FileEnd
) -> FilteredPart | FileEnd:
    """Return a chunk's pairs that pass the filters; the end of a file as it is."""
    if isinstance(chunk, FileEnd):
        return chunk
    return FilteredPart(chunk.begins, chunk.share, filter_chunk(chunk.rows, config, sides))


def _sides(corpus: CorpusConfig, config: DataConfig) -> tuple[int, ...]:
    """Return which sides of a corpus have text."""
    return (0, 1) if corpus.side is None else (int(not config.reversed),)


def _shards(corpus: CorpusConfig, config: DataConfig) -> tuple[str, list[FileGroup]]:
    """Return what messages call a corpus, and its files."""
    name = corpus.path[0]
    if is_built_in(corpus):
        if config.languages != ["en", "fr"]:
            raise UserError(
                f"data.languages must be [en, fr] for {name}, which is English and French; for "
                "French to English set data.source to fr and data.target to en"
            )
        if name == "phrasebook":
            return name, [(CorpusFile(PHRASEBOOK),)]
        path = fra_eng.find_or_fetch()
        return short_text(path), find_files([path], config.languages)
    paths = [user_path(path) for path in corpus.path]
    alone = config.target if corpus.side else None
    return " and ".join(map(short_text, paths)), find_files(paths, config.languages, alone=alone)


def _unread(corpus: CorpusConfig, config: DataConfig) -> list[str]:
    """Return a line about what a folder or an archive has beside the files of a corpus."""
    if is_built_in(corpus):
        return []
    alone = config.target if corpus.side else None
    return notes_on_unread([*map(user_path, corpus.path)], config.languages, alone=alone)


def _opened(place: CorpusFile, corpus: CorpusConfig) -> AbstractContextManager[TextStream]:
    return open_text(place, encoding=corpus.encoding, missing=_hint(corpus))


def _as_fra_eng(corpus: Corpus, where: str) -> Corpus:
    """Return the corpus with fra-eng's credit, and a warning where it is not the one we know."""
    if corpus.sha256 != FRA_ENG_SHA256:
        warning = (
            f"{where}: not the fra-eng of 2019-04-07 (SHA-256 {corpus.sha256[:12]}..., not "
            f"{FRA_ENG_SHA256[:12]}...): scores are not comparable with the published ones"
        )
        corpus = replace(corpus, warnings=(*corpus.warnings, warning))
    return corpus if corpus.attribution else replace(corpus, attribution=TATOEBA_ATTRIBUTION)


def is_built_in(corpus: CorpusConfig) -> bool:
    """Return whether a corpus is one of our own, and no file of a user's."""
    return len(corpus.path) == 1 and corpus.path[0] in _BUILT_IN


def _hint(corpus: CorpusConfig) -> str:
    """Return the end of the message for a file that is not there."""
    if len(corpus.path) > 1:
        return ""
    near = difflib.get_close_matches(corpus.path[0], _BUILT_IN, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f", nor a corpus ({' or '.join(_BUILT_IN)}){hint}"


def _rows(texts: Sequence[TextStream], corpus: CorpusConfig, config: DataConfig) -> Iterable[Row]:
    """Return the rows of a file, or of two parallel files."""
    languages = [config.target] if corpus.side else config.languages
    options = TableOptions(languages, corpus.columns, corpus.delimiter)
    if corpus.side:
        return text_rows(texts[0], options, second=not config.reversed)
    return pair_rows(texts, options)
