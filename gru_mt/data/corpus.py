"""Load the corpora that a configuration names, whatever files they are in."""

import difflib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from gru_mt.config import CorpusConfig, DataConfig
from gru_mt.data.account import Account, Corpus
from gru_mt.data.corpora import fra_eng
from gru_mt.data.corpora.files import Place, Shard, find_shards, read_text, user_path
from gru_mt.data.corpora.fra_eng import FRA_ENG_SHA256, TATOEBA_ATTRIBUTION
from gru_mt.data.corpora.parallel import parallel_rows
from gru_mt.data.corpora.phrasebook import sentences
from gru_mt.data.corpora.rows import Row
from gru_mt.data.corpora.table import csv_rows, one_sided_rows, table_rows
from gru_mt.data.corpora.tmx import tmx_rows
from gru_mt.data.stages import Tell, counted, tell_nobody
from gru_mt.errors import UserError, quoted, shown

_BUILT_IN = ("fra-eng", "phrasebook")  # their first side is English, their second French


def load_corpora(config: DataConfig, tell: Tell = tell_nobody) -> list[Corpus]:
    """Return the corpora that `config` names, each pair in the order of `config.languages`.

    Raises UserError, one line that names the file, if there is no such corpus, it cannot be read,
    parallel files differ in length, no pair is left, or too many lines were dropped.
    """
    names = Counter(corpus_name(each, config.languages) for each in config.corpus)
    if twice := [name for name, count in names.items() if count > 1]:
        raise UserError(
            f"data.corpus: two corpora are called {quoted(twice[0])}; give each a name of its own"
        )
    return [_load(each, config, tell) for each in config.corpus]


def corpus_name(corpus: CorpusConfig, languages: Sequence[str]) -> str:
    """Return the name of a corpus: its own, or its first file's."""
    own = corpus.name
    return Place(Path(corpus.path[0])).stem(languages) if own is None else own


def data_files(config: DataConfig) -> list[Path]:
    """Return the user's files and folders that a configuration reads."""
    own = [corpus for corpus in config.corpus if not _is_built_in(corpus)]
    return [user_path(path) for each in (*own, *config.dev, *config.test) for path in each.path]


def _load(corpus: CorpusConfig, config: DataConfig, tell: Tell) -> Corpus:
    """Return one corpus."""
    stage = f"reading {corpus_name(corpus, config.languages)}"
    name = corpus.path[0]
    built_in = _is_built_in(corpus)
    if built_in and config.languages == ["fr", "en"]:
        raise UserError(
            f"data.languages must be [en, fr] for {name}, whose first side is English; "
            "for French to English set data.source to fr and data.target to en"
        )
    paths = [user_path(path) for path in corpus.path]
    where = " and ".join(map(shown, paths))
    shards: list[Shard] = []
    if not built_in:
        alone = config.target if corpus.side else None
        shards = find_shards(paths, config.languages, alone=alone)
    elif name == "fra-eng":
        path = fra_eng.find_or_fetch()
        shards, where = find_shards([path], config.languages), shown(path)
    second = not config.reversed
    account = Account(config, where, sides=(0, 1) if not corpus.side else (int(second),))
    for shard in shards:
        texts = [read_text(each, encoding=corpus.encoding, missing=_hint(corpus)) for each in shard]
        account.begin(shard[0].name, b"".join(texts))
        for row in counted(_rows(shard, texts, corpus, config), tell, stage, "lines"):
            account.add(row)
    if built_in and name == "phrasebook":
        text = "".join(
            f"{english}\t{french}\n" for english, french in sentences.generate()
        ).encode()
        account.begin(name, text)
        rows = _rows((Place(Path(name)),), [text], corpus, config)
        for row in counted(rows, tell, stage, "lines"):
            account.add(row)
    loaded = account.corpus(corpus_name(corpus, config.languages))
    if built_in and name == "fra-eng" and loaded.sha256 != FRA_ENG_SHA256:
        warning = (
            f"{where}: not the fra-eng of 2019-04-07 (SHA-256 {loaded.sha256[:12]}..., not "
            f"{FRA_ENG_SHA256[:12]}...): scores are not comparable with the published ones"
        )
        loaded = replace(loaded, warnings=(*loaded.warnings, warning))
    if built_in and name == "fra-eng" and not loaded.attribution:
        loaded = replace(loaded, attribution=TATOEBA_ATTRIBUTION)
    return loaded


def _is_built_in(corpus: CorpusConfig) -> bool:
    return len(corpus.path) == 1 and corpus.path[0] in _BUILT_IN


def _hint(corpus: CorpusConfig) -> str:
    """Return the end of the message for a file that is not there."""
    if len(corpus.path) > 1:
        return ""
    near = difflib.get_close_matches(corpus.path[0], _BUILT_IN, n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f", nor a corpus ({' or '.join(_BUILT_IN)}){hint}"


def _rows(
    shard: Shard, texts: Sequence[bytes], corpus: CorpusConfig, config: DataConfig
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
            return tmx_rows(text, config.languages, place)
        case ".csv":
            return csv_rows(text, corpus.columns)
    return table_rows(text, corpus.columns)
