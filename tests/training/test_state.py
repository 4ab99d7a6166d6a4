"""Where a run is, update by update."""

from typing import Any

import pytest

from gru_mt.config.schema import TrainingConfig
from gru_mt.training.state import TrainState


def test_an_update_moves_within_the_epoch_and_the_last_one_ends_it() -> None:
    state, found = TrainState(best_bleu=3.0), []
    for _ in range(5):
        state = state.after_update(2)
        found.append((state.step, state.epoch, state.epoch_step))
    assert found == [(1, 0, 1), (2, 1, 0), (3, 1, 1), (4, 2, 0), (5, 2, 1)]
    assert state.best_bleu == 3.0
    # The epochs to come may have other updates: one of three is under way, and one is to come.
    assert state.total_updates(3, TrainingConfig(max_epochs=4)) == 4 + 2 * 3


@pytest.mark.parametrize(
    ("state", "reasons"),
    [
        (TrainState(step=9, epoch=1, bad_validations=2), []),
        (TrainState(step=10, epoch=1), ["max_steps"]),
        (TrainState(step=3, epoch=2, bad_validations=3), ["max_epochs", "patience"]),
    ],
)
def test_a_run_ends_by_the_settings_that_it_has_reached(
    state: TrainState, reasons: list[str]
) -> None:
    assert state.stop_reasons(TrainingConfig(max_epochs=2, max_steps=10, patience=3)) == reasons
    assert state.stop_reasons(TrainingConfig(max_epochs=99)) == []


@pytest.mark.parametrize("buffers", [1, 2])
@pytest.mark.parametrize(
    ("settings", "due"),
    [
        ({}, [4, 8, 12]),  # after each epoch of four updates
        ({"validate_steps": 3}, [3, 6, 9, 12]),
        ({"validate_steps": 5}, [5, 10, 12]),  # and at the end, wherever it falls
        ({"max_steps": 6}, [4, 6]),
    ],
)
def test_validation_is_due_in_its_rhythm_and_at_the_end_and_foretold(
    settings: dict[str, Any], due: list[int], buffers: int
) -> None:
    training, updates = TrainingConfig(max_epochs=3, **settings), 4 // buffers
    state, found, foretold = TrainState(), [], set()
    while not state.stop_reasons(training):
        foretold.add(state.next_validation(updates, training, buffers))
        assert state.total_updates(updates, training, buffers) == due[-1]
        state = state.after_update(updates, buffers)
        if state.validation_is_due(training):
            found.append(state.step)
    assert found == sorted(foretold) == due
