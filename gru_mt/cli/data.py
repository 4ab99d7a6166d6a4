"""`gru-mt data`."""

import os
import shlex
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from gru_mt.cli.app import Command, JsonOption, LanguagesOption, SetOption, app, two_languages
from gru_mt.cli.streams import print_json, print_result, require_stdout, say
from gru_mt.errors import UserError
from gru_mt.run import RUNS, Run

EXAMPLES = """\b
Examples:
  gru-mt data --config configs/fra-eng.yaml --out text
  gru-mt data --config my.yaml --check
  gru-mt data --check train.en train.de
  gru-mt data --check --languages en,de pairs.tsv
  gru-mt data --config my.yaml --shard 3/64
"""


@app.command("data", cls=Command, epilog=EXAMPLES)
def data(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="FILE", help="With --check: the files of a corpus."),
    ] = None,
    config: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The configuration, in YAML.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="The folder to write the split into.")
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Say what the corpus is like, and write nothing.")
    ] = False,
    shard: Annotated[
        str | None,
        typer.Option(
            metavar="K/N", help="Read shard K of N alone, for a training that reads all N."
        ),
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="With --shard: the run that will train on it."),
    ] = None,
    languages: LanguagesOption = None,
    overrides: SetOption = [],  # noqa: B006 typer wants a list, and nobody changes it
    as_json: JsonOption = False,
) -> None:
    """Write the split as text, check a corpus, or read a shard."""
    files = files or []
    if len(files) == 1 and files[0].suffix in (".yaml", ".yml") and not config:
        [config], files = files, []
    if shard and config and not (files or check or out or as_json or languages):
        _write_shard(shard, config, run, overrides)
    elif shard or run:
        raise UserError("--shard wants --config, may have --run and --set, and nothing else")
    elif check and not out:
        _check(files, config, overrides, two_languages(languages), as_json=as_json)
    elif config and out and not (files or check or as_json or languages):
        _write(config, out, overrides)
    else:
        raise UserError(
            "give --config with --out or --shard, or --check with a configuration or files"
        )


def _write(config: Path, out: Path, overrides: list[str]) -> None:
    from gru_mt.config.load import load_config
    from gru_mt.data.corpus.load import data_files
    from gru_mt.data.parts import load_parts
    from gru_mt.export.plain_text import write_parts

    settings = load_config(config, overrides).data
    parts = load_parts(settings)
    reads = [config, *data_files(settings)]
    write_parts(parts, out, settings.source, settings.target, reads=reads)
    for line in [*parts.lines(), *parts.warnings()]:
        say(line)


def _write_shard(text: str, config: Path, run: Path | None, overrides: list[str]) -> None:
    from gru_mt.config.load import load_config
    from gru_mt.data.shards import Shard, write_shard
    from gru_mt.training.journal import Journal

    shard, place = Shard.parse(text), Run(run or RUNS / config.stem)
    if place.config.exists():
        raise UserError(f"{place.folder}: has begun already; name another with --run")
    settings = load_config(config, overrides).data
    with closing(Journal(Path(os.devnull))) as journal:
        lines, missing = write_shard(shard, settings, place.shards, journal.stage)
    say(f"{shard.path(place.shards)}: {lines:,} lines")
    if missing:
        say(f"{len(missing):,} of {shard.total:,} shards are still missing, such as {missing[0]}")
        return
    command = ["gru-mt", "train", "--config", str(config), *(["--run", str(run)] if run else [])]
    command += [f"--set={override}" for override in overrides]
    say(f"all {shard.total:,} shards are there: {shlex.join(command)}")


def _check(
    files: list[Path],
    config: Path | None,
    overrides: list[str],
    languages: list[str] | None,
    *,
    as_json: bool,
) -> None:
    if bool(files) == bool(config):
        raise UserError("--check wants a configuration or the files of a corpus")
    require_stdout()
    from dataclasses import asdict

    from gru_mt.config.load import load_config, parse_config
    from gru_mt.data.parts import load_parts
    from gru_mt.data.statistics import check
    from gru_mt.data.suggest_config import write_recipe
    from gru_mt.training.estimate import try_updates

    if config:
        settings = load_config(config, overrides)
        parts = load_parts(settings.data)
    else:
        text, parts = write_recipe(files, languages, overrides)
        settings = parse_config(text, where="the files", overrides=overrides)
    found = check(parts, settings.data)
    if not as_json:
        for line in found.lines():
            print_result(line)
    say("trying a few updates, to tell how long training takes here")
    trial = try_updates(settings, parts)
    if as_json:
        print_json(found.to_json() | {"trial": asdict(trial)})
    else:
        print_result(str(trial))
