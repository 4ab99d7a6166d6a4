"""Random numbers that are a function of the run's seed and of where they are used."""

import hashlib


def derived_seed(purpose: str, *places: int) -> int:
    """Return a number of 63 bits for a purpose and a place, as unlike others as digests are.

    So nothing random needs to be stored: a resumed run computes it again.
    """
    text = "/".join([purpose, *map(str, places)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") >> 1
