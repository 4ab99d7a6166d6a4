"""Cells over time: fused and written out, stacked and in both directions, against torch's own."""

import copy
from collections.abc import Iterator
from contextlib import nullcontext
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from gru_mt.model import recurrent
from gru_mt.model.cells import CELLS
from gru_mt.model.layers import dropout
from gru_mt.model.recurrent import FUSED, Layer, Recurrent, pick_times, reversal
from tests.model.tensors import assert_same, random, randomise

both_ways = pytest.mark.usefixtures("both_ways")
TORCHS_FUSED = dict(FUSED)
TORCHS: dict[str, Any] = {"rnn": nn.RNN, "gru": nn.GRU, "lstm": nn.LSTM}


def step_by_step(layer: Layer, x_BTI: Tensor, state_BZ: Tensor) -> tuple[Tensor, Tensor]:
    """Return what a layer should return, computed one step of its cell after another."""
    states = []
    for x_BI in x_BTI.unbind(dim=1):
        state_BZ = layer.cell(x_BI, state_BZ)
        states.append(state_BZ)
    return torch.stack(states, dim=1)[:, :, :4], state_BZ


def outcomes(layer: Layer, x_BTI: Tensor, start_BZ: Tensor) -> list[Any]:
    """Return outputs, last states and gradients: of the layer, and step by step."""
    inputs, found = [x_BTI, start_BZ, *layer.parameters()], []
    for output_BTH, last_BZ in (layer(x_BTI, start_BZ), step_by_step(layer, x_BTI, start_BZ)):
        loss = output_BTH.square().sum() + last_BZ.sum()
        found.append([output_BTH, last_BZ, *torch.autograd.grad(loss, inputs)])
    return found


# One direction


@both_ways
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("kind", CELLS)
def test_outputs_last_state_and_gradients_are_those_of_the_cell(kind: str, bias: bool) -> None:
    layer = randomise(Layer(kind, 5, 4, bias=bias))
    x_BTI = random(3, 6, 5).requires_grad_()
    start_BZ = random(3, layer.cell.state_size, seed=1).requires_grad_()
    assert_same(*outcomes(layer, x_BTI, start_BZ))
    assert_same(layer(x_BTI), step_by_step(layer, x_BTI, torch.zeros_like(start_BZ)))
    output_TH, last_Z = layer(x_BTI[0], start_BZ[0])  # without a batch
    assert_same((output_TH[None], last_Z[None]), layer(x_BTI[:1], start_BZ[:1]))
    assert_same(layer.cell(x_BTI[0, 0], start_BZ[0])[:4], output_TH[0])
    expected = layer(x_BTI, start_BZ)
    with torch.inference_mode():
        inferred = layer.float()(x_BTI.float(), start_BZ.float())
    torch.testing.assert_close(
        inferred, (expected[0].float(), expected[1].float()), rtol=0, atol=2e-6
    )


