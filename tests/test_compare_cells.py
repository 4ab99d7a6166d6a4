"""scripts/compare_cells: what it trains, and that the page shows the tables of what it kept."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import compare_cells
import pytest
import torch
from benchmarks import cells
from benchmarks.cells import COPIED, LAYERS, LETTERS, copied, layer_ms, texts
from compare_cells import CONFIG, LINES, Results, difference, span, tables

from gru_mt.config.load import load_config

if TYPE_CHECKING:
    from gru_mt.config.schema import Config

PAGE = Path(__file__).parents[1] / "scripts" / "results" / "CELLS.md"


def line(figure: float, **settings: Any) -> str:
    """Return a line of results."""
    return json.dumps({"settings": settings, "figures": {"test_beam_5": {"value": figure}}})


@pytest.mark.slow  # it imports scipy
def test_the_page_shows_the_tables_of_the_lines_that_are_kept() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for table in tables(Results(LINES.read_text(encoding="utf-8").splitlines())).split("\n\n"):
        assert table in page, "scripts/compare_cells prints the tables"


def test_of_lines_with_the_same_settings_the_last_counts() -> None:
    figures = [(3.0, 2), (1.0, 1), (2.0, 1)]
    lines = [line(figure, part="epoch", cell="gru", seed=seed) for figure, seed in figures]
    results = Results([*lines, line(7.0, part="little", cell="gru", share="5 %", seed=1)])
    assert results.bleu("epoch", "gru") == {1: 2.0, 2: 3.0}
    assert results.bleu("little", "gru", "5 %") == {1: 7.0}


@pytest.mark.slow
def test_a_difference_has_the_interval_of_students_t_over_its_seeds() -> None:
    # Differences of 1, 2 and 3: mean 2, deviation 1. t of 2 degrees of freedom
    # is 4.303 at 97.5 %, and 4.303 / sqrt(3) is 2.48.
    scores, others = {3: 4.0, 1: 2.0, 2: 3.0, 4: 9.0}, {1: 1.0, 2: 1.0, 3: 1.0}  # no seed 4
    assert difference(scores, others) == "+2.0 (-0.5 to +4.5)"
    assert span([1.0, 3.0, 2.0]) == "2.0 (1.0 to 3.0)"


def test_each_cell_is_trained_on_shares_of_the_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    configs: list[Config] = []

    def trained(settings: list[str], corpus: str, seed: int) -> dict[str, Any]:
        configs.append(load_config(CONFIG, [f"data.corpus.path={corpus}", *settings]))
        return {}

    monkeypatch.setattr(compare_cells, "trained", trained)
    epoch = [settings["cell"] for settings, _ in compare_cells.measured("epoch", "fra-eng", seed=2)]
    assert [name.removesuffix("-equal") for name in epoch] == [one.model.cell for one in configs]
    configs.clear()
    little = [settings for settings, _ in compare_cells.measured("little", "fra-eng", seed=1)]
    pairs = 161_973  # of fra-eng's training split
    shares = [round(pairs * int(settings["share"].split()[0]) / 100) for settings in little]
    assert [config.data.corpus[0].limit for config in configs] == shares
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


def test_a_layers_speed_is_measured_of_every_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "TIMED", 1)
    with torch.random.fork_rng():
        found = layer_ms(8, seed=1)
    assert [*found] == LAYERS
    assert all(figures.keys() == {"training", "inference"} for figures in found.values())
    assert all(ms > 0 for figures in found.values() for ms in figures.values())
