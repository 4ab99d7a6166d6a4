"""Which trainings may go on in a folder, and runs that begin with the weights of another."""

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch

from gru_mt.bundle import load_bundle, named_tensors
from gru_mt.config.load import load_config, parse_config
from gru_mt.config.schema import Config
from gru_mt.config.yaml_text import dump_config
from gru_mt.errors import UserError
from gru_mt.evaluation.evaluate import read_sets
from gru_mt.evaluation.overlap import read_train_overlap
from gru_mt.inference.translator import Translator
from gru_mt.report.contents import contents_of
from gru_mt.run import Run
from gru_mt.storage import read_json
from gru_mt.training.optim.lr_schedule import resolve_config
from gru_mt.training.resume import choose_start
from gru_mt.training.train import train
from tests.conftest import Configure

NO_LOADER: Any = None  # nothing is asked of it: encoding pairs anew may take long


def begin(folder: Path, config: Config) -> Run:
    """Make a run's folder with a checkpoint, as training does."""
    (folder / "checkpoints").mkdir()
    (folder / "data").mkdir()
    (folder / "checkpoints" / "step-00000001.safetensors").touch()
    (folder / "config.yaml").write_text(dump_config(config))
    return Run(folder)


def test_what_results_depend_on_may_change_before_the_first_checkpoint_alone(
    small_config: Configure, tmp_path: Path
) -> None:
    run = begin(tmp_path, small_config())
    for change in (
        "training.max_epochs=9",
        "training.patience=9",
        "training.device=cpu",
        "decoding.beam_size=2",
        "data.corpus=moved.tsv",
        "data.corpus={path: [a, b]}",
    ):
        start = choose_start(small_config(change), run)
        assert start.is_resumed
        assert start.config.model_dump() == small_config(change).model_dump()
    changed = small_config("training.learning_rate=0.5", "model.dropout=0", "training.max_epochs=9")
    with pytest.raises(UserError) as refused:
        choose_start(changed, run)
    message = str(refused.value)
    assert "model.dropout from 0.2 to 0" in message
    assert "training.learning_rate from 0.002 to 0.5" in message
    assert "training.max_epochs from" not in message
    assert "--fresh" in message
    (run.checkpoints / "step-00000001.safetensors").unlink()
    assert choose_start(changed, run).config == changed


def test_a_finished_run_without_its_checkpoints_is_not_trained_anew(
    before: Path, small_config: Configure
) -> None:
    shutil.rmtree(before / "checkpoints")
    weights = (before / "model" / "weights.safetensors").read_bytes()
    with pytest.raises(UserError, match=r"is finished, and without .* --fresh --from"):
        train(small_config("training.max_steps=9", "model.cell=lstm"), before)
    assert (before / "model" / "weights.safetensors").read_bytes() == weights


def test_auto_is_what_the_run_chose(small_config: Configure, tmp_path: Path) -> None:
    run = begin(tmp_path, small_config())
    auto = small_config("training.warmup_steps=auto", "training.batch_tokens=auto")
    config = resolve_config(choose_start(auto, run).config, NO_LOADER)
    assert config.model_dump() == small_config().model_dump()
    other = small_config("training.warmup_steps=6", "training.batch_tokens=auto")
    with pytest.raises(UserError, match=r"training\.warmup_steps from 5 to 6 changed"):
        choose_start(other, run)


CPU = torch.device("cpu")
OWN = "we see two dog.\tchien deux nous vois.\nyou want one hat.\tchapeau un toi veux.\n"


@pytest.fixture
def before(small_config: Configure, made_once: Callable[..., Path], tmp_path: Path) -> Path:
    """Return a copy of a run of a few updates."""
    config = small_config("training.max_steps=3", "model.cell=lstm")
    return shutil.copytree(made_once("few-updates", partial(train, config)), tmp_path / "before")


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    path = tmp_path / "mine.tsv"
    path.write_text(OWN)
    return path


