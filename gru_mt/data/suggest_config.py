"""A first configuration for a user's own files, fitted to what is in them."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path, PurePath, PurePosixPath

from gru_mt.config.load import parse_config
from gru_mt.config.yaml_text import short_config, yaml_inline
from gru_mt.data.corpus.files import TABLES, CorpusFile, FileGroup, files_in, find_files
from gru_mt.data.corpus.languages import (
    CODE_BY_NAME,
    language_code,
    likely_language,
    main_scripts,
    script_counts,
)
from gru_mt.data.corpus.load import BUILT_IN
from gru_mt.data.corpus.readers.columns import ReadOptions, header_languages
from gru_mt.data.corpus.readers.json_lines import is_json
from gru_mt.data.corpus.readers.parquet import ParquetTable
from gru_mt.data.corpus.readers.registry import Source, open_group, read_rows
from gru_mt.data.corpus.report import Dropped, hint
from gru_mt.data.corpus.text_stream import TextStream
from gru_mt.data.dataset.components import key
from gru_mt.data.splits import Splits, load_splits
from gru_mt.errors import UserError, short_repr, short_text

_SPLIT_OF_WORD = {  # words in the names of files that are not trained on, without their digits
    **dict.fromkeys(("dev", "devset", "newsdev", "valid", "validation", "val", "tune"), "dev"),
    **dict.fromkeys(("test", "testset", "newstest", "tst", "devtest", "eval", "heldout"), "test"),
}
_PAIRS_SEEN = 480_000  # in all epochs together: fra-eng.yaml's three of 162,000
MOST_EPOCHS = 30
_LOOKED_AT = 1_000  # rows that tell the languages
_SMALL, _MIDDLE = 20_000, 100_000  # pairs, below which more dropout pays


def suggest_config(
    files: Sequence[Path],
    languages: Sequence[str] | None,
    columns: Sequence[int] | None = None,
    overrides: Sequence[str] = (),
) -> tuple[str, Splits]:
    """Return a configuration for the files of a corpus as YAML, and the splits read for it.

    Files whose names, or folders' names where these differ, have such a word as dev, valid, test or
    newstest2014 are sets of their own, in a folder too. `languages` are those of the files'
    endings, of a header or of the text if none are given; `columns` those of tables, from 1. With
    `overrides` the text has no comments. Raises UserError where that cannot be told, and as
    `load_splits` does.
    """
    groups: defaultdict[str, list[Path]] = defaultdict(list)
    notes: list[str] = []
    languages = languages or _languages(files, columns, notes)
    found = [path for given in files for path in _sets_apart(given, languages, notes)]
    for path in found:
        groups[_split_of(path, found)].append(path)
    if not groups["corpus"]:
        raise UserError("no file to train on: all are called dev or test")
    entries = {split: _entries(group, languages) for split, group in groups.items()}
    has_both = "dev" in entries and "test" in entries
    lines = ["data:"]
    for split, title, part in (
        ("corpus", "corpus:", ", part: train" if has_both else ""),  # else a share is dev and test
        ("dev", "dev:  # decides which weights are kept", ""),
        ("test", "test:  # scored by gru-mt eval", ""),
    ):
        if split in entries:
            lines.append(f"  {title}")
            for paths in entries[split]:
                chosen = f", columns: {[*columns]}" if columns and len(paths) == 1 else ""
                lines.append(f"    - {{path: {yaml_inline(paths)}{chosen}{part}}}")
    lines += [
        f"  languages: {yaml_inline([*languages])}  # of the first side, and of the second",
        f"  source: {yaml_inline(languages[0])}  # translate from this language",
        f"  target: {yaml_inline(languages[1])}  # into this one",
    ]
    config = parse_config("\n".join(lines), where="the files", overrides=overrides)
    splits = load_splits(config.data)
    header = [
        f"# {splits.sizes()}.",
        "# Written by gru-mt init. `gru-mt config` explains every key; `gru-mt data --check` says",
        "# what the corpus is like and how long training takes on this machine.",
        "",
    ]
    text = "\n".join([*lines, *_settings(splits)]) + "\n"
    if overrides:
        text = short_config(parse_config(text, where="the files", overrides=overrides))
    return "\n".join([*header, text]), replace(splits, notes=[*notes, *splits.notes])


def usual_epochs(pairs: int) -> int:
    """Return how often to train on a corpus of `pairs`: the smaller it is, the more often."""
    return min(max(2, round(_PAIRS_SEEN / max(1, pairs))), MOST_EPOCHS)


def _split_of(path: PurePath, beside: Sequence[PurePath]) -> str:
    """Return what a file is for by its name, or its folder's: dev, test, or the corpus.

    The folder tells nothing where all files that are given `beside` it are in that one.
    """
    are_apart = len({other.parent for other in beside}) > 1
    words = re.sub(r"\d", "", key(f"{path.name} {path.parent.name if are_apart else ''}")).split()
    return next((_SPLIT_OF_WORD[word] for word in words if word in _SPLIT_OF_WORD), "corpus")


def _sets_apart(path: Path, languages: Sequence[str], notes: list[str]) -> list[Path]:
    """Return the files of a folder that has sets of its own; else just `path`.

    `notes` get what is left out.
    """
    if not (path.is_dir() or path.suffix.lower() == ".zip"):
        return [path]
    found = find_files([path], languages)
    inside = [file for group in found.groups for file in group]
    names = [PurePath(file.member or file.path) for file in inside]
    splits = [_split_of(name, names) for name in names]
    sets = [file for file, split in zip(inside, splits, strict=True) if split != "corpus"]
    if not sets:
        return [path]
    if sets[0].member:
        raise UserError(f"{sets[0]}: a set of its own; unpack the archive and give its folder")
    notes += found.notes
    return [file.path for file in inside]


def _languages(files: Sequence[Path], columns: Sequence[int] | None, notes: list[str]) -> list[str]:
    """Return the languages of a corpus's sides: by its files' endings, a header, or the text.

    `notes` get a line where the text decides.
    """
    if len(files) == 1 and str(files[0]) in BUILT_IN and not files[0].exists():
        return ["en", "fr"]
    inside = [file for path in files for file in files_in(path) or [CorpusFile(path)]]
    endings = dict.fromkeys(PurePosixPath(file.name).suffix[1:] for file in inside)
    known = [ending for ending in endings if language_code(ending) in CODE_BY_NAME.values()]
    if named := _named_languages(files):
        return named
    if len(known) == 2:
        return known if inside[0].path == files[0] and not inside[0].member else sorted(known)
    if len(known) > 2 and not any(file.ending in TABLES for file in inside):
        raise UserError(f"{files[0]}: files of {', '.join(known)}: name two by --languages")
    trained = [path for path in files if _split_of(path, files) == "corpus"] or files[:1]
    group = (
        _parallel(trained)
        or find_files(trained[:1], ("first-language", "second-language")).groups[0]
    )
    with open_group(group) as sources:
        found = header_languages(_column_names(sources[0])) if len(group) == 1 else []
        if not found:
            options = ReadOptions(("first", "second"), columns)
            rows = [*islice(read_rows(sources, options), _LOOKED_AT)]
            sides = [row[:2] for row in rows if not isinstance(row, Dropped)]
            reasons = Counter(row.reason for row in rows if isinstance(row, Dropped))
            if rows and not sides:
                [(reason, _)] = reasons.most_common(1)
                why = f"no pair in {len(rows):,} lines, most often {reason}"
                fix = hint(reason, sources[0].sample, ("both languages",))
                raise UserError(f"{group[0]}: {'; '.join(filter(None, (why, fix)))}")
            if not sides:
                raise UserError(f"{group[0]}: is empty")
            looks = [likely_language(side) for side in zip(*sides, strict=True)]
            found = [language for language in dict.fromkeys(looks) if language]
            notes.append(f"the languages are {' and '.join(found)} by their words; see --languages")
    if len(found) != 2:
        raise UserError(
            f"{group[0]}: neither its name nor its text tells both languages; give --languages, "
            "such as --languages en,de: of the first side, and of the second; and of a table with "
            "more than two columns of text --columns"
        )
    return found


def _column_names(source: Source) -> list[str]:
    """Return the names that columns or keys have, where the first line has names."""
    if isinstance(source, ParquetTable):
        return [*source.types]
    if "<tmx" in source.start:
        return [*dict.fromkeys(re.findall(r"""\blang=["']([\w-]+)""", source.start))]
    first_object = source.start.partition("}")[0] if is_json(source) else ""
    keys = re.findall(r'"([^"]*)" *:', first_object)
    first = source.start.partition("\n")[0].strip(' "\r')
    return keys or re.split(r'"?\s*[\t,;|]\s*"?', first)


