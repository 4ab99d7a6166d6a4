"""scripts/ablation: it ends at the main recipe, and ABLATION.md shows what was measured."""

import argparse
import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import ablation
import pytest
from ablation import LINES, SHORT, START, STEPS, UPDATES, Step, settings_of, tables

from gru_mt.config.load import load_config

CONFIGS = Path(__file__).parents[1] / "configs"
PAGE = (CONFIGS / "ABLATION.md").read_text(encoding="utf-8")
TEXTS = ["Oui.", "Non."]


def line(step: str, seed: int, bleu: float, texts: list[str] | None = None) -> str:
    """Return a line of results of a step."""
    figures: dict[str, Any] = {"test_beam_5": {"value": bleu}}
    if texts:
        figures["translations"] = texts
    return json.dumps({"settings": {"step": step, "seed": seed}, "figures": figures})


def test_the_ablation_ends_at_the_main_configuration() -> None:
    settings = [*settings_of(STEPS), "training.max_epochs=3"]
    assert load_config(START, settings) == load_config(CONFIGS / "fra-eng.yaml")


def test_each_command_of_the_page_goes_from_the_run_before_to_the_step_that_it_names() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--config")
    parser.add_argument("--run")
    parser.add_argument("--set", action="append")
    config, settings = START.stem, list[str]()
    for line in re.findall(r"^gru-mt train (.*--run.*)", PAGE.replace("\\\n", ""), re.MULTILINE):
        options = parser.parse_args(shlex.split(line))
        assert options.config == config
        config, settings = f"{options.run}/config.yaml", [*settings, *options.set]
        steps = STEPS[: int(options.run.removeprefix("runs/step-")) + 1]
        wanted = [f"training.max_steps={UPDATES}", *SHORT, *settings_of(steps)]
        assert load_config(START, settings) == load_config(START, wanted)
    assert config == "runs/step-15/config.yaml"


def test_the_page_shows_the_tables_of_the_lines_that_are_kept() -> None:
    for table in tables(LINES.read_text(encoding="utf-8").splitlines()).split("\n\n"):
        assert table in PAGE, "scripts/ablation --seed prints the tables"


def test_a_row_has_the_mean_of_its_seeds_and_the_gain_on_the_row_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    steps = [Step("one", []), Step("two", ["a=1", "b=2"]), Step("three", []), Step("four", [])]
    monkeypatch.setattr(ablation, "STEPS", steps)
    lines = [
        line("one", 1, 99.0),
        line("two", 2, 8.0, TEXTS),
        line("two", 1, 6.0),
        line("one", 1, 4.0),  # counts instead of the first
        line("four", 1, 5.0),
    ]
    scores, translations = tables(lines).split("\n\n")
    assert scores.splitlines()[2:] == [
        "| 0 | one |  | 4.0 |  | ██ |",
        "| 1 | two | `a=1`<br>`b=2` | 7.0<br>6.0\xa0to\xa08.0 | +3.0 | ████ |",
        "| 3 | four |  | 5.0 | -2.0 | ██ |",
    ]
    assert translations.splitlines()[2:] == ["| 1 | Oui. | Non. |"]


def test_a_step_is_trained_with_its_settings_and_those_of_all_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trained: list[tuple[list[str], int]] = []
    recorded: list[dict[str, Any]] = []

    def measure(settings: list[str], updates: int, corpus: str) -> dict[str, Any]:
        trained.append((settings, updates))
        return {}

    monkeypatch.setattr(ablation, "measure", measure)
    monkeypatch.setattr(ablation, "begin", lambda track, settings: settings)
    monkeypatch.setattr(ablation, "record", lambda line, figures: recorded.append(line))
    monkeypatch.setattr(sys, "argv", ["ablation", "--seed", "2", "--step", "1", "16"])
    ablation.main()
    wanted = [(1, 966), (16, 3 * 966)]
    assert trained == [
        ([*SHORT, *settings_of(STEPS[: number + 1]), "training.seed=2"], updates)
        for number, updates in wanted
    ]
    assert [line["step"] for line in recorded] == [STEPS[1].name, STEPS[16].name]
