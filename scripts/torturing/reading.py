"""What code that reads a file may raise, and how long it may take, in this process."""

import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from gru_mt.errors import UserError
from torturing.judging import Failed, judge_message, last_words
from torturing.processes import limit_memory


class Overtime(BaseException):
    """The block takes too long; a BaseException, because attacked code catches none."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise Failed where the block takes longer."""

    def end(number: int, frame: FrameType | None) -> None:
        raise Overtime

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except Overtime:
        raise Failed(f"takes more than {seconds} s") from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def user_errors(seconds: float) -> Iterator[None]:
    """Judge the block: it must end in time, or raise UserError with a fitting message."""
    limit_memory()
    try:
        with at_most(seconds):
            yield
    except UserError as error:
        judge_message(str(error))
    except (Failed, KeyboardInterrupt):
        raise
    except Exception as error:
        raise Failed(last_words("".join(traceback.format_exception(error)))) from None
