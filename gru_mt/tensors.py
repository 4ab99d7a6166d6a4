"""Tensors on disk, in files that carry their own digest and load without running any code.

Only functions that read or write tensors import torch.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from safetensors import SafetensorError, safe_open

from gru_mt.errors import UserError
from gru_mt.storage import replacing

if TYPE_CHECKING:
    from torch import Tensor

_ENTRY = "gru_mt"  # the key in a file's metadata
_MOST_HEADER_BYTES = 10_000_000  # of a file's own table; that of a large model takes 100 kB


def save_tensors(path: Path, tensors: "Mapping[str, Tensor]", header: Mapping[str, Any]) -> None:
    """Write tensors and a JSON header as one safetensors file that carries its own digest."""
    from safetensors.torch import save_file

    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    text = json.dumps(header, ensure_ascii=False)
    # One entry alone: safetensors writes several in an order that changes from run to run.
    entry = json.dumps({"header": text, "sha256": _digest(tensors, text)})
    with replacing(path) as temporary:
        try:
            save_file(tensors, temporary, {_ENTRY: entry})
        except SafetensorError as error:  # mostly a full disk
            raise OSError(str(error)) from None


def load_tensors(path: Path) -> "tuple[dict[str, Tensor], dict[str, Any]]":
    """Return the tensors and the header of a file by `save_tensors`.

    Raises UserError where it is missing, truncated, changed, or of another program.
    """
    with _open_tensors(path, "pt") as file:
        entry = _read_entry(path, file)
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 no dict
    if _digest(tensors, entry.text) != entry.digest:
        raise UserError(f"{path}: damaged: its contents do not match its digest")
    return tensors, entry.header


def tensors_digest(path: Path) -> str:
    """Return the digest that a file by `save_tensors` carries; its tensors are not read.

    Raises UserError where it is missing, truncated, or of another program.
    """
    with _open_tensors(path, "np") as file:
        return _read_entry(path, file).digest


def tensors_header(path: Path) -> dict[str, Any]:
    """Return the header of a file by `save_tensors`; its tensors are not read.

    Raises UserError as `tensors_digest` does.
    """
    with _open_tensors(path, "np") as file:
        return _read_entry(path, file).header


def tensors_shapes(path: Path) -> dict[str, list[int]]:
    """Return the shape of each tensor of a file by its name; the tensors are not read.

    Raises UserError where the file is missing or truncated.
    """
    with _open_tensors(path, "np") as file:
        return {name: file.get_slice(name).get_shape() for name in file.keys()}  # noqa: SIM118


@contextmanager
def _open_tensors(path: Path, framework: str) -> Iterator[Any]:
    try:
        with path.open("rb") as raw:  # safetensors would call any file that it cannot open missing
            size = int.from_bytes(raw.read(8), "little")
        if size > _MOST_HEADER_BYTES:
            raise UserError(f"{path}: damaged: its table of tensors has {size:,} bytes")
        with safe_open(path, framework=framework) as file:
            yield file
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror or error}") from None
    except SafetensorError as error:
        raise UserError(f"{path}: damaged or truncated ({error})") from None


class _Entry(NamedTuple):
    """What `save_tensors` writes beside the tensors."""

    text: str  # the header as JSON
    header: dict[str, Any]
    digest: str


def _read_entry(path: Path, file: Any) -> _Entry:
    entry = (file.metadata() or {}).get(_ENTRY)
    if entry is None:
        raise UserError(f"{path}: not written by gru-mt")
    try:
        text, digest = itemgetter("header", "sha256")(json.loads(entry))
        header = json.loads(text)
        text.encode()  # raises for half of a surrogate pair
        if not isinstance(header, dict):
            raise ValueError("its header is no JSON object")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise UserError(f"{path}: damaged: {error}") from None
    return _Entry(text, header, digest)


def _digest(tensors: "Mapping[str, Tensor]", header: str) -> str:
    import torch

    digest = hashlib.sha256(header.encode())
    for name, tensor in sorted(tensors.items()):
        digest.update(f"\n{name} {tensor.dtype} {list(tensor.shape)}\n".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
