"""Who of the processes that train together is there: how they meet, and who notices who is gone.

They find each other by the environment that torch's launchers set. A process that trains alone
never imports torch.distributed.
"""

import os
import secrets
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch.distributed.distributed_c10d import Store

MEETING = timedelta(seconds=60)  # to wait for all to start, and for each exchange of gradients
ROLL_CALL_S = 5.0  # for those who live to answer, when another process is gone
LISTENING_S = 0.5  # between two looks for a roll call
BEAT_S = 5.0  # between two signs of life
# Without a sign of life, until a process counts as gone whose connections nobody closed, as where a
# host loses its network. A process that holds Python's lock gives no sign: a tokenizer that learns,
# a component of a billion pairs.
SILENCE_S = 300.0
LOST = "the connection to the other processes is lost; the same command goes on"
# Begins the name of a run of torch's launcher that this program started itself; then comes the
# launcher's process id.
LAUNCHED = "gru-mt "
ORPHANED_S = 5.0  # to begin with saving once the launcher is gone
_stopping = threading.Event()


class ProcessLost(Exception):  # noqa: N818 it is no error of this process
    """Another process of the group is gone; the message names its rank."""


def group_size() -> int:
    """Return how many processes a launcher has started to train together; 1 without one."""
    return int(os.environ.get("WORLD_SIZE", 1)) if "RANK" in os.environ else 1


def group_rank() -> int:
    """Return the rank of this process among them; 0 without a launcher."""
    return int(os.environ["RANK"]) if group_size() > 1 else 0


def is_launched() -> bool:
    """Return whether `gru-mt train --processes` started this process. It tells who is gone."""
    return os.environ.get("TORCHELASTIC_RUN_ID", "").startswith(LAUNCHED)


def launcher() -> int:
    """Return the process id of what started this process."""
    if is_launched():
        return int(os.environ["TORCHELASTIC_RUN_ID"].removeprefix(LAUNCHED))
    return os.getppid()


def watch_launcher() -> None:
    """End this process once its launcher is gone, unless `let_stop` is called within ORPHANED_S.

    Most of what it waits for in torch cannot be interrupted. Process 0 tells.
    """

    own = launcher()

    def watch() -> None:
        while os.getppid() == own:
            time.sleep(LISTENING_S)
        if not _stopping.wait(ORPHANED_S):
            _end("the launcher is gone; the same command goes on" if group_rank() == 0 else "")

    threading.Thread(target=watch, daemon=True).start()


def let_stop() -> None:
    """Leave the end of this process to its training, which saves now."""
    _stopping.set()


@cache
def speaks() -> bool:
    """Return whether this is the first process of its group that has to tell why it ends."""
    if group_size() == 1:
        return True
    with suppress(RuntimeError):
        return meeting_store().add("said", 1) == 1
    return not is_launched() or group_rank() == 0  # the store is gone, with the launcher


def meeting_store() -> "Store":
    """Return values that all processes of the group see, once all have come.

    Raises RuntimeError where they do not.
    """
    found = _meeting()
    if isinstance(found, str):
        raise RuntimeError(found)
    return found


@cache
def _meeting() -> "Store | str":
    """Return what `meeting_store` does, or in one line who has not come.

    A launcher that starts processes again leaves the values of those before them. So each process
    gives itself a new name, and all names together are the name of the group.
    """
    from torch.distributed import PrefixStore  # type: ignore[attr-defined]
    from torch.distributed.rendezvous import rendezvous

    ranks = range(group_size())
    try:
        store: Store = next(rendezvous("env://", timeout=MEETING))[0]
        store.set(f"name/{group_rank()}", secrets.token_hex(8))
        until_s = time.monotonic() + MEETING.total_seconds()
        while time.monotonic() < until_s:
            missing = [rank for rank in ranks if not store.check([f"name/{rank}"])]
            if not missing:
                group = b" ".join(store.get(f"name/{rank}") for rank in ranks).decode()
                store.set(f"{group}/{group_rank()}", "")
                if store.check([f"{group}/{rank}" for rank in ranks]):  # all see the same
                    return PrefixStore(group, store)
            time.sleep(0.05)
    except RuntimeError:  # the base of all that torch.distributed raises
        address = f"{os.environ.get('MASTER_ADDR')}:{os.environ.get('MASTER_PORT')}"
        return f"there is no connection to the other processes, by {address}"
    who = f"process {_names(missing)}" if missing else "a process"
    return f"{who} of {len(ranks)} has not come within {MEETING.total_seconds():.0f} s"


def _names(ranks: Sequence[int]) -> str:
    return " and ".join(map(str, ranks))


def _gone(ranks: Sequence[int]) -> str:
    return f"process {_names(ranks)} of {group_size()} is gone; the same command goes on"


@contextmanager
def watching() -> Iterator[None]:
    """Answer a roll call meanwhile, whatever this process computes or waits for.

    Give signs of life too. Where others give none for SILENCE_S, end this process: what it waits
    for in torch cannot be interrupted.
    """
    watch = _Watch()
    for work in (watch.listen, watch.guard):
        threading.Thread(target=work, daemon=True).start()
    try:
        yield
    finally:
        watch.left.set()


class _Watch:
    """What threads beside the one that trains do until `left` is set."""

    def __init__(self) -> None:
        self.left = threading.Event()
        self._own = group_rank()
        self._beat_of = dict.fromkeys(range(group_size()), 0)  # how many signs each has given
        self._seen_s = dict.fromkeys(self._beat_of, time.monotonic())  # when the last was seen

    def listen(self) -> None:
        """Answer a roll call, give signs of life, and look for those of the others."""
        answered = False
        with suppress(RuntimeError):  # the store is gone
            store = meeting_store()
            while not self.left.wait(LISTENING_S):
                if not answered and store.check(["roll call"]):
                    store.set(f"lives/{self._own}", "")
                    answered = True
                if time.monotonic() - self._seen_s[self._own] > BEAT_S:
                    self._beat(store)

    def _beat(self, store: "Store") -> None:
        now_s = time.monotonic()
        for rank, before in self._beat_of.items():
            beat = store.add(f"beats/{rank}", int(rank == self._own))
            if beat != before:
                self._beat_of[rank], self._seen_s[rank] = beat, now_s
        if silent := [rank for rank, seen_s in self._seen_s.items() if now_s - seen_s > SILENCE_S]:
            _end(_gone(silent) if speaks() and not is_launched() else "")

    def guard(self) -> None:
        """End this process where the store does not answer: what asks it waits without an end."""
        looks, beat = 0, 0
        while not self.left.wait(LISTENING_S):
            looks = looks + 1 if self._beat_of[self._own] == beat else 0
            beat = self._beat_of[self._own]
            if looks * LISTENING_S > SILENCE_S:
                _end("" if is_launched() else LOST)


def _end(told: str) -> None:
    with suppress(OSError):  # it is gone with the launcher
        sys.stderr.write(f"{told}\n" if told else "")
    os._exit(1)


@contextmanager
def noticing_loss() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:  # the base of all that torch.distributed raises
        raise ProcessLost(_loss()) from error


def _loss() -> str:
    """Return in one line which processes are gone; "" where another process tells."""
    store, ranks = _meeting(), range(group_size())
    if isinstance(store, str):
        return store
    with suppress(RuntimeError):
        if is_launched() or store.add("said", 0):
            return ""
        store.set("roll call", "")
        until_s = time.monotonic() + ROLL_CALL_S
        while missing := [rank for rank in ranks if not store.check([f"lives/{rank}"])]:
            if time.monotonic() > until_s:
                return _gone(missing)
            time.sleep(0.1)
    return LOST
