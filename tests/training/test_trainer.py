"""The loop: accumulation, updates that are not finite, messages, the callback."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from gru_mt.bundle import build_model
from gru_mt.config.load import load_config
from gru_mt.config.schema import Config
from gru_mt.config.yaml_text import dump_config
from gru_mt.data.batching import plan_batches
from gru_mt.data.loader import PairLoader
from gru_mt.data.prepare import prepare
from gru_mt.errors import UserError
from gru_mt.model.device import resolve_precision
from gru_mt.model.loss import forced_loss
from gru_mt.run import Run
from gru_mt.training.distributed import Group
from gru_mt.training.optim import optimizer as optimizer_module
from gru_mt.training.optim.lr_schedule import buffer_updates, resolve_config
from gru_mt.training.optim.optimizer import Optimizer, Update
from gru_mt.training.output.run_writer import MetricsWriter
from gru_mt.training.resume import Start
from gru_mt.training.state import TrainState
from gru_mt.training.train import train
from gru_mt.training.trainer import Trainer
from tests.training.stored import NO_AUGMENT, examples

Configure = Callable[..., Config]


def make_trainer(config: Config, folder: Path) -> Trainer:
    """Return a trainer of a new run, without its lock."""
    folder.mkdir(exist_ok=True)
    data = prepare(Start(config), Run(folder))
    loader = PairLoader(config, data.tokenizer, data.pairs)
    resolved = resolve_config(config, loader)
    precision = resolve_precision(config.training.precision, torch.device("cpu"))
    model = build_model(config, data.tokenizer)
    optimizer = Optimizer(model, config.training, precision, Group())
    writer = MetricsWriter(Run(folder), time.perf_counter(), None)
    return Trainer(resolved, data, loader, optimizer, TrainState(), Group(), writer)


def test_a_callback_gets_the_lines_of_metrics_and_a_path_is_a_configuration(
    small_config: Configure, tmp_path: Path
) -> None:
    path, lines = tmp_path / "small.yaml", list[dict[str, Any]]()
    path.write_text(dump_config(small_config("training.max_steps=4", "training.log_steps=2")))
    state = train(str(path), tmp_path / "run", on_metrics=lines.append)
    assert state.step == 4
    assert lines == Run(tmp_path / "run").read_metrics()[0]
    assert [(line["step"], "loss" in line) for line in lines] == [(2, True), (4, True), (4, False)]
    assert lines[-1]["dev_bleu"] == state.best_bleu


def test_microbatches_of_unequal_size_give_the_gradients_of_one_batch(
    small_config: Configure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = make_trainer(small_config("model.dropout=0"), tmp_path / "run")
    pairs = trainer.loader.load((0, 0))
    rows = plan_batches(pairs, batch_tokens=300, seed=1, epoch=0)[0]
    gradients: list[list[torch.Tensor]] = []

    def keep(rate: float, done: int) -> torch.Tensor:
        parameters = list(trainer.optimizer.model.parameters())
        gradients.append([p.grad.clone() for p in parameters if p.grad is not None])
        trainer.optimizer.model.zero_grad()
        return torch.tensor(1.0)

    monkeypatch.setattr(trainer.optimizer, "step", keep)
    one, three = (
        trainer.optimizer.update(pairs, parts, 0.1, 0)
        for parts in ([rows], [rows[:1], rows[1:8], rows[8:]])
    )
    assert one.tokens == three.tokens
    torch.testing.assert_close(one.loss, three.loss)
    for whole, parts in zip(*gradients, strict=True):
        torch.testing.assert_close(parts, whole, rtol=1e-4, atol=1e-6)


@pytest.fixture
def poison(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Return a function that makes the loss of 0-based update `step` not a number."""
    genuine_loss, genuine_update = forced_loss, Optimizer.update
    factor = 1.0

    def arrange(bad: int) -> None:
        def update(self: Optimizer, pairs: Any, rows: Any, rate: float, step: int) -> Update:
            nonlocal factor
            factor = float("nan") if step == bad else 1.0
            return genuine_update(self, pairs, rows, rate, step)

        def loss(*args: Any, **kwargs: Any) -> torch.Tensor:
            return factor * genuine_loss(*args, **kwargs)

        monkeypatch.setattr(Optimizer, "update", update)
        monkeypatch.setattr(optimizer_module, "forced_loss", loss)

    return arrange


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_loss_that_is_not_finite_stops_the_run_and_names_its_lines(
    precision: str, small_config: Configure, tmp_path: Path, poison: Callable[[int], None]
) -> None:
    poison(3)
    trainer = make_trainer(small_config(f"training.precision={precision}"), tmp_path)
    with pytest.raises(UserError, match=r"update 3: .* not finite; .*not_finite\.json"):
        trainer.run()
    for model in (trainer.optimizer.model, trainer.optimizer.average):
        assert all(parameter.isfinite().all() for parameter in model.parameters())
    report = json.loads((tmp_path / "not_finite.json").read_text())
    [row_B] = buffer_updates(trainer.config.training, trainer.loader.load((0, 0)), 0)[3]
    name = Path(trainer.config.data.corpus[0].path[0]).name
    lines = [f"{name}:{trainer.data.pairs.line_N[row]['line']}" for row in sorted(row_B)]
    assert report == {"update": 3, "corpus_lines": lines}
    assert not (tmp_path / "checkpoints").exists()


