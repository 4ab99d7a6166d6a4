"""`gru-mt config`."""

import json
from pathlib import Path
from typing import Annotated

import typer

from gru_mt.cli.app import Command, SetOption, app
from gru_mt.cli.streams import print_result
from gru_mt.errors import UserError

EXAMPLES = """\b
Examples:
  gru-mt config
  gru-mt config configs/fra-eng.yaml --set model.dropout=0.1
  gru-mt config --schema > gru-mt.schema.json
"""


@app.command("config", cls=Command, epilog=EXAMPLES)
def show_config(
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="A configuration, in YAML.")
    ] = None,
    overrides: SetOption = [],  # noqa: B006 typer wants a list, and nobody changes it
    schema: Annotated[
        bool, typer.Option("--schema", help="Print a JSON Schema of configurations, for editors.")
    ] = False,
) -> None:
    """Explain every key, or print FILE with every value."""
    if schema and (file or overrides):
        raise UserError("--schema is of every configuration; give it alone")
    if overrides and not file:
        raise UserError("--set changes a configuration; name its FILE too")
    from gru_mt.config.load import compare_config, load_config
    from gru_mt.config.reference import json_schema, page

    if file:
        print_result(compare_config(load_config(file, overrides)))
    else:
        print_result(json.dumps(json_schema(), indent=2) if schema else page())
