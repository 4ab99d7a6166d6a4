"""Constrained decoding against brute force, and with models that want something else."""

import math
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

from gru_mt.config.decoding import Decoding
from gru_mt.data.dataset.ids import IdSequences
from gru_mt.data.dataset.store import Ints
from gru_mt.data.tokenizer.special import EOS, FIRST_OTHER, PLACEHOLDER_IDS
from gru_mt.inference.constraints import ConstrainedState, constrained
from gru_mt.inference.engines.engine import Engine
from gru_mt.inference.engines.torch_engine import TorchEngine
from gru_mt.inference.search import Floats, Hypothesis, beam_search
from tests.inference.test_search import (
    EVERYTHING,
    Prefixes,
    Table,
    assert_found,
    look_up,
    narrow_beam,
    normalised,
    prefixes,
    random_model,
)

ONE, TWO = PLACEHOLDER_IDS[:2]
WORD = FIRST_OTHER
VOCABULARY = FIRST_OTHER + 2


def random_table(seed: int, *, eos: float = 0.0) -> Table:
    """Return random log-probabilities of two words, the placeholders and <eos>."""

    def table(sentence: int, ids: tuple[int, ...]) -> list[float]:
        rng = random.Random(f"{seed}/{sentence}/{ids}")
        logits = [rng.gauss(0, 1) if id_ >= EOS else -math.inf for id_ in range(VOCABULARY)]
        logits[EOS] += eos
        return normalised(logits)

    return table


def by_rule(table: Table, sources: list[list[int]], limits: list[int]) -> Table:
    """Return `table` with the rules, in plain Python and in probabilities; none is empty."""

    def ruled(sentence: int, ids: tuple[int, ...]) -> list[float]:
        probability = [math.exp(each) for each in table(sentence, ids)]
        left = Counter(id_ for id_ in sources[sentence] if id_ in PLACEHOLDER_IDS)
        left.subtract(id_ for id_ in ids if id_ in PLACEHOLDER_IDS)
        wanted = [id_ for id_ in PLACEHOLDER_IDS if left[id_]]
        allowed = [
            0 if id_ in PLACEHOLDER_IDS and id_ not in wanted else each
            for id_, each in enumerate(probability)
        ]
        share = sum(probability[id_] for id_ in wanted)
        for id_ in PLACEHOLDER_IDS:
            probability[id_] *= (1 + probability[EOS] / share) if left[id_] else 0
        if wanted and probability[EOS] > max(one for i, one in enumerate(allowed) if i != EOS):
            probability = [each / math.e**3 for each in probability]
        if wanted or not ids:
            probability[EOS] = 0
        if wanted and limits[sentence] - len(ids) <= left.total() + 1:
            probability = [each * (id_ in wanted) for id_, each in enumerate(probability)]
        return [math.log(each) if each else -math.inf for each in probability]

    return ruled


def search(
    table: Table, sources: list[list[int]], limits: list[int], decoding: Decoding
) -> list[list[Hypothesis]]:
    def step(last_id_R: Ints, state: Prefixes, count: int) -> tuple[Floats, Ints, Prefixes]:
        log_prob_RV, state = look_up(table, last_id_R, state)
        word_RK = FIRST_OTHER + np.argsort(-log_prob_RV[:, FIRST_OTHER:], axis=1)[:, :count]
        id_RK = np.hstack([np.tile(np.arange(EOS, FIRST_OTHER), (len(word_RK), 1)), word_RK])
        return np.take_along_axis(log_prob_RV, id_RK, axis=1), id_RK, state

    source_NS, _ = IdSequences.of(sources).padded(np.arange(len(sources)))
    limit_N = np.array(limits)
    start = ConstrainedState.start(prefixes(len(sources)), source_NS, limit_N)
    return beam_search(constrained(step), start, limit_N, decoding)


SOURCES = [[], [ONE], [ONE, WORD, ONE], [TWO, ONE], [WORD], [TWO, ONE, TWO]]
LIMITS = [3, 2, 4, 5, 2, 4]


