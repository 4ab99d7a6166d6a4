"""Tensors on disk, in files that carry their own digest and load without running any code.

Only functions that read or write tensors import torch.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from safetensors import SafetensorError, safe_open

from gru_mt.errors import UserError
from gru_mt.storage import os_errors_as, replacing

if TYPE_CHECKING:
    from torch import Tensor

_ENTRY = "gru_mt"  # the key in a file's metadata
_MOST_HEADER_BYTES = 10_000_000  # of a file's own table; that of a large model takes 100 kB


class TensorsInfo(NamedTuple):
    """What a file by `save_tensors` holds beside the numbers."""

    header: dict[str, Any]
    digest: str
    shapes: dict[str, list[int]]  # of each tensor by its name


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
    with _opened(path, "pt") as (file, text, info):
        tensors = {name: file.get_tensor(name) for name in info.shapes}
    if _digest(tensors, text) != info.digest:
        raise UserError(f"{path}: damaged: its contents do not match its digest")
    return tensors, info.header


def tensors_info(path: Path) -> TensorsInfo:
    """Return what a file by `save_tensors` says of itself; its tensors are not read.

    Raises UserError where it is missing, truncated, or of another program.
    """
    with _opened(path, "np") as (_, _, info):
        return info


@contextmanager
def _opened(path: Path, framework: str) -> Iterator[tuple[Any, str, TensorsInfo]]:
    """Yield the open file, its header as JSON, and what it says of itself."""
    try:
        with os_errors_as(path, "read"):
            with path.open("rb") as raw:  # safetensors calls any file that it cannot open missing
                size = int.from_bytes(raw.read(8), "little")
            if size > _MOST_HEADER_BYTES:
                raise UserError(f"{path}: damaged: its table of tensors has {size:,} bytes")
            with safe_open(path, framework=framework) as file:
                yield file, *_read_entry(path, file)
    except SafetensorError as error:
        raise UserError(f"{path}: damaged or truncated ({error})") from None


def _read_entry(path: Path, file: Any) -> tuple[str, TensorsInfo]:
    entry = (file.metadata() or {}).get(_ENTRY)
    if entry is None:
        raise UserError(f"{path}: not written by gru-mt")
    try:
        values = json.loads(entry)
        text, digest = values["header"], values["sha256"]
        header = json.loads(text)
        text.encode()  # raises for half of a surrogate pair
        if not isinstance(header, dict):
            raise ValueError("its header is no JSON object")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise UserError(f"{path}: damaged: {error}") from None
    shapes = {name: file.get_slice(name).get_shape() for name in file.keys()}  # noqa: SIM118
    return text, TensorsInfo(header, digest, shapes)


def _digest(tensors: "Mapping[str, Tensor]", header: str) -> str:
    import torch

    digest = hashlib.sha256(header.encode())
    for name, tensor in sorted(tensors.items()):
        digest.update(f"\n{name} {tensor.dtype} {list(tensor.shape)}\n".encode())
        digest.update(tensor.reshape(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
