"""The systems that a comparison is of: runs that keep their translations, or files of them."""

import math
import operator
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from gru_mt.config.load import load_config
from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.errors import UserError, shell_quoted, short_repr, short_text
from gru_mt.evaluation.bleu_tokenizer import resolve_bleu_tokenizer
from gru_mt.evaluation.hypotheses import read_hypotheses, run_of
from gru_mt.inference.preprocessing.lines import read_lines
from gru_mt.run import WEIGHTS, Run, bundle_of, check_path, flatten
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

    def texts(self, wanted: EvaluationSet) -> list[str]:
        """Return the translations of a set, whatever its name; none where it has no such set."""
        found = (texts for one, texts in self.outputs if replace(one, name=wanted.name) == wanted)
        return next(found, [])


def read_systems(
    paths: Sequence[Path],
    references: Sequence[Path],
    source: Path | None,
    split: str,
    bleu_tokenizer: str | None,
) -> list[System]:
    """Return the runs in `paths` with what they keep of a split, or with `references` files.

    `bleu_tokenizer` is a `setting` of `resolve_bleu_tokenizer`; None takes the runs' own, and for
    files the one that fits the ending of the first reference's name: ref.ja is Japanese. Raises
    UserError where a folder is no run or keeps no translations, a file cannot be read, is empty or
    differs in length, or a path is given twice.
    """
    real = [*paths] if references else [bundle_of(path).resolve() for path in paths]
    for path, resolved in zip(paths, real, strict=True):
        if real.count(resolved) > 1:
            kind = "files" if references else "runs"
            raise UserError(f"{path}: is given twice; name different {kind}")
    if references:
        return _read_files(paths, references, source, bleu_tokenizer or "auto")
    return [_read_run(path, split, bleu_tokenizer) for path in paths]


def _read_run(folder: Path, split: str, bleu_tokenizer: str | None) -> System:
    check_path(folder)
    name, run = short_text(folder), run_of(folder, split) if folder.is_dir() else None
    if run is None:
        problem = "is no run of gru-mt train"
        if folder.is_file():
            problem = "is a file; to compare files of translations, give --reference"
        elif Run(folder).evaluation_sets(split).is_file():
            problem = "has no translator yet"
        elif Run(folder).config.is_file():
            problem = f"keeps no {split} split"
        raise UserError(f"{folder}: {problem}")
    found = read_hypotheses(run, split)
    if found is None:
        option = "" if split == "test" else f" --split {split}"
        fix = f"run gru-mt eval --model {shell_quoted(name)}{option} first"
        raise UserError(f"{name}: keeps no translations of its {split} split; {fix}")
    config = load_config(run.config).model_dump() | {"decoding": asdict(found.decoding)}
    shapes = tensors_info(run.bundle / WEIGHTS).shapes.values()
    speed = sum(len(one.texts) for one in found.sets) / sum(one.seconds for one in found.sets)
    metadata = SystemMetadata(name, run.read_minutes(), sum(map(math.prod, shapes)), speed)
    references = [texts for one in found.sets for texts in one.set.references]
    setting = bleu_tokenizer or found.bleu_tokenizer
    tokenizer = resolve_bleu_tokenizer(config["data"]["target"], setting, references)
    outputs = [(one.set, one.texts) for one in found.sets]
    return System(metadata, outputs, tokenizer, flatten(config))


def _read_files(
    files: Sequence[Path], references: Sequence[Path], source: Path | None, bleu_tokenizer: str
) -> list[System]:
    """Return systems of files: line N of each is of sentence N. A reference may be a pipe."""
    for path in filter(Path.is_dir, files):
        raise UserError(
            f"{short_text(path)}: is a folder, and --reference compares files; gru-mt eval --model "
            f"{short_text(path)} --output FILE writes its translations"
        )
    known = [(path, read_lines(path)) for path in references]
    first = source or references[0]
    sources = read_lines(source) if source else [""] * len(known[0][1])
    if not sources:
        raise UserError(f"{first}: is empty")
    wanted = EvaluationSet.from_files([(first, sources), *known])
    language = references[0].suffix.removeprefix(".")
    tokenizer = resolve_bleu_tokenizer(language, bleu_tokenizer, wanted.references)
    systems = []
    for path in files:
        texts = read_lines(path)
        if len(texts) != len(sources):
            raise UserError(f"{path}: {len(texts):,} lines, but {first} has {len(sources):,}")
        systems.append(System(SystemMetadata(short_text(path)), [(wanted, texts)], tokenizer, {}))
    return systems


def common_sets(systems: Sequence[System], split: str) -> tuple[list[EvaluationSet], list[str]]:
    """Return the sets that all systems have, by what is in them, and the names of the others.

    Raises UserError where there is none, or where the systems' BLEU tokenizers differ.
    """
    first = systems[0]
    for other in systems:
        if other.bleu_tokenizer != first.bleu_tokenizer:
            raise UserError(
                f"{other.metadata.name}: its BLEU tokenizer is {other.bleu_tokenizer}, that of "
                f"{first.metadata.name} is {first.bleu_tokenizer}; choose one with --bleu-tokenizer"
            )
    known = [one for system in systems for one, _ in system.outputs]
    lacking = {one.name for one in known if not all(system.texts(one) for system in systems)}
    if sets := [one for one, _ in first.outputs if all(system.texts(one) for system in systems)]:
        return sets, sorted(lacking)
    wanted = first.outputs[0][0]
    other = next(system for system in systems if not system.texts(wanted))
    difference = _difference(other.outputs[0][0], wanted)
    names = f"{other.metadata.name}: its {split} split is not that of {first.metadata.name}"
    raise UserError(f"{names}: {difference}")


def _difference(one: EvaluationSet, other: EvaluationSet) -> str:
    if len(one.sources) != len(other.sources):
        return f"{len(one.sources):,} and {len(other.sources):,} sentences"
    pairs = enumerate(zip(one.sources, other.sources, strict=True), start=1)
    for number, (left, right) in pairs:
        if left != right:
            return f"sentence {number:,} is {short_repr(left)} and {short_repr(right)}"
    equal = map(operator.eq, one.references, other.references)
    return f"the references of sentence {[*equal].index(False) + 1:,} differ"
