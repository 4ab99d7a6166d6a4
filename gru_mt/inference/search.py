"""Search for the best target sequences, over any step function.

Shapes: N sentences, R live hypotheses (those of a sentence side by side), A sentences that still
have some, K beam size, V vocabulary, T tokens so far, C chosen continuations.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol, Self, TypeVar

import torch
from torch import Tensor

from gru_mt.data.tokenizer import BOS, EOS


class State(Protocol):
    """What a step function carries from token to token, a row for each live hypothesis."""

    def select(self, row_N: Tensor, /) -> Self:
        """Return the state of the rows that row_N names, which may repeat or leave."""
        ...


S = TypeVar("S", bound=State)
Step = Callable[[Tensor, S], tuple[Tensor, S]]
"""last_id_R, state -> log_prob_RV of the next token, next state."""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """One found sequence: its ids without <eos>, log-probability in nats, and score to rank by."""

    ids: list[int]
    log_prob: float
    score: float


def length_normalised(log_prob: float, tokens: int, length_penalty: float) -> float:
    """Return log_prob / tokens ** length_penalty: 0 ranks by probability, 1 by its mean a token."""
    return log_prob / float(tokens**length_penalty)


def greedy_search(
    step: Step[S], start: S, limit_N: Tensor, *, length_penalty: float
) -> list[Hypothesis]:
    """Return for each sentence the sequence that takes the likeliest token at every step.

    A sentence ends, and leaves the batch, at <eos> or after its limit of tokens.
    """
    found: dict[int, Hypothesis] = {}
    sentence_R = torch.arange(len(limit_N), device=limit_N.device)
    score_R = torch.zeros(len(limit_N), device=limit_N.device)
    id_RT = limit_N.new_empty((len(limit_N), 0))
    last_id_R, state = torch.full_like(limit_N, BOS), start
    while len(sentence_R):
        log_prob_RV, state = step(last_id_R, state)
        best_R, last_id_R = log_prob_RV.max(dim=1)
        score_R = score_R + best_R
        id_RT = torch.cat([id_RT, last_id_R[:, None]], dim=1)
        ended_R = (last_id_R == EOS) | (id_RT.shape[1] >= limit_N[sentence_R])
        if ended_R.any():
            for sentence, ids, log_prob in _rows(ended_R, sentence_R, id_RT, score_R):
                found[sentence] = _hypothesis(ids, log_prob, length_penalty)
            live_R = (~ended_R).nonzero().squeeze(1)
            sentence_R, last_id_R, score_R, id_RT = (
                tensor[live_R] for tensor in (sentence_R, last_id_R, score_R, id_RT)
            )
            state = state.select(live_R)
    return [found[sentence] for sentence in range(len(limit_N))]


def beam_search(
    step: Step[S],
    start: S,
    limit_N: Tensor,
    *,
    beam_size: int,
    length_penalty: float,
    margin: float = math.inf,
) -> list[list[Hypothesis]]:
    """Return for each sentence its `beam_size` best found sequences, best first.

    All sentences advance in one batch. A hypothesis that ends, at <eos> or at its sentence's limit
    of tokens, takes its place in the beam along, so that the beam narrows until its sentence leaves
    (the search of Bahdanau et al. 2015's code, and of Marian's). Ranked by `length_normalised`.

    A finite `margin` gives up continuations more than so many nats below the best of their sentence
    at the same length (relative threshold pruning, Freitag and Al-Onaizan 2017, arXiv 1702.01806):
    faster, and fewer than `beam_size` sequences may be found.
    """
    found: list[list[Hypothesis]] = [[] for _ in limit_N]
    sentence_R = torch.arange(len(limit_N), device=limit_N.device)
    width_N = torch.full_like(limit_N, beam_size)
    score_R = torch.zeros(len(limit_N), device=limit_N.device)
    id_RT = limit_N.new_empty((len(limit_N), 0))
    last_id_R, state = torch.full_like(limit_N, BOS), start
    while len(sentence_R):
        log_prob_RV, state = step(last_id_R, state)
        row_C, last_id_C, score_C = _continuations(
            score_R[:, None] + log_prob_RV, sentence_R, width_N, margin
        )
        sentence_C = sentence_R[row_C]
        id_CT = torch.cat([id_RT[row_C], last_id_C[:, None]], dim=1)
        ended_C = (last_id_C == EOS) | (id_CT.shape[1] >= limit_N[sentence_C])
        if ended_C.any():
            for sentence, ids, log_prob in _rows(ended_C, sentence_C, id_CT, score_C):
                found[sentence].append(_hypothesis(ids, log_prob, length_penalty))
            width_N = width_N - sentence_C[ended_C].bincount(minlength=len(limit_N))
        live_C = (~ended_C).nonzero().squeeze(1)
        sentence_R, last_id_R, score_R, id_RT = (
            tensor[live_C] for tensor in (sentence_C, last_id_C, score_C, id_CT)
        )
        state = state.select(row_C[live_C])
    return [sorted(beam, key=lambda hypothesis: -hypothesis.score) for beam in found]


def _continuations(
    total_RV: Tensor, sentence_R: Tensor, width_N: Tensor, margin: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Return row_C, id_C and log-probability_C of each sentence's best continuations.

    Each gets as many as its beam is still wide, best first, within `margin` of the best; impossible
    ones are left out.
    """
    sentence_A, group_R, rows_A = torch.unique_consecutive(
        sentence_R, return_inverse=True, return_counts=True
    )
    first_A = rows_A.cumsum(0) - rows_A
    slot_R = torch.arange(len(sentence_R), device=sentence_R.device) - first_A[group_R]
    size_K = int(width_N.max())
    best_RK, id_RK = total_RV.topk(min(size_K, total_RV.shape[1]), dim=1)
    size_k = best_RK.shape[1]
    grid_AKk = total_RV.new_full((len(sentence_A), int(rows_A.max()), size_k), -torch.inf)
    grid_AKk[group_R, slot_R] = best_RK
    grid_AX = grid_AKk.flatten(1)
    score_AK, place_AK = grid_AX.topk(min(size_K, grid_AX.shape[1]), dim=1)
    rank_K = torch.arange(score_AK.shape[1], device=score_AK.device)
    worst_A1 = (score_AK[:, :1] - margin).clamp(min=torch.finfo(score_AK.dtype).min)
    kept_AK = (rank_K < width_N[sentence_A, None]) & (score_AK >= worst_A1)
    row_C = (first_A[:, None] + place_AK // size_k)[kept_AK]
    return row_C, id_RK[row_C, (place_AK % size_k)[kept_AK]], score_AK[kept_AK]


def _rows(
    chosen_R: Tensor, sentence_R: Tensor, id_RT: Tensor, score_R: Tensor
) -> Iterator[tuple[int, list[int], float]]:
    """Yield the chosen hypotheses, off the device."""
    columns = (column[chosen_R].tolist() for column in (sentence_R, id_RT, score_R))
    return zip(*columns, strict=True)


def _hypothesis(ids: list[int], log_prob: float, length_penalty: float) -> Hypothesis:
    score = length_normalised(log_prob, len(ids), length_penalty)
    return Hypothesis(ids[:-1] if ids[-1] == EOS else ids, log_prob, score)
