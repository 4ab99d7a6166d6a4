"""The loss by hand: a sum in nats, to which padding adds nothing."""

import math

import pytest
import torch
from torch import Tensor, nn

from gru_mt.data.tokenizer.special import PAD
from gru_mt.model.fast import loss as cpu_loss
from gru_mt.model.loss import token_loss
from tests.model.tensors import random

pytestmark = pytest.mark.usefixtures("both_ways")

LOGITS = torch.tensor([[1.0, 2.0, 5.0]], dtype=torch.float64).log()  # probabilities 1/8, 2/8, 5/8


def trained(
    logits_NV: Tensor, target_N: Tensor, label_smoothing: float = 0.0, share: float = 1.0
) -> tuple[Tensor, Tensor]:
    """Return the loss, and the gradient of `share` of it, of logits that are overwritten."""
    leaf_NV = logits_NV.clone().requires_grad_()
    loss = token_loss(leaf_NV.clone(), target_N, label_smoothing=label_smoothing)
    return loss, torch.autograd.grad(loss * share, leaf_NV)[0]


@pytest.mark.parametrize(
    ("target", "label_smoothing", "expected"),
    [
        (2, 0.0, math.log(8 / 5)),
        (1, 0.0, math.log(4)),
        # 0.3 over three words: 0.1 each, and 0.7 more on the target.
        (2, 0.3, 0.7 * math.log(8 / 5) + 0.1 * (math.log(8) + math.log(4) + math.log(8 / 5))),
    ],
)
def test_the_loss_is_the_negative_log_likelihood_smoothed_over_all_words(
    target: int, label_smoothing: float, expected: float
) -> None:
    loss, _ = trained(LOGITS, torch.tensor([target]), label_smoothing)
    assert loss.item() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("label_smoothing", [0.0, 0.1])
def test_loss_and_gradient_are_those_of_the_cross_entropy(label_smoothing: float) -> None:
    # More rows than the loss takes at a time, the last of them fewer; float64 against float64.
    logits_NV = random(2 * cpu_loss.ROWS + 3, 7).requires_grad_()
    target_N = torch.arange(len(logits_NV)) % 7  # PAD too
    expected = nn.functional.cross_entropy(
        logits_NV, target_N, ignore_index=PAD, label_smoothing=label_smoothing, reduction="sum"
    )
    (expected_NV,) = torch.autograd.grad(expected / 5, logits_NV)
    loss, gradient_NV = trained(logits_NV.detach(), target_N, label_smoothing, share=0.2)
    torch.testing.assert_close((loss, gradient_NV), (expected.detach(), expected_NV))


@pytest.mark.parametrize("label_smoothing", [0.0, 0.1])
def test_padding_adds_exactly_0_to_the_loss_and_to_the_gradient(label_smoothing: float) -> None:
    logits_NV, padded, real = random(3, 6), torch.tensor([4, PAD, 2]), [0, 2]
    loss, gradient_NV = trained(logits_NV, padded, label_smoothing)
    alone, alone_NV = trained(logits_NV[real], padded[real], label_smoothing)
    assert loss == alone
    assert not gradient_NV[1].any()
    assert torch.equal(gradient_NV[real], alone_NV)
    padding_N = torch.full((3,), PAD)
    assert trained(logits_NV, padding_N, label_smoothing)[0] == 0
    assert token_loss(logits_NV, padding_N, label_smoothing=label_smoothing) == 0


def test_bf16_logits_are_summed_in_fp32() -> None:
    logits_NV, target_N = random(3, 500).bfloat16(), torch.tensor([4, PAD, 2])
    third = 1 / 3  # is no number of bf16
    loss, gradient_NV = trained(logits_NV, target_N, 0.1, third)
    expected, expected_NV = trained(logits_NV.double(), target_N, 0.1, third)
    torch.testing.assert_close(loss, expected.float(), rtol=1e-6, atol=0)
    torch.testing.assert_close(gradient_NV.double(), expected_NV, rtol=2**-7, atol=0)
    real = expected_NV != 0
    ratio = (gradient_NV.double()[real] / expected_NV[real]).mean().item()
    assert ratio == pytest.approx(1, abs=5e-4)  # rounded to bf16, 1/3 alone would be 2e-3 off
    assert (loss.dtype, gradient_NV.dtype) == (torch.float32, torch.bfloat16)


def test_a_target_too_unlikely_for_a_float_still_has_its_loss() -> None:
    loss, _ = trained(torch.tensor([[0.0, 50.0, 300.0]]), torch.tensor([1]))  # exp(-250) is 0
    assert loss.item() == pytest.approx(250, rel=1e-6)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_without_gradients_the_loss_is_the_same_and_the_logits_stay(
    dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    logits_NV, target_N = random(5, 9).to(dtype), torch.tensor([1, 8, PAD, 3, 1])
    before_NV = logits_NV.clone()
    expected, _ = trained(logits_NV.double(), target_N, 0.1)
    monkeypatch.setattr(cpu_loss._Loss, "apply", pytest.fail)

    losses = [token_loss(logits_NV, target_N, label_smoothing=0.1)]
    with torch.no_grad():
        losses.append(token_loss(logits_NV.requires_grad_(), target_N, label_smoothing=0.1))
    assert torch.equal(logits_NV, before_NV)
    for loss in losses:
        assert not loss.requires_grad
        assert loss.dtype == torch.promote_types(dtype, torch.float32)
        assert loss.item() == pytest.approx(expected.item(), rel=1e-6)
