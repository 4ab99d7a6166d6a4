"""A translator for onnxruntime, on disk: what `gru-mt export` writes.

An export is a folder: the graphs of encoder and decoder, the tokenizer's files, and `export.json`
(how to search, and what the export was made of). Loading imports no torch. It refuses a file that
is missing, damaged or from another export.
"""

from collections.abc import Callable
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gru_mt.data.tokenizer.tokenizer import Tokenizer
from gru_mt.decoding import Decoding
from gru_mt.errors import UserError, short_repr
from gru_mt.inference.confidence import Calibration
from gru_mt.run import WEIGHTS, Run, bundle_of
from gru_mt.storage import file_digest, read_json, verify_checksum
from gru_mt.tensors import tensors_digest

if TYPE_CHECKING:
    from gru_mt.inference.engines.onnx_engine import OnnxEngine

ENCODER, DECODER, FACTS = "encoder.onnx", "decoder.onnx", "export.json"
FORMAT = 3  # changes with the files, and with the inputs and outputs of the graphs
_MOST_BYTES = 20_000_000  # of FACTS; it holds the provenance of the bundle
INSTALL = "pip install 'gru-mt[onnx]'"


class ExportedBundle(NamedTuple):
    """Everything that translating needs, in the order in which `Translator` takes it."""

    engine: "OnnxEngine"
    tokenizer: Tokenizer
    decoding: Decoding
    source_language: str
    target_language: str
    bleu_tokenizer: str  # a `setting` of `evaluation.score.resolve_bleu_tokenizer`
    calibration: Calibration | None


def is_export(folder: Path) -> bool:
    return (folder / FACTS).is_file()


def usable_export(folder: Path, *, warn: Callable[[str], None]) -> Path | None:
    """Return the fp32 export in the folder of a run or a bundle; None where it cannot be used.

    It cannot be used if there is none, onnxruntime is not installed, it is damaged, or it was made
    of other weights than the bundle has now. `warn` gets a line in the last two cases.
    """
    export = Run(folder).export("fp32")
    if not is_export(export) or not find_spec("onnxruntime"):
        return None
    weights = tensors_digest(bundle_of(folder) / WEIGHTS)
    try:
        if _read_facts(export).get("weights_sha256") == weights:
            return export
        reason = f"{export}: of other weights"
    except UserError as error:
        reason = str(error)
    warn(f"warning: {reason}; it is not used; gru-mt export --model {folder} renews it")
    return None


def load_export(folder: Path) -> ExportedBundle:
    """Return the export in `folder`.

    Raises UserError if onnxruntime is not installed, or if a file, which the message names, is
    missing, damaged or from another export.
    """
    if not find_spec("onnxruntime"):
        raise UserError(f"{folder}: an export needs onnxruntime: {INSTALL}")
    from gru_mt.inference.engines.onnx_engine import OnnxEngine

    facts = _read_facts(folder)
    try:
        digests = facts["files"]
        if not isinstance(digests, dict):
            raise TypeError(f"files: {digests}")
        decoding = Decoding(**facts["decoding"])
        if asdict(decoding) != facts["decoding"]:
            raise ValueError("decoding: a setting is missing")
        source, target = facts["languages"]
        setting = facts["bleu_tokenizer"]
        if not all(isinstance(each, str) for each in (source, target, setting)):
            raise TypeError("languages and bleu_tokenizer must be texts")
        calibration = Calibration.of(facts["calibration"], folder / FACTS)
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{folder / FACTS}: damaged: {short_repr(error)}") from None
    files = {ENCODER, DECODER, *(path.name for path in folder.glob("tokenizer*"))}
    if odd := sorted(files ^ digests.keys()):
        raise UserError(f"{folder}: {short_repr(odd[0])} is missing, or no file that {FACTS} names")
    for name, digest in digests.items():
        if not (folder / name).is_file() or file_digest(folder / name) != digest:
            raise UserError(f"{folder / name}: damaged, or not the file that {FACTS} is of")
    engine = OnnxEngine(folder / ENCODER, folder / DECODER)
    tokenizer = Tokenizer.load(folder)
    return ExportedBundle(engine, tokenizer, decoding, source, target, setting, calibration)


def _read_facts(folder: Path) -> dict[str, Any]:
    """Return what FACTS says; UserError where it is damaged or of another version."""
    facts = read_json(folder / FACTS, most_bytes=_MOST_BYTES)
    if facts.get("format") != FORMAT:
        raise UserError(f"{folder}: of another version of gru-mt; export it again")
    return verify_checksum(facts, folder / FACTS)
