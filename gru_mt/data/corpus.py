"""Load the corpora that a configuration names, whatever files they are in."""

import difflib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from gru_mt.config import CorpusConfig, DataConfig
from gru_mt.data.account import Account, Corpus, StoredPairs
from gru_mt.data.corpora import fra_eng
from gru_mt.data.corpora.files import Place, Shard, find_shards, user_path
from gru_mt.data.corpora.fra_eng import FRA_ENG_SHA256, TATOEBA_ATTRIBUTION
from gru_mt.data.corpora.parallel import parallel_rows
from gru_mt.data.corpora.phrasebook import sentences
from gru_mt.data.corpora.reading import TextStream, open_text
from gru_mt.data.corpora.rows import Row
from gru_mt.data.corpora.table import csv_rows, one_sided_rows, table_rows
from gru_mt.data.corpora.tmx import tmx_rows
from gru_mt.data.disk import CHUNK
from gru_mt.data.judging import Judged, judge
from gru_mt.data.stages import Tell, tell_nobody
from gru_mt.data.workers import in_order
from gru_mt.errors import UserError, quoted, shown

_BUILT_IN = ("fra-eng", "phrasebook")  # their first side is English, their second French


def load_corpora(
    config: DataConfig, folder: Path | None = None, tell: Tell = tell_nobody
) -> list[Corpus]:
    """Return the corpora that `config` names, each pair in the order of `config.languages`.

    The pairs are stored in `folder`; see `scratch`. Raises UserError, one line that names the file,
    if there is no such corpus, it cannot be read, parallel files differ in length, no pair is left,
    or too many lines were dropped.
    """
    names = Counter(corpus_name(each, config.languages) for each in config.corpus)
    if twice := [name for name, count in names.items() if count > 1]:
        raise UserError(
            f"data.corpus: two corpora are called {quoted(twice[0])}; give each a name of its own"
        )
    stored = StoredPairs(folder)
    return [_load(each, config, stored, tell) for each in config.corpus]


def corpus_name(corpus: CorpusConfig, languages: Sequence[str]) -> str:
    """Return the name of a corpus: its own, or its first file's."""
    own = corpus.name
    return Place(Path(corpus.path[0])).stem(languages) if own is None else own


def data_files(config: DataConfig) -> list[Path]:
    """Return the user's files and folders that a configuration reads."""
    own = [corpus for corpus in config.corpus if not is_built_in(corpus)]
    return [user_path(path) for each in (*own, *config.dev, *config.test) for path in each.path]


class Chunk(NamedTuple):
    """Some rows of a file."""

    rows: list[Row]
    begins: str  # the name of the file that they begin, or ""
    share: float  # of the corpus, from 0 to 1, that was read with them


def _load(corpus: CorpusConfig, config: DataConfig, stored: StoredPairs, tell: Tell) -> Corpus:
    """Return one corpus."""
    name = corpus_name(corpus, config.languages)
    built_in = is_built_in(corpus)
    if built_in and config.languages == ["fr", "en"]:
        raise UserError(
            f"data.languages must be [en, fr] for {corpus.path[0]}, whose first side is English; "
            "for French to English set data.source to fr and data.target to en"
        )
    where, shards = _shards(corpus, config)
    sides = (0, 1) if corpus.side is None else (int(not config.reversed),)
    account = Account(config, where, sides, stored)

    def chunks() -> Iterator[Chunk]:
        for done, shard in enumerate(shards):
            with ExitStack() as stack:
                texts = [stack.enter_context(_opened(place, corpus)) for place in shard]
                begins = shard[0].name
                rows = iter(_rows(shard, texts, corpus, config))
                while (chunk := [*islice(rows, CHUNK)]) or begins:
                    yield Chunk(chunk, begins, (done + texts[0].share()) / len(shards))
                    begins = ""
                account.end(texts)

    for begins, share, each in in_order(partial(_judge_of, config, sides), chunks()):
        if begins:
            account.begin(begins)
        account.add(each)
        tell(f"reading {name}", f"{account.read:,} lines", share)
    loaded = account.corpus(name)
    if built_in and corpus.path[0] == "fra-eng":
        loaded = _as_fra_eng(loaded, where)
    return loaded


def _judge_of(
    config: DataConfig, sides: Sequence[int]
) -> Callable[[Chunk], tuple[str, float, Judged]]:
    """Return what judges a chunk, and passes on what else is known of it."""

    def judged(chunk: Chunk) -> tuple[str, float, Judged]:
        found = judge(chunk.rows, config, sides, begins_file=bool(chunk.begins))
        return chunk.begins, chunk.share, found

    return judged


def _shards(corpus: CorpusConfig, config: DataConfig) -> tuple[str, list[Shard]]:
    """Return what messages call a corpus, and its files."""
    name = corpus.path[0]
    if is_built_in(corpus):
        if name == "phrasebook":
            return name, [(Place(Path(name)),)]
        path = fra_eng.find_or_fetch()
        return shown(path), find_shards([path], config.languages)
    paths = [user_path(path) for path in corpus.path]
    alone = config.target if corpus.side else None
    return " and ".join(map(shown, paths)), find_shards(paths, config.languages, alone=alone)


def _opened(place: Place, corpus: CorpusConfig) -> AbstractContextManager[TextStream]:
    if is_built_in(corpus) and place.name == "phrasebook":
        lines = (f"{english}\t{french}\n" for english, french in sentences.generate())
        return nullcontext(TextStream(iter(["".join(lines).encode()]), place))
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


def _rows(
    shard: Shard, texts: Sequence[TextStream], corpus: CorpusConfig, config: DataConfig
) -> Iterable[Row]:
    """Return the rows of a file, or of two parallel files."""
    if len(shard) == 2:
        return parallel_rows(*texts, where=" and ".join(map(str, shard)))
    [place], [text] = shard, texts
    if corpus.side and place.ending == ".tmx":
        raise UserError(f"{place}: a translation memory has both sides; leave out side: target")
    if corpus.side:
        second = not config.reversed
        return one_sided_rows(text, corpus.columns, ending=place.ending, second=second)
    match place.ending:
        case ".tmx":
            return tmx_rows(text, config.languages)
        case ".csv":
            return csv_rows(text, corpus.columns)
    return table_rows(text, corpus.columns)
