"""Translating with torch. Shapes: as in `engine`."""

import os
from functools import cache

import torch
from torch import Tensor

from gru_mt.data.dataset.store import Ints
from gru_mt.inference.engines.engine import BeamState
from gru_mt.inference.search import Floats
from gru_mt.model.decoder_step import Incremental
from gru_mt.model.seq2seq import Seq2Seq


@cache
def compute_after_forks() -> None:
    """Make every process that is forked from this one compute with a single thread.

    A fork does not copy torch's threads, so the forked process would wait for them for ever.
    """
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=lambda: torch.set_num_threads(1))


class TorchEngine:
    """A model on torch's device; see `Engine`."""

    threads = 1  # torch has threads of its own

    def __init__(self, model: Seq2Seq) -> None:
        """Take the model as it is now; later changes of its weights may not show here."""
        compute_after_forks()
        self.model = model
        self.device_type = model.output_bias_V.device.type
        self.decoder = Incremental(model)

    @torch.inference_mode()
    def start(self, source_BS: Ints, length_B: Ints) -> BeamState:
        start = self.model.encode(self._tensor(source_BS), self._tensor(length_B))
        return BeamState.start(start.state_LBZ, length_B, self.decoder.remember(start))

    @torch.inference_mode()
    def step(self, last_id_R: Ints, state: BeamState, count: int) -> tuple[Floats, Ints, BeamState]:
        id_R, row_AK, position_R = map(self._tensor, (last_id_R, *state.grid()))
        readout_RE, state_LRZ, weight_RS = self.decoder(
            id_R, state.state_LRZ, state.sources, row_AK, position_R
        )
        log_prob_RN, id_RN = self.decoder.likeliest(readout_RE, count)
        after = state.after(state_LRZ, weight_RS.cpu().numpy())
        return log_prob_RN.cpu().numpy(), id_RN.cpu().numpy(), after

    def _tensor(self, array: Ints) -> Tensor:
        return torch.from_numpy(array).to(self.model.output_bias_V.device)
