"""Translators for onnxruntime: what `gru-mt export` writes, and the engine that runs it.

An export is a folder: the graphs of encoder and decoder, the tokenizer's files, and `export.json`
(how to search, and what the export was made of). Loading imports no torch. Shapes: as in `engine`.
"""

import os
from collections.abc import Callable
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from gru_mt.config.decoding import Decoding
from gru_mt.data.dataset.store import Ints
from gru_mt.data.tokenizer.tokenizer import Tokenizer
from gru_mt.errors import UserError, require_packages, short_repr, short_text
from gru_mt.inference.confidence import Calibration
from gru_mt.inference.engines.engine import BeamState
from gru_mt.inference.search import Floats
from gru_mt.inference.translation import Languages
from gru_mt.run import WEIGHTS, Run, bundle_of
from gru_mt.storage import file_digest, os_errors_as, read_json, verify_checksum
from gru_mt.tensors import tensors_info

ENCODER, DECODER, METADATA = "encoder.onnx", "decoder.onnx", "export.json"
FORMAT = 3  # changes with the files, and with the inputs and outputs of the graphs
_MOST_BYTES = 20_000_000  # of METADATA; it holds the provenance of the bundle
MOST_THREADS = 4  # a fifth of the work is Python's, which one thread does at a time
_LEFT: list[Any] = []  # sessions from before a fork, never deleted; see `_Graph`


class OnnxEngine:
    """An exported model on the CPU; see `Engine`."""

    device_type = "onnxruntime"

    def __init__(self, encoder: Path, decoder: Path, *, cores: int = 0) -> None:
        """Read two graphs; raises UserError where one cannot be loaded.

        `cores` compute a batch; 0 is all.
        """
        self._encoder, self._decoder = _Graph(encoder, cores), _Graph(decoder, cores)

    @property
    def threads(self) -> int:
        from gru_mt.data.pool import cores  # which is slow to import

        return min(cores(), MOST_THREADS)

    def start(self, source_BS: Ints, length_B: Ints) -> BeamState:
        sources = self._encoder.run({"source_BS": source_BS, "length_B": length_B})
        return BeamState.start(sources.pop("state_LRZ"), length_B, sources)

    def step(self, last_id_R: Ints, state: BeamState, count: int) -> tuple[Floats, Ints, BeamState]:
        row_AK, position_R = state.grid()
        inputs = {"last_id_R": last_id_R, "state_LRZ": state.state_LRZ, **state.sources}
        inputs |= {"row_AK": row_AK, "place_R": position_R, "rank_N": np.arange(count)}
        found = self._decoder.run(inputs)
        weight_RS = found.get("weight_RS", state.coverage_RS)  # both are empty without attention
        return found["log_prob_RN"], found["id_RN"], state.after(found["next_LRZ"], weight_RS)


class _Graph:
    """A graph in a session of onnxruntime: arrays in and out by name.

    A forked process has none of the session's threads, so it opens a session of its own. It must
    not delete the old one, because that would wait for those threads.
    """

    def __init__(self, path: Path, cores: int) -> None:
        self._cores, self._name = cores, short_text(path)
        with os_errors_as(path, "read"):
            self._content = path.read_bytes()
        try:
            self._open()
        except Exception as error:  # the only parent of onnxruntime's errors
            reason = short_repr(str(error))
            raise UserError(f"{path}: onnxruntime cannot load it: {reason}") from None

    def _open(self) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3  # errors
        options.intra_op_num_threads = self._cores
        # Threads that wait in a loop would take cores from other programs.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(
            self._content, options, providers=["CPUExecutionProvider"]
        )
        self._process = os.getpid()
        self._inputs = [array.name for array in self._session.get_inputs()]
        self._outputs = [array.name for array in self._session.get_outputs()]

    def run(self, arrays: dict[str, Any]) -> dict[str, Any]:
        """Return the outputs by name. The graph takes the inputs that it needs from `arrays`."""
        if self._process != os.getpid():
            _LEFT.append(self._session)
            self._open()
        try:
            inputs = {name: arrays[name] for name in self._inputs}
            return dict(zip(self._outputs, self._session.run(None, inputs), strict=True))
        except Exception as error:  # the only parent of onnxruntime's errors
            raise UserError(f"{self._name}: onnxruntime: {short_repr(str(error))}") from None


def is_export(folder: Path) -> bool:
    return (folder / METADATA).is_file()


def usable_export(folder: Path, *, warn: Callable[[str], None]) -> Path | None:
    """Return what `fitting_export` does; None where there is no onnxruntime to use it."""
    return fitting_export(folder, warn=warn) if find_spec("onnxruntime") else None


def fitting_export(folder: Path, *, warn: Callable[[str], None]) -> Path | None:
    """Return the fp32 export in the folder of a run or a bundle; None where it has none.

    One that is damaged or of other weights is none: `warn` gets a line.
    """
    export = Run(folder).export("fp32")
    if not is_export(export):
        return None
    weights = tensors_info(bundle_of(folder) / WEIGHTS).digest
    reason = f"{export}: of other weights"
    try:
        if read_metadata(export).get("weights_sha256") == weights:
            return export
    except UserError as error:
        reason = str(error)
    warn(f"warning: {reason}; it is not used; gru-mt export --model {folder} renews it")
    return None


def load_export(
    folder: Path,
) -> tuple[OnnxEngine, Tokenizer, Decoding, Languages, Calibration | None]:
    """Return what a `Translator` takes, in its order, of the export in `folder`.

    Raises UserError without onnxruntime, and for a file that is missing, damaged or of another.
    """
    require_packages(f"{folder}: an export", "onnx", "onnxruntime")
    metadata = read_metadata(folder)
    try:
        digests = dict(metadata["files"])
        # A sentence in int8 takes one core less time than two; in fp32 it gains from more.
        cores = 1 if metadata["precision"] == "int8" else 0
        decoding = Decoding(**metadata["decoding"])
        if asdict(decoding) != metadata["decoding"]:
            raise ValueError("decoding: a setting is missing")
        source, target = metadata["languages"]
        languages = Languages(source, target, metadata["bleu_tokenizer"])
        if not all(isinstance(text, str) for text in asdict(languages).values()):
            raise TypeError("languages and bleu_tokenizer must be texts")
        calibration = Calibration.of(metadata["calibration"], folder / METADATA)
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{folder / METADATA}: damaged: {short_repr(error)}") from None
    files = {ENCODER, DECODER, *(path.name for path in folder.glob("tokenizer*"))}
    if odd := sorted(files ^ digests.keys()):
        name = short_repr(odd[0])
        raise UserError(f"{folder}: {name} is missing, or no file that {METADATA} names")
    for name, digest in digests.items():
        if not (folder / name).is_file() or file_digest(folder / name) != digest:
            raise UserError(f"{folder / name}: damaged, or not the file that {METADATA} is of")
    engine = OnnxEngine(folder / ENCODER, folder / DECODER, cores=cores)
    return engine, Tokenizer.load(folder), decoding, languages, calibration


def read_metadata(folder: Path) -> dict[str, Any]:
    """Return what METADATA says; UserError where it is damaged or of another version."""
    metadata = read_json(folder / METADATA, most_bytes=_MOST_BYTES)
    if metadata.get("format") != FORMAT:
        raise UserError(f"{folder}: of another version of gru-mt; export it again")
    return verify_checksum(metadata, folder / METADATA)
