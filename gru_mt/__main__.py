"""The entry point: `gru-mt`, or `python -m gru_mt`."""

import signal


def main() -> None:
    """Run the command line, which Ctrl-C ends at once and without a word wherever it is.

    Nothing is left half done: a file is written in one step, and a run that trains takes signals
    itself, to save before it ends.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is to be ignored
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from gru_mt.cli import main as run

    run()


if __name__ == "__main__":
    main()
