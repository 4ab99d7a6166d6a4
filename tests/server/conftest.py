"""A server that runs in a thread, and requests to it."""

import shutil
import threading
import time
from collections.abc import Callable, Generator
from copy import copy
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import requests

from gru_mt import Translator
from gru_mt.server.api import Api
from gru_mt.server.app import Server, address_of, open_socket
from gru_mt.server.directions import Direction, Directions

Start = Callable[..., str]
EN_FR = {"source": "en", "target": "fr"}


def post(address: str, **values: Any) -> requests.Response:
    return requests.post(address, json=EN_FR | values, timeout=20)


def wait_until(holds: Callable[[], object]) -> None:
    end_s = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < end_s
        time.sleep(0.03)


@pytest.fixture(scope="session")
def translator(workplace: Path) -> Translator:
    return Translator.load(workplace / "runs" / "small")


@pytest.fixture
def run(workplace: Path, tmp_path: Path) -> Path:
    """Return a copy of runs/small, to be changed."""
    return shutil.copytree(workplace / "runs" / "small", tmp_path / "run")


@pytest.fixture
def start(workplace: Path, translator: Translator) -> Generator[Start]:
    """Return a function that starts a server of translators, else of runs/small's, at an address.

    They stand for the run at `path`; without any, it is loaded. Other keywords are those of `Api`.
    """
    servers: list[tuple[Any, threading.Thread]] = []

    def started(*translators: Translator, path: Path | None = None, **keywords: Any) -> str:
        loads = [partial(copy, each) for each in translators or [translator]]
        if path and not translators:
            loads = [partial(Translator.load, path)]
        path = path or workplace / "runs" / "small"
        api = Api(Directions([Direction(path, load) for load in loads]), **keywords)
        listening = open_socket("127.0.0.1", 0)
        running = Server(api)
        thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
        thread.start()
        servers.append((running, thread))
        return address_of(listening)

    yield started
    for running, thread in servers:
        running.should_exit = True
        thread.join()
