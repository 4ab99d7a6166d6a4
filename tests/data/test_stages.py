"""Counts that long work tells."""

import pytest

from gru_mt.data import stages
from gru_mt.data.stages import counted


@pytest.mark.parametrize(
    ("total", "told"),
    [
        (5, ["0 of 5 pairs", "2 of 5 pairs", "4 of 5 pairs"]),
        (None, ["0 pairs", "2 pairs", "4 pairs"]),
    ],
)
def test_counted_items_come_as_they_are_and_are_told_now_and_then(
    total: int | None, told: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stages, "EVERY", 2)
    found: list[tuple[str, str, float | None]] = []

    def tell(stage: str, count: str = "", share: float | None = None) -> None:
        found.append((stage, count, share))

    assert [*counted("abcde", tell, "encoding", "pairs", total=total)] == [*"abcde"]
    shares = [0, 0.4, 0.8] if total else [None] * 3
    assert found == [("encoding", *each) for each in zip(told, shares, strict=True)]
