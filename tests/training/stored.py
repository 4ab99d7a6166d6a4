"""What tests read back from the pairs that a run has stored."""

from gru_mt.config.data import AugmentConfig
from gru_mt.data.prepare import TrainingData
from gru_mt.data.types import Example

_RATES = ", ".join(f"{name}: 0" for name in AugmentConfig.model_fields if name != "words")
NO_AUGMENT = f"data.augment={{{_RATES}, words: false}}"  # the texts are stored, and none is changed


def examples(data: TrainingData) -> list[Example]:
    """Return the pairs whose texts are stored, each with its place."""
    places = data.pairs.line_N.tolist()
    pairs = zip(data.pairs.texts(), places, strict=True)
    return [Example(*texts, *place) for texts, place in pairs]
