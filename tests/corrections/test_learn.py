"""A run learns corrections, or stays as it is."""

import shutil
from pathlib import Path

import pytest
import torch

from gru_mt.bundle import load_bundle
from gru_mt.corrections import learn as learning
from gru_mt.corrections.learn import Learned, learn
from gru_mt.corrections.store import add_correction
from gru_mt.errors import UserError
from gru_mt.evaluation.evaluate import find_sets
from gru_mt.inference.translator import Translator

CPU = torch.device("cpu")
SENTENCE, BETTER = "they take three books.", "eux prends livre trois."  # no short text


@pytest.fixture
def run(workplace: Path, tmp_path: Path) -> Path:
    """Return a copy of a finished run, with three corrections."""
    run = shutil.copytree(workplace / "runs" / "small", tmp_path / "run")
    for source, target in ((SENTENCE, BETTER), ("I see!", "oui !"), ("you take!", "prends !")):
        add_correction(run, source, target, by="")
    return run


def told(run: Path) -> Learned:
    return learn(run, say=lambda text: None)


def contents(run: Path) -> dict[str, bytes]:
    files = (path for path in run.rglob("*") if path.is_file())
    return {str(path.relative_to(run)): path.read_bytes() for path in files}


def test_a_run_learns_what_was_corrected_and_keeps_the_model_before(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(learning._TRAINING, "learning_rate", 1e-2)  # a tiny model learns slowly
    monkeypatch.setattr(learning, "COPIES", 200)
    monkeypatch.setattr(learning, "MOST_LOST", 100.0)
    before = contents(run)
    found = told(run)
    (run / "corrections.jsonl").rename(run / "hidden")
    translator = Translator.load(run)
    assert [each.text for each in translator.translate([SENTENCE, "I see!"])] == [BETTER, "oui !"]
    assert (found.corrections, found.kept_out, found.after.produced) == (3, 0, [True] * 3)
    assert found.is_replaced, found
    after = contents(run)
    assert after["model/weights.safetensors"] != before["model/weights.safetensors"]
    name = "model-before/weights.safetensors"
    assert after[name] == before["model/weights.safetensors"]
    assert {path.name for path in run.iterdir()} >= {"model", "model-before", "learned.json"}
    assert not [*run.glob(".learning*")]


@pytest.mark.parametrize(
    ("limit", "value", "said"),
    [("MOST_LOST", -100.0, "BLEU on dev falls"), ("LEAST_PRODUCED", 1.1, "it produces")],
)
def test_a_model_that_got_worse_changes_nothing(
    limit: str, value: float, said: str, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learning, "_trained", lambda run, *_: load_bundle(run.folder, CPU))
    monkeypatch.setattr(learning, "LEAST_PRODUCED", 0.0)
    monkeypatch.setattr(learning, limit, value)
    before = contents(run)
    found = told(run)
    assert said in found.reason
    assert not found.is_replaced
    after = contents(run)
    assert after.pop("learned.json")
    assert after == before


def test_what_dev_or_test_has_is_not_learned(run: Path) -> None:
    (run / "corrections.jsonl").unlink()
    with pytest.raises(UserError, match="has no corrections; gru-mt correct adds them"):
        told(run)
    [dev] = find_sets(run, "dev") or []
    add_correction(run, dev.sources[0].upper(), "x", by="")
    found = told(run)
    assert (found.corrections, found.kept_out, found.is_replaced) == (1, 1, False)


def test_a_folder_without_a_translator_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no run with a translator"):
        told(tmp_path)
