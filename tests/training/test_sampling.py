"""Sampling draws each token as often as the engine expects it."""

from collections import Counter

import numpy as np

from gru_mt.config.decoding import Decoding
from gru_mt.data.dataset.store import Ints
from gru_mt.data.tokenizer.special import BOS, EOS
from gru_mt.inference.search import Floats, beam_search
from gru_mt.training.back_translation import DRAWN_FROM, Sampling

PROBABILITIES = np.array([0.5, 0.3, 0.15, 0.05])  # of <eos>, and of the tokens 20, 21 and 22


class Fixed:
    """An engine that expects the same after every token; after two tokens it expects the end."""

    device_type = "none"

    def start(self, source_BS: Ints, length_B: Ints) -> "Fixed":
        return self

    def select(self, row_N: Ints) -> "Fixed":
        return self

    def coverage(self, row: int) -> None:
        return None

    def step(self, last_id_R: Ints, state: "Fixed", count: int) -> tuple[Floats, Ints, "Fixed"]:
        assert count >= DRAWN_FROM
        rows = len(last_id_R)
        first_R1 = (last_id_R == BOS)[:, None]
        ended = np.array([0.0, -np.inf, -np.inf, -np.inf])
        log_prob_RN = np.where(first_R1, np.log(PROBABILITIES), ended)
        return log_prob_RN, np.tile([EOS, 20, 21, 22], (rows, 1)), self

    def align(self, source_BS: Ints, length_B: Ints, target_in_BT: Ints) -> Floats:
        return np.zeros((len(length_B), 1, 1))


def drawn(seed: int, count: int = 20_000) -> list[list[int]]:
    engine = Sampling(Fixed(), seed)
    start = engine.start(np.zeros((count, 1), np.int64), np.ones(count, np.int64))
    beams = beam_search(engine.step, start, np.full(count, 9), Decoding(beam_size=1))
    return [beam[0].ids for beam in beams]


def test_tokens_are_drawn_as_often_as_they_are_expected() -> None:
    counts = Counter(map(tuple, drawn(1)))
    shares = [counts[ids] / 20_000 for ids in ((), (20,), (21,), (22,))]
    assert sum(shares) == 1.0
    np.testing.assert_allclose(shares, PROBABILITIES, atol=0.012)  # over three deviations


def test_a_seed_draws_the_same_again_and_another_seed_does_not() -> None:
    assert drawn(1, 50) == drawn(1, 50) != drawn(2, 50)


def test_attention_is_the_engines() -> None:
    id_B1, length_B = np.ones((2, 1), np.int64), np.ones(2, np.int64)
    assert Sampling(Fixed(), 1).align(id_B1, length_B, id_B1).shape == (2, 1, 1)
