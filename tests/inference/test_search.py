"""Search against brute force: every sequence of a small vocabulary, scored along its path."""

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pytest
import torch
from torch import nn

from gru_mt.config.decoding import Decoding
from gru_mt.config.schema import ModelConfig
from gru_mt.data.dataset.store import Ints
from gru_mt.data.tokenizer.special import BOS, EOS, PAD, UNK
from gru_mt.inference.engines.torch_engine import TorchEngine
from gru_mt.inference.search import Floats, Hypothesis, beam_search, length_normalised
from gru_mt.model.seq2seq import Seq2Seq

VOCABULARY = 4  # ids 0 to 3; to a fake step all are words but the last, which is <eos>
EVERYTHING = 400  # more than the sequences of up to 5 tokens: 1 + 3 + 9 + 27 + 81 * 4 = 364
PENALTIES = [0.0, 0.6, 1.0, 2.0]

Table = Callable[[int, tuple[int, ...]], list[float]]
"""sentence, ids so far -> log-probability of each next id."""


@dataclass(frozen=True)
class Prefixes:
    """The sentence of each live hypothesis and what it has read so far, <s> first."""

    rows: list[tuple[int, tuple[int, ...]]]

    def select(self, row_N: Ints) -> "Prefixes":
        return Prefixes([self.rows[row] for row in row_N.tolist()])

    def coverage(self, row: int) -> list[float]:
        """Return the ids read: a sequence must get what its own row has."""
        return [float(id_) for id_ in self.rows[row][1]]


def look_up(table: Table, last_id_R: Ints, state: Prefixes) -> tuple[Floats, Prefixes]:
    """Return log_prob_RV of every next token, and the state there."""
    rows = [
        (sentence, (*read, last_id))
        for (sentence, read), last_id in zip(state.rows, last_id_R.tolist(), strict=True)
    ]
    return np.array([table(sentence, read[1:]) for sentence, read in rows]), Prefixes(rows)


@dataclass
class TableStep:
    """A step function that looks a table up, and notes how many hypotheses it is given."""

    table: Table
    sizes: list[int] = field(default_factory=list)

    def __call__(
        self, last_id_R: Ints, state: Prefixes, count: int
    ) -> tuple[Floats, Ints, Prefixes]:
        self.sizes.append(len(last_id_R))
        log_prob_RV, state = look_up(self.table, last_id_R, state)
        last = min(count, VOCABULARY) - 1
        id_RK = np.argpartition(-log_prob_RV, last, axis=1)[:, : last + 1]
        return np.take_along_axis(log_prob_RV, id_RK, axis=1), id_RK, state


def prefixes(sentences: int) -> Prefixes:
    """Return the state before the first token."""
    return Prefixes([(sentence, ()) for sentence in range(sentences)])


def beam(
    step: TableStep,
    limits: list[int],
    *,
    beam_size: int,
    length_penalty: float = 1.0,
    margin: float | Floats = math.inf,
) -> list[list[Hypothesis]]:
    return beam_search(
        step,
        prefixes(len(limits)),
        np.array(limits, dtype=np.int64),
        Decoding(beam_size, length_penalty),
        margin=margin,
    )


# Tables, and what follows from one by plain enumeration


def normalised(logits: list[float]) -> list[float]:
    total = math.log(sum(math.exp(logit) for logit in logits))
    return [logit - total for logit in logits]


def random_table(seed: int, *, impossible: float = 0.0) -> Table:
    """Return random log-probabilities. A share of the words is impossible; <eos> never is."""

    def table(sentence: int, ids: tuple[int, ...]) -> list[float]:
        rng = random.Random(f"{seed}/{sentence}/{ids}")
        logits = [
            rng.gauss(0, 1) if rng.random() >= impossible or id_ == EOS else -math.inf
            for id_ in range(VOCABULARY)
        ]
        return normalised(logits)

    return table


