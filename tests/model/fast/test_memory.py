"""How much freed memory the C library is told to keep, and how many kernels ideep."""

import ctypes
import os
import sys
from types import SimpleNamespace

import pytest

from gru_mt.model.fast.memory import keep_memory

KERNELS = "LRU_CACHE_CAPACITY"
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Return the list of settings that the C library gets; restore the environment after a test."""
    told: list[tuple[int, int]] = []
    library = SimpleNamespace(mallopt=lambda *setting: told.append(setting))
    monkeypatch.setattr(ctypes, "CDLL", lambda name: library)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv(KERNELS, "")
    monkeypatch.delenv(KERNELS)
    return told


def test_the_c_library_keeps_64_mb_and_ideep_8_kernels(told: list[tuple[int, int]]) -> None:
    keep_memory()
    assert told == [(M_TRIM_THRESHOLD, 64 * 2**20), (M_MMAP_THRESHOLD, 32 * 2**20)]
    assert os.environ[KERNELS] == "8"


def test_what_a_user_has_set_and_other_c_libraries_stay_as_they_are(
    told: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRU_MT_PLAIN", "1")
    keep_memory()
    assert KERNELS not in os.environ
    monkeypatch.delenv("GRU_MT_PLAIN")
    monkeypatch.setenv(KERNELS, "512")
    monkeypatch.setattr(sys, "platform", "darwin")
    keep_memory()
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(ctypes, "CDLL", lambda name: SimpleNamespace())  # musl
    keep_memory()
    assert told == []
    assert os.environ[KERNELS] == "512"
