"""`gru-mt eval`."""

import logging
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from gru_mt.cli.app import (
    BeamOption,
    Command,
    DeviceOption,
    JsonOption,
    ModelsOption,
    PenaltyOption,
    app,
)
from gru_mt.cli.streams import print_json, print_messages, print_result, require_stdout, say
from gru_mt.cli.translator import load_translator
from gru_mt.errors import UserError
from gru_mt.evaluation.bleu_tokenizer import BleuTokenizer
from gru_mt.model.fast.waiting import while_computing
from gru_mt.run import Run, named

EXAMPLES = """\b
Examples:
  gru-mt eval
  gru-mt eval --model runs/fra-eng --split dev --beam 1 --json
  gru-mt eval --real
  gru-mt eval --source mine.en --reference mine.fr --output mine.hypotheses
"""


@app.command("eval", cls=Command, epilog=EXAMPLES)
def evaluate(
    model: ModelsOption = [],
    split: Annotated[
        Literal["dev", "test"], typer.Option(help="The split of the run's corpus.")
    ] = "test",
    source: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Sentences to translate instead, one a line."),
    ] = None,
    reference: Annotated[
        list[Path],
        typer.Option(metavar="FILE", help="Their translations; may be given several times."),
    ] = [],
    beam: BeamOption = None,
    length_penalty: PenaltyOption = None,
    bleu_tokenizer: Annotated[
        BleuTokenizer | None,
        typer.Option(help="How sacreBLEU splits words; else as fits the target language."),
    ] = None,
    device: DeviceOption = "auto",
    output: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the translations here.")
    ] = None,
    real: Annotated[
        bool,
        typer.Option(
            "--real", help="Also report BLEU on perturbed input (case, typos, punctuation)."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Score a translator by BLEU and chrF. Scores come with signature and 95 % interval."""
    if (source is None) != (not reference):
        raise UserError("--source and --reference belong together: give both or neither")
    require_stdout()
    from gru_mt.cli.line_progress import map_with_progress
    from gru_mt.evaluation.evaluate import (
        choose_bleu_tokenizer,
        evaluate_set,
        read_evaluation_set,
        read_sets,
    )
    from gru_mt.evaluation.hypotheses import write_hypotheses
    from gru_mt.evaluation.robustness.measure import measure, write_robustness
    from gru_mt.storage import check_output, write_output

    if output and source:
        check_output(output, reads=[source, *reference])

    folder = model[0] if model else Run.newest().folder
    sets = [read_evaluation_set(source, reference)] if source else read_sets(folder, split)
    outputs = [output] if source else _outputs(output, [one.name for one in sets])
    print_messages(logging.INFO)  # lines of progress, where stderr is no terminal
    translator = load_translator(model, device=device)
    translator = replace(translator, map_batches=map_with_progress, corrections=None)
    decoding = translator.decoding.overridden(beam_size=beam, length_penalty=length_penalty)
    tokenizer = choose_bleu_tokenizer(translator, sets, bleu_tokenizer)
    found, reports = [], []
    for one, path in zip(sets, outputs, strict=True):
        name = source or (f"{split} {one.name}" if len(sets) > 1 else split)
        say(f"translating {len(one.sources):,} sentences of {name}")
        with while_computing(translator.engine.device_type):
            result = evaluate_set(translator, one, decoding, tokenizer)
            report = None
            if real:
                translate: Any = translator.translate  # mypy cannot bind an overload's argument
                translate = partial(translate, beam_size=beam, length_penalty=length_penalty)
                report = measure(translate, one, tokenizer=tokenizer, say=say)
                reports.append(report)
        if path:
            text = "".join(f"{hypothesis}\n" for hypothesis in result.hypotheses.texts)
            write_output(path, text.encode())
        found.append(result.hypotheses)
        if as_json:
            real_rows = {"real": report.to_json()} if report else {}
            print_json({"set": one.name} | result.to_json() | real_rows)
            continue
        title = f"{one.name}:" if len(sets) > 1 else ""
        print_result("\n".join(map(str, filter(None, (title, result, report)))))
    if source is None and len(model) < 2 and decoding == translator.decoding:
        try:
            write_hypotheses(folder, split, found, decoding, tokenizer)
            if real:
                write_robustness(folder, split, reports)
        except UserError as error:  # the scores are printed already
            say(f"warning: {error}")


def _outputs(output: Path | None, sets: list[str]) -> list[Path | None]:
    """Return the file of each set's translations: `output` with its name, if there are several.

    Raises UserError where one cannot be written.
    """
    from gru_mt.storage import check_output

    if output is None:
        return [None] * len(sets)
    outputs = [output]
    if len(sets) > 1:
        outputs = [named(output).with_name(f"{named(output).name}.{name}") for name in sets]
    for path in outputs:
        check_output(path)
    return [*outputs]
