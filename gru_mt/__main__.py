"""The entry point: `gru-mt`, or `python -m gru_mt`."""

import gc
import signal


def main() -> None:
    """Run the command line. Ctrl-C ends it at once; training handles it itself, to save before."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else the caller ignores it
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.set_threshold(10_000)  # loading makes many objects that stay: look for garbage less often
    from gru_mt.cli import main as run

    try:
        run()
    finally:
        gc.freeze()  # nor does the end of Python look through them


if __name__ == "__main__":
    main()
