"""From a configuration to what the training loop reads."""

import hashlib
import platform
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from gru_mt.config import Config
from gru_mt.config_file import dump_config
from gru_mt.data.corpus import Corpus, load_corpus
from gru_mt.data.encoding import EncodedPairs, encode_pairs
from gru_mt.data.split import EvaluationSet, Example, Split, split_corpus
from gru_mt.data.tokenizer import Tokenizer, train_tokenizer
from gru_mt.errors import UserError
from gru_mt.storage import CONFIG, json_bytes, signed, write_file
from gru_mt.training.checkpoint import has_checkpoint
from gru_mt.training.journal import Journal


@dataclass(frozen=True, slots=True)
class TrainingData:
    """The three parts of a corpus, the tokenizer of its training part, and where it comes from."""

    tokenizer: Tokenizer
    train: list[Example]
    dev: EvaluationSet
    test: EvaluationSet
    dev_pairs: EncodedPairs
    fingerprints: dict[str, str]  # SHA-256 of what a checkpoint belongs to
    provenance: dict[str, Any]
    corpus_report: dict[str, Any]


def prepare(config: Config, folder: Path, journal: Journal) -> TrainingData:
    """Read and split the corpus, train the tokenizer or load the run's own, and say what came out.

    Nothing is written: `keep` does it, when nothing is left to refuse.
    """
    corpus = load_corpus(config.data)
    split = split_corpus(corpus, config.data)
    for line in [*corpus.report.lines(), split.summary()]:
        journal.say(line)
    for warning in corpus.warnings:
        journal.warn(warning)
    if corpus.attribution:
        journal.say(corpus.attribution)
    if not split.train:
        raise UserError(f"data.corpus: no pair is left to train on: {split.summary()}")
    if not split.dev:
        journal.warn("the corpus is too small for a dev part: the last weights will be kept")
    tokenizer = _tokenizer(config, split, folder, journal)
    report = {"corpus": config.data.model_dump()["corpus"], "sha256": corpus.sha256}
    return TrainingData(
        tokenizer,
        split.train,
        EvaluationSet.from_examples(split.dev),
        EvaluationSet.from_examples(split.test),
        encode_pairs(tokenizer, split.dev),
        {
            "corpus": corpus.sha256,
            "tokenizer": hashlib.sha256(b"".join(tokenizer.files().values())).hexdigest(),
        },
        _provenance(report, corpus, split),
        report | asdict(corpus.report),
    )


def keep(config: Config, data: TrainingData, folder: Path) -> None:
    """Write what a run keeps: its configuration, tokenizer, corpus report, dev and test.

    Only what is not there already is written.
    """
    attribution = data.provenance["attribution"]
    files = {
        CONFIG: dump_config(config).encode(),
        "corpus.json": json_bytes(data.corpus_report),
        "dev.json": json_bytes(signed(asdict(data.dev))),
        "test.json": json_bytes(signed(asdict(data.test))),
        **({"attribution.txt": f"{attribution}\n".encode()} if attribution else {}),
        **data.tokenizer.files(),
    }
    for name in Tokenizer.ALL_FILES:
        if name not in files:
            (folder / name).unlink(missing_ok=True)
    for name, content in files.items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != content:
            write_file(path, content)


def _tokenizer(config: Config, split: Split, folder: Path, journal: Journal) -> Tokenizer:
    if has_checkpoint(folder):
        return Tokenizer.load(folder)
    journal.say(f"training the {config.tokenizer.kind} tokenizer")
    sources, targets = zip(*((each.source, each.target) for each in split.train), strict=True)
    return train_tokenizer(config.tokenizer, sources, targets, warn=journal.warn)


def _provenance(report: dict[str, Any], corpus: Corpus, split: Split) -> dict[str, Any]:
    return {
        **report,
        "attribution": corpus.attribution,
        "pairs": {"train": len(split.train), "dev": len(split.dev), "test": len(split.test)},
        "gru_mt": version("gru-mt"),
        "torch": torch.__version__,
        "python": platform.python_version(),
    }
