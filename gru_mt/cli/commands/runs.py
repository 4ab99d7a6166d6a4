"""`gru-mt runs`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gru_mt.cli.app import Command, JsonOption, app
from gru_mt.cli.streams import print_json, print_result, require_stdout, say
from gru_mt.errors import UserError, short_text
from gru_mt.run import RUNS

if TYPE_CHECKING:
    from gru_mt.runs import RunOverview

EXAMPLES = """\b
Examples:
  gru-mt runs
  gru-mt runs /mnt/shared/runs --json
"""


@app.command(cls=Command, epilog=EXAMPLES)
def runs(
    folder: Annotated[
        Path | None, typer.Argument(metavar="FOLDER", help="Where runs are; else runs/.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """List the runs, newest first: scores, minutes, how far each is."""
    require_stdout()
    if folder and not folder.is_dir():
        raise UserError(f"{folder}: there is no such folder")
    from dataclasses import asdict

    from gru_mt.report.compare_text import table
    from gru_mt.runs import list_runs

    found = list_runs(folder or RUNS)
    if not found:
        say(f"no runs in {folder or RUNS}/ yet; gru-mt train makes one")
    if as_json:
        rows = [asdict(run) | {"changed": run.changed.isoformat()} for run in found]
        print_json({"runs": rows})
    elif found:
        head = ["run", "from", "to", "dev BLEU", "test BLEU", "minutes", "changed", "corpora"]
        for line in table([[*head, "state"], *map(_row, found)], texts=(0, 1, 2, 7, 8)):
            print_result(line)


def _row(run: "RunOverview") -> list[str]:
    from gru_mt.report.compare_text import number

    test = ", ".join(f"{bleu:.1f}" for bleu in run.test_bleu.values())
    return [
        short_text(run.name),
        run.source,
        run.target,
        number(run.dev_bleu, ".1f"),
        test or "-",
        number(run.minutes, ".1f"),
        f"{run.changed:%Y-%m-%d %H:%M}",
        run.corpora,
        run.state,
    ]
