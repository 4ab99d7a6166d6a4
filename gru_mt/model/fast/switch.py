"""The switch that turns everything in this package off."""

import os


def tuned() -> bool:
    """Return whether to use this package: yes, unless GRU_MT_PLAIN is set to 1.

    Set it to find out whether a wrong result comes from this package.
    """
    return os.environ.get("GRU_MT_PLAIN") != "1"
