"""Every shipped configuration loads, builds its model and takes a step."""

import time
from pathlib import Path

import pytest

from gru_mt.config_file import load_config
from gru_mt.training.trainer import train

CONFIGS = sorted((Path(__file__).parents[1] / "configs").rglob("*.yaml"))


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_a_shipped_configuration_takes_a_step(
    path: Path, small_corpus: Path, tmp_path: Path
) -> None:
    overrides = [f"data.corpus={small_corpus}", "tokenizer.vocabulary_size=400",
                 "training.max_steps=1", "training.checkpoint_minutes=9"]  # fmt: skip
    progress = train(load_config(path, overrides), tmp_path / "run", started_s=time.perf_counter())
    assert progress.step == 1
