"""`gru-mt runs` lists the runs, `gru-mt report` writes the page of one."""

import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gru_mt.cli.app import Command, JsonOption, app
from gru_mt.cli.streams import number, print_json, print_result, require_stdout, say, table
from gru_mt.errors import UserError, short_text
from gru_mt.run import RUNS, Run, metrics_csv

if TYPE_CHECKING:
    from gru_mt.runs import RunOverview

RUNS_EXAMPLES = """\b
Examples:
  gru-mt runs
  gru-mt runs /mnt/shared/runs --json
"""
REPORT_EXAMPLES = """\b
Examples:
  gru-mt report
  gru-mt report runs/fra-eng --open
  gru-mt report runs/fra-eng --watch
"""


@app.command(cls=Command, epilog=RUNS_EXAMPLES)
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

    from gru_mt.runs import list_runs

    found = list_runs(folder or RUNS)
    if not found:
        say(f"no runs in {(folder or RUNS).absolute()} yet; gru-mt train makes one")
    if as_json:
        rows = [asdict(run) | {"changed": run.changed.isoformat()} for run in found]
        print_json({"runs": rows})
    elif found:
        head = ["run", "from", "to", "dev BLEU", "test BLEU", "minutes", "changed", "corpora"]
        lines = table([[*head, "state"], *map(_row, found)], texts=(0, 1, 2, 7, 8))
        print_result("\n".join(lines))


def _row(run: "RunOverview") -> list[str]:
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


@app.command(cls=Command, epilog=REPORT_EXAMPLES)
def report(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="RUN", help="A run.  [default: the newest finished one]"),
    ] = None,
    split: Annotated[
        Literal["dev", "test"], typer.Option(help="The split whose translations are shown.")
    ] = "test",
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Else report.html in the run.")
    ] = None,
    open_it: Annotated[bool, typer.Option("--open", help="Show it in the browser.")] = False,
    as_csv: Annotated[
        bool, typer.Option("--csv", help="Write the figures of training too, as metrics.csv.")
    ] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="Keep it fresh until the training is finished.")
    ] = False,
) -> None:
    """Write a page that shows a run: scores, curves, sentences."""
    require_stdout()
    from gru_mt.report.contents import check_run
    from gru_mt.report.page import watch as watch_run
    from gru_mt.report.page import write_report
    from gru_mt.storage import check_output, write_file

    run = Run(folder) if folder else Run.newest()
    path = out or run.report
    if not watch:  # a run that has just begun has no configuration yet
        check_run(run)
    check_output(path)
    (watch_run if watch else write_report)(run, path, split, say=say)
    print_result(str(path))
    if as_csv:
        write_file(run.metrics_csv, metrics_csv(run).encode())
        print_result(str(run.metrics_csv))
    if open_it:
        webbrowser.open(path.resolve().as_uri())
