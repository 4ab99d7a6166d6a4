"""From a configuration to what the training loop reads."""

import hashlib
import json
import logging
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from itertools import chain
from typing import Any

import numpy as np
import torch

from gru_mt.bundle import build_model
from gru_mt.config.schema import Config
from gru_mt.data.dataset.dataset import Dataset, id_type, write_arrays, write_metadata
from gru_mt.data.dataset.ids import EncodedPairs, encode_pairs
from gru_mt.data.dataset.source_files import fingerprints_of, missing_files
from gru_mt.data.dataset.store import CHUNK, LazySequence
from gru_mt.data.evaluation_set import EvaluationSet, load_sets
from gru_mt.data.pool import FEW, in_background, map_in_order
from gru_mt.data.prepare import encode_chunk, learn_words, mask_all, masked, short_texts, truecased
from gru_mt.data.splits import Splits, check_epochs, load_splits
from gru_mt.data.text.normalize import clean
from gru_mt.data.text.translation_memory import TranslationMemory
from gru_mt.data.text.truecase import Truecaser
from gru_mt.data.tokenizer.tokenizer import Tokenizer, train_tokenizer
from gru_mt.data.types import Example
from gru_mt.errors import UserError
from gru_mt.progress import ProgressBar
from gru_mt.run import Run
from gru_mt.storage import read_json, replacing_folder
from gru_mt.training.back_translation import back_translate
from gru_mt.training.output.checkpoint import check_same_data
from gru_mt.training.resume import Start

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
    *,
    splits: Splits | None = None,
    synthetic_sources: Sequence[str] | None = None,
) -> TrainingData:
    """Read and divide the corpora, train or load the tokenizer, and write the pairs as ids.

    `splits` are those of the corpora, if they have been read. `synthetic_sources` are the sources
    of monolingual text; by default the model that `data.back_translate` names makes them.

    Only `run.data` is written, whole or not at all, and once all else was checked; `write_inputs`
    writes the rest. Raises UserError where no pair is left to train on or an epoch has none,
    where the model is too large for this machine, or where a run that goes on had other data.
    """
    config = start.config
    if splits is None:
        dev, test = start.sets.get("dev", ()), start.sets.get("test", ())
        splits = load_splits(config.data, dev=dev, test=test, folder=run.folder)
    _say(splits)
    if not splits.train:
        raise UserError(f"data.corpus: no pair is left to train on: {splits.sizes()}")
    check_epochs(splits, config.data)
    sample = _sample(splits.train)
    made: list[Example] = []
    if splits.monolingual:
        if synthetic_sources is None:
            texts = [pair.target for pair in splits.monolingual]
            synthetic_sources = back_translate(texts, config, run)
        made = _with_sources(splits.monolingual, synthetic_sources)
    find = partial(short_texts, config)
    with in_background(find, sample, is_small=_is_small(sample)) as found:
        tokenizer = _tokenizer(start, sample, made[:SAMPLE])
        _check_size(config, tokenizer)
        short = found()
    if short:
        log.info(f"{len(short):,} words and short phrases of these pairs are trained on too")
    fingerprints = {
        "corpus": _digest(splits, made),
        "tokenizer": _tokenizer_digest(tokenizer),
    }
    if start.is_resumed:
        check_same_data(run.checkpoints, fingerprints)
    provenance = _provenance(config, splits, made, start.provenance)
    provenance |= start.provenance
    known = [*sample, *short, *made[:SAMPLE]]
    is_whole = len(sample) == len(splits.train)
    chunks = chain(
        _chunks(sample if is_whole else splits.train, is_masked=is_whole),
        _chunks([*short, *made], is_masked=True),
    )
    total = len(splits.train) + len(short) + len(made)
    learn = partial(learn_words, config, tokenizer)
    with (
        in_background(learn, known, is_small=_is_small(known)) as words,
        replacing_folder(run.data) as folder,
    ):
        encoded = map_in_order(partial(encode_chunk, config, tokenizer), chunks)
        sizes = write_arrays(
            folder,
            ProgressBar("encoding", unit="pairs", items=encoded, total=total),
            (id_type(tokenizer.source.size), id_type(tokenizer.target.size)),
            corpora=len(splits.corpora),
        )
        metadata = {
            "words": words(),
            "lines": [corpus.lines.files for corpus in splits.corpora],
            "origins": fingerprints_of(config.data),
            "fingerprints": fingerprints,
            "provenance": provenance,
            "sizes": sizes,
        }
        write_metadata(folder, metadata)
    return _data(
        tokenizer,
        Dataset(run.data),
        splits.dev,
        splits.test,
        splits.to_json() | {**start.provenance},
    )


def load_data(config: Config, run: Run) -> TrainingData:
    """Return what `prepare` wrote and `write_inputs` kept.

    Raises UserError where it is not whole, or where the user's files are others now.
    """
    tokenizer, prepared = Tokenizer.load(run.folder), Dataset(run.data)
    if _tokenizer_digest(tokenizer) != prepared.metadata["fingerprints"]["tokenizer"]:
        raise UserError(
            f"{run.folder}: the tokenizer has changed since; restore it, or start anew with --fresh"
        )
    dev, test = (load_sets(run.evaluation_sets(split)) for split in ("dev", "test"))
    for path in missing_files(config.data, prepared.metadata["origins"]):
        log.info(f"{path} is not there any more; the run goes on with its own copy of the pairs")
    return _data(tokenizer, prepared, dev, test, read_json(run.corpus_report))


