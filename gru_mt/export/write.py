"""Write an export whole or not at all: graphs, tokenizer and facts."""

from dataclasses import asdict
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import torch

from gru_mt.bundle import load_bundle
from gru_mt.errors import UserError
from gru_mt.export.graphs import graphs
from gru_mt.inference.confidence import Calibration
from gru_mt.inference.engines.onnx_engine import FACTS, FORMAT, INSTALL, is_export
from gru_mt.run import WEIGHTS, Run, bundle_of
from gru_mt.storage import (
    file_digest,
    replacing_folder,
    write_checksummed_json,
    write_file,
)
from gru_mt.tensors import tensors_digest

PACKAGES = ("onnx", "onnxscript", "torch")


def export(folder: Path, precision: str, out: Path | None = None) -> str:
    """Write the translator of a run or a bundle into `out`; return a line about it.

    `out` is by default a folder in `folder`. An older export there is replaced. Raises UserError
    if `out` is anything else or a package is missing, and as `load_bundle` does.
    """
    out = out or Run(folder).export(precision)
    if missing := [name for name in PACKAGES if not find_spec(name)]:
        raise UserError(f"exporting needs {' and '.join(missing)}: {INSTALL}")
    if out.exists() and not is_export(out):
        raise UserError(f"{out}: is something else than an export; name another with --out")
    from gru_mt.export.int8 import quantise  # it imports onnx

    bundle = load_bundle(folder, torch.device("cpu"))
    config, calibration = bundle.config, Calibration.of_bundle(bundle.provenance)
    weights_sha256 = tensors_digest(bundle_of(folder) / WEIGHTS)
    models = graphs(bundle.model)
    if precision == "int8":
        for model in models.values():
            quantise(model)
    files = {name: model.SerializeToString() for name, model in models.items()}
    files |= bundle.tokenizer.files()
    with replacing_folder(out) as temporary:
        for name, content in files.items():
            write_file(temporary / name, content)
        facts = {
            "format": FORMAT,
            "precision": precision,
            "decoding": asdict(config.decoding),
            "languages": [config.data.source, config.data.target],
            "bleu_tokenizer": config.evaluation.bleu_tokenizer,
            "calibration": calibration and calibration.weights,
            "weights_sha256": weights_sha256,
            "files": {name: file_digest(temporary / name) for name in files},
            "versions": {name: version(name) for name in ("gru-mt", *PACKAGES)},
            "provenance": bundle.provenance,
        }
        write_checksummed_json(temporary / FACTS, facts)
    sizes = [f"{name} {len(content) / 1e6:.1f} MB" for name, content in files.items()]
    return f"wrote {out}: {', '.join(sizes)}"
