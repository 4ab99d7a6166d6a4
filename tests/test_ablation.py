"""scripts/ablation: it ends at the main recipe, and ABLATION.md shows what was measured."""

import argparse
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import ablation
import pytest
from ablation import LINES, SHORT, START, STEPS, UPDATES, settings_of, tables

from gru_mt.config.load import load_config

CONFIGS = Path(__file__).parents[1] / "configs"
PAGE = (CONFIGS / "ABLATION.md").read_text(encoding="utf-8")


def test_the_ablation_ends_at_the_main_configuration() -> None:
    settings = [*settings_of(STEPS), "training.max_epochs=3"]
    without_minutes = ["model.may_shrink=false"]
    assert load_config(START, settings) == load_config(CONFIGS / "fra-eng.yaml", without_minutes)


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
