"""A run learns corrections, or stays as it is."""

import shutil
from pathlib import Path

import pytest
import torch

from gru_mt.bundle import load_bundle
from gru_mt.config.load import load_config
from gru_mt.config.schema import Config
from gru_mt.corrections import learn as learning
from gru_mt.corrections.learn import Learned, Measured, learn
from gru_mt.corrections.store import Correction
from gru_mt.errors import Interrupted, UserError
from gru_mt.evaluation.evaluate import find_sets
from gru_mt.inference.translator import Translator
from gru_mt.run import Run as RunFolder
from gru_mt.storage import is_temporary
from gru_mt.training.output.lock import InUse, locked
from tests.command_line import Run, add_correction

CPU = torch.device("cpu")
SENTENCE, BETTER = "they take three books.", "eux prends livre trois."  # no short text


@pytest.fixture
def run(workplace: Path, tmp_path: Path) -> Path:
    """Return a copy of a finished run, with three corrections."""
    run = shutil.copytree(workplace / "runs" / "small", tmp_path / "run")
    for source, target in ((SENTENCE, BETTER), ("I see!", "oui !"), ("you take!", "prends !")):
        add_correction(run, source, target)
    return run


def told(run: Path) -> Learned:
    return learn(run, say=lambda text: None)


def contents(run: Path) -> dict[str, bytes]:
    files = (path for path in run.rglob("*") if path.is_file())
    return {str(path.relative_to(run)): path.read_bytes() for path in files}


@pytest.mark.parametrize(("corrections", "copies"), [(4, 1_000), (5, 800), (100, 40), (101, 40)])
def test_few_corrections_are_trained_on_more_often(
    corrections: int, copies: int, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []

    def train(config: Config, _: RunFolder) -> None:
        asked.extend(corpus.weight for corpus in config.data.corpus)
        raise UserError("seen")

    monkeypatch.setattr(learning, "train_run", train)
    pairs = [(SENTENCE, BETTER)] * corrections
    with pytest.raises(UserError, match="seen"):
        learning._trained(RunFolder(run), load_config(run / "config.yaml"), pairs, [], tmp_path)
    assert asked == [copies, 1]


def test_a_run_learns_what_was_corrected_and_keeps_the_model_before(
    run: Path, gru_mt: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(learning._TRAINING, "learning_rate", 1e-2)  # a tiny model learns slowly
    monkeypatch.setattr(learning, "MOST_LOST", 100.0)
    monkeypatch.setattr(learning, "LEAST_CORRECTED", 900)
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
    said = gru_mt("train", "--run", run, "--set", "training.max_epochs=4", "--no-report").err
    assert "this checkpoint has learned no corrections, as its translator has" in said


@pytest.mark.parametrize(
    ("limit", "value", "said"),
    [
        ("MOST_LOST", -100.0, "BLEU on dev falls"),
        ("LEAST_PRODUCED", 1.1, "less than 90 %"),
    ],
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


def test_a_model_that_forgets_as_much_as_it_learns_is_not_taken() -> None:
    before, after = (Measured(40.0, [], [True] * n + [False] * (105 - n)) for n in (100, 101))
    assert learning._verdict(before, after) == ""
    assert "no more than before" in learning._verdict(before, before)
    assert "no more than before" in learning._verdict(after, before)


@pytest.mark.parametrize(("least", "tried"), [(0.7, [0.5, 0.6, 0.7]), (2.0, [*learning.SHARES])])
def test_the_nearest_model_that_produces_what_was_missing_is_taken(
    least: float, tried: list[float], run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shares: dict[float, object] = {}

    def produced(model: Path, dev: object, wanted: list[Correction]) -> Measured:
        is_known = [one.source == SENTENCE or max(shares, default=0) >= least for one in wanted]
        return Measured(9.0, [one.target for one in wanted], is_known)

    monkeypatch.setattr(learning, "_trained", lambda run, *_: load_bundle(run.folder, CPU))
    monkeypatch.setattr(learning, "_between", lambda old, _, share: shares.setdefault(share, old))
    monkeypatch.setattr(learning, "_measured", produced)
    assert told(run).is_replaced == (least < 1)
    assert [*shares] == tried


def test_what_dev_or_test_has_is_not_learned(run: Path) -> None:
    (run / "corrections.jsonl").unlink()
    with pytest.raises(UserError, match="has no corrections; gru-mt correct adds them"):
        told(run)
    [dev], [test] = find_sets(run, "dev") or [], find_sets(run, "test") or []
    add_correction(run, dev.sources[0].upper(), "x")
    add_correction(run, "so it is.", test.references[0][0].upper())
    add_correction(run, f"{dev.sources[1]} So it is!", "Oui ! Non !")  # one of two sentences
    found = told(run)
    assert (found.corrections, found.kept_out, found.is_replaced) == (3, 3, False)


def test_what_is_stopped_in_the_middle_changes_nothing(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(config: Config, scratch: RunFolder) -> None:
        scratch.bundle.mkdir(parents=True)
        assert is_temporary(scratch.folder.parent.name), "the next start removes what a kill left"
        raise Interrupted(15, "stopped and saved; the same command goes on")

    monkeypatch.setattr(learning, "train_run", stop)
    before = contents(run)
    with pytest.raises(Interrupted, match="stopped; nothing changed"):
        told(run)
    assert contents(run) == before
    assert not [*run.glob(".learning*")]


def test_a_run_that_is_in_use_or_has_no_data_learns_nothing(run: Path) -> None:
    with pytest.raises(UserError, match="holds no run with a translator"):
        told(run / "data")
    shutil.rmtree(run / "data")
    before = contents(run)
    with pytest.raises(UserError, match=r"data/data\.json: cannot be read"):
        told(run)
    with locked(RunFolder(run)), pytest.raises(InUse, match="another training runs in it"):
        told(run)
    assert contents(run) == before