def tuned(mine: Path, before: Path, *overrides: str) -> Config:
    """Return a configuration that says nothing of the model and the tokenizer."""
    text = f"""
        data: {{corpus: {{path: {mine}, part: train}}}}
        training: {{start: {before}, max_epochs: 2, batch_tokens: 120, precision: fp32}}
    """
    return parse_config(text, where="tuned", overrides=overrides)


def test_training_begins_with_the_weights_tokenizer_and_model_of_the_other_run(
    before: Path, mine: Path, tmp_path: Path
) -> None:
    mine.write_text(f"{OWN}You want Aspirin.\tAspirin un toi veux.\n")
    settings = ("training.max_steps=1", "training.learning_rate=1e-30", "model.cell=lstm")
    train(tuned(mine, before, *settings, "model.dropout=0.4"), tmp_path / "new")
    old, new = (load_bundle(folder, CPU) for folder in (before, tmp_path / "new"))
    for name, weight in named_tensors(old.model).items():
        assert torch.equal(named_tensors(new.model)[name], weight)
    assert new.config.tokenizer == old.config.tokenizer
    assert new.config.model == old.config.model.model_copy(update={"dropout": 0.4})
    assert new.provenance["start"]["folder"] == str(before)
    assert new.provenance["start"]["weights"]["step"] == 3
    assert [corpus["name"] for corpus in new.provenance["start"]["corpora"]] == ["small"]
    # Words of the new pairs are known besides the old ones.
    assert new.tokenizer.same_vocabularies(old.tokenizer)
    assert "dog" in old.tokenizer.truecaser
    assert "aspirin" not in old.tokenizer.truecaser
    assert all(word in new.tokenizer.truecaser for word in ("dog", "aspirin"))
    Translator.averaging([before, tmp_path / "new"])  # their vocabularies are the same


def test_short_texts_of_the_new_pairs_are_known_besides_the_old_ones(
    small_config: Configure, small_corpus: Path, mine: Path, tmp_path: Path
) -> None:
    corpus = small_corpus.with_name("short.tsv")
    short = "Go on!\tContinue !\nHello!\tBonjour !\n"
    corpus.write_text(small_corpus.read_text() + short)
    first = f"data.corpus={{path: {corpus}, part: train}}"
    train(small_config("training.max_steps=1", first), tmp_path / "before")
    mine.write_text(f"{OWN}Hello.\tSalut.\nWow!\tChouette !\n")
    train(tuned(mine, tmp_path / "before", "training.max_steps=1"), tmp_path / "new")
    translator = Translator.load(tmp_path / "new")
    found = [translation.text for translation in translator.translate(["hello.", "Wow", "go on"])]
    assert found == ["salut.", "Chouette", "continue"]


