"""The log of a run."""

import logging
from pathlib import Path

import pytest

from gru_mt.errors import UserError
from gru_mt.training.output.logging import logging_to

log = logging.getLogger("gru_mt.training.trainer")


def test_messages_are_printed_and_logged_once_the_log_is_open(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "train.log"
    with logging_to(path) as run_log:
        log.info("reading")
        assert not path.exists()
        run_log.open()
        log.debug("only in the log")
        log.warning("small\x1b[2J \udcff")
    log.warning("after the run")
    assert capsys.readouterr().err == (
        "reading\nwarning: small\\x1b[2J \\udcff\nwarning: after the run\n"
    )
    lines = [line.split("  ")[1] for line in path.read_text().splitlines()]
    assert lines == ["reading", "only in the log", "warning: small\\x1b[2J \\udcff"]


def test_other_processes_than_the_first_print_and_log_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with logging_to(tmp_path / "train.log", is_main=False):
        log.warning("small")
    assert capsys.readouterr().err == ""
    assert not [*tmp_path.iterdir()]


def test_a_log_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with logging_to(tmp_path) as run_log:
        run_log.open()
        with pytest.raises(UserError, match="cannot be written: Is a directory"):
            log.info("reading")
