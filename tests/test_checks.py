"""`gru-mt checks`, as a user types it."""

import json
import os
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any, NoReturn

import pytest
import torch

from gru_mt.cli.commands import checks
from gru_mt.cli.commands.checks import container_limits
from gru_mt.config.recipes import list_recipes
from gru_mt.training.optim import speed
from tests.command_line import Run

SCORED = {recipe.name for recipe in list_recipes() if recipe.updates}


@pytest.fixture(autouse=True)
def _known_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let each update take half a second, and 1,234 target tokens a second be trained on."""

    def measured(configs: list[Any], device: torch.device) -> list[speed.Speed]:
        return [speed.Speed(0.5, 1_234.0) for _ in configs]

    monkeypatch.setattr(speed, "measure_speeds", measured)


def test_a_screen_has_the_machine_and_the_minutes_of_each_scored_recipe(
    gru_mt: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = gru_mt("checks")
    facts, _, table = result.out.partition("\n\n")
    assert (result.code, os.listdir()) == (0, [])
    assert result.out.count("\n") <= 24
    assert all(len(line) <= 100 for line in result.out.splitlines())
    assert f"torch {torch.__version__}" in " ".join(facts.split())
    assert "about 1,200 target tokens a second" in facts
    _, *rows = map(str.split, table.splitlines())
    assert {row[0] for row in rows} == SCORED
    assert rows[0][0] == "fine-tune", "the shortest comes first"
    # 560 updates of half a second, each with 0.02 s of preparation and validations: 4.85 minutes
    assert ["quickstart", "96.0", "4.8"] in [row[:3] for row in rows]


def test_json_has_the_same(gru_mt: Run) -> None:
    result = gru_mt("checks", "--json")
    found = json.loads(result.out)
    assert found["torch"] == torch.__version__
    assert found["threads"] == torch.get_num_threads()
    assert found["tokens_s"] == 1_234
    minutes = {row["recipe"]: row["minutes"] for row in found["recipes"]}
    assert set(minutes) == SCORED
    assert minutes["fra-eng"] == 36.48  # 4,209 updates, 0.52 s each


def test_what_a_system_does_not_tell_is_left_out(
    gru_mt: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def version(name: str) -> NoReturn:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(checks, "version", version)
    monkeypatch.setattr(checks, "MEMINFO", Path("none"))
    monkeypatch.delattr(os, "sysconf")  # Windows has none
    monkeypatch.delattr(os, "sched_getaffinity")  # nor has it this, or macOS
    result = gru_mt("checks")
    assert result.code == 0
    assert "onnxruntime absent, tensorboard absent, pyarrow absent" in result.out
    assert "\nmemory     unknown\n" in result.out


CGROUP_1 = "cpu/cpu.cfs_quota_us", "cpu/cpu.cfs_period_us", "memory/memory.limit_in_bytes"


@pytest.mark.parametrize(
    ("files", "limits"),
    [
        ({}, (None, None)),
        ({"cpu.max": "max 100000\n", "memory.max": "max\n"}, (None, None)),
        ({"cpu.max": "150000 100000\n", "memory.max": "2000000000\n"}, (1.5, 2.0)),
        (dict(zip(CGROUP_1, ("-1", "100000", "9223372036854771712"), strict=True)), (None, None)),
        (dict(zip(CGROUP_1, ("400000", "100000", "512000000"), strict=True)), (4.0, 0.512)),
    ],
    ids=["none", "v2-unlimited", "v2", "v1-unlimited", "v1"],
)
def test_a_containers_limits_are_read(
    files: dict[str, str], limits: tuple[float | None, float | None], tmp_path: Path
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert container_limits(tmp_path) == limits


def test_more_threads_than_a_container_allows_are_named(
    gru_mt: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "container_limits", lambda folder: (1.5, 2.0))
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: range(64))
    monkeypatch.setattr(torch, "get_num_threads", lambda: 64)
    result = gru_mt("checks")
    assert "of which 1.5 may be used" in result.out
    assert "too many: set OMP_NUM_THREADS=2\n" in result.out
    assert ", 2.0 GB allowed in this container\n" in result.out


@pytest.mark.parametrize(("waited_s", "is_told"), [(0.0, False), (1e6, True)])
def test_a_speed_beside_other_programs_is_told_as_such(
    waited_s: float, is_told: bool, gru_mt: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "waited_for_cores_s", iter([0.0, waited_s]).__next__)
    assert ("other programs compute too" in gru_mt("checks").out) == is_told


def test_a_card_that_torch_sees_and_cannot_compute_on_is_named(
    gru_mt: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda *_: "Tesla K80")
    result = gru_mt("checks")
    assert "Tesla K80, unusable: training.device=cuda says why\n" in result.out
    assert "which auto takes on this cpu\n" in result.out
