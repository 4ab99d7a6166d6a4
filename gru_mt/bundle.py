"""A trained translator on disk.

A bundle is a folder: `weights.safetensors`, the tokenizer's model, `config.yaml` and
`provenance.json` (what it was trained on, by which versions). Loading runs no code of it, and
refuses a file that is missing, damaged or from another bundle. Only the weights change while a
better model replaces an older one, so that a bundle is whole at every moment.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from gru_mt.config import Config
from gru_mt.config_file import dump_config, load_config
from gru_mt.data.tokenizer import Tokenizer
from gru_mt.errors import UserError
from gru_mt.model.seq2seq import Seq2Seq
from gru_mt.storage import (
    WEIGHTS,
    bundle_folder,
    file_digest,
    load_tensors,
    read_json,
    save_tensors,
    write_file,
    write_json,
)

CONFIG, PROVENANCE = "config.yaml", "provenance.json"


@dataclass(frozen=True, slots=True)
class Bundle:
    """Everything that translating needs, and where it comes from."""

    model: Seq2Seq
    tokenizer: Tokenizer
    config: Config
    provenance: dict[str, Any]


def build_model(config: Config, tokenizer: Tokenizer) -> Seq2Seq:
    """Return a model of the tokenizer's size, its weights drawn from torch's default generator."""
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
    parameters = named_tensors(model)
    if odd := sorted(parameters.keys() ^ tensors.keys()):
        raise UserError(f"{where}: not weights of this configuration's model: {odd[0]}")
    for name, parameter in parameters.items():
        if parameter.shape != tensors[name].shape:
            raise UserError(
                f"{where}: {name} is {list(tensors[name].shape)}, but this configuration's model "
                f"has {list(parameter.shape)}"
            )
        parameter.copy_(tensors[name])


def start_bundle(
    folder: Path, config: Config, tokenizer: Tokenizer, provenance: dict[str, Any]
) -> None:
    """Write all of a bundle but its weights."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in tokenizer.files().items():
        write_file(folder / name, content)
    write_file(folder / CONFIG, dump_config(config).encode())
    write_json(folder / PROVENANCE, provenance)


def save_weights(folder: Path, model: Seq2Seq, facts: dict[str, Any]) -> None:
    """Put the model's weights into the bundle that `start_bundle` began, with facts about them."""
    save_tensors(
        folder / WEIGHTS, named_tensors(model), {**facts, "belongs_to": _belongs_to(folder)}
    )


def load_bundle(folder: Path, device: torch.device) -> Bundle:
    """Return the bundle in `folder`, or in the `model` folder of a run.

    Raises UserError that names the file which is missing, damaged or from another bundle.
    """
    folder = bundle_folder(folder)
    if not (folder / CONFIG).is_file() and not (folder / WEIGHTS).is_file():
        raise UserError(f"{folder}: neither a run of `gru-mt train` nor a bundle of one")
    if not (folder / WEIGHTS).is_file():
        raise UserError(f"{folder / WEIGHTS}: missing; a run has it from its first validation on")
    tensors, facts = load_tensors(folder / WEIGHTS)
    config = load_config(folder / CONFIG)
    tokenizer = Tokenizer.load(folder)
    provenance = read_json(folder / PROVENANCE)
    for name, digest in facts.get("belongs_to", {}).items():
        if file_digest(folder / name) != digest:
            raise UserError(f"{folder / name}: not the file that {WEIGHTS} was saved with")
    model = build_model(config, tokenizer)
    load_named_tensors(model, tensors, folder / WEIGHTS)
    return Bundle(model.to(device).eval(), tokenizer, config, {**provenance, "weights": facts})


def _belongs_to(folder: Path) -> dict[str, str]:
    """Return the digests of the files that the weights are of use with."""
    names = sorted(path.name for path in folder.glob("tokenizer*.model"))
    return {name: file_digest(folder / name) for name in [CONFIG, PROVENANCE, *names]}
