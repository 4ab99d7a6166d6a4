"""Attention: which encoder states a decoder state reads.

Shapes: B batch, S source tokens, T target tokens, H decoder units, C encoder units.
"""

import math
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from gru_mt.model.fast.product import batch_product
from gru_mt.model.layers import Linear

Kind = Literal["dot", "general", "additive", "none"]


def length_mask(length_B: Tensor, size: int) -> Tensor:
    """Return mask_BS, True on real tokens: length 2, size 3 -> [True, True, False]."""
    return torch.arange(size, device=length_B.device) < length_B[:, None]


@dataclass(frozen=True, slots=True)
class Memory:
    """An encoded batch of sources, as attention reads it."""

    value_BSC: Tensor  # what is read: the encoder's states
    key_BSH: Tensor  # what a query is compared with: the states, projected once
    mask_BS: Tensor  # True on real tokens


class Attention(nn.Module):
    """Global attention of Luong et al. 2015, arXiv 1508.04025, or of Bahdanau et al. 2015.

    With query q and encoder state m: `dot` scores q . m, `general` q . (W m), and `additive`
    v . tanh(U q + W m) (arXiv 1409.0473). `none` reads nothing: its context has size 0.
    """

    def __init__(self, kind: Kind, *, query_size: int, memory_size: int) -> None:
        super().__init__()
        assert kind != "dot" or query_size == memory_size, "the configuration checks it"
        self.kind = kind
        self.context_size = 0 if kind == "none" else memory_size
        if kind in ("general", "additive"):
            self.key = Linear(memory_size, query_size, bias=False)
        if kind == "additive":
            self.query = Linear(query_size, query_size, bias=False)
            self.score = Linear(query_size, 1, bias=False)

    def remember(self, state_BSC: Tensor, mask_BS: Tensor) -> Memory:
        """Return the memory of encoder states; their keys are computed here, once."""
        key_BSH = self.key(state_BSC) if self.kind in ("general", "additive") else state_BSC
        return Memory(state_BSC, key_BSH, mask_BS)

    def forward(self, query_BTH: Tensor, memory: Memory) -> tuple[Tensor, Tensor]:
        """Return context_BTC, the weighted mean of the states, and weight_BTS (rows sum to 1)."""
        size_B, size_T, _ = query_BTH.shape
        if self.kind == "none":
            weight_BTS = query_BTH.new_zeros(size_B, size_T, memory.mask_BS.shape[1])
            return query_BTH.new_empty(size_B, size_T, 0), weight_BTS
        if self.kind == "additive":
            mixed_BTSH = torch.tanh(self.query(query_BTH)[:, :, None] + memory.key_BSH[:, None])
            score_BTS = self.score(mixed_BTSH).squeeze(3)
        elif torch.compiler.is_exporting():
            # onnxruntime adds up in blocks whose size depends on the last axis. If that were S, the
            # other sentences of a batch would change a sentence's sums.
            score_BTS = (memory.key_BSH @ query_BTH.transpose(1, 2)).transpose(1, 2)
        else:
            score_BTS = batch_product(query_BTH, memory.key_BSH.transpose(1, 2))
        weight_BTS = score_BTS.masked_fill(~memory.mask_BS[:, None], -math.inf).softmax(dim=2)
        context_BTC = batch_product(weight_BTS, memory.value_BSC)
        return context_BTC.to(memory.value_BSC.dtype), weight_BTS
