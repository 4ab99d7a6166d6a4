"""`python -m gru_mt` is `gru-mt`."""

from gru_mt.cli import main

if __name__ == "__main__":
    main()
