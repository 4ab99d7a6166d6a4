"""Several processes train as one does: to the same bits, whoever has started them."""

import contextlib
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import torch
from torch.testing import assert_close

from gru_mt.errors import UserError
from gru_mt.run import WEIGHTS, Run
from gru_mt.tensors import load_tensors
from gru_mt.training.distributed import join_group
from tests.training.processes import TORCHRUN, Together, bits, end, metrics, newest_step, start
from tests.training.train_cases import CASES, main

CONFIG = """
data: {{corpus: {corpus}}}
tokenizer: {{kind: word, min_frequency: 1}}
model: {{embedding_size: 8, encoder_size: 6, decoder_size: 12}}
decoding: {{beam_size: 1}}
training: {{max_epochs: 1, batch_tokens: 240, warmup_steps: 5, log_steps: 1}}
"""
ACCELERATED = """
import sys
from accelerate import PartialState
from gru_mt import load_config, train
state = PartialState(cpu=True)
assert state.num_processes == 2
for folder in sys.argv[2:]:
    train(load_config(sys.argv[1], ["training.accumulation=5"]), folder)
"""


@pytest.fixture(scope="module")
def config(small_corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a configuration with 600 sentences of dev, which are three batches of a search."""
    folder = tmp_path_factory.mktemp("config")
    lines = [
        f"Tom{row} sees {row % 9} cats.\tTom{row} vois {row % 9} chat.\n" for row in range(600)
    ]
    (folder / "dev.tsv").write_text("".join(lines))
    path = folder / "small.yaml"
    path.write_text(CONFIG.format(corpus=small_corpus))
    return path


def test_what_a_launcher_forgot_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("RANK", "0"), ("WORLD_SIZE", "2")):
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("MASTER_ADDR", raising=False)
    told = "^RANK and WORLD_SIZE are set, but processes cannot meet: .*MASTER_ADDR"
    with pytest.raises(UserError, match=told), join_group(torch.device("cpu")):
        pass


@pytest.fixture(scope="module")
def alone(config: Path) -> Callable[[str], Path]:
    """Return a function that trains a case with one process, and returns its folder."""

    @cache
    def trained(name: str) -> Path:
        with contextlib.chdir(config.parent):
            main(config, config.parent / "alone", [name])
        return config.parent / "alone" / name

    return trained


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "names"), [(2, [*CASES]), (3, [*CASES]), (4, ["idle process", "uneven updates"])]
)
def test_the_number_of_processes_changes_no_bit(
    size: int, names: list[str], config: Path, alone: Callable[[str], Path], tmp_path: Path
) -> None:
    program = [sys.executable, "-m", "tests.training.train_cases"]
    codes, errors = Together([*program, str(config), str(tmp_path), *names], size).end()
    assert codes == [0] * size, errors
    assert errors[1:] == [""] * (size - 1)  # only process 0 prints
    for name in {*names} - {"sum", "broken"}:
        assert bits(tmp_path / name) == bits(alone(name)), name
        assert metrics(tmp_path / name) == metrics(alone(name)), name
    if "idle process" in names:
        microbatches = newest_step(alone("idle process"))
        assert microbatches % 4, "else all updates of the others are even"
        assert f"1 of {size} processes have work in an update; set it to a multiple" in errors[0]
    if "sum" in names:
        assert f"the weights are those of {size} processes" in errors[0]
        found, expected = (
            load_tensors(Run(run).bundle / WEIGHTS)[0] for run in (tmp_path / "sum", alone("sum"))
        )
        assert_close(found, expected, atol=1e-4, rtol=0)
    if "broken" in names:
        told = [(tmp_path / f"broken-{rank}.txt").read_text() for rank in range(size)]
        assert told[0] == alone("broken").with_name("broken-0.txt").read_text()
        assert all(text.startswith("update 3: the loss or its gradient is not") for text in told)


@pytest.mark.slow
def test_a_group_that_is_there_already_is_used(config: Path, tmp_path: Path) -> None:
    """As accelerate makes it; twice in the same processes, and to torchrun's bits."""
    program = tmp_path / "program.py"
    program.write_text(ACCELERATED)
    launch = [sys.executable, "-m", "accelerate.commands.launch", "--cpu", "--num_processes", "2"]
    options = ["--num_machines", "1", "--mixed_precision", "no", "--dynamo_backend", "no"]
    folders = [str(tmp_path / "first"), str(tmp_path / "second")]
    arguments = ["--main_process_port", "PORT", str(program), str(config), *folders]
    accelerated = Together([*launch, *options, *arguments])
    train = ["train", "--no-report", "--config", str(config), "--run", str(tmp_path / "torchrun")]
    processes = ["--nproc-per-node", "2", "-m", "--", "gru_mt"]
    torchrun = start([*TORCHRUN, *processes, *train, "--set", "training.accumulation=5"])
    assert end(torchrun)[0] == 0
    codes, errors = accelerated.end()
    assert codes == [0, 0], errors
    assert bits(tmp_path / "first") == bits(tmp_path / "second") == bits(tmp_path / "torchrun")
