"""Tests of corpora write their files into an empty working folder, and start no processes."""

from pathlib import Path

import pytest

from gru_mt.data import pool


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(pool, "cores", lambda: 1)
