"""A program of test_distributed: train some of CASES, one after the other, in a folder.

The loss of "broken" is not finite, and the error that it ends with is written.
"""

import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torch import Generator, Tensor

from gru_mt.cli.streams import print_messages
from gru_mt.config.load import load_config
from gru_mt.data import loader
from gru_mt.data.batching import Batch
from gru_mt.errors import UserError
from gru_mt.model.loss import forced_loss
from gru_mt.training.optim import optimizer
from gru_mt.training.state import derived_seed
from gru_mt.training.train import train

CASES = {
    "short": ["training.accumulation=5", "training.max_steps=3"],
    "idle process": ["training.accumulation=1", "training.precision=bf16"],
    "uneven updates": ["training.accumulation=5", "tokenizer.kind=bpe",
                       "tokenizer.vocabulary_size=320", "tokenizer.sampling=0.1"],
    "early stop": ["training.accumulation=4", "training.validate_steps=1", "training.patience=2",
                   "training.max_epochs=9"],
    "three batches of dev": ["training.accumulation=4", "data.dev.path=dev.tsv"],
    "blocks": ["training.accumulation=2", "training.max_epochs=2"],
    "sum": ["training.reduce=sum", "training.accumulation=5"],
    "broken": ["training.accumulation=3", "training.seed=5"],
}  # fmt: skip
BROKEN_SEED = derived_seed("dropout", 5, 3) + 1  # of the second microbatch of update 3


def main(config: Path, folder: Path, names: Sequence[str]) -> None:
    """Train each case in a folder of its name, from the folder of the configuration."""
    os.chdir(config.parent)
    for name in names:
        block = 150 if name == "blocks" else 1 << 18
        setattr(loader, "BUFFER_PAIRS", block)  # noqa: B010 the module does not export it
        if name == "broken":
            setattr(optimizer, "forced_loss", _broken_loss)  # noqa: B010 the module does not export it
        try:
            train(load_config(config, CASES[name]), folder / name)
        except UserError as error:
            told = str(error).replace(str(folder), "")
            (folder / f"{name}-{os.environ.get('RANK', 0)}.txt").write_text(told)


def _broken_loss(model: Any, batch: Batch, rng: Generator, **settings: Any) -> Tensor:
    loss = forced_loss(model, batch, rng, **settings)
    return loss / 0 if rng.initial_seed() == BROKEN_SEED else loss


if __name__ == "__main__":
    print_messages(logging.INFO)
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
