"""Text in, text out: what `gru-mt translate`, `gru-mt eval` and validation share.

Shapes: N sentences, B sentences of one batch, S source tokens, T target tokens.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, overload

import numpy as np

from gru_mt.data.dataset.ids import IdSequences
from gru_mt.data.dataset.store import Ints
from gru_mt.data.text.glossary import Glossary
from gru_mt.data.text.normalize import words
from gru_mt.data.tokenizer.special import BOS
from gru_mt.data.tokenizer.tokenizer import Tokenizer
from gru_mt.decoding import Decoding, check_number
from gru_mt.errors import UserError, as_path, as_texts, check_type, short_repr
from gru_mt.inference.confidence import FOREIGN, Calibration, features, is_foreign, warnings_of
from gru_mt.inference.constraints import CopyingState, copying
from gru_mt.inference.engines.engine import Engine
from gru_mt.inference.engines.ensemble import Ensemble
from gru_mt.inference.engines.exported import is_export, load_export
from gru_mt.inference.preprocessing.messages import arms, with_arms
from gru_mt.inference.preprocessing.reader import Reader
from gru_mt.inference.preprocessing.sentence import Sentence
from gru_mt.inference.search import Floats, Hypothesis, beam_search
from gru_mt.inference.translation import Candidate, SentenceTranslation, Translation

# Applies a function to the rows of each batch; the results are in the order of the batches.
EachBatch = Callable[
    [Callable[[Ints], list[SentenceTranslation]], list[Ints]], Iterable[list[SentenceTranslation]]
]

BYTES = 4  # of a character, at most; a token has at least one
# The margin of `beam_search` where only the best translation is wanted, in nats: of a source of no
# tokens, for each token, at most. A long sentence loses BLEU with a margin that is enough for short
# ones, and most are short.
MARGIN, MARGIN_PER_TOKEN, WIDEST_MARGIN = 2.0, 1 / 24, 3.0


@dataclass(eq=False)
class Translator:
    """A model and its tokenizer, ready to translate.

    >>> from gru_mt import Translator
    >>> translator = Translator.load("runs/small")
    >>> translator.translate("I see a cat.").text
    'Je vois un chat.'
    >>> greedy = translator.decoding.overridden(beam_size=1)
    >>> [each.text for each in translator.translate(["We want a key.", ""], decoding=greedy)]
    ['Nous veux un clef.', '']

    A process that is forked after a translation, as `multiprocessing` does, can translate too. It
    uses one thread with torch, and threads of its own with an export.
    """

    engine: Engine[Any]
    tokenizer: Tokenizer
    decoding: Decoding  # what `translate` uses if it is given none
    source_language: str = ""  # it decides where sentences end
    target_language: str = ""  # this and the next: see `evaluation.score.resolve_bleu_tokenizer`
    bleu_tokenizer: str = "auto"
    calibration: Calibration | None = None  # without one, translations have no confidence
    each_batch: EachBatch = map  # training on several processes divides the batches

    @classmethod
    def load(cls, path: str | Path, *, device: str = "auto") -> "Translator":
        """Return the translator in the folder of a run, a bundle or an export.

        An export runs on the CPU, whatever `device` is, and does not import torch. Raises UserError
        if there is no translator, or it is damaged.
        """
        path = as_path(path, "path")
        if is_export(path):
            return cls(*load_export(path))
        from gru_mt.bundle import load_bundle
        from gru_mt.inference.engines.torch_engine import TorchEngine
        from gru_mt.model.device import resolve_device

        bundle = load_bundle(path, resolve_device(str(device), field="device"))
        config = bundle.config
        return cls(
            TorchEngine(bundle.model),
            bundle.tokenizer,
            config.decoding,
            source_language=config.data.source,
            target_language=config.data.target,
            bleu_tokenizer=config.evaluation.bleu_tokenizer,
            calibration=Calibration.of_bundle(bundle.provenance),
        )

    @classmethod
    def averaging(cls, paths: Iterable[str | Path], *, device: str = "auto") -> "Translator":
        """Return the translator that averages what the models in these folders expect next.

        It reads and decodes as the first does, and has no confidence. Raises UserError as `load`
        does, if there are no folders, and where two have not the same vocabularies or languages.
        """
        if isinstance(paths, str | Path) or not isinstance(paths, Iterable):
            raise UserError(f"paths must be a list of paths, got {short_repr(paths)}")
        paths = [*paths]
        if not paths:
            raise UserError("paths must name a model, got none")
        first, *others = translators = [cls.load(path, device=device) for path in paths]
        for path, other in zip(paths[1:], others, strict=True):
            same = other.tokenizer.same_vocabularies(first.tokenizer)
            if not same or (other.source_language, other.target_language) != (
                first.source_language,
                first.target_language,
            ):
                raise UserError(
                    f"{path}: another vocabulary or other languages than {paths[0]}; models are "
                    "averaged that one corpus and tokenizer were trained for"
                )
        if not others:
            return first
        engine = Ensemble([each.engine for each in translators], first.tokenizer.target.size)
        return replace(first, engine=engine, calibration=None)

    @overload
    def translate(  # type: ignore[overload-overlap]  # a string is a sequence of strings too
        self,
        sources: str,
        *,
        decoding: Decoding | None = None,
        n_best: int = 1,
        batch_size: int = 256,
        attention: bool = False,
        split: bool = True,
        glossary: Glossary | Mapping[str, str] | None = None,
    ) -> Translation: ...

    @overload
    def translate(
        self,
        sources: Iterable[str],
        *,
        decoding: Decoding | None = None,
        n_best: int = 1,
        batch_size: int = 256,
        attention: bool = False,
        split: bool = True,
        glossary: Glossary | Mapping[str, str] | None = None,
    ) -> list[Translation]: ...

    def translate(
        self,
        sources: str | Iterable[str],
        *,
        decoding: Decoding | None = None,
        n_best: int = 1,
        batch_size: int = 256,
        attention: bool = False,
        split: bool = True,
        glossary: Glossary | Mapping[str, str] | None = None,
    ) -> Translation | list[Translation]:
        """Return the translation of a line, or of each line of a list or a generator, in order.

        A line is cut into its sentences, unless `split` is false. Addresses, code, long numbers,
        emoji and unknown names are copied, and the terms of `glossary`, which may be a dict, become
        their translations; each stands in the translation exactly as often as in the line.

        `decoding` is the translator's own if none is given. Neither the batch size nor the order of
        the sources changes a translation. A blank source gives an empty text. With an `n_best`
        above 1 the search does not prune: it is slower, and may find a better first translation.
        Raises UserError for an argument of another type, if `n_best` or `batch_size` is no whole
        number of at least 1, if `n_best` is larger than the beam, and if there is no attention to
        show.
        """
        decoding = self.decoding if decoding is None else decoding
        check_type(decoding, Decoding, "decoding")
        if glossary is not None and not isinstance(glossary, Glossary):
            glossary = Glossary.of(glossary)
        check_number("n_best", n_best, 1)
        check_number("batch_size", batch_size, 1)
        if n_best > decoding.beam_size:
            raise UserError(
                f"{n_best} translations need a beam of at least {n_best}: {decoding.beam_size}"
            )
        lines = [sources] if isinstance(sources, str) else as_texts(sources, "sources")
        reader = self._reader(decoding, glossary, split)
        sentences_of = [[*reader.sentences(line)] for line in lines]
        sentences = [sentence for each in sentences_of for sentence in each]
        results = self._translate(sentences, decoding, n_best, batch_size, attention)
        # Where the model lost a number, it is copied.
        lost = [
            row
            for row, sentence in enumerate(sentences)
            if results[row].source_tokens
            and not sentence.keeps_numbers(results[row].candidates[0].text)
        ]
        numbered = [sentences[row].with_numbers() for row in lost]
        again = self._translate(numbered, decoding, n_best, batch_size, attention)
        for row, result in zip(lost, again, strict=True):
            is_whole = sentences[row].keeps_numbers(result.candidates[0].text)
            warnings = result.warnings if is_whole else (*result.warnings, "numbers")
            results[row] = replace(result, warnings=warnings)
        found = iter(results)
        translations = [
            Translation(line, [next(found) for _ in each])
            for line, each in zip(lines, sentences_of, strict=True)
        ]
        messages = [(row, texts) for row, line in enumerate(lines) for texts in arms(line)]
        if messages:  # all arms in one call, so that they share batches
            inner = self.translate(
                [arm.text for _, texts in messages for arm in texts],
                decoding=decoding,
                batch_size=batch_size,
                split=split,
                glossary=glossary,
            )
            left = iter(inner)
            for row, texts in messages:
                new = [next(left).text for _ in texts]
                translations[row] = with_arms(translations[row], texts, new)
        return translations[0] if isinstance(sources, str) else translations

    def _reader(self, decoding: Decoding, glossary: Glossary | None, split: bool) -> Reader:
        longest, source = decoding.max_source_tokens, self.tokenizer.source

        def fits(text: str, parts: int) -> bool:
            most = longest // parts
            return BYTES * len(text) <= most or len(source.encode(text)) <= most

        return Reader(self.tokenizer.truecaser, self.source_language, fits, glossary, split)

    def _translate(
        self,
        sentences: Sequence[Sentence],
        decoding: Decoding,
        n_best: int,
        batch_size: int,
        attention: bool,
    ) -> list[SentenceTranslation]:
        """Return the translation of each sentence. `translate` has checked the arguments."""
        longest = decoding.max_source_tokens
        id_lists = self.tokenizer.source.encode_all([each.text for each in sentences])
        encoded = IdSequences(ids[:longest] for ids in id_lists)
        known = [self._known(sentence) for sentence in sentences]
        found = [
            self._without_model(sentence, texts[:n_best], attention)
            for sentence, texts in zip(sentences, known, strict=True)
        ]
        by_length_N = np.argsort(-encoded.length_N, kind="stable")
        asked_N = [row for row in by_length_N if not known[row]]

        def translated(row_B: Ints) -> list[SentenceTranslation]:
            source_BS, length_B = encoded.padded(row_B)
            # The limit depends on the sentence's own length, not on the rest of the batch.
            limit_B = 2 * length_B + 8
            start = self.engine.start(source_BS, length_B)
            beams = beam_search(
                copying(self.engine.step),
                CopyingState.start(start, source_BS, limit_B),
                limit_B,
                decoding,
                margin=_pruning_margin(length_B) if n_best == 1 else math.inf,
            )
            if not all(beams):  # no score is a number
                raise UserError("the model computes no finite numbers: its weights are too large")
            return [
                self._translated(
                    sentences[row], id_lists[row], source_S[:length], beam[:n_best], attention
                )
                for row, source_S, length, beam in zip(
                    row_B, source_BS, length_B, beams, strict=True
                )
            ]

        firsts = range(0, len(asked_N), batch_size)
        batches = [np.array(asked_N[first : first + batch_size]) for first in firsts]
        for row_B, results in zip(batches, self.each_batch(translated, batches), strict=True):
            for row, result in zip(row_B, results, strict=True):
                found[row] = result
        return found

    def _known(self, sentence: Sentence) -> list[str]:
        """Return the translations that need no model; none where it must translate."""
        if sentence.is_copied:
            return [sentence.finished(sentence.text)]
        texts = self.tokenizer.memory.find(sentence.typed)
        return [f"{sentence.before}{text}{sentence.after}" for text in texts]

    def _without_model(
        self, sentence: Sentence, texts: Sequence[str], attention: bool
    ) -> SentenceTranslation:
        """Return `texts` as the translations of a sentence that the model does not read."""
        candidates = [Candidate(text, 0.0, [], [] if attention else None) for text in texts]
        is_foreign = sentence.is_copied and bool(words(sentence.typed))  # nothing else was read
        confidence = None if self.calibration is None else FOREIGN if is_foreign else 1.0
        return SentenceTranslation(
            sentence.source,
            [],
            candidates,
            sentence.gap,
            confidence=confidence,
            warnings=("language",) if is_foreign else (),
        )

    def _translated(
        self,
        sentence: Sentence,
        ids: list[int],
        source_S: Ints,
        beam: list[Hypothesis],
        attention: bool,
    ) -> SentenceTranslation:
        """Return what was found for a sentence of `ids`; the engine read source_S of them."""
        target, truecaser = self.tokenizer.target, self.tokenizer.truecaser
        texts = [target.decode(hypothesis.ids) for hypothesis in beam]  # masked
        candidates = [
            Candidate(
                sentence.finished(text),
                hypothesis.score,
                sentence.shown(target.pieces(hypothesis.ids)),
                self._align(source_S, hypothesis.ids) if attention else None,
            )
            for text, hypothesis in zip(texts, beam, strict=True)
        ]
        pieces = self.tokenizer.source.pieces(ids[: len(source_S) - 1])
        seen = features(sentence.text, len(source_S), beam[0], truecaser)
        confidence = self.calibration.confidence(seen) if self.calibration else None
        if confidence is not None and (sentence.is_part or is_foreign(sentence, truecaser)):
            confidence = min(confidence, FOREIGN)
        warnings = warnings_of(sentence, pieces, texts[0], beam[0], confidence, truecaser)
        return SentenceTranslation(
            sentence.source,
            sentence.shown(pieces),
            candidates,
            sentence.gap,
            features=tuple(seen),
            confidence=confidence,
            warnings=warnings,
        )

    def _align(self, source_S: Ints, ids: list[int]) -> list[list[float]]:
        """Return the attention of each token and of <eos> over source_S, as a batch of one."""
        length_B = np.array([len(source_S)])
        (weight_TS,) = self.engine.align(source_S[None], length_B, np.array([[BOS, *ids]]))
        weights: list[list[float]] = weight_TS.tolist()
        return weights


def _pruning_margin(length_B: Ints) -> Floats:
    """Return the margin for sources of these lengths."""
    margin_B: Floats = np.minimum(MARGIN + MARGIN_PER_TOKEN * length_B, WIDEST_MARGIN)
    return margin_B
