"""Buffers: together they are the epoch, and whoever makes one makes the same."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gru_mt.config.schema import Config
from gru_mt.data import loader
from gru_mt.data.dataset.ids import EpochPairs
from gru_mt.data.loader import PairLoader, Position, TrainingPairs
from gru_mt.data.prepare import TrainingData, prepare
from gru_mt.data.splits import least_weight
from gru_mt.errors import UserError
from gru_mt.run import Run
from gru_mt.training.resume import from_scratch
from gru_mt.training.train import train

Configure = Callable[..., Config]
SAMPLED = ("tokenizer.kind=unigram", "tokenizer.vocabulary_size=300", "tokenizer.sampling=0.2")


def data_of(config: Config, folder: Path) -> TrainingData:
    return prepare(from_scratch(config), Run(folder))


def ids_of(pairs: EpochPairs) -> list[tuple[int, list[int], list[int]]]:
    """Return the row and the ids of each pair."""
    each = (np.array([place]) for place in range(len(pairs.row_N)))
    return [
        (
            int(pairs.row_N[place[0]]),
            pairs.source.padded(place)[0][0].tolist(),
            pairs.target.padded(place)[0][0].tolist(),
        )
        for place in each
    ]


@pytest.mark.parametrize("settings", [(), SAMPLED, ("data.augment=null",)])
def test_buffers_are_an_epoch_together(
    settings: tuple[str, ...], small_config: Configure, tmp_path: Path
) -> None:
    config = small_config(*settings)
    data = data_of(config, tmp_path)
    whole = TrainingPairs(config, data.tokenizer, data.pairs, max_pairs=10_000)
    pairs = TrainingPairs(config, data.tokenizer, data.pairs, max_pairs=100)
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
    again = TrainingPairs(config, data.tokenizer, data.pairs, max_pairs=100)
    assert ids_of(again.load((1, 2))) == ids_of(pairs.load((1, 2))), "whatever came before"


@pytest.mark.parametrize("weight", [2.5, 0.25])
def test_buffers_of_a_corpus_with_a_weight_are_its_share_of_an_epoch(
    weight: float, small_corpus: Path, small_config: Configure, tmp_path: Path
) -> None:
    corpus = f"data.corpus={{path: {small_corpus}, weight: {weight}}}"
    config = small_config(corpus, "data.augment=null")
    data = data_of(config, tmp_path)
    size = len(data.pairs)
    pairs = TrainingPairs(config, data.tokenizer, data.pairs, max_pairs=100)
    times = Counter[int]()
    for epoch in range(4):
        buffers = [pairs.load((epoch, buffer)) for buffer in range(pairs.buffers)]
        rows = np.concatenate([each.row_N for each in buffers]).tolist()
        assert abs(len(rows) - weight * size) <= 1
        once = Counter(rows)
        assert max(once.values()) - min(once[row] for row in range(size)) <= 1
        times += once
    assert {*times.values()} == {round(4 * weight)}, "four epochs take each pair as often"
    again = TrainingPairs(config, data.tokenizer, data.pairs, max_pairs=100)
    assert again.load((3, 1)).row_N.tolist() == buffers[1].row_N.tolist(), "whatever came before"


def test_a_weight_that_leaves_an_epoch_empty_is_refused_with_the_least_that_does_not(
    small_corpus: Path, small_config: Configure, tmp_path: Path
) -> None:
    other = small_corpus.with_name("other.tsv")
    other.write_text("a dog\tun chien\n")

    def config(weight: float, weight_of_other: float) -> Config:
        corpora = [
            f"{{path: {small_corpus}, weight: {weight}, part: train}}",
            f"{{path: {other}, weight: {weight_of_other}, part: train}}",
        ]
        return small_config(f"data.corpus=[{', '.join(corpora)}]")

    with pytest.raises(UserError) as raised:
        data_of(config(0.002, 0.5), tmp_path)
    assert str(raised.value) == (
        "data.corpus.0.weight: an epoch would be empty, as it takes 0.002 of 420 pairs; set it to "
        "0.00239 or more"
    )
    assert not Run(tmp_path).data.exists()
    for accepted in (config(0.00239, 0.5), config(0.0001, 1)):
        data = data_of(accepted, tmp_path)
        pairs = TrainingPairs(accepted, data.tokenizer, data.pairs, max_pairs=100)
        for epoch in range(9):
            assert len(pairs.load((epoch, 0)).row_N) >= 1


def test_the_least_weight_draws_a_pair() -> None:
    assert [least_weight(size) for size in (1, 3, 1_000, 10_000_000)] == [
        "1", "0.334", "0.001", "0.0000001",
    ]  # fmt: skip
    assert all(size * float(least_weight(size)) >= 1 for size in range(1, 20_000))


@pytest.mark.parametrize(
    ("settings", "starting_s"), [((), 0), (SAMPLED, 0), (("data.augment=null",), 0), ((), 9)]
)
def test_another_process_makes_the_same_buffers(
    settings: tuple[str, ...],
    starting_s: int,
    small_config: Configure,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(loader, "BUFFER_PAIRS", 150)
    monkeypatch.setattr(loader, "STARTING_S", starting_s)
    config = small_config(*settings)
    data = data_of(config, tmp_path)
    here = TrainingPairs(config, data.tokenizer, data.pairs, max_pairs=150)
    ahead = PairLoader(config, data.tokenizer, data.pairs)
    made_here: list[tuple[int, int]] = []
    genuine = TrainingPairs.load

    def counted(self: TrainingPairs, position: Position) -> EpochPairs:
        made_here.append(position)
        return genuine(self, position)

    positions = [(epoch, index) for epoch in range(2) for index in range(ahead.buffers)]
    assert ahead.buffers > 1
    expected = [ids_of(here.load(position)) for position in positions]
    counted.__name__ = "load"  # by which the other process is told it
    monkeypatch.setattr(TrainingPairs, "load", counted)
    for position, pairs in zip(positions, expected, strict=True):
        assert ids_of(ahead.load(position)) == pairs
        ahead.prefetch()
    ahead.close()
    alone = positions if starting_s or "data.augment=null" in settings else positions[:1]
    assert made_here == alone, "the others come from the other process, where it pays"


def test_a_run_in_buffers_is_resumed_to_the_same_bits(
    small_config: Configure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped inside the second buffer of an epoch, and between two buffers."""
    monkeypatch.setattr(loader, "BUFFER_PAIRS", 150)
    config = small_config("training.schedule=constant", *SAMPLED)
    whole = train(config, tmp_path / "whole")
    assert whole.buffer == 0
    updates = whole.step // 6  # of three buffers in each of two epochs, more or less
    for step in (updates + 2, 2 * updates, 4 * updates):
        shorter = config.training.model_copy(update={"max_steps": step})
        train(config.model_copy(update={"training": shorter}), tmp_path / "parts")
    again = train(config, tmp_path / "parts")
    assert (again.step, again.best_bleu) == (whole.step, whole.best_bleu)
    bundles = [tmp_path / name / "model" / "weights.safetensors" for name in ("whole", "parts")]
    assert bundles[0].read_bytes() == bundles[1].read_bytes()