def every_sequence(
    table: Table, sentence: int, limit: int, ids: tuple[int, ...] = (), log_prob: float = 0.0
) -> Iterator[tuple[tuple[int, ...], float]]:
    """Yield each possible sequence, with its <eos> where it has one, and its log-probability."""
    if len(ids) == limit or ids[-1:] == (EOS,):
        yield ids, log_prob
        return
    for id_, its_log_prob in enumerate(table(sentence, ids)):
        if its_log_prob > -math.inf:
            yield from every_sequence(table, sentence, limit, (*ids, id_), log_prob + its_log_prob)


def ranked(
    sequences: list[tuple[tuple[int, ...], float]], length_penalty: float
) -> list[tuple[list[int], float, float]]:
    """Return ids without <eos>, log-probability and score of each sequence, best first."""
    rows = [
        ([id_ for id_ in ids if id_ != EOS], log_prob, log_prob / len(ids) ** length_penalty)
        for ids, log_prob in sequences
    ]
    return sorted(rows, key=lambda row: -row[2])


def assert_found(found: list[Hypothesis], expected: list[tuple[list[int], float, float]]) -> None:
    assert [hypothesis.ids for hypothesis in found] == [ids for ids, _, _ in expected]
    for hypothesis, (_, log_prob, score) in zip(found, expected, strict=True):
        assert hypothesis.log_prob == pytest.approx(log_prob, abs=1e-9)
        assert hypothesis.score == pytest.approx(score, abs=1e-9)


# A beam


@pytest.mark.parametrize("length_penalty", PENALTIES)
@pytest.mark.parametrize("limit", [1, 2, 4, 5])
def test_a_beam_as_wide_as_all_sequences_finds_them_all_in_order(
    limit: int, length_penalty: float
) -> None:
    table = random_table(limit)
    found = beam(TableStep(table), [limit] * 2, beam_size=EVERYTHING, length_penalty=length_penalty)
    for sentence in range(2):
        everything = [*every_sequence(table, sentence, limit)]
        assert_found(found[sentence], ranked(everything, length_penalty))


@pytest.mark.parametrize("seed", range(10))
def test_a_beam_wider_than_what_is_possible_finds_just_that(seed: int) -> None:
    table = random_table(seed, impossible=0.6)
    found = beam(TableStep(table), [4, 3, 5], beam_size=EVERYTHING)
    for sentence, limit in enumerate([4, 3, 5]):
        assert_found(found[sentence], ranked([*every_sequence(table, sentence, limit)], 1.0))


def narrow_beam(
    table: Table, sentence: int, limit: int, beam_size: int, margin: float = math.inf
) -> list[tuple[tuple[int, ...], float]]:
    """Return what a beam finds, in plain Python: at each step the best continuations of all live
    sequences, as many as have not ended yet, within `margin` of the step's best."""
    ended: list[tuple[tuple[int, ...], float]] = []
    live: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
    while live:
        continued = [
            ((*ids, id_), log_prob + its_log_prob)
            for ids, log_prob in live
            for id_, its_log_prob in enumerate(table(sentence, ids))
            if its_log_prob > -math.inf
        ]
        best = sorted(continued, key=lambda row: -row[1])[: beam_size - len(ended)]
        best = [row for row in best if row[1] >= best[0][1] - margin]
        live = [row for row in best if row[0][-1] != EOS and len(row[0]) < limit]
        ended += [row for row in best if row not in live]
    return ended


@pytest.mark.parametrize("beam_size", [1, 2, 3, 5, 17])
def test_a_narrow_beam_keeps_the_best_at_each_step(beam_size: int) -> None:
    for seed in range(20):
        table = random_table(seed, impossible=0.2)
        found = beam(TableStep(table), [5, 4, 6], beam_size=beam_size, length_penalty=0.6)
        for sentence, limit in enumerate([5, 4, 6]):
            expected = ranked(narrow_beam(table, sentence, limit, beam_size), 0.6)
            assert_found(found[sentence], expected)


@pytest.mark.parametrize("margin", [0.0, 0.5, 1.5])
def test_a_margin_gives_up_what_lies_too_far_below_the_best(margin: float) -> None:
    given_up = 0
    for seed in range(20):
        table = random_table(seed, impossible=0.2)
        found = beam(TableStep(table), [5, 4, 6], beam_size=5, margin=margin)
        for sentence, limit in enumerate([5, 4, 6]):
            expected = ranked(narrow_beam(table, sentence, limit, 5, margin), 1.0)
            assert_found(found[sentence], expected)
            given_up += 5 - len(expected)
    assert given_up > 0


