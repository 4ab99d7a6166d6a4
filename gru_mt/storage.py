"""Files that are whole or absent, checksummed JSON, and output that goes where a user says."""

import errno
import hashlib
import json
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from gru_mt.errors import UserError, short_text

# What a process writes before it takes the place of a file; older versions had more after its id.
_TEMPORARY = re.compile(r"\.(?P<name>.+)\.(?P<pid>\d+)(-\d*)?\.(?P<kind>part|old)")
_SAFETENSORS = re.compile(r"\.tmp\w{6}")  # a file of that library while it is being written


@contextmanager
def os_errors_as(name: object, done: str = "written", more: str = "") -> Iterator[None]:
    """Raise UserError instead of OSError: `name` cannot be `done`, and why; then `more`."""
    try:
        yield
    except OSError as error:
        raise UserError(f"{name}: cannot be {done}: {error.strerror or error}{more}") from error


def _beside(path: Path, kind: str) -> Path:
    """Return a path beside `path` that no other process uses."""
    return path.with_name(f".{path.name}.{os.getpid()}.{kind}")


def is_temporary(name: str) -> bool:
    """Return whether a file has the name of something half-written by `replacing`."""
    return _TEMPORARY.fullmatch(name) is not None


def clear_temporaries(folder: Path, name: str | None = None) -> None:
    """Remove what killed processes left half-written in `folder`; put back what they moved away.

    With `name`, only what belongs to that file or folder is removed, and nothing of another process
    that lives. Without it, all is removed, so no other process may be writing there.
    """
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if name is None and _SAFETENSORS.fullmatch(path.name):
            path.unlink()
        match = _TEMPORARY.fullmatch(path.name)
        if not match or name not in (None, match["name"]):
            continue
        if name and _lives_elsewhere(int(match["pid"])):
            continue
        whole = folder / match["name"]
        if match["kind"] == "old" and not whole.exists():
            path.rename(whole)
        elif path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _lives_elsewhere(pid: int) -> bool:
    """Return whether another process than this one has an id; True where that cannot be told."""
    try:
        if os.name == "posix":  # elsewhere signal 0 would end the process
            os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # it is another user's
        return True
    return pid != os.getpid()


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

    The umask decides who may read it. Raises UserError where it cannot be written.
    """
    temporary = _beside(path, "part")
    try:
        with os_errors_as(path, more="; what was saved before is still there"):
            clear_temporaries(path.parent, path.name)
            temporary.touch()
            mode = temporary.stat().st_mode
            yield temporary
            temporary.chmod(mode)  # the writer may have let only the owner read it
            with temporary.open("rb+") as file:
                os.fsync(file.fileno())
            temporary.replace(path)
            _sync_folder(path.parent)
    finally:
        with suppress(OSError):
            temporary.unlink()


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """Yield a new folder to fill, which then takes the place of `path`; see `replacing`.

    After a kill between its two renames `clear_temporaries` puts back what was there.
    """
    path = path.resolve()
    temporary, old = _beside(path, "part"), _beside(path, "old")
    try:
        with os_errors_as(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            clear_temporaries(path.parent, path.name)
            temporary.mkdir()
            yield temporary
            if path.exists():
                path.rename(old)
            temporary.rename(path)
            _sync_folder(path.parent)
        shutil.rmtree(old, ignore_errors=True)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def copy_others(folder: Path, into: Path, is_own: Callable[[Path], bool]) -> None:
    """Copy what is in a folder, if it is there, and is not its owner's, into another."""
    for path in folder.iterdir() if folder.is_dir() else []:
        if is_own(path):
            continue
        if path.is_dir():
            shutil.copytree(path, into / path.name, symlinks=True)
        else:
            shutil.copy2(path, into / path.name, follow_symlinks=False)


def remove_folder(path: Path) -> None:
    """Remove a folder in one step: what a kill leaves of it, `clear_temporaries` removes."""
    gone = _beside(path, "part")
    path.rename(gone)
    shutil.rmtree(gone, ignore_errors=True)


def write_file(path: Path, content: bytes) -> None:
    """Write `content`; see `replacing`."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def write_new(path: Path, content: bytes) -> None:
    """Write `content` as `write_file` does, unless the file holds it already."""
    if not path.is_file() or path.read_bytes() != content:
        write_file(path, content)


def append_line(path: Path, line: str) -> None:
    """Add a line to a text file; UserError where it cannot be written."""
    with os_errors_as(path), path.open("a", encoding="utf-8", errors="backslashreplace") as file:
        file.write(f"{line}\n")


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
    name = short_text(path)
    with os_errors_as(name, "read"), path.open("rb") as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise UserError(f"{name}: more than {most_bytes:,} bytes, too long for what it is")
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
    """Return `values` with their digest added as "sha256"; see `verify_checksum`."""
    text = json.dumps(values, sort_keys=True)
    return {**values, "sha256": hashlib.sha256(text.encode()).hexdigest()}


def write_checksummed_json(path: Path, values: Mapping[str, Any]) -> None:
    """Write `values` with their digest; see `write_json`."""
    write_json(path, checksummed(values))


def read_checksummed_json(path: Path) -> dict[str, Any]:
    """Return what `write_checksummed_json` wrote; UserError where it is missing or damaged."""
    return verify_checksum(read_json(path), path)


def verify_checksum(values: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return what `checksummed` was given; UserError that names `path` if it changed."""
    if "sha256" not in values:
        raise UserError(f"{path}: damaged: it carries no digest of its contents")
    contents = {name: value for name, value in values.items() if name != "sha256"}
    if checksummed(contents)["sha256"] != values["sha256"]:
        raise UserError(f"{path}: damaged: its contents do not match its digest")
    return contents


def file_stamp(path: Path) -> tuple[int, int, int]:
    """Return what changes where a file is replaced: its time in ns first; zeros without one."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0, 0
    return found.st_mtime_ns, found.st_size, found.st_ino


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with os_errors_as(path, "read"), path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_output(path: Path, reads: Iterable[Path] = ()) -> None:
    """Raise UserError where `write_output` cannot write, or would replace what is read.

    Nothing is written.
    """
    with os_errors_as(path):
        if path.exists() and any(path.samefile(read) for read in reads if read.exists()):
            raise UserError(f"{short_text(path)}: is the input itself; name another file")
        stream = _stream(path)
        if isinstance(stream, int):
            return
        if path.is_dir():
            raise UserError(f"{path}: cannot be written: is a folder")
        there = stream or Path(os.path.realpath(path)).parent
        if not there.exists():
            raise UserError(f"{path}: cannot be written: there is no folder {there}")
        if not os.access(there, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def write_output(path: Path, content: bytes) -> None:
    """Write `content` where a user wants it: through symlinks, FIFOs and devices, which stay.

    Only a regular file is replaced, in one step; see `replacing`. Raises UserError on failure.
    """
    with os_errors_as(path):
        stream = _stream(path)
        if stream is None:
            write_file(Path(os.path.realpath(path)), content)
            return
        with open(stream, "wb", closefd=stream is path) as file:
            file.write(content)


def _stream(path: Path) -> Path | int | None:
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
