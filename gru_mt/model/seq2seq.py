"""The translation model: a bidirectional encoder and a decoder with attention.

Shapes: B batch, S source tokens, T target tokens, E embedding, H decoder units, Z state of a
decoder layer (see `cells`), L decoder layers, C encoder units, V target vocabulary, U words.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor, nn

from gru_mt.config.schema import ModelConfig
from gru_mt.model.attention import Attention, Memory, length_mask
from gru_mt.model.cells import CELLS
from gru_mt.model.fast import tuned
from gru_mt.model.layers import Linear, dropout, linear
from gru_mt.model.recurrent import Layer, Recurrent

# A tied output layer wants embeddings of length 1 (Vaswani et al. 2017), a recurrent layer features
# of variance 1, which is a length of sqrt(E). All of sqrt(E) would also multiply every update of an
# embedding. Untied embeddings begin so long that their scaled features have variance 1, as torch's.
EMBEDDING_SCALE = 2.0


@dataclass(frozen=True, slots=True)
class DecoderState:
    """What the decoder begins with: its layers' states and the source."""

    state_LBZ: Tensor
    memory: Memory
    context_BC: Tensor | None = None  # the encoder's last state, read with every token


class Seq2Seq(nn.Module):
    """Encoder and decoder after Luong et al. 2015, arXiv 1508.04025, without input feeding.

    Attention follows the decoder's first layer, so that each layer runs over the whole target in
    one call. A further layer reads [state; context] and adds to the state below it. The weights of
    the output layer are the target embedding (Press and Wolf 2017, arXiv 1608.05859), unless
    `output` is untied.

    With `context: repeat` it is the fixed-context model of tutorials: the decoder begins in the
    encoder's last state, and reads that state again with every token. Cho et al. 2014, arXiv
    1406.1078, also project that state, and read it and the last token in the output.
    """

    def __init__(
        self, config: ModelConfig, *, source_size: int, target_size: int, joint: bool
    ) -> None:
        """Take the vocabulary sizes; a joint vocabulary has one embedding for both sides."""
        super().__init__()
        size_E, size_H = config.embedding_size, config.decoder_size
        size_C, repeats = config.source_size, config.context == "repeat"
        self.dropout = config.dropout
        length = size_E**0.5 / EMBEDDING_SCALE if config.output == "untied" else 1.0
        self.target_embedding = _embedding(target_size, size_E, length)
        self.source_embedding = (
            self.target_embedding if joint else _embedding(source_size, size_E, length)
        )
        self.encoder = Recurrent(
            config.cell,
            size_E,
            config.encoder_size,
            layers=config.encoder_layers,
            bidirectional=config.bidirectional,
            recurrent_init=config.recurrent_init,
        )
        self.attention = Attention(config.attention, query_size=size_H, memory_size=size_C)
        size_read = size_H + self.attention.context_size
        self.decoder = nn.ModuleList(
            Layer(
                config.cell,
                size_read if level else size_E + (size_C if repeats else 0),
                size_H,
                recurrent_init=config.recurrent_init,
            )
            for level in range(config.decoder_layers)
        )
        self.decoder_state_size = CELLS[config.cell].states * size_H
        size_X = config.decoder_layers * self.decoder_state_size
        self.bridge = None if repeats else Linear(size_C, size_X)
        is_tied = config.output == "tied"
        self.readout = Linear(size_read, size_E) if is_tied else None
        self.output = None if is_tied else Linear(size_read, target_size, bias=False)
        self.output_bias_V = nn.Parameter(torch.zeros(target_size))

    @property
    def output_weight(self) -> Tensor:
        """The output layer's weight_VE; of an untied one, weight_VH."""
        return (self.target_embedding if self.output is None else self.output).weight

    def encode(
        self, source_BS: Tensor, source_length_B: Tensor, rng: torch.Generator | None = None
    ) -> DecoderState:
        """Return the decoder's first state; `rng` turns dropout on."""
        drop = self._drop(rng)
        words, index_BS = self._words(self.source_embedding, source_BS, rng)
        state_BSC, last_KBH = self.encoder(words, source_length_B, index_BT=index_BS, drop=drop)
        last_BC = torch.cat([*last_KBH[-self.encoder.directions :]], dim=1)  # of the last layer
        mask_BS = length_mask(source_length_B, source_BS.shape[1])
        memory = self.attention.remember(drop(state_BSC), mask_BS)
        size_L = len(self.decoder)
        if self.bridge is None:  # the encoder's state; an LSTM's cell state after it is zero
            start_BZ = nn.functional.pad(last_BC, (0, self.decoder_state_size - last_BC.shape[1]))
            return DecoderState(start_BZ.expand(size_L, -1, -1), memory, last_BC)
        start_BX = torch.tanh(self.bridge(last_BC))
        start_LBZ = start_BX.view(last_BC.shape[0], size_L, -1).transpose(0, 1).contiguous()
        return DecoderState(start_LBZ, memory)

    def decode(
        self, target_in_BT: Tensor, start: DecoderState, rng: torch.Generator | None = None
    ) -> Tensor:
        """Return logits_BTV of the token after each of target_in_BT: teacher forcing, one pass."""
        drop = self._drop(rng)
        words, index_BT = self._words(self.target_embedding, target_in_BT, rng)
        if start.context_BC is not None:
            word_BTE = words if index_BT is None else nn.functional.embedding(index_BT, words)
            context_BTC = start.context_BC[:, None].expand(-1, target_in_BT.shape[1], -1)
            words, index_BT = torch.cat([word_BTE, context_BTC], dim=2), None
        state_BTH, _ = self.decoder[0](words, start.state_LBZ[0], index_BT)
        context_BTC, _ = self.attention(state_BTH, start.memory)
        for layer, start_BZ in zip(self.decoder[1:], start.state_LBZ[1:], strict=True):
            above_BTH, _ = layer(drop(torch.cat([state_BTH, context_BTC], dim=2)), start_BZ)
            state_BTH = state_BTH + above_BTH
        readout_BTX = drop(torch.cat([state_BTH, context_BTC], dim=2))
        if self.readout is not None:
            readout_BTX = drop(torch.tanh(self.readout(readout_BTX)))
        return linear(readout_BTX, self.output_weight, self.output_bias_V)

    def embed(self, embedding: nn.Embedding, id_N: Tensor) -> Tensor:
        """Return the scaled rows of one of the model's embeddings, for ids of any shape."""
        scaled_NE: Tensor = EMBEDDING_SCALE * embedding(id_N)
        return scaled_NE

    def _drop(self, rng: torch.Generator | None) -> Callable[[Tensor], Tensor]:
        return partial(dropout, rate=self.dropout, rng=rng)

    def _words(
        self, embedding: nn.Embedding, id_BT: Tensor, rng: torch.Generator | None
    ) -> tuple[Tensor, Tensor | None]:
        """Return what a `Layer` reads: word_BTE and None; to train on a CPU, table_UE and index_BT.

        A word has one dropout mask in the whole batch, as rows of the embedding are dropped.
        """
        if rng is None and not torch.is_grad_enabled():
            return self.embed(embedding, id_BT), None
        drop = self._drop(rng)
        if id_BT.is_cpu and tuned():
            id_U, index_BT = id_BT.unique(return_inverse=True)
            return drop(self.embed(embedding, id_U)), index_BT
        return nn.functional.embedding(id_BT, drop(EMBEDDING_SCALE * embedding.weight)), None


def _embedding(size_V: int, size_E: int, length: float) -> nn.Embedding:
    weight_VE = torch.empty(size_V, size_E)
    if weight_VE.is_meta:  # drawing would import torch's compiler, which takes seconds
        unset: nn.Embedding = nn.Embedding.from_pretrained(weight_VE, freeze=False)
        return unset
    embedding = nn.Embedding(size_V, size_E)
    nn.init.normal_(embedding.weight, std=length * size_E**-0.5)
    return embedding
