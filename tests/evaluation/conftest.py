"""What tests of scores share."""

import pytest

from gru_mt.evaluation import score


@pytest.fixture
def all_resamples(resamples: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let scores have all their resamples and trials."""
    for name, count in resamples.items():
        monkeypatch.setattr(score, name, count)
