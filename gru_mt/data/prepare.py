"""From a configuration to what the training loop reads: splits, a tokenizer and a dataset."""

import hashlib
import json
import logging
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import torch

from gru_mt.bundle import build_model
from gru_mt.config.schema import Config
from gru_mt.data.augment.bilingual_lexicon import learn_short_texts
from gru_mt.data.dataset.components import key
from gru_mt.data.dataset.dataset import (
    LINE,
    Dataset,
    encode_chunk,
    learn_words,
    masked,
    truecased,
    write_dataset,
    write_metadata,
)
from gru_mt.data.dataset.ids import EncodedPairs, encode_pairs
from gru_mt.data.dataset.source_files import fingerprints_of, missing_files
from gru_mt.data.dataset.store import LazySequence, Subset, TupleStore, chunked
from gru_mt.data.evaluation_set import EvaluationSet, load_sets
from gru_mt.data.pool import in_background, map_in_order
from gru_mt.data.splits import Splits, check_epochs, load_splits
from gru_mt.data.tokenizer.tokenizer import Tokenizer, learn_tokenizer
from gru_mt.data.types import Example
from gru_mt.errors import UserError
from gru_mt.model.device import check_fits_in_memory
from gru_mt.progress import ProgressBar
from gru_mt.run import Run
from gru_mt.storage import read_json, replacing_folder
from gru_mt.training.output.checkpoint import check_same_data
from gru_mt.training.resume import Start
from gru_mt.training.synthetic import synthetic_pairs

log = logging.getLogger(__name__)

SAMPLE = 200_000  # pairs, of which the tokenizer and the words are learned where there are more


@dataclass(frozen=True, slots=True)
class TrainingData:
    """What a run reads: training pairs as ids, what it is measured on, and where all is from."""

    tokenizer: Tokenizer
    pairs: Dataset  # pairs of single words and short phrases after the others
    dev: list[EvaluationSet]
    test: list[EvaluationSet]
    dev_pairs: list[EncodedPairs]  # of each set of dev
    report: dict[str, Any]  # what became of the corpora's lines, and where the run began

    @property
    def fingerprints(self) -> dict[str, str]:
        """SHA-256 of what a checkpoint belongs to."""
        return dict(self.pairs.metadata["fingerprints"])

    @property
    def provenance(self) -> dict[str, Any]:
        """What a translator says of the data that it is from."""
        return dict(self.pairs.metadata["provenance"])


