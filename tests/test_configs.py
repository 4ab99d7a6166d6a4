"""Every shipped configuration loads and can train for a step; README.md lists every key."""

import re
import time
from pathlib import Path

import pytest
from compare_cells import SETTINGS

from gru_mt.config.load import load_config
from gru_mt.config.reference import described_sections
from gru_mt.training.resume import MAY_CHANGE
from gru_mt.training.train import train

FOLDER = Path(__file__).parents[1] / "configs"
README = FOLDER / "README.md"
CONFIGS = sorted(FOLDER.rglob("*.yaml"))
COMPARED = FOLDER / "compare.yaml"
RENEW = "PYTHONPATH=scripts python -c 'from tests.test_configs import renew; renew()' renews it"


KINDS = ("fra-eng", "cho2014-as-written", "pytorch-tutorial", "fine-tune")  # the others are alike
STEPPING = [
    pytest.param(path, id=path.stem, marks=[] if path.stem in KINDS else pytest.mark.slow)
    for path in CONFIGS
]


@pytest.mark.parametrize("path", STEPPING)
def test_a_shipped_configuration_takes_a_step(
    path: Path, small_corpus: Path, tmp_path: Path
) -> None:
    model = load_config(path).model
    overrides = [f"data.corpus={small_corpus}", "data.dev=[]", "data.test=[]",
                 "data.languages=[en, fr]", "data.source=en", "data.target=fr",
                 "training.start=null", "tokenizer.vocabulary_size=400",
                 "training.max_steps=1", "training.checkpoint_minutes=9"]  # fmt: skip
    overrides += [f"model.{name}={getattr(model, name) // 16}"
                  for name in ("embedding_size", "encoder_size", "decoder_size")]  # fmt: skip
    progress = train(load_config(path, overrides), tmp_path / "run", started_s=time.perf_counter())
    assert progress.step == 1


def test_no_configuration_is_a_link_which_some_systems_write_as_text() -> None:
    for path in CONFIGS:
        assert not path.is_symlink()


@pytest.mark.parametrize("name", SETTINGS)
def test_cells_are_compared_in_the_main_model_for_one_epoch(name: str) -> None:
    sizes = (214, 428) if name == "lstm-equal" else (256, 512)
    overrides = [f"model.cell={name.partition('-')[0]}", "training.max_epochs=1"]
    overrides += ["data.augment=null", "model.may_shrink=false"]
    overrides += [f"model.encoder_size={sizes[0]}", f"model.decoder_size={sizes[1]}"]
    assert load_config(COMPARED, SETTINGS[name]) == load_config(FOLDER / "fra-eng.yaml", overrides)


# configs/README.md


def tables() -> str:
    """Return the tables of every key, in Markdown."""
    lines = []
    for section, (meaning, keys) in described_sections().items():
        lines += ["", f"### {section}", "", meaning, ""]
        lines += ["| Key | Default | Values | Meaning |", "|---|---|---|---|"]
        lines += [
            f"| `{key.name}` | {key.default} | {key.values} | {key.meaning} |" for key in keys
        ]
    return "\n".join(lines) + "\n"


def renew() -> None:
    """Write the tables of README.md anew."""
    README.write_text(told()[0] + tables(), encoding="utf-8")


def told() -> tuple[str, str]:
    """Return README.md up to its tables, and the tables."""
    guide, heading, rest = README.read_text(encoding="utf-8").partition("## Every key\n")
    return guide + heading, rest


def test_the_readme_has_every_key_as_the_code_has_it() -> None:
    assert told()[1] == tables(), RENEW


def test_the_readme_has_every_file_once() -> None:
    rows = re.findall(r"^\| (`[\w-]+\.yaml`.*?) \|", told()[0], re.MULTILINE)
    named = [name for row in rows for name in re.findall(r"`([\w-]+\.yaml)`", row)]
    assert sorted(named) == [path.name for path in CONFIGS]


def test_the_readme_says_what_may_change_when_a_run_goes_on() -> None:
    guide = told()[0].partition("## When a run goes on")[2]
    listed = " ".join(re.findall(r"^- (.*):", guide, re.MULTILINE))
    assert set(re.findall(r"`([\w.*]+)`", listed)) == set(MAY_CHANGE)
