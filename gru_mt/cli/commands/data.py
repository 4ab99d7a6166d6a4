"""`gru-mt data`."""

from pathlib import Path
from typing import Annotated

import typer

from gru_mt.cli.app import Command, JsonOption, LanguagesOption, SetOption, app, two_languages
from gru_mt.cli.streams import print_json, print_result, require_stdout, say
from gru_mt.errors import UserError

EXAMPLES = """\b
Examples:
  gru-mt data --config fra-eng --out text
  gru-mt data --config my.yaml --check
  gru-mt data --check train.en train.de
  gru-mt data --check --languages en,de pairs.tsv
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
    languages: LanguagesOption = None,
    overrides: SetOption = [],
    as_json: JsonOption = False,
) -> None:
    """Write the split as text, or check a corpus."""
    files = files or []
    if len(files) == 1 and files[0].suffix in (".yaml", ".yml") and not config:
        [config], files = files, []
    if check and not out:
        _check(files, config, overrides, two_languages(languages), as_json=as_json)
    elif config and out and not (files or check or as_json or languages):
        _write(config, out, overrides)
    else:
        raise UserError("give --config with --out, or --check with a configuration or files")


def _write(config: Path, out: Path, overrides: list[str]) -> None:
    from gru_mt.config.load import load_config
    from gru_mt.data.dataset.plain_text import write_splits
    from gru_mt.data.dataset.source_files import source_files
    from gru_mt.data.splits import load_splits

    settings = load_config(config, overrides).data
    splits = load_splits(settings)
    reads = [config, *source_files(settings)]
    write_splits(splits, out, settings.source, settings.target, reads=reads)
    for line in [*splits.lines(), *splits.warnings()]:
        say(line)


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
    if config and languages:
        raise UserError("--languages is for files; a configuration has data.languages")
    require_stdout()
    from dataclasses import asdict

    from gru_mt.config.load import load_config, parse_config
    from gru_mt.data.splits import load_splits
    from gru_mt.data.statistics import statistics_of
    from gru_mt.data.suggest_config import suggest_config
    from gru_mt.training.estimate import try_updates

    if config:
        settings = load_config(config, overrides)
        splits = load_splits(settings.data)
    else:
        text, splits = suggest_config(files, languages, overrides=overrides)
        settings = parse_config(text, where="the files", overrides=overrides)
    found = statistics_of(splits, settings.data)
    if not as_json:
        for line in found.lines():
            print_result(line)
    say("trying a few updates, to tell how long training takes here")
    trial = try_updates(settings, splits)
    if as_json:
        print_json(found.to_json() | {"trial": asdict(trial)})
    else:
        print_result(str(trial))
