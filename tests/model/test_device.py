"""Devices and precisions by name."""

import warnings
from typing import NoReturn

import pytest
import torch

from gru_mt.errors import UserError
from gru_mt.model.device import resolve_device, resolve_precision

CPU = torch.device("cpu")


def test_cpu_is_the_cpu() -> None:
    assert resolve_device("cpu") == CPU


def test_auto_is_cuda_where_a_step_works_there(monkeypatch: pytest.MonkeyPatch) -> None:
    genuine, tried = torch.ones, []

    def ones(*shape: int, device: str) -> torch.Tensor:
        tried.append(device)
        return genuine(*shape)

    monkeypatch.setattr(torch, "ones", ones)
    assert resolve_device("auto").type == "cuda"
    assert set(tried) == {"cuda"}


def test_auto_is_the_cpu_where_a_card_is_there_that_torch_is_not_built_for(
    monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    def ones(*shape: int, device: str) -> NoReturn:
        warnings.warn("the current PyTorch installation supports sm_75 ...", stacklevel=2)
        raise torch.AcceleratorError("CUDA error: no kernel image is available\nCUDA kernel ...")

    monkeypatch.setattr(torch, "ones", ones)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert resolve_device("auto") == CPU
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda: torch.device("cuda"))
    monkeypatch.setattr(torch.accelerator, "device_count", lambda: 1)
    with pytest.raises(UserError) as caught:
        resolve_device("cuda")
    assert str(caught.value) == (
        "training.device 'cuda' does not work: 'CUDA error: no kernel image is available'"
    )
    assert not recwarn


@pytest.mark.parametrize(
    "name", ["gpu", "", "cuda:-1", "cuda:99", "xla", "hpu", "meta", "mps", "cdua", "cuda:1\n"]
)
def test_a_device_that_is_not_there_is_one_line_that_names_those_that_are(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda: torch.device("cuda"))
    monkeypatch.setattr(torch.accelerator, "device_count", lambda: 2)
    with pytest.raises(UserError) as caught:
        resolve_device(name, field="--device")
    assert str(caught.value) == (
        f"--device {name!r} is not there; this machine has cpu, cuda:0, cuda:1"
    )


def test_a_long_name_makes_a_short_line() -> None:
    with pytest.raises(UserError, match=r"^training.device 'aaa") as caught:
        resolve_device("a" * 5_000)
    assert len(str(caught.value)) < 200


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
    [((7, 5), torch.float16), ((8, 0), torch.bfloat16), ((10, 0), torch.bfloat16)],
)
def test_auto_on_a_gpu_is_bf16_from_ampere_on_and_fp16_before(
    monkeypatch: pytest.MonkeyPatch, capability: tuple[int, int], dtype: torch.dtype
) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
    assert resolve_precision("auto", torch.device("cuda")) == dtype


def test_auto_on_another_kind_of_device_is_fp32(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"bf16": True})
    assert resolve_precision("auto", torch.device("mps")) == torch.float32


def test_auto_names_a_type_that_this_machine_computes_in() -> None:
    dtype = resolve_precision("auto", CPU)
    product = torch.ones(2, 2, dtype=dtype) @ torch.ones(2, 2, dtype=dtype)
    assert product.tolist() == [[2, 2], [2, 2]]
