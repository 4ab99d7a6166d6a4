"""Which translator a command means."""

from pathlib import Path
from typing import TYPE_CHECKING

from gru_mt.cli.streams import say

if TYPE_CHECKING:
    from gru_mt.inference.translator import Translator


def load_translator(
    folder: Path, *, told: Path | None, device: str, attention: bool = False
) -> "Translator":
    """Return the translator of `folder`, or of its export.

    The export shows no attention, and computes on the CPU alone. Says which one is used where it is
    not the one that the user `told`.
    """
    from gru_mt.inference.exported import preferred
    from gru_mt.inference.translator import Translator

    with_torch = attention or device not in ("auto", "cpu")
    used = folder if with_torch else preferred(folder, warn=say)
    if used != told:
        say(f"using {used}")
    return Translator.load(used, device=device)
