"""`gru-mt train`."""

import logging
import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gru_mt.cli.app import Command, SetOption, app
from gru_mt.cli.streams import print_messages, say
from gru_mt.errors import Interrupted, ProcessLost, UserError, shell_quoted
from gru_mt.run import CONFIG, RUNS, Run

if TYPE_CHECKING:
    from gru_mt.config.schema import Config
    from gru_mt.data.splits import Splits

STARTED_S = time.perf_counter()  # the clock of a run begins with its command
LAUNCHER_S = 30  # a launcher sees within this that another process has ended, and ends this one
EXAMPLES = """\b
Examples:
  gru-mt train --config fra-eng
  gru-mt train --config fra-eng --fresh
  gru-mt train --config my.yaml --run runs/deep --set model.encoder_layers=2
  gru-mt train --run runs/deep --set training.max_epochs=20
  gru-mt train --config my.yaml --minutes 30
  gru-mt train --config my.yaml --both
  gru-mt train --config my.yaml --from runs/fra-eng
  gru-mt train --config my.yaml --processes 4 --set training.accumulation=4
"""


@app.command(cls=Command, epilog=EXAMPLES)
def train(
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The configuration: YAML, or a recipe's name; else the run's own."
        ),
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="The run; else runs/ plus the configuration's name."),
    ] = None,
    overrides: SetOption = [],
    start: Annotated[
        Path | None,
        typer.Option("--from", metavar="RUN", help="A run or model folder to begin with."),
    ] = None,
    minutes: Annotated[
        float | None,
        typer.Option(
            metavar="N", min=0.1, help="What the training may take; it plans epochs and batches."
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start anew, in a numbered folder beside it.")
    ] = False,
    both: Annotated[
        bool,
        typer.Option("--both", help="Train there and back: runs/my-en-fr, then runs/my-fr-en."),
    ] = False,
    processes: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, max=1_024, help="Processes that train together; they share cores."
        ),
    ] = 1,
    no_report: Annotated[
        bool, typer.Option("--no-report", help="Write no report at the end; gru-mt report does.")
    ] = False,
) -> None:
    """Train a translator, or go on with a run that was stopped."""
    print_messages(logging.INFO)
    with _told_once():
        if both and config is None:
            raise UserError("--both: give --config too; the one that a run keeps is for it alone")
        config = _config_of(run, config)
        from gru_mt.config.load import load_config
        from gru_mt.config.yaml_text import yaml_inline

        begun = [f"training.start={yaml_inline(str(start))}"] if start else []
        planned = [f"training.minutes={minutes}"] if minutes is not None else []
        parsed = load_config(config, [*overrides, *begun, *planned])
        folder = run or RUNS / config.stem
        runs = {Run(folder): parsed}
        if both:
            from gru_mt.cli.directions import there_and_back

            runs = there_and_back(parsed, folder)
        if processes > 1 and "RANK" not in os.environ:
            from gru_mt.training.launch import launch

            raise typer.Exit(launch(processes))
        if processes not in (1, size := _number("WORLD_SIZE", 1)):
            raise UserError(f"--processes {processes}: a launcher has started {size}; leave it out")
        if fresh and int(os.environ.get("TORCHELASTIC_MAX_RESTARTS", 0)):
            raise UserError(
                "--fresh: processes that torchrun starts again would begin anew once more; name a "
                "new --run instead"
            )
        is_main, commands = _number("RANK") == 0, []
        ended = zip(_trained(runs, fresh=fresh), runs.values(), strict=True)
        for (trained, splits), its in ended:
            if is_main and not no_report:
                _report(trained, splits)
            commands.append(_translate_command(trained, its))
        for command in commands if both and is_main else ():
            say(command)


