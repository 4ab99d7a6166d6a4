"""Each distinct word is computed once: states and gradients are as if every word were computed."""

import pytest
import torch

from gru_mt.model.cells import CELLS
from gru_mt.model.fast.distinct import pick
from gru_mt.model.recurrent import Layer, Recurrent
from tests.model.tensors import assert_same, random

INDEX = torch.tensor([[0, 3, 3, 1], [3, 0, 4, 4], [1, 1, 1, 3]])  # row 2 does not occur
LENGTH = torch.tensor([4, 2, 3])


def test_what_is_picked_has_the_sum_of_its_gradients_in_bf16_too() -> None:
    row_UX = torch.tensor([[1.0], [2.0], [3.0]], requires_grad=True)
    picked = pick(row_UX, torch.tensor([[2, 0], [2, 2]]))
    assert picked.tolist() == [[[3.0], [1.0]], [[3.0], [3.0]]]
    weights = torch.tensor([[[1.0], [10.0]], [[100.0], [1000.0]]])
    assert torch.autograd.grad(picked, row_UX, weights)[0].tolist() == [[10.0], [0.0], [1101.0]]

    row_UX = torch.zeros(2, 8, dtype=torch.bfloat16, requires_grad=True)
    picked = pick(row_UX, torch.ones(1000, dtype=torch.int64))
    (gradient_UX,) = torch.autograd.grad(picked.sum(), row_UX)
    assert gradient_UX.tolist() == [[0.0] * 8, [1000.0] * 8]  # 1 + ... in bf16 ends at 256


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize(
    "layers",
    [
        *(Layer(kind, 5, 4) for kind in CELLS),
        *(Recurrent("gru", 5, 4, layers=2, bidirectional=both) for both in (True, False)),
    ],
)
def test_layers_read_a_table_as_they_read_all_inputs(layers: Layer | Recurrent) -> None:
    row_UI, lengths = random(5, 5).requires_grad_(), [LENGTH] * isinstance(layers, Recurrent)
    layers.double()
    results = []
    for output_BTC, last in (
        layers(row_UI, *lengths, index_BT=INDEX), layers(row_UI[INDEX], *lengths)
    ):  # fmt: skip
        loss = output_BTC.square().sum() + last.sum()
        gradients = torch.autograd.grad(loss, [row_UI, *layers.parameters()])
        results.append([output_BTC, last, *gradients])
    assert_same(*results)
