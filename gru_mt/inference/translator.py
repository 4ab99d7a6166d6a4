"""Text in, text out: what `gru-mt translate`, `gru-mt eval` and validation share.

Shapes: N sentences, B sentences of one batch, S source tokens, T target tokens.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

import numpy as np

from gru_mt.data.encoding import IdSequences, Ints
from gru_mt.data.special import BOS
from gru_mt.data.text import clean
from gru_mt.data.tokenizer import Tokenizer
from gru_mt.decoding import Decoding, check_number
from gru_mt.errors import UserError
from gru_mt.inference.copying import CopyingState, copying
from gru_mt.inference.engine import Engine
from gru_mt.inference.exported import is_export, load_export
from gru_mt.inference.search import beam_search

PRUNING_MARGIN = 1.5  # nats; see `beam_search`. Used where only the best translation is wanted.


@dataclass(frozen=True, slots=True)
class Candidate:
    """One translation of a sentence.

    The score is the log-probability in nats / length ** length_penalty; higher is better. Its sixth
    digit may change with the batch, because rounding depends on the shape of a product.
    """

    text: str
    score: float
    tokens: list[str]
    attention: list[list[float]] | None  # of each token and <eos>, over source tokens and <eos>


@dataclass(frozen=True, slots=True)
class Translation:
    """A sentence and its translations, best first."""

    source: str
    source_tokens: list[str]
    candidates: list[Candidate]
    cut_tokens: int  # how many source tokens were left out at the end; see `max_source_tokens`

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


@dataclass(eq=False)
class Translator:
    """A model and its tokenizer, ready to translate.

    >>> from gru_mt import Translator
    >>> translator = Translator.load("runs/small")
    >>> translator.translate("I see a cat.").text
    'je vois un chat.'
    >>> greedy = translator.decoding.overridden(beam_size=1)
    >>> [each.text for each in translator.translate(["We want a key.", ""], decoding=greedy)]
    ['nous veux un clef.', '']

    A process that is forked after a translation, as `multiprocessing` does, can translate too. It
    uses one thread with torch, and threads of its own with an export.
    """

    engine: Engine
    tokenizer: Tokenizer
    decoding: Decoding  # what `translate` uses if it is given none
    target_language: str = ""  # this and the next: see `evaluation.score.resolve_bleu_tokenizer`
    bleu_tokenizer: str = "auto"

    @classmethod
    def load(cls, path: str | Path, *, device: str = "auto") -> "Translator":
        """Return the translator in the folder of a run, a bundle or an export.

        An export runs on the CPU, whatever `device` is, and does not import torch. Raises UserError
        if there is no translator, or it is damaged.
        """
        if is_export(Path(path)):
            return cls(*load_export(Path(path)))
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
        decoding: Decoding | None = None,
        n_best: int = 1,
        batch_size: int = 256,
        attention: bool = False,
    ) -> Translation: ...

    @overload
    def translate(
        self,
        sources: Sequence[str],
        *,
        decoding: Decoding | None = None,
        n_best: int = 1,
        batch_size: int = 256,
        attention: bool = False,
    ) -> list[Translation]: ...

    def translate(
        self,
        sources: str | Sequence[str],
        *,
        decoding: Decoding | None = None,
        n_best: int = 1,
        batch_size: int = 256,
        attention: bool = False,
    ) -> Translation | list[Translation]:
        """Return the translation of a string, or of each source in a sequence, in order.

        `decoding` is the translator's own if none is given. Neither the batch size nor the order of
        the sources changes a translation. A blank source gives an empty text. With an `n_best`
        above 1 the search does not prune: it is slower, and may find a better first translation.
        Raises ValueError if `n_best` or `batch_size` is no whole number of at least 1, and
        UserError if `n_best` is larger than the beam or there is no attention to show.
        """
        decoding = decoding or self.decoding
        check_number("n_best", n_best, 1)
        check_number("batch_size", batch_size, 1)
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
        """Return the translation of each source. `translate` has checked the arguments."""
        longest = decoding.max_source_tokens
        id_lists = self.tokenizer.source.encode_all([_encodable(source) for source in sources])
        encoded = IdSequences(ids[:longest] for ids in id_lists)
        candidates = [[Candidate("", 0.0, [], [] if attention else None)] for _ in sources]
        by_length_N = np.argsort(-encoded.length_N, kind="stable")
        worded_N = by_length_N[encoded.length_N[by_length_N] > 1]  # blank sources are only <eos>
        for first in range(0, len(worded_N), batch_size):
            row_B = worded_N[first : first + batch_size]
            source_BS, length_B = encoded.padded(row_B)
            # The limit depends on the sentence's own length, not on the rest of the batch.
            limit_B = 2 * length_B + 8
            beams = beam_search(
                copying(self.engine.step),
                CopyingState.start(self.engine.start(source_BS, length_B), source_BS, limit_B),
                limit_B,
                decoding,
                margin=PRUNING_MARGIN if n_best == 1 else math.inf,
            )
            for row, source_S, length, beam in zip(row_B, source_BS, length_B, beams, strict=True):
                candidates[row] = [
                    Candidate(
                        self.tokenizer.target.decode(hypothesis.ids),
                        hypothesis.score,
                        self.tokenizer.target.pieces(hypothesis.ids),
                        self._align(source_S[:length], hypothesis.ids) if attention else None,
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

    def _align(self, source_S: Ints, ids: list[int]) -> list[list[float]]:
        """Return the attention of each token and of <eos> over source_S, as a batch of one."""
        length_B = np.array([len(source_S)])
        (weight_TS,) = self.engine.align(source_S[None], length_B, np.array([[BOS, *ids]]))
        weights: list[list[float]] = weight_TS.tolist()
        return weights


def _encodable(source: str) -> str:
    """Return `source` cleaned, with "?" for half surrogate pairs, which UTF-8 cannot hold."""
    return clean(source.encode("utf-8", errors="replace").decode("utf-8"))
