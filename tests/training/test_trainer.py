"""The loop: resuming to the bit, accumulation, validation, and losses that are not finite."""

import json
import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch

from gru_mt.bundle import build_model, load_bundle
from gru_mt.config.load import load_config
from gru_mt.config.schema import Config
from gru_mt.config.yaml_text import dump_config
from gru_mt.data.batching import plan_batches
from gru_mt.data.loader import PairLoader
from gru_mt.data.prepare import prepare
from gru_mt.errors import Interrupted, UserError
from gru_mt.model.device import resolve_precision
from gru_mt.model.loss import forced_loss
from gru_mt.progress import ProgressBar
from gru_mt.run import Run
from gru_mt.storage import read_json
from gru_mt.tensors import load_tensors
from gru_mt.training import validation
from gru_mt.training.optim import step as update_module
from gru_mt.training.optim.lr_schedule import buffer_updates, resolve_config
from gru_mt.training.optim.optimizer import Optimizer
from gru_mt.training.optim.step import StepStats, TrainStep
from gru_mt.training.output.metrics import MetricsWindow, StepRecord
from gru_mt.training.output.run_writer import RunWriter
from gru_mt.training.output.signals import StopSignals
from gru_mt.training.resume import from_scratch
from gru_mt.training.state import TrainState
from gru_mt.training.train import train
from gru_mt.training.trainer import Trainer
from gru_mt.training.validation import Validation
from tests.training.stored import NO_AUGMENT, examples

Configure = Callable[..., Config]


def run(config: Config, folder: Path) -> TrainState:
    return train(config, folder, started_s=time.perf_counter())


def make_trainer(config: Config, folder: Path) -> Trainer:
    """Return a trainer of a new run, without its lock."""
    folder.mkdir(exist_ok=True)
    data = prepare(from_scratch(config), Run(folder))
    loader = PairLoader(config, data.tokenizer, data.pairs)
    resolved = resolve_config(config, loader)
    precision = resolve_precision(config.training.precision, torch.device("cpu"))
    optimizer = Optimizer(build_model(config, data.tokenizer), config.training, precision)
    writer = RunWriter(Run(folder), resolved, data, started_s=time.perf_counter())
    step = TrainStep(optimizer, config.training, precision)
    return Trainer(writer, loader, step, TrainState())


def newest_tensors(folder: Path) -> dict[str, torch.Tensor]:
    tensors, _ = load_tensors(max((folder / "checkpoints").iterdir()))
    return tensors


def metrics(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


@pytest.fixture
def stop_at(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, int], None]:
    """Return a function that sends this process a signal when update `step` ends."""

    def arrange(step: int, number: int) -> None:
        def update(self: ProgressBar, n: int = 1) -> None:
            self.n += n
            if self.unit == "updates" and self.n == step:
                os.kill(os.getpid(), number)

        monkeypatch.setattr(ProgressBar, "update", update)

    return arrange


