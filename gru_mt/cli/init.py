"""`gru-mt init`."""

from pathlib import Path
from typing import Annotated

import typer

from gru_mt.cli.app import Command, LanguagesOption, app, two_languages
from gru_mt.cli.streams import print_result, require_stdout, say
from gru_mt.errors import UserError

EXAMPLES = """\b
Examples:
  gru-mt init train.en train.de dev.en dev.de test.en test.de
  gru-mt init pairs.tsv --languages en,de --out my.yaml
"""


@app.command("init", cls=Command, epilog=EXAMPLES)
def init(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE", help="A table, two parallel files, a folder; sets called dev and test."
        ),
    ],
    languages: LanguagesOption = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The file to write; else the corpus's name with .yaml."),
    ] = None,
) -> None:
    """Write a configuration that fits the files of a corpus."""
    require_stdout()
    from gru_mt.data.corpus.files import CorpusFile
    from gru_mt.data.suggest_config import write_recipe
    from gru_mt.storage import check_output, write_output

    named = two_languages(languages)
    text, splits = write_recipe(files, named)
    for warning in splits.warnings():
        say(f"warning: {warning}")
    first = CorpusFile(files[0])
    out = out or Path(f"{first.stem(named or [first.ending])}.yaml")
    if out.exists():
        raise UserError(f"{out}: is there already; name another file with --out")
    check_output(out)
    write_output(out, text.encode())
    say(f"wrote {out}")
    print_result(f"gru-mt train --config {out}")
