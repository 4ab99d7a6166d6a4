"""What torch's libraries keep between updates."""

import ctypes
import os
import sys

from gru_mt.cpu.switch import tuned


def keep_memory() -> None:
    """Keep freed memory for the next update, and each compiled kernel once.

    Each update asks for what the last one freed. The C library would give it back to the system,
    or, where it learns its limits, leave holes that no later batch fits. So GNU's keeps 64 MB, and
    maps only the largest blocks by themselves (`man mallopt`); elsewhere that is left as it is.

    Both oneDNN, which compiles kernels, and ideep, through which torch reaches it, keep those of
    the last 1,024 shapes, with memory of their own. oneDNN's copy is enough. ideep reads its limit
    at the first product of the process, so call this before.
    """
    if not tuned():
        return
    os.environ.setdefault("LRU_CACHE_CAPACITY", "8")
    trim_threshold, mmap_threshold = -1, -3
    if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "mallopt"):  # musl has none
        libc.mallopt(trim_threshold, 1 << 26)
        libc.mallopt(mmap_threshold, 1 << 25)  # the largest that it takes
