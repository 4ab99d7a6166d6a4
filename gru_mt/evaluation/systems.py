"""The systems that a comparison is of: runs that keep their translations, or files of them."""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from gru_mt.config.load import load_config
from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.errors import UserError, short_repr, short_text
from gru_mt.evaluation.bleu_tokenizer import resolve_bleu_tokenizer
from gru_mt.evaluation.hypotheses import read_hypotheses, run_of
from gru_mt.inference.preprocessing.lines import read_lines
from gru_mt.run import WEIGHTS, Run, flatten
from gru_mt.tensors import tensors_info


@dataclass(frozen=True, slots=True)
class SystemMetadata:
    """What is known of a system beside its translations; None where nobody knows."""

    name: str  # of its folder or file, as messages show it
    minutes: float | None = None  # of training
    parameters: int | None = None
    sentences_s: float | None = None  # translated per second


@dataclass(frozen=True, slots=True)
class System:
    """A translator, by what it made of some sets."""

    metadata: SystemMetadata
    outputs: list[tuple[EvaluationSet, list[str]]]  # sets and their translations
    bleu_tokenizer: str  # sacreBLEU's name for it
    config: dict[str, Any]  # values by full name; empty for a file

    def texts(self, wanted: EvaluationSet) -> list[str] | None:
        """Return the translations of a set, whatever its name; None where it has none."""
        found = (texts for one, texts in self.outputs if _is_in(one, [wanted]))
        return next(found, None)


def read_runs(folders: Sequence[Path], split: str, bleu_tokenizer: str | None) -> list[System]:
    """Return the runs in `folders` with what they keep of dev or test.

    `bleu_tokenizer` is a `setting` of `resolve_bleu_tokenizer`; None takes the runs' own. Raises
    UserError where a folder is no run or is given twice, or a run keeps no translations.
    """
    runs = [_find_run(folder, split) for folder in folders]
    _check_distinct(folders, [run.folder.resolve() for run in runs], "runs")
    pairs = zip(folders, runs, strict=True)
    return [_read_run(short_text(folder), run, split, bleu_tokenizer) for folder, run in pairs]


def _check_distinct(paths: Sequence[Path], resolved: Sequence[Path], what: str) -> None:
    for path, real in zip(paths, resolved, strict=True):
        if resolved.count(real) > 1:
            raise UserError(f"{path}: is given twice; name different {what}")


def _find_run(folder: Path, split: str) -> Run:
    """Return the run that a user means by its folder or its bundle's."""
    if folder.is_file():
        raise UserError(f"{folder}: is a file; to compare files of translations, give --reference")
    if not folder.is_dir():
        raise UserError(f"{folder}: there is no such folder")
    if run := run_of(folder, split):
        return run
    if Run(folder).config.is_file():
        raise UserError(f"{folder}: keeps no {split} split")
    raise UserError(f"{folder}: is no run of gru-mt train")


def _read_run(name: str, run: Run, split: str, bleu_tokenizer: str | None) -> System:
    found = read_hypotheses(run, split)
    if found is None:
        option = "" if split == "test" else f" --split {split}"
        raise UserError(
            f"{name}: keeps no translations of its {split} split; "
            f"run gru-mt eval --model {name}{option} first"
        )
    outputs = [(hypotheses.set, hypotheses.texts) for hypotheses in found.sets]
    config = load_config(run.config).model_dump() | {"decoding": asdict(found.decoding)}
    sentences = sum(len(hypotheses.texts) for hypotheses in found.sets)
    metadata = SystemMetadata(
        name,
        run.read_minutes(),
        sum(map(math.prod, tensors_info(run.bundle / WEIGHTS).shapes.values())),
        sentences / sum(hypotheses.seconds for hypotheses in found.sets),
    )
    tokenizer = resolve_bleu_tokenizer(
        config["data"]["target"],
        bleu_tokenizer or found.bleu_tokenizer,
        [texts for one, _ in outputs for texts in one.references],
    )
    return System(metadata, outputs, tokenizer, flatten(config))


def read_files(
    files: Sequence[Path], references: Sequence[Path], source: Path | None, bleu_tokenizer: str
) -> list[System]:
    """Return systems of files: line N of each is a translation, reference or source of sentence N.

    `bleu_tokenizer` is a `setting` of `resolve_bleu_tokenizer`, and the ending of the first
    reference's name is its language: ref.ja is Japanese. Raises UserError where a file cannot be
    read, is not plain text, is empty, differs in length, or is given twice.
    """
    _check_distinct(files, files, "files")
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
    return [
        System(SystemMetadata(short_text(path)), [(known, lines[path])], tokenizer, {})
        for path in files
    ]


def common_sets(systems: Sequence[System], split: str) -> tuple[list[EvaluationSet], list[str]]:
    """Return the sets that all systems have, by what is in them, and the names of the others.

    Raises UserError where there is none, or where the systems' BLEU tokenizers differ.
    """
    first, *others = systems
    for other in others:
        if other.bleu_tokenizer != first.bleu_tokenizer:
            raise UserError(
                f"{other.metadata.name}: its BLEU tokenizer is {other.bleu_tokenizer}, that of "
                f"{first.metadata.name} is {first.bleu_tokenizer}; choose one with --bleu-tokenizer"
            )
    sets = [one for one, _ in first.outputs if all(other.texts(one) for other in others)]
    if not sets:
        wanted, _ = first.outputs[0]
        other = next(other for other in others if not other.texts(wanted))
        raise UserError(
            f"{other.metadata.name}: its {split} split is not that of {first.metadata.name}: "
            f"{_difference(other.outputs[0][0], wanted)}"
        )
    names = {one.name for system in systems for one, _ in system.outputs if not _is_in(one, sets)}
    return sets, sorted(names)


def _is_in(wanted: EvaluationSet, sets: Sequence[EvaluationSet]) -> bool:
    """Return whether the sentences of a set are those of one of `sets`, whatever its name."""
    return any(replace(one, name=wanted.name) == wanted for one in sets)


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
