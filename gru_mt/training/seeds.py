"""Random numbers that are a function of the run's seed and of where they are used."""

import hashlib


def derived_seed(purpose: str, *places: int) -> int:
    """Return 63 bits of the SHA-256 digest of a purpose and its places: each gets its own seed.

    A resumed run computes its seeds again, so no random state needs to be stored.
    """
    text = "/".join([purpose, *map(str, places)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1
