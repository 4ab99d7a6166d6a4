"""Every shipped configuration loads, and what it configures takes a step."""

import time
from pathlib import Path

import pytest

from gru_mt.config_file import load_config
from gru_mt.training.trainer import train

FOLDER = Path(__file__).parents[1] / "configs"
CONFIGS = sorted(FOLDER.rglob("*.yaml"))
COMPARED = sorted((FOLDER / "compare").glob("*.yaml"))


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_a_shipped_configuration_takes_a_step(
    path: Path, small_corpus: Path, tmp_path: Path
) -> None:
    model = load_config(path).model
    overrides = [f"data.corpus={small_corpus}", "tokenizer.vocabulary_size=400",
                 "training.max_steps=1", "training.checkpoint_minutes=9"]  # fmt: skip
    overrides += [f"model.{name}={getattr(model, name) // 16}"
                  for name in ("embedding_size", "encoder_size", "decoder_size")]  # fmt: skip
    progress = train(load_config(path, overrides), tmp_path / "run", started_s=time.perf_counter())
    assert progress.step == 1


def test_no_configuration_is_a_link_which_some_systems_write_as_text() -> None:
    assert not [path.name for path in CONFIGS if path.is_symlink()]


@pytest.mark.parametrize("path", COMPARED, ids=lambda path: path.stem)
def test_cells_are_compared_in_the_main_model_for_one_epoch(path: Path) -> None:
    sizes = (214, 428) if path.stem == "lstm-equal" else (256, 512)
    overrides = [f"model.cell={path.stem.partition('-')[0]}", "training.max_epochs=1"]
    overrides += [f"model.encoder_size={sizes[0]}", f"model.decoder_size={sizes[1]}"]
    assert load_config(path) == load_config(FOLDER / "fra-eng.yaml", overrides)
    header = path.read_text(encoding="utf-8").partition("\n\n")[0]
    assert "The model of configs/fra-eng.yaml" in header
    assert "for one epoch" in header


@pytest.mark.parametrize("name", ["cho2014", "cho2014-fixed"])
def test_the_words_of_the_fixed_context_model_are_those_seen_twice(name: str) -> None:
    """Of fra-eng's training side 9,764 English and 16,027 French ones: no cap on them."""
    tokenizer = load_config(FOLDER / f"{name}.yaml").tokenizer
    assert tokenizer.min_frequency == 2
    assert tokenizer.vocabulary_size > 16_027
