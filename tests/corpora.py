"""What tests of corpora share."""

from typing import Any

from gru_mt.config import DataConfig
from gru_mt.data.account import Corpus
from gru_mt.data.corpus import load_corpora


def data_config(corpus: object, **settings: Any) -> DataConfig:
    """Return the configuration of a corpus of which any share may be dropped."""
    values = {"corpus": corpus, "allow_dropped": 1.0} | settings
    return DataConfig.model_validate(values)


def load_one(config: DataConfig) -> Corpus:
    """Return the only corpus of a configuration."""
    [corpus] = load_corpora(config)
    return corpus
