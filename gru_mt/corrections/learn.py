"""Corrections that stick: a run's model is trained on them, and replaced where it got better.

Beside the corrections it is trained on old pairs, so that it forgets little. What it lost all the
same, weights between the old ones and the new ones mostly have (Wortsman et al. 2022, arXiv
2109.01903): those nearest to the old ones are taken that still produce the corrections.

Shapes: N pairs, M of them.
"""

import copy
import json
import os
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import compress
from operator import not_
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

from gru_mt.bundle import Bundle, load_bundle, named_tensors, save_bundle
from gru_mt.config.load import load_config
from gru_mt.config.schema import Config
from gru_mt.corrections.store import Correction, read_corrections
from gru_mt.data.dataset.components import key
from gru_mt.data.dataset.dataset import Dataset
from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.data.text.normalize import clean
from gru_mt.data.text.placeholders import mask_pair
from gru_mt.data.text.sentences import split_sentences
from gru_mt.data.text.truecase import Truecaser
from gru_mt.data.tokenizer.special import PLACEHOLDER
from gru_mt.data.tokenizer.tokenizer import Tokenizer
from gru_mt.errors import Interrupted, UserError, short_text
from gru_mt.evaluation.evaluate import choose_bleu_tokenizer, find_sets
from gru_mt.evaluation.hypotheses import model_digest
from gru_mt.evaluation.score import corpus_bleu
from gru_mt.inference.translator import Translator
from gru_mt.model.fast.waiting import while_computing
from gru_mt.model.seq2seq import Seq2Seq
from gru_mt.run import Run
from gru_mt.storage import replacing_folder, write_checksummed_json
from gru_mt.training.distributed import Group
from gru_mt.training.output.lock import locked
from gru_mt.training.train import train_run
from gru_mt.training.validation import calibrate

