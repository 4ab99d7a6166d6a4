"""The loss by hand: a sum in nats, to which padding adds nothing."""

import math

import pytest
import torch
from torch import Tensor, nn

from gru_mt.data.tokenizer.special import PAD
from gru_mt.model.fast import loss as cpu_loss
from gru_mt.model.loss import token_loss

pytestmark = pytest.mark.usefixtures("both_ways")

LOGITS = torch.tensor([[1.0, 2.0, 5.0]], dtype=torch.float64).log()  # probabilities 1/8, 2/8, 5/8


def random(*shape: int) -> Tensor:
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0))


def targets(*ids: int) -> Tensor:
    return torch.tensor(ids)


def loss_of(logits_NV: Tensor, target_N: Tensor, label_smoothing: float = 0.0) -> Tensor:
    """Return `token_loss` of a copy that wants gradients, as in training: it is overwritten."""
    leaf_NV = logits_NV if logits_NV.requires_grad else logits_NV.clone().requires_grad_()
    return token_loss(leaf_NV.clone(), target_N, label_smoothing=label_smoothing)


def gradient(logits_NV: Tensor, target_N: Tensor, label_smoothing: float) -> Tensor:
    leaf_NV = logits_NV.clone().requires_grad_()
    return torch.autograd.grad(loss_of(leaf_NV, target_N, label_smoothing), leaf_NV)[0]


def test_the_loss_is_the_negative_log_likelihood() -> None:
    assert loss_of(LOGITS, targets(2)).item() == pytest.approx(math.log(8 / 5), abs=1e-12)
    assert loss_of(LOGITS, targets(1)).item() == pytest.approx(math.log(4), abs=1e-12)


def test_label_smoothing_spreads_its_share_over_the_whole_vocabulary() -> None:
    # 0.3 over three words: 0.1 each, and 0.7 more on the target.
    by_hand = 0.7 * math.log(8 / 5) + 0.1 * (math.log(8) + math.log(8 / 2) + math.log(8 / 5))
    loss = loss_of(LOGITS, targets(2), label_smoothing=0.3)
    assert loss.item() == pytest.approx(by_hand, abs=1e-12)


@pytest.mark.parametrize("label_smoothing", [0.0, 0.1])
def test_the_loss_is_a_sum_over_tokens(label_smoothing: float) -> None:
    logits_NV, ids = random(4, 6), [1, 5, 3, 1]
    by_hand = 0.0
    for logits_V, target in zip(logits_NV.tolist(), ids, strict=True):
        log_total = math.log(sum(math.exp(logit) for logit in logits_V))
        nats_V = [log_total - logit for logit in logits_V]
        by_hand += (1 - label_smoothing) * nats_V[target] + label_smoothing * sum(nats_V) / 6
    loss = loss_of(logits_NV, targets(*ids), label_smoothing=label_smoothing)
    assert loss.item() == pytest.approx(by_hand, abs=1e-12)


@pytest.mark.parametrize("label_smoothing", [0.0, 0.1])
def test_padding_adds_exactly_0_to_the_loss_and_to_the_gradient(label_smoothing: float) -> None:
    logits_NV, padded = random(3, 6), targets(4, PAD, 2)
    real = [0, 2]

    loss = loss_of(logits_NV, padded, label_smoothing=label_smoothing)
    assert loss == loss_of(logits_NV[real], padded[real], label_smoothing=label_smoothing)
    gradient_NV = gradient(logits_NV, padded, label_smoothing)
    assert not gradient_NV[1].any()
    alone_NV = gradient(logits_NV[real], padded[real], label_smoothing)
    assert torch.equal(gradient_NV[real], alone_NV)


@pytest.mark.parametrize("label_smoothing", [0.0, 0.1])
def test_the_gradient_is_what_autograd_makes_of_the_cross_entropy(label_smoothing: float) -> None:
    # More rows than the loss takes at a time, the last of them fewer; float64 against float64.
    logits_NV = random(2 * cpu_loss.ROWS + 3, 7).requires_grad_()
    target_N = torch.arange(len(logits_NV)) % 7  # PAD too
    expected = nn.functional.cross_entropy(
        logits_NV, target_N, ignore_index=PAD, label_smoothing=label_smoothing, reduction="sum"
    )
    loss = loss_of(logits_NV, target_N, label_smoothing=label_smoothing)
    torch.testing.assert_close(loss, expected)
    (expected_NV,) = torch.autograd.grad(expected / 5, logits_NV)
    torch.testing.assert_close(torch.autograd.grad(loss / 5, logits_NV)[0], expected_NV)


def test_bf16_logits_are_summed_in_fp32() -> None:
    logits_NV = random(3, 500).bfloat16().requires_grad_()
    target_N = targets(4, PAD, 2)
    loss = loss_of(logits_NV, target_N, label_smoothing=0.1)
    wide_NV = logits_NV.detach().double().requires_grad_()
    expected = loss_of(wide_NV, target_N, label_smoothing=0.1)
    torch.testing.assert_close(loss, expected.float(), rtol=1e-6, atol=0)
    (gradient_NV,) = torch.autograd.grad(loss / 3, logits_NV)  # 1/3 is no number of bf16
    (expected_NV,) = torch.autograd.grad(expected / 3, wide_NV)
    torch.testing.assert_close(gradient_NV.double(), expected_NV, rtol=2**-7, atol=0)
    real = expected_NV != 0
    ratio = (gradient_NV.double()[real] / expected_NV[real]).mean().item()
    assert ratio == pytest.approx(1, abs=5e-4)  # rounded to bf16, 1/3 alone would be 2e-3 off
    assert loss.dtype == torch.float32
    assert gradient_NV.dtype == torch.bfloat16


def test_a_target_too_unlikely_for_a_float_still_has_its_loss() -> None:
    logits_NV = torch.tensor([[0.0, 50.0, 300.0]])  # exp(-250) is 0 in fp32
    assert loss_of(logits_NV, targets(1)).item() == pytest.approx(250, rel=1e-6)


# Without gradients: validation


@pytest.mark.parametrize("label_smoothing", [0.0, 0.1])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_without_gradients_the_loss_is_the_same_and_the_logits_stay(
    dtype: torch.dtype, label_smoothing: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    logits_NV, target_N = random(5, 9).to(dtype), targets(1, 8, PAD, 3, 1)
    before_NV = logits_NV.clone()
    expected = loss_of(logits_NV.double(), target_N, label_smoothing)
    monkeypatch.setattr(cpu_loss._Loss, "apply", pytest.fail)

    losses = [token_loss(logits_NV, target_N, label_smoothing=label_smoothing)]
    with torch.no_grad():
        leaf_NV = logits_NV.clone().requires_grad_()
        losses.append(token_loss(leaf_NV, target_N, label_smoothing=label_smoothing))
        assert torch.equal(leaf_NV, before_NV)
    assert torch.equal(logits_NV, before_NV)
    for loss in losses:
        assert not loss.requires_grad
        assert loss.dtype == torch.promote_types(dtype, torch.float32)
        assert loss.item() == pytest.approx(expected.item(), rel=1e-6)


def test_a_batch_of_padding_costs_0() -> None:
    padding_N = targets(PAD, PAD, PAD)
    assert loss_of(random(3, 6), padding_N, label_smoothing=0.1) == 0
    assert token_loss(random(3, 6), padding_N, label_smoothing=0.1) == 0
