"""Progress without a terminal. tests/test_cli_progress.py has one."""

import logging
import sys

import pytest

from gru_mt.cli.streams import print_messages
from gru_mt.progress import ProgressBar


@pytest.fixture(autouse=True)
def _messages_on_stderr() -> None:
    print_messages(logging.INFO)


def test_without_a_terminal_progress_is_a_message_every_so_often(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock_s = 1.0
    monkeypatch.setattr("tqdm.std.time", lambda: clock_s)
    with ProgressBar("training", unit="updates", total=400, initial=100) as bar:
        for step in range(101, 161):  # a second each
            clock_s += 1
            bar.set_description_str(f"epoch {step // 100} of 4", refresh=False)
            bar.set_postfix_str("loss 2.50", refresh=False)
            bar.update()
    assert capsys.readouterr().err.splitlines() == [
        "training",
        "epoch 1 of 4: 130 of 400 updates, loss 2.50, 4.5 min left",  # 270 s
        "epoch 1 of 4: 160 of 400 updates, loss 2.50, 4.0 min left",
    ]


def test_items_go_through_a_bar_of_unknown_length_though_nobody_can_write_to_stderr(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [*ProgressBar("reading\x1b[2J", unit="lines", items="abc")] == ["a", "b", "c"]
    assert capsys.readouterr().err == "reading\\x1b[2J\n"

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sys.stderr, "write", full)
    assert [*ProgressBar("reading", unit="lines", items="ab")] == ["a", "b"]
