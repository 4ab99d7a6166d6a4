"""Switched off, a model trains and infers without this package, and computes the same."""

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from torch import Tensor

from gru_mt.config.schema import ModelConfig
from gru_mt.data.batching import Batch
from gru_mt.data.tokenizer.special import BOS, EOS, PAD
from gru_mt.inference.engines.torch_engine import TorchEngine
from gru_mt.model.fast import distinct, gru, keep_memory, loss, tuned, waiting
from gru_mt.model.fast.product import infers_on_cpu
from gru_mt.model.layers import Linear
from gru_mt.model.loss import forced_loss
from gru_mt.model.seq2seq import Seq2Seq

BATCH = Batch(
    torch.tensor([[4, 5, 6, EOS], [7, EOS, PAD, PAD], [4, 4, EOS, PAD]]),
    torch.tensor([4, 2, 3]),
    torch.tensor([[BOS, 10, 11, PAD], [BOS, 12, 10, 10], [BOS, PAD, PAD, PAD]]),
    torch.tensor([[10, 11, EOS, PAD], [12, 10, 10, EOS], [EOS, PAD, PAD, PAD]]),
)
FAST = [
    (distinct._Pick, "apply"),
    (gru._GRU, "apply"),
    (loss._Loss, "apply"),
    (torch.Tensor, "unique"),
    (waiting, "_watch"),
]
KERNELS = "LRU_CACHE_CAPACITY"
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h


def build(**settings: Any) -> Seq2Seq:
    torch.manual_seed(0)
    sizes = {"embedding_size": 6, "encoder_size": 4, "decoder_size": 8, "decoder_layers": 2}
    config = ModelConfig.model_validate(sizes | settings)
    return Seq2Seq(config, source_size=20, target_size=20, joint=True)


def trained(model: Seq2Seq) -> list[Tensor]:
    """Return the loss and the gradients, without dropout."""
    loss = forced_loss(model, BATCH, label_smoothing=0.1)
    return [loss.detach(), *torch.autograd.grad(loss, [*model.parameters()])]


def inferred(model: Seq2Seq) -> list[Tensor]:
    """Return log probabilities and ids of a first step, and the loss of validation."""
    engine = TorchEngine(model)
    state = engine.start(BATCH.source_BS.numpy(), BATCH.source_length_B.numpy())
    log_prob_RN, id_RN, _ = engine.step(BATCH.target_in_BT[:, 0].numpy(), state, 3)
    with torch.no_grad():
        return [torch.from_numpy(log_prob_RN), torch.from_numpy(id_RN), forced_loss(model, BATCH)]


@contextmanager
def plain() -> Iterator[None]:
    """Switch the fast code off, and make each fast function fail."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRU_MT_PLAIN", "1")
        for owner, name in FAST:
            patch.setattr(owner, name, pytest.fail)
        patch.setattr(torch.ops, "mkldnn", None)
        yield


@pytest.mark.parametrize(("value", "fast"), [("0", True), ("", True), ("1", False)])
def test_the_switch_is_read_at_each_call(
    value: str, fast: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRU_MT_PLAIN", value)
    assert tuned() == fast
    monkeypatch.delenv("GRU_MT_PLAIN")
    assert tuned()


@pytest.mark.parametrize("settings", [
    {}, {"cell": "lstm"}, {"cell": "gru_update"},
    {"encoder_layers": 2, "bidirectional": False, "attention": "general"},
    {"context": "repeat", "attention": "none", "decoder_layers": 1},
])  # fmt: skip
def test_a_model_computes_the_same_on_and_off(settings: dict[str, Any]) -> None:
    model = build(**settings)
    fast, fast_inferred = trained(model.double()), inferred(model.float())
    with plain():
        slow, slow_inferred = trained(model.double()), inferred(model.float())
        with waiting.while_computing("cpu"):
            pass
    torch.testing.assert_close(fast, slow, rtol=0, atol=1e-12)
    torch.testing.assert_close(fast_inferred, slow_inferred, rtol=0, atol=2e-6)


def test_only_fp32_inference_takes_onednns_product_where_torch_has_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    layer, x = Linear(33, 20), torch.randn(5, 33, generator=torch.Generator().manual_seed(0))
    assert not infers_on_cpu(x)
    with torch.inference_mode():
        assert infers_on_cpu(x) == torch.backends.mkldnn.is_available()
        assert not infers_on_cpu(x.double())
        with torch.autocast("cpu", torch.bfloat16):
            assert not infers_on_cpu(x)
        expected = layer(x)
        monkeypatch.setattr(torch.ops, "mkldnn", SimpleNamespace())
        assert not infers_on_cpu(x)
        torch.testing.assert_close(layer(x), expected, rtol=0, atol=1e-5)


def test_the_c_library_keeps_64_mb_and_ideep_8_kernels_unless_a_user_has_set_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told: list[tuple[int, int]] = []
    library = SimpleNamespace(mallopt=lambda *setting: told.append(setting))
    monkeypatch.setattr(ctypes, "CDLL", lambda name: library)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv(KERNELS, "")
    monkeypatch.delenv(KERNELS)
    with plain():
        keep_memory()
    assert (told, KERNELS in os.environ) == ([], False)
    keep_memory()
    assert told == [(M_TRIM_THRESHOLD, 64 * 2**20), (M_MMAP_THRESHOLD, 32 * 2**20)]
    assert os.environ[KERNELS] == "8"
    monkeypatch.setenv(KERNELS, "512")
    monkeypatch.setattr(ctypes, "CDLL", lambda name: SimpleNamespace())  # musl
    keep_memory()
    assert os.environ[KERNELS] == "512"
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(ctypes, "CDLL", pytest.fail)
    keep_memory()
