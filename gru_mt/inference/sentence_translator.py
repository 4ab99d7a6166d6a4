"""Translates sentences: batches of them go through an engine, the search and back to text.

Shapes: N sentences, B sentences of one batch, S source tokens, T target tokens.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain, islice
from typing import Any

import numpy as np

from gru_mt.config.decoding import Decoding, check_number
from gru_mt.data.dataset.ids import IdSequences
from gru_mt.data.dataset.store import Ints
from gru_mt.data.text.normalize import words
from gru_mt.data.text.terms.glossary import Glossary
from gru_mt.data.tokenizer.special import BOS
from gru_mt.data.tokenizer.tokenizer import Tokenizer
from gru_mt.errors import UserError, check_type
from gru_mt.inference.confidence import FOREIGN, Calibration, features, is_foreign, warnings_of
from gru_mt.inference.constraints import ConstrainedState, constrained
from gru_mt.inference.engines.engine import Engine
from gru_mt.inference.preprocessing.clauses import (
    clauses_of,
    joined,
    marks_between,
    quotations_of,
    with_quotations,
)
from gru_mt.inference.preprocessing.sentence import Sentence
from gru_mt.inference.search import Hypothesis, beam_search
from gru_mt.inference.translation import Candidate, SentenceTranslation

# Applies a function to the rows of each batch; the results are in the order of the batches.
MapBatches = Callable[
    [Callable[[Ints], list[SentenceTranslation]], list[Ints]], Iterable[list[SentenceTranslation]]
]

# The margin of `beam_search` where only the best translation is wanted, in nats: of a source of no
# tokens, for each token, at most. A long sentence loses BLEU with a margin that is enough for short
# ones, and most are short.
MARGIN, MARGIN_PER_TOKEN, WIDEST_MARGIN = 2.0, 1 / 24, 3.0
LEAST_IN_THREAD, MOST_IN_THREAD = 8, 64  # sentences of a batch, where several threads compute


@dataclass(frozen=True, slots=True)
class Options:
    """What a call of `Translator.translate` asks for; raises UserError where that cannot be."""

    decoding: Decoding
    n_best: int
    batch_size: int  # sentences that are translated together
    attention: bool
    split: bool  # whether a line is split into its sentences
    glossary: Glossary | None

    def __post_init__(self) -> None:
        check_number("n_best", self.n_best, 1)
        check_number("batch_size", self.batch_size, 1)
        check_type(self.attention, bool, "attention")
        check_type(self.split, bool, "split")
        count, beam = self.n_best, self.decoding.beam_size
        if count > beam:
            raise UserError(f"{count} translations need a beam of at least {count}: {beam}")


@dataclass(frozen=True, slots=True)
class SentenceTranslator:
    """Translates sentences as `options` say."""

    engine: Engine[Any]
    tokenizer: Tokenizer
    calibration: Calibration | None  # without one, translations have no confidence
    map_batches: MapBatches
    options: Options
    threads: int  # that may each compute a batch at the same time

    def translate(self, sentences: Sequence[Sentence]) -> list[SentenceTranslation]:
        """Return the translation of each sentence.

        Where it lost a number or a mark within the sentence, these are copied; the clauses between
        such marks, and several quotations, are translated one by one, but for `n_best` and
        attention.
        """
        results = self._search(sentences)
        lost = [
            row
            for row, (sentence, result) in enumerate(zip(sentences, results, strict=True))
            if result.source_tokens and not sentence.keeps_all(result.candidates[0].text)
        ]
        again = [sentences[row].with_numbers(marks=True) for row in lost]
        is_whole = self.options.n_best > 1 or self.options.attention
        again = again if is_whole else self._quoted(again)
        clauses = [[sentence] if is_whole else clauses_of(sentence) for sentence in again]
        found = iter(self._search([*chain.from_iterable(clauses)]))
        for row, sentence, parts in zip(lost, again, clauses, strict=True):
            result = self._joined(sentence, [*islice(found, len(parts))])
            keeps_numbers = sentences[row].keeps_numbers(result.candidates[0].text)
            warnings = result.warnings if keeps_numbers else (*result.warnings, "numbers")
            results[row] = replace(result, warnings=warnings)
        return results

    def _quoted(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        """Return the sentences with translations of their quotations, if they have several."""
        inside = [quotations_of(sentence) for sentence in sentences]
        texts = (each.candidates[0].text for each in self._search([*chain.from_iterable(inside)]))
        return [
            with_quotations(sentence, [*islice(texts, len(quotations))])
            for sentence, quotations in zip(sentences, inside, strict=True)
        ]

    def _joined(
        self, sentence: Sentence, results: Sequence[SentenceTranslation]
    ) -> SentenceTranslation:
        """Return the translation of a sentence from those of its clauses."""
        if len(results) == 1:
            return results[0]
        best = [result.candidates[0] for result in results]
        text = joined(sentence, [candidate.text for candidate in best])
        marks = [mark[0] for mark in marks_between(sentence)]
        source_tokens = _between([result.source_tokens for result in results], marks)
        tokens = _between([candidate.tokens for candidate in best], marks)
        score = min(candidate.score for candidate in best)
        sure = [result.confidence for result in results if result.confidence is not None]
        finished = sentence.finished(text, self.tokenizer.memory.names)
        return replace(
            results[0],
            source=sentence.source,
            source_tokens=sentence.shown(source_tokens),
            candidates=[Candidate(finished, score, sentence.shown(tokens), None)],
            confidence=min(sure, default=None),
            warnings=(*dict.fromkeys(chain.from_iterable(one.warnings for one in results)),),
        )

    def _search(self, sentences: Sequence[Sentence]) -> list[SentenceTranslation]:
        id_lists = self.tokenizer.source.encode_all([sentence.text for sentence in sentences])
        most = self.options.decoding.max_source_tokens
        encoded = IdSequences.of(ids[:most] for ids in id_lists)

        def translated(row_B: Ints) -> list[SentenceTranslation]:
            source_BS, length_B = encoded.padded(row_B)
            beams = self._beams(source_BS, length_B)
            return [
                self._translated(sentences[row], id_lists[row], source_S[:length], beam)
                for row, source_S, length, beam in zip(
                    row_B, source_BS, length_B, beams, strict=True
                )
            ]

        known = map(self._known, sentences)
        found = {row: result for row, result in enumerate(known) if result is not None}
        by_length_N = np.argsort(-encoded.length_N, kind="stable")
        unknown_N = [row for row in by_length_N if row not in found]
        size = self._batch_size(len(unknown_N))
        batches = [np.array(unknown_N[i : i + size]) for i in range(0, len(unknown_N), size)]
        with _in_threads(translated, batches, self.threads) as function:
            for row_B, results in zip(batches, self.map_batches(function, batches), strict=True):
                found.update(zip(row_B, results, strict=True))
        return [found[row] for row in range(len(sentences))]

    def _batch_size(self, sentences: int) -> int:
        """Return how many of so many sentences a batch has, for all threads to end together."""
        if self.threads == 1:
            return self.options.batch_size
        share = max(-(-sentences // (2 * self.threads)), LEAST_IN_THREAD)
        return min(share, self.options.batch_size, MOST_IN_THREAD)

    def _beams(self, source_BS: Ints, length_B: Ints) -> list[list[Hypothesis]]:
        # Limit and margin depend on the sentence's own length, not on the rest of the batch.
        limit_B = 2 * length_B + 8
        margin_B = np.minimum(MARGIN + MARGIN_PER_TOKEN * length_B, WIDEST_MARGIN)
        start = ConstrainedState.start(self.engine.start(source_BS, length_B), source_BS, limit_B)
        margin = margin_B if self.options.n_best == 1 else math.inf
        step, decoding = constrained(self.engine.step), self.options.decoding
        beams = beam_search(step, start, limit_B, decoding, margin)
        if not all(beams):  # no score is a number
            raise UserError("the model computes no finite numbers: its weights are too large")
        return [beam[: self.options.n_best] for beam in beams]

    def _known(self, sentence: Sentence) -> SentenceTranslation | None:
        """Return the translations that need no model; None where it must translate."""
        is_corrected = sentence.correction is not None
        is_all_foreign = not is_corrected and sentence.is_copied and bool(words(sentence.typed))
        if sentence.correction is not None:
            texts = [sentence.correction]
        elif sentence.is_copied:
            texts = [sentence.finished(sentence.text)]
        else:
            known = self.tokenizer.memory.find(sentence.typed)[: self.options.n_best]
            texts = [f"{sentence.before}{text}{sentence.after}" for text in known]
        if not texts:
            return None
        attention: list[list[float]] | None = [] if self.options.attention else None
        confidence = None if self.calibration is None else FOREIGN if is_all_foreign else 1.0
        return SentenceTranslation(
            sentence.source,
            [],
            [Candidate(text, 0.0, [], attention) for text in texts],
            sentence.gap,
            confidence=confidence,
            warnings=("language",) if is_all_foreign else (),
            is_corrected=is_corrected,
        )

    def _translated(
        self, sentence: Sentence, ids: list[int], source_S: Ints, beam: list[Hypothesis]
    ) -> SentenceTranslation:
        """Return what was found for a sentence of `ids`; the engine read source_S of them."""
        target, truecaser = self.tokenizer.target, self.tokenizer.truecaser
        texts = [target.decode(hypothesis.ids) for hypothesis in beam]  # with placeholders
        candidates = [
            Candidate(
                sentence.finished(text, self.tokenizer.memory.names),
                hypothesis.score,
                sentence.shown(target.pieces(hypothesis.ids)),
                self._align(source_S, hypothesis.ids) if self.options.attention else None,
            )
            for text, hypothesis in zip(texts, beam, strict=True)
        ]
        pieces = self.tokenizer.source.pieces(ids[: len(source_S) - 1])
        seen = features(sentence.text, len(source_S), beam[0], truecaser)
        confidence = self.calibration.confidence(seen) if self.calibration else None
        if confidence is not None and (sentence.is_part or is_foreign(sentence, truecaser)):
            confidence = min(confidence, FOREIGN)
        return SentenceTranslation(
            sentence.source,
            sentence.shown(pieces),
            candidates,
            sentence.gap,
            features=tuple(seen),
            confidence=confidence,
            warnings=warnings_of(sentence, pieces, texts[0], beam[0], confidence, truecaser),
        )

    def _align(self, source_S: Ints, ids: list[int]) -> list[list[float]]:
        """Return the attention of each token and of <eos> over source_S, as a batch of one."""
        state = self.engine.start(source_S[None], np.array([len(source_S)]))
        coverage_TS = [[0.0] * len(source_S)]
        for id_ in (BOS, *ids):
            _, _, state = self.engine.step(np.array([id_]), state, 1)
            if (coverage_S := state.coverage(0)) is None:
                raise UserError("this model has no attention to show (model.attention: none)")
            coverage_TS.append(coverage_S)
        weights: list[list[float]] = np.diff(coverage_TS, axis=0).tolist()
        return weights


def _between(lists: Sequence[list[str]], marks: Sequence[str]) -> list[str]:
    """Return the tokens of clauses as those of the sentence, with the marks between them."""
    return [
        *lists[0],
        *chain.from_iterable([m, *one] for m, one in zip(marks, lists[1:], strict=True)),
    ]


@contextmanager
def _in_threads(
    function: Callable[[Ints], list[SentenceTranslation]], batches: list[Ints], threads: int
) -> Iterator[Callable[[Ints], list[SentenceTranslation]]]:
    """Yield `function` for each of `batches`: threads compute the results before it is called."""
    if min(threads, len(batches)) < 2:
        yield function
        return
    from concurrent.futures import ThreadPoolExecutor  # which is slow to import

    with ThreadPoolExecutor(threads) as pool:
        computed = {row_B[0]: pool.submit(function, row_B) for row_B in batches}
        try:
            yield lambda row_B: computed[row_B[0]].result()
        finally:
            pool.shutdown(cancel_futures=True)