@pytest.mark.parametrize("beam_size", [1, 3, EVERYTHING])
def test_a_beam_chooses_among_what_the_rules_allow(beam_size: int) -> None:
    for seed in range(10):
        table, decoding = random_table(seed), Decoding(beam_size, 0.6)
        found = search(table, SOURCES, LIMITS, decoding)
        for sentence, limit in enumerate(LIMITS):
            expected = narrow_beam(by_rule(table, SOURCES, LIMITS), sentence, limit, beam_size)
            assert_found(found[sentence], expected, 0.6)


def random_sources(count: int, size: int, *, seed: int) -> IdSequences:
    """Return sentences of 0 to 12 placeholders among up to 8 words, of `size` ids in all."""
    rng = random.Random(seed)
    rows = []
    for _ in range(count):
        row = rng.choices(PLACEHOLDER_IDS, k=rng.randint(0, 12))
        row += rng.choices(range(FIRST_OTHER, size), k=rng.randint(0 if row else 1, 8))
        rows.append(rng.sample(row, len(row)))
    return IdSequences.of(rows)


def placeholders(ids: list[int]) -> list[int]:
    return sorted(id_ for id_ in ids if id_ in PLACEHOLDER_IDS)


def found_in_batches(
    engine: Engine[Any], sources: IdSequences, batch_size: int, decoding: Decoding, margin: float
) -> Iterator[tuple[list[int], list[Hypothesis]]]:
    """Yield the ids of each source, <eos> too, and what was found for it."""
    for first in range(0, len(sources.length_N), batch_size):
        source_BS, length_B = sources.padded(np.arange(len(sources.length_N))[first:][:batch_size])
        limit_B = 2 * length_B + 8
        start = ConstrainedState.start(engine.start(source_BS, length_B), source_BS, limit_B)
        beams = beam_search(constrained(engine.step), start, limit_B, decoding, margin)
        for source_S, length, beam in zip(source_BS, length_B, beams, strict=True):
            yield source_S[:length].tolist(), beam


@pytest.mark.parametrize(
    "bias", [{}, {EOS: 30.0}, dict.fromkeys(PLACEHOLDER_IDS, -800.0), {EOS: -30.0}]
)
def test_whatever_a_model_wants_each_placeholder_is_written_as_often_as_in_its_source(
    bias: dict[int, float],
) -> None:
    model = random_model()
    with torch.no_grad():
        for id_, change in bias.items():
            model.output_bias_V[id_] += change
    engine, sources, best = TorchEngine(model), random_sources(8, 20, seed=1), []
    for beam_size, margin in ((1, 1.5), (4, math.inf)):
        together, alone = (
            [*found_in_batches(engine, sources, batch_size, Decoding(beam_size), margin)]
            for batch_size in (64, 1)
        )
        for (source, beam), (_, (other, *_)) in zip(together, alone, strict=True):
            assert len(beam) == beam_size
            best.append(beam[0])
            for each in beam:
                steps = len(each.ids) + each.ended
                assert placeholders(each.ids) == placeholders(source)
                assert steps <= 2 * len(source) + 8
                assert each.coverage
                assert len(each.coverage) == len(source)
                assert sum(each.coverage) == pytest.approx(steps, rel=1e-5)
            one = beam[0]
            assert one.score == pytest.approx(other.score, abs=1e-5)
            # A tiny model that repeats a word may not care at all where among the repeats a
            # placeholder stands. Then rounding chooses among sequences that are the same.
            assert sorted(one.ids) == sorted(other.ids)
            if one.ids == other.ids:
                assert one.ended == other.ended
                assert one.lowest == pytest.approx(other.lowest, abs=1e-4)
                assert one.coverage == pytest.approx(other.coverage, abs=1e-4)
    if not bias:
        assert len({tuple(each.ids) for each in best}) > 10
        assert {each.ended for each in best} == {True, False}
