"""Translating with onnxruntime, which runs the graphs that `export` wrote.

Shapes: as in `engine`.
"""

import os
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

from gru_mt.data.dataset.store import Ints
from gru_mt.errors import UserError, short_repr
from gru_mt.inference.engines.engine import BeamState
from gru_mt.inference.search import Floats

_LEFT: list[Any] = []  # sessions from before a fork, never deleted; see `_Graph`


class OnnxEngine:
    """An exported model on the CPU; see `Engine`."""

    device_type = "onnxruntime"

    def __init__(self, encoder: Path, decoder: Path) -> None:
        """Read the files of the two graphs; raises UserError where one cannot be loaded."""
        self._encoder, self._decoder = _Graph(encoder), _Graph(decoder)

    def start(self, source_BS: Ints, length_B: Ints) -> BeamState:
        """Encode sources; return the state of one hypothesis for each."""
        sources = self._encoder.run({"source_BS": source_BS, "length_B": length_B})
        return BeamState.start(sources.pop("state_LRZ"), length_B, sources)

    def step(self, last_id_R: Ints, state: BeamState, count: int) -> tuple[Floats, Ints, BeamState]:
        """Return <eos>, the placeholders and the `count` likeliest others, and the state there."""
        row_AK, position_R = state.grid()
        found = self._decoder.run(
            {
                "last_id_R": last_id_R,
                "state_LRZ": state.state_LRZ,
                "row_AK": row_AK,
                "place_R": position_R,
                "rank_N": np.arange(count),
                **state.sources,
            }
        )
        weight_RS = found.get("weight_RS", state.coverage_RS)  # both are empty without attention
        return found["log_prob_RN"], found["id_RN"], state.after(found["next_LRZ"], weight_RS)

    def align(self, source_BS: Ints, length_B: Ints, target_in_BT: Ints) -> Floats:
        """Raise UserError: attention is not exported."""
        raise UserError("an export shows no attention; name the run it is of with --model")


class _Graph:
    """A graph in a session of onnxruntime: arrays in and out by name.

    A forked process has none of the session's threads, so it opens a session of its own. It must
    not delete the old one, because that would wait for those threads.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._content = path.read_bytes()
            self._open()
        except OSError as error:
            raise UserError(f"{path}: cannot be read: {error.strerror}") from None
        except Exception as error:  # the only parent of onnxruntime's errors
            raise UserError(
                f"{path}: onnxruntime cannot load it: {short_repr(str(error))}"
            ) from None

    def _open(self) -> None:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3  # errors
        # Threads that wait in a loop would take cores from other programs.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = onnxruntime.InferenceSession(
            self._content, options, providers=["CPUExecutionProvider"]
        )
        self._process = os.getpid()
        self._inputs = [each.name for each in self._session.get_inputs()]
        self._outputs = [each.name for each in self._session.get_outputs()]

    def run(self, arrays: dict[str, Any]) -> dict[str, Any]:
        """Return the outputs by name. The graph takes the inputs that it needs from `arrays`."""
        if self._process != os.getpid():
            _LEFT.append(self._session)
            self._open()
        inputs = {name: arrays[name] for name in self._inputs}
        return dict(zip(self._outputs, self._session.run(None, inputs), strict=True))
