"""Which runs there are, and how far each of them is."""

import json
import os
from pathlib import Path
from typing import cast

import portalocker
import pytest
import torch

from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.run import WEIGHTS, Run
from gru_mt.runs import RunOverview, list_runs
from gru_mt.tensors import save_tensors
from gru_mt.training.output.lock import is_locked, locked
from gru_mt.training.state import TrainState
from tests.kept_runs import make_run

ONE = EvaluationSet(["a cat sees a dog"], [["un chat voit un chien"]], "pets")
OTHER = EvaluationSet(["a car"], [["une voiture"]], "cars")


def make(folder: Path, *overrides: str) -> Run:
    return make_run(folder, [ONE, OTHER], [["un chat voit un chien"], ["non"]], *overrides)


def finish(run: Run, progress: TrainState) -> None:
    run.summary.write_text(json.dumps(progress.state_dict() | {"minutes": 1, "device": "cpu"}))


def save(run: Run, progress: TrainState) -> Path:
    """Write a checkpoint of nothing but progress."""
    run.checkpoints.mkdir(exist_ok=True)
    path = run.checkpoints / f"step-{progress.step:08d}.safetensors"
    save_tensors(path, {"a": torch.zeros(1)}, {"progress": progress.state_dict()})
    return path


def overview(run: Run) -> RunOverview:
    [found] = list_runs(run.folder)
    return found


def test_a_finished_run_has_its_scores(tmp_path: Path) -> None:
    run = make(tmp_path / "mine", "data.corpus=[fra-eng, data/more.en-fr.tsv]")
    finish(run, TrainState(step=9, epoch=3, best_bleu=41.5, elapsed_s=90))
    found = overview(run)
    assert (found.name, found.state, found.dev_bleu, found.minutes) == (
        "mine", "finished", 41.5, 1.5,
    )  # fmt: skip
    assert (found.corpora, found.source, found.target) == ("fra-eng, more", "en", "fr")
    assert found.test_bleu == {"pets": pytest.approx(100), "cars": 0}
    save_tensors(run.bundle / WEIGHTS, {"a": torch.ones(1)}, {})
    assert overview(run).test_bleu == {}, "they are of other weights"


def test_a_stopped_run_is_where_its_newest_checkpoint_is(tmp_path: Path) -> None:
    run = make(tmp_path / "mine")
    assert overview(run).state == "nothing saved yet"
    first = save(run, TrainState(step=7, best_bleu=1.0, epoch_step=7))
    for epoch_step, epoch in ((5, 3), (0, 2)):
        save(run, TrainState(step=1_200, epoch=2, epoch_step=epoch_step))
        assert overview(run).state == f"stopped at update 1,200 of epoch {epoch}"
        assert overview(run).dev_bleu is None
    finish(run, TrainState(step=1_200, epoch=2))
    assert overview(run).state == "finished"
    save(run, TrainState(step=1_201, epoch=2, epoch_step=1))
    assert overview(run).state == "stopped at update 1,201 of epoch 3"
    run.summary.unlink()
    for damaged in run.checkpoints.glob("step-00001*"):
        damaged.write_bytes(b"cut off")
    assert overview(run).state == "stopped at update 7 of epoch 1"
    first.write_bytes(b"")
    assert overview(run).state == "checkpoints: every checkpoint is damaged"


def test_a_run_in_training_is_running_and_stays_so(tmp_path: Path) -> None:
    run = make(tmp_path / "mine")
    run.lock.touch()
    assert not is_locked(run)
    with run.lock.open("rb") as lock:
        portalocker.lock(lock, portalocker.LockFlags.SHARED)  # as another `gru-mt runs` has it
        assert not is_locked(run), "looking at it does not make it look busy"
    with locked(run):
        assert overview(run).state == "running"
        save(run, TrainState(step=9, epoch=0, epoch_step=9))
        assert overview(run).state == "running, saved at update 9 of epoch 1"
    assert not is_locked(run)


def test_damage_is_told_and_hides_neither_the_rest_nor_other_runs(tmp_path: Path) -> None:
    damaged = make(tmp_path / "damaged")
    finish(damaged, TrainState(step=9, epoch=3, best_bleu=20))
    damaged.config.write_text("model: {cell: grou}")
    truncated = make(tmp_path / "truncated")
    finish(truncated, TrainState(step=cast("int", "many")))
    changed = make(tmp_path / "changed")
    path = changed.hypotheses("test")
    path.write_text(path.read_text().replace("chien", "chat"))
    (tmp_path / "empty").mkdir()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes").touch()
    (tmp_path / "a file").touch()
    (tmp_path / ".hidden").mkdir()
    found = {run.name: run for run in list_runs(tmp_path)}
    assert found.keys() == {"damaged", "truncated", "changed", "empty", "other"}
    assert found["damaged"].state.startswith("config.yaml: ")
    assert found["damaged"].dev_bleu == 20
    assert found["truncated"].state.startswith("summary.json: damaged: ")
    assert found["truncated"].corpora == "mine"
    assert found["changed"].state.startswith("test.hypotheses.json: damaged: ")
    assert (found["empty"].state, found["other"].state) == ("empty", "no run")


def test_the_newest_run_is_first(tmp_path: Path) -> None:
    for name, written_s in (("a", 100), ("b", 300), ("c", 200)):
        run = make(tmp_path / name)
        os.utime(run.config, (written_s, written_s))
    assert [run.name for run in list_runs(tmp_path)] == ["b", "c", "a"]
    assert list_runs(tmp_path)[0].changed.timestamp() == 300
