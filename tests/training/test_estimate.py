"""A trial of a few updates tells how long a training takes, and keeps nothing."""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from gru_mt.config.load import load_config
from gru_mt.config.schema import Config
from gru_mt.data.splits import load_splits
from gru_mt.training.estimate import RECIPE_MODEL, RECIPES, try_updates

Configure = Callable[..., Config]
THEIRS = ("model.embedding_size=256", "model.encoder_size=256", "model.decoder_size=512",
          "model.decoder_layers=2")  # fmt: skip


def test_a_trial_counts_what_training_would_do_and_writes_nothing(
    small_config: Configure, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = small_config("training.max_epochs=7", "training.max_steps=9")
    splits = load_splits(config.data)
    capsys.readouterr()
    with contextlib.chdir(tmp_path):
        trial = try_updates(config, splits)
    assert (trial.updates, trial.epochs) == (9, 7)
    assert trial.recipes == {}  # its model is another
    assert trial.parameters > 1_000
    assert 0 < trial.minutes < 10
    assert trial.peak_mb is None or trial.peak_mb > 50
    assert os.listdir(tmp_path) == []
    assert capsys.readouterr() == ("", "")


def test_a_trial_tells_how_long_the_recipes_of_its_model_take(small_config: Configure) -> None:
    config = small_config(*THEIRS, "training.max_epochs=3")
    trial = try_updates(config, load_splits(config.data))
    assert [*trial.recipes] == [*RECIPES]
    assert trial.recipes["fra-eng.yaml"] == trial.minutes
    shorter, _, longer = trial.recipes.values()
    assert shorter < trial.minutes < longer
    assert f"with the settings of fra-eng-10min.yaml {shorter:.0f}, fra-eng.yaml" in str(trial)


@pytest.mark.parametrize("name", RECIPES)
def test_the_recipes_are_those_in_configs(name: str) -> None:
    config = load_config(Path(__file__).parents[2] / "configs" / name)
    assert RECIPES[name] == (config.training.max_epochs, config.training.max_steps)
    assert config.model.model_copy(update={"dropout": 0.0}) == RECIPE_MODEL
