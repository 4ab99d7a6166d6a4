"""Search against brute force: every sequence of a small vocabulary, scored along its path."""

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, get_args

import numpy as np
import pytest
import torch
from torch import nn

from gru_mt.config.decoding import Decoding
from gru_mt.config.schema import ModelConfig
from gru_mt.data.dataset.store import Ints
from gru_mt.data.tokenizer.special import BOS, EOS, PAD, UNK
from gru_mt.inference.engines.torch_engine import TorchEngine
from gru_mt.inference.search import Floats, Hypothesis, beam_search
from gru_mt.model.attention import Kind
from gru_mt.model.seq2seq import Seq2Seq

VOCABULARY = 4  # ids 0 to 3; to a fake step all are words but the last, which is <eos>
EVERYTHING = 400  # more than the sequences of up to 5 tokens: 1 + 3 + 9 + 27 + 81 * 4 = 364

Table = Callable[[int, tuple[int, ...]], list[float]]
"""sentence, ids so far -> log-probability of each next id."""
Sequences = list[tuple[tuple[int, ...], float]]
"""ids, with <eos> where a sequence has it, and their log-probability."""


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
    step: TableStep, limits: list[int], decoding: Decoding, margin: float | Floats = math.inf
) -> list[list[Hypothesis]]:
    limit_N = np.array(limits, dtype=np.int64)
    return beam_search(step, prefixes(len(limits)), limit_N, decoding, margin)


def normalised(logits: list[float]) -> list[float]:
    total = math.log(sum(math.exp(logit) for logit in logits))
    return [logit - total for logit in logits]


def random_table(seed: int, *, impossible: float = 0.2) -> Table:
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
    """Yield each possible sequence."""
    if len(ids) == limit or ids[-1:] == (EOS,):
        yield ids, log_prob
        return
    for id_, its_log_prob in enumerate(table(sentence, ids)):
        if its_log_prob > -math.inf:
            yield from every_sequence(table, sentence, limit, (*ids, id_), log_prob + its_log_prob)


def narrow_beam(
    table: Table, sentence: int, limit: int, beam_size: int, margin: float = math.inf
) -> Sequences:
    """Return what a beam finds, in plain Python: at each step the best continuations of all live
    sequences, as many as have not ended yet, within `margin` of the step's best."""
    ended: Sequences = []
    live: Sequences = [((), 0.0)]
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


def assert_found(found: list[Hypothesis], sequences: Sequences, length_penalty: float) -> None:
    """Assert that these sequences were found, the best first."""
    scores = {ids: log_prob / len(ids) ** length_penalty for ids, log_prob in sequences}
    expected = sorted(sequences, key=lambda row: -scores[row[0]])
    for hypothesis, (ids, log_prob) in zip(found, expected, strict=True):
        assert hypothesis.ids == [id_ for id_ in ids if id_ != EOS]
        assert hypothesis.log_prob == pytest.approx(log_prob, abs=1e-9)
        assert hypothesis.score == pytest.approx(scores[ids], abs=1e-9)


@pytest.mark.parametrize("length_penalty", [0.0, 0.6, 1.0, 2.0])
@pytest.mark.parametrize("impossible", [0.0, 0.6])
def test_a_beam_as_wide_as_all_sequences_finds_them_all_in_order(
    impossible: float, length_penalty: float
) -> None:
    table, limits = random_table(4, impossible=impossible), [1, 2, 4, 5]
    found = beam(TableStep(table), limits, Decoding(EVERYTHING, length_penalty))
    for sentence, limit in enumerate(limits):
        assert_found(found[sentence], [*every_sequence(table, sentence, limit)], length_penalty)


@pytest.mark.parametrize(
    ("beam_size", "margins"),
    [(1, [math.inf] * 3), (3, [math.inf] * 3), (17, [math.inf] * 3), (5, [1.5, 0.0, 0.5])],
)
def test_a_narrow_beam_keeps_the_best_at_each_step_within_the_margin(
    beam_size: int, margins: list[float]
) -> None:
    for seed in range(20):
        table, limits = random_table(seed), [5, 4, 6]
        found = beam(TableStep(table), limits, Decoding(beam_size, 0.6), np.array(margins))
        for sentence, (limit, margin) in enumerate(zip(limits, margins, strict=True)):
            expected = narrow_beam(table, sentence, limit, beam_size, margin)
            assert_found(found[sentence], expected, 0.6)


def test_a_sequence_has_the_sum_and_the_least_along_its_path_and_what_its_last_state_read() -> None:
    ended = []
    for seed in range(10):
        table = random_table(seed)
        for sentence, hypotheses in enumerate(beam(TableStep(table), [4, 4], Decoding(4))):
            for hypothesis in hypotheses:
                path = [*hypothesis.ids, EOS][:4]
                steps = [table(sentence, tuple(path[:at]))[id_] for at, id_ in enumerate(path)]
                assert hypothesis.log_prob == pytest.approx(sum(steps), abs=1e-12)
                assert hypothesis.lowest == min(steps)
                assert hypothesis.ended == (path[-1] == EOS)
                assert hypothesis.coverage == [BOS, *path[:-1]]
                ended.append(hypothesis.ended)
    assert {*ended} == {True, False}


def test_a_sentence_leaves_the_batch_when_it_has_ended_or_is_at_its_limit() -> None:
    def table(sentence: int, ids: tuple[int, ...]) -> list[float]:
        if len(ids) + 1 == [2, 99, 1][sentence]:  # the number of the token that is <eos>
            return [-math.inf, -math.inf, -math.inf, 0.0]
        return [*normalised([2.0, 1.0, 0.0]), -math.inf]

    step = TableStep(table)
    found = beam(step, [9, 4, 9], Decoding(2))
    # Three starts; then sentences 0 and 1 with two hypotheses each; then sentence 1 alone, twice.
    assert step.sizes == [3, 4, 2, 2]
    assert [[len(each.ids) for each in beam] for beam in found] == [[1, 1], [4, 4], [0]]


def random_model(**settings: Any) -> Seq2Seq:
    """Return a model of 8 random words in each language, in float64."""
    sizes = {"embedding_size": 6, "encoder_size": 4, "decoder_size": 8, "decoder_layers": 2}
    config = ModelConfig.model_validate(sizes | settings)
    model = Seq2Seq(config, source_size=20, target_size=20, joint=True).double()
    rng = torch.Generator().manual_seed(3)
    for parameter in model.parameters():
        nn.init.normal_(parameter, generator=rng)
    return model


@torch.no_grad()
@pytest.mark.parametrize("settings", [
    *({"attention": kind} for kind in get_args(Kind)),
    {"attention": "none", "context": "repeat", "output": "untied"},
])  # fmt: skip
def test_what_a_real_model_finds_is_that_of_teacher_forcing_of_each_source_alone(
    settings: dict[str, Any],
) -> None:
    model, length_B = random_model(**settings), np.array([6, 1, 3, 2, 5, 4, 6, 2])
    source_BS = torch.randint(12, 20, (8, 6), generator=torch.Generator().manual_seed(4)).numpy()
    engine, limit_B = TorchEngine(model), 2 * length_B
    start = engine.start(source_BS, length_B)
    found = beam_search(engine.step, start, limit_B, Decoding(4, length_penalty=1.0))
    weights: list[torch.Tensor] = []
    model.attention.register_forward_hook(lambda *given: weights.append(given[2][1]))
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
            if settings["attention"] == "none":
                assert hypothesis.coverage is None
                continue
            coverage_S = weights[-1][0].sum(dim=0).tolist()
            assert hypothesis.coverage == pytest.approx(coverage_S, abs=1e-9)
