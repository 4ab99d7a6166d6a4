"""A few updates tell how long a training takes, and which one fits in some minutes."""

import contextlib
import os
import signal
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from gru_mt.config.load import load_config
from gru_mt.config.schema import Config, ResolvedConfig
from gru_mt.data.dataset.ids import EpochPairs, IdSequences
from gru_mt.data.splits import load_splits
from gru_mt.model.fast import waiting
from gru_mt.training import estimate
from gru_mt.training.estimate import Pace, measure_pace, plan_minutes, try_updates
from gru_mt.training.train import train
from tests.conftest import Configure
from tests.training.processes import bits, train_until

AUTO = ("training.batch_tokens=auto", "training.warmup_steps=auto")


def test_a_trial_counts_what_training_would_do_and_writes_nothing(
    small_config: Configure, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = small_config("training.max_epochs=7", "training.max_steps=9")
    splits = load_splits(config.data)
    capsys.readouterr()
    with contextlib.chdir(tmp_path):
        trial = try_updates(config, splits)
    assert (trial.epochs, trial.updates, trial.batch_tokens) == (7, 9, 120)
    assert trial.parameters > 1_000
    assert 0 < trial.minutes < 10
    assert trial.peak_mb is None or trial.peak_mb > 50
    assert os.listdir(tmp_path) == []
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("every", [10, 7])
@pytest.mark.parametrize(("validation_s", "buffer_s"), [(0, 0), (5, 4), (90, 1)])
def test_as_many_updates_fit_as_the_clock_says(
    every: int, validation_s: int, buffer_s: int
) -> None:
    pace = Pace(1, 10, 2, 3.0, validation_s, buffer_s)
    training = {"validate_steps": None if every == 10 else every}  # of an epoch of 10 updates
    config = load_config({"data": {"corpus": "a.tsv"}, "training": training})

    def clock(updates: int) -> int:
        """Return the seconds that updates take, one after the other."""
        validations = sum(step % every == 0 or step == updates for step in range(1, updates + 1))
        made = sum(step % 5 == 1 for step in range(2, updates + 1))  # buffers have 5 updates
        return 3 * updates + validation_s * validations + buffer_s * made

    for seconds in range(-5, 300):
        found = pace.updates_within(seconds, config)
        assert found == max([n for n in range(1, 100) if clock(n) <= seconds], default=0)
        assert not found or pace.seconds(found, config) == clock(found)


@pytest.mark.parametrize(
    ("pairs", "settings", "minutes", "expected"),
    [
        # Batches of 256 pairs, 100 an epoch, at 0.2 s, and 1 s a validation: 21 s an epoch.
        # 0.95 * 600 s are 27 epochs, and 3 s: 10 updates more and a validation.
        (25_600, {}, 10, (2_048, 2_710, 28)),
        # 114 s are 5 epochs and 40 updates: too few. Half as large: 200 an epoch, and 80.
        (25_600, {}, 2, (1_024, 1_080, 6)),
        (25_600, {"batch_tokens": 2_048}, 2, (2_048, 540, 6)),
        # 39.9 s are 190 updates; as many tokens are 380 of 1,024. A quarter is the smallest.
        (25_600, {}, 0.7, (512, 400 + 358, 2)),
        # There is time for hundreds of epochs. Thirty are the most.
        (2_560, {"batch_tokens": 512}, 600, (512, None, 30)),
        # 480,000 / 163,840 = 3 epochs are usual; three times as many are the most.
        (163_840, {}, 600, (2_048, None, 9)),
    ],
)
def test_minutes_become_updates_epochs_and_batches(
    pairs: int,
    settings: dict[str, int],
    minutes: float,
    expected: tuple[int, int | None, int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    timed = []

    def pace(config: Config, *_: object) -> Pace:
        batch = int(config.training.batch_tokens)
        timed.append(batch)
        validation_s = 1.0 if batch == 2_048 else 9.0  # as if it had small batches too
        return Pace(1, pairs * 8 // batch, 1, 0.2 * batch / 2_048, validation_s, 0.0)

    monkeypatch.setattr(estimate, "measure_pace", pace)
    stated = {"minutes": minutes, "max_epochs": 2, "max_steps": 3} | settings
    training = planned({"training": stated}, pairs, monkeypatch).training
    assert (training.batch_tokens, training.max_steps, training.max_epochs) == expected
    assert training.minutes is None
    assert len(timed) <= 2, "timing takes some of the minutes"


def planned(sections: dict[str, Any], pairs: int, monkeypatch: pytest.MonkeyPatch) -> Config:
    """Return the plan for pairs of eight target tokens each, where measuring takes no time."""
    monkeypatch.setattr("time.perf_counter", lambda: 7.0)
    side = IdSequences.of([[7] * 7] * pairs)  # and <eos>
    of_epoch = EpochPairs(side, side, np.arange(pairs))
    loader: Any = SimpleNamespace(load=lambda _: of_epoch, buffers=1)
    config, data = load_config({"data": {"corpus": "a.tsv"}} | sections), None
    return plan_minutes(config, cast("Any", data), loader, started_s=7.0)[0]


@pytest.mark.parametrize(
    ("may_shrink", "minutes", "expected"),
    [
        # 285 s are 13 epochs of 21 s, and 12 s; or, twice as fast, 25 of 11 s, and 10 s.
        (False, 5, (2, 512, 256, 1_355)),
        (True, 5, (1, 384, 192, 2_590)),
        # 684 s are enough for 3,255 updates; 30 epochs, the most, are 3,000.
        (True, 12, (2, 512, 256, None)),
        # 5.7 s are 23 updates, or 46, or, in batches of 512, as fast as these can be, 188.
        (True, 0.1, (1, 384, 192, 188)),
    ],
)
def test_a_smaller_model_is_taken_where_few_updates_fit(
    may_shrink: bool,
    minutes: float,
    expected: tuple[int, int, int, int | None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def pace(config: Config, *_: object) -> Pace:
        batch = int(config.training.batch_tokens)
        update_s = 0.1 * config.model.decoder_layers * batch / 2_048
        return Pace(1, 25_600 * 8 // batch, 1, update_s, 1.0, 0.0)

    monkeypatch.setattr(estimate, "measure_pace", pace)
    sections = {
        "model": {"decoder_layers": 2, "may_shrink": may_shrink},
        "training": {"minutes": minutes},
    }
    plan = planned(sections, 25_600, monkeypatch)
    model = plan.model
    sizes = (model.decoder_layers, model.decoder_size, model.encoder_size)
    assert (*sizes, plan.training.max_steps) == expected


def test_a_model_that_has_all_the_epochs_it_may_does_not_shrink(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(estimate, "measure_pace", lambda *_: Pace(1, 50, 1, 0.2, 1.0, 0.0))
    sections = {"model": {"may_shrink": True}, "training": {"minutes": 6, "batch_tokens": 2_048}}
    plan = planned(sections, 12_800, monkeypatch)  # 30 epochs of 11 s are 1,500 updates
    assert (plan.model.decoder_size, plan.training.max_epochs) == (512, 30)


def test_a_smaller_model_goes_on_and_is_fine_tuned_with_the_configuration_it_came_from(
    small_config: Configure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(estimate, "FEWEST", 5)
    monkeypatch.setattr(Pace, "updates_within", lambda *_: 9)
    config = small_config("model.may_shrink=true", "training.minutes=0.3", *AUTO)
    train_until(config, tmp_path / "run", 4, signal.SIGTERM)
    kept = load_config(tmp_path / "run" / "config.yaml").model
    assert kept == config.model.smaller() != config.model
    assert train(config, tmp_path / "run").step == 9
    longer = small_config("model.may_shrink=true", "training.max_steps=10", *AUTO)
    assert train(longer, tmp_path / "run").step == 10
    start = f"training.start={tmp_path / 'run'}"
    tuned = small_config("model.may_shrink=true", "training.minutes=0.3", start)
    train(tuned, tmp_path / "tuned")
    assert load_config(tmp_path / "tuned" / "config.yaml").model == kept
    train(tuned.model_copy(update={"model": tuned.model.model_copy(update={"dropout": 0.4})}),
          tmp_path / "other")  # fmt: skip
    model = load_config(tmp_path / "other" / "config.yaml").model
    assert model == kept.model_copy(update={"dropout": 0.4})
    train(small_config("training.max_steps=1"), tmp_path / "plain")
    train(small_config("model.may_shrink=true", "training.max_steps=1",
                       f"training.start={tmp_path / 'plain'}"), tmp_path / "of-plain")  # fmt: skip


def test_a_run_is_planned_once_and_the_numbers_that_it_keeps_give_the_same_bits(
    small_config: Configure,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(estimate, "FEWEST", 5)
    monkeypatch.setattr(Pace, "updates_within", lambda *_: 9)
    config = small_config("training.minutes=0.3", "training.max_epochs=3", *AUTO)
    train_until(config, tmp_path / "planned", 4, signal.SIGTERM)
    said = capsys.readouterr().err
    assert said.count("training.minutes 0.3: 9 updates of about 256 tokens, ") == 1
    assert said.count(" s an update; not training.max_epochs 3\n") == 1
    assert said.count("training.warmup_steps: 1 (auto, for 9 updates)") == 1
    kept = load_config(tmp_path / "planned" / "config.yaml")
    assert (kept.training.minutes, kept.training.max_steps) == (None, 9)
    assert (kept.training.batch_tokens, kept.training.warmup_steps) == (256, 1)
    state = train(small_config("training.minutes=99", *AUTO), tmp_path / "planned")
    assert "training.minutes 99 is not used: " in capsys.readouterr().err
    assert state.step == 9
    train(kept, tmp_path / "again")
    assert bits(tmp_path / "again") == bits(tmp_path / "planned")


def test_a_trial_shows_the_plan_and_a_small_corpus_takes_less(
    small_config: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    timed, config = [], small_config("training.minutes=99", "training.max_steps=1", *AUTO)
    watched = threading.Event()
    monkeypatch.setattr(waiting, "_watch", lambda ended: watched.set())

    def measured(config: ResolvedConfig, *others: Any) -> Pace:
        assert watched.wait(60), "waiting threads sleep where others want the cores, as in training"
        timed.append(config.training.batch_tokens)
        return measure_pace(config, *others)

    monkeypatch.setattr(estimate, "measure_pace", measured)
    trial = try_updates(config, load_splits(config.data))
    assert timed == [256], "once, and what was timed for the plan shows the time"
    assert trial.epochs == 30
    assert trial.updates % 30 == 0
    assert trial.minutes < 9
    assert f": {trial.updates:,} updates of " in str(trial)
