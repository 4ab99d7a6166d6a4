"""The translation model: a bidirectional encoder and a decoder with attention.

Shapes: B batch, S source tokens, T target tokens, E embedding, H decoder units, Z state of a
decoder layer (see `cells`), L decoder layers, C encoder units (both directions), V target
vocabulary, N hypotheses.
"""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from gru_mt.config import ModelConfig
from gru_mt.model.attention import Attention, Memory, length_mask
from gru_mt.model.cells import CELLS
from gru_mt.model.linear import Linear, linear
from gru_mt.model.noise import dropout
from gru_mt.model.recurrent import Layer, Recurrent


@dataclass(frozen=True, slots=True)
class DecoderState:
    """What the decoder knows before its next token: its layers' states and the source."""

    state_LBZ: Tensor
    memory: Memory

    def select(self, row_N: Tensor) -> "DecoderState":
        """Return the state of the rows that row_N names, which may repeat or leave."""
        return DecoderState(self.state_LBZ[:, row_N], self.memory.select(row_N))


class Seq2Seq(nn.Module):
    """Encoder and decoder after Luong et al. 2015, arXiv 1508.04025, without input feeding.

    Attention follows the decoder's first layer, so that each layer runs over the whole target in
    one call; a further layer reads [state; context] and adds to the state below it. The output goes
    through the target embedding (Press and Wolf 2017, arXiv 1608.05859).
    """

    def __init__(
        self, config: ModelConfig, *, source_size: int, target_size: int, joint: bool
    ) -> None:
        """Take the vocabulary sizes; a joint vocabulary has one embedding for both sides."""
        super().__init__()
        size_E, size_H = config.embedding_size, config.decoder_size
        size_C = 2 * config.encoder_size
        self.dropout = config.dropout
        self.target_embedding = _embedding(target_size, size_E)
        self.source_embedding = self.target_embedding if joint else _embedding(source_size, size_E)
        self.encoder = Recurrent(
            config.cell,
            size_E,
            config.encoder_size,
            layers=config.encoder_layers,
            bidirectional=True,
            dropout=config.dropout,
        )
        self.attention = Attention(config.attention, query_size=size_H, memory_size=size_C)
        size_read = size_H + self.attention.context_size
        self.decoder = nn.ModuleList(
            Layer(config.cell, size_read if level else size_E, size_H)
            for level in range(config.decoder_layers)
        )
        self.bridge = Linear(size_C, config.decoder_layers * CELLS[config.cell].states * size_H)
        self.readout = Linear(size_read, size_E)
        self.output_bias_V = nn.Parameter(torch.zeros(target_size))

    def encode(
        self, source_BS: Tensor, source_length_B: Tensor, rng: torch.Generator | None = None
    ) -> DecoderState:
        """Return the decoder's first state; `rng` turns dropout on."""
        state_BSC = self._embed(self.source_embedding, source_BS, rng)
        state_BSC, last_KBH = self.encoder(state_BSC, source_length_B, rng=rng)
        state_BSC = dropout(state_BSC, self.dropout, rng)
        last_BC = torch.cat([*last_KBH[-2:]], dim=1)  # of the last layer, ahead and back
        start_BLZ = torch.tanh(self.bridge(last_BC)).view(len(last_BC), len(self.decoder), -1)
        mask_BS = length_mask(source_length_B, source_BS.shape[1])
        memory = self.attention.remember(state_BSC, mask_BS)
        return DecoderState(start_BLZ.transpose(0, 1).contiguous(), memory)

    def decode(
        self, target_in_BT: Tensor, start: DecoderState, rng: torch.Generator | None = None
    ) -> Tensor:
        """Return logits_BTV of the token after each of target_in_BT: teacher forcing, one pass."""
        readout_BTE, _, _ = self._advance(target_in_BT, start, rng)
        return self._logits(readout_BTE)

    def step(self, last_id_N: Tensor, state: DecoderState) -> tuple[Tensor, DecoderState]:
        """Return logits_NV of the token after last_id_N, and the state there."""
        readout_N1E, state, _ = self._advance(last_id_N[:, None], state, None)
        return self._logits(readout_N1E[:, 0]), state

    def align(self, target_in_BT: Tensor, start: DecoderState) -> Tensor:
        """Return weight_BTS: how much each prediction after target_in_BT reads of each source."""
        _, _, weight_BTS = self._advance(target_in_BT, start, None)
        return weight_BTS

    def _advance(
        self, id_BT: Tensor, start: DecoderState, rng: torch.Generator | None
    ) -> tuple[Tensor, DecoderState, Tensor]:
        """Return readout_BTE, the state after the last of id_BT, and attention weight_BTS."""
        embedded_BTE = self._embed(self.target_embedding, id_BT, rng)
        state_BTH, last_BZ = self.decoder[0](embedded_BTE, start.state_LBZ[0])
        context_BTC, weight_BTS = self.attention(state_BTH, start.memory)
        last_L = [last_BZ]
        for layer, start_BZ in zip(self.decoder[1:], start.state_LBZ[1:], strict=True):
            read_BTI = torch.cat([state_BTH, context_BTC], dim=2)
            above_BTH, last_BZ = layer(dropout(read_BTI, self.dropout, rng), start_BZ)
            last_L.append(last_BZ)
            state_BTH = state_BTH + above_BTH
        read_BTI = dropout(torch.cat([state_BTH, context_BTC], dim=2), self.dropout, rng)
        readout_BTE = dropout(torch.tanh(self.readout(read_BTI)), self.dropout, rng)
        return readout_BTE, DecoderState(torch.stack(last_L), start.memory), weight_BTS

    def _embed(self, embedding: nn.Embedding, id_BT: Tensor, rng: torch.Generator | None) -> Tensor:
        # Between what the output wants, rows of length 1, and a GRU, inputs of variance 1: their
        # full factor, size**0.5, also multiplies what an update moves, and learned more slowly.
        scaled_BTE = embedding(id_BT) * embedding.embedding_dim**0.25
        return dropout(scaled_BTE, self.dropout, rng)

    def _logits(self, readout_BTE: Tensor) -> Tensor:
        return linear(readout_BTE, self.target_embedding.weight, self.output_bias_V)


def _embedding(size_V: int, size_E: int) -> nn.Embedding:
    """Return an embedding with rows of expected length 1 (Vaswani et al. 2017, as tied there)."""
    embedding = nn.Embedding(size_V, size_E)
    nn.init.normal_(embedding.weight, std=size_E**-0.5)
    return embedding