def _parallel(paths: Sequence[Path]) -> FileGroup | None:
    """Return two files as the sides of a corpus; None where one is a table or a folder."""
    group = tuple(map(CorpusFile, paths))
    tables = {*TABLES, ".json", ".zip"} - {".txt"}
    if _named_languages(paths):
        tables.remove(".json")
    if len(group) != 2 or any(file.ending in tables or file.path.is_dir() for file in group):
        return None
    with open_group(group) as sources:
        has_tabs = any(isinstance(text, TextStream) and "\t" in text.start for text in sources)
    return None if has_tabs else group


def _named_languages(paths: Sequence[Path]) -> list[str]:
    """Return the languages of two JSON files, by their names' ends or folders; [] without them.

    fr.json, app-fr.json, fr/app.json.
    """
    found = []
    for path in paths:
        names = (re.split("[._-]", path.stem)[-1], path.parent.name)
        codes = [code for code in map(language_code, names) if code in CODE_BY_NAME.values()]
        found += codes[:1] if path.suffix.lower() == ".json" else []
    return found if len(paths) == len(found) == len({*found}) == 2 else []


def _entries(files: Sequence[Path], languages: Sequence[str]) -> list[list[str]]:
    """Return the `path` of each corpus: a table alone, parallel files in couples."""
    endings = {CorpusFile(path).ending.removeprefix(".") for path in files}
    if endings != {language.lower() for language in languages} and _parallel(files):
        return [[*map(str, files)]]  # their order is that of the languages
    entries: list[list[str]] = []
    couples: defaultdict[str, dict[str, str]] = defaultdict(dict)
    known = {language.lower(): language for language in languages}  # as endings are
    for path in files:
        file = CorpusFile(path)
        if language := known.get(file.ending.removeprefix(".")):
            couples[str(path.parent / file.name[: -len(file.ending)])][language] = str(path)
        elif file.ending in (*TABLES, ".json", ".zip") or path.is_dir() or len(files) == 1:
            is_hidden = path.exists() and str(path) in BUILT_IN  # by a corpus of its name
            entries.append([f"./{path}" if is_hidden else str(path)])
        else:
            raise UserError(
                f"{short_text(path)}: ends neither in {' nor in '.join(TABLES)} nor in the "
                f"languages {short_repr([*languages])}; give --languages as the files' endings "
                "have them"
            )
    for stem, by_language in couples.items():
        for other in {*languages} - {*by_language}:
            raise UserError(
                f"{next(iter(by_language.values()))}: {stem}.{other} is missing beside it"
            )
        entries.append([by_language[language] for language in languages])
    return entries


def _settings(splits: Splits) -> list[str]:
    """Return sections that fit the training split's size and scripts."""
    pairs = len(splits.train)
    counts = Counter[str](), Counter[str]()
    for pair in splits.train:  # it is read by chunks
        for count, text in zip(counts, pair[:2], strict=True):
            count.update(script_counts(text))
    source, target = map(main_scripts, counts)
    tokenizer = ["tokenizer:", "  joint: false  # the languages share no letters"]
    dropout = 0.3 if pairs < _SMALL else 0.1 if pairs < _MIDDLE else 0
    return [
        *(tokenizer if source.isdisjoint(target) else []),
        "model:",
        "  decoder_layers: 2",
        "  may_shrink: true  # to a smaller one, where --minutes leave it few updates",
        f"  dropout: {dropout}  # more for fewer pairs, none for many",
        "training:",
        f"  max_epochs: {usual_epochs(pairs)}  # times over the corpus; more pairs need fewer",
        "  schedule: linear",
        "  learning_rate: 2.5e-3",
    ]
