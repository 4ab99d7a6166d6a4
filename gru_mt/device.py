"""Where and how precisely to compute."""

import ctypes
import sys

import torch

from gru_mt.errors import UserError


def resolve_device(name: str) -> torch.device:
    """Return the device of a name; `auto` is cuda where there is one, else cpu.

    Raises UserError for a name that torch does not know or a device that is not there.
    """
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.ones(1, device=device).item()
    except (RuntimeError, AssertionError, ImportError) as error:
        reason = str(error).splitlines()[0]
        raise UserError(f"training.device {name!r} cannot be used: {reason}") from None
    return device


def resolve_precision(name: str, device: torch.device) -> torch.dtype:
    """Return the type to compute in; `auto` is bf16 where the hardware multiplies in it, else fp32.

    Weights, loss and averages stay in fp32 whatever this is.
    """
    if name == "auto":
        name = "bf16" if _multiplies_bf16(device) else "fp32"
    return {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}[name]


def _multiplies_bf16(device: torch.device) -> bool:
    if device.type == "cuda":
        return torch.cuda.get_device_capability(device) >= (8, 0)  # Ampere
    capabilities = torch.cpu.get_capabilities()
    return any(capabilities.get(name, False) for name in ("avx512_bf16", "amx_bf16", "bf16"))


def keep_freed_memory() -> None:
    """Have the C library keep up to 64 MB of what is freed, and map only the largest blocks alone.

    Each update asks for what the last one freed: all of it given back at once costs a twentieth of
    training in page faults, and a library that learns the limits by itself leaves holes that no
    later batch fits. GNU's has the setting (`man mallopt`); elsewhere this does nothing.
    """
    trim_threshold, mmap_threshold = -1, -3
    if sys.platform != "linux":
        return
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):  # not in musl
        libc.mallopt(trim_threshold, 1 << 26)
        libc.mallopt(mmap_threshold, 1 << 25)  # the largest that it takes
