"""The update: its dropout, what is clipped, what is skipped, what is averaged."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from gru_mt.config.schema import ModelConfig, TrainingConfig
from gru_mt.data.batching import make_batch
from gru_mt.data.dataset.ids import EpochPairs, IdSequences
from gru_mt.model.loss import forced_loss
from gru_mt.model.seq2seq import Seq2Seq
from gru_mt.training.distributed import Group
from gru_mt.training.optim.optimizer import Optimizer
from gru_mt.training.state import derived_seed

SOURCE_BS = torch.tensor([[5, 6, 7], [8, 9, 3]])
TARGET_BT = torch.tensor([[2, 10, 11], [2, 12, 13]])


def make_optimizer(precision: str = "fp32", **training: Any) -> Optimizer:
    torch.manual_seed(0)
    config = ModelConfig(embedding_size=6, encoder_size=4, decoder_size=8, dropout=0.5)
    model = Seq2Seq(config, source_size=20, target_size=20, joint=True)
    settings = {"precision": precision} | training
    return Optimizer(model, TrainingConfig.model_validate(settings), Group())


def loss_of(optimizer: Optimizer) -> Tensor:
    start = optimizer.model.encode(SOURCE_BS, torch.tensor([3, 3]))
    return optimizer.model.decode(TARGET_BT, start).logsumexp(dim=2).sum()


def weights(optimizer: Optimizer) -> list[Tensor]:
    return [parameter.detach().clone() for parameter in optimizer.model.parameters()]


def test_a_microbatch_has_its_dropout_in_whatever_order_they_are_computed() -> None:
    targets = IdSequences.of([[5, 6, 7], [8, 9], [10, 11, 12, 13], [14]])
    pairs = EpochPairs(targets, targets, np.arange(4))
    microbatches = [np.array(rows) for rows in ([0], [1, 2], [3])]
    settings: dict[str, Any] = {"max_grad_norm": 1e6, "label_smoothing": 0.0}
    updated, alone = make_optimizer(**settings), make_optimizer(**settings)
    update = updated.update(pairs, microbatches, 0.0, 3)
    loss = torch.zeros(())
    for index in (2, 0, 1):
        rng = torch.Generator().manual_seed(derived_seed("dropout", 1, 3) + index)
        batch = make_batch(pairs, microbatches[index])
        part = forced_loss(alone.model, batch, rng) / 14  # 4 + 3 + 5 + 2 tokens
        part.backward()
        loss += part.detach()
    gradients = [weight.grad for weight in alone.model.parameters() if weight.grad is not None]
    assert update.tokens == 14
    torch.testing.assert_close(update.loss, loss)
    torch.testing.assert_close(update.grad_norm, torch.nn.utils.get_total_norm(gradients))
    once, twice = (make_optimizer().update(pairs, microbatches[:1] * n, 0.0, 0) for n in (1, 2))
    assert once.loss != twice.loss  # with the same masks the mean would be the same


@pytest.mark.parametrize("precision", ["fp32", "bf16", "fp16"])
def test_the_clipped_norm_is_that_of_the_true_gradient(precision: str) -> None:
    """With fp16 the loss is scaled by 65,536, and so is the norm until the gradient is unscaled."""
    optimizer, plain = make_optimizer(precision), make_optimizer()
    gradients = torch.autograd.grad(loss_of(plain), list(plain.model.parameters()))
    expected = float(torch.cat([gradient.flatten() for gradient in gradients]).norm())
    for each in (optimizer, plain):
        each.scaled(loss_of(each)).backward()
        assert float(each.step(0.1, 0)) == pytest.approx(expected, rel=1e-5)
    for one, other in zip(weights(optimizer), weights(plain), strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("precision", ["fp32", "bf16", "fp16"])
@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_gradient_that_is_not_finite_changes_nothing(precision: str, bad: float) -> None:
    optimizer = make_optimizer(precision)
    optimizer.scaled(loss_of(optimizer)).backward()
    optimizer.step(0.1, 0)
    before = {name: value.clone() for name, value in optimizer.state_dict().items()}
    optimizer.scaled(loss_of(optimizer) * bad).backward()
    assert not optimizer.step(0.1, 1).isfinite()
    after = optimizer.state_dict()
    for name, value in before.items():
        if not name.startswith("average."):  # it moves on towards the same weights
            assert torch.equal(value, after[name]), name
    assert all(value.isfinite().all() for value in after.values())


def test_a_loss_scale_that_cannot_help_any_more_is_given_up() -> None:
    optimizer = make_optimizer("fp16")
    for _ in range(36):
        assert optimizer.may_overflow
        optimizer.scaled(loss_of(optimizer) * float("nan")).backward()
        optimizer.step(0.1, 0)
    assert not optimizer.may_overflow  # 65,536 / 2 ** 36 is below 1e-6
    assert not make_optimizer("fp32").may_overflow


def test_what_another_precision_saved_is_loaded_and_not_shared_with_the_file() -> None:
    first = make_optimizer("bf16")
    first.scaled(loss_of(first)).backward()
    first.step(0.1, 0)
    tensors, second = first.state_dict(), make_optimizer("fp16")
    second.load_state_dict(tensors, first.counters(), Path("step-1"))
    expected = {name: value.clone() for name, value in tensors.items()}
    second.scaled(loss_of(second)).backward()
    second.step(0.1, 1)
    assert all(torch.equal(tensors[name], value) for name, value in expected.items())
    after = second.state_dict()
    assert not all(torch.equal(after[name], value) for name, value in expected.items())


@pytest.mark.parametrize("most", [0.5, 1e6])
def test_a_step_is_that_of_torch_adamw_on_clipped_gradients(most: float) -> None:
    ours = make_optimizer(
        max_grad_norm=most, weight_decay=0.1, embedding_rate=3.0, adam_betas=[0.8, 0.95]
    )
    twin = make_optimizer()
    parameters = list(twin.model.parameters())
    embedding = twin.model.target_embedding.weight
    adamw = torch.optim.AdamW(
        [{"params": [p], "weight_decay": 0.1 * (p.ndim > 1), "lr": 0.03 if p is embedding else 0.01}
         for p in parameters],
        betas=(0.8, 0.95), eps=1e-9,
    )  # fmt: skip
    for done in range(3):
        loss_of(ours).backward()
        ours.step(0.01, done)
        adamw.zero_grad()
        loss_of(twin).backward()
        norm = torch.stack([p.grad.norm() for p in parameters if p.grad is not None]).norm()
        for parameter in parameters:
            if parameter.grad is not None:
                parameter.grad *= (most / norm).clamp(max=1)
        adamw.step()
    for one, other in zip(weights(ours), weights(twin), strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("averaging", [0.5, 0.0])
def test_the_average_follows_its_formula(averaging: float) -> None:
    optimizer = make_optimizer(averaging=averaging)
    assert optimizer.average.source_embedding is optimizer.average.target_embedding
    expected = weights(optimizer)
    for update in range(1, 20):
        loss_of(optimizer).backward()
        optimizer.step(0.1, update - 1)
        decay = min(averaging, (1 + update) / (10 + update))
        expected = [
            decay * old + (1 - decay) * new
            for old, new in zip(expected, weights(optimizer), strict=True)
        ]
    for one, other in zip(optimizer.average.parameters(), expected, strict=True):
        torch.testing.assert_close(one.detach(), other)


@pytest.mark.slow
def test_an_update_does_not_import_torchs_compiler() -> None:
    code = (
        "import sys; from tests.training.optim.test_optimizer import loss_of, make_optimizer; "
        "made = make_optimizer(); made.scaled(loss_of(made)).backward(); made.step(1e-3, 0); "
        "assert 'torch._dynamo' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], cwd=Path(__file__).parents[3], check=True)
