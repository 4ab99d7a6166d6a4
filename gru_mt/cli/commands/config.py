"""`gru-mt init` writes a configuration, `gru-mt config` explains one."""

import json
from pathlib import Path
from typing import Annotated

import typer

from gru_mt.cli.app import Command, LanguagesOption, SetOption, app, two_languages
from gru_mt.cli.streams import print_result, require_stdout, say, table
from gru_mt.errors import UserError, shell_quoted

INIT_EXAMPLES = """\b
Examples:
  gru-mt init train.en train.de dev.en dev.de test.en test.de
  gru-mt init pairs.tsv --languages en,de --out my.yaml
  gru-mt init export.csv --columns 3,5
  gru-mt init phrasebook
"""
CONFIG_EXAMPLES = """\b
Examples:
  gru-mt config
  gru-mt config --list
  gru-mt config fra-eng --set model.dropout=0.1
  gru-mt config --schema > gru-mt.schema.json
"""


@app.command("init", cls=Command, epilog=INIT_EXAMPLES)
def init(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE",
            help="A table, two parallel files, a folder, phrasebook; sets called dev and test.",
        ),
    ],
    languages: LanguagesOption = None,
    overrides: SetOption = [],
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="M,N",
            help="Columns of a table that have the first side and the second, from 1.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The file to write; else the corpus's name with .yaml."),
    ] = None,
) -> None:
    """Write a configuration that fits the files of a corpus."""
    require_stdout()
    from gru_mt.data.corpus.files import CorpusFile
    from gru_mt.data.suggest_config import suggest_config
    from gru_mt.storage import check_output, write_output

    named = two_languages(languages)
    numbers = _two_columns(columns) if columns else None
    first = CorpusFile(files[0])
    out = out or Path(f"{first.stem(named or [first.ending])}.yaml")
    if out.exists():
        raise UserError(f"{out}: is there already; name another file with --out")
    check_output(out)
    text, splits = suggest_config(files, named, numbers, overrides)
    for warning in splits.warnings():
        say(f"warning: {warning}")
    write_output(out, text.encode())
    say(f"wrote {out}: {splits.sizes()}")
    print_result(f"gru-mt train --config {shell_quoted(out)}")


def _two_columns(text: str) -> list[int]:
    columns = text.split(",")
    if len(columns) != 2 or not all(column.strip().isdecimal() for column in columns):
        raise UserError("--columns: expected two numbers with a comma between, such as 2,3")
    return [*map(int, columns)]


@app.command("config", cls=Command, epilog=CONFIG_EXAMPLES)
def show_config(
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="A configuration: YAML, or a recipe's name."),
    ] = None,
    overrides: SetOption = [],
    schema: Annotated[
        bool, typer.Option("--schema", help="Print a JSON Schema of configurations, for editors.")
    ] = False,
    show_list: Annotated[
        bool, typer.Option("--list", help="List the recipes: scores, minutes, memory.")
    ] = False,
) -> None:
    """Explain every key, or print FILE with every value."""
    if schema + show_list + bool(file or overrides) > 1:
        raise UserError("--schema and --list are of no single configuration; give one, alone")
    if overrides and not file:
        raise UserError("--set changes a configuration; name its FILE too")
    from gru_mt.config.load import load_config
    from gru_mt.config.reference import json_schema, page
    from gru_mt.config.yaml_text import compare_config

    if show_list:
        from gru_mt.config.recipes import list_recipes

        head = ["recipe", "test BLEU", "minutes", "memory", "what it is"]
        rows = [[one.name, one.bleu, one.minutes, one.memory, one.about] for one in list_recipes()]
        print_result("\n".join(table([head, *rows], texts=(0, 4))))
    elif file:
        print_result(compare_config(load_config(file, overrides)))
    else:
        print_result(json.dumps(json_schema(), indent=2) if schema else page())
