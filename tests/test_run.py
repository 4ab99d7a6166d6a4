"""The folder of a run: names, the newest, metrics."""

import os
from pathlib import Path

import pytest

from gru_mt.errors import UserError
from gru_mt.run import Run, metrics_csv


def test_the_newest_run_is_the_one_that_finished_last_if_any_has(tmp_path: Path) -> None:
    for name, finished_s in (("a", 100), ("b", 300), ("c", 200)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "summary.json").touch()
        os.utime(tmp_path / name / "summary.json", (finished_s, finished_s))
    (tmp_path / "unfinished").mkdir()
    (tmp_path / "secret").mkdir(mode=0)
    (tmp_path / "a file").touch()
    (tmp_path / "nowhere").symlink_to("none")
    (tmp_path / "loop").symlink_to("loop")
    assert Run.newest(tmp_path) == Run(tmp_path / "b")
    assert [run.folder.name for run in Run.finished(tmp_path)] == ["b", "c", "a"]
    with pytest.raises(UserError, match=r"no finished run in .*: train one with gru-mt train, or"):
        Run.newest(tmp_path / "none")


def test_metrics_that_a_resumed_run_will_repeat_are_dropped_and_truncated_ones_counted(
    tmp_path: Path,
) -> None:
    run = Run(tmp_path)
    assert run.read_metrics() == ([], 0)
    run.append_metrics(10, {"loss": 1.5, "epoch": 0})
    run.append_metrics(20, {"loss": None})
    before = run.metrics.read_bytes()
    lines = [{"step": 10, "loss": 1.5, "epoch": 0}, {"step": 20, "loss": None}]
    assert run.read_metrics() == (lines, 0)
    run.append_metrics(30, {"loss": 1.5})
    assert run.drop_metrics_after(20) == 0
    assert run.metrics.read_bytes() == before
    truncated = [b'{"step": 2, "lo', b"\xff\xfe", b"[1]", b'{"loss": 2}', b'{"step": "3"}',
                 b"[" * 9999, b'{"step": 5']  # fmt: skip
    run.metrics.write_bytes(b"\n".join([before + truncated[0], *truncated[1:]]))
    assert run.drop_metrics_after(20) == 7
    assert run.metrics.read_bytes() == before


def test_metrics_as_csv_have_a_column_for_each_number(tmp_path: Path) -> None:
    run = Run(tmp_path)
    assert metrics_csv(run) == "step\n"
    run.append_metrics(10, {"epoch": 0, "loss": 1.5, "skipped": None})
    run.append_metrics(12, {"dev_bleu": 31.25, "dev_others": {'a, "b"': {"dev_bleu": 7.0}}})
    run.append_metrics(20, {"note": "text", "loss": 1e-05})
    assert metrics_csv(run).splitlines() == [
        'step,epoch,loss,dev_bleu,"dev_others.a, ""b"".dev_bleu"',
        "10,0,1.5,,",
        "12,,,31.25,7.0",
        "20,,1e-05,,",
    ]