@both_ways
@pytest.mark.parametrize("precision", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("kind", CELLS)
def test_a_layer_trains_in_mixed_precision(kind: str, precision: torch.dtype) -> None:
    torch.manual_seed(0)
    layer = Layer(kind, 5, 4)
    with torch.autocast("cpu", precision):
        output_BTH, _ = layer(random(3, 6, 5).float())
    output_BTH.float().sum().backward()
    expected_BTH, _ = step_by_step(
        layer, random(3, 6, 5).float(), torch.zeros(3, layer.cell.state_size)
    )
    torch.testing.assert_close(output_BTH.float(), expected_BTH, rtol=2**-6, atol=2**-5)
    assert all(parameter.grad is not None for parameter in layer.parameters())


# On a GPU


def flatten(weights: list[Tensor], *_: Any, **__: Any) -> Tensor:
    """Move the weights into one piece of memory, one after another, as cuDNN's function does."""
    whole = torch.cat([weight.flatten() for weight in weights])
    for weight, part in zip(weights, whole.split([*map(Tensor.numel, weights)]), strict=True):
        weight.set_(part.view_as(weight))
    return whole


def cudnns(kind: str, types: list[torch.dtype]) -> Any:
    """Return torch's layer with cuDNN's checks of its arguments; their type is added to `types`."""
    genuine = FUSED[kind]

    def fused(x: Tensor, start: Any, weights: list[Tensor], *rest: Any, **settings: Any) -> Any:
        starts = start if isinstance(start, list) else [start]
        assert all(part.is_contiguous() for part in starts), "rnn: hx is not contiguous"
        assert len({weight.untyped_storage().data_ptr() for weight in weights}) == 1
        assert weights[0].storage_offset() == 0
        assert not torch.is_autocast_enabled("cuda")
        assert settings["train"] == torch.is_grad_enabled(), "else it has no gradient"
        (kind,) = {part.dtype for part in (x, *starts, *weights)}
        types.append(kind)
        return genuine(x, start, weights, *rest, **settings)

    fused.__name__ = genuine.__name__
    return fused


@pytest.fixture
def as_if_on_a_gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[torch.dtype]]:
    """Make tensors say that they are on a GPU; yield the list of types in which cuDNN computes."""
    types: list[torch.dtype] = []
    for kind in list(FUSED):
        monkeypatch.setitem(FUSED, kind, cudnns(kind, types))
    monkeypatch.setattr(torch.Tensor, "is_cuda", True, raising=False)
    monkeypatch.setattr(torch.Tensor, "is_cpu", False, raising=False)
    monkeypatch.setattr(recurrent, "infers_on_cpu", lambda x: False)
    monkeypatch.setattr(torch, "_use_cudnn_rnn_flatten_weight", lambda: True)
    monkeypatch.setattr(torch, "_cudnn_rnn_flatten_weight", flatten)
    monkeypatch.setattr(torch.cuda, "device_of", lambda x: nullcontext())
    monkeypatch.setattr(
        torch.backends.cudnn.rnn, "get_cudnn_mode", "RNN_TANH RNN_RELU LSTM GRU".index
    )
    yield types
    torch.set_autocast_enabled("cuda", False)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("kind", FUSED)
def test_a_gpu_computes_the_cell_and_its_gradients(
    kind: str, bias: bool, as_if_on_a_gpu: list[torch.dtype], monkeypatch: pytest.MonkeyPatch
) -> None:
    layer = randomise(Layer(kind, 5, 4, bias=bias))
    x_BTI = random(3, 6, 5).requires_grad_()
    start_BZ = random(3, layer.cell.state_size, seed=1).requires_grad_()
    assert_same(*outcomes(layer, x_BTI, start_BZ))
    with torch.inference_mode():
        assert_same(layer(x_BTI, start_BZ), step_by_step(layer, x_BTI, start_BZ))
    for name in ("_use_cudnn_rnn_flatten_weight", "_cudnn_rnn_flatten_weight"):
        monkeypatch.delattr(torch, name)
        monkeypatch.setitem(FUSED, kind, TORCHS_FUSED[kind])  # which also takes scattered weights
        assert_same(layer(x_BTI, start_BZ), step_by_step(layer, x_BTI, start_BZ))
    assert as_if_on_a_gpu == [torch.float64] * 2


