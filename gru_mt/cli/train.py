"""`gru-mt train`."""

import time
from pathlib import Path
from typing import Annotated

import typer

from gru_mt.cli.app import Command, SetOption, app
from gru_mt.cli.streams import say
from gru_mt.errors import UserError
from gru_mt.run import RUNS, Run

STARTED_S = time.perf_counter()  # the clock of a run begins with its command
EXAMPLES = """\b
Examples:
  gru-mt train --config configs/fra-eng.yaml
  gru-mt train --config configs/fra-eng.yaml --fresh
  gru-mt train --config my.yaml --run runs/deep --set model.encoder_layers=2
  gru-mt train --run runs/deep --set training.max_epochs=20
  gru-mt train --config my.yaml --from runs/fra-eng
"""


@app.command(cls=Command, epilog=EXAMPLES)
def train(
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The configuration, in YAML; else the run's own."),
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="The run; else runs/ plus the configuration's name."),
    ] = None,
    overrides: SetOption = [],  # noqa: B006 typer wants a list, and nobody changes it
    start: Annotated[
        Path | None,
        typer.Option("--from", metavar="RUN", help="A run or bundle whose weights to begin with."),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start anew, in a numbered folder beside it.")
    ] = False,
) -> None:
    """Train a translator, or go on with a run that was stopped."""
    if config is None:
        config = _config_of(run)
    from gru_mt.config_file import load_config, yaml_inline

    begun = [f"training.start={yaml_inline(str(start))}"] if start else []
    parsed = load_config(config, [*overrides, *begun])
    from gru_mt.training.trainer import train as train_run

    place = Run(run or RUNS / config.stem)
    place = place.unused() if fresh else place
    train_run(parsed, place.folder, started_s=STARTED_S)
    _report(place)


def _report(run: Run) -> None:
    """Write a finished run's report, unless it is there; the training counts without it too."""
    report = run.report
    if report.is_file() and report.stat().st_mtime >= run.summary.stat().st_mtime:
        return
    from gru_mt.report.write import write_report

    try:
        write_report(run, report, say=say)
    except UserError as error:
        say(f"warning: there is no report: {error}")
    else:
        say(f"the report is {report}")


def _config_of(run: Path | None) -> Path:
    """Return the configuration that a run keeps."""
    if run is None:
        raise UserError("give --config, or --run alone to go on with a run as it was configured")
    if not Run(run).config.is_file():
        raise UserError(f"{run}: holds no run to go on with; give --config to start one there")
    return Run(run).config
