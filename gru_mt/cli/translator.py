"""The translator that a command uses."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gru_mt.cli.streams import say
from gru_mt.run import Run

if TYPE_CHECKING:
    from gru_mt.inference.translator import Translator


def load_translator(
    models: Sequence[Path], *, device: str, attention: bool = False
) -> "Translator":
    """Return the translator of the folders that a user named, or of the newest finished run.

    An export is used where it will do: it starts faster, but shows no attention, and computes on
    the CPU alone. A message says so where the user named no folder, or another one.
    """
    from gru_mt.inference.engines.onnx_engine import usable_export
    from gru_mt.inference.translator import Translator

    used = []
    for folder in models or [Run.newest().folder]:
        export = None
        if not attention and device in ("auto", "cpu"):
            export = usable_export(folder, warn=say)
        used.append(export or folder)
    for folder in used:
        if folder not in models:
            say(f"using {folder}")
    return Translator.averaging(used, device=device)
