"""`gru-mt report`."""

import webbrowser
from pathlib import Path
from typing import Annotated, Literal

import typer

from gru_mt.cli.app import Command, app
from gru_mt.cli.streams import print_result, require_stdout, say
from gru_mt.run import Run, metrics_csv

EXAMPLES = """\b
Examples:
  gru-mt report
  gru-mt report runs/fra-eng --open
  gru-mt report runs/fra-eng --watch
"""


@app.command(cls=Command, epilog=EXAMPLES)
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
