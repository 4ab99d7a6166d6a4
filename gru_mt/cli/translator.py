"""Which translator a command means."""

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from gru_mt.cli.streams import say
from gru_mt.errors import UserError

if TYPE_CHECKING:
    from gru_mt.inference.translator import Translator

RUNS = Path("runs")


def newest_run() -> Path:
    """Return the newest finished run."""
    from gru_mt.storage import SUMMARY

    finished_at = {}
    for folder in RUNS.glob("*"):
        with suppress(OSError):  # none of ours, or not for us
            finished_at[folder] = (folder / SUMMARY).stat().st_mtime
    if not finished_at:
        raise UserError(
            f"no finished run in {RUNS}/: train one with gru-mt train, or name one with --model"
        )
    return max(finished_at, key=finished_at.__getitem__)


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
