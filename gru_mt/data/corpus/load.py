"""Load the corpora that a configuration names, whatever files they are in."""

import difflib
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path

from gru_mt.config.data import CorpusConfig, DataConfig
from gru_mt.data.corpus import fra_eng
from gru_mt.data.corpus.builder import Corpus, CorpusBuilder
from gru_mt.data.corpus.files import FoundFiles, corpus_name, find_files, user_path
from gru_mt.data.corpus.filters import METADATA, filter_chunk
from gru_mt.data.corpus.fra_eng import FRA_ENG_SHA256, TATOEBA_ATTRIBUTION
from gru_mt.data.corpus.readers.columns import ReadOptions
from gru_mt.data.corpus.readers.registry import open_group, read_rows
from gru_mt.data.corpus.report import Row
from gru_mt.data.dataset.store import CHUNK, TupleStore
from gru_mt.data.pool import map_in_order
from gru_mt.data.types import Pair
from gru_mt.errors import UserError, short_repr, short_text
from gru_mt.progress import ProgressBar

PHRASEBOOK = Path(__file__).with_name("phrasebook.tsv.zst")  # scripts/phrasebook makes it
BUILT_IN = ("fra-eng", "phrasebook")  # their first side is English, their second French


def load_corpora(config: DataConfig, folder: Path | None = None) -> list[Corpus]:
    """Return the corpora that `config` names, each pair in the order of `config.languages`.

    The pairs are stored in `folder`; see `scratch`. Raises UserError, one line that names the file,
    if a corpus is missing or cannot be read, or too little is left of it.
    """
    names = [corpus_name(corpus, config.languages) for corpus in config.corpus]
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise UserError(
            f"data.corpus: two corpora are called {short_repr(twice[0])}; give each a name of "
            "its own, or for parallel files set corpus: {path: [FILE, FILE]}"
        )
    pairs = TupleStore.scratch(Pair, METADATA, folder)
    both = zip(config.corpus, names, strict=True)
    return [_load(corpus, name, config, pairs) for corpus, name in both]


def is_built_in(corpus: CorpusConfig) -> bool:
    """Return whether a corpus is built in, and no file of a user's."""
    return len(corpus.path) == 1 and corpus.path[0] in BUILT_IN


def _load(corpus: CorpusConfig, name: str, config: DataConfig, pairs: TupleStore[Pair]) -> Corpus:
    label, found = _locate(corpus, config)
    side = int(not config.reversed) if corpus.side else None
    sides = (0, 1) if side is None else (side,)  # that have text
    languages = [config.target] if corpus.side else config.languages
    options = ReadOptions(languages, corpus.columns, corpus.delimiter, side)
    builder = CorpusBuilder(config, label, sides, pairs)
    chunks = _chunks(corpus, found, options, builder)
    first = [*islice(chunks, 1)]  # an error here is the only message
    with ProgressBar(f"reading {name}", unit="lines") as bar:
        for chunk in map_in_order(partial(filter_chunk, config, sides), chain(first, chunks)):
            builder.add(chunk)
            bar.update(builder.lines - bar.n)
    builder.notes += found.notes
    loaded = builder.corpus(name)
    if corpus.path != ["fra-eng"] or loaded.sha256 == FRA_ENG_SHA256:
        return loaded
    warning = (
        f"{label}: not the fra-eng of 2019-04-07 (SHA-256 {loaded.sha256[:12]}..., not "
        f"{FRA_ENG_SHA256[:12]}...): scores are not comparable with the published ones"
    )
    attribution = loaded.attribution or TATOEBA_ATTRIBUTION
    return replace(loaded, warnings=(*loaded.warnings, warning), attribution=attribution)


def _locate(corpus: CorpusConfig, config: DataConfig) -> tuple[str, FoundFiles]:
    """Return the name of a corpus in messages, and its files."""
    if is_built_in(corpus) and config.languages != ["en", "fr"]:
        raise UserError(
            f"data.languages must be [en, fr] for {corpus.path[0]}, which is English and French; "
            "for French to English set data.source to fr and data.target to en"
        )
    if corpus.path == ["phrasebook"]:
        return "phrasebook", find_files([PHRASEBOOK], config.languages)
    is_fra_eng = corpus.path == ["fra-eng"]
    paths = [fra_eng.find_or_fetch()] if is_fra_eng else [*map(user_path, corpus.path)]
    only_language = config.target if corpus.side else None
    found = find_files(paths, config.languages, only_language=only_language)
    return " and ".join(map(short_text, paths)), found


def _chunks(
    corpus: CorpusConfig, found: FoundFiles, options: ReadOptions, builder: CorpusBuilder
) -> Iterator[list[Row]]:
    """Yield the rows of a corpus, a chunk at a time; `builder` gets what is known of its files."""
    missing, lines = "", 0
    if len(corpus.path) == 1:
        near = difflib.get_close_matches(corpus.path[0], BUILT_IN, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        missing = f", nor a corpus ({' or '.join(BUILT_IN)}){hint}"
    for group in found.groups:
        builder.first_lines.append((group[0].name, lines + 1))
        with open_group(group, corpus.encoding, missing) as sources:
            rows = read_rows(sources, options)
            while chunk := [*islice(rows, CHUNK)]:
                lines += len(chunk)
                yield chunk
            builder.sha256s += [source.sha256 for source in sources]
            builder.notes += [note for source in sources for note in source.notes]
            builder.sample = builder.sample or b"\n".join(source.sample for source in sources)
