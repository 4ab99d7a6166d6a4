"""Scores are tested with all their resamples."""

import pytest

from gru_mt.evaluation import score


@pytest.fixture(autouse=True)
def _all_resamples(resamples: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, count in resamples.items():
        monkeypatch.setattr(score, name, count)