def test_what_is_forgotten_shows_at_every_validation_and_in_scores(
    before: Path, mine: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dev = tmp_path / "mine.dev.tsv"
    dev.write_text("they like one key.\tclef un eux aime.\n")
    capsys.readouterr()
    train(tuned(mine, before, f"data.dev={dev}"), tmp_path / "new")
    said = capsys.readouterr().err
    assert f"training goes on from {before}, with its tokenizer" in said
    assert "the dev set mine.dev decides which weights are kept" in said
    assert said.count("; small (start) BLEU ") == 2
    of_dev = [line for line in Run(tmp_path / "new").read_metrics()[0] if "dev_bleu" in line]
    assert {*of_dev[0]["dev_others"]} == {"small (start)"}
    sets = read_sets(tmp_path / "new", "dev")
    assert [dev.name for dev in sets] == ["mine.dev", "small (start)"]
    [test] = read_sets(tmp_path / "new", "test")
    assert test.sources == read_sets(before, "test")[0].sources


def test_a_run_may_begin_with_one_that_itself_began_with_another(
    before: Path, mine: Path, tmp_path: Path
) -> None:
    dev = tmp_path / "small.tsv"  # as the set is called that `before` was measured on
    first, second = tmp_path / "first", tmp_path / "second"
    for start, folder in ((before, first), (first, second)):
        dev.write_text(f"they like one {folder.name}.\tun {folder.name} eux aime.\n")
        train(tuned(mine, start, f"data.dev={dev}", "training.max_steps=1"), folder)
    train(load_config(second / "config.yaml", ["training.max_steps=2"]), second)
    names = [found.name for found in read_sets(second, "dev")]
    assert names == ["small", "small (start)", "small (start) (start)"]


def test_the_old_corpus_may_be_mixed_in_but_not_what_it_was_measured_on(
    before: Path, mine: Path, small_corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    leak = read_sets(before, "test")[0]
    mine.write_text(f"{OWN}{leak.sources[0].upper()}\tx\n")
    config = tuned(mine, before, f"data.corpus=[{{path: {mine}, part: train}}, {small_corpus}]")
    capsys.readouterr()
    train(config, tmp_path / "new")
    assert "share a sentence with dev or test: mine 1: dropped" in capsys.readouterr().err
    assert [dev.name for dev in read_sets(tmp_path / "new", "dev")] == ["small"]


def test_a_later_report_knows_that_training_left_out_what_the_start_was_measured_on(
    before: Path, mine: Path, small_corpus: Path, tmp_path: Path
) -> None:
    every = f"data.corpus=[{{path: {mine}, part: train}}, {{path: {small_corpus}, part: train}}]"
    run = Run(tmp_path / "new")
    train(tuned(mine, before, every, "training.max_steps=1"), run.folder)
    contents_of(run, "test", say=lambda _: None)
    [overlap] = read_train_overlap(run, "test")
    assert min(overlap.distance) > 0, "no training source has the words of a test source"


def test_a_bundle_that_was_moved_or_had_no_dev_part_brings_no_sets(
    before: Path, small_config: Configure, mine: Path, tmp_path: Path
) -> None:
    shutil.copytree(before / "model", tmp_path / "elsewhere" / "bundle")
    train(small_config(f"data.corpus={mine}", "training.max_steps=1"), tmp_path / "tiny")
    for start in (tmp_path / "elsewhere" / "bundle", tmp_path / "tiny"):
        train(tuned(mine, start), tmp_path / "new" / start.name)
        assert read_json(tmp_path / "new" / start.name / "dev.json")["sets"] == []


def test_it_resumes_to_the_same_bits_even_without_the_other_run(
    before: Path, mine: Path, tmp_path: Path
) -> None:
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    settings = ["training.max_epochs=4", "training.schedule=constant", "training.warmup_steps=0"]
    train(tuned(mine, before, *settings), whole)
    train(tuned(mine, before, *settings, "training.max_steps=2"), stopped)
    before.rename(tmp_path / "hidden")
    train(tuned(mine, before, *settings), stopped)
    for name in ("model/weights.safetensors", "dev.json", "test.json", "corpus.json"):
        assert (whole / name).read_bytes() == (stopped / name).read_bytes(), name
    train(load_config(stopped / "config.yaml", ["training.max_epochs=5"]), stopped)


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("model.cell=gru", "model.cell 'gru': {} has 'lstm'; training from it keeps that"),
        ("tokenizer.kind=bpe", "tokenizer.kind 'bpe': {} has 'word'; "),
        ("data.source=fr", "{}: translates en to fr, not fr to en"),
        ("tokenizer.sampling=0.1", "configuration: tokenizer"),  # of words
        ("training.start=none", "none: there is no such file or folder"),
    ],
)
def test_what_contradicts_the_other_run_or_names_none_is_an_error_by_name(
    override: str, said: str, before: Path, mine: Path, tmp_path: Path
) -> None:
    more = ["data.target=en"] if override == "data.source=fr" else []
    with pytest.raises(UserError) as raised:
        train(tuned(mine, before, override, *more), tmp_path / "new")
    assert str(raised.value).startswith(said.format(before))
    assert not (tmp_path / "new" / "config.yaml").exists()
