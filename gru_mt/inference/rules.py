"""Rules: which tokens may follow what a hypothesis has so far. Every rule of a search stands here.

Shapes: R live hypotheses, N those of them that go on, V target vocabulary, T tokens so far.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Self

import numpy as np
import numpy.typing as npt

from gru_mt.data.encoding import Ints
from gru_mt.inference.search import Distribution, Floats, S

Bools = npt.NDArray[np.bool_]
Rule = Callable[[Ints, Ints], Bools]
"""id_RT, the tokens so far without <s>, and sentence_R -> allowed_RV, the tokens that may follow.

Sentences count from 0. A rule decides by nothing else, so that company changes no translation.
"""


@dataclass(frozen=True, slots=True)
class RuledState(Generic[S]):
    """The state of a distribution that obeys a rule, with what the rule is asked about."""

    state: S  # of the distribution without the rule
    id_RT: Ints  # <s> first, and without the last token, which the next step is given
    sentence_R: Ints

    @classmethod
    def start(cls, state: S, sentences: int) -> Self:
        """Return the state before the first token: one hypothesis of each sentence."""
        return cls(state, np.empty((sentences, 0), np.int64), np.arange(sentences))

    def select(self, row_N: Ints) -> Self:
        """Return the state of the hypotheses that row_N names."""
        return type(self)(self.state.select(row_N), self.id_RT[row_N], self.sentence_R[row_N])


def obeying(distribution: Distribution[S], rule: Rule) -> Distribution[RuledState[S]]:
    """Return a distribution that gives what `rule` forbids minus infinity.

    What is left keeps the log-probability that the model gives it: it is not normalised again, and
    so a hypothesis has the same score with a rule as without. A hypothesis that may not go on is
    dropped. One that meets its limit of tokens ends there, whatever the rule still asks for.
    """

    def ruled(last_id_R: Ints, state: RuledState[S]) -> tuple[Floats, RuledState[S]]:
        log_prob_RV, after = distribution(last_id_R, state.state)
        id_RT = np.hstack([state.id_RT, last_id_R[:, None]])
        allowed_RV = rule(id_RT[:, 1:], state.sentence_R)
        ruled_RV = np.where(allowed_RV, log_prob_RV, -np.inf)
        return ruled_RV, RuledState(after, id_RT, state.sentence_R)

    return ruled
