"""`gru-mt export`."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from gru_mt.cli.app import Command, ModelOption, app
from gru_mt.cli.streams import say
from gru_mt.run import Run

EXAMPLES = """\b
Examples:
  gru-mt export
  gru-mt export --model runs/fra-eng --precision int8
"""


@app.command(cls=Command, epilog=EXAMPLES)
def export(
    model: ModelOption = None,
    precision: Annotated[
        Literal["fp32", "int8"], typer.Option(help="int8 is a quarter of the size.")
    ] = "fp32",
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Else onnx or onnx-int8 in the run's folder."),
    ] = None,
) -> None:
    """Write a translator for onnxruntime. It starts faster, and needs no torch."""
    from gru_mt.export.write import export as write_export

    say(write_export(model or Run.newest().folder, precision, out))
