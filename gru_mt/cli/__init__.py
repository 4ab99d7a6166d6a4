"""The command line: parse, call one function, print. One module a command.

Results go to stdout, everything else to stderr. Modules that are slow to import (torch, pydantic,
sacreBLEU) load inside the command that needs them, so that `--help` is instant.
"""

import re
import sys
from typing import Any

import typer

from gru_mt.cli.app import NAME, app
from gru_mt.cli.streams import flush_results, open_streams, print_messages, say
from gru_mt.errors import Interrupted, ProcessLost, UserError

# Importing a command adds it to the app. The help lists the commands in this order.
from gru_mt.cli.commands import config, train, evaluate, runs, compare  # isort: skip # noqa: F401
from gru_mt.cli.commands.translation import translate, serve, correct  # isort: skip # noqa: F401
from gru_mt.cli.commands import export, data, checks  # isort: skip # noqa: F401

__all__ = ["app", "main"]

USAGE_ERROR: Any = typer.BadParameter.__base__  # UsageError, which typer does not export
TORCH_MEMORY = "can't allocate memory|CUDA out of memory"  # torch raises no MemoryError
LONGEST = 1_000  # characters of a message's line


def main() -> None:
    """Run the command line: exit with 0 when done, with 2 and one line after a user's mistake."""
    open_streams()
    print_messages()
    try:
        code = app(sys.argv[1:] or ["--help"], prog_name=NAME, standalone_mode=False)
        flush_results()
        sys.exit(code)
    except USAGE_ERROR as error:
        command = error.ctx.command_path if error.ctx else NAME
        _tell(f"{command}: {_line(error.format_message()).rstrip('.')}; {command} -h shows how")
    except UserError as error:
        _tell(str(error))
    except Interrupted as error:
        say(str(error))
        sys.exit(128 + error.signal)
    except ProcessLost as error:
        say(str(error))
        sys.exit(1)
    except (OSError, MemoryError, ValueError, RuntimeError) as error:
        if not (reason := _outside_reason(error)):
            raise
        _tell(reason)
    sys.exit(2)


def _outside_reason(error: Exception) -> str:
    """Return one line about what is wrong outside of this program; "" if the mistake is ours."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{_line(str(error.filename))}: {error.strerror}"
    if isinstance(error, ValueError) and "embedded null" in str(error):
        return "a name with a null character in it is no file's; see the paths that were given"
    if isinstance(error, MemoryError) or re.search(TORCH_MEMORY, str(error)):
        return "not enough memory; make batches, beam or model smaller"
    return ""


def _line(text: str) -> str:
    return text.replace("\n", "\\n")


def _tell(mistakes: str) -> None:
    """Print each line to stderr; one of more than LONGEST characters loses its middle."""
    for line in mistakes.split("\n"):
        half = LONGEST // 2
        say(line if len(line) <= LONGEST else f"{line[:half]} ... {line[-half:]}")
