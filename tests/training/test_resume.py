"""Which trainings may go on in a run's folder."""

from pathlib import Path
from typing import Any

import pytest

from gru_mt.config.schema import Config
from gru_mt.config.yaml_text import dump_config
from gru_mt.errors import UserError
from gru_mt.run import Run
from gru_mt.training.optim.lr_schedule import resolve_config
from gru_mt.training.resume import choose_start
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


def test_auto_is_what_the_run_chose(small_config: Configure, tmp_path: Path) -> None:
    run = begin(tmp_path, small_config())
    auto = small_config("training.warmup_steps=auto", "training.batch_tokens=auto")
    config = resolve_config(choose_start(auto, run).config, NO_LOADER)
    assert config.model_dump() == small_config().model_dump()
    other = small_config("training.warmup_steps=6", "training.batch_tokens=auto")
    with pytest.raises(UserError, match=r"training\.warmup_steps from 5 to 6 changed"):
        choose_start(other, run)
