"""Recipes: the configurations that come with the package, found by name.

They are the files of configs/. A wheel has them as gru_mt/recipes.
"""

from dataclasses import dataclass
from pathlib import Path

_PACKAGE = Path(__file__).parents[1]
_INSTALLED = _PACKAGE / "recipes"
_FOLDER = _INSTALLED if _INSTALLED.is_dir() else _PACKAGE.parent / "configs"


@dataclass(frozen=True, slots=True)
class Recipe:
    """A shipped configuration, and what the first two lines of its file say."""

    path: Path
    about: str  # a sentence
    bleu: str  # on its test split, at beam 5, against all references
    minutes: str  # on two cores, or on what it names
    memory: str  # at its peak
    updates: int | None  # of the whole training; None: not known, or for a GPU alone

    @property
    def name(self) -> str:
        """What --config takes in place of a path."""
        return self.path.stem


def find_recipe(name: str) -> Path | None:
    """Return the file of the recipe `name`; None if there is none."""
    return next((path for path in _FOLDER.glob("*.yaml") if path.stem == name), None)


def list_recipes() -> list[Recipe]:
    """Return all recipes, by name."""
    return [_read(path) for path in sorted(_FOLDER.glob("*.yaml"))]


def _read(path: Path) -> Recipe:
    """Read "# ABOUT" and "# BLEU 49.6; 14 to 24 minutes; 3.7 GB; 3,906 updates"; "-": unknown."""
    with path.open(encoding="utf-8") as file:
        about, figures = (next(file).removeprefix("# ").rstrip(".\n") for _ in range(2))
    bleu, minutes, memory, updates = figures.removeprefix("BLEU ").split("; ")
    minutes, count = minutes.removesuffix(" minutes"), updates.removesuffix(" updates")
    number = None if count == "-" else int(count.replace(",", ""))
    return Recipe(path, about, bleu, minutes, memory, number)
