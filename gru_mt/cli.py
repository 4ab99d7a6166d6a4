"""The command line: parse, call one function, print.

Results go to stdout, everything else to stderr. Modules that are slow to import (torch, pydantic,
sacreBLEU) load inside the command that needs them, so that `--help` is instant.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from gru_mt.errors import Interrupted, UserError
from gru_mt.waiting import while_computing

if TYPE_CHECKING:
    from io import BufferedReader

    from gru_mt.inference.lines import Line
    from gru_mt.inference.translator import Translation, Translator

USAGE_ERROR: Any = typer.BadParameter.__base__  # UsageError, which typer does not export
STARTED_S = time.perf_counter()  # the clock of a run begins with its command
RUNS = Path("runs")

app = typer.Typer(
    help="Train a GRU translator, measure it, translate with it.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

ConfigOption = Annotated[Path, typer.Option("--config", help="The configuration, a YAML file.")]
SetOption = Annotated[
    list[str], typer.Option("--set", metavar="SECTION.KEY=VALUE", help="Override a field of it.")
]
ModelOption = Annotated[
    Path | None,
    typer.Option("--model", help="A run, a bundle or an export; else the newest finished run."),
]
BeamOption = Annotated[
    int | None, typer.Option("--beam", help="Beam size, 1 for greedy; else the bundle's.")
]
PenaltyOption = Annotated[
    float | None,
    typer.Option("--length-penalty", help="Exponent of length in the score; else the bundle's."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def train(
    config: ConfigOption,
    run: Annotated[
        Path | None, typer.Option(help="The run's folder; else runs/ plus the config's name.")
    ] = None,
    overrides: SetOption = [],  # noqa: B006 typer wants a list, and nobody changes it
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start anew, in a numbered folder beside it.")
    ] = False,
) -> None:
    """Train a translator, or go on with a run that was stopped."""
    # Kernels for the last 1,024 shapes met are kept twice: by oneDNN, which compiles them, and by
    # ideep, through which torch reaches it, with memory of their own. oneDNN's copy is enough.
    os.environ.setdefault("LRU_CACHE_CAPACITY", "8")
    from gru_mt.config_file import load_config

    parsed = load_config(config, overrides)
    from gru_mt.training.folder import fresh_folder
    from gru_mt.training.trainer import train as train_run

    folder = run or RUNS / config.stem
    train_run(parsed, fresh_folder(folder) if fresh else folder, started_s=STARTED_S)


@app.command("eval")
def evaluate(
    model: ModelOption = None,
    split: Annotated[str, typer.Option(help="dev or test.")] = "test",
    source: Annotated[
        Path | None, typer.Option(help="Sentences to translate instead, one a line.")
    ] = None,
    reference: Annotated[
        list[Path], typer.Option(help="Their translations; may be given several times.")
    ] = [],  # noqa: B006 as above
    beam: BeamOption = None,
    length_penalty: PenaltyOption = None,
    output: Annotated[Path | None, typer.Option(help="Write the translations here.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Score a translator: BLEU and chrF with signatures and 95 % intervals."""
    _check_search(beam, length_penalty)
    if split not in ("dev", "test"):
        raise UserError(f"--split must be dev or test, got {split}")
    if (source is None) != (not reference):
        raise UserError("--source and --reference belong together: give both or neither")
    from gru_mt.evaluation.evaluate import evaluate as evaluate_translator
    from gru_mt.evaluation.evaluate import read_evaluation_set, read_split
    from gru_mt.storage import write_file

    folder = model or _newest_run()
    evaluation_set = read_evaluation_set(source, reference) if source else read_split(folder, split)
    translator = _load(folder, told=model)
    _say(f"translating {len(evaluation_set.sources):,} sentences of {source or split}")
    with while_computing(translator.engine.device_type):
        result = evaluate_translator(
            translator, evaluation_set, beam_size=beam, length_penalty=length_penalty
        )
    if output:
        text = "".join(f"{hypothesis}\n" for hypothesis in result.hypotheses)
        write_file(output, text.encode())
    if as_json:
        _print(json.dumps(result.to_json()))
    else:
        for score in result.scores:
            _print(str(score))
        _print(
            f"{len(result.hypotheses):,} sentences in {result.seconds:.1f} s: "
            f"{result.sentences_s:,.0f} a second, beam {result.beam_size}, "
            f"length penalty {result.length_penalty}"
        )


@app.command()
def translate(
    sentences: Annotated[
        list[str] | None, typer.Argument(help="Sentences; without any, lines of --input or stdin.")
    ] = None,
    model: ModelOption = None,
    input_file: Annotated[
        Path | None, typer.Option("--input", help="A file of sentences, one a line.")
    ] = None,
    beam: BeamOption = None,
    length_penalty: PenaltyOption = None,
    n_best: Annotated[int, typer.Option(help="How many translations of each sentence.")] = 1,
    batch_size: Annotated[int, typer.Option(help="Sentences translated together.")] = 256,
    as_json: JsonOption = False,
    attention: Annotated[
        bool, typer.Option("--attention", help="Put attention weights into the JSON.")
    ] = False,
) -> None:
    """Translate sentences: one line out for each line in, in order."""
    _check_search(beam, length_penalty)
    for name, value in (("--n-best", n_best), ("--batch-size", batch_size)):
        if value < 1:
            raise UserError(f"{name} must be at least 1, got {value}")
    if sentences and input_file:
        raise UserError("give sentences or --input, not both")
    if attention and not as_json:
        raise UserError("--attention is part of --json; give both")
    translator = _load(model or _newest_run(), told=model, attention=attention)
    with while_computing(translator.engine.device_type):
        for lines in _chunks(sentences, input_file):
            translations = translator.translate(
                [line.text for line in lines],
                beam_size=beam,
                length_penalty=length_penalty,
                n_best=n_best,
                batch_size=batch_size,
                attention=attention,
            )
            for line, translation in zip(lines, translations, strict=True):
                _warn_of(line, translation)
                if as_json:
                    _print(json.dumps(translation.to_json(), ensure_ascii=False))
                else:
                    texts = [candidate.text for candidate in translation.candidates]
                    _print("\n".join(texts + [""] * (n_best - len(texts))))
            _flush()


