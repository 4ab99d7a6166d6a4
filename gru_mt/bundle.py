"""A trained translator on disk: a folder with weights, tokenizer, configuration and provenance.

Loading runs no code from it, and refuses a file that is missing, damaged or from another bundle.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from pydantic import BaseModel, ConfigDict, ValidationError
from torch import Tensor, nn

from gru_mt.config.load import load_config
from gru_mt.config.schema import Config
from gru_mt.config.yaml_text import dump_config
from gru_mt.data.tokenizer.tokenizer import MAX_BYTES, Tokenizer
from gru_mt.errors import UserError, short_text
from gru_mt.model.seq2seq import Seq2Seq
from gru_mt.run import CONFIG, PROVENANCE, WEIGHTS, bundle_of
from gru_mt.storage import (
    copy_others,
    file_digest,
    json_bytes,
    read_json,
    replacing_folder,
    write_file,
)
from gru_mt.tensors import load_tensors, save_tensors, tensors_info

_PROVENANCE_BYTES = 10_000_000  # of the file; a thousand corpora take a fiftieth
_LARGEST = 1e6  # of a weight; far larger ones overflow in the sums that translating computes


@dataclass(frozen=True, slots=True)
class Bundle:
    """Everything that translating needs, and where it comes from."""

    model: Seq2Seq
    tokenizer: Tokenizer
    config: Config
    provenance: dict[str, Any]


def build_model(config: Config, tokenizer: Tokenizer) -> Seq2Seq:
    """Return a model of the tokenizer's sizes. torch's default generator draws its weights."""
    return Seq2Seq(
        config.model,
        source_size=tokenizer.source.size,
        target_size=tokenizer.target.size,
        joint=tokenizer.joint,
    )


def named_tensors(model: nn.Module) -> dict[str, Tensor]:
    """Return the model's parameters by name, tied ones once."""
    return {name: parameter.detach() for name, parameter in model.named_parameters()}


def load_named_tensors(model: nn.Module, tensors: dict[str, Tensor], where: Path) -> None:
    """Copy `tensors` into the model; UserError where a name or a shape is not the model's."""
    _check_shapes(model, {name: [*tensor.shape] for name, tensor in tensors.items()}, where)
    for name, parameter in named_tensors(model).items():
        parameter.copy_(tensors[name])


def _check_shapes(model: nn.Module, shapes: dict[str, list[int]], where: Path) -> None:
    parameters = named_tensors(model)
    if odd := sorted(parameters.keys() ^ shapes.keys()):
        raise UserError(f"{where}: not weights of this configuration's model: {short_text(odd[0])}")
    for name, parameter in parameters.items():
        if [*parameter.shape] != shapes[name]:
            raise UserError(
                f"{where}: {name} is {shapes[name]}, but this configuration's model has "
                f"{[*parameter.shape]}"
            )


def save_bundle(folder: Path, bundle: Bundle, metadata: dict[str, Any]) -> None:
    """Write the bundle, with `metadata` about its weights. The folder is whole at every moment.

    If the folder holds the same bundle with other weights, only the weights are replaced. Else the
    whole folder is replaced in one step; other files in it, such as exports, are copied first.
    """
    files = {
        **bundle.tokenizer.files(),
        CONFIG: dump_config(bundle.config).encode(),
        PROVENANCE: json_bytes(bundle.provenance),
    }
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in sorted(files.items())}
    header = {**metadata, "belongs_to": digests}
    tensors = named_tensors(bundle.model)
    if folder.is_dir() and _companions(folder) == digests:
        save_tensors(folder / WEIGHTS, tensors, header)
        return
    with replacing_folder(folder) as temporary:
        for name, content in files.items():
            write_file(temporary / name, content)
        save_tensors(temporary / WEIGHTS, tensors, header)
        copy_others(folder, temporary, lambda path: path.name == WEIGHTS or _is_companion(path))


def load_bundle(folder: Path, device: torch.device) -> Bundle:
    """Return the bundle in `folder`, or in the `model` folder of a run.

    Raises UserError that names the file which is missing, damaged or from another bundle.
    """
    folder = bundle_of(folder)
    weights = folder / WEIGHTS
    if not weights.is_file():
        if not (folder / CONFIG).is_file():
            raise UserError(
                f"{folder}: neither a run of `gru-mt train` nor a model folder or archive"
            )
        raise UserError(f"{weights}: missing; a run has it from its first validation or stop on")
    info, found = tensors_info(weights), _companions(folder)
    digests = info.header.get("belongs_to")
    if not isinstance(digests, dict):
        raise UserError(f"{weights}: damaged: it does not say what it belongs to")
    for name in sorted(digests.keys() | found.keys()):
        if name not in found:
            raise UserError(f"{folder / short_text(name)}: missing")
        if digests.get(name) != found[name]:
            raise UserError(f"{folder / name}: not the file that {WEIGHTS} was saved with")
    config, tokenizer = load_config(folder / CONFIG), Tokenizer.load(folder)
    provenance = read_provenance(folder)
    with torch.device("meta"):  # whose tensors take no memory
        model = build_model(config, tokenizer)
    _check_shapes(model, info.shapes, weights)
    tensors, metadata = load_tensors(weights)
    for name, tensor in tensors.items():
        if tensor.dtype != torch.float32 or not (tensor.abs() <= _LARGEST).all():  # or NaN
            raise UserError(
                f"{weights}: damaged: {name} has something else than 32-bit numbers up to "
                f"{_LARGEST:g}"
            )
    # Module.to_empty would import sympy: parameters are replaced; a joint embedding is there once.
    copies = {name: tensor.to(device, copy=True) for name, tensor in tensors.items()}
    model.load_state_dict(copies, strict=False, assign=True)
    return Bundle(model.eval(), tokenizer, config, {**provenance, "weights": metadata})


def _is_companion(path: Path) -> bool:
    return path.name in (CONFIG, PROVENANCE) or path.match("tokenizer*")


def _companions(folder: Path) -> dict[str, str]:
    """Return the digest of each file that loading reads beside the weights, by its name."""
    files = sorted(path for path in folder.iterdir() if _is_companion(path) and path.is_file())
    for path in files:
        if path.stat().st_size > MAX_BYTES:
            raise UserError(f"{path}: more than {MAX_BYTES:,} bytes, too long for what it is")
    return {path.name: file_digest(path) for path in files}


class _Values(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow", allow_inf_nan=False)


class _Corpus(_Values):
    name: str
    sha256: str
    path: list[str] = []


class _Provenance(_Values):
    """The types of what may be there; only `training` writes it."""

    corpora: list[_Corpus] = []
    attribution: str = ""
    training_pairs: int = 0
    sentences: dict[str, dict[str, int]] = {}  # by part and set
    gru_mt: str = ""
    torch: str = ""
    python: str = ""


def read_provenance(bundle: Path) -> dict[str, Any]:
    """Return what a bundle's file says; it may say less than training writes.

    Raises UserError where the file is missing or damaged, or a value is of another type.
    """
    path = bundle / PROVENANCE
    values = read_json(path, most_bytes=_PROVENANCE_BYTES)
    try:
        _Provenance.model_validate(values)
    except ValidationError as error:
        found = error.errors()[0]
        name = short_text(".".join(map(str, found["loc"])))
        raise UserError(f"{path}: damaged: {name}: {found['msg']}") from None
    return values
