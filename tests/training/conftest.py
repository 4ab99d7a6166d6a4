"""What the tests of training share."""

import logging
import math
from collections.abc import Callable, Iterator

import pytest

from gru_mt.cli.streams import print_messages
from gru_mt.data import loader
from gru_mt.training import estimate, validation


@pytest.fixture(autouse=True)
def _messages_on_stderr() -> None:
    """Print what modules log to stderr, as the command line does."""
    print_messages(logging.INFO)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Time few updates, and start no process for the next epoch where a machine is busy."""
    monkeypatch.setattr(estimate, "TIMED", 2)
    monkeypatch.setattr(loader, "LEAST_ELSEWHERE", math.inf)


@pytest.fixture
def scores(monkeypatch: pytest.MonkeyPatch) -> Callable[[list[float]], None]:
    """Return a function that takes scores and makes validations give them, one after the other."""

    def arrange(values: list[float]) -> None:
        upcoming: Iterator[float] = iter(values)
        monkeypatch.setattr(validation, "corpus_bleu", lambda *_, **__: next(upcoming))

    return arrange
