"""scripts/compare_cells: what it trains, and that the guide shows the tables of what it kept."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import compare_cells
import pytest
import torch
from benchmarks import cells
from benchmarks.cells import COPIED, LAYERS, LETTERS, UNITS, Copier, copied, layer_ms, texts
from compare_cells import CONFIG, LINES, Results, difference, span, tables

from gru_mt.config.load import load_config
from gru_mt.config.schema import Config

if TYPE_CHECKING:
    from gru_mt.model.cells import Cell

GUIDE = Path(__file__).parents[1] / "scripts" / "examples" / "README.md"


@pytest.fixture
def configs(monkeypatch: pytest.MonkeyPatch) -> list[Config]:
    """Train nothing; return the list of configurations that were to be trained."""
    asked: list[Config] = []

    def trained(settings: list[str], corpus: str, seed: int) -> dict[str, Any]:
        settings = [f"data.corpus.path={corpus}", *settings, f"training.seed={seed}"]
        asked.append(load_config(CONFIG, settings))
        return {}

    monkeypatch.setattr(compare_cells, "trained", trained)
    return asked


def line(figure: float, **settings: Any) -> str:
    """Return a line of results."""
    return json.dumps({"settings": settings, "figures": {"test_beam_5": {"value": figure}}})


def test_the_guide_shows_the_tables_of_the_lines_that_are_kept() -> None:
    guide = GUIDE.read_text(encoding="utf-8")
    for table in tables(Results(LINES.read_text(encoding="utf-8").splitlines())).split("\n\n"):
        assert table in guide, "scripts/compare_cells prints the tables"


def test_of_lines_with_the_same_settings_the_last_counts() -> None:
    lines = [
        line(3.0, part="epoch", cell="gru", seed=2),
        line(1.0, part="epoch", cell="gru", seed=1),
        line(2.0, part="epoch", cell="gru", seed=1),
        line(9.0, part="epoch", cell="rnn", seed=1),
        line(7.0, part="little", cell="gru", share="5 %", seed=1),
    ]
    results = Results(lines)
    assert results.bleu("epoch", "gru") == {1: 2.0, 2: 3.0}
    assert results.bleu("little", "gru", "5 %") == {1: 7.0}
    assert results.bleu("little", "gru", "1 %") == {}


def test_a_difference_has_the_interval_of_students_t_over_its_seeds() -> None:
    # Differences of 1, 2 and 3: mean 2, deviation 1. t of 2 degrees of freedom
    # is 4.303 at 97.5 %, and 4.303 / sqrt(3) is 2.48.
    scores, others = {3: 4.0, 1: 2.0, 2: 3.0, 4: 9.0}, {1: 1.0, 2: 1.0, 3: 1.0}  # no seed 4
    assert difference(scores, others) == "+2.0 (-0.5 to +4.5)"
    assert span([1.0, 3.0, 2.0]) == "2.0 (1.0 to 3.0)"


def test_an_epoch_is_trained_with_each_cell(configs: list[Config]) -> None:
    names = [settings["cell"] for settings, _ in compare_cells.measured("epoch", "fra-eng", seed=2)]
    trained = [config.model.cell for config in configs]
    assert [name.removesuffix("-equal") for name in names] == trained
    assert len({*names}) == 7
    assert {config.training.seed for config in configs} == {2}


def test_little_data_is_a_share_of_the_pairs_in_more_epochs(configs: list[Config]) -> None:
    shares = [
        settings["share"] for settings, _ in compare_cells.measured("little", "fra-eng", seed=1)
    ]
    assert shares == [share for share in ("1 %", "5 %", "25 %") for _ in range(3)]
    train = 161_973  # pairs of fra-eng's training split
    for share, config in zip(shares, configs, strict=True):
        [corpus] = config.data.corpus
        assert corpus.limit == round(train * int(share.split()[0]) / 100)
    assert [config.training.max_epochs for config in configs[::3]] == [20, 10, 5]


def test_a_text_to_copy_is_letters_then_a_gap_then_a_step_for_each() -> None:
    letter_BT, letter_BN = texts(5, 7, torch.Generator().manual_seed(1))
    assert letter_BT.shape == (5, COPIED + 7 + COPIED)
    assert torch.equal(letter_BT[:, :COPIED], letter_BN)
    assert (letter_BN < LETTERS).all()
    assert (letter_BT[:, COPIED : COPIED + 7] == LETTERS).all()
    assert (letter_BT[:, -COPIED:] == LETTERS + 1).all()


@pytest.mark.slow
def test_a_copier_learns_to_copy_what_stands_near(monkeypatch: pytest.MonkeyPatch) -> None:
    threads = torch.get_num_threads()
    monkeypatch.setattr(cells, "UPDATES", 150)
    try:
        with torch.random.fork_rng():
            right = copied("gru open", 1, seed=1)
    finally:
        torch.set_num_threads(threads)
        torch.set_flush_denormal(False)
    assert right > 3 / LETTERS


@pytest.mark.parametrize("kind", ["gru", "lstm"])
def test_an_open_gate_keeps_nearly_all_of_the_state(kind: str) -> None:
    def lost(name: str) -> float:
        torch.manual_seed(1)
        cell = cast("Cell", Copier(name).layer.get_submodule("layers.0.cell"))
        state_BZ = torch.rand(100, cell.state_size) * 2 - 1
        changed_BZ = (cell(torch.zeros(100, UNITS), state_BZ) - state_BZ).abs()
        return float(changed_BZ[:, -UNITS:].mean())  # of an LSTM its memory, which stands last

    with torch.random.fork_rng(), torch.no_grad():
        assert lost(f"{kind} open") < 0.75 * lost(kind)


def test_a_layers_speed_is_measured_of_every_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "TIMED", 1)
    with torch.random.fork_rng():
        found = layer_ms(8, seed=1)
    assert [*found] == LAYERS
    assert all(figures.keys() == {"training", "inference"} for figures in found.values())
    assert all(ms > 0 for figures in found.values() for ms in figures.values())