@app.command()
def export(
    model: ModelOption = None,
    precision: Annotated[str, typer.Option(help="fp32, or int8, half the size.")] = "fp32",
    out: Annotated[
        Path | None, typer.Option(help="The folder; else onnx or onnx-int8 in the run's.")
    ] = None,
) -> None:
    """Write a translator for onnxruntime: it starts faster, and needs no torch."""
    from gru_mt.inference.exported import FOLDERS

    if precision not in FOLDERS:
        raise UserError(f"--precision must be {' or '.join(FOLDERS)}, got {precision}")
    from gru_mt.export.write import export as write_export

    _say(write_export(model or _newest_run(), precision, out))


@app.command("data")
def export_data(
    config: ConfigOption,
    out: Annotated[Path, typer.Option(help="The folder to write into.")],
    overrides: SetOption = [],  # noqa: B006 as above
) -> None:
    """Write a configuration's split as plain text, for other toolkits."""
    from gru_mt.config_file import load_config
    from gru_mt.data.corpus import load_corpus
    from gru_mt.data.split import split_corpus, write_split

    data = load_config(config, overrides).data
    corpus = load_corpus(data)
    split = split_corpus(corpus, data)
    write_split(split, out, data.source, data.target)
    for line in [*corpus.report.lines(), split.summary(), *corpus.warnings, corpus.attribution]:
        if line:
            _say(line)


def _check_search(beam: int | None, length_penalty: float | None) -> None:
    if beam is not None and beam < 1:
        raise UserError(f"--beam must be at least 1, got {beam}")
    if length_penalty is not None and not length_penalty >= 0:
        raise UserError(f"--length-penalty must be at least 0, got {length_penalty}")


def _newest_run() -> Path:
    """Return the newest finished run."""
    from gru_mt.storage import SUMMARY

    finished = sorted(RUNS.glob(f"*/{SUMMARY}"), key=lambda path: path.stat().st_mtime)
    if not finished:
        raise UserError(
            f"no finished run in {RUNS}/: train one with gru-mt train, or name one with --model"
        )
    return finished[-1].parent


def _load(folder: Path, *, told: Path | None, attention: bool = False) -> "Translator":
    """Return the translator of `folder`, or of its export, which shows no attention.

    Says which one is used where it is not the one that the user `told`.
    """
    from gru_mt.inference.exported import preferred
    from gru_mt.inference.translator import Translator

    used = folder if attention else preferred(folder, warn=_say)
    if used != told:
        _say(f"using {used}")
    return Translator.load(used)


def _chunks(sentences: list[str] | None, input_file: Path | None) -> "Iterator[list[Line]]":
    """Yield the lines to translate: the sentences, else the file's, else those of stdin."""
    from gru_mt.inference.lines import decode_line, read_chunks

    if sentences:
        raw = map(os.fsencode, sentences)
        yield [decode_line(line, number) for number, line in enumerate(raw, start=1)]
    elif input_file is None:
        yield from read_chunks(cast("BufferedReader", sys.stdin.buffer))
    else:
        try:
            file = input_file.open("rb")
        except OSError as error:
            raise UserError(f"{input_file}: cannot be read: {error.strerror}") from None
        with file:
            yield from read_chunks(file)


def _warn_of(line: "Line", translation: "Translation") -> None:
    for warning in line.warnings:
        _say(f"warning: line {line.number}: {warning}")
    if translation.cut_tokens:
        _say(
            f"warning: line {line.number}: too long; its last {translation.cut_tokens} tokens were "
            "left out (decoding.max_source_tokens)"
        )


def _print(text: str) -> None:
    """Print a result."""
    with _quiet_about_closed_pipe():
        print(text)  # noqa: T201 results go to stdout


def _flush() -> None:
    with _quiet_about_closed_pipe():
        sys.stdout.flush()


@contextmanager
def _quiet_about_closed_pipe() -> Iterator[None]:
    """Leave without a word when whoever reads stdout has closed it."""
    try:
        yield
    except BrokenPipeError:
        # Python flushes stdout once more as it ends: into nothing, so that it has nothing to say.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(128 + signal.SIGPIPE)


def _say(text: str) -> None:
    print(text, file=sys.stderr)  # noqa: T201


def main() -> None:
    """Run the command line: exit 0 when done, 2 after a mistake of the user's, told in one line."""
    try:
        sys.exit(app(standalone_mode=False))
    except USAGE_ERROR as error:
        _say(f"{sys.argv[0].rsplit('/')[-1]}: {error.format_message()}")
    except UserError as error:
        _say(str(error))
    except Interrupted as error:
        _say("stopped and saved; the same command goes on")
        sys.exit(128 + error.signal)
    sys.exit(2)
