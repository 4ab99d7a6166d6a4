"""`gru-mt export`."""

import logging
from pathlib import Path
from typing import Annotated, Literal

import typer

from gru_mt.cli.app import Command, ModelOption, app
from gru_mt.cli.streams import print_messages, print_result, say
from gru_mt.errors import UserError
from gru_mt.run import Run

EXAMPLES = """\b
Examples:
  gru-mt export
  gru-mt export --model runs/fra-eng --precision int8
  gru-mt export --format page
  gru-mt export --format archive --license cc-by-4.0
  gru-mt export --format archive --push somebody/en-fr
"""


@app.command(cls=Command, epilog=EXAMPLES)
def export(
    model: ModelOption = None,
    format_: Annotated[
        Literal["onnx", "page", "archive"],
        typer.Option(
            "--format",
            help="page is one HTML file that translates in a browser, archive one file for "
            "--model on other machines.",
        ),
    ] = "onnx",
    precision: Annotated[
        Literal["fp32", "int8"] | None,
        typer.Option(help="Of onnx: fp32, or int8, a quarter of the size; a page has int8."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="PATH", help="Else onnx, onnx-int8, translator.html or NAME.zip in the run."
        ),
    ] = None,
    license_: Annotated[
        str | None,
        typer.Option(
            "--license", metavar="ID", help="Of archive: what its card names, such as cc-by-4.0."
        ),
    ] = None,
    repository: Annotated[
        str | None,
        typer.Option(
            "--push",
            metavar="OWNER/NAME",
            help="Of archive: upload its files to the Hugging Face hub instead.",
        ),
    ] = None,
    private: Annotated[
        bool, typer.Option("--private", help="Of --push: nobody else may see them there.")
    ] = False,
) -> None:
    """Write a translator as ONNX, as a page or as an archive."""
    print_messages(logging.INFO)
    if format_ == "page" and precision == "fp32":
        raise UserError("--precision fp32: a page has int8 weights; leave it out")
    if repository and (format_ != "archive" or out or precision):
        raise UserError("--push belongs to --format archive, without --out and --precision")
    if private and not repository:
        raise UserError("--private belongs to --push")
    folder = model or Run.newest().folder
    if repository:
        from gru_mt.inference.published import local_folder
        from gru_mt.onnx_export.archive import push

        print_result(push(local_folder(folder), repository, license_, private=private))
    else:
        from gru_mt.onnx_export.write import export as write_export

        write_export(folder, out, format=format_, precision=precision, license=license_)
    from gru_mt.corrections.store import read_corrections

    if (format_ != "onnx" or out) and (kept := len(read_corrections(folder))):
        say(f"corrections stay in {folder}: {kept:,}; copy corrections.jsonl into a model's folder")
