"""Files that are whole or absent, and output that goes where a user says."""

import ctypes
import errno
import hashlib
import json
import os
import re
import shutil
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from gru_mt.errors import UserError, short_text

_TEMPORARY = re.compile(r"\.(?P<name>.+)\.(?P<pid>\d+)-(?P<began>\d*)\.(?P<kind>part|old)")

_SAFETENSORS = re.compile(r"\.tmp\w{6}")  # a file of that library while it is being written


def _beside(path: Path, kind: str) -> Path:
    """Return a path beside `path` that no other process uses."""
    pid = os.getpid()
    return path.with_name(f".{path.name}.{pid}-{_began(pid)}.{kind}")


def _began(pid: int) -> str:
    """Return when a process began, in ticks since the machine started.

    Two processes may have the same id, one after the other, but not the same start too. Only Linux
    tells the start; elsewhere, or if the process is gone, it is "".
    """
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[19]  # field 22; the name before it may hold spaces


def is_temporary(name: str) -> bool:
    """Return whether a file has the name of something half-written by `replacing`."""
    return _TEMPORARY.fullmatch(name) is not None


def clear_temporaries(folder: Path, name: str | None = None) -> None:
    """Remove what killed processes left half-written in `folder`; put back what they moved away.

    With `name`, only leftovers of that file or folder are removed, and only those of processes that
    have ended. Without it, all are removed, so no other process may be writing there.
    """
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        if name is None and _SAFETENSORS.fullmatch(path.name):
            path.unlink()
        match = _TEMPORARY.fullmatch(path.name)
        if not match or name not in (None, match["name"]):
            continue
        if name and _began(int(match["pid"])) == match["began"]:
            continue
        whole = folder / match["name"]
        if match["kind"] == "old" and not whole.exists():
            path.rename(whole)
        elif path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _sync_folder(folder: Path) -> None:
    """Make a rename in `folder` survive a power cut, where the system can do that."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary file to write, which then takes the place of `path` in one step.

    So `path` holds either all of the new or what it held before. The umask decides who may read it.
    Raises UserError where it cannot be written, mostly because the disk is full.
    """
    temporary = _beside(path, "part")
    try:
        clear_temporaries(path.parent, path.name)
        temporary.touch()
        mode = temporary.stat().st_mode
        yield temporary
        temporary.chmod(mode)  # the writer may have let only the owner read it
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        reason = error.strerror or error
        raise UserError(
            f"{path}: cannot be written: {reason}; what was saved before is still there"
        ) from error
    finally:
        with suppress(OSError):
            temporary.unlink()


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """Yield a new folder to fill, which then takes the place of `path`; see `replacing`.

    Linux exchanges the two in one step. Elsewhere `path` is not there for a moment between two
    renames, which `clear_temporaries` mends after a kill.
    """
    path = path.resolve()
    temporary, old = _beside(path, "part"), _beside(path, "old")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        clear_temporaries(path.parent, path.name)
        temporary.mkdir()
        yield temporary
        if not _exchange(temporary, path):
            if path.exists():
                path.rename(old)
            temporary.rename(path)
        _sync_folder(path.parent)
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def remove_folder(path: Path) -> None:
    """Remove a folder in one step: what a kill leaves of it, `clear_temporaries` removes."""
    gone = _beside(path, "part")
    path.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Swap the places of both in one step; return whether that was possible.

    It calls Linux's renameat2 (see its manual page), which Python does not offer.
    """
    in_working_folder, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    if sys.platform != "linux" or not hasattr(libc := ctypes.CDLL(None), "renameat2"):
        return False
    paths = (os.fsencode(one), os.fsencode(other))
    failed = libc.renameat2(in_working_folder, paths[0], in_working_folder, paths[1], exchange)
    return not failed


def write_file(path: Path, content: bytes) -> None:
    """Write `content`; see `replacing`."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def write_new(path: Path, content: bytes) -> bool:
    """Write `content` as `write_file` does, but return False where the file holds it already."""
    if path.is_file() and path.read_bytes() == content:
        return False
    write_file(path, content)
    return True


