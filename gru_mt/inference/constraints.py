"""Constrained decoding: a hypothesis has each placeholder as often as its source, and is not empty.

Shapes: N sentences, S source tokens, R live hypotheses, K columns of a step, M placeholders, O
hypotheses that still require a placeholder.
"""

from dataclasses import dataclass
from typing import Generic, Self

import numpy as np

from gru_mt.data.dataset.store import Ints
from gru_mt.data.tokenizer.special import BOS, PLACEHOLDER_IDS, PLACEHOLDER_TOKENS
from gru_mt.inference.search import Floats, S, Step

ID_M = np.array(PLACEHOLDER_IDS)
LATE = 3.0  # nats that a hypothesis costs which would end without what it requires
COLUMN_M = slice(1, 1 + len(PLACEHOLDER_TOKENS))  # their columns in a step; <eos> has the first


@dataclass(frozen=True, slots=True)
class ConstrainedState(Generic[S]):
    """An engine's state, and what each hypothesis must still write, with its last token."""

    state: S
    required_RM: Ints  # how often each placeholder must still be written
    room_R: Ints  # how many tokens the next step and those after it may write

    @classmethod
    def start(cls, state: S, source_NS: Ints, limit_N: Ints) -> Self:
        """Return the state before the first token; limit_N is that of `beam_search`."""
        required_NM = (source_NS[:, :, None] == ID_M).sum(axis=1)
        assert (required_NM.sum(axis=1) < limit_N).all(), "a limit is longer than its source"
        return cls(state, required_NM, limit_N)

    def select(self, row_N: Ints) -> Self:
        return type(self)(self.state.select(row_N), self.required_RM[row_N], self.room_R[row_N])

    def coverage(self, row: int) -> list[float] | None:
        return self.state.coverage(row)


def constrained(step: Step[S]) -> Step[ConstrainedState[S]]:
    """Return an engine's step function with the rules of `with_rules`, and without <eos> first.

    With them every sentence has a hypothesis at its end. At each step every live hypothesis has a
    possible continuation (a required placeholder, or <eos> where nothing is required), and
    `beam_search` keeps the best continuation of a sentence, whatever its margin is.
    """

    def constrained_step(
        last_id_R: Ints, state: ConstrainedState[S], count: int
    ) -> tuple[Floats, Ints, ConstrainedState[S]]:
        log_prob_RK, id_RK, after = step(last_id_R, state.state, count)
        required_RM = state.required_RM - (last_id_R[:, None] == ID_M)
        ruled_RK = with_rules(log_prob_RK, required_RM, state.room_R)
        ruled_RK[last_id_R == BOS, 0] = -np.inf
        return ruled_RK, id_RK, ConstrainedState(after, required_RM, state.room_R - 1)

    return constrained_step


def with_rules(log_prob_RK: Floats, required_RM: Ints, room_R: Ints) -> Floats:
    """Return log_prob_RK, an engine's columns, by the rules for placeholders.

    1. A placeholder that is not required is impossible.
    2. While a placeholder is required, <eos> is impossible, and its probability goes to the
       required placeholders in proportion to their own: p'(l) = p(l) (1 + p(eos) / (sum of p
       over required placeholders)). So a greedy hypothesis that wants to end writes what it
       requires, and no other words.
    3. A hypothesis to which <eos> is then the most probable token loses LATE. So one that wrote a
       placeholder where it belongs wins over one that has it after its end.
    4. A hypothesis with room only for what it requires and <eos> writes what it requires.
    """
    ruled_RK = log_prob_RK.copy()
    ruled_RK[:, COLUMN_M][required_RM == 0] = -np.inf
    row_O = np.flatnonzero(required_RM.any(axis=1))
    if not len(row_O):
        return ruled_RK
    wants_end_O = ruled_RK[row_O].argmax(axis=1) == 0
    required_O1 = np.logaddexp.reduce(ruled_RK[row_O, COLUMN_M], axis=1, keepdims=True)
    ruled_RK[row_O, COLUMN_M] += np.logaddexp(required_O1, ruled_RK[row_O, :1]) - required_O1
    ruled_RK[row_O, 0] = -np.inf
    ruled_RK[row_O[wants_end_O]] -= LATE
    full_O = room_R[row_O] <= required_RM[row_O].sum(axis=1) + 1
    ruled_RK[row_O[full_O], COLUMN_M.stop :] = -np.inf
    return ruled_RK
