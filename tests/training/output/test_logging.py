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
        path.rename(tmp_path / "moved.log")
        path.mkdir()
        with pytest.raises(UserError, match="cannot be written: Is a directory"):
            log.debug("lost")
    log.warning("after the run")
    with logging_to(tmp_path / "other.log", is_main=False):  # one of several processes
        log.warning("neither printed nor logged")
    printed = "reading\nwarning: small\\x1b[2J \\udcff\nwarning: after the run\n"
    assert capsys.readouterr().err == printed
    lines = [line.split("  ")[1] for line in (tmp_path / "moved.log").read_text().splitlines()]
    assert lines == ["reading", "only in the log", "warning: small\\x1b[2J \\udcff"]
    assert not (tmp_path / "other.log").exists()
