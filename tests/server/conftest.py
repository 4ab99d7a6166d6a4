"""A server that runs in a thread, and requests to it."""

import threading
import time
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
import uvicorn

from gru_mt import Translator
from gru_mt.server.app import Api
from gru_mt.server.directions import Direction, Directions
from gru_mt.server.run import address, bound_socket

Start = Callable[..., str]


@pytest.fixture
def start(workplace: Path) -> Generator[Start]:
    """Return a function that starts a server of models, else of runs/small; it returns its address.

    Keywords are those of `Api`.
    """
    servers: list[tuple[uvicorn.Server, threading.Thread]] = []

    def started(*loads: Callable[[], Translator], **keywords: object) -> str:
        path = workplace / "runs" / "small"
        loads = loads or (lambda: Translator.load(path),)
        directions = Directions([Direction(path, load) for load in loads])
        api = Api(directions, **keywords)  # type: ignore[arg-type]
        bound = bound_socket("127.0.0.1", 0)
        config = uvicorn.Config(api.app(), log_config=None, lifespan="on", ws="none")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        servers.append((server, thread))
        while not server.started and thread.is_alive():
            time.sleep(0.005)
        return address(bound)

    yield started
    for server, thread in servers:
        server.should_exit = True
        thread.join()
