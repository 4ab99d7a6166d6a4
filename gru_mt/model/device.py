"""Where and how precisely to compute."""

import os
import platform
import re
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch
from torch import nn

from gru_mt.errors import UserError, short_repr


def resolve_device(name: str, *, field: str = "training.device") -> torch.device:
    """Return the device of a name; `auto` is cuda where that works, else cpu.

    Raises UserError that names `field` for a device that is not there or does not work.
    """
    if name == "auto":
        return torch.device("cpu" if _failure("cuda") else "cuda")
    kind = torch.accelerator.current_accelerator()
    there = ["cpu", *(f"{kind}:{index}" for index in range(torch.accelerator.device_count()))]
    if name not in there and f"{name}:0" not in there:
        raise UserError(
            f"{field} {short_repr(name)} is not there; this machine has {', '.join(there)}"
        )
    if reason := _failure(name):
        raise UserError(f"{field} {short_repr(name)} does not work: {reason}")
    return torch.device(name)


def own_device(name: str) -> torch.device:
    """Return where this process computes: of several on a machine, every process on its own GPU.

    Raises UserError as `resolve_device` does, and where there is no GPU left for it.
    """
    local_rank = os.environ.get("LOCAL_RANK")
    if os.environ.get("WORLD_SIZE") == "1":
        local_rank = None
    if local_rank is not None and int(local_rank) < torch.cuda.device_count():
        torch.cuda.set_device(int(local_rank))  # else all would try the first one
    device = resolve_device(name)
    if local_rank is None or device.type == "cpu":
        return device
    if device.index is not None:
        raise UserError(
            f"training.device {device} is one GPU; set it to {device.type}, and each of several "
            "processes takes its own"
        )
    count = torch.accelerator.device_count()
    if int(local_rank) >= count:
        raise UserError(f"training.device {device}: {count} here, too few for a process each")
    return torch.device(device.type, int(local_rank))


def _failure(name: str) -> str | None:
    """Return in one line why a step of a GRU fails on the device; None where it works."""
    try:
        with warnings.catch_warnings():  # torch gives several before it fails
            warnings.simplefilter("ignore")
            x_BTI, weight_GI = torch.ones(1, 1, 1, device=name), torch.ones(3, 1, device=name)
            weights = [weight_GI, weight_GI]
            torch.gru(x_BTI, x_BTI, weights, False, 1, 0.0, False, False, True)[0].item()
    except Exception as error:  # drivers and libraries raise what they like
        return short_repr(str(error).partition("\n")[0])
    return None


def resolve_precision(name: str, device: torch.device) -> torch.dtype:
    """Return the type to compute in; weights, loss and averages stay in fp32 whatever it is.

    `auto` is bf16 where the hardware multiplies in it, fp16 on older GPUs, else fp32.
    """
    if name != "auto":
        return {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[name]
    if device.type == "cuda":
        is_ampere = torch.cuda.get_device_capability(device) >= (8, 0)
        return torch.bfloat16 if is_ampere else torch.float16
    capabilities = torch.cpu.get_capabilities() if device.type == "cpu" else {}
    multiplies = any(capabilities.get(name, False) for name in ("avx512_bf16", "amx_bf16", "bf16"))
    return torch.bfloat16 if multiplies else torch.float32


def machine(device: torch.device | None = None) -> dict[str, Any]:
    """Return what minutes depend on, and nothing that identifies this one machine.

    Of several GPUs it names `device`, or the first.
    """
    gpu = device if device and device.type == "cuda" else None
    cpuinfo = Path("/proc/cpuinfo")
    text = cpuinfo.read_text(encoding="utf-8") if cpuinfo.exists() else ""
    name = re.search(r"^model name\s*: (.+)$", text, re.MULTILINE)
    return {
        "cpu": name[1] if name else platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "isa": torch.backends.cpu.get_cpu_capability(),
        "gpu": torch.cuda.get_device_name(gpu) if torch.cuda.is_available() else None,
    }


def memory_bytes() -> int | None:
    """Return the memory of this machine; None where the system does not say."""
    with suppress(AttributeError, ValueError, OSError):  # Windows has no sysconf
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None


def check_fits_in_memory(model: nn.Module) -> None:
    """Raise UserError for a model too large to train in this machine's memory.

    The system would promise more memory than it has, and later kill the process.
    """
    size = sum(parameter.numel() for parameter in model.parameters())
    needed_bytes = 5 * 4 * size  # weights, gradients, two moments and an average, in fp32
    if (there_bytes := memory_bytes()) and needed_bytes > there_bytes:
        raise UserError(
            f"model: {size:,} parameters take {needed_bytes / 1e9:,.0f} GB to train, and this "
            f"machine has {there_bytes / 1e9:,.0f}; make model.*_size or *_layers smaller"
        )
