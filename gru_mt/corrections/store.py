"""Corrections: better translations, by people, kept in a run as lines of JSON, only ever added."""

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from portalocker import LockException, LockFlags, lock

from gru_mt.data.text.normalize import clean, normal
from gru_mt.data.text.terms.glossary import CONTROL, read_columns
from gru_mt.data.tokenizer.special import PLACEHOLDER
from gru_mt.errors import UserError, check_type, short_repr, short_text
from gru_mt.run import CONFIG, Run, check_path, named
from gru_mt.storage import os_errors_as, read_bytes

LONGEST = 2_000  # characters of a sentence or a translation
MOST_BYTES = 100_000_000  # of the file
_PARTS = ("model", "onnx", "onnx-int8")  # folders of a run that users name too


@dataclass(frozen=True, slots=True)
class Correction:
    """What a sentence should become."""

    source: str
    target: str  # "" takes the sentence's correction back
    time: str = ""  # when it was added, in UTC: 2026-01-31T12:00:00+00:00
    by: str = ""  # who added it

    def __post_init__(self) -> None:
        """Raise UserError for a text that is no line, or longer than LONGEST."""
        for name, text in asdict(self).items():
            check_type(text, str, f"the {name}")
            if len(text) > LONGEST:
                raise UserError(
                    f"the {name} has {len(text):,} characters, more than {LONGEST:,}; correct "
                    "sentence by sentence"
                )
            if CONTROL.search(text) or PLACEHOLDER.search(text):
                raise UserError(f"a control character in {short_repr(text)}; correct line by line")
        if not any(map(str.isalpha, self.source)):
            raise UserError(f"nothing is translated in the source {short_repr(self.source)}")

    @classmethod
    def of(cls, source: str, target: str, by: str) -> Self:
        """Return the correction that somebody makes now; UserError where one text is empty."""
        for text in (source, target):
            check_type(text, str, "a sentence")
        time = datetime.now(UTC).isoformat(timespec="seconds")
        one = cls(normal(source).strip(), normal(target).strip(), time, by)
        if not one.target:
            raise UserError("the translation is empty; write one")
        return one


def corrections_file(folder: Path) -> Path:
    """Return the file of corrections of a run, whose model or export `folder` may be as well."""
    folder = named(folder)
    is_part = folder.name in _PARTS and (folder.parent / CONFIG).is_file()
    return Run(folder.parent if is_part else folder).corrections


def check_run(folder: Path) -> None:
    """Raise UserError where a folder holds no run, so that nothing can be kept there."""
    check_path(folder)
    if not (corrections_file(folder).parent / CONFIG).is_file():
        raise UserError(f"{short_text(folder)}: holds no run; corrections are kept in a run")


def read_table(path: Path, by: str) -> list[Correction]:
    """Return the corrections of a UTF-8 file with lines of "sentence<TAB>translation".

    Raises UserError, which names the line, for one that is malformed.
    """
    found = []
    for where, source, target in read_columns(path, "sentence"):
        try:
            found.append(Correction.of(source, target, by))
        except UserError as error:
            raise UserError(f"{where}: {error}") from None
    return found


def add_corrections(folder: Path, new: Iterable[Correction]) -> None:
    """Add corrections to a run. Of one sentence the newest counts.

    Several processes may add at once. Raises UserError, and adds none, where the folder holds no
    run, and where the file cannot be written.
    """
    check_run(folder)
    path = corrections_file(folder)
    lines = "".join(f"{json.dumps(asdict(one), ensure_ascii=False)}\n" for one in new).encode()
    with os_errors_as(path), path.open("a+b") as file:
        try:
            lock(file, LockFlags.EXCLUSIVE)
        except LockException as error:
            raise UserError(f"{path}: cannot be locked: {error}") from None
        file.seek(0)
        last = file.read().rpartition(b"\n")[2]
        end = file.tell()
        if last.rstrip().endswith(b"}"):  # an editor left it without its end
            lines = b"\n" + lines
        elif last:  # of an append that was cut off
            end -= len(last)
            file.truncate(end)
        if end + len(lines) > MOST_BYTES:
            raise UserError(f"{path}: would have more than {MOST_BYTES:,} bytes; remove old lines")
        try:
            file.write(lines)
            file.flush()
            os.fsync(file.fileno())
        except OSError:  # the disk is full
            file.truncate(end)
            raise


def removal(folder: Path, source: str, by: str) -> Correction:
    """Return what takes a sentence's correction back once it is added; UserError without one."""
    known = {clean(one.source): one for one in read_corrections(folder)}
    if not (one := known.get(clean(source))):
        raise UserError(f"{short_repr(source)}: in no correction; gru-mt correct --list shows all")
    return replace(Correction.of(one.source, one.target, by), target="")


def read_corrections(folder: Path) -> list[Correction]:
    """Return the corrections of a run, the newest of each sentence, in the order of their times.

    A line that is being written, or was cut off, is left out. Raises UserError, which names the
    line, where one is damaged.
    """
    path = corrections_file(folder)
    if not path.is_file():
        return []
    found: dict[str, Correction] = {}
    lines = read_bytes(path, most_bytes=MOST_BYTES).split(b"\n")
    for number, line in enumerate(map(bytes.strip, lines), start=1):
        if not line:
            continue
        try:
            one = Correction(**json.loads(line))
        except (ValueError, TypeError, RecursionError, UserError) as error:
            if number == len(lines) and not line.endswith(b"}"):  # half a line
                break
            raise UserError(
                f"{path}:{number}: damaged: {short_text(error)}; remove the line"
            ) from None
        key = clean(one.source)
        found.pop(key, None)  # so that the newest comes last
        if one.target:
            found[key] = one
    return [*found.values()]