def _say(splits: Splits) -> None:
    """Say what became of the corpora."""
    for line in splits.lines():
        log.info(line)
    for warning in splits.warnings():
        log.warning(warning)
    if not splits.dev:
        log.warning("the corpus is too small for a dev split: the last weights will be kept")
    if len(splits.dev) > 1:
        log.info(f"the dev set {splits.dev[0].name} decides which weights are kept")


def _sample(train: LazySequence[Example]) -> list[Example]:
    """Return pairs to learn from, with what is copied masked: all, or SAMPLE of them."""
    row_N = np.arange(len(train))
    if len(train) > SAMPLE:
        row_N = np.sort(np.random.default_rng(0).choice(row_N, SAMPLE, replace=False))
        log.info(f"the tokenizer learns from {SAMPLE:,} of these pairs, drawn at random")
    chunks = (train.read(row_N[place : place + CHUNK]) for place in range(0, len(row_N), CHUNK))
    masked = chain.from_iterable(map_in_order(mask_all, chunks))
    return [*ProgressBar("masking what is copied", unit="pairs", items=masked, total=len(row_N))]


def _is_small(examples: Sequence[Example]) -> bool:
    return len(examples) <= FEW * CHUNK


def _chunks(
    examples: Sequence[Example], *, is_masked: bool
) -> Iterator[tuple[list[Example], bool]]:
    for place in range(0, len(examples), CHUNK):
        yield [*examples[place : place + CHUNK]], is_masked


def _data(
    tokenizer: Tokenizer,
    prepared: Dataset,
    dev: list[EvaluationSet],
    test: list[EvaluationSet],
    report: dict[str, Any],
) -> TrainingData:
    dev_pairs = [
        encode_pairs(tokenizer, truecased(map(masked, each.examples), tokenizer)) for each in dev
    ]
    return TrainingData(tokenizer, prepared, dev, test, dev_pairs, report)


def _tokenizer(start: Start, train: list[Example], made: list[Example]) -> Tokenizer:
    """Return the tokenizer of the run, trained or with new words, unless the run has it already.

    Pairs with a synthetic source give subwords, but no word that is known.
    """
    if start.is_resumed and start.tokenizer is not None:
        return start.tokenizer
    if start.tokenizer is None:
        config = start.config.tokenizer
        log.info(f"training the {config.kind} tokenizer")
        pairs = [(pair.source, pair.target) for pair in [*train, *made]]
        sources, targets = zip(*pairs, strict=True)
        return train_tokenizer(config, sources, targets, written=len(train), warn=log.warning)
    log.info(f"training goes on from {start.provenance['start']['folder']}, with its tokenizer")
    log.info("learning new words")
    texts = [pair.source for pair in train], [pair.target for pair in train]
    return replace(
        start.tokenizer,
        truecaser=start.tokenizer.truecaser.extended(Truecaser.learn(*texts)),
        memory=TranslationMemory.learn(*texts).extended(start.tokenizer.memory),
    )


def _with_sources(monolingual: Sequence[Example], sources: Sequence[str]) -> list[Example]:
    """Return the pairs of monolingual text, masked, but for those without a source."""
    pairs = zip(monolingual, map(clean, sources), strict=True)
    return [masked(pair._replace(source=source)) for pair, source in pairs if source]


def _digest(splits: Splits, made: Sequence[Example]) -> str:
    """Return the SHA-256 of what is trained on and measured on, whatever its names."""
    sets = json.dumps([[(each.sources, each.references) for each in sets]
                       for sets in (splits.dev, splits.test)])  # fmt: skip
    texts = "".join(each.sha256 for each in splits.corpora)
    texts += "".join(pair.source for pair in made)
    return hashlib.sha256(f"{texts}{sets}".encode()).hexdigest()


def _tokenizer_digest(tokenizer: Tokenizer) -> str:
    return hashlib.sha256(b"".join(tokenizer.files().values())).hexdigest()


def _check_size(config: Config, tokenizer: Tokenizer) -> None:
    """Raise UserError for a model that is too large to train in this machine's memory.

    Otherwise the system would promise more memory than it has, and later kill the process.
    """
    with torch.device("meta"):  # this device takes no memory
        size = sum(parameter.numel() for parameter in build_model(config, tokenizer).parameters())
    needed_bytes = 5 * 4 * size  # weights, gradients, two moments and an average, in fp32
    if "SC_PHYS_PAGES" in os.sysconf_names:  # not on every system
        there_bytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        if needed_bytes > there_bytes:
            raise UserError(
                f"model: {size:,} parameters take {needed_bytes / 1e9:,.0f} GB to train, and this "
                f"machine has {there_bytes / 1e9:,.0f}; make model.*_size or *_layers smaller"
            )


def _provenance(
    config: Config, splits: Splits, made: Sequence[Example], begun: Mapping[str, Any]
) -> dict[str, Any]:
    before = begun.get("start", {}).get("attribution")
    attributions = dict.fromkeys([*splits.attributions(), *([before] if before else [])])
    back = {"model": config.data.back_translate, "training_pairs": len(made)}
    return {
        "corpora": [
            {"path": settings.path, "name": each.name, "sha256": each.sha256}
            for settings, each in zip(config.data.corpus, splits.corpora, strict=True)
        ],
        "attribution": "; ".join(attributions),
        "training_pairs": len(splits.train),
        "sentences": splits.sentences(),
        **({"back_translation": back} if made else {}),
        "gru_mt": version("gru-mt"),
        "torch": torch.__version__,
        "python": platform.python_version(),
    }
