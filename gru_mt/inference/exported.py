"""A translator for onnxruntime, on disk: what `gru-mt export` writes.

An export is a folder: the graphs of encoder and decoder, the tokenizer's model, and `export.json`
(how to search, and what it was made of). Loading refuses a file that is missing, damaged or from
another export, and imports no torch.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gru_mt.data.tokenizer import Tokenizer
from gru_mt.decoding import Decoding
from gru_mt.errors import UserError, quoted
from gru_mt.run import EXPORTS, WEIGHTS, bundle_of
from gru_mt.storage import file_digest, read_json, read_signed_json
from gru_mt.tensors import tensors_digest

if TYPE_CHECKING:
    from gru_mt.inference.onnx_engine import OnnxEngine

ENCODER, DECODER, FACTS = "encoder.onnx", "decoder.onnx", "export.json"
FORMAT = 2  # of the folder and of what its graphs read and give
INSTALL = "pip install 'gru-mt[onnx]'"


@dataclass(frozen=True, slots=True)
class Export:
    """Everything that translating needs."""

    engine: "OnnxEngine"
    tokenizer: Tokenizer
    decoding: Decoding
    target_language: str
    bleu_tokenizer: str  # the setting: see `evaluation.score.bleu_tokenizer`


def is_export(folder: Path) -> bool:
    return (folder / FACTS).is_file()


def preferred(folder: Path, *, warn: Callable[[str], None]) -> Path:
    """Return the fp32 export that a run's or a bundle's folder has, where it can be used.

    Else `folder`: where onnxruntime is not installed, and, with a line to `warn`, where the export
    is damaged, or of other weights than those that are there now.
    """
    export = folder / EXPORTS["fp32"]
    if not is_export(export) or not find_spec("onnxruntime"):
        return folder
    weights = tensors_digest(bundle_of(folder) / WEIGHTS)
    try:
        if _facts(export).get("weights_sha256") == weights:
            return export
        reason = f"{export}: of other weights"
    except UserError as error:
        reason = str(error)
    warn(f"warning: {reason}; it is not used; gru-mt export --model {folder} renews it")
    return folder


def load_export(folder: Path) -> Export:
    """Return the export in `folder`.

    Raises UserError that names the file which is missing, damaged or from another export, or says
    that onnxruntime is not installed.
    """
    if not find_spec("onnxruntime"):
        raise UserError(f"{folder}: an export needs onnxruntime: {INSTALL}")
    from gru_mt.inference.onnx_engine import OnnxEngine

    facts = _facts(folder)
    try:
        digests, scoring = dict(facts["files"]), dict(facts["evaluation"])
        decoding = Decoding(**facts["decoding"])
        language, setting = str(scoring["target"]), str(scoring["bleu_tokenizer"])
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{folder / FACTS}: damaged: {quoted(error)}") from None
    files = {ENCODER, DECODER, *(path.name for path in folder.glob("tokenizer*.model"))}
    if odd := sorted(files ^ digests.keys()):
        raise UserError(f"{folder}: {quoted(odd[0])} is missing, or no file that {FACTS} names")
    for name, digest in digests.items():
        if file_digest(folder / name) != digest:
            raise UserError(f"{folder / name}: damaged, or not the file that {FACTS} is of")
    engine = OnnxEngine(folder / ENCODER, folder / DECODER)
    return Export(engine, Tokenizer.load(folder), decoding, language, setting)


def _facts(folder: Path) -> dict[str, Any]:
    """Return what an export says of itself; UserError where damaged or of another version."""
    if read_json(folder / FACTS).get("format") != FORMAT:
        raise UserError(f"{folder}: of another version of gru-mt; export it again")
    return read_signed_json(folder / FACTS)
