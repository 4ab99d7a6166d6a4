"""What the tests of data share."""

import logging

import pytest

from gru_mt.cli.streams import print_messages


@pytest.fixture(autouse=True)
def _messages_on_stderr() -> None:
    """Print what modules log to stderr, as the command line does."""
    print_messages(logging.INFO)
