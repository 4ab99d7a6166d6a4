"""When inference uses oneDNN's product, and when torch's own."""

from types import SimpleNamespace

import pytest
import torch

from gru_mt.model.fast.product import infers_on_cpu
from gru_mt.model.layers import Linear


def test_only_fp32_inference_outside_autocast_takes_it() -> None:
    x = torch.ones(2, 3)
    assert not infers_on_cpu(x)
    with torch.inference_mode():
        assert infers_on_cpu(x) == torch.backends.mkldnn.is_available()
        assert not infers_on_cpu(x.double())
        with torch.autocast("cpu", torch.bfloat16):
            assert not infers_on_cpu(x)


def test_a_torch_without_the_operator_computes_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    layer, x = Linear(33, 20), torch.randn(5, 33, generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        expected = layer(x)
        monkeypatch.setattr(torch.ops, "mkldnn", SimpleNamespace())
        assert not infers_on_cpu(x)
        torch.testing.assert_close(layer(x), expected, rtol=0, atol=1e-5)
