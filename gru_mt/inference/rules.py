"""Rules of a search: which tokens may follow those that a hypothesis has so far.

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

Sentences count from 0. A rule depends on nothing else, so that a sentence's translation does not
change with the rest of its batch.
"""


@dataclass(frozen=True, slots=True)
class RuledState(Generic[S]):
    """The state of a distribution that obeys a rule, and what the rule is called with."""

    state: S  # of the distribution without the rule
    id_RT: Ints  # starts with <s>; the last token is missing, because the next step is given it
    sentence_R: Ints

    @classmethod
    def start(cls, state: S, sentences: int) -> Self:
        """Return the state before the first token: one hypothesis of each sentence."""
        return cls(state, np.empty((sentences, 0), np.int64), np.arange(sentences))

    def select(self, row_N: Ints) -> Self:
        """Return the state of the hypotheses that row_N names."""
        return type(self)(self.state.select(row_N), self.id_RT[row_N], self.sentence_R[row_N])


def obeying(distribution: Distribution[S], rule: Rule) -> Distribution[RuledState[S]]:
    """Return a distribution that gives minus infinity to the tokens that `rule` forbids.

    Allowed tokens keep the model's log-probability. It is not normalised again, so a hypothesis has
    the same score with a rule as without. The search drops a hypothesis that may not go on. It ends
    one that reaches its limit of tokens, even if the rule asks for more.
    """

    def ruled(last_id_R: Ints, state: RuledState[S]) -> tuple[Floats, RuledState[S]]:
        log_prob_RV, after = distribution(last_id_R, state.state)
        id_RT = np.hstack([state.id_RT, last_id_R[:, None]])
        allowed_RV = rule(id_RT[:, 1:], state.sentence_R)
        ruled_RV = np.where(allowed_RV, log_prob_RV, -np.inf)
        return ruled_RV, RuledState(after, id_RT, state.sentence_R)

    return ruled
