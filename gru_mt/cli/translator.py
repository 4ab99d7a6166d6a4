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
