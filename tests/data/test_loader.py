"""Buffers: together they are the epoch, and whoever makes one makes the same."""

from collections import Counter
from multiprocessing import active_children
from pathlib import Path

import numpy as np
import pytest

from gru_mt.config.schema import Config
from gru_mt.data import loader
from gru_mt.data.augment.augmenter import Augmenter
from gru_mt.data.dataset.ids import EpochPairs
from gru_mt.data.loader import PairLoader, Position, TrainingPairs
from gru_mt.data.prepare import TrainingData
from gru_mt.data.tokenizer.special import EOS
from gru_mt.training.train import train
from tests.conftest import Configure
from tests.training.stored import prepared

SAMPLED = ("tokenizer.kind=unigram", "tokenizer.vocabulary_size=300", "tokenizer.sampling=0.2")
PLAIN = ("data.augment=null",)


def training_pairs(config: Config, data: TrainingData, max_pairs: int = 10_000) -> TrainingPairs:
    return TrainingPairs(config, data.tokenizer, data.pairs, max_pairs=max_pairs)


def ids_of(pairs: EpochPairs) -> list[tuple[int, list[int], list[int]]]:
    """Return the row and the ids of each pair."""
    sides = pairs.source, pairs.target
    return [
        (row, *(side.padded(np.array([place]))[0][0].tolist() for side in sides))
        for place, row in enumerate(pairs.row_N.tolist())
    ]


