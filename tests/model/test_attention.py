"""Attention against values by hand, and against loops over positions."""

import math
from typing import get_args

import pytest
import torch
from torch import Tensor

from gru_mt.model.attention import Attention, Kind, length_mask
from tests.model.tensors import assert_same, random, randomise

READING = [kind for kind in get_args(Kind) if kind != "none"]
LENGTHS = torch.tensor([2, 5, 1])


def test_dot_attention_by_hand() -> None:
    attention = Attention("dot", query_size=2, memory_size=2)
    state_BSC = torch.tensor([[[0.0, 8.0], [math.log(3), 4.0], [50.0, 1.0]]])
    memory = attention.remember(state_BSC, torch.tensor([[True, True, False]]))

    context_BTC, weight_BTS = attention(torch.tensor([[[1.0, 0.0], [0.0, 0.0]]]), memory)

    # Scores 0 and ln 3, then twice 0; the third state is padding.
    torch.testing.assert_close(weight_BTS, torch.tensor([[[0.25, 0.75, 0.0], [0.5, 0.5, 0.0]]]))
    expected = torch.tensor([[[0.75 * math.log(3), 5.0], [0.5 * math.log(3), 6.0]]])
    torch.testing.assert_close(context_BTC, expected)

    attention = Attention("dot", query_size=1, memory_size=1)
    memory = attention.remember(torch.tensor([[[-1e6], [0.0]]]), torch.tensor([[True, False]]))
    _, weight_BTS = attention(torch.ones(1, 1, 1), memory)
    assert weight_BTS.tolist() == [[[1.0, 0.0]]], "however badly the real state fits"


def score(attention: Attention, query_H: Tensor, state_C: Tensor) -> float:
    """Return how well a query fits a state, as the papers write it."""
    if attention.kind == "dot":
        return query_H.dot(state_C).item()
    key_H = attention.key.weight @ state_C
    if attention.kind == "general":
        return query_H.dot(key_H).item()
    hidden_H = torch.tanh(attention.query.weight @ query_H + key_H)
    return attention.score.weight[0].dot(hidden_H).item()


@pytest.mark.parametrize("kind", READING)
def test_attention_is_the_written_out_one_and_padding_gets_no_gradient(kind: Kind) -> None:
    size_C = 4 if kind == "dot" else 6
    attention = randomise(Attention(kind, query_size=4, memory_size=size_C))
    query_BTH, state_BSC = random(3, 2, 4), random(3, 5, size_C, seed=1).requires_grad_()
    mask_BS = length_mask(LENGTHS, 5)
    memory = attention.remember(state_BSC, mask_BS)

    context_BTC, weight_BTS = attention(query_BTH, memory)

    for b, length in enumerate(LENGTHS.tolist()):
        for t in range(2):
            scores = [score(attention, query_BTH[b, t], state_BSC[b, s]) for s in range(length)]
            total = sum(map(math.exp, scores))
            weights = [math.exp(value) / total for value in scores]
            assert weight_BTS[b, t, :length].tolist() == pytest.approx(weights, abs=1e-12)
            assert_same(context_BTC[b, t], sum(weights[s] * state_BSC[b, s] for s in range(length)))
    (gradient_BSC,) = torch.autograd.grad(context_BTC.square().sum(), state_BSC)
    assert torch.equal(gradient_BSC.any(dim=2), mask_BS)


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16])
def test_autocast_on_a_cpu_compares_in_single_precision(kind: torch.dtype) -> None:
    attention = Attention("dot", query_size=64, memory_size=64)
    query_BTH, state_BSC = (random(3, size, 64, seed=size).to(kind) for size in (2, 5))
    query_BTH.requires_grad_()
    memory = attention.remember(state_BSC, length_mask(LENGTHS, 5))
    with torch.autocast("cpu", dtype=kind):
        context_BTC, weight_BTS = attention(query_BTH, memory)
    context_BTC.float().sum().backward()

    exact = query_BTH.detach().double(), state_BSC.double()
    score_BTS = torch.einsum("bth,bsh->bts", *exact).masked_fill(
        ~length_mask(LENGTHS, 5)[:, None], -math.inf
    )
    torch.testing.assert_close(weight_BTS, score_BTS.softmax(dim=2).float(), rtol=1e-4, atol=1e-6)
    assert context_BTC.dtype == kind
    assert query_BTH.grad is not None
    assert query_BTH.grad.dtype == kind
