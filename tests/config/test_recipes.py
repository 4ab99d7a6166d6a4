"""Recipes: configurations that are found by name, in a checkout and after an installation."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gru_mt.config.load import load_config
from gru_mt.config.recipes import find_recipe, list_recipes
from gru_mt.errors import UserError

ROOT = Path(__file__).parents[2]


def test_a_recipe_is_loaded_by_its_name_and_a_file_of_that_name_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_config("fra-eng") == load_config(ROOT / "configs" / "fra-eng.yaml")
    (tmp_path / "fra-eng").write_text("data: {corpus: mine.tsv}")
    assert load_config("fra-eng").data.corpus[0].path == ["mine.tsv"]


@pytest.mark.parametrize("name", ["fra", "", "../configs/fra-eng", "*", "fra-eng.yaml"])
def test_what_is_no_recipe_is_not_found(name: str) -> None:
    assert find_recipe(name) is None


@pytest.mark.parametrize("name", ["configs/fra-eng.yaml", "fra-en", "fra_eng", "quick-start"])
def test_a_missing_file_brings_the_nearest_recipe(name: str, tmp_path: Path) -> None:
    near = "quickstart" if "quick" in name else "fra-eng"
    with pytest.raises(UserError, match=rf"No such file or directory; did you .* recipe {near}\?$"):
        load_config(tmp_path / name)


def test_each_recipe_says_what_it_gave() -> None:
    recipes = {recipe.name: recipe for recipe in list_recipes()}
    assert {path.stem for path in (ROOT / "configs").glob("*.yaml")} == set(recipes)
    one = recipes["fra-eng"]
    assert one.about.startswith("English to French on fra-eng")
    assert 45 < float(one.bleu) < 55
    assert (one.minutes, one.memory) == ("14 to 24", "3.0 to 3.7 GB")


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
