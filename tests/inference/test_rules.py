"""Rules, and averages of models, against brute force: the one search works with all of them."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from gru_mt.data.encoding import Ints
from gru_mt.data.special import EOS
from gru_mt.decoding import Decoding
from gru_mt.inference.engine import Engine
from gru_mt.inference.rules import Bools, Rule, RuledState, obeying
from gru_mt.inference.search import Distribution, Floats, Hypothesis, beam_search, top_k
from gru_mt.inference.torch_engine import TorchEngine
from tests.inference.test_search import (
    EVERYTHING,
    VOCABULARY,
    Prefixes,
    Table,
    assert_found,
    every_sequence,
    looked_up,
    narrow_beam,
    prefixes,
    random_model,
    random_sources,
    random_table,
    ranked,
)

LIMITS = [5, 1, 3, 4, 2, 5]
MUST = 1  # the token that `once` asks for


def once(id_RT: Ints, sentence_R: Ints) -> Bools:
    """Allow MUST where it has not occurred, and <eos> where it has."""
    occurred_R = (id_RT == MUST).any(axis=1)
    allowed_RV = np.ones((len(id_RT), VOCABULARY), bool)
    allowed_RV[:, MUST], allowed_RV[:, EOS] = ~occurred_R, occurred_R
    return allowed_RV


def with_once(table: Table) -> Table:
    """Return `table` with minus infinity where `once` forbids a token, in plain Python."""

    def ruled(sentence: int, ids: tuple[int, ...]) -> list[float]:
        forbidden = MUST if MUST in ids else EOS
        log_probs = table(sentence, ids)
        return [-math.inf if id_ == forbidden else log_probs[id_] for id_ in range(VOCABULARY)]

    return ruled


def no_repeats(vocabulary: int) -> Rule:
    """Return the rule that forbids every token that has occurred."""

    def rule(id_RT: Ints, sentence_R: Ints) -> Bools:
        occurred_RV: Bools = (id_RT[:, :, None] == np.arange(vocabulary)).any(axis=1)
        return ~occurred_RV

    return rule


def logarithm(probability: float) -> float:
    return math.log(probability) if probability else -math.inf


def search(
    distribution: Distribution[Any], start: Any, rule: Rule, limits: list[int], decoding: Decoding
) -> list[list[Hypothesis]]:
    step, state = top_k(obeying(distribution, rule)), RuledState.start(start, len(limits))
    return beam_search(step, state, np.array(limits), decoding)


# Against brute force


@pytest.mark.parametrize("seed", range(5))
def test_a_wide_beam_finds_every_sequence_that_the_rule_allows(seed: int) -> None:
    table, decoding = random_table(seed, impossible=0.2), Decoding(EVERYTHING, 0.6)
    found = search(looked_up(table), prefixes(len(LIMITS)), once, LIMITS, decoding)
    for sentence, (limit, hypotheses) in enumerate(zip(LIMITS, found, strict=True)):
        allowed = [
            (ids, log_prob)
            for ids, log_prob in every_sequence(table, sentence, limit)
            if ids.count(MUST) == 1 or (MUST not in ids and EOS not in ids)  # cut by the limit
        ]
        assert_found(hypotheses, ranked(allowed, 0.6))


@pytest.mark.parametrize("beam_size", [1, 2, 3, 5])
def test_a_narrow_beam_chooses_among_what_the_rule_allows(beam_size: int) -> None:
    for seed in range(20):
        table = random_table(seed, impossible=0.2)
        decoding = Decoding(beam_size, 0.6)
        found = search(looked_up(table), prefixes(len(LIMITS)), once, LIMITS, decoding)
        for sentence, limit in enumerate(LIMITS):
            expected = narrow_beam(with_once(table), sentence, limit, beam_size)
            assert_found(found[sentence], ranked(expected, 0.6))


def test_a_rule_follows_hypotheses_that_change_places() -> None:
    probabilities: dict[tuple[int, ...], list[float]] = {
        (): [0.55, 0.45, 0.0, 0.0],
        (0,): [0.5, 0.3, 0.1, 0.1],
        (1,): [0.8, 0.1, 0.1, 0.0],  # 1 0 overtakes 0 1: 0.36 and 0.165
    }

    def table(_: int, ids: tuple[int, ...]) -> list[float]:
        return [logarithm(each) for each in probabilities.get(ids, [0.4, 0.3, 0.2, 0.1])]

    rule = no_repeats(VOCABULARY)
    (found,) = search(looked_up(table), prefixes(1), rule, [3], Decoding(2, 0.0))
    # If the prefixes kept their old places, 1 0 1 would be allowed, with 0.108.
    expected = [([1, 0, 2], 0.36 * 0.2), ([1, 0], 0.36 * 0.1)]
    assert_found(found, [(ids, math.log(each), math.log(each)) for ids, each in expected])


def test_a_rule_is_told_which_sentence_each_hypothesis_is_of() -> None:
    only = [2, 0, 1]  # the word of each sentence

    def rule(id_RT: Ints, sentence_R: Ints) -> Bools:
        allowed_RV: Bools = np.arange(VOCABULARY) == np.array(only)[sentence_R][:, None]
        allowed_RV[:, EOS] = id_RT.shape[1] > sentence_R  # the first ends first
        return allowed_RV

    found = search(looked_up(random_table(1)), prefixes(3), rule, [4] * 3, Decoding(2, 0.0))
    for sentence, hypotheses in enumerate(found):
        assert len(hypotheses) == 2
        for hypothesis in hypotheses:
            assert {*hypothesis.ids} == {only[sentence]}
            assert len(hypothesis.ids) > sentence


def test_a_hypothesis_that_may_not_go_on_is_dropped() -> None:
    def rule(id_RT: Ints, sentence_R: Ints) -> Bools:
        dead_R = (id_RT == 0).any(axis=1) | (sentence_R == 1)
        return np.broadcast_to(~dead_R[:, None], (len(id_RT), VOCABULARY))

    table = random_table(0)
    found, nothing = search(looked_up(table), prefixes(2), rule, [3, 3], Decoding(EVERYTHING, 0.0))
    assert nothing == []
    allowed = [
        (ids, log_prob)
        for ids, log_prob in every_sequence(table, 0, 3)
        if 0 not in ids[:-1]  # the last token may be 0: nothing has to follow it
    ]
    assert_found(found, ranked(allowed, 0.0))


def test_company_changes_nothing_under_a_rule() -> None:
    table, decoding = random_table(3), Decoding(3, 1.0)
    together = search(looked_up(table), prefixes(len(LIMITS)), once, LIMITS, decoding)
    for sentence, limit in enumerate(LIMITS):
        start = Prefixes([(sentence, ())])
        assert search(looked_up(table), start, once, [limit], decoding) == [together[sentence]]


# Several models


@dataclass(frozen=True)
class Both:
    one: Prefixes
    other: Prefixes

    def select(self, row_N: Ints) -> "Both":
        return Both(self.one.select(row_N), self.other.select(row_N))


def averaged(one: Distribution[Prefixes], other: Distribution[Prefixes]) -> Distribution[Both]:
    def average(last_id_R: Ints, state: Both) -> tuple[Floats, Both]:
        one_RV, one_state = one(last_id_R, state.one)
        other_RV, other_state = other(last_id_R, state.other)
        mean_RV = np.logaddexp(one_RV, other_RV) - math.log(2)
        return mean_RV, Both(one_state, other_state)

    return average


@pytest.mark.parametrize("beam_size", [1, 3, EVERYTHING])
def test_an_average_of_models_takes_the_same_search_and_the_same_rules(beam_size: int) -> None:
    tables = [random_table(seed, impossible=0.3) for seed in (1, 2)]

    def mean(sentence: int, ids: tuple[int, ...]) -> list[float]:
        both = zip(*(table(sentence, ids) for table in tables), strict=True)
        return [logarithm(sum(map(math.exp, log_probs)) / 2) for log_probs in both]

    distribution = averaged(*map(looked_up, tables))
    start, decoding = Both(prefixes(2), prefixes(2)), Decoding(beam_size, 0.6)
    plain = beam_search(top_k(distribution), start, np.array([4, 3]), decoding)
    ruled = search(distribution, start, once, [4, 3], decoding)
    for sentence, limit in enumerate([4, 3]):
        for found, table in ((plain, mean), (ruled, with_once(mean))):
            expected = narrow_beam(table, sentence, limit, beam_size)
            assert_found(found[sentence], ranked(expected, 0.6))


# A real model


def assert_everything_allowed_changes_nothing(
    engine: Engine, source_BS: Ints, length_B: Ints
) -> None:
    """Assert that a rule which allows everything finds what a plain search of `engine` finds."""
    limit_B = 2 * length_B

    def everything(id_RT: Ints, sentence_R: Ints) -> Bools:
        return np.array([[True]])

    for decoding in (Decoding(1, 1.0), Decoding(4, 1.0)):
        start = engine.start(source_BS, length_B)
        plain = beam_search(engine.step, start, limit_B, decoding)
        ruled = search(engine.distribution, start, everything, limit_B.tolist(), decoding)
        for ours, theirs in zip(ruled, plain, strict=True):
            assert [each.ids for each in ours] == [each.ids for each in theirs]
            scores = [each.score for each in theirs]
            assert [each.score for each in ours] == pytest.approx(scores, abs=1e-5)


def test_a_rule_that_allows_everything_changes_nothing() -> None:
    assert_everything_allowed_changes_nothing(TorchEngine(random_model()), *random_sources())


def test_a_real_models_sentences_are_ruled_as_each_is_alone() -> None:
    engine, (source_BS, length_B) = TorchEngine(random_model()), random_sources()

    def found(row_B: Ints) -> list[list[list[int]]]:
        start, limits = engine.start(source_BS[row_B], length_B[row_B]), [12] * len(row_B)
        beams = search(engine.distribution, start, no_repeats(12), limits, Decoding(4, 1.0))
        return [[each.ids for each in beam] for beam in beams]

    together = found(np.arange(8))
    assert len({tuple(ids) for beam in together for ids in beam}) > 8
    assert all(len({*ids}) == len(ids) for beam in together for ids in beam)
    for row in range(8):
        assert found(np.array([row])) == [together[row]]