def append_line(path: Path, line: str) -> None:
    """Add a line to a text file; UserError where it cannot be written."""
    try:
        with path.open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{line}\n")
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from None


def json_bytes(values: Mapping[str, Any]) -> bytes:
    """Return `values` as JSON for people and programs."""
    return json.dumps(values, ensure_ascii=False, indent=2).encode()


def write_json(path: Path, values: Mapping[str, Any]) -> None:
    """Write `values` as `json_bytes` gives them; see `write_file`."""
    write_file(path, json_bytes(values))


def read_bytes(path: Path, *, most_bytes: int) -> bytes:
    """Return what a file holds; UserError where it cannot be read or has more than `most_bytes`.

    No more is read: a device such as /dev/zero has no end.
    """
    try:
        with path.open("rb") as file:
            content = file.read(most_bytes + 1)
    except OSError as error:
        raise UserError(f"{short_text(path)}: cannot be read: {error.strerror}") from None
    if len(content) > most_bytes:
        raise UserError(
            f"{short_text(path)}: more than {most_bytes:,} bytes, too long for what it is"
        )
    return content


def read_json(path: Path, *, most_bytes: int = 1_000_000_000) -> dict[str, Any]:
    """Return what `write_json` wrote; UserError where it is missing, damaged or longer."""
    content = read_bytes(path, most_bytes=most_bytes)
    try:
        values = json.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: damaged: not JSON ({error})") from None
    if not isinstance(values, dict):
        raise UserError(f"{path}: damaged: not a JSON object")
    return values


def checksummed(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return `values` with their digest added as "sha256"; see `read_checksummed_json`."""
    return {**values, "sha256": _json_digest(values)}


def write_checksummed_json(path: Path, values: Mapping[str, Any]) -> None:
    """Write `values` as `checksummed` gives them; see `write_json`."""
    write_json(path, checksummed(values))


def read_checksummed_json(path: Path) -> dict[str, Any]:
    """Return what `write_checksummed_json` wrote; UserError where it is missing or damaged."""
    return verify_checksum(read_json(path), path)


def verify_checksum(values: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return what `checksummed` was given; UserError that names `path` if it changed."""
    if "sha256" not in values:
        raise UserError(f"{path}: damaged: it carries no digest of its contents")
    if values.pop("sha256") != _json_digest(values):
        raise UserError(f"{path}: damaged: its contents do not match its digest")
    return values


def _json_digest(values: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None


def check_output(path: Path) -> None:
    """Raise UserError where `write_output` cannot write; nothing is written."""
    with _refusing_output(path):
        place = _written_through(path)
        if place is None:
            place = Path(os.path.realpath(path)).parent
            if not place.is_dir():
                raise UserError(f"{path}: cannot be written: there is no folder {place}")
        elif path.is_dir():
            raise UserError(f"{path}: cannot be written: is a folder")
        if isinstance(place, Path) and not os.access(place, os.W_OK):
            raise UserError(f"{path}: cannot be written: {os.strerror(errno.EACCES)}")


def write_output(path: Path, content: bytes) -> None:
    """Write `content` where a user wants it: through symlinks, FIFOs and devices, which stay.

    Only a regular file is replaced, in one step; see `replacing`. Raises UserError on failure.
    """
    with _refusing_output(path):
        place = _written_through(path)
        if place is None:
            write_file(Path(os.path.realpath(path)), content)
        else:
            with open(place, "wb", closefd=place is path) as file:
                file.write(content)


def _written_through(path: Path) -> Path | int | None:
    """Return the descriptor of stdout or stderr if `path` is that; `path` if it is no regular file.

    None means that `path` can be replaced. stdout may be a regular file too, but if that were
    replaced, later prints would go to the old file.
    """
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    for descriptor in (1, 2):
        with suppress(OSError):  # it is closed
            if os.path.samestat(status, os.fstat(descriptor)):
                return descriptor
    return None if stat.S_ISREG(status.st_mode) else path


@contextmanager
def _refusing_output(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from None
