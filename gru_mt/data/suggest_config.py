"""A first configuration for a user's own files, fitted to what is in them."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from gru_mt.config.load import parse_config
from gru_mt.config.yaml_text import yaml_inline
from gru_mt.data.corpus.files import TABLES, CorpusFile, find_files
from gru_mt.data.corpus.languages import main_scripts, script_counts
from gru_mt.data.dataset.components import key
from gru_mt.data.splits import Splits, load_splits
from gru_mt.errors import UserError, short_repr, short_text

_SPLIT_OF_WORD = {  # words in the names of files that are not trained on
    **dict.fromkeys(("dev", "valid", "validation", "val", "tune"), "dev"),
    "test": "test",
}
_PAIRS_SEEN = 480_000  # in all epochs together: fra-eng.yaml's three of 162,000
_MOST_EPOCHS = 30
_SMALL, _MIDDLE = 20_000, 100_000  # pairs, below which more dropout pays


def suggest_config(
    files: Sequence[Path], languages: Sequence[str] | None, overrides: Sequence[str] = ()
) -> tuple[str, Splits]:
    """Return a configuration for the files of a corpus as YAML, and the splits read for it.

    Files whose names have the word dev, valid or test are sets of their own, in a folder too.
    `languages` are those of the files' endings if none are given. `overrides` count where the files
    are read, and are not in the text. Raises UserError where that cannot be told, and as
    `load_splits` does.
    """
    groups: defaultdict[str, list[Path]] = defaultdict(list)
    notes: list[str] = []
    for given in files:
        for path in _sets_apart(given, languages, notes):
            groups[_split_of(path.name)].append(path)
    if not groups["corpus"]:
        raise UserError("no file to train on: all are called dev or test")
    languages = languages or _languages(groups["corpus"])
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
            lines += [f"    - {{path: {yaml_inline(paths)}{part}}}" for paths in entries[split]]
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
    text = "\n".join([*header, *lines, *_settings(splits)]) + "\n"
    return text, replace(splits, notes=[*notes, *splits.notes])


def _split_of(name: str) -> str:
    """Return what a file of this name is for: dev, test, or the corpus."""
    words = key(name).split()
    return next((_SPLIT_OF_WORD[word] for word in words if word in _SPLIT_OF_WORD), "corpus")


def _sets_apart(path: Path, languages: Sequence[str] | None, notes: list[str]) -> list[Path]:
    """Return the files of a folder that has sets of its own; else just `path`.

    `notes` get what is left out.
    """
    if languages is None or not (path.is_dir() or path.suffix.lower() == ".zip"):
        return [path]
    found = find_files([path], languages)
    inside = [file for group in found.groups for file in group]
    sets = [file for file in inside if _split_of(file.name) != "corpus"]
    if not sets:
        return [path]
    if sets[0].member:
        raise UserError(f"{sets[0]}: a set of its own; unpack the archive and give its folder")
    notes += found.notes
    return [file.path for file in inside]


def _languages(files: Sequence[Path]) -> list[str]:
    """Return the languages that two parallel files' endings name."""
    endings = dict.fromkeys(CorpusFile(path).ending for path in files)
    if len(endings) == 2 and endings.keys().isdisjoint(TABLES):
        return [ending.removeprefix(".") for ending in endings]
    raise UserError(
        "the languages cannot be told from the files' names; give --languages, such as "
        "--languages en,de: of the first side, and of the second"
    )


def _entries(files: Sequence[Path], languages: Sequence[str]) -> list[list[str]]:
    """Return the `path` of each corpus: a table alone, parallel files in couples."""
    entries: list[list[str]] = []
    couples: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for path in files:
        file = CorpusFile(path)
        language = file.ending.removeprefix(".")
        if language in languages:
            couples[file.name.removesuffix(file.ending)][language] = str(path)
        elif file.ending in (*TABLES, ".json", ".zip") or path.is_dir():
            entries.append([str(path)])
        else:
            raise UserError(
                f"{short_text(path)}: ends neither in {' nor in '.join(TABLES)} nor in the "
                f"languages {short_repr([*languages])}; give --languages as the files' endings "
                "have them"
            )
    for stem, sides in couples.items():
        for other in {*languages} - {*sides}:
            raise UserError(f"{next(iter(sides.values()))}: {stem}.{other} is missing beside it")
        entries.append([sides[language] for language in languages])
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
    epochs = min(max(2, round(_PAIRS_SEEN / max(1, pairs))), _MOST_EPOCHS)
    dropout = 0.3 if pairs < _SMALL else 0.1 if pairs < _MIDDLE else 0
    return [
        *(tokenizer if source.isdisjoint(target) else []),
        "model:",
        "  decoder_layers: 2",
        f"  dropout: {dropout}  # more for fewer pairs, none for many",
        "training:",
        f"  max_epochs: {epochs}  # times over the corpus; more pairs need fewer",
        "  schedule: linear",
        "  learning_rate: 2.5e-3",
    ]
