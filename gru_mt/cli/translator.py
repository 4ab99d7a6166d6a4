"""Which translator a command means."""

from pathlib import Path
from typing import TYPE_CHECKING

from gru_mt.cli.streams import say

if TYPE_CHECKING:
    from gru_mt.inference.translator import Translator


def load_translator(
    folder: Path, *, told: Path | None, device: str, attention: bool = False
) -> "Translator":
    """Return the translator of `folder`: its export's, which starts faster, where that will do.

    An export shows no attention, and computes on the CPU alone. Says which folder is used, unless
    it is the one that the user `told`.
    """
    from gru_mt.inference.exported import usable_export
    from gru_mt.inference.translator import Translator

    used = folder
    if not attention and device in ("auto", "cpu"):
        used = usable_export(folder, warn=say) or folder
    if used != told:
        say(f"using {used}")
    return Translator.load(used, device=device)