@pytest.mark.parametrize(
    "overrides",
    [
        ["training.precision=fp32"],
        ["training.precision=bf16", "training.accumulation=3", "model.decoder_layers=2"],
        ["tokenizer.kind=unigram", "tokenizer.vocabulary_size=300", "tokenizer.sampling=0.2"],
        [
            "model.cell=gru_reset_before",
            "model.attention=none",
            "model.context=repeat",
            "training.cut_tokens=6",
            "training.batch_sentences=21",
        ],
        ["model.cell=lstm", "training.precision=bf16"],
    ],
)
def test_a_run_stopped_in_mid_epoch_and_resumed_ends_in_the_same_bits(
    overrides: list[str],
    small_config: Configure,
    tmp_path: Path,
    stop_at: Callable[[int, int], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = small_config(*overrides)
    whole = run(config, tmp_path / "whole")
    for step, number in ((3, signal.SIGTERM), (whole.step // 2 + 2, signal.SIGINT)):
        with monkeypatch.context():
            stop_at(step, number)
            with pytest.raises(Interrupted) as stopped:
                run(config, tmp_path / "stopped")
        assert stopped.value.signal == number
    monkeypatch.undo()
    resumed = run(config, tmp_path / "stopped")
    assert (resumed.step, resumed.best_bleu) == (whole.step, whole.best_bleu)
    for name in ("weights.safetensors", "tokenizer.model", "config.yaml"):
        bundles = [tmp_path / run_name / "model" / name for run_name in ("whole", "stopped")]
        assert bundles[0].read_bytes() == bundles[1].read_bytes(), name
    first, second = newest_tensors(tmp_path / "whole"), newest_tensors(tmp_path / "stopped")
    assert first.keys() == second.keys()
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_a_callback_gets_the_lines_of_metrics_and_a_path_is_a_configuration(
    small_config: Configure, tmp_path: Path
) -> None:
    path, lines = tmp_path / "small.yaml", list[dict[str, Any]]()
    path.write_text(dump_config(small_config("training.max_steps=4", "training.log_steps=2")))
    state = train(str(path), tmp_path / "run", on_metrics=lines.append)
    assert state.step == 4
    assert lines == metrics(tmp_path / "run")
    assert [(line["step"], "loss" in line) for line in lines] == [(2, True), (4, True), (4, False)]
    assert lines[-1]["dev_bleu"] == state.best_bleu


def test_the_same_seed_gives_the_same_bits_and_another_does_not(
    small_config: Configure, tmp_path: Path
) -> None:
    weights = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        run(small_config(f"training.seed={seed}", "training.max_steps=4"), tmp_path / name)
        weights.append((tmp_path / name / "model" / "weights.safetensors").read_bytes())
    assert weights[0] == weights[1] != weights[2]


def test_a_resumed_run_writes_each_metric_once(
    small_config: Configure,
    tmp_path: Path,
    stop_at: Callable[[int, int], None],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    config = small_config("training.log_steps=2")
    with monkeypatch.context():
        stop_at(7, signal.SIGTERM)
        with pytest.raises(Interrupted):
            run(config, tmp_path / "run")
    monkeypatch.undo()
    with (tmp_path / "run" / "metrics.jsonl").open("a") as file:
        file.write('{"step": 2, "lo')
    capsys.readouterr()
    run(config, tmp_path / "run")
    assert "metrics.jsonl: unreadable lines were dropped: 1\n" in capsys.readouterr().err
    steps = [line["step"] for line in metrics(tmp_path / "run") if "loss" in line]
    assert steps == sorted(set(steps))


def test_microbatches_of_unequal_size_give_the_gradients_of_one_batch(
    small_config: Configure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = make_trainer(small_config("model.dropout=0"), tmp_path / "run")
    pairs = trainer.loader.load((0, 0))
    rows = plan_batches(pairs, batch_tokens=300, seed=1, epoch=0)[0]
    gradients: list[list[torch.Tensor]] = []

    def keep(rate: float, done: int) -> torch.Tensor:
        parameters = list(trainer.model.parameters())
        gradients.append([p.grad.clone() for p in parameters if p.grad is not None])
        trainer.model.zero_grad()
        return torch.tensor(1.0)

    monkeypatch.setattr(trainer.optimizer, "step", keep)
    one, three = (
        trainer.train_step(pairs, parts, learning_rate=0.1, seed=1, done=0)
        for parts in ([rows], [rows[:1], rows[1:8], rows[8:]])
    )
    assert one.tokens == three.tokens
    torch.testing.assert_close(one.loss, three.loss)
    for whole, parts in zip(*gradients, strict=True):
        torch.testing.assert_close(parts, whole, rtol=1e-4, atol=1e-6)


@pytest.fixture
def poison(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Return a function that makes the loss of 0-based update `step` not a number."""
    genuine_loss, genuine_update = forced_loss, TrainStep.__call__
    factor = 1.0

    def arrange(step: int) -> None:
        def update(self: TrainStep, *args: Any, done: int, **kwargs: Any) -> StepStats:
            nonlocal factor
            factor = float("nan") if done == step else 1.0
            return genuine_update(self, *args, done=done, **kwargs)

        def loss(*args: Any, **kwargs: Any) -> torch.Tensor:
            return factor * genuine_loss(*args, **kwargs)

        monkeypatch.setattr(TrainStep, "__call__", update)
        monkeypatch.setattr(update_module, "forced_loss", loss)

    return arrange


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_a_loss_that_is_not_finite_stops_the_run_and_names_its_lines(
    precision: str, small_config: Configure, tmp_path: Path, poison: Callable[[int], None]
) -> None:
    poison(3)
    trainer = make_trainer(small_config(f"training.precision={precision}"), tmp_path)
    with pytest.raises(UserError, match=r"update 3: .* not finite; .*not_finite\.json"):
        trainer.run()
    assert all(parameter.isfinite().all() for parameter in trainer.model.parameters())
    assert all(parameter.isfinite().all() for parameter in trainer.optimizer.average.parameters())
    report = json.loads((tmp_path / "not_finite.json").read_text())
    pairs, training = trainer.loader.load((0, 0)), trainer.config.training
    [row_B] = buffer_updates(training, pairs, training.batch_tokens, 0)[3]
    name = Path(trainer.config.data.corpus[0].path[0]).name
    lines = [f"{name}:{trainer.data.pairs.line_N[row]['line']}" for row in sorted(row_B)]
    assert report == {"update": 3, "corpus_lines": lines}
    assert not (tmp_path / "checkpoints").exists()


def test_fp16_skips_and_counts_an_overflow(
    small_config: Configure, tmp_path: Path, poison: Callable[[int], None]
) -> None:
    poison(3)
    trainer = make_trainer(
        small_config("training.precision=fp16", "training.max_steps=8"), tmp_path
    )
    progress = trainer.run()
    assert progress.step == 8
    assert progress.skipped >= 1  # the loss scale begins too high for some gradients, too
    assert all(parameter.isfinite().all() for parameter in trainer.model.parameters())


@pytest.mark.parametrize(
    ("before", "bleu", "loss", "best", "kept"),
    [
        (TrainState(), 0.0, 3.0, True, True),  # the first
        (TrainState(best_bleu=0.0, best_loss=3.0), 0.0, 2.9, True, True),  # BLEU tells nothing
        (TrainState(best_bleu=0.0, best_loss=3.0), 0.9, 3.1, False, False),
        (TrainState(best_bleu=0.9, best_loss=3.0), 1.2, 3.1, True, True),  # now it does
        (TrainState(best_bleu=9.0, best_loss=3.0), 0.0, 2.0, False, False),
        (TrainState(best_bleu=9.0, best_loss=3.0), 8.6, 3.5, False, True),  # within the noise
    ],
)
def test_loss_decides_while_bleu_tells_nothing(
    before: TrainState, bleu: float, loss: float, best: bool, kept: bool
) -> None:
    found = Validation(bleu, loss)
    assert (found.is_best(before), found.may_be_kept(before)) == (best, kept)
    after = found.count(before)
    assert after.bad_validations == (0 if best else before.bad_validations + 1)
    assert after.best_bleu == max(bleu, before.best_bleu)
    assert after.best_loss == min(loss, before.best_loss or loss)


def test_perplexity_is_infinite_where_no_number_is_as_large() -> None:
    assert Validation(0.0, 2.0).perplexity == pytest.approx(7.389056)
    assert Validation(0.0, 710.0).perplexity == float("inf")


@pytest.fixture
def scores(monkeypatch: pytest.MonkeyPatch) -> Callable[[list[float]], None]:
    """Return a function that takes scores and makes validations give them, one after the other."""

    def arrange(values: list[float]) -> None:
        upcoming: Iterator[float] = iter(values)
        monkeypatch.setattr(validation, "corpus_bleu", lambda *_, **__: next(upcoming))

    return arrange


@pytest.mark.parametrize(("dev_bleu", "kept"), [
    ([10.0, 30.0, 20.0], 8),
    ([10.0, 30.0, 29.6], 12),  # later, and no worse than the noise
    ([10.0, 30.0, 29.4], 8),
    ([30.0, 29.6, 29.2], 8),  # what is kept does not sink step by step
])  # fmt: skip
def test_the_latest_weights_that_dev_does_not_call_worse_are_kept(
    small_config: Configure,
    tmp_path: Path,
    scores: Callable[[list[float]], None],
    dev_bleu: list[float],
    kept: int,
) -> None:
    scores(dev_bleu)
    run(small_config("training.validate_steps=4", "training.max_steps=12"), tmp_path / "run")
    _, facts = load_tensors(tmp_path / "run" / "model" / "weights.safetensors")
    assert (facts["step"], facts["dev_bleu"]) == (kept, dev_bleu[kept // 4 - 1])


def test_patience_counts_validations_without_a_better_score(
    small_config: Configure,
    tmp_path: Path,
    scores: Callable[[list[float]], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    scores([10.0, 20.0, 20.0, 15.0, 99.0])
    progress = run(
        small_config("training.validate_steps=2", "training.patience=2"), tmp_path / "run"
    )
    assert (progress.step, progress.best_bleu) == (8, 20.0)
    assert "stopped: no better for 2 validations, after" in capsys.readouterr().err


def test_the_last_update_is_validated_wherever_it_falls(
    small_config: Configure, tmp_path: Path
) -> None:
    run(small_config("training.validate_steps=5", "training.max_steps=7"), tmp_path / "run")
    validated = [line["step"] for line in metrics(tmp_path / "run") if "dev_bleu" in line]
    assert validated == [5, 7]


@pytest.mark.parametrize(
    ("ends", "goes_on", "named"),
    [
        ("training.max_epochs=1", "training.max_epochs=2", "training.max_epochs"),
        ("training.max_steps=2", "training.max_steps=3", "training.max_steps"),
        ("training.patience=1", "training.patience=3", "training.patience"),
    ],
)
def test_a_finished_run_says_so_and_goes_on_with_more(
    ends: str,
    goes_on: str,
    named: str,
    small_config: Configure,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    scores: Callable[[list[float]], None],
) -> None:
    scores([10.0, 10.0, 10.0, 10.0])
    settings = ("training.validate_steps=2",) if "patience" in ends else ()
    first = run(small_config(ends, *settings), tmp_path / "run")
    assert run(small_config(ends, *settings), tmp_path / "run") == first
    assert f"finished; a larger {named} goes on with it" in capsys.readouterr().err
    assert run(small_config(goes_on, *settings), tmp_path / "run").step > first.step


def test_a_bundle_holds_the_configuration_that_its_weights_come_of(
    small_config: Configure, tmp_path: Path
) -> None:
    for steps in (2, 4):
        config = small_config(f"training.max_steps={steps}", "training.validate_steps=2")
        run(config, tmp_path / "run")
        assert load_bundle(tmp_path / "run", torch.device("cpu")).config == config


def test_a_kill_before_the_summary_is_made_good_by_the_same_command(
    small_config: Configure, tmp_path: Path
) -> None:
    config = small_config("training.max_steps=2")
    run(config, tmp_path / "run")
    summary = tmp_path / "run" / "summary.json"
    before = summary.read_bytes()
    summary.unlink()
    run(config, tmp_path / "run")
    assert summary.read_bytes() == before


def test_a_finished_run_keeps_on_which_machine_it_was_trained(
    small_config: Configure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gru_mt.training.output.run_writer.machine", lambda: {"cpu": "first"})
    run(small_config("training.max_steps=2"), tmp_path / "run")
    monkeypatch.setattr("gru_mt.training.output.run_writer.machine", lambda: {"cpu": "second"})
    run(small_config("training.max_steps=2"), tmp_path / "run")
    summary = tmp_path / "run" / "summary.json"
    assert read_json(summary)["machine"] == {"cpu": "first"}
    run(small_config("training.max_steps=3"), tmp_path / "run")
    assert read_json(summary)["machine"] == {"cpu": "second"}


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_run_stopped_before_its_first_validation_leaves_a_translator(
    number: int,
    small_config: Configure,
    tmp_path: Path,
    stop_at: Callable[[int, int], None],
    capfd: pytest.CaptureFixture[str],
) -> None:
    stop_at(1, number)
    with pytest.raises(Interrupted, match="stopped and saved"):
        run(small_config(), tmp_path / "run")
    assert load_bundle(tmp_path / "run", torch.device("cpu")).provenance["weights"]["step"] == 1
    said = capfd.readouterr().err
    assert "stopping: saving first" in said
    assert f"of update 1, not measured, is {tmp_path / 'run' / 'model'}" in said


def test_a_second_signal_is_not_waited_for(tmp_path: Path) -> None:
    received: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: received.append(number))
    try:
        with StopSignals() as signals:
            os.kill(os.getpid(), signal.SIGINT)
            assert (signals.received, received) == (signal.SIGINT, [])
            os.kill(os.getpid(), signal.SIGINT)
            assert received == [signal.SIGINT]  # whoever had it before has it again
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_ignored_signal_stays_ignored() -> None:
    """As SIGHUP is under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with StopSignals() as signals:
            os.kill(os.getpid(), signal.SIGHUP)
            assert signals.received is None
    finally:
        signal.signal(signal.SIGHUP, before)


def test_training_in_a_thread_takes_no_signals(small_config: Configure, tmp_path: Path) -> None:
    with ThreadPoolExecutor(1) as pool:
        progress = pool.submit(run, small_config("training.max_steps=1"), tmp_path / "run")
    assert progress.result().step == 1


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
        run(small_config(*settings), tmp_path / "run")
    assert not (tmp_path / "run" / "model").exists()
    assert not (tmp_path / "run" / "summary.json").exists()


def test_what_auto_stands_for_is_said_and_kept(
    small_config: Configure, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = small_config(
        "training.batch_tokens=auto", "training.warmup_steps=auto", "training.max_steps=2"
    )
    run(config, tmp_path / "run")
    said = capsys.readouterr().err
    assert "training.batch_tokens: 256 (auto, for 2 updates)" in said
    assert "training.warmup_steps: 0 (auto, for 2 updates)" in said
    kept = load_config(tmp_path / "run" / "config.yaml").training
    assert (kept.batch_tokens, kept.warmup_steps) == (256, 0)
    assert run(config, tmp_path / "run").step == 2


def test_a_warm_up_as_long_as_the_run_is_a_warning(
    small_config: Configure, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for steps, warned in ((6, False), (5, True)):
        make_trainer(small_config(f"training.max_steps={steps}"), tmp_path / str(steps))
        assert ("warning: training.warmup_steps 5" in capsys.readouterr().err) == warned


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_changed_corpus_or_tokenizer_is_refused_by_name_and_changes_nothing(
    small_config: Configure, small_corpus: Path, tmp_path: Path
) -> None:
    corpus = tmp_path / "corpus.tsv"
    corpus.write_bytes(small_corpus.read_bytes())
    config = small_config(f"data.corpus={corpus}", "training.max_steps=3")
    folder = tmp_path / "run"
    run(config, folder)
    tokenizer = folder / "tokenizer.model"
    before = tokenizer.read_bytes()
    tokenizer.write_bytes(before + b"another\n")
    damaged = contents(folder)
    with pytest.raises(UserError, match="the tokenizer has changed"):
        run(config, folder)
    assert contents(folder) == damaged
    tokenizer.write_bytes(before)
    whole = contents(folder)
    corpus.write_bytes(small_corpus.read_bytes() + b"new line\tnouvelle ligne\n")
    with pytest.raises(UserError, match="the corpus has changed"):
        run(small_config(f"data.corpus={corpus}", "training.max_steps=9"), folder)
    assert contents(folder) == whole


def test_a_corpus_that_moved_is_the_same(
    small_config: Configure, small_corpus: Path, tmp_path: Path
) -> None:
    first = run(small_config("training.max_steps=2"), tmp_path / "run")
    moved = tmp_path / "moved.tsv"
    moved.write_bytes(small_corpus.read_bytes())
    config = small_config(f"data.corpus={moved}", "training.max_steps=3")
    assert run(config, tmp_path / "run").step == first.step + 1


def test_a_corpus_too_small_for_a_dev_part_keeps_the_last_weights(
    small_config: Configure, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = tmp_path / "corpus.tsv"
    corpus.write_text("a cat\tun chat\na dog\tun chien\n")
    run(small_config(f"data.corpus={corpus}"), tmp_path / "run")
    said = capsys.readouterr().err
    assert "too small for a dev split" in said
    assert "first validation" not in said
    assert re.search(r"^finished: epoch 2 of 2, after .* min; never measured$", said, re.M)
    _, facts = load_tensors(tmp_path / "run" / "model" / "weights.safetensors")
    assert facts["step"] == 2


def test_what_cutting_costs_is_said(
    small_config: Configure, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = small_config("training.max_steps=1", "training.cut_tokens=5", NO_AUGMENT)
    trainer = make_trainer(config, tmp_path / "run")
    lengths = [
        [len(side.encode(text)) + 1 for text in texts]
        for side, texts in zip(
            (trainer.data.tokenizer.source, trainer.data.tokenizer.target),
            zip(*((each.source, each.target) for each in examples(trainer.data)), strict=True),
            strict=True,
        )
    ]
    sources, targets = (sum(length > 5 for length in side) for side in lengths)
    assert 0 < sources < len(trainer.data.pairs)
    trainer.run()
    said = f"{sources:,} sources and {targets:,} targets lose their end"
    assert said in capsys.readouterr().err


def test_every_pair_is_trained_on_once_an_epoch(
    small_config: Configure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = make_trainer(small_config("training.accumulation=4"), tmp_path)
    seen: list[int] = []

    def add(self: MetricsWindow, update: StepRecord) -> None:
        seen.extend(row for rows in update.rows for row in rows.tolist())

    monkeypatch.setattr(MetricsWindow, "add", add)
    trainer.run()
    assert sorted(seen) == sorted([*range(len(trainer.data.pairs))] * 2)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("precision", ["fp32", "bf16", "fp16"])
def test_a_gpu_runs_the_same_code(precision: str, small_config: Configure, tmp_path: Path) -> None:
    config = small_config("training.device=cuda", f"training.precision={precision}")
    losses = []
    for name, device in (("gpu", "cuda"), ("cpu", "cpu")):
        run(config if device == "cuda" else small_config(), tmp_path / name)
        losses.append([x["dev_loss"] for x in metrics(tmp_path / name) if "dev_loss" in x][-1])
    assert losses[0] == pytest.approx(losses[1], rel=0.1)


def test_a_model_that_memory_cannot_hold_is_refused_before_anything_is_written(
    small_config: Configure, tmp_path: Path
) -> None:
    sizes = ("embedding_size=16384", "encoder_size=8192", "decoder_size=16384", "decoder_layers=32")
    config = small_config(*(f"model.{size}" for size in sizes))
    with pytest.raises(UserError, match=r"^model: [\d,]+ parameters take [\d,]+ GB to train"):
        run(config, tmp_path / "run")
    assert not (tmp_path / "run").exists()
