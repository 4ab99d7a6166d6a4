"""Code that only makes a CPU faster; a reference implementation stands beside each call."""

import ctypes
import os
import sys


def tuned() -> bool:
    """Return whether to use this package: yes, unless GRU_MT_PLAIN is set to 1.

    Set it to find out whether a wrong result comes from this package.
    """
    return os.environ.get("GRU_MT_PLAIN") != "1"


def keep_memory() -> None:
    """Keep freed memory for the next update, and each compiled kernel only once.

    GNU's C library would give back what the next update asks for again, or leave holes that no
    later batch fits: it is told to keep 64 MB (`man mallopt`). oneDNN and ideep, through which
    torch calls it, both keep the kernels of the last 1,024 shapes; oneDNN's copy is enough. These
    are more than a run has (see `fast.product`): with fewer, kernels would be compiled again and
    again, and leave holes too. ideep reads its limit at the first product of the process: call this
    function before.
    """
    if not tuned():
        return
    os.environ.setdefault("LRU_CACHE_CAPACITY", "8")
    trim_threshold, mmap_threshold = -1, -3
    if sys.platform == "linux" and hasattr(libc := ctypes.CDLL(None), "mallopt"):  # musl has none
        libc.mallopt(trim_threshold, 1 << 26)
        libc.mallopt(mmap_threshold, 1 << 25)  # the largest value that it takes
