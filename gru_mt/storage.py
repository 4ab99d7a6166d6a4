"""Files that are whole or absent, and tensors on disk that load without running any code.

torch is imported by what reads or writes tensors, and by nothing else.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from safetensors import SafetensorError, safe_open

from gru_mt.errors import UserError

if TYPE_CHECKING:
    from torch import Tensor

WEIGHTS = "weights.safetensors"  # of a bundle
SUMMARY = "summary.json"  # of a finished run
_ENTRY = "gru_mt"  # of a safetensors file's metadata


def bundle_folder(folder: Path) -> Path:
    """Return the bundle of a run's folder, or `folder` itself."""
    return folder / "model" if (folder / "model").is_dir() else folder


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary file to write, which then takes the place of `path` in one step.

    So `path` holds either all of the new or what it held before. Raises UserError where it cannot
    be written, on a full disk above all.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield temporary
        with temporary.open("rb+") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    except (OSError, SafetensorError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UserError(
            f"{path}: cannot be written: {reason}; what was saved before is still there"
        ) from error
    finally:
        with suppress(OSError):
            temporary.unlink()


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """Yield a new folder to fill, which then takes the place of `path`; see `replacing`."""
    path = path.resolve()
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    old = temporary.with_suffix(".old")
    try:
        temporary.mkdir(parents=True)
        yield temporary
        if path.exists():
            path.rename(old)
        temporary.rename(path)
        shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def write_file(path: Path, content: bytes) -> None:
    """Write `content`; see `replacing`."""
    with replacing(path) as temporary:
        temporary.write_bytes(content)


def append_line(path: Path, line: str) -> None:
    """Add a line to a text file; UserError where it cannot be written."""
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from None


def write_json(path: Path, values: Mapping[str, Any]) -> None:
    """Write `values` for people and programs; see `write_file`."""
    write_file(path, json.dumps(values, ensure_ascii=False, indent=2).encode())


def read_json(path: Path) -> dict[str, Any]:
    """Return what `write_json` wrote; UserError where it is missing or damaged."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise UserError(f"{path}: damaged: not JSON ({error})") from None
    if not isinstance(values, dict):
        raise UserError(f"{path}: damaged: not a JSON object")
    return values


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None


def save_tensors(path: Path, tensors: "Mapping[str, Tensor]", header: Mapping[str, Any]) -> None:
    """Write tensors and a JSON header as one safetensors file that carries its own digest."""
    from safetensors.torch import save_file

    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    text = json.dumps(header, ensure_ascii=False)
    # One entry alone: safetensors writes several in an order that changes from run to run.
    entry = json.dumps({"header": text, "sha256": _digest(tensors, text)})
    with replacing(path) as temporary:
        save_file(tensors, temporary, {_ENTRY: entry})


def load_tensors(path: Path) -> "tuple[dict[str, Tensor], dict[str, Any]]":
    """Return the tensors and the header of a file by `save_tensors`.

    Raises UserError where it is missing, cut off, changed, or of another program.
    """
    with _open_tensors(path, "pt") as file:
        text, digest = _read_entry(path, file)
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 no dict
    if _digest(tensors, text) != digest:
        raise UserError(f"{path}: damaged: its contents do not match its digest")
    header: dict[str, Any] = json.loads(text)
    return tensors, header


def tensors_digest(path: Path) -> str:
    """Return the digest that a file by `save_tensors` carries; its tensors are not read.

    Raises UserError where it is missing, cut off, or of another program.
    """
    with _open_tensors(path, "np") as file:
        return _read_entry(path, file)[1]


@contextmanager
def _open_tensors(path: Path, framework: str) -> Iterator[Any]:
    try:
        with safe_open(path, framework=framework) as file:
            yield file
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror or error}") from None
    except SafetensorError as error:
        raise UserError(f"{path}: damaged or cut off ({error})") from None


def _read_entry(path: Path, file: Any) -> tuple[str, str]:
    """Return the header and the digest of everything."""
    entry = (file.metadata() or {}).get(_ENTRY)
    if entry is None:
        raise UserError(f"{path}: not written by gru-mt")
    try:
        text, digest = itemgetter("header", "sha256")(json.loads(entry))
    except (ValueError, LookupError, TypeError) as error:
        raise UserError(f"{path}: damaged: {error}") from None
    return text, digest


def _digest(tensors: "Mapping[str, Tensor]", header: str) -> str:
    import torch

    digest = hashlib.sha256(header.encode())
    for name, tensor in sorted(tensors.items()):
        digest.update(f"\n{name} {tensor.dtype} {list(tensor.shape)}\n".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()


def write_signed_json(path: Path, values: Mapping[str, Any]) -> None:
    """Write `values` with their digest among them, as "sha256"; see `write_json`."""
    write_json(path, {**values, "sha256": _json_digest(values)})


def read_signed_json(path: Path) -> dict[str, Any]:
    """Return what `write_signed_json` wrote; UserError where it is missing, damaged or changed."""
    values = read_json(path)
    if "sha256" not in values:
        raise UserError(f"{path}: damaged: it carries no digest of its contents")
    if values.pop("sha256") != _json_digest(values):
        raise UserError(f"{path}: damaged: its contents do not match its digest")
    return values


def _json_digest(values: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
