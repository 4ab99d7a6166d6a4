"""A program of test_processes: train the runs of CASES, one after the other, in a folder."""

import os
import sys
from pathlib import Path

from gru_mt.config_file import load_config
from gru_mt.training.trainer import train

CASES = {
    f"{precision}-{accumulation}": [
        f"training.precision={precision}",
        f"training.accumulation={accumulation}",
    ]
    for precision in ("fp32", "bf16")
    for accumulation in (1, 2, 4, 5)
}
CASES["fp32-4"] += ["training.validate_steps=1", "training.patience=2", "training.max_epochs=9"]
CASES["fp32-5"] += ["tokenizer.kind=bpe", "tokenizer.vocabulary_size=320", "tokenizer.sampling=0.1"]
CASES["bf16-4"] += ["data.dev.path=dev.tsv", "decoding.beam_size=1"]
CASES["sum"] = ["training.reduce=sum", "training.accumulation=5"]


def main(config: Path, folder: Path) -> None:
    """Train each case in a folder of its name, from the folder of the configuration."""
    os.chdir(config.parent)
    for name, overrides in CASES.items():
        train(load_config(config, overrides), folder / name)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
