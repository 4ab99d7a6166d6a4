"""Text in, text out: what `gru-mt translate`, `gru-mt eval` and validation share.

Shapes: N sentences, B sentences of one batch.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from typing import Any, overload

import numpy as np

from gru_mt.data.encoding import IdSequences
from gru_mt.data.special import BOS
from gru_mt.data.text import clean
from gru_mt.data.tokenizer import Tokenizer
from gru_mt.decoding import Decoding
from gru_mt.errors import UserError, quoted
from gru_mt.inference.engine import Engine
from gru_mt.inference.exported import is_export, load_export
from gru_mt.inference.search import beam_search

PRUNING_MARGIN = 1.5  # nats, where only the best is wanted: on fra-eng no BLEU less than without


@dataclass(frozen=True, slots=True)
class Candidate:
    """One translation of a sentence.

    Its score is the log-probability in nats over length ** length_penalty; higher is better. It
    depends on the batch in its sixth digit: products of other shapes are rounded otherwise.
    """

    text: str
    score: float
    tokens: list[str]
    attention: list[list[float]] | None  # a row for each token and <eos>, over source tokens, <eos>


@dataclass(frozen=True, slots=True)
class Translation:
    """A sentence and its translations, best first."""

    source: str
    source_tokens: list[str]
    candidates: list[Candidate]
    cut_tokens: int  # source tokens past the longest that is translated, which were left out

    @property
    def text(self) -> str:
        """The best translation; empty for a blank sentence."""
        return self.candidates[0].text

    def to_json(self) -> dict[str, Any]:
        """Return the sentence and its translations as JSON values."""
        return {
            "source": self.source,
            "source_tokens": self.source_tokens,
            "translations": [
                {
                    "text": candidate.text,
                    "score": candidate.score,
                    "tokens": candidate.tokens,
                    **({} if candidate.attention is None else {"attention": candidate.attention}),
                }
                for candidate in self.candidates
            ],
        }


class Translator:
    """A model and its tokenizer, ready to translate.

    >>> from gru_mt import Translator
    >>> translator = Translator.load("runs/small")
    >>> translator.translate("I see a cat.").text
    'je vois un chat.'
    >>> [each.text for each in translator.translate(["We want a key.", ""], beam_size=1)]
    ['nous veux un clef.', '']

    A process may be forked after a translation, as `multiprocessing` does: the new one translates
    with one thread (torch) or with new ones (an export).
    """

    def __init__(
        self,
        engine: Engine,
        tokenizer: Tokenizer,
        decoding: Decoding,
        *,
        target_language: str = "",
        bleu_tokenizer: str = "auto",
    ) -> None:
        """Take what translating needs, and what `evaluation.score.bleu_tokenizer` does."""
        self.engine = engine
        self.tokenizer = tokenizer
        self.decoding = decoding
        self.target_language = target_language
        self.bleu_tokenizer = bleu_tokenizer

    @classmethod
    def load(cls, path: str | Path, *, device: str = "auto") -> "Translator":
        """Return the translator of a run's folder, of a bundle or of an export.

        An export runs on the CPU, whatever `device` is, and torch is not imported. Raises UserError
        where there is none.
        """
        if is_export(Path(path)):
            export = load_export(Path(path))
            return cls(
                export.engine,
                export.tokenizer,
                export.decoding,
                target_language=export.target_language,
                bleu_tokenizer=export.bleu_tokenizer,
            )
        from gru_mt.bundle import load_bundle
        from gru_mt.device import resolve_device
        from gru_mt.inference.torch_engine import TorchEngine

        bundle = load_bundle(Path(path), resolve_device(device, field="device"))
        config = bundle.config
        return cls(
            TorchEngine(bundle.model),
            bundle.tokenizer,
            config.decoding,
            target_language=config.data.target,
            bleu_tokenizer=config.evaluation.bleu_tokenizer,
        )

    @overload
    def translate(  # type: ignore[overload-overlap]  # a string is a sequence of strings too
        self,
        sources: str,
        *,
        beam_size: int | None = None,
        length_penalty: float | None = None,
        n_best: int = 1,
        batch_size: int = 256,
        attention: bool = False,
    ) -> Translation: ...

    @overload
    def translate(
        self,
        sources: Sequence[str],
        *,
        beam_size: int | None = None,
        length_penalty: float | None = None,
        n_best: int = 1,
        batch_size: int = 256,
        attention: bool = False,
    ) -> list[Translation]: ...

    def translate(
        self,
        sources: str | Sequence[str],
        *,
        beam_size: int | None = None,
        length_penalty: float | None = None,
        n_best: int = 1,
        batch_size: int = 256,
        attention: bool = False,
    ) -> Translation | list[Translation]:
        """Return a translation of each source, in order, or of a string its one translation.

        The beam and the length penalty default to the bundle's; a beam of 1 is greedy. Neither the
        batch size nor the order of the sources changes a translation. A blank source gives an empty
        text. With `n_best` above 1 the search gives nothing up: it is slower, and may find a first
        that scores higher than with `n_best` 1. Raises ValueError where a number is out of its
        range, and UserError where `n_best` is larger than the beam.
        """
        decoding = Decoding(
            self.decoding.beam_size if beam_size is None else beam_size,
            self.decoding.length_penalty if length_penalty is None else length_penalty,
            self.decoding.max_source_tokens,
        )
        _check_count("n_best", n_best)
        _check_count("batch_size", batch_size)
        if n_best > decoding.beam_size:
            raise UserError(
                f"{n_best} translations need a beam of at least {n_best}: {decoding.beam_size}"
            )
        if isinstance(sources, str):
            return self._translate([sources], decoding, n_best, batch_size, attention)[0]
        return self._translate(sources, decoding, n_best, batch_size, attention)

    def _translate(
        self,
        sources: Sequence[str],
        decoding: Decoding,
        n_best: int,
        batch_size: int,
        attention: bool,
    ) -> list[Translation]:
        """Return what `translate` does, of settings that it has checked."""
        longest = decoding.max_source_tokens
        id_lists = self.tokenizer.source.encode_all([_encodable(source) for source in sources])
        encoded = IdSequences(ids[:longest] for ids in id_lists)
        candidates = [[Candidate("", 0.0, [], [] if attention else None)] for _ in sources]
        by_length_N = np.argsort(-encoded.length_N, kind="stable")
        worded_N = by_length_N[encoded.length_N[by_length_N] > 1]  # more than <eos>
        for first in range(0, len(worded_N), batch_size):
            row_B = worded_N[first : first + batch_size]
            beams = beam_search(
                self.engine.step,
                self.engine.start(*encoded.padded(row_B)),
                # A limit by the sentence's own length: its company in a batch changes nothing.
                2 * (encoded.length_N[row_B] - 1) + 10,
                beam_size=decoding.beam_size,
                length_penalty=decoding.length_penalty,
                margin=PRUNING_MARGIN if n_best == 1 else math.inf,
            )
            for row, beam in zip(row_B, beams, strict=True):
                candidates[row] = [
                    Candidate(
                        self.tokenizer.target.decode(hypothesis.ids),
                        hypothesis.score,
                        self.tokenizer.target.pieces(hypothesis.ids),
                        self._align(encoded, row, hypothesis.ids) if attention else None,
                    )
                    for hypothesis in beam[:n_best]
                ]
        return [
            Translation(
                source,
                self.tokenizer.source.pieces(ids[:longest]),
                candidates[row],
                cut_tokens=max(0, len(ids) - longest),
            )
            for row, (source, ids) in enumerate(zip(sources, id_lists, strict=True))
        ]

    def _align(self, encoded: IdSequences, row: int, ids: list[int]) -> list[list[float]]:
        """Return the attention of each token and of <eos> over the source's, closed by <eos>."""
        source = encoded.padded(np.array([row]))
        (weight_TS,) = self.engine.align(*source, np.array([[BOS, *ids]]))
        weights: list[list[float]] = weight_TS.tolist()
        return weights


def _encodable(source: str) -> str:
    """Return `source` cleaned, with half surrogate pairs, which UTF-8 has no bytes for, as "?"."""
    return clean(source.encode("utf-8", errors="replace").decode("utf-8"))


def _check_count(name: str, value: object) -> None:
    """Raise ValueError where `value` is no whole number of at least 1."""
    if not isinstance(value, Integral) or isinstance(value, bool) or int(value) < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, got {quoted(value)}")
