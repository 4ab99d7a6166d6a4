"""What a run keeps of its translations."""

import math
from pathlib import Path
from typing import Any

import pytest
import torch

from gru_mt.config.decoding import Decoding
from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.errors import UserError
from gru_mt.evaluation.hypotheses import Hypotheses, read_hypotheses, write_hypotheses
from gru_mt.evaluation.robustness.measure import (
    RobustnessReport,
    Row,
    read_robustness,
    write_robustness,
)
from gru_mt.evaluation.score import score_translations
from gru_mt.run import WEIGHTS, Run
from gru_mt.storage import read_checksummed_json, write_checksummed_json
from gru_mt.tensors import save_tensors
from tests.kept_runs import make_run

SET = EvaluationSet(["A dog. A cat.", ""], [["Un chien. Un chat."], ["-"]], "pets")
TEXTS = ["Un chien. Un chat.", ""]
SCORES = score_translations(TEXTS, SET.references)
FOUND = Hypotheses(SET, TEXTS, [-1.5, None], [0.5, None], [["repeated"], []], 0.5, SCORES)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a run with a test split and weights, which keeps its hypotheses."""
    run = make_run(tmp_path / "run", [SET], [TEXTS])
    save_weights(run, 1.0)
    write_hypotheses(run.folder, "test", [FOUND], Decoding(), "13a")
    return run


def save_weights(run: Run, value: float) -> None:
    save_tensors(run.bundle / WEIGHTS, {"w": torch.tensor([value])}, {})


def test_a_run_keeps_what_it_or_its_bundle_translated(run: Run, tmp_path: Path) -> None:
    for folder, beam_size in ((run.folder, 3), (run.bundle, 2)):
        write_hypotheses(folder, "test", [FOUND], Decoding(beam_size), "intl")
        kept = read_hypotheses(run, "test")
        assert kept
        assert (kept.sets, kept.decoding.beam_size, kept.bleu_tokenizer) == (
            [FOUND], beam_size, "intl")  # fmt: skip
    assert FOUND.sentences_s == 4.0
    run.hypotheses("test").unlink()
    for folder in (run.export("int8"), tmp_path / "alone" / "model"):
        folder.mkdir(parents=True)
        write_hypotheses(folder, "test", [FOUND], Decoding(), "13a")
    assert not [*tmp_path.rglob("*.hypotheses.json")], "an export or a bundle alone keeps nothing"


def test_what_a_run_keeps_is_of_its_weights(run: Run) -> None:
    table = RobustnessReport((Row("in capitals", 2, 50.0, 20.0, 40.0),))
    assert read_robustness(run, "test") == []
    write_robustness(run.folder, "test", [table])
    assert read_robustness(run, "test") == [table]
    save_weights(run, 2.0)
    assert read_hypotheses(run, "test") is None
    assert read_robustness(run, "test") == []
    save_weights(run, 1.0)
    assert read_hypotheses(run, "test") is not None


def test_damaged_hypotheses_are_named_in_one_line(run: Run) -> None:
    path = run.hypotheses("test")
    values = read_checksummed_json(path)
    changes: list[dict[str, Any]] = [
        {"texts": "ab"},
        {"scores": ["x", None]},
        {"seconds": 0},
        {"seconds": math.nan},
        {"corpus_scores": [{"name": 3}]},
        {"references": 3},
    ]
    others: list[Any] = [[], {}, None, [3]]
    for sets in [*others, *([values["sets"][0] | change] for change in changes)]:
        write_checksummed_json(path, values | {"sets": sets})
        with pytest.raises(UserError, match=r"^\S+test\.hypotheses\.json: damaged: sets.*$"):
            read_hypotheses(run, "test")
    short = values["sets"][0] | {"texts": ["Un chien."]}
    write_checksummed_json(path, values | {"sets": [short]})
    with pytest.raises(UserError, match="damaged: its lists do not have 2 items"):
        read_hypotheses(run, "test")
    path.write_text(path.read_text().replace("Un chien.", "Un rat."))
    with pytest.raises(UserError, match=r"test\.hypotheses\.json: damaged: its contents"):
        read_hypotheses(run, "test")


def test_scores_of_older_runs_get_todays_names(run: Run) -> None:
    path = run.hypotheses("test")
    values = read_checksummed_json(path)
    values["sets"][0]["corpus_scores"][0]["name"] = "an older name"
    write_checksummed_json(path, values)
    found = read_hypotheses(run, "test")
    assert found
    assert found.sets == [FOUND]
