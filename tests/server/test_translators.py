"""Processes translate as a thread does: by the present model, and after a kill."""

import multiprocessing
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
import torch

from gru_mt import Translator
from gru_mt.bundle import load_bundle, save_bundle
from gru_mt.inference.engines.torch_engine import TorchEngine
from gru_mt.server import directions
from gru_mt.server.directions import Direction
from gru_mt.server.translators import Translate, translators

LINES = [f"I see {number} cats." for number in range(5)]
Started = tuple[Direction, Translate]


@pytest.fixture
def started(workplace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Started]:
    """Yield a run that two processes serve, and what translates by it."""
    run = tmp_path / "run"
    shutil.copytree(workplace / "runs" / "small", run)
    monkeypatch.setattr(TorchEngine, "threads", 2)
    monkeypatch.setattr(directions, "LOOK_S", 0)
    direction = Direction(run, partial(Translator.load, run))
    with translators([direction]) as (count, translate):
        assert count == 2
        yield direction, translate


@pytest.mark.slow
def test_processes_translate_as_this_one_does_and_one_that_is_killed_is_replaced(
    started: Started,
) -> None:
    direction, translate = started
    expected = [*map(str, direction.loaded.translate(LINES))]
    assert [*map(str, translate(direction, LINES, 1))] == expected
    assert [len(each.texts) for each in translate(direction, LINES, 2)] == [2] * len(LINES)
    for process in multiprocessing.active_children():
        process.kill()
        process.join()
    assert [*map(str, translate(direction, LINES, 1))] == expected


@pytest.mark.slow
def test_processes_renew_the_model_and_keep_it_where_the_new_one_is_damaged(
    started: Started,
) -> None:
    direction, translate = started
    weights = direction.path / "model" / "weights.safetensors"
    before = [*map(str, translate(direction, LINES, 1))]
    bundle = load_bundle(direction.path, torch.device("cpu"))
    weights.write_bytes(weights.read_bytes()[:-1])
    assert [*map(str, translate(direction, LINES, 1))] == before
    for weight in bundle.model.parameters():
        weight.data.neg_()
    shutil.rmtree(direction.path / "model")
    save_bundle(direction.path / "model", bundle, {})
    after = [*map(str, Translator.load(direction.path).translate(LINES))]
    assert before != after
    for _ in range(4):  # whichever process has the lines
        assert [*map(str, translate(direction, LINES, 1))] == after
