"""A split as plain text, for other toolkits, in a folder of its own."""

import re
import shutil
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from pathlib import Path

from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.data.splits import Splits
from gru_mt.errors import UserError, short_repr
from gru_mt.storage import os_errors_as

MARKER = ".gru-mt-split"  # lists the files written; only they may be replaced or deleted
_MARKER_TITLE = "Written by gru-mt data, which replaces or deletes these files when it writes again"
_NAME = re.compile(r"(train|dev|test)\.[\w.-]+")


def write_splits(
    splits: Splits,
    folder: Path,
    source_language: str,
    target_language: str,
    *,
    reads: Sequence[Path] = (),
) -> None:
    """Write train, dev and test as plain text, one sentence a line.

    For en to fr the files are train.en and train.fr, and for dev: dev.en with the sources, dev.fr
    with the first reference of each, and dev.fr1, dev.fr2, ... with further ones. A line is empty
    where there is none. Where dev has several sets, each has its name: dev.mine.en. test has the
    same files as dev. An earlier split in `folder` is replaced as a whole. Raises UserError if
    `folder` is neither new nor empty nor of an earlier split, a file of `reads` would be replaced,
    or it cannot be written.
    """
    texts = _texts(splits, source_language, target_language)
    temporary = folder / f"{MARKER}.part"

    def write(name: str, lines: Iterable[str]) -> None:
        with (temporary / name).open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)

    def mark(names: Iterable[str]) -> None:
        write(MARKER, [_MARKER_TITLE, *sorted(names)])
        (temporary / MARKER).replace(folder / MARKER)

    with os_errors_as(folder):
        folder.mkdir(parents=True, exist_ok=True)
        earlier = _earlier(folder, texts.keys(), reads)
        shutil.rmtree(temporary, ignore_errors=True)  # left by a call that was killed
        temporary.mkdir()
        try:
            for name, lines in texts.items():
                write(name, lines)
            mark(earlier | texts.keys())  # first, so a kill leaves all listed
            for name in earlier - texts.keys():
                (folder / name).unlink(missing_ok=True)
            for name in texts:
                (temporary / name).replace(folder / name)
            mark(texts)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def _texts(splits: Splits, source_language: str, target_language: str) -> dict[str, Iterable[str]]:
    texts: list[tuple[str, Iterable[str]]] = [
        (f"train.{source_language}", (example.source for example in splits.train)),
        (f"train.{target_language}", (example.target for example in splits.train)),
    ]
    for split, sets in (("dev", splits.dev), ("test", splits.test)):
        for found in sets or [EvaluationSet([], [])]:
            name = f"{split}.{found.name}" if len(sets) > 1 else split
            texts.append((f"{name}.{source_language}", found.sources))
            columns = [*zip_longest(*found.references, fillvalue="")] or [()]
            for number, column in enumerate(columns):
                texts.append((f"{name}.{target_language}{number or ''}", column))
    by_name = dict(texts)
    for name in by_name:
        if not _NAME.fullmatch(name):
            raise UserError(
                f"{short_repr(name)} cannot be a file's name: use letters, digits, - and _ in "
                "data.languages and in names of sets"
            )
    if len(by_name) < len(texts):
        raise UserError(
            f"data.languages: {source_language} and {target_language} give two files one name; "
            f"references are numbered, as in dev.{target_language}1"
        )
    return by_name


def _earlier(folder: Path, names: Iterable[str], reads: Sequence[Path]) -> set[str]:
    """Return the file names of `folder`'s earlier split; UserError if `names` cannot go there."""
    marker = folder / MARKER
    foreign = {path.name for path in folder.iterdir()} - {MARKER, f"{MARKER}.part"}
    listed = set()
    if marker.is_file():
        lines = marker.read_text(encoding="utf-8", errors="replace").split("\n")
        listed = {line for line in lines if _NAME.fullmatch(line)}
        foreign = foreign & {*names} - listed
    if foreign:
        raise UserError(
            f"{folder}: holds {short_repr(min(foreign))}, which gru-mt data did not write; name a "
            "new or an empty folder with --out"
        )
    for path in [folder / name for name in sorted(listed)]:
        if any(path.exists() and read.exists() and path.samefile(read) for read in reads):
            raise UserError(f"{path}: the configuration reads it; name another folder with --out")
    return listed
