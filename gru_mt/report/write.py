"""Writing the page of a run, once or again and again while it trains."""

import time
from collections.abc import Callable
from pathlib import Path

from gru_mt.report.contents import contents_of
from gru_mt.report.page import REFRESH_S, page_of
from gru_mt.run import Run
from gru_mt.storage import write_output
from gru_mt.training.lock import is_locked


def write_report(run: Run, out: Path, part: str = "test", *, say: Callable[[str], None]) -> None:
    """Write the page of a run to a file; a part without hypotheses is translated first.

    Raises UserError as `contents_of` and `write_output` do.
    """
    write_output(out, page_of(contents_of(run, part, say=say)).encode())


def watch(run: Run, out: Path, part: str = "test", *, say: Callable[[str], None]) -> None:
    """Write the page again and again while the run trains, without translations, which take time.

    At the end it has them, as `write_report` writes it.
    """
    say(f"{out} is written again every {REFRESH_S} s while {run.folder} trains")
    while is_locked(run):
        if run.config.is_file():  # it is written when the corpus is prepared
            contents = contents_of(run, part, say=say, translating=False)
            write_output(out, page_of(contents, refresh=True).encode())
        time.sleep(REFRESH_S)
    write_report(run, out, part, say=say)
