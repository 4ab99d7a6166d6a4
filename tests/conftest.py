"""What several test files share."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from itertools import product
from pathlib import Path
from typing import Any

# Set before torch loads, for this process and those it starts. Threads do not make tiny models
# faster, and while they wait for each other they take the cores of other tests.
os.environ["OMP_NUM_THREADS"] = "1"

import pytest

from gru_mt.config.load import parse_config
from gru_mt.config.schema import Config

# A background job starts with SIGINT ignored, and nohup ignores SIGHUP. Processes that tests send
# them to would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

SLOWEST = ("test_launch.py", "test_processes.py", "test_onnx_engine.py", "test_end_to_end.py")
UNTRACED = {  # files of which coverage's tracer takes a third of the time or more
    "evaluation/test_compare.py",
    "evaluation/test_significance.py",
    "inference/test_constraints.py",
    "inference/engines/test_onnx_engine.py",
    "inference/test_translator.py",
    "page/test_sentence.py",
    "page/test_sentences.py",
    "report/test_command.py",
    "report/test_compare_page.py",
    "report/test_page.py",
    "test_cli_compare.py",
}
TESTS = Path(__file__).parent
FRA_ENG_ZIP = Path(__file__).parents[2] / "shared" / "data" / "fra-eng.zip"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the slowest files, so that in the end no worker waits for one of them."""
    items.sort(key=lambda item: item.path.name not in SLOWEST)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Hide tests of the real corpus and UNTRACED files from coverage: its tracer makes them slow.

    Other tests cover the same code.
    """
    tracer, thread_tracer = sys.gettrace(), threading.gettrace()
    traced = item.path.relative_to(TESTS).as_posix() not in UNTRACED
    real = "fra_eng_zip" in getattr(item, "fixturenames", ())
    if not tracer or not thread_tracer or (traced and not real):
        return (yield)
    sys.settrace(None)
    threading.settrace(None)
    try:
        return (yield)
    finally:
        threading.settrace(thread_tracer)
        sys.settrace(tracer)


@pytest.fixture(scope="session", autouse=True)
def _only_our_part_of_an_export_is_traced() -> Iterator[None]:
    """Let coverage trace our modules while torch captures them, but not the rest of an export.

    That is torch's own code, and coverage's tracer makes it slow.
    """
    import torch  # not above: the process that only hands out tests needs no torch

    capture, export = torch.export.export, torch.onnx.export
    tracer: Any = None

    # Each sets the tracer in its own frame, not a context manager's, as the tracer counts frames.
    def capture_traced(*args: Any, **kwargs: Any) -> Any:
        sys.settrace(tracer)
        try:
            return capture(*args, **kwargs)
        finally:
            sys.settrace(None)

    def export_untraced(*args: Any, **kwargs: Any) -> Any:
        nonlocal tracer
        tracer = sys.gettrace()
        sys.settrace(None)
        try:
            return export(*args, **kwargs)
        finally:
            sys.settrace(tracer)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch.export, "export", capture_traced)
        patch.setattr(torch.onnx, "export", export_untraced)
        yield


@pytest.fixture(scope="session")
def fra_eng_zip() -> Path:
    """Return the zip of the real corpus of 2019-04-07, packed as it was published."""
    if not FRA_ENG_ZIP.is_file():
        pytest.skip("the fra-eng corpus is not beside the checkout, in shared/data/fra-eng.zip")
    return FRA_ENG_ZIP


@pytest.fixture(scope="session")
def small_corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a file of 480 pairs that a tiny model begins to learn within seconds."""
    subjects = {"I": "moi", "you": "toi", "we": "nous", "they": "eux", "Anne": "Anne"}
    verbs = {"see": "vois", "want": "veux", "like": "aime", "take": "prends"}
    numbers = {"one": "un", "two": "deux", "three": "trois", "four": "quatre"}
    nouns = {"cat": "chat", "dog": "chien", "book": "livre", "key": "clef", "hat": "chapeau"}
    lines = [
        f"{s} {v} {n} {o}.\t{subjects[s]} {verbs[v]} {nouns[o]} {numbers[n]}."
        for s, v, n, o in product(subjects, verbs, numbers, nouns)
    ]
    lines += [f"{s} {v}!\t{verbs[v]} {subjects[s]} !" for s, v in product(subjects, verbs)]
    path = tmp_path_factory.mktemp("corpus") / "small.tsv"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture(params=["0", "1"], ids=["tuned", "plain"])
def both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test with the code that only makes a CPU fast, and without it."""
    monkeypatch.setenv("GRU_MT_PLAIN", request.param)


@pytest.fixture
def small_config(small_corpus: Path) -> Callable[..., Config]:
    """Return a function that configures a tiny model on `small_corpus`, with overrides."""

    def configure(*overrides: str) -> Config:
        text = f"""
            data: {{corpus: {small_corpus}}}
            tokenizer: {{kind: word, min_frequency: 1}}
            model: {{embedding_size: 8, encoder_size: 6, decoder_size: 12}}
            training: {{max_epochs: 2, batch_tokens: 120, warmup_steps: 5, precision: fp32}}
        """
        return parse_config(text, where="small", overrides=overrides)

    return configure
