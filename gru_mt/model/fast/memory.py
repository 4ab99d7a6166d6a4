"""What torch's libraries keep between updates."""

import ctypes
import os
import sys

from gru_mt.model.fast.switch import tuned


def keep_memory() -> None:
    """Keep freed memory for the next update, and store each compiled kernel only once.

    Each update asks for the memory that the last one freed. By itself the C library gives it back
    to the system or, once it has adapted its limits, leaves holes that no later batch fits. So
    GNU's is told to keep 64 MB and to map only the largest blocks by themselves (`man mallopt`).

    oneDNN compiles kernels, and torch calls it through ideep. Both keep the kernels of the last
    1,024 shapes, each in memory of its own. oneDNN's copy is enough, so ideep's limit is 8. ideep
    reads it at the first product of the process: call this function before.
    """
    if not tuned():
        return
    os.environ.setdefault("LRU_CACHE_CAPACITY", "8")
    trim_threshold, mmap_threshold = -1, -3
    if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "mallopt"):  # musl has none
        libc.mallopt(trim_threshold, 1 << 26)
        libc.mallopt(mmap_threshold, 1 << 25)  # the largest value that it takes
