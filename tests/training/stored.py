"""What tests read back from the pairs that a run has stored."""

from pathlib import Path

from gru_mt.config.data import AugmentConfig
from gru_mt.config.schema import Config
from gru_mt.data.prepare import TrainingData, prepare
from gru_mt.data.types import Example
from gru_mt.run import Run
from gru_mt.training.resume import Start

_RATES = ", ".join(f"{name}: 0" for name in AugmentConfig.model_fields if name != "words")
NO_AUGMENT = f"data.augment={{{_RATES}, words: false}}"  # the texts are stored, and none is changed


def examples(data: TrainingData) -> list[Example]:
    """Return the pairs whose texts are stored, each with its place."""
    places = data.pairs.line_N.tolist()
    pairs = zip(data.pairs.texts(), places, strict=True)
    return [Example(*texts, *place) for texts, place in pairs]


def prepared(config: Config, folder: Path) -> TrainingData:
    """Return what is prepared in a folder for a run of this configuration."""
    folder.mkdir(exist_ok=True)
    return prepare(Start(config), Run(folder))