@pytest.mark.parametrize("settings", [(), SAMPLED])
def test_buffers_are_an_epoch_together(
    settings: tuple[str, ...], small_config: Configure, tmp_path: Path
) -> None:
    config = small_config(*settings)
    data = prepared(config, tmp_path)
    whole, pairs = training_pairs(config, data), training_pairs(config, data, 100)
    assert (whole.buffers, pairs.buffers) == (1, -(-len(data.pairs) // 100))
    orders = []
    for epoch in (0, 1):
        buffers = [ids_of(pairs.load((epoch, buffer))) for buffer in range(pairs.buffers)]
        assert all(80 <= len(buffer) <= 100 for buffer in buffers)
        together = sorted(pair for buffer in buffers for pair in buffer)
        if settings != SAMPLED:  # there a buffer draws subwords of its own
            assert together == sorted(ids_of(whole.load((epoch, 0))))
        assert [row for row, _, _ in together] == [*range(len(data.pairs))]
        orders.append([[row for row, _, _ in buffer] for buffer in buffers])
    assert orders[0] != orders[1], "another epoch puts other pairs together"
    again = training_pairs(config, data, 100)
    assert ids_of(again.load((1, 2))) == ids_of(pairs.load((1, 2))), "whatever came before"


def test_an_epoch_changes_some_pairs_and_all_other_pairs_are_as_they_are(
    small_config: Configure, tmp_path: Path
) -> None:
    config = small_config("data.augment.no_mark=0.5")
    data = prepared(config, tmp_path)
    clean = ids_of(training_pairs(small_config(*PLAIN), data).load((0, 0)))
    assert config.data.augment
    texts = [*data.pairs.texts()]
    augmenter = Augmenter(
        config.data.augment, texts, data.pairs.word_lists(), seed=config.training.seed
    )
    pairs = training_pairs(config, data)
    encoders = data.tokenizer.source.encode, data.tokenizer.target.encode
    for epoch in (0, 1, 0):
        expected = clean.copy()
        changed = augmenter.of_epoch(epoch, range(len(texts)), texts)
        for row, sides in changed.items():
            source, target = (
                [*encode(text), EOS] for encode, text in zip(encoders, sides, strict=True)
            )
            expected[row] = row, source, target
        assert ids_of(pairs.load((epoch, 0))) == expected != clean


@pytest.mark.parametrize("max_pairs", [100, 10_000])
def test_an_epoch_takes_a_corpus_by_its_weight(
    max_pairs: int, small_config: Configure, small_corpus: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other.tsv"
    other.write_text("".join(f"we see the cat{n}.\tnous voir chat{n}.\n" for n in range(40)))
    corpora = (
        f"[{{path: {small_corpus}, weight: 0.25}}, {{path: {other}, weight: 2.5, part: train}}]"
    )
    config = small_config(f"data.corpus={corpora}", *PLAIN)
    data = prepared(config, tmp_path / "run")
    pairs = training_pairs(config, data, max_pairs)
    corpus_N = data.pairs.line_N["corpus"]
    quarter, twice = (np.flatnonzero(corpus_N == corpus).tolist() for corpus in (0, 1))
    total = Counter[int]()
    for epoch in range(4):
        buffers = [pairs.load((epoch, buffer)).row_N for buffer in range(pairs.buffers)]
        times = Counter(np.concatenate(buffers).tolist())
        assert {times[row] for row in twice} == {2, 3}
        assert sum(times[row] for row in twice) == 100
        assert abs(sum(times[row] for row in quarter) - len(quarter) / 4) < 1
        total += times
    assert {total[row] for row in quarter} == {1}, "each quarter is another one"
    assert {total[row] for row in twice} == {10}
    again = training_pairs(config, data, max_pairs).load((3, 0))
    assert ids_of(again) == ids_of(pairs.load((3, 0))), "whatever came before"


@pytest.mark.parametrize(
    ("settings", "least", "cores", "is_alone"),
    [(SAMPLED, 0, 1, False), ((), 0, 9, False), (PLAIN, 0, 9, True), ((), 900, 9, True)],
)
def test_other_processes_make_the_same_buffers_where_it_pays(
    settings: tuple[str, ...],
    least: int,
    cores: int,
    is_alone: bool,
    small_config: Configure,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(loader, "BUFFER_PAIRS", 150)
    monkeypatch.setattr(loader, "LEAST_ELSEWHERE", least)
    monkeypatch.setattr(loader, "cores", lambda: cores)
    config = small_config(*settings)
    data = prepared(config, tmp_path)
    here, ahead = training_pairs(config, data, 150), PairLoader(config, data.tokenizer, data.pairs)
    positions = [(epoch, index) for epoch in range(2) for index in range(ahead.buffers)]
    expected = [ids_of(here.load(position)) for position in positions]
    made_here, before = list[Position](), active_children()
    genuine = TrainingPairs.load

    def counted(self: TrainingPairs, position: Position) -> EpochPairs:
        made_here.append(position)
        return genuine(self, position)

    counted.__name__ = "load"  # by which other processes are told it
    monkeypatch.setattr(TrainingPairs, "load", counted)
    for position, pairs in zip(positions, expected, strict=True):
        assert ids_of(ahead.load(position)) == pairs
        ahead.prefetch(2)
    assert active_children() == before, "none waits for an epoch that never comes"
    ahead.close()
    assert len(positions) > 2
    assert made_here == (positions if is_alone else [])


@pytest.mark.slow
def test_a_run_in_buffers_is_resumed_to_the_same_bits(
    small_config: Configure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped inside the second buffer of an epoch, and between two buffers."""
    monkeypatch.setattr(loader, "BUFFER_PAIRS", 150)
    # With this seed the last validation is the best, so one more where a run stops changes nothing.
    settings = ("training.schedule=constant", "training.batch_tokens=600", "training.seed=3")
    config = small_config(*settings, *SAMPLED)
    whole = train(config, tmp_path / "whole")
    assert whole.buffer == 0
    updates = whole.step // 6  # of three buffers in each of two epochs, more or less
    for step in (updates + 2, 4 * updates):
        shorter = config.training.model_copy(update={"max_steps": step})
        train(config.model_copy(update={"training": shorter}), tmp_path / "parts")
    again = train(config, tmp_path / "parts")
    assert (again.step, again.best_bleu) == (whole.step, whole.best_bleu)
    bundles = [tmp_path / name / "model" / "weights.safetensors" for name in ("whole", "parts")]
    assert bundles[0].read_bytes() == bundles[1].read_bytes()
