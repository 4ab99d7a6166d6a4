"""Search for the best target sequences, over any step function.

Shapes: N sentences, R live hypotheses (those of a sentence side by side, sentences in order), V
target vocabulary, K likeliest continuations of each, X possible continuations of all, C chosen
ones, T tokens so far.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from gru_mt.config.decoding import Decoding
from gru_mt.data.dataset.store import Ints
from gru_mt.data.tokenizer.special import BOS, EOS

Floats = npt.NDArray[np.floating]


class State(Protocol):
    """What a step function carries from token to token: a row for each live hypothesis."""

    def select(self, row_N: Ints, /) -> Self:
        """Return the state of the rows that row_N names; it may leave rows out and repeat some."""

    def coverage(self, row: int, /) -> list[float] | None:
        """Return how much attention each source token has had from a row; None if not known."""


S = TypeVar("S", bound=State)
Step = Callable[[Ints, S, int], tuple[Floats, Ints, S]]
"""last_id_R, state, K -> log_prob_RK and id_RK of the K likeliest next tokens, next state.

The first last_id_R is <s>. The K tokens are in any order; there may be more or fewer than asked
for. Log-probabilities are in nats; an impossible token has minus infinity.
"""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A sequence that was found. Log-probabilities are in nats."""

    ids: list[int]  # without <eos>
    log_prob: float
    score: float  # to rank by
    lowest: float  # the log-probability of its least likely token
    ended: bool  # with <eos>, and not because it reached its limit of tokens
    coverage: list[float] | None  # after the last token, <eos> too; see `State`


def beam_search(
    step: Step[S], start: S, limit_N: Ints, decoding: Decoding, margin: float | Floats = math.inf
) -> list[list[Hypothesis]]:
    """Return the sequences found for each sentence, best first, at most `decoding.beam_size`.

    All sentences advance in one batch. A hypothesis ends at <eos>, or when it has as many tokens as
    limit_N allows its sentence. It keeps its place in the beam, so the others go on in a narrower
    beam, until none is left (as in the code of Bahdanau et al. 2015, and in Marian). The sequences
    are then ranked by log-probability / tokens ** length_penalty. A beam of 1 is greedy search.

    Continuations more than `margin` nats (of all sentences, or of each) below the best one of their
    sentence at the same length are dropped (relative threshold pruning, Freitag and Al-Onaizan
    2017, arXiv 1702.01806). So is a hypothesis that cannot go on: a sentence may have no sequence.
    """
    found: list[list[Hypothesis]] = [[] for _ in limit_N]
    sentence_R = np.arange(len(limit_N))
    width_N = np.full(len(limit_N), decoding.beam_size)
    margin_N = np.broadcast_to(margin, len(limit_N))
    score_R: Floats = np.zeros(len(limit_N))
    lowest_R: Floats = np.full(len(limit_N), math.inf)
    id_RT = np.empty((len(limit_N), 0), np.int64)
    last_id_R, state = np.full(len(limit_N), BOS), start
    while len(sentence_R):
        log_prob_RK, id_RK, state = step(last_id_R, state, int(width_N[sentence_R].max()))
        row_C, column_C, score_C = _choose(
            score_R[:, None] + log_prob_RK, sentence_R, width_N, margin_N
        )
        sentence_C = sentence_R[row_C]
        lowest_C = np.minimum(lowest_R[row_C], log_prob_RK[row_C, column_C])
        id_CT = np.hstack([id_RT[row_C], id_RK[row_C, column_C, None]])
        ended_C = (id_CT[:, -1] == EOS) | (id_CT.shape[1] >= limit_N[sentence_C])
        for c in np.flatnonzero(ended_C):
            ids: list[int] = id_CT[c].tolist()
            log_prob, lowest = float(score_C[c]), float(lowest_C[c])
            score = log_prob / float(len(ids) ** decoding.length_penalty)
            ended, coverage = ids[-1] == EOS, state.coverage(int(row_C[c]))
            ids = ids[:-1] if ended else ids
            found[sentence_C[c]].append(Hypothesis(ids, log_prob, score, lowest, ended, coverage))
            width_N[sentence_C[c]] -= 1
        live_C = np.flatnonzero(~ended_C)
        sentence_R, score_R, lowest_R = sentence_C[live_C], score_C[live_C], lowest_C[live_C]
        id_RT, state = id_CT[live_C], state.select(row_C[live_C])
        last_id_R = id_RT[:, -1]
    return [sorted(beam, key=lambda hypothesis: -hypothesis.score) for beam in found]


def _choose(
    total_RK: Floats, sentence_R: Ints, width_N: Ints, margin_N: Floats
) -> tuple[Ints, Ints, Floats]:
    """Return the continuations to go on with: row_C, column_C in that row, and score_C.

    Each sentence gets its best possible continuations, best first: as many as its beam still has
    places, and only those within margin_N of the best.
    """
    row_X, column_X = np.nonzero(total_RK > -math.inf)
    order_X = np.lexsort((-total_RK[row_X, column_X], sentence_R[row_X]))  # by sentence, best first
    row_X, column_X = row_X[order_X], column_X[order_X]
    total_X, sentence_X = total_RK[row_X, column_X], sentence_R[row_X]
    first_X = np.searchsorted(sentence_X, sentence_X)  # the first one of the same sentence
    rank_X = np.arange(len(first_X)) - first_X
    kept_X = (rank_X < width_N[sentence_X]) & (total_X >= total_X[first_X] - margin_N[sentence_X])
    return row_X[kept_X], column_X[kept_X], total_X[kept_X]
