"""The decoder for inference: it takes one token at a time, and multiplies each source only once.

Shapes: as in `seq2seq`, and R hypotheses, A sources, K hypotheses of one source at most, G rows of
stacked gates, F <eos> and the placeholders, O likeliest other ids, N both, P blocks of ids, Y ids
among which those are, X features that attention reads of a source: G for each decoder layer above
the first, then E.
"""

from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor, nn

from gru_mt.data.tokenizer.special import BOS, EOS, FIRST_OTHER, FIRST_PLACEHOLDER, PAD, UNK
from gru_mt.model.attention import Memory
from gru_mt.model.layers import linear
from gru_mt.model.seq2seq import DecoderState, Seq2Seq

if TYPE_CHECKING:
    from gru_mt.model.recurrent import Layer

assert {PAD, UNK, BOS} == {*range(EOS)}, "no translation contains the ids before <eos>"
assert EOS + 1 == FIRST_PLACEHOLDER

BLOCK = 16  # ids


class Incremental(nn.Module):
    """A decoder's step, for which each source was multiplied by the weights before.

    The context is the sum of a m over the encoder's states m, with attention's weight a for each,
    and W (sum of a m) = sum of a (W m). Attention reads the products W m.
    """

    @torch.no_grad()
    def __init__(self, model: Seq2Seq) -> None:
        """Copy parts of the model's weights; later changes to the model do not reach the copies."""
        super().__init__()
        self.cells = [layer.cell for layer in cast("list[Layer]", [*model.decoder])]
        below, *above = self.cells
        size_E, size_H = model.target_embedding.embedding_dim, below.hidden_size
        self.model = model
        self.token_GE = below.weight_ih[:, :size_E].contiguous()
        self.source_GC = below.weight_ih[:, size_E:].contiguous()
        self.state_GH = [cell.weight_ih[:, :size_H].contiguous() for cell in above]
        nothing = below.weight_hh.new_empty(0, size_H)
        readout_EX = nothing if model.readout is None else model.readout.weight
        self.readout_EH = readout_EX[:, :size_H].contiguous()
        readers = [*(cell.weight_ih for cell in above), readout_EX]
        self.sizes_X = [len(weight) for weight in readers]
        self.value_XC = torch.cat([weight[:, size_H:] for weight in readers])
        self.bias_V = model.output_bias_V.clone()
        self.bias_V[:EOS] = -torch.inf

    def remember(self, start: DecoderState) -> dict[str, Tensor]:
        """Return what each step reads of the sources, by name; row a belongs to source a.

        With attention these are key_ASH, mask_AS and value_ASX, the products W m; with `context:
        repeat` input_AG, which is added to every input of the first layer.
        """
        sources: dict[str, Tensor] = {}
        if self.model.attention.context_size:
            sources["value_ASX"] = linear(start.memory.value_BSC, self.value_XC, None)
            sources["key_ASH"], sources["mask_AS"] = start.memory.key_BSH, start.memory.mask_BS
        if start.context_BC is not None:
            sources["input_AG"] = linear(start.context_BC, self.source_GC, None)
        return sources

    def forward(
        self,
        last_id_R: Tensor,
        state_LRZ: Tensor,
        sources: dict[str, Tensor],
        row_AK: Tensor,
        position_R: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return what `likeliest` takes after last_id_R, the next state_LRZ, and weight_RS.

        Row a of row_AK names the hypotheses of source a; where they are fewer than K, any others
        fill the row. Hypothesis r is at position_R[r] of the flattened row_AK.
        weight_RS is attention's; without it S is 0.
        """
        token_RE = self.model.embed(self.model.target_embedding, last_id_R)
        input_RG = linear(token_RE, self.token_GE, self.cells[0].bias_ih)
        if "input_AG" in sources:
            source_R = position_R // row_AK.shape[1]
            input_RG = input_RG + sources["input_AG"].index_select(0, source_R)
        below, *above = self.cells
        state_L = [below.advance(input_RG, state_LRZ[0], below.recurrent())]
        state_RH = state_L[0][:, : below.hidden_size]
        context_RX, weight_RS = self._context(state_RH, sources, row_AK, position_R)
        *context_RG, context_RE = context_RX.split(self.sizes_X, dim=1)
        for cell, weight_GH, add_RG, start_RZ in zip(
            above, self.state_GH, context_RG, state_LRZ[1:], strict=True
        ):
            input_RG = linear(state_RH, weight_GH, cell.bias_ih) + add_RG
            state_L.append(cell.advance(input_RG, start_RZ, cell.recurrent()))
            state_RH = state_RH + state_L[-1][:, : cell.hidden_size]
        readout_RE = state_RH
        if self.model.readout is not None:
            projected_RE = linear(state_RH, self.readout_EH, self.model.readout.bias)
            readout_RE = (projected_RE + context_RE).tanh()
        return readout_RE, torch.stack(state_L), weight_RS

    def _context(
        self, state_RH: Tensor, sources: dict[str, Tensor], row_AK: Tensor, position_R: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return context_RX and weight_RS; hypotheses of a source read its memory together."""
        if not self.model.attention.context_size:
            weight_RS = state_RH.new_zeros(state_RH.shape[0], 0)
            return state_RH.new_zeros(1, sum(self.sizes_X)), weight_RS
        memory = Memory(sources["value_ASX"], sources["key_ASH"], sources["mask_AS"])
        query_AKH = state_RH.index_select(0, row_AK.flatten()).view(*row_AK.shape, -1)
        context_AKX, weight_AKS = self.model.attention(query_AKH, memory)
        context_RX: Tensor = context_AKX.flatten(0, 1).index_select(0, position_R)
        return context_RX, weight_AKS.flatten(0, 1).index_select(0, position_R)

    def likeliest(self, readout_RE: Tensor, count: int) -> tuple[Tensor, Tensor]:
        """Return log_prob_RN and id_RN: <eos>, the placeholders, then the `count` likeliest others.

        The others are in any order. There are fewer where the vocabulary has no more.
        """
        logits_RV = linear(readout_RE, self.model.output_weight, self.bias_V)
        log_prob_RV = logits_RV.log_softmax(dim=1)
        id_RY = _candidates(log_prob_RV, count)
        most = torch.sym_min(count, id_RY.shape[1])
        log_prob_RO, index_RO = log_prob_RV.gather(1, id_RY).topk(most, dim=1, sorted=False)
        first_RF = log_prob_RV[:, EOS:FIRST_OTHER]
        id_F = torch.arange(EOS, FIRST_OTHER, device=id_RY.device)
        id_RN = torch.cat([id_F.expand_as(first_RF), id_RY.gather(1, index_RO)], dim=1)
        return torch.cat([first_RF, log_prob_RO], dim=1), id_RN


def _candidates(log_prob_RV: Tensor, count: int) -> Tensor:
    """Return id_RY, with the `count` likeliest ids from FIRST_OTHER on among them.

    They are in the `count` blocks with the largest maxima, or in no block. Maxima of blocks are
    found in a third of the time of a `topk` of all ids.
    """
    size_R, size_V = log_prob_RV.shape
    id_V = torch.arange(size_V, device=log_prob_RV.device)
    blocks = size_V // BLOCK
    if blocks < 2:
        return id_V[FIRST_OTHER:].expand(size_R, -1)
    largest_RP = log_prob_RV[:, : blocks * BLOCK].unflatten(1, (blocks, BLOCK)).amax(dim=2)
    others = torch.sym_min(count, blocks - 1)  # the first block has <eos> and the placeholders
    block_RO = largest_RP[:, 1:].topk(others, dim=1, sorted=False).indices + 1
    inside_RY = (BLOCK * block_RO[:, :, None] + id_V[:BLOCK]).flatten(1)
    outside_Y = torch.cat([id_V[FIRST_OTHER:BLOCK], id_V[blocks * BLOCK :]])
    return torch.cat([outside_Y.expand(size_R, -1), inside_RY], dim=1)
