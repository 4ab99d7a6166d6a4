"""Each distinct word is computed once: states and gradients are as if every word were computed."""

import pytest
import torch
from torch import Tensor

from gru_mt.model.cells import CELLS
from gru_mt.model.fast.distinct import WORD_STEP, distinct, pick
from gru_mt.model.recurrent import Layer, Recurrent

INDEX = torch.tensor([[0, 3, 3, 1], [3, 0, 4, 4], [1, 1, 1, 3]])  # row 2 does not occur
LENGTH = torch.tensor([4, 2, 3])


def random(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize(("words", "rows"), [(1, 32), (32, 32), (33, 64)])
def test_each_id_has_one_row_and_the_rows_are_filled_up(words: int, rows: int) -> None:
    assert WORD_STEP == 32
    id_BT = torch.arange(3 * words).view(3, words) % words + 7
    id_U, index_BT = distinct(id_BT)
    assert torch.equal(id_U[index_BT], id_BT)
    assert id_U.tolist() == [*range(7, 7 + words), *[0] * (rows - words)]


def test_what_is_picked_and_its_gradient() -> None:
    row_UX = torch.tensor([[1.0], [2.0], [3.0]], requires_grad=True)
    picked = pick(row_UX, torch.tensor([[2, 0], [2, 2]]))
    assert picked.tolist() == [[[3.0], [1.0]], [[3.0], [3.0]]]
    picked.backward(torch.tensor([[[1.0], [10.0]], [[100.0], [1000.0]]]))
    assert row_UX.grad is not None
    assert row_UX.grad.tolist() == [[10.0], [0.0], [1101.0]]


def test_a_row_that_occurs_a_thousand_times_has_the_sum_of_their_gradients_in_bf16() -> None:
    row_UX = torch.zeros(2, 8, dtype=torch.bfloat16, requires_grad=True)
    pick(row_UX, torch.ones(1000, dtype=torch.int64)).sum().backward()
    assert row_UX.grad is not None
    assert row_UX.grad.tolist() == [[0.0] * 8, [1000.0] * 8]  # 1 + ... in bf16 ends at 256


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("kind", CELLS)
def test_a_layer_reads_a_table_as_it_reads_all_inputs(kind: str) -> None:
    layer, row_UI, weight_BTH = Layer(kind, 5, 4).double(), random(5, 5), random(3, 4, 4, seed=1)
    assert_the_same(layer, row_UI.requires_grad_(), weight_BTH)


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("bidirectional", [False, True])
def test_layers_read_a_table_as_they_read_all_inputs(bidirectional: bool) -> None:
    layers = Recurrent("gru", 5, 4, layers=2, bidirectional=bidirectional).double()
    weight_BTC = random(3, 4, layers.output_size, seed=1)
    assert_the_same(layers, random(5, 5).requires_grad_(), weight_BTC, LENGTH)


def assert_the_same(
    layers: Layer | Recurrent, row_UI: Tensor, weight_BTC: Tensor, *more: Tensor
) -> None:
    results = []
    for output_BTC, last in (
        layers(row_UI, *more, index_BT=INDEX), layers(row_UI[INDEX], *more)
    ):  # fmt: skip
        loss = (output_BTC * weight_BTC).sum() + last.sum()
        gradients = torch.autograd.grad(loss, [row_UI, *layers.parameters()])
        results.append([output_BTC, last, *gradients])
    torch.testing.assert_close(*results, rtol=0, atol=1e-12)