def test_each_sentence_may_have_a_margin_of_its_own() -> None:
    table, margins = random_table(4, impossible=0.2), [1.5, 0.0, math.inf]
    found = beam(TableStep(table), [5, 4, 6], beam_size=5, margin=np.array(margins))
    for sentence, (limit, margin) in enumerate(zip([5, 4, 6], margins, strict=True)):
        assert_found(found[sentence], ranked(narrow_beam(table, sentence, limit, 5, margin), 1.0))


def test_a_sentence_finds_the_same_in_any_company() -> None:
    table, limits = random_table(3), [5, 1, 3, 4, 2, 5, 1]
    together = beam(TableStep(table), limits, beam_size=3)
    for sentence, limit in enumerate(limits):

        def alone(_: int, ids: tuple[int, ...], sentence: int = sentence) -> list[float]:
            return table(sentence, ids)

        assert beam(TableStep(alone), [limit], beam_size=3) == [together[sentence]]


def test_a_sequence_has_the_sum_and_the_least_along_its_path_and_what_its_last_state_read() -> None:
    ended = []
    for seed in range(10):
        table = random_table(seed)
        for sentence, hypotheses in enumerate(beam(TableStep(table), [4, 4], beam_size=4)):
            assert len(hypotheses) == 4
            for hypothesis in hypotheses:
                path = [*hypothesis.ids, EOS][:4]
                steps = [table(sentence, tuple(path[:at]))[id_] for at, id_ in enumerate(path)]
                assert hypothesis.log_prob == pytest.approx(sum(steps), abs=1e-12)
                assert hypothesis.lowest == min(steps)
                assert hypothesis.ended == (path[-1] == EOS)
                assert hypothesis.coverage == [BOS, *path[:-1]]
                ended.append(hypothesis.ended)
    assert {*ended} == {True, False}


def ends_after(lengths: list[int]) -> Table:
    """Return a table where sentence n can only end with its token number lengths[n]."""

    def table(sentence: int, ids: tuple[int, ...]) -> list[float]:
        if len(ids) + 1 == lengths[sentence]:
            return [-math.inf, -math.inf, -math.inf, 0.0]
        return [*normalised([2.0, 1.0, 0.0]), -math.inf]

    return table


def test_a_finished_sentence_leaves_the_batch() -> None:
    step = TableStep(ends_after([2, 4, 1]))
    found = beam(step, [9, 9, 9], beam_size=2)
    # Three starts; then sentences 0 and 1 with two hypotheses each; then sentence 1 alone, twice.
    assert step.sizes == [3, 4, 2, 2]
    assert [[len(hypothesis.ids) for hypothesis in beam] for beam in found] == [[1, 1], [3, 3], [0]]


def test_a_sentence_leaves_the_batch_at_its_limit() -> None:
    step = TableStep(ends_after([99, 99, 99]))
    found = beam(step, [2, 3, 1], beam_size=2)
    assert step.sizes == [3, 4, 2]
    assert [[len(hypothesis.ids) for hypothesis in beam] for beam in found] == [
        [2] * 2,
        [3] * 2,
        [1] * 2,
    ]


def test_an_ended_hypothesis_narrows_the_beam() -> None:
    def table(_: int, ids: tuple[int, ...]) -> list[float]:
        return normalised([0.5, 0.1, 0.0, 0.6])

    step = TableStep(table)
    (found,) = beam(step, [9], beam_size=3)
    # Three wide: <eos>, 0, 1. Two wide: 0 <eos>, 0 0. One wide: 0 0 <eos>.
    assert step.sizes == [1, 2, 1]
    assert sorted(hypothesis.ids for hypothesis in found) == [[], [0], [0, 0]]


@pytest.mark.parametrize("length_penalty", PENALTIES)
def test_the_length_penalty_divides_by_a_power_of_the_length(length_penalty: float) -> None:
    by_hand = {0.0: -6.0, 0.6: -6.0 / 4**0.6, 1.0: -1.5, 2.0: -0.375}
    assert length_normalised(-6.0, 4, length_penalty) == pytest.approx(by_hand[length_penalty])


