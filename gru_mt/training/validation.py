"""How well a model translates the dev split.

Shapes: B batch, N translations.
"""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from gru_mt.config.schema import Config
from gru_mt.data.batching import make_batch, plan_batches
from gru_mt.data.dataset.ids import EncodedPairs
from gru_mt.data.dataset.store import Ints
from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.data.prepare import TrainingData
from gru_mt.data.tokenizer.tokenizer import Tokenizer
from gru_mt.evaluation.bleu_tokenizer import resolve_bleu_tokenizer
from gru_mt.evaluation.calibration import RIGHT_CHRF
from gru_mt.evaluation.score import corpus_bleu, sentence_chrf
from gru_mt.inference.confidence import fitted
from gru_mt.inference.engines.torch_engine import TorchEngine
from gru_mt.inference.translator import Translator
from gru_mt.model.loss import forced_loss
from gru_mt.model.seq2seq import Seq2Seq
from gru_mt.training.distributed import Group
from gru_mt.training.optim.lr_schedule import LARGEST_BATCH
from gru_mt.training.state import TrainState

NOISE = 0.5  # BLEU; a smaller difference on a thousand sentences is chance
LEAST_SENTENCES = 30  # right ones and wrong ones, from which on a confidence can be fitted
LEAST_BLEU = 1.0  # less tells nothing: training has just begun, or BLEU counts the wrong words


@dataclass(frozen=True, slots=True)
class Validation:
    """The scores of a model on dev."""

    bleu: float  # greedy, against all references
    loss: float  # cross-entropy under teacher forcing, unsmoothed, in nats a target token
    others: tuple[tuple[str, "Validation"], ...] = ()  # names and scores of further sets of dev
    samples: tuple[str, ...] = ()  # lines about a few sentences; see `sample_rows`

    def __str__(self) -> str:
        others = "".join(f"; {name} BLEU {found.bleu:.2f}" for name, found in self.others)
        return (
            f"dev loss {self.loss:.3f}, perplexity {perplexity(self.loss):.2f}, "
            f"BLEU {self.bleu:.2f} (greedy, all references){others}"
        )

    def to_json(self) -> dict[str, Any]:
        """Return the figures by the names that they have in metrics."""
        figures: dict[str, Any] = {
            "dev_bleu": self.bleu,
            "dev_loss": self.loss,
            "dev_perplexity": perplexity(self.loss),
        }
        others = {name: found.to_json() for name, found in self.others}
        return figures | ({"dev_others": others} if others else {})

    def judge(self, state: TrainState) -> tuple[TrainState, bool]:
        """Return the state with this validation in it, and whether its weights may be kept.

        They may unless they are clearly worse than the best before: of two that differ only by
        noise, the later had the lower learning rate. While BLEU tells nothing, the loss decides.
        """
        is_best = kept = state.best_loss is None or self.loss < state.best_loss
        if max(self.bleu, state.best_bleu) >= LEAST_BLEU:
            is_best, kept = self.bleu > state.best_bleu, self.bleu > state.best_bleu - NOISE
        after = replace(
            state,
            best_bleu=max(self.bleu, state.best_bleu),
            best_loss=min(self.loss, self.loss if state.best_loss is None else state.best_loss),
            bad_validations=0 if is_best else state.bad_validations + 1,
        )
        return after, kept


def measure(model: Seq2Seq, data: TrainingData, config: Config, group: Group) -> Validation:
    """Return the scores on the first dev set, with those on further ones as `others`.

    The processes of `group` share the batches, and all return the same. Where a perplexity is not
    finite, nothing is translated.
    """
    greedy = config.decoding.overridden(beam_size=1)
    translator = Translator(TorchEngine(model), data.tokenizer, greedy, map_batches=group.map)

    def measure_set(dev: EvaluationSet, pairs: EncodedPairs) -> Validation:
        loss = mean_loss(model, pairs, group)
        if not math.isfinite(perplexity(loss)):
            return Validation(0.0, loss)
        texts = [translation.text for translation in translator.translate(dev.sources)]
        samples = (
            f"  {name:<13}{text}"
            for row in sample_rows(dev.sources)
            for name, text in (
                ("source", dev.sources[row]),
                ("reference", dev.references[row][0]),
                ("translation", texts[row]),
            )
        )
        tokenizer = resolve_bleu_tokenizer(
            config.data.target, config.evaluation.bleu_tokenizer, dev.references
        )
        bleu = corpus_bleu(texts, dev.references, tokenizer=tokenizer)
        return Validation(bleu, loss, samples=tuple(samples))

    first, *others = map(measure_set, data.dev, data.dev_pairs)
    names = [dev.name for dev in data.dev[1:]]
    return replace(first, others=tuple(zip(names, others, strict=True)))


def sample_rows(sources: Sequence[str]) -> list[int]:
    """Return the rows in the middle of each third of the sentences by length; of two, both."""
    by_length = sorted(range(len(sources)), key=lambda row: (len(sources[row]), row))
    return [*dict.fromkeys(by_length[len(sources) * sixth // 6] for sixth in (1, 3, 5))]


def calibrate(
    model: Seq2Seq,
    tokenizer: Tokenizer,
    dev: Sequence[EvaluationSet],
    config: Config,
    group: Group,
) -> list[float] | None:
    """Return the weights of the confidence that the first of `dev` gives.

    None where it is too small to tell.
    """
    if not dev:
        return None
    engine, references_of = TorchEngine(model), dev[0].references
    translator = Translator(engine, tokenizer, config.decoding, map_batches=group.map)
    translations = translator.translate(dev[0].sources, split=False)
    rows = [
        (sentence.features, sentence.candidates[0].text, references)
        for translation, references in zip(translations, references_of, strict=True)
        for sentence in translation.sentences
        if sentence.features and "split" not in sentence.warnings  # a part has no reference
    ]
    if len(rows) < 2 * LEAST_SENTENCES:
        return None
    features, texts, references = zip(*rows, strict=True)
    right_N = np.array(sentence_chrf(texts, references)) >= RIGHT_CHRF
    if min(right_N.sum(), (~right_N).sum()) < LEAST_SENTENCES:
        return None
    return [*fitted(np.array(features), right_N.astype(float)).weights]


def perplexity(loss: float) -> float:
    """Return the exponential of a loss in nats a token; infinity where float64 overflows."""
    return math.exp(loss) if loss < math.log(sys.float_info.max) else math.inf


@torch.no_grad()
def mean_loss(model: Seq2Seq, pairs: EncodedPairs, group: Group) -> float:
    """Return the cross-entropy under teacher forcing, unsmoothed, in nats a target token."""
    device = next(model.parameters()).device

    def loss_of(row_B: Ints) -> float:
        return forced_loss(model, make_batch(pairs, row_B).to(device)).item()

    plan = plan_batches(pairs, batch_tokens=LARGEST_BATCH, seed=0, epoch=0)
    return sum(group.map(loss_of, plan)) / int(pairs.target.length_N.sum())