@pytest.mark.parametrize(
    ("asked", "cudnn", "computed"),
    [
        (torch.bfloat16, 91300, torch.bfloat16),
        (torch.bfloat16, None, torch.float32),
        (torch.float16, 90100, torch.float16),
    ],
)
def test_on_a_gpu_autocast_is_to_a_type_that_cudnn_takes(
    asked: torch.dtype,
    cudnn: int | None,
    computed: torch.dtype,
    as_if_on_a_gpu: list[torch.dtype],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch.backends.cudnn, "version", lambda: cudnn)
    torch.set_autocast_enabled("cuda", True)
    torch.set_autocast_dtype("cuda", asked)
    layers = randomise(Recurrent("lstm", 5, 4, layers=2, bidirectional=True)).float()
    x_BTI, length_B = random(3, 6, 5).float(), torch.tensor([6, 2, 4])
    output_BTC, last_KBH = layers(x_BTI, length_B)
    assert as_if_on_a_gpu == [computed] * 4
    assert torch.is_autocast_enabled("cuda")
    torch.set_autocast_enabled("cuda", False)
    torch.autograd.grad(output_BTC.float().sum() + last_KBH.float().sum(), [*layers.parameters()])
    expected_BTC, _ = layers.double()(x_BTI.double(), length_B)
    tolerance = 2**-6 if computed == torch.bfloat16 else 2**-9
    torch.testing.assert_close(output_BTC.double(), expected_BTC, rtol=0, atol=tolerance)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("precision", [torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("kind", CELLS)
def test_a_gpu_trains_and_infers_as_a_cpu_does(kind: str, precision: torch.dtype) -> None:
    """Every warning is an error here, so weights in several pieces of memory fail too.

    A ReLU's gradient jumps where rounding moves a sum across zero: of 150 seeds, fp16 on a CPU too
    is further than the tolerance from float64 with 31. With this seed no sum is that near to zero.
    """
    torch.manual_seed(41)
    layers = Recurrent(kind, 24, 16, layers=2, bidirectional=True)
    x_BTI, length_B = random(5, 9, 24).float(), torch.tensor([9, 1, 4, 9, 7])
    weight_BTC = random(5, 9, 32, seed=1).float()

    def outcome(layers: Recurrent, device: str, kind: torch.dtype) -> list[Tensor]:
        with torch.autocast(device, kind, enabled=kind != torch.float32):
            output_BTC, last_KBH = layers(x_BTI.to(device), length_B.to(device))
        loss = (output_BTC * weight_BTC.to(device)).sum() + last_KBH.sum()
        gradients = torch.autograd.grad(loss, [*layers.parameters()])
        with torch.inference_mode():
            inferred_BTC, _ = layers(x_BTI.to(device), length_B.to(device))
        outcome = [output_BTC, last_KBH, inferred_BTC, *gradients]
        return [result.detach().float().cpu() for result in outcome]

    expected = outcome(layers, "cpu", torch.float32)
    on_gpu = outcome(copy.deepcopy(layers).to("cuda"), "cuda", precision)
    tolerance = 0.25 if precision == torch.bfloat16 else 0.05  # cuDNN takes fp32 as TF32
    for ours, wanted in zip(on_gpu, expected, strict=True):
        assert (ours - wanted).norm() < tolerance * wanted.norm()


# Reading backwards


def test_times_are_picked_and_reversed_within_each_rows_own_length() -> None:
    index_BT = reversal(torch.tensor([4, 2, 1]), 4)
    assert index_BT.tolist() == [[3, 2, 1, 0], [1, 0, 2, 3], [0, 1, 2, 3]]
    x_BTH = torch.arange(6.0).view(2, 3, 1).requires_grad_()
    time_BT = torch.tensor([[2, 0, 1], [0, 2, 1]])
    picked_BTH = pick_times(x_BTH, time_BT)
    assert picked_BTH.flatten().tolist() == [2, 0, 1, 3, 5, 4]
    (gradient_BTH,) = torch.autograd.grad(picked_BTH, x_BTH, 10 * x_BTH.detach())
    assert gradient_BTH.flatten().tolist() == [10, 20, 0, 30, 50, 40]
    assert torch.equal(pick_times(x_BTH[:, :, 0], time_BT), picked_BTH[:, :, 0])


# Layers and directions


def torchs_layers(layers: Recurrent, kind: str, **settings: Any) -> Any:
    """Return torch's layers with the weights of ours, which stand in the same order."""
    theirs = TORCHS[kind](5, 4, **settings).double()
    for their, our in zip(theirs.parameters(), layers.parameters(), strict=True):
        their.data.copy_(our.data)
    return theirs


def joined(last: Tensor | tuple[Tensor, Tensor]) -> Tensor:
    """Return torch's last states in our layout: the two of an LSTM side by side."""
    return last if isinstance(last, Tensor) else torch.cat(last, dim=2)


@both_ways
@pytest.mark.parametrize(("depth", "bidirectional"), [(1, False), (3, True)])
@pytest.mark.parametrize("kind", TORCHS)
def test_layers_are_torchs(kind: str, depth: int, bidirectional: bool) -> None:
    settings: dict[str, Any] = {"bidirectional": bidirectional}
    ours = randomise(Recurrent(kind, 5, 4, layers=depth, **settings))
    theirs = torchs_layers(ours, kind, num_layers=depth, batch_first=True, **settings)
    x_BTI = random(3, 6, 5)
    states = 2 if kind == "lstm" else 1
    start_KBZ = random(depth * (1 + bidirectional), 3, 4 * states, seed=1)
    start = tuple(part.contiguous() for part in start_KBZ.split(4, dim=2))
    torchs_start = start if states == 2 else start[0]
    for our_start, their_start in ((None, None), (start_KBZ, torchs_start)):
        output_BTC, last_KBZ = ours(x_BTI, start_KBZ=our_start)
        expected_BTC, expected_last = theirs(x_BTI, their_start)
        assert_same((output_BTC, last_KBZ), (expected_BTC, joined(expected_last)))
        assert_same(
            torch.autograd.grad(output_BTC.square().sum(), [*ours.parameters()]),
            torch.autograd.grad(expected_BTC.square().sum(), [*theirs.parameters()]),
        )
        start_KZ = None if our_start is None else our_start[:, 0]
        output_TC, last_KZ = ours(x_BTI[0], start_KBZ=start_KZ)  # without a batch
        assert_same((output_TC, last_KZ), (output_BTC[0], last_KBZ[:, 0]))


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="'gur' is no cell; there are rnn, "):
        Layer("gur", 5, 4)
    with pytest.raises(ValueError, match="layers must be at least 1"):
        Recurrent("gru", 5, 4, layers=0)
    with pytest.raises(ValueError, match="lengths are those of a batch: give x_BTI, not x_TI"):
        Recurrent("gru", 5, 4)(torch.zeros(6, 5), torch.tensor([6]))


LENGTHS = torch.tensor([3, 6, 1, 4])


@both_ways
@pytest.mark.parametrize("kind", TORCHS)
def test_with_lengths_both_directions_are_those_of_torch_on_a_packed_batch(kind: str) -> None:
    ours = randomise(Recurrent(kind, 5, 4, layers=2, bidirectional=True))
    theirs = torchs_layers(ours, kind, num_layers=2, bidirectional=True, batch_first=True)
    x_BTI = random(4, 6, 5)
    real_BT1 = (torch.arange(6) < LENGTHS[:, None])[:, :, None]

    output_BTC, last_KBH = ours(x_BTI, LENGTHS)
    packed = nn.utils.rnn.pack_padded_sequence(x_BTI, LENGTHS, True, enforce_sorted=False)
    packed_outputs, last = theirs(packed)
    expected_BTC, _ = nn.utils.rnn.pad_packed_sequence(packed_outputs, batch_first=True)
    expected_KBH = joined(last)[:, :, :4]

    output_BTC = output_BTC * real_BT1
    assert_same((output_BTC, last_KBH), (expected_BTC, expected_KBH))
    losses = [
        output.square().sum() + last.square().sum()
        for output, last in ((output_BTC, last_KBH), (expected_BTC, expected_KBH))
    ]
    assert_same(
        torch.autograd.grad(losses[0], [*ours.parameters()]),
        torch.autograd.grad(losses[1], [*theirs.parameters()]),
    )


def test_dropout_acts_between_layers_alone() -> None:
    x_BTI = random(3, 6, 5)
    for depth in (1, 2):
        layers = randomise(Recurrent("gru", 5, 4, layers=depth))
        rng = torch.Generator().manual_seed(1)
        output_BTC, _ = layers(x_BTI, drop=partial(dropout, rate=0.5, rng=rng))
        assert torch.equal(output_BTC, layers(x_BTI)[0]) == (depth == 1)
