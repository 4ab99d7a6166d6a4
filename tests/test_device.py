"""Devices and precisions by name."""

import pytest
import torch

from gru_mt.device import resolve_device, resolve_precision
from gru_mt.errors import UserError

CPU = torch.device("cpu")


def test_cpu_is_the_cpu() -> None:
    assert resolve_device("cpu") == CPU


@pytest.mark.parametrize(("has_cuda", "kind"), [(True, "cuda"), (False, "cpu")])
def test_auto_is_cuda_where_there_is_one(
    monkeypatch: pytest.MonkeyPatch, has_cuda: bool, kind: str
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: has_cuda)
    assert resolve_device("auto").type == kind


@pytest.mark.parametrize("name", ["gpu", "", "cuda:-1", "cuda:99", "xla", "hpu", "meta"])
def test_a_device_that_cannot_be_used_is_one_line_that_names_it(name: str) -> None:
    with pytest.raises(UserError) as caught:
        resolve_device(name)
    assert f"training.device {name!r} cannot be used" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [("fp32", torch.float32), ("bf16", torch.bfloat16), ("fp16", torch.float16)],
)
def test_a_named_precision_is_that_one_on_any_hardware(name: str, dtype: torch.dtype) -> None:
    assert resolve_precision(name, CPU) == dtype


@pytest.mark.parametrize(
    ("capabilities", "dtype"),
    [
        ({"avx2": True}, torch.float32),
        ({"avx2": True, "avx512_f": True, "avx512_bf16": False}, torch.float32),
        ({"avx512_bf16": True, "amx_bf16": False}, torch.bfloat16),
        ({"avx512_bf16": False, "amx_bf16": True}, torch.bfloat16),
        ({"neon": True, "bf16": True}, torch.bfloat16),
        ({"neon": True, "bf16": False}, torch.float32),
    ],
)
def test_auto_on_a_cpu_is_bf16_where_it_multiplies_in_it(
    monkeypatch: pytest.MonkeyPatch, capabilities: dict[str, bool], dtype: torch.dtype
) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: capabilities)
    assert resolve_precision("auto", CPU) == dtype


@pytest.mark.parametrize(
    ("capability", "dtype"),
    [((7, 5), torch.float32), ((8, 0), torch.bfloat16), ((10, 0), torch.bfloat16)],
)
def test_auto_on_a_gpu_is_bf16_from_ampere_on(
    monkeypatch: pytest.MonkeyPatch, capability: tuple[int, int], dtype: torch.dtype
) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
    assert resolve_precision("auto", torch.device("cuda")) == dtype


def test_auto_names_a_type_that_this_machine_computes_in() -> None:
    dtype = resolve_precision("auto", CPU)
    product = torch.ones(2, 2, dtype=dtype) @ torch.ones(2, 2, dtype=dtype)
    assert product.tolist() == [[2, 2], [2, 2]]
