"""`gru-mt correct` keeps better translations in a run, `gru-mt learn` trains its model on them."""

import logging
from contextlib import suppress
from getpass import getuser
from pathlib import Path
from typing import Annotated

import typer

from gru_mt.cli.app import Command, JsonOption, ToOption, app
from gru_mt.cli.streams import (
    print_json,
    print_messages,
    print_result,
    print_translation,
    require_stdout,
    say,
)
from gru_mt.cli.translator import chosen_run
from gru_mt.errors import UserError

RunOption = Annotated[
    Path | None,
    typer.Option("--model", metavar="RUN", help="A run.  [default: the newest finished one]"),
]
CORRECT_EXAMPLES = """\b
Examples:
  gru-mt correct "Where is the station?" "Où se trouve la gare ?"
  gru-mt correct --model runs/fra-eng --corrections corrected.tsv
  gru-mt correct --list
  gru-mt correct --remove "Where is the station?"
"""
LEARN_EXAMPLES = """\b
Examples:
  gru-mt learn
  gru-mt learn --model runs/fra-eng --json
"""


@app.command(cls=Command, epilog=CORRECT_EXAMPLES)
def correct(
    source: Annotated[str | None, typer.Argument(metavar="SENTENCE", help="In quotes.")] = None,
    target: Annotated[
        str | None, typer.Argument(metavar="TRANSLATION", help="What it should become, in quotes.")
    ] = None,
    model: RunOption = None,
    language: ToOption = None,
    file: Annotated[
        Path | None,
        typer.Option(
            "--corrections",
            metavar="FILE",
            help="Sentences and their translations: a line each, a tab between.",
        ),
    ] = None,
    remove: Annotated[
        str | None, typer.Option(metavar="SENTENCE", help="Take its correction back.")
    ] = None,
    lists: Annotated[
        bool, typer.Option("--list", help="Show what is corrected: sentence, tab, translation.")
    ] = False,
    by: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who corrects.  [default: your login's name]")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Correct a translation: from now on the sentence gets it.

    So does a sentence that differs only in case, final mark, numbers, addresses or unknown names.
    """
    require_stdout()
    from dataclasses import asdict

    from gru_mt.corrections import store

    if by is None:
        with suppress(OSError, KeyError):  # the system has no name for this user
            by = getuser()
    by, folder = by or "", chosen_run(model, language).folder
    store.check_run(folder)
    match source, target, file, remove, lists:
        case str(), str(), None, None, False:
            new = [store.Correction.of(source, target, by)]
        case None, None, Path(), None, False:
            new = store.read_table(file, by)
        case None, None, None, str(), False:
            new = [store.removal(folder, remove, by)]
        case None, None, None, None, True:
            found = store.read_corrections(folder)
            if as_json:
                print_json({"run": str(folder), "corrections": [asdict(one) for one in found]})
                return
            for one in found:
                indent = " " * one.source.startswith("#")  # else --corrections would skip the line
                print_translation(f"{indent}{one.source}\t{one.target}")
            if not found:
                say(f"{folder}: has no corrections; gru-mt correct SENTENCE TRANSLATION adds one")
            return
        case _:
            raise UserError(
                "give a sentence and its translation, each in quotes, or one of --corrections, "
                "--remove and --list"
            )
    store.add_corrections(folder, new)
    if as_json:
        print_json({"run": str(folder), "removed" if remove else "corrections": len(new)})
    else:
        done = "removed from" if remove else "kept in"
        print_result(f"corrections {done} {folder}: {len(new):,}")


@app.command(cls=Command, epilog=LEARN_EXAMPLES)
def learn(model: RunOption = None, language: ToOption = None, as_json: JsonOption = False) -> None:
    """Train a run's model on its corrections, for a few minutes.

    The new model takes the old one's place if it produces 90 % of the corrections by itself, and
    BLEU on dev falls by less than 0.3. Else nothing changes. The old one stays in model-before.
    """
    require_stdout()
    from dataclasses import asdict

    from gru_mt.corrections.learn import learn as learn_corrections

    for name in ("data", "training"):  # they tell how the training goes, and of a folder that goes
        logging.getLogger(f"gru_mt.{name}").setLevel(logging.WARNING)
    print_messages()
    run = chosen_run(model, language)
    found = learn_corrections(run.folder, say=say)
    if as_json:
        print_json({"run": str(run.folder)} | asdict(found))
        return
    print_result(str(found))
    if found.is_replaced and (run.export("fp32").exists() or run.export("int8").exists()):
        say(f"exports in {run.folder} are of the model before; gru-mt export renews them")
