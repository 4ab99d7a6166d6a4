"""Recipes: configurations that are found by name, in a checkout and after an installation."""

import contextlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from gru_mt.config.load import load_config
from gru_mt.config.recipes import find_recipe, list_recipes
from gru_mt.data.splits import load_splits
from gru_mt.errors import UserError
from gru_mt.training.estimate import try_updates

ROOT = Path(__file__).parents[2]
ENJA_ZIP = ROOT.parent / "shared" / "data" / "small_parallel_enja.zip"
RECIPES = {recipe.name: recipe for recipe in list_recipes()}


def test_a_recipe_is_loaded_by_its_name_and_a_file_of_that_name_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_config("fra-eng") == load_config(ROOT / "configs" / "fra-eng.yaml")
    (tmp_path / "fra-eng").write_text("data: {corpus: mine.tsv}")
    assert load_config("fra-eng").data.corpus[0].path == ["mine.tsv"]


def test_what_is_no_recipe_is_not_found_and_the_nearest_is_named(tmp_path: Path) -> None:
    for name in ("fra", "", "../configs/fra-eng", "*", "fra-eng.yaml"):
        assert find_recipe(name) is None
    for name in ("configs/fra-eng.yaml", "fra-en", "fra_eng", "quick-start"):
        near = "quickstart" if "quick" in name else "fra-eng"
        with pytest.raises(UserError, match=rf"No such file .*; did you .* recipe {near}\?$"):
            load_config(tmp_path / name)


def test_each_recipe_says_what_it_gave() -> None:
    assert {path.stem for path in (ROOT / "configs").glob("*.yaml")} == set(RECIPES)
    one = RECIPES["fra-eng"]
    assert one.about.startswith("English to French on fra-eng")
    assert 45 < float(one.bleu) < 55
    assert (one.minutes, one.memory) == ("12 to 24", "1.6 GB")


def test_a_scored_recipe_names_its_updates_and_they_agree_on_one_corpus() -> None:
    def updates_an_epoch(name: str) -> float:
        return (RECIPES[name].updates or 0) / load_config(RECIPES[name].path).training.max_epochs

    untimed = {one.name for one in RECIPES.values() if bool(one.updates) != (one.bleu != "-")}
    assert untimed == {"fra-eng-gpu"}, "gru-mt checks times the others, where there is no GPU too"
    assert updates_an_epoch("fra-eng-60min") == pytest.approx(updates_an_epoch("fra-eng"), rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["quickstart", "fra-eng", "en-ja"])
def test_a_recipe_names_the_updates_that_its_training_makes(
    name: str, fra_eng_zip: Path, tmp_path: Path
) -> None:
    with zipfile.ZipFile(ENJA_ZIP) as archive:
        archive.extractall(tmp_path / "small_parallel_enja")
    corpus = [f"data.corpus={fra_eng_zip}"] if name == "fra-eng" else []
    config = load_config(RECIPES[name].path, corpus)
    with contextlib.chdir(tmp_path):
        trial = try_updates(config, load_splits(config.data))
    assert trial.updates == pytest.approx(RECIPES[name].updates, rel=0.01)


@pytest.mark.slow
def test_a_wheel_trains_by_a_recipe_outside_of_the_checkout(tmp_path: Path) -> None:
    def python(*arguments: str) -> str:
        return subprocess.run(
            [sys.executable, "-P", "-m", *arguments],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(tmp_path / "installed")},
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    python("pip", "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", ".", str(ROOT))
    [wheel] = tmp_path.glob("gru_mt-*.whl")
    python("pip", "install", "--no-deps", "--target", "installed", wheel.name)
    assert {path.name for path in (tmp_path / "installed" / "gru_mt" / "recipes").iterdir()} == {
        path.name for path in (ROOT / "configs").iterdir()
    }
    python("gru_mt", "train", "--config", "quickstart", "--no-report",
           "--set", "training.max_steps=2", "--set", "data.augment=null")  # fmt: skip
    assert (tmp_path / "runs" / "quickstart" / "summary.json").is_file()
