"""Several processes train as one does: to the same bits, and on each other's runs."""

import contextlib
from pathlib import Path

import pytest
from torch import Tensor
from torch.testing import assert_close

from gru_mt.run import WEIGHTS, Run
from gru_mt.tensors import load_tensors
from tests.training.processes import Together, bits, found, newest_step
from tests.training.train_cases import CASES, main

CONFIG = """
data: {{corpus: {corpus}}}
tokenizer: {{kind: word, min_frequency: 1}}
model: {{embedding_size: 8, encoder_size: 6, decoder_size: 12}}
training: {{max_epochs: 1, batch_tokens: 240, warmup_steps: 5, log_steps: 1}}
"""


@pytest.fixture(scope="module")
def config(small_corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a configuration with 600 sentences of dev, which are three batches of a search."""
    folder = tmp_path_factory.mktemp("config")
    dev = folder / "dev.tsv"
    lines = [
        f"Tom{row} sees {row % 9} cats.\tTom{row} vois {row % 9} chat.\n" for row in range(600)
    ]
    dev.write_text("".join(lines))
    path = folder / "small.yaml"
    path.write_text(CONFIG.format(corpus=small_corpus, dev=dev))
    return path


@pytest.fixture(scope="module")
def alone(config: Path) -> Path:
    """Return the folder of all cases as one process trains them."""
    with contextlib.chdir(config.parent):
        main(config, config.parent / "alone", [*CASES])
    return config.parent / "alone"


SOME = {
    2: [*CASES],
    3: ["fp32-1", "fp32-4", "fp32-5", "bf16-4", "sum", "blocks", "broken"],
    4: ["fp32-5", "bf16-2"],
}


@pytest.mark.parametrize("size", SOME)
def test_the_number_of_processes_changes_no_bit(size: int, config: Path, alone: Path) -> None:
    folder, names = alone.with_name(f"together-{size}"), SOME[size]
    group = Together(size, ["-m", "tests.training.train_cases", str(config), str(folder), *names])
    codes, errors = group.end()
    assert codes == [0] * size, errors
    assert errors[1:] == [""] * (size - 1)  # only process 0 speaks
    for name in {*names} - {"sum", "broken"}:
        assert bits(folder / name) == bits(alone / name), name
        assert found(folder / name) == found(alone / name), name
    assert f" of {size} processes have work in an update; set it to a multiple" in errors[0]
    if "sum" in names:
        assert f"the weights are those of {size} processes" in errors[0]
        assert_close(weights(folder / "sum"), weights(alone / "sum"), atol=1e-4, rtol=0)
    if "broken" in names:
        told = [(folder / f"broken-{rank}.txt").read_text() for rank in range(size)]
        assert told[0] == (alone / "broken-0.txt").read_text()
        assert all(each.startswith("update 3: the loss or its gradient is not f") for each in told)


def weights(run: Path) -> dict[str, Tensor]:
    return load_tensors(Run(run).bundle / WEIGHTS)[0]


def test_the_last_update_of_an_epoch_has_fewer_microbatches(alone: Path) -> None:
    microbatches = newest_step(alone / "bf16-1" / "metrics.jsonl")
    for accumulation in (4, 5):
        assert microbatches % accumulation, "else all updates are even"
        updates = newest_step(alone / f"bf16-{accumulation}" / "metrics.jsonl")
        assert updates == microbatches // accumulation + 1
