"""`gru-mt data`."""

from pathlib import Path
from typing import Annotated

import typer

from gru_mt.cli.app import Command, SetOption, app
from gru_mt.cli.streams import say

EXAMPLES = """\b
Examples:
  gru-mt data --config configs/fra-eng.yaml --out text
"""


@app.command("data", cls=Command, epilog=EXAMPLES)
def export_data(
    config: Annotated[Path, typer.Option(metavar="FILE", help="The configuration, in YAML.")],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="The folder to write into.")],
    overrides: SetOption = [],  # noqa: B006 typer wants a list, and nobody changes it
) -> None:
    """Write a configuration's split as plain text. Other toolkits can read it."""
    from gru_mt.config_file import load_config
    from gru_mt.data.corpus import data_files
    from gru_mt.data.parts import load_parts
    from gru_mt.export.plain_text import write_parts

    data = load_config(config, overrides).data
    parts = load_parts(data)
    write_parts(parts, out, data.source, data.target, reads=[config, *data_files(data)])
    for line in [*parts.lines(), *parts.warnings()]:
        say(line)
