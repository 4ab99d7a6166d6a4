"""The translator that a command uses."""

from pathlib import Path
from typing import TYPE_CHECKING

from gru_mt.cli.streams import say

if TYPE_CHECKING:
    from gru_mt.inference.translator import Translator


def load_translator(
    folder: Path, *, named: Path | None, device: str, attention: bool = False
) -> "Translator":
    """Return the translator of `folder`, from its export if that will do: it starts faster.

    An export shows no attention, and computes on the CPU alone. A message says which folder is
    used, unless the user named that one: `named`.
    """
    from gru_mt.inference.exported import usable_export
    from gru_mt.inference.translator import Translator

    used = folder
    if not attention and device in ("auto", "cpu"):
        used = usable_export(folder, warn=say) or folder
    if used != named:
        say(f"using {used}")
    return Translator.load(used, device=device)
