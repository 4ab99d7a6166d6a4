"""A program of test_launch: gru-mt that waits seconds for others, where gru-mt waits minutes."""

from datetime import timedelta

from gru_mt.__main__ import main
from gru_mt.training import presence

if __name__ == "__main__":
    presence.MEETING = timedelta(seconds=10)
    presence.BEAT_S, presence.SILENCE_S = 0.5, 3.0
    main()