def _trained(runs: Mapping[Run, "Config"], *, fresh: bool) -> Iterator[tuple[Run, "Splits | None"]]:
    """Train in the runs' folders, or in unused ones beside them; yield each that is at its end.

    With it come its splits, if its corpora were read.
    """
    from gru_mt.data.splits import load_own_sets, load_splits
    from gru_mt.training.output.lock import InUse, check_folder, unused
    from gru_mt.training.resume import choose_start
    from gru_mt.training.train import train_run

    is_main = _number("RANK") == 0
    loaded: dict[Run, Splits] = {}

    def trained(run: Run, started_s: float | None = None) -> "tuple[Run, Splits | None]":
        def load(*given: Any, **options: Any) -> "Splits":
            back = next(iter(loaded.values()), None)  # no corpus is read again for the other way
            return loaded.setdefault(run, load_splits(*given, **options, back=back))

        with _going_on(run) if fresh else nullcontext():
            train_run(configs[run], run, load=load, started_s=started_s)
        return run, loaded.get(run)

    while True:
        chosen = unused(*runs) if fresh else [*runs]
        first, *later = configs = dict(zip(chosen, runs.values(), strict=True))
        for run in later if is_main else ():  # what would end a later run before its training
            check_folder(run)
            if not choose_start(configs[run], run).is_resumed:
                load_own_sets(configs[run].data)
        try:
            ended = trained(first, STARTED_S)
            break
        except InUse:
            if not fresh or _number("WORLD_SIZE", 1) > 1:
                raise  # else another start took the folder at the same moment
    yield ended
    for run in later:
        if is_main:
            say(f"now {configs[run].data.source} to {configs[run].data.target}: {run.folder}")
        yield trained(run)


@contextmanager
def _going_on(run: Run) -> Iterator[None]:
    """Name the command that goes on with a run which a signal stops; one with --fresh does not."""
    try:
        yield
    except Interrupted as stopped:
        command = f"gru-mt train --run {shell_quoted(run.folder)}"
        told = str(stopped).replace("the same command", command)
        raise Interrupted(stopped.signal, told) from None


def _translate_command(run: Run, config: "Config") -> str:
    if run.folder.parent == RUNS:
        return f'gru-mt translate --to {shell_quoted(config.data.target)} "..."'
    return f'gru-mt translate --model {shell_quoted(run.folder)} "..."'


@contextmanager
def _told_once() -> Iterator[None]:
    """Where several processes end for the same reason, let one say it.

    The others wait until a launcher ends them, as it does once the first has ended.
    """
    try:
        yield
    except Interrupted as stopped:  # all are
        if _number("RANK"):
            sys.exit(128 + stopped.signal)
        raise
    except UserError:
        if _number("LOCAL_RANK"):
            time.sleep(LAUNCHER_S)
        raise
    except ProcessLost:
        if "RANK" in os.environ:
            time.sleep(LAUNCHER_S)
        raise


def _number(name: str, default: int = 0) -> int:
    """Return what a launcher says in the environment; `default` without one."""
    return int(os.environ.get(name, default))


def _report(run: Run, splits: "Splits | None") -> None:
    """Write a finished run's report, unless it is there; the training counts without it too."""
    report = run.report
    if report.is_file() and report.stat().st_mtime >= run.summary.stat().st_mtime:
        return
    from gru_mt.report.page import write_report

    try:
        contents = write_report(run, report, say=say, splits=splits)
    except UserError as error:
        say(f"warning: there is no report: {error}")
        return
    for one in contents.sets:
        name = f"test {one.hypotheses.set.name}".rstrip()
        say(f"{name}: {one.hypotheses.corpus_scores.multi_reference}")
    say(f"the report is {report}")


def _config_of(run: Path | None, config: Path | None) -> Path:
    if config is not None:
        if run is None and config.name == CONFIG and Run(config.parent).lock.is_file():
            raise UserError(
                f"{config}: is that of a run, which goes on with --run {config.parent}; a new run "
                "of it wants a --run of its own"
            )
        return config
    if run is None:
        from gru_mt.config.recipes import list_recipes

        measured = ", ".join(recipe.name for recipe in list_recipes() if recipe.bleu != "-")
        raise UserError(
            f"give --config, a file or a recipe ({measured}; see gru-mt config --list); or --run "
            "alone to go on with a run as it was configured"
        )
    if not Run(run).config.is_file():
        raise UserError(f"{run}: holds no run to go on with; give --config to start one there")
    return Run(run).config
