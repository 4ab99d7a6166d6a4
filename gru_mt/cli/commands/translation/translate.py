"""`gru-mt translate`."""

import logging
import os
import re
import stat
import sys
from collections import Counter
from contextlib import closing, suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, cast

import typer

from gru_mt.cli.app import (
    BeamOption,
    Command,
    DeviceOption,
    JsonOption,
    ModelsOption,
    PenaltyOption,
    ToOption,
    app,
)
from gru_mt.cli.streams import (
    flush_results,
    print_json,
    print_messages,
    print_translation,
    require_stdout,
    say,
)
from gru_mt.cli.translator import load_translator
from gru_mt.errors import UserError, short_repr, short_text
from gru_mt.model.fast.waiting import while_computing
from gru_mt.run import Run

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator
    from io import BufferedReader

    from gru_mt.cli.line_progress import LineProgress
    from gru_mt.inference.preprocessing.lines import Line
    from gru_mt.inference.translation import Translation
    from gru_mt.inference.translator import Keywords

log = logging.getLogger(__name__)
MOST_BYTES = 200_000_000  # of a document; its texts and translations are in memory
EXAMPLES = """\b
Examples:
  gru-mt translate "Where is the station?" "I lost my keys."
  gru-mt translate --to French --input letters.txt --n-best 3
  gru-mt translate --json --attention < letters.txt
  gru-mt translate --glossary terms.tsv --input manual.txt
  gru-mt translate --input letter.docx --out letter.fr.docx
"""


@app.command(cls=Command, epilog=EXAMPLES)
def translate(
    sentences: Annotated[
        list[str] | None,
        typer.Argument(metavar="SENTENCE", help="A line to translate, in quotes; else --input."),
    ] = None,
    model: ModelsOption = [],
    target: ToOption = None,
    input_file: Annotated[
        Path | None,
        typer.Option("--input", metavar="FILE", help="A file of lines, or a document; else stdin."),
    ] = None,
    beam: BeamOption = None,
    length_penalty: PenaltyOption = None,
    n_best: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="How many translations of each sentence."),
    ] = 1,
    batch_size: Annotated[
        int, typer.Option(metavar="N", min=1, max=100_000, help="Sentences translated together.")
    ] = 256,
    device: DeviceOption = "auto",
    as_json: JsonOption = False,
    attention: Annotated[
        bool, typer.Option("--attention", help="Put attention weights into the JSON.")
    ] = False,
    no_split: Annotated[
        bool, typer.Option("--no-split", help="Do not split lines into sentences.")
    ] = False,
    glossary_file: Annotated[
        Path | None,
        typer.Option(
            "--glossary",
            metavar="FILE",
            help="Terms and the translations that they must have: a line each, a tab between.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Take --input as a document, and write it translated into this file.",
        ),
    ] = None,
    everything: Annotated[
        bool,
        typer.Option("--all", help="Of a document: also what has a translation in it."),
    ] = False,
) -> None:
    """Translate lines, one out for each in; with --out a document.

    The lines are arguments, each in quotes, or those of a file or of stdin, in UTF-8. A line is
    split into its sentences. Addresses, code, long numbers, emoji and unknown names are copied.

    A document is a file of texts, as .md, .srt, .po or .docx. All but the texts stays as it is.
    """
    if sentences and input_file:
        raise UserError("give sentences or --input, not both")
    if out and (not input_file or n_best > 1 or as_json):
        raise UserError("--out is for a document: give --input, without --json and --n-best")
    if everything and not out:
        raise UserError("--all is of a document: give --out")
    if attention and not as_json:
        raise UserError("--attention is part of --json; give both")
    if not out:
        require_stdout()
    _warn_of_arguments(sentences or [])
    from gru_mt.cli.line_progress import LineProgress, map_with_progress
    from gru_mt.data.text.terms.glossary import Glossary

    keywords: Keywords = {
        "beam_size": beam,
        "length_penalty": length_penalty,
        "n_best": n_best,
        "batch_size": batch_size,
        "attention": attention,
        "split": not no_split,
        "glossary": Glossary.read(glossary_file) if glossary_file else None,
    }
    if input_file and out:
        _check_document(input_file, out, everything=everything)
    translator = load_translator(model, device=device, target=target)
    progress, doubts = LineProgress(), Counter[str]()
    translator = replace(translator, map_batches=map_with_progress if out else progress.map)

    def translated(texts: list[str]) -> "list[Translation]":
        found = translator.translate(texts, **keywords)
        sentences = chain.from_iterable(each.sentences for each in found)
        doubts.update(chain.from_iterable(sentence.warnings for sentence in sentences))
        return found

    with while_computing(translator.engine.device_type):
        if input_file and out:
            from gru_mt.documents.registry import read_document
            from gru_mt.storage import read_bytes, write_output

            print_messages(logging.INFO)
            data, name = read_bytes(input_file, most_bytes=MOST_BYTES), input_file.name
            language = translator.languages.source
            document = read_document(data, name, language=language, everything=everything)
            write_output(out, document.translated(translated))
        else:
            chunks = _chunks(sentences, input_file, progress)
            _print_translations(chunks, translated, n_best, as_json=as_json)
    if doubts:
        counts = ", ".join(f"{name} {count:,}" for name, count in doubts.most_common())
        say(f"warning: sentences to look at: {counts}{'' if out else ' (--json marks them)'}")


