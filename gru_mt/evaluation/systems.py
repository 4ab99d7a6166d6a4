"""The systems that a comparison is of: runs that keep their translations, or files of them."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from gru_mt.config.load import load_config
from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.errors import UserError, short_repr, short_text
from gru_mt.evaluation.hypotheses import read_hypotheses, run_of
from gru_mt.evaluation.score import resolve_bleu_tokenizer
from gru_mt.inference.preprocessing.lines import read_lines
from gru_mt.run import WEIGHTS, Run, flatten
from gru_mt.tensors import tensors_shapes


@dataclass(frozen=True, slots=True)
class Output:
    """What a system made of a set."""

    set: EvaluationSet
    texts: list[str]
    seconds: float | None = None  # of translating; None where nobody knows


@dataclass(frozen=True, slots=True)
class System:
    """A translator, by what it made of some sets; only a run has the other facts."""

    name: str  # of its folder or file, as messages show it
    outputs: list[Output]
    bleu_tokenizer: str  # sacreBLEU's name for it
    config: dict[str, Any]  # values by full name
    minutes: float | None = None  # of training; None where it is not finished
    parameters: int | None = None


def read_systems(folders: Sequence[Path], part: str, bleu_tokenizer: str | None) -> list[System]:
    """Return the runs in `folders` with what they keep of dev or test.

    `bleu_tokenizer` is a `setting` of `resolve_bleu_tokenizer`; None takes each run's own. Raises
    UserError where a folder is no run or is given twice, or a run keeps no translations.
    """
    runs = [_run(folder, part) for folder in folders]
    places = [run.folder.resolve() for run in runs]
    for folder, place in zip(folders, places, strict=True):
        if places.count(place) > 1:
            raise UserError(f"{folder}: is given twice; name different runs")
    return [
        _read_run(short_text(folder), run, part, bleu_tokenizer)
        for folder, run in zip(folders, runs, strict=True)
    ]


def _run(folder: Path, part: str) -> Run:
    """Return the run that a user means by its folder or its bundle's."""
    if folder.is_file():
        raise UserError(f"{folder}: is a file; to compare files of translations, give --reference")
    if not folder.is_dir():
        raise UserError(f"{folder}: there is no such folder")
    if run := run_of(folder, part):
        return run
    if Run(folder).config.is_file():
        raise UserError(f"{folder}: keeps no {part} part")
    raise UserError(f"{folder}: is no run of gru-mt train")


def _read_run(name: str, run: Run, part: str, bleu_tokenizer: str | None) -> System:
    kept = read_hypotheses(run, part)
    if kept is None:
        option = "" if part == "test" else f" --split {part}"
        raise UserError(
            f"{name}: keeps no translations of its {part} part; "
            f"run gru-mt eval --model {name}{option} first"
        )
    config = load_config(run.config).model_dump() | {"decoding": asdict(kept.decoding)}
    language = config["data"]["target"]
    return System(
        name,
        [Output(each.set, each.texts, each.seconds) for each in kept.sets],
        resolve_bleu_tokenizer(
            language,
            bleu_tokenizer or kept.bleu_tokenizer,
            [texts for each in kept.sets for texts in each.set.references],
        ),
        flatten(config),
        run.read_minutes(),
        sum(map(math.prod, tensors_shapes(run.bundle / WEIGHTS).values())),
    )


def read_files(
    files: Sequence[Path], references: Sequence[Path], source: Path | None, bleu_tokenizer: str
) -> list[System]:
    """Return systems of files: line N of each is a translation, reference or source of sentence N.

    `bleu_tokenizer` is a `setting` of `resolve_bleu_tokenizer`, and the ending of the first
    reference's name is its language: ref.ja is Japanese. Raises UserError where a file cannot be
    read, is not plain text, is empty, differs in length, or is given twice.
    """
    for file in files:
        if files.count(file) > 1:
            raise UserError(f"{file}: is given twice; name different files")
    first = source or references[0]
    lines = {path: read_lines(path) for path in (first, *references, *files)}
    if not lines[first]:
        raise UserError(f"{first}: is empty")
    for path in files:
        if len(lines[path]) != len(lines[first]):
            raise UserError(
                f"{path}: {len(lines[path]):,} lines, but {first} has {len(lines[first]):,}"
            )
    known = EvaluationSet.from_files([(path, lines[path]) for path in (first, *references)])
    if source is None:
        known = replace(known, sources=[""] * len(known.sources))
    language = references[0].suffix.removeprefix(".")
    tokenizer = resolve_bleu_tokenizer(language, bleu_tokenizer, known.references)
    return [System(short_text(path), [Output(known, lines[path])], tokenizer, {}) for path in files]


def common_outputs(systems: Sequence[System], part: str) -> list[list[Output]]:
    """Return each set of the first system that all have, by what is in it, with their outputs.

    Raises UserError where there is none, or where the systems' BLEU tokenizers differ.
    """
    first, *others = systems
    for other in others:
        if other.bleu_tokenizer != first.bleu_tokenizer:
            raise UserError(
                f"{other.name}: its BLEU tokenizer is {other.bleu_tokenizer}, that of {first.name} "
                f"is {first.bleu_tokenizer}; choose one with --bleu-tokenizer"
            )
    found = []
    for output in first.outputs:
        theirs = [_of_set(other, output.set) for other in others]
        if all(theirs):
            found.append([output, *(each for each in theirs if each)])
    if not found:
        output = first.outputs[0]
        other = next(each for each in others if not _of_set(each, output.set))
        raise UserError(
            f"{other.name}: its {part} part is not that of {first.name}: "
            f"{_difference(other.outputs[0].set, output.set)}"
        )
    return found


def _of_set(system: System, wanted: EvaluationSet) -> Output | None:
    """Return what a system made of the sentences of a set, whatever its name; None for nothing."""
    for output in system.outputs:
        if replace(output.set, name=wanted.name) == wanted:
            return output
    return None


def _difference(one: EvaluationSet, other: EvaluationSet) -> str:
    """Return in words how two sets differ."""
    if len(one.sources) != len(other.sources):
        return f"{len(one.sources):,} and {len(other.sources):,} sentences"
    for number, (left, right) in enumerate(zip(one.sources, other.sources, strict=True), start=1):
        if left != right:
            return f"sentence {number:,} is {short_repr(left)} and {short_repr(right)}"
    pairs = enumerate(zip(one.references, other.references, strict=True), start=1)
    number = next((number for number, (left, right) in pairs if left != right), 0)
    return f"the references of sentence {number:,} differ"