def test_the_length_penalty_decides_between_likely_and_likely_by_the_token() -> None:
    short, long = math.log(0.4), math.log(0.6)

    def table(_: int, ids: tuple[int, ...]) -> list[float]:
        if not ids:  # end with 0.4, or go on with 0.6
            return [long, -math.inf, -math.inf, short]
        if len(ids) == 1:  # 0.6 * 0.6 = 0.36 is less than 0.4, but more by the token
            return [long, short, -math.inf, -math.inf]
        return [-math.inf] * 3 + [0.0]

    for length_penalty, ids in [(0.0, []), (1.0, [0, 0])]:
        ((best, *_),) = beam(TableStep(table), [9], beam_size=5, length_penalty=length_penalty)
        assert best.ids == ids


def test_no_sentences_are_searched_in_no_steps() -> None:
    step = TableStep(random_table(0))
    assert beam(step, [], beam_size=2) == []
    assert step.sizes == []


# A beam of 1: greedy


@pytest.mark.parametrize("seed", range(20))
def test_greedy_takes_the_likeliest_token_at_every_step(seed: int) -> None:
    table, limits = random_table(seed, impossible=0.2), [5, 1, 7, 3]
    found = beam(TableStep(table), limits, beam_size=1, length_penalty=0.6)
    for sentence, hypotheses in enumerate(found):
        ids: list[int] = []
        log_prob = 0.0
        while len(ids) < limits[sentence] and EOS not in ids:
            log_probs = table(sentence, tuple(ids))
            ids.append(log_probs.index(max(log_probs)))
            log_prob += max(log_probs)
        (expected,) = ranked([(tuple(ids), log_prob)], 0.6)
        assert_found(hypotheses, [expected])


# A real model


def random_model() -> Seq2Seq:
    """Return a model of 8 random words in each language, in float64."""
    config = ModelConfig(embedding_size=6, encoder_size=4, decoder_size=8, decoder_layers=2)
    model = Seq2Seq(config, source_size=20, target_size=20, joint=True).double()
    rng = torch.Generator().manual_seed(3)
    for parameter in model.parameters():
        nn.init.normal_(parameter, generator=rng)
    return model


def random_sources() -> tuple[Ints, Ints]:
    """Return source_BS and length_B, of at most 6 tokens."""
    source_BS = torch.randint(12, 20, (8, 6), generator=torch.Generator().manual_seed(4)).numpy()
    return source_BS, np.array([6, 1, 3, 2, 5, 4, 6, 2])


@torch.no_grad()
def test_what_a_real_model_finds_has_the_log_probability_of_teacher_forcing() -> None:
    model, (source_BS, length_B) = random_model(), random_sources()
    engine, limit_B = TorchEngine(model), 2 * length_B
    start = engine.start(source_BS, length_B)
    found = beam_search(engine.step, start, limit_B, Decoding(4, length_penalty=1.0))
    for row, (limit, hypotheses) in enumerate(zip(limit_B, found, strict=True)):
        assert len(hypotheses) == 4
        source_S = torch.tensor(source_BS[row, : length_B[row]])
        alone = model.encode(source_S[None], torch.tensor([len(source_S)]))
        for hypothesis in hypotheses:
            path = [*hypothesis.ids, EOS][:limit]
            logits_TV = model.decode(torch.tensor([[BOS, *path[:-1]]]), alone)[0]
            logits_TV[:, [PAD, UNK, BOS]] = -torch.inf
            total = logits_TV.log_softmax(dim=1)[torch.arange(len(path)), path].sum().item()
            assert hypothesis.log_prob == pytest.approx(total, abs=1e-9)
            assert hypothesis.score == pytest.approx(total / len(path), abs=1e-9)
            weight_TS = model.align(torch.tensor([[BOS, *path[:-1]]]), alone)[0]
            assert hypothesis.coverage == pytest.approx(weight_TS.sum(dim=0).tolist(), abs=1e-9)