Pairs = Sequence[tuple[str, str]]
_CPU = torch.device("cpu")
COPIES = 40  # of each correction, that are trained on; of few more, up to MOST_COPIES
LEAST_CORRECTED, MOST_COPIES = 4_000, 1_000  # copies of all corrections, and of each
OLD_PAIRS = 12_000  # of the run's training split, beside them
SHARES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0)  # of the new weights: the first that produces enough
LEAST_PRODUCED = 0.9  # of the corrections, by the model with its memory of short texts
MOST_LOST = 0.3  # BLEU on dev
# Adam would move the embeddings of rare words as far as those of the words that are learned.
_TRAINING = {
    "minutes": None, "max_epochs": 1, "max_steps": None, "validate_steps": None, "patience": None,
    "learning_rate": 3e-4, "embedding_rate": 0.01, "schedule": "linear", "warmup_steps": "auto",
    "final_learning_rate": 0.0, "averaging": 0.99, "tensorboard": False,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Measured:
    """What a model makes of dev and of corrections, without the run's memory of corrections."""

    dev_bleu: float  # against all references; 0 without a dev set
    texts: list[str]  # of the corrections' sources
    produced: list[bool]  # whether they are the corrections


@dataclass(frozen=True, slots=True)
class Learned:
    """What became of the corrections of a run."""

    corrections: int
    kept_out: int  # of them, which share a sentence with dev or test: scores stay honest
    before: Measured
    after: Measured
    is_replaced: bool  # whether the run has the new model
    reason: str  # why it has not

    def __str__(self) -> str:
        before, after = self.before, self.after
        there = [f"{sum(each.produced):,}" for each in (before, after)]
        lines = [
            f"corrections: {self.corrections:,}, of which dev or test have {self.kept_out:,}",
            f"produced by the model: {there[0]} before, {there[1]} after",
            f"BLEU on dev: {before.dev_bleu:.2f} before, {after.dev_bleu:.2f} after",
            "the run has the new model" if self.is_replaced else f"nothing changed: {self.reason}",
        ]
        return "\n".join(lines)


def learn(folder: Path, *, say: Callable[[str], None]) -> Learned:
    """Train a run's model on the run's corrections, and put the new one in its place if it is good.

    It is if it produces LEAST_PRODUCED of them by itself, and BLEU on dev falls by less than
    MOST_LOST. The model before stays in model-before until the next time. Else nothing of the run
    changes. Raises UserError where there is no run, no correction, or another training in it.
    """
    run = Run(folder)
    if not (run.config.is_file() and run.bundle.is_dir()):
        raise UserError(f"{short_text(folder)}: holds no run with a translator")
    corrections = read_corrections(folder)
    if not corrections:
        raise UserError(f"{short_text(folder)}: has no corrections; gru-mt correct adds them")
    with (
        locked(run),
        TemporaryDirectory(
            dir=run.folder.resolve(), prefix=".learning.", suffix=f".{os.getpid()}.part"
        ) as name,  # which the next start removes, if this one is killed
    ):
        scratch = Path(name)
        dev, test = (find_sets(run.folder, split) or [] for split in ("dev", "test"))
        wanted = _kept_in(corrections, [*dev, *test], load_config(run.config))
        say("translating dev and what was corrected")
        before = found = _measured(run.folder, dev, wanted)
        missing = [*compress(wanted, map(not_, before.produced))]
        reason = "nothing is left to learn"
        say(f"to learn: {len(missing):,} of {len(corrections):,} corrections")
        if missing:
            known = [*compress(wanted, before.produced)]
            candidate = _candidate(run, missing, known, dev, scratch)
            found = _measured(scratch / "model", dev, wanted)
            reason = _verdict(before, found)
        if not reason:
            with replacing_folder(run.bundle_before) as kept:
                shutil.copytree(run.bundle, kept, dirs_exist_ok=True)
            _save(candidate, run.bundle)
        kept_out = len(corrections) - len(wanted)
        learned = Learned(len(corrections), kept_out, before, found, not reason, reason)
        sources, texts = [one.source for one in wanted], (before if reason else found).texts
        values = {"texts": dict(zip(sources, texts, strict=True)), "learned": asdict(learned)}
        write_checksummed_json(run.learned, {"model": model_digest(run)} | values)
    return learned


def _candidate(
    run: Run,
    missing: Sequence[Correction],
    known: Sequence[Correction],
    dev: Sequence[EvaluationSet],
    scratch: Path,
) -> Bundle:
    """Return a translator that was trained on `missing`; it is in scratch / "model", too.

    Its weights are the nearest to the old that produce LEAST_PRODUCED of `missing`; else the new.
    """
    old, config = load_bundle(run.folder, _CPU), load_config(run.config)
    pairs = [pair for one in missing for pair in _sentence_pairs(one, old.config)]
    kept = [(one.source, one.target) for one in known]
    kept += old_pairs(Dataset(run.data), config, old.tokenizer)
    new = _trained(run, config, pairs, kept, scratch)
    masked = [mask_pair(*pair) for pair in pairs]
    sources, targets = zip(*masked, strict=True)
    tokenizer = replace(
        old.tokenizer,
        truecaser=old.tokenizer.truecaser.extended(Truecaser.learn(sources, targets)),
        memory=old.tokenizer.memory.corrected(masked),
    )
    provenance = {**old.provenance, "learned_corrections": len(pairs)}
    provenance["weights"] = {"step": new.provenance["weights"]["step"]}
    for share in SHARES:
        model = _between(old.model, new.model, share)
        candidate = Bundle(model, tokenizer, old.config, provenance)
        _save(candidate, scratch / "model")
        produced = _measured(scratch / "model", [], missing).produced
        if sum(produced) >= LEAST_PRODUCED * len(missing):
            break
    if calibration := calibrate(model, tokenizer, dev, old.config, Group()):
        provenance["weights"]["calibration"] = calibration
    return candidate


def _verdict(before: Measured, after: Measured) -> str:
    """Return why a model is not to be taken; "" if it is."""
    produced, wanted = sum(after.produced), len(after.produced)
    if produced < LEAST_PRODUCED * wanted:
        return f"it produces {produced:,} of {wanted:,} corrections, less than 90 %"
    if after.dev_bleu <= before.dev_bleu - MOST_LOST:
        return f"BLEU on dev falls from {before.dev_bleu:.2f} to {after.dev_bleu:.2f}"
    if produced <= sum(before.produced):
        return f"it produces {produced:,} corrections, no more than before"
    return ""


def _kept_in(
    corrections: Sequence[Correction], sets: Sequence[EvaluationSet], config: Config
) -> list[Correction]:
    """Return the corrections that share no sentence with a set, on its side."""
    sources = {key(source) for one in sets for source in one.sources}
    targets = {key(text) for one in sets for texts in one.references for text in texts}
    return [
        one
        for one in corrections
        if not any(
            key(source) in sources or key(target) in targets
            for source, target in [(one.source, one.target), *_sentence_pairs(one, config)]
        )
    ]


def _measured(model: Path, dev: Sequence[EvaluationSet], wanted: Sequence[Correction]) -> Measured:
    translator = replace(Translator.load(model), corrections=None)
    bleu = 0.0
    with while_computing(translator.engine.device_type):
        texts = [each.text for each in translator.translate([one.source for one in wanted])]
        for one in dev[:1]:
            found = [each.text for each in translator.translate(one.sources)]
            tokenizer = choose_bleu_tokenizer(translator, dev)
            bleu = corpus_bleu(found, one.references, tokenizer=tokenizer)
    pairs = zip(texts, wanted, strict=True)
    return Measured(bleu, texts, [clean(text) == clean(one.target) for text, one in pairs])


def _sentence_pairs(one: Correction, config: Config) -> list[tuple[str, str]]:
    """Return a correction's sentences with theirs, where it has as many; else the whole."""
    source, target = clean(one.source), clean(one.target)
    sources = [text.strip() for text in split_sentences(source, config.data.source)]
    targets = [text.strip() for text in split_sentences(target, config.data.target)]
    is_same = len(sources) == len(targets)
    return [*zip(sources, targets, strict=True)] if is_same else [(source, target)]


def _trained(run: Run, before: Config, pairs: Pairs, kept: Pairs, scratch: Path) -> Bundle:
    """Return a translator after training on pairs, beside `kept` ones; `before` is the run's."""
    corpora, sides = [], (before.data.source, before.data.target)
    copies = max(COPIES, min(LEAST_CORRECTED // len(pairs), MOST_COPIES))
    for name, weight, some in (("corrections", copies, pairs), ("kept", 1, kept)):
        lines = (json.dumps(dict(zip(sides, pair, strict=True))) for pair in some)
        path = scratch / f"{name}.jsonl"
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        corpora.append({"path": str(path), "weight": weight, "part": "train"})
    values: dict[str, Any] = before.model_dump(exclude={"model", "tokenizer"})
    values["data"] |= {"corpus": corpora, "allow_dropped": 1}
    values["data"] |= {"dev": [], "test": [], "back_translate": None, "teachers": []}
    if before.data.augment:
        values["data"]["augment"] = {"join": 0.02, "names": 0.1, "words": False}
    values["training"] |= {"start": str(run.folder), **_TRAINING}
    values["tokenizer"] = {"sampling": 0.0}  # each copy is read as in translating
    try:
        train_run(load_config(values), Run(scratch / "run"))
    except Interrupted as stopped:
        raise Interrupted(stopped.signal, "stopped; nothing changed") from None
    return load_bundle(scratch / "run", _CPU)


def old_pairs(data: Dataset, config: Config, tokenizer: Tokenizer) -> list[tuple[str, str]]:
    """Return pairs of the training split that people wrote, drawn at random."""
    written = [corpus.side is None for corpus in config.data.corpus]
    written += [False for _ in config.data.teachers]
    row_N = np.flatnonzero(np.array(written)[data.line_N["corpus"]])
    drawn = random.Random(0).sample(range(len(row_N)), min(len(row_N), OLD_PAIRS))
    pairs = data.select(row_N[np.sort(drawn)])
    sides = [
        [
            vocabulary.decode(ids.ids[start : start + length - 1].tolist())
            for start, length in zip(ids.start_N, ids.length_N, strict=True)
        ]
        for vocabulary, ids in ((tokenizer.source, pairs.source), (tokenizer.target, pairs.target))
    ]
    return [pair for pair in zip(*sides, strict=True) if not PLACEHOLDER.search("".join(pair))]


def _between(old: Seq2Seq, new: Seq2Seq, share: float) -> Seq2Seq:
    """Return a model with a share of the new weights, the rest of them old."""
    model = copy.deepcopy(new)
    with torch.no_grad():
        for name, weight in named_tensors(model).items():
            weight.lerp_(named_tensors(old)[name], 1 - share)
    return model


def _save(bundle: Bundle, folder: Path) -> None:
    provenance = dict(bundle.provenance)
    save_bundle(folder, replace(bundle, provenance=provenance), provenance.pop("weights"))
