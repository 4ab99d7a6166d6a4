"""Text in, text out: what `gru-mt translate`, `gru-mt eval` and validation share.

Shapes: N sentences, B sentences of one batch.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gru_mt.data.sentences import Sentences, closed_batch
from gru_mt.data.text import clean
from gru_mt.data.tokenizer import BOS, Tokenizer
from gru_mt.errors import UserError
from gru_mt.inference.engine import Engine
from gru_mt.inference.exported import is_export, load_export
from gru_mt.inference.search import Decoding, beam_search

PRUNING_MARGIN = 1.5  # nats, where only the best is wanted: on fra-eng no BLEU less than without


@dataclass(frozen=True, slots=True)
class Candidate:
    """One translation of a sentence."""

    text: str
    score: float  # log-probability in nats over length ** length_penalty; higher is better
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
    """A model and its tokenizer, ready to translate."""

    def __init__(self, engine: Engine, tokenizer: Tokenizer, decoding: Decoding) -> None:
        self.engine = engine
        self.tokenizer = tokenizer
        self.decoding = decoding

    @classmethod
    def load(cls, path: str | Path, *, device: str = "auto") -> "Translator":
        """Return the translator of a run's folder, of a bundle or of an export.

        An export runs on the CPU, whatever `device` is, and torch is not imported. Raises UserError
        where there is none.
        """
        if is_export(Path(path)):
            export = load_export(Path(path))
            return cls(export.engine, export.tokenizer, export.decoding)
        from gru_mt.bundle import load_bundle
        from gru_mt.device import resolve_device
        from gru_mt.inference.torch_engine import TorchEngine

        bundle = load_bundle(Path(path), resolve_device(device))
        decoding = Decoding(**bundle.config.decoding.model_dump())
        return cls(TorchEngine(bundle.model), bundle.tokenizer, decoding)

    def translate(
        self,
        sources: Sequence[str],
        *,
        beam_size: int | None = None,
        length_penalty: float | None = None,
        n_best: int = 1,
        batch_size: int = 256,
        attention: bool = False,
    ) -> list[Translation]:
        """Return a translation of each source, in order.

        The beam and the length penalty default to the bundle's; a beam of 1 is greedy. Neither the
        batch size nor the order of the sources changes a translation. A blank source gives an empty
        text. With `n_best` above 1 the search gives nothing up: it is slower, and may find a first
        that scores higher than with `n_best` 1.
        """
        beam_size = self.decoding.beam_size if beam_size is None else beam_size
        if n_best > beam_size:
            raise UserError(f"{n_best} translations need a beam of at least {n_best}: {beam_size}")
        if length_penalty is None:
            length_penalty = self.decoding.length_penalty
        longest = self.decoding.max_source_tokens
        id_lists = self.tokenizer.source.encode_all([_encodable(source) for source in sources])
        encoded = Sentences([ids[:longest] for ids in id_lists])
        candidates = [[Candidate("", 0.0, [], [] if attention else None)] for _ in sources]
        by_length_N = np.argsort(-encoded.length_N, kind="stable")
        worded_N = by_length_N[encoded.length_N[by_length_N] > 0]
        for first in range(0, len(worded_N), batch_size):
            row_B = worded_N[first : first + batch_size]
            beams = beam_search(
                self.engine.step,
                self.engine.start(*closed_batch(encoded, row_B)),
                # A limit by the sentence's own length: its company in a batch changes nothing.
                2 * encoded.length_N[row_B] + 10,
                beam_size=beam_size,
                length_penalty=length_penalty,
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

    def _align(self, encoded: Sentences, row: int, ids: list[int]) -> list[list[float]]:
        """Return the attention of each token and of <eos> over the source's, closed by <eos>."""
        source = closed_batch(encoded, np.array([row]))
        (weight_TS,) = self.engine.align(*source, np.array([[BOS, *ids]]))
        weights: list[list[float]] = weight_TS.tolist()
        return weights


def _encodable(source: str) -> str:
    """Return `source` cleaned, with half surrogate pairs, which UTF-8 has no bytes for, as "?"."""
    return clean(source.encode("utf-8", errors="replace").decode("utf-8"))
