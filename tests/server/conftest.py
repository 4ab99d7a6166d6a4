"""A server that runs in a thread, and requests to it."""

import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from gru_mt import Translator
from gru_mt.server.api import Api
from gru_mt.server.app import address_of, bound_socket, server
from gru_mt.server.directions import Direction, Directions

Start = Callable[..., str]


@pytest.fixture
def start(workplace: Path) -> Generator[Start]:
    """Return a function that starts a server of models, else of runs/small; it returns its address.

    Keywords are those of `Api`.
    """
    servers: list[tuple[Any, threading.Thread]] = []

    def started(*loads: Callable[[], Translator], **keywords: object) -> str:
        path = workplace / "runs" / "small"
        loads = loads or (lambda: Translator.load(path),)
        directions = Directions([Direction(path, load) for load in loads])
        api = Api(directions, **keywords)  # type: ignore[arg-type]
        bound = bound_socket("127.0.0.1", 0)
        running = server(api)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [bound]})
        bound.listen()
        thread.start()
        servers.append((running, thread))
        return address_of(bound)

    yield started
    for running, thread in servers:
        running.should_exit = True
        thread.join()
