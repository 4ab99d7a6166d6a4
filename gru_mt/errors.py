"""The exceptions that a user is meant to meet."""


class UserError(Exception):
    """A mistake that the user can fix; the message names the file, line or field and the fix.

    The command line prints it as it stands and exits with 2. A mistake of ours is any other
    exception, and keeps its traceback.
    """


class Interrupted(Exception):  # noqa: N818 it is no error
    """A signal asked to stop, and everything is saved; the command exits with 128 + `signal`."""

    def __init__(self, signal: int) -> None:
        super().__init__(signal)
        self.signal = signal
