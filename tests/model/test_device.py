"""Devices and precisions by name."""

import warnings
from typing import NoReturn

import pytest
import torch

from gru_mt.errors import UserError
from gru_mt.model.device import resolve_device, resolve_precision

CPU = torch.device("cpu")


def there_are_gpus(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda: torch.device("cuda"))
    monkeypatch.setattr(torch.accelerator, "device_count", lambda: count)


def test_auto_is_cuda_where_a_step_works_there(monkeypatch: pytest.MonkeyPatch) -> None:
    genuine, tried = torch.ones, []

    def ones(*shape: int, device: str) -> torch.Tensor:
        tried.append(device)
        return genuine(*shape)

    monkeypatch.setattr(torch, "ones", ones)
    assert resolve_device("auto").type == "cuda"
    assert set(tried) == {"cuda"}
    assert resolve_device("cpu") == CPU


def test_auto_is_the_cpu_where_a_card_is_there_that_torch_is_not_built_for(
    monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    def ones(*shape: int, device: str) -> NoReturn:
        warnings.warn("the current PyTorch installation supports sm_75 ...", stacklevel=2)
        raise torch.AcceleratorError("CUDA error: no kernel image is available\nCUDA kernel ...")

    monkeypatch.setattr(torch, "ones", ones)
    there_are_gpus(monkeypatch, 1)
    assert resolve_device("auto") == CPU
    with pytest.raises(UserError) as caught:
        resolve_device("cuda")
    assert str(caught.value) == (
        "training.device 'cuda' does not work: 'CUDA error: no kernel image is available'"
    )
    assert not recwarn


@pytest.mark.parametrize("name", ["gpu", "", "cuda:-1", "cuda:99", "mps", "cuda:1\n", "a" * 5_000])
def test_a_device_that_is_not_there_is_one_line_that_names_those_that_are(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    there_are_gpus(monkeypatch, 2)
    with pytest.raises(
        UserError, match=r"^--device '.*' is not there; this .* cpu, cuda:0, cuda:1$"
    ):
        resolve_device(name, field="--device")


@pytest.mark.parametrize(
    ("name", "device", "capabilities", "dtype"),
    [
        ("bf16", "cpu", {}, torch.bfloat16),  # named, it is that one on any hardware
        ("fp16", "cpu", {}, torch.float16),
        ("fp32", "cpu", {"bf16": True}, torch.float32),
        ("auto", "cpu", {"avx2": True, "avx512_bf16": False}, torch.float32),
        ("auto", "cpu", {"avx512_bf16": True, "amx_bf16": False}, torch.bfloat16),
        ("auto", "cpu", {"avx512_bf16": False, "amx_bf16": True}, torch.bfloat16),
        ("auto", "cpu", {"neon": True, "bf16": True}, torch.bfloat16),
        ("auto", "mps", {"bf16": True}, torch.float32),
        ("auto", "cuda", (7, 5), torch.float16),
        ("auto", "cuda", (8, 0), torch.bfloat16),
    ],
)
def test_auto_is_the_type_in_which_the_hardware_multiplies(
    name: str,
    device: str,
    capabilities: object,
    dtype: torch.dtype,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: capabilities)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capabilities)
    assert resolve_precision(name, torch.device(device)) == dtype


def test_auto_names_a_type_that_this_machine_computes_in() -> None:
    dtype = resolve_precision("auto", CPU)
    product = torch.ones(2, 2, dtype=dtype) @ torch.ones(2, 2, dtype=dtype)
    assert product.tolist() == [[2, 2], [2, 2]]
