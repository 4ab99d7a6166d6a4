"""The app that the commands join, and the options that several of them take."""

from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperOption

from gru_mt.cli.streams import print_result
from gru_mt.config.decoding import Decoding
from gru_mt.errors import UserError

NAME = "gru-mt"

app = typer.Typer(
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _setting_option(setting: str, name: str, metavar: str) -> Any:
    """Return the option that overrides a setting of `Decoding`, with its range and description."""
    (about,) = (field.metadata for field in fields(Decoding) if field.name == setting)
    return typer.Option(
        name,
        metavar=metavar,
        min=about["ge"],
        max=about["le"],
        help=f"{about['description']}  [default: the model's]",
    )


def two_languages(value: str | None) -> list[str] | None:
    """Return the languages that --languages names: "en,de" -> en and de; None for None."""
    if value is None:
        return None
    languages = [language.strip() for language in value.split(",")]
    if len(languages) != 2 or "" in languages:
        raise UserError('--languages: expected two with a comma between, such as "en,de"')
    return languages


LanguagesOption = Annotated[
    str | None,
    typer.Option(
        metavar="A,B",
        help="Languages of the first side and of the second; else by the files' endings or text.",
    ),
]
ToOption = Annotated[
    str | None,
    typer.Option(
        "--to", metavar="LANGUAGE", help="Use the newest finished run into it: fr, or French."
    ),
]
ModelsOption = Annotated[
    list[Path],
    typer.Option(
        "--model",
        metavar="FOLDER",
        help="A run, a model folder, an export, an archive, or hf:OWNER/NAME on the Hugging Face "
        "hub; given several times, they are averaged.  [default: the newest finished run]",
    ),
]
ModelOption = Annotated[
    Path | None,
    typer.Option(
        "--model",
        metavar="FOLDER",
        help="A run, a model folder or an archive.  [default: the newest finished run]",
    ),
]
BeamOption = Annotated[int | None, _setting_option("beam_size", "--beam", "N")]
PenaltyOption = Annotated[float | None, _setting_option("length_penalty", "--length-penalty", "X")]
DeviceOption = Annotated[
    str,
    typer.Option(
        "--device", metavar="NAME", help="cpu, cuda or cuda:1; an export takes the CPU anyway."
    ),
]
SetOption = Annotated[
    list[str],
    typer.Option(
        "--set", metavar="SECTION.KEY=VALUE", help="Override a field; may be given several times."
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


class Command(TyperCommand):
    """A command with help for users that refuses an option which is given twice or empty."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse as the base does; raises UserError for an option given twice or empty."""
        values, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for option in given if not ctx.resilient_parsing else ():  # not for a shell's completion
            if not isinstance(option, TyperOption) or option.is_flag:
                continue
            if given.count(option) > 1 and not option.multiple:
                raise UserError(f"{option.opts[0]} is given twice")
            if "" in (values[option.name] if option.multiple else [values[option.name]]):
                raise UserError(f"{option.opts[0]} is empty")
        return super().parse_args(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the help as the base does, but an argument without its Python type."""
        parameter: Any
        for parameter in self.get_params(ctx):
            if parameter.param_type_name == "argument":
                parameter.display_type = lambda ctx: None  # it would be FILE <list[Path]>
        super().format_options(ctx, formatter)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print_result(f"{NAME} {version(NAME)}")
        raise typer.Exit


@app.callback()
def gru_mt(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Train a GRU translator, measure it, translate with it."""