def prepare(
    start: Start,
    run: Run,
    splits: Splits | None = None,
    *,
    synthetic: Sequence[Example] | None = None,
) -> TrainingData:
    """Read and split the corpora, train or load the tokenizer, and write the pairs as ids.

    `splits` are those of the corpora, if they have been read. `synthetic` are pairs of which a
    model made a side; by default the models that the configuration names make them.

    Only `run.data` is written, whole or not at all, and once all else was checked; `write_inputs`
    writes the rest. Raises UserError where no pair is left to train on or an epoch has none,
    where the model is too large for this machine, or where a run that goes on had other data.
    """
    config = start.config
    if splits is None:
        splits = load_splits(config.data, start.sets, folder=run.folder)
    for line in splits.lines():
        log.info(line)
    for warning in splits.warnings():
        log.warning(warning)
    if not splits.dev:
        why = "the corpus is too small for a dev split, or data.dev names none"
        log.warning(f"{why}: the last weights will be kept, and training.patience ends nothing")
    if len(splits.dev) > 1:
        log.info(f"the dev set {splits.dev[0].name} decides which weights are kept")
    if not splits.train:
        leaks = sum(splits.leaks.values())
        why = f"; {leaks:,} share a sentence with dev or test" if leaks else ""
        raise UserError(f"data.corpus: no pair is left to train on: {splits.sizes()}{why}")
    check_epochs(splits, config.data)
    sample = _sample(splits.train, run.folder)
    if synthetic is None:
        synthetic = synthetic_pairs(splits, config, run)
    synthetic = masked(synthetic)
    back = [pair for pair in synthetic if config.data.is_back_translated(pair.corpus)]
    has_short = config.data.augment is not None and config.data.augment.words
    with in_background(learn_short_texts, chunked(sample) if has_short else []) as find_short:
        tokenizer = _tokenizer(start, sample, back[:SAMPLE])
        with torch.device("meta"):  # this device takes no memory
            check_fits_in_memory(build_model(config, tokenizer))
        short = _without_leaks(find_short(), splits)
    if short:
        log.info(f"{len(short):,} words and short phrases of these pairs are trained on too")
    fingerprints = {
        "corpus": _corpus_digest(splits, back, synthetic[len(back) :]),
        "tokenizer": _tokenizer_digest(tokenizer),
    }
    if start.is_resumed:
        check_same_data(run.checkpoints, fingerprints)
    metadata = {
        "lines": [corpus.files for corpus in splits.corpora]
        + [[(f"sources translated by {teacher}", 1)] for teacher in config.data.teachers],
        "origins": fingerprints_of(config.data),
        "fingerprints": fingerprints,
        "provenance": _provenance(
            config, splits, len(back), len(synthetic) - len(back), start.provenance
        ),
    }
    _write_dataset(run.data, config, tokenizer, splits.train, (sample, short, synthetic), metadata)
    dev_pairs, report = _encoded(tokenizer, splits.dev), splits.to_json() | {**start.provenance}
    return TrainingData(tokenizer, Dataset(run.data), splits.dev, splits.test, dev_pairs, report)


def _write_dataset(
    path: Path,
    config: Config,
    tokenizer: Tokenizer,
    train: LazySequence[Example],
    masked_pairs: tuple[Sequence[Example], list[Example], list[Example]],
    metadata: dict[str, Any],
) -> None:
    """Write the training pairs, then short and synthetic ones, as ids into a folder.

    `masked_pairs` are a sample of the training pairs, or all, and the short and synthetic ones.
    """
    sample, short, synthetic = masked_pairs
    is_whole = len(sample) == len(train)
    parts = [(sample if is_whole else train, is_whole), ([*short, *synthetic], True)]
    chunks = ((chunk, is_masked) for pairs, is_masked in parts for chunk in chunked(pairs))
    known = chain(chunked(sample), chunked([*short, *synthetic[:SAMPLE]]))
    learn = partial(learn_words, tokenizer)
    with (
        in_background(learn, known if config.data.augment else []) as words,
        replacing_folder(path) as folder,
    ):
        write_dataset(
            folder,
            map_in_order(partial(encode_chunk, config, tokenizer), chunks),
            total=sum(len(pairs) for pairs, _ in parts),
            vocabulary_sizes=(tokenizer.source.size, tokenizer.target.size),
        )
        write_metadata(folder, {"words": words()} | metadata)


def load_data(config: Config, run: Run) -> TrainingData:
    """Return what `prepare` wrote and `write_inputs` kept.

    Raises UserError where it is not whole, or where the user's files are others now.
    """
    tokenizer, pairs = Tokenizer.load(run.folder), Dataset(run.data)
    if _tokenizer_digest(tokenizer) != pairs.metadata["fingerprints"]["tokenizer"]:
        raise UserError(
            f"{run.folder}: the tokenizer has changed since; restore it, or start anew with --fresh"
        )
    dev, test = (load_sets(run.evaluation_sets(split)) for split in ("dev", "test"))
    for path in missing_files(config.data, pairs.metadata["origins"]):
        log.info(f"{path} is not there any more; the run goes on with its own copy of the pairs")
    report = read_json(run.corpus_report)
    return TrainingData(tokenizer, pairs, dev, test, _encoded(tokenizer, dev), report)


