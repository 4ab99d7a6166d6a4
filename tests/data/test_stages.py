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
    found: list[tuple[str, str]] = []

    def tell(stage: str, count: str = "") -> None:
        found.append((stage, count))

    assert [*counted("abcde", tell, "encoding", "pairs", total=total)] == [*"abcde"]
    assert found == [("encoding", count) for count in told]