def _check_document(path: Path, out: Path, *, everything: bool) -> None:
    """Raise UserError where `path` is no document that can be written to `out`, translated.

    That is where `out` is the same file, has the ending of another format or cannot be written.
    """
    from gru_mt.documents.registry import ENDINGS, reader_of
    from gru_mt.storage import check_output, os_errors_as

    reader, ending = reader_of(path.name, everything=everything), path.suffix.lower()
    if out.suffix and (out.suffix.lower() not in ENDINGS or reader_of(out.name) != reader):
        raise UserError(
            f"--out {short_text(out)}: must end in {ending}, as {short_text(path.name)} does"
        )
    with os_errors_as(path, "read"):
        path.stat()
    check_output(out, reads=[path])


def _print_translations(
    chunks: "Generator[list[Line], None, None]",
    translated: "Callable[[list[str]], list[Translation]]",
    n_best: int,
    *,
    as_json: bool,
) -> None:
    with closing(chunks):
        for lines in chunks:
            for line, one in zip(lines, translated([each.text for each in lines]), strict=True):
                _warn_of(line, one)
                if as_json:
                    print_json(one.to_json())
                else:
                    print_translation("\n".join(one.texts + [""] * (n_best - len(one.texts))))
            flush_results()


def _chunks(
    sentences: list[str] | None, input_file: Path | None, progress: "LineProgress"
) -> "Generator[list[Line], None, None]":
    """Yield the lines to translate: the sentences, else the file's, else those of stdin."""
    from gru_mt.inference.preprocessing.lines import decode_line
    from gru_mt.storage import os_errors_as

    if sentences:
        lines = (re.split("\r?\n", sentence.rstrip("\r\n")) for sentence in sentences)
        raw = map(os.fsencode, chain.from_iterable(lines))
        yield [decode_line(line, number) for number, line in enumerate(raw, start=1)]
        return
    if input_file is None and sys.stdin is None:
        raise UserError("stdin: is closed; give sentences or --input")
    name = short_text(input_file or "stdin")
    with os_errors_as(name, "read"):
        if input_file is None:
            yield from _read(cast("BufferedReader", sys.stdin.buffer), name, progress)
            return
        with input_file.open("rb") as file:
            yield from _read(file, name, progress)


def _read(file: "BufferedReader", name: str, progress: "LineProgress") -> "Iterator[list[Line]]":
    """Yield the lines of a file; show progress unless lines or translations are on a terminal."""
    from gru_mt.inference.preprocessing.lines import read_chunks

    _check_not_own_output(file, name)
    if name.lower().endswith((".docx", ".epub")) and file.peek(2)[:2] == b"PK":
        raise UserError(f"{name}: is a document; name the file of its translation with --out")
    from gru_mt.documents.registry import ENDINGS

    if PurePath(name).suffix.lower() in {*ENDINGS} - {".txt", ".docx", ".epub"}:
        say(f"warning: {name}: its lines are translated, markup too; --out translates its texts")
    if file.isatty():
        say("type a sentence, then Enter; the end of input, Ctrl-D or on Windows Ctrl-Z, ends")
    if file.isatty() or sys.stdout.isatty():
        yield from read_chunks(file)
    else:
        print_messages(logging.INFO)
        yield from progress.read(file)


def _check_not_own_output(file: "BufferedReader", name: str) -> None:
    """Raise UserError where what is read is the file that stdout goes to: it would never end."""
    try:
        read, written = os.fstat(file.fileno()), os.fstat(sys.stdout.fileno())
    except OSError:  # one of them is no file of the system, as in a notebook
        return
    if stat.S_ISREG(read.st_mode) and os.path.samestat(read, written):
        raise UserError(f"{name}: is what stdout goes to as well; send stdout to another file")


def _warn_of_arguments(sentences: list[str]) -> None:
    """Tell of words without quotes, and of names of files, which are translated as sentences."""
    if len(sentences) > 1 and all(len(sentence.split()) == 1 for sentence in sentences):
        shown = short_repr(" ".join(sentences))
        say(f"note: each argument is a sentence; one of several words wants quotes: {shown}")
    for sentence in sentences:
        with suppress(OSError, ValueError):  # too long for a name, or with a null character
            if sentence and Run(Path(sentence)).config.is_file():
                name = short_text(sentence)
                say(f"warning: {name} is a run; to translate with it use --model {name}")
            if Path(sentence).is_file():
                name = short_text(sentence)
                say(f"warning: {name} is a file; to translate its lines use --input {name}")


def _warn_of(line: "Line", translation: "Translation") -> None:
    for warning in line.warnings:
        log.warning(f"line {line.number}: {warning}")
    parts = sum("split" in sentence.warnings for sentence in translation.sentences)
    if parts:
        log.warning(
            f"line {line.number}: a sentence is too long, and was translated in {parts} "
            "parts (decoding.max_source_tokens)"
        )
