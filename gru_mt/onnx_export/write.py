"""Write an export whole or not at all: graphs, tokenizer and metadata."""

import logging
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Literal

import torch

from gru_mt.bundle import load_bundle
from gru_mt.errors import UserError, as_path, check_type, require_packages, short_repr
from gru_mt.inference.confidence import Calibration
from gru_mt.inference.engines.onnx_engine import DECODER, ENCODER, FORMAT, METADATA, is_export
from gru_mt.inference.published import local_folder
from gru_mt.onnx_export.archive import write_archive
from gru_mt.onnx_export.graphs import graphs, input_limits
from gru_mt.onnx_export.int8 import quantise
from gru_mt.run import WEIGHTS, Run, bundle_of
from gru_mt.storage import (
    copy_others,
    file_digest,
    replacing_folder,
    write_checksummed_json,
    write_file,
)
from gru_mt.tensors import tensors_info

log = logging.getLogger(__name__)

PACKAGES = ("onnx", "onnxscript", "torch")


def export(
    model: str | Path,
    out: str | Path | None = None,
    *,
    format: Literal["onnx", "page", "archive"] = "onnx",  # noqa: A002 the command's name for it
    precision: Literal["fp32", "int8"] | None = None,
    license: str | None = None,  # noqa: A002 the hub's name for it
) -> Path:
    """Write a translator for onnxruntime, for browsers, or for other machines.

    Args:
        model: The folder of a run, or of its model; an archive, or hf:owner/name.
        out: The folder or file; None is onnx, onnx-int8, translator.html or NAME.zip in the run; of
            an archive or a model of the hub it must be named. An older export there is replaced.
        format: A folder for onnxruntime; a page, one HTML file that translates in a browser; or an
            archive, one file with the model, the export for onnxruntime if the run has it, and a
            model card. An archive holds no folder's name of this machine.
        precision: Of onnx: fp32, or int8 in a quarter of the size; None is fp32. A page has int8.
        license: What the card of an archive names, such as "cc-by-4.0".

    Returns:
        The path of what was written. `Translator.load` takes that of an onnx export and of an
        archive.

    Raises:
        UserError: If there is no model, it is damaged, a package is missing, an argument is none of
            these, or something else is at `out`.

    Example:
        >>> from gru_mt import export
        >>> export("runs/small", "page.html", format="page").name
        'page.html'
    """
    folder, target = as_path(model, "model"), None if out is None else as_path(out, "out")
    for name, value, known in (
        ("format", format, ("onnx", "page", "archive")),
        ("precision", precision, (None, "fp32", "int8")),
    ):
        if value not in known:
            choices = " or ".join(str(choice) for choice in known if choice)
            raise UserError(f"{name} must be {choices}, got {short_repr(value)}")
    check_type(license or "", str, "license")
    for wrong, message in (
        (format == "page" and precision == "fp32", "precision fp32: a page has int8 weights"),
        (format == "archive" and precision, f"precision {precision}: an archive has all weights"),
        (format != "archive" and license, f"license {license}: only an archive has a card"),
    ):
        if wrong:
            raise UserError(f"{message}; leave it out")
    local = local_folder(folder)
    if target is None and local != folder:
        raise UserError(f"{folder}: is in a cache; name the output with --out")
    if format == "onnx":
        return write_onnx(local, target or Run(local).export(precision or "fp32"), precision)
    if format == "archive":
        return write_archive(local, target, license)
    from gru_mt.page.write import write_page  # an export needs none of it

    return write_page(local, target, "" if local == folder else folder.name.removesuffix(".zip"))


def write_onnx(folder: Path, out: Path, precision: str | None) -> Path:
    """Write the model in `folder` as an export for onnxruntime; raises UserError as `export`."""
    require_packages("exporting", "onnx", *PACKAGES)
    if out.exists() and not (is_export(out) and (out / ENCODER).exists()):
        raise UserError(f"{out}: is something else than an export; name another with --out")
    bundle = load_bundle(folder, torch.device("cpu"))
    config, calibration = bundle.config, Calibration.of_bundle(bundle.provenance)
    weights_sha256 = tensors_info(bundle_of(folder) / WEIGHTS).digest
    models = graphs(bundle.model)
    if precision == "int8":
        limits = input_limits(bundle.model)
        for model in models.values():
            quantise(model, limits)
    files = {name: model.SerializeToString() for name, model in models.items()}
    files |= bundle.tokenizer.files()
    with replacing_folder(out) as temporary:
        for name, content in files.items():
            write_file(temporary / name, content)
        metadata = {
            "format": FORMAT,
            "precision": precision or "fp32",
            "decoding": asdict(config.decoding),
            "languages": [config.data.source, config.data.target],
            "bleu_tokenizer": config.evaluation.bleu_tokenizer,
            "calibration": calibration and calibration.weights,
            "weights_sha256": weights_sha256,
            "files": {name: file_digest(temporary / name) for name in files},
            "versions": {name: version(name) for name in ("gru-mt", *PACKAGES)},
            "provenance": bundle.provenance,
        }
        write_checksummed_json(temporary / METADATA, metadata)
        copy_others(out, temporary, _is_of_export)  # corrections
    sizes = [f"{name} {len(content) / 1e6:.1f} MB" for name, content in files.items()]
    log.info("wrote %s: %s", out, ", ".join(sizes))
    return out


def _is_of_export(path: Path) -> bool:
    return path.name in (ENCODER, DECODER, METADATA) or path.name.startswith("tokenizer")
