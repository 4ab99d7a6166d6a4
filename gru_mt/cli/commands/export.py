"""`gru-mt export`."""

import logging
from pathlib import Path
from typing import Annotated, Literal

import typer

from gru_mt.cli.app import Command, ModelOption, app
from gru_mt.cli.streams import print_messages
from gru_mt.errors import UserError
from gru_mt.run import Run

EXAMPLES = """\b
Examples:
  gru-mt export
  gru-mt export --model runs/fra-eng --precision int8
  gru-mt export --format page
"""


@app.command(cls=Command, epilog=EXAMPLES)
def export(
    model: ModelOption = None,
    format_: Annotated[
        Literal["onnx", "page"],
        typer.Option("--format", help="page is one HTML file that translates in a browser."),
    ] = "onnx",
    precision: Annotated[
        Literal["fp32", "int8"] | None,
        typer.Option(help="Of onnx: fp32, or int8, a quarter of the size; a page has int8."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="Else onnx, onnx-int8 or translator.html in the run."),
    ] = None,
) -> None:
    """Write a translator for onnxruntime, or as a page for browsers."""
    print_messages(logging.INFO)
    if format_ == "page" and precision == "fp32":
        raise UserError("--precision fp32: a page has int8 weights; leave it out")
    from gru_mt.onnx_export.write import export as write_export

    write_export(model or Run.newest().folder, out, format=format_, precision=precision)