def _sample(train: LazySequence[Example], folder: Path) -> TupleStore[Example]:
    """Return pairs to learn from, with what is copied masked: all, or SAMPLE of them."""
    if len(train) > SAMPLE:
        drawn = np.random.default_rng(0).choice(len(train), SAMPLE, replace=False)
        train = Subset(train, np.sort(drawn))
        log.info(f"the tokenizer learns from {SAMPLE:,} of these pairs, drawn at random")
    sample = TupleStore.scratch(Example, LINE, folder)
    with ProgressBar("masking what is copied", unit="pairs", total=len(train)) as bar:
        for pairs in map_in_order(masked, chunked(train)):
            source, target, *places = zip(*pairs, strict=True)
            sample.append((source, target), np.array([*zip(*places, strict=True)], LINE))
            bar.update(len(pairs))
    return sample


def _without_leaks(pairs: Sequence[Example], splits: Splits) -> list[Example]:
    sources, targets = splits.keys("source"), splits.keys("target")
    return [
        pair
        for pair in pairs
        if key(pair.source) not in sources and key(pair.target) not in targets
    ]


def _encoded(tokenizer: Tokenizer, sets: list[EvaluationSet]) -> list[EncodedPairs]:
    pairs = (truecased(masked(found.examples), tokenizer) for found in sets)
    return [encode_pairs(tokenizer, examples) for examples in pairs]


def _tokenizer(start: Start, sample: Sequence[Example], synthetic: Sequence[Example]) -> Tokenizer:
    """Return the tokenizer of the run, trained or with new words, unless the run has it already.

    Back-translated pairs give subwords, but no word that is known. Those of teachers give nothing,
    so that a student has the vocabulary of its teachers and can be averaged with them.
    """
    if start.is_resumed and start.tokenizer is not None:
        return start.tokenizer
    config = start.config.tokenizer
    if start.tokenizer is None:
        log.info(f"training the {config.kind} tokenizer")
    else:
        log.info(f"training goes on from {start.provenance['start']['folder']}, with its tokenizer")
        log.info("learning new words")
    learn = partial(learn_tokenizer, config, start.tokenizer, len(sample))
    with in_background(learn, chain(chunked(sample), chunked(synthetic))) as learned:
        tokenizer, warnings = learned()
    for warning in warnings:
        log.warning(warning)
    return tokenizer


def _corpus_digest(splits: Splits, back: Sequence[Example], taught: Sequence[Example]) -> str:
    """Return the SHA-256 of what is trained on and measured on, whatever its names."""
    digests = [corpus.sha256 for corpus in splits.corpora]
    sets = [[(found.sources, found.references) for found in sets]
            for sets in (splits.dev, splits.test)]  # fmt: skip
    made = [*(pair.source for pair in back), *(pair.target for pair in taught)]
    texts = "".join([*digests, *made, json.dumps(sets)])
    return hashlib.sha256(texts.encode()).hexdigest()


def _tokenizer_digest(tokenizer: Tokenizer) -> str:
    return hashlib.sha256(b"".join(tokenizer.files().values())).hexdigest()


def _provenance(
    config: Config, splits: Splits, back: int, taught: int, begun: Mapping[str, Any]
) -> dict[str, Any]:
    """Return where a translator is from; `begun` is that of the model it was fine-tuned from."""
    named = [*splits.attributions(), begun.get("start", {}).get("attribution")]
    data = config.data
    return {
        "corpora": [
            {"path": settings.path, "name": corpus.name, "sha256": corpus.sha256}
            for settings, corpus in zip(config.data.corpus, splits.corpora, strict=True)
        ],
        "attribution": "; ".join(dict.fromkeys(filter(None, named))),
        "training_pairs": len(splits.train),
        "sentences": splits.sentences(),
        **(
            {"back_translation": {"model": data.back_translate, "training_pairs": back}}
            if back
            else {}
        ),
        **({"teaching": {"teachers": data.teachers, "training_pairs": taught}} if taught else {}),
        "gru_mt": version("gru-mt"),
        "torch": torch.__version__,
        "python": platform.python_version(),
        **begun,
    }