def test_fp16_skips_and_counts_an_overflow(
    small_config: Configure, tmp_path: Path, poison: Callable[[int], None]
) -> None:
    poison(3)
    settings = ("training.precision=fp16", "training.max_steps=8")
    trainer = make_trainer(small_config(*settings), tmp_path)
    state = trainer.run()
    assert state.step == 8
    assert state.skipped >= 1  # the loss scale begins too high for some gradients, too
    assert all(weight.isfinite().all() for weight in trainer.optimizer.model.parameters())


@pytest.mark.parametrize("dev", [True, False])
def test_weights_that_are_not_finite_stop_the_run_with_or_without_dev(
    dev: bool, small_config: Configure, tmp_path: Path
) -> None:
    settings = ["training.learning_rate=1e3", "training.warmup_steps=0", "training.max_epochs=1"]
    if not dev:
        corpus = tmp_path / "corpus.tsv"
        corpus.write_text("a cat\tun chat\na dog\tun chien\n")
        settings.append(f"data.corpus={corpus}")
    with pytest.raises(UserError, match=r"update \d+: .* not finite; .*not_finite\.json"):
        train(small_config(*settings), tmp_path / "run")
    assert not (tmp_path / "run" / "model").exists()
    assert not (tmp_path / "run" / "summary.json").exists()


def test_what_auto_stands_for_is_said_and_kept(
    small_config: Configure, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    auto = ("training.batch_tokens=auto", "training.warmup_steps=auto")
    for _ in range(2):
        train(small_config(*auto, "training.max_steps=2"), tmp_path / "run")
    said = capsys.readouterr().err
    assert said.count("training.batch_tokens: 256 (auto, for 2 updates)") == 1
    assert said.count("training.warmup_steps: 0 (auto, for 2 updates)") == 1
    kept = load_config(tmp_path / "run" / "config.yaml").training
    assert (kept.batch_tokens, kept.warmup_steps) == (256, 0)
    for steps, warned in ((6, False), (5, True)):  # warm-up has five
        make_trainer(small_config(f"training.max_steps={steps}"), tmp_path / str(steps))
        assert ("warning: training.warmup_steps 5" in capsys.readouterr().err) == warned


def test_what_cutting_costs_is_said(
    small_config: Configure, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = small_config("training.max_steps=1", "training.cut_tokens=5", NO_AUGMENT)
    trainer = make_trainer(config, tmp_path / "run")
    tokenizer, pairs = trainer.data.tokenizer, examples(trainer.data)
    sources = sum(len(tokenizer.source.encode(pair.source)) + 1 > 5 for pair in pairs)
    targets = sum(len(tokenizer.target.encode(pair.target)) + 1 > 5 for pair in pairs)
    assert 0 < sources < len(trainer.data.pairs)
    trainer.run()
    said = f"{sources:,} sources and {targets:,} targets lose their end"
    assert said in capsys.readouterr().err


def test_every_pair_is_trained_on_once_an_epoch(
    small_config: Configure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer, update = (
        make_trainer(small_config("training.accumulation=4"), tmp_path),
        Optimizer.update,
    )
    seen: list[int] = []

    def watched(self: Optimizer, pairs: Any, rows: Any, rate: float, step: int) -> Update:
        seen.extend(row for row_B in rows for row in row_B.tolist())
        return update(self, pairs, rows, rate, step)

    monkeypatch.setattr(Optimizer, "update", watched)
    trainer.run()
    assert sorted(seen) == sorted([*range(len(trainer.data.pairs))] * 2)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("precision", ["fp32", "bf16", "fp16"])
def test_a_gpu_runs_the_same_code(precision: str, small_config: Configure, tmp_path: Path) -> None:
    config = small_config("training.device=cuda", f"training.precision={precision}")
    losses = []
    for name, device in (("gpu", "cuda"), ("cpu", "cpu")):
        train(config if device == "cuda" else small_config(), tmp_path / name)
        lines, _ = Run(tmp_path / name).read_metrics()
        losses.append([line["dev_loss"] for line in lines if "dev_loss" in line][-1])
    assert losses[0] == pytest.approx(losses[1], rel=0.1)


def test_a_model_that_memory_cannot_hold_is_refused_before_anything_is_written(
    small_config: Configure, tmp_path: Path
) -> None:
    sizes = ("embedding_size=16384", "encoder_size=8192", "decoder_size=16384", "decoder_layers=32")
    config = small_config(*(f"model.{size}" for size in sizes))
    with pytest.raises(UserError, match=r"^model: [\d,]+ parameters take [\d,]+ GB to train"):
        train(config, tmp_path / "run")
    assert not (tmp_path / "run").exists()
