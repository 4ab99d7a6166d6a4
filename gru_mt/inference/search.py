"""Search for the best target sequences, over any step function.

Shapes: N sentences, R live hypotheses (those of a sentence side by side, sentences in order), K
likeliest continuations of each, X continuations of all, C chosen ones, T tokens so far.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from gru_mt.data.encoding import Ints
from gru_mt.data.special import BOS, EOS

Floats = npt.NDArray[np.floating]


class State(Protocol):
    """What a step function carries from token to token, a row for each live hypothesis."""

    def select(self, row_N: Ints, /) -> Self:
        """Return the state of the rows that row_N names, which may repeat or leave."""
        ...


S = TypeVar("S", bound=State)
Step = Callable[[Ints, S, int], tuple[Floats, Ints, S]]
"""last_id_R, state, K -> log_prob_RK and id_RK of the K likeliest next tokens, next state."""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One found sequence: its ids without <eos>, log-probability in nats, and score to rank by."""

    ids: list[int]
    log_prob: float
    score: float


def length_normalised(log_prob: float, tokens: int, length_penalty: float) -> float:
    """Return log_prob / tokens ** length_penalty: 0 ranks by probability, 1 by its mean a token."""
    return log_prob / float(tokens**length_penalty)


def beam_search(
    step: Step[S],
    start: S,
    limit_N: Ints,
    *,
    beam_size: int,
    length_penalty: float,
    margin: float = math.inf,
) -> list[list[Hypothesis]]:
    """Return for each sentence its `beam_size` best found sequences, best first.

    All sentences advance in one batch. A hypothesis that ends, at <eos> or at its sentence's limit
    of tokens, takes its place in the beam along, so that the beam narrows until its sentence leaves
    (the search of Bahdanau et al. 2015's code, and of Marian's). Ranked by `length_normalised`. A
    beam of 1 is greedy search: it takes the likeliest token at every step.

    A finite `margin` gives up continuations more than so many nats below the best of their sentence
    at the same length (relative threshold pruning, Freitag and Al-Onaizan 2017, arXiv 1702.01806):
    faster, and fewer than `beam_size` sequences may be found.
    """
    found: list[list[Hypothesis]] = [[] for _ in limit_N]
    sentence_R = np.arange(len(limit_N))
    width_N = np.full(len(limit_N), beam_size)
    score_R: Floats = np.zeros(len(limit_N))
    id_RT = np.empty((len(limit_N), 0), np.int64)
    last_id_R, state = np.full(len(limit_N), BOS), start
    while len(sentence_R):
        log_prob_RK, id_RK, state = step(last_id_R, state, int(width_N[sentence_R].max()))
        row_C, place_C, score_C = _choose(
            score_R[:, None] + log_prob_RK, sentence_R, width_N, margin
        )
        sentence_C = sentence_R[row_C]
        id_CT = np.hstack([id_RT[row_C], id_RK[row_C, place_C, None]])
        ended_C = (id_CT[:, -1] == EOS) | (id_CT.shape[1] >= limit_N[sentence_C])
        for c in np.flatnonzero(ended_C):
            ids: list[int] = id_CT[c].tolist()
            score = length_normalised(score_C[c], len(ids), length_penalty)
            ids = ids[:-1] if ids[-1] == EOS else ids
            found[sentence_C[c]].append(Hypothesis(ids, float(score_C[c]), score))
            width_N[sentence_C[c]] -= 1
        live_C = np.flatnonzero(~ended_C)
        sentence_R, score_R, id_RT = sentence_C[live_C], score_C[live_C], id_CT[live_C]
        last_id_R, state = id_RT[:, -1], state.select(row_C[live_C])
    return [sorted(beam, key=lambda hypothesis: -hypothesis.score) for beam in found]


def _choose(
    total_RK: Floats, sentence_R: Ints, width_N: Ints, margin: float
) -> tuple[Ints, Ints, Floats]:
    """Return row_C, place_C in that row, and log-probability_C of the continuations to go on with.

    Each sentence gets as many as its beam is still wide, best first, within `margin` of the best;
    impossible ones are left out.
    """
    row_X, place_X = np.nonzero(total_RK > -math.inf)
    order_X = np.lexsort((-total_RK[row_X, place_X], sentence_R[row_X]))  # by sentence, best first
    row_X, place_X = row_X[order_X], place_X[order_X]
    total_X, sentence_X = total_RK[row_X, place_X], sentence_R[row_X]
    first_X = np.searchsorted(sentence_X, sentence_X)  # where each one's sentence begins
    rank_X = np.arange(len(first_X)) - first_X
    kept_X = (rank_X < width_N[sentence_X]) & (total_X >= total_X[first_X] - margin)
    return row_X[kept_X], place_X[kept_X], total_X[kept_X]
