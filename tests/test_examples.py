"""The small programs on recurrent layers beat their baselines, at a smaller size too."""

import re
import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "scripts" / "examples"


@pytest.mark.parametrize(
    ("name", "steps", "higher_is_better"),
    [("classify", 100, True), ("tag", 120, True), ("forecast", 150, False)],
)
def test_an_example_beats_its_baseline(
    name: str,
    steps: int,
    higher_is_better: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", [name, "--steps", str(steps)])
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    printed = capsys.readouterr().out
    ours, baseline = map(float, re.findall(r": (\d\.\d+)$", printed, re.MULTILINE))
    assert ours > baseline + 0.05 if higher_is_better else ours < 0.9 * baseline


def test_an_example_is_short() -> None:
    for path in EXAMPLES.glob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) < 80, path
