"""What several test files share."""

import contextlib
import io
import os
import shutil
import signal
from collections.abc import Callable, Generator, Iterator
from itertools import product
from pathlib import Path

# Set before torch loads, for this process and those it starts. Threads do not make tiny models
# faster, and while they wait for each other they take the cores of other tests.
os.environ["OMP_NUM_THREADS"] = "1"

import portalocker
import pytest

from gru_mt.config.load import parse_config
from gru_mt.config.schema import Config
from tests.command_line import CONFIG, Result, Run, run_main

# A background job starts with SIGINT ignored, and nohup ignores SIGHUP. Processes that tests send
# them to would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)

SLOWEST = ("test_launch.py", "test_distributed.py", "test_translator.py", "test_write.py",
           "test_onnx_engine.py", "test_end_to_end.py", "test_fault_injection.py")  # fmt: skip
Configure = Callable[..., Config]
Fill = Callable[[Path], None]
FRA_ENG_ZIP = Path(__file__).parents[2] / "shared" / "data" / "fra-eng.zip"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Escape half surrogate pairs in what a test printed: a worker cannot send them."""
    report = yield
    report.sections = [
        (name, text.encode(errors="backslashreplace").decode()) for name, text in report.sections
    ]
    return report


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the slowest files, so that in the end no worker waits for one of them."""
    items.sort(key=lambda item: item.path.name not in SLOWEST)


@pytest.fixture(scope="session", autouse=True)
def resamples() -> Iterator[dict[str, int]]:
    """Let scores have intervals of a few resamples, which else take most of the time of a report.

    Yield how many they are, for the tests of scores.
    """
    from gru_mt.evaluation import score

    counts = {"RESAMPLES": score.RESAMPLES, "TRIALS": score.TRIALS}
    with pytest.MonkeyPatch.context() as patch:
        for name in counts:
            patch.setattr(score, name, 50)
        yield counts


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Fill], Path]:
    """Return a function that fills a folder once for all workers: `made_once("run", fill)`.

    Workers share the folder, so a test changes only a copy of it.
    """
    root = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        root = root.parent

    def made(name: str, fill: Fill) -> Path:
        folder, done = root / f"{name}-once", root / f"{name}-once.done"
        with portalocker.Lock(root / f"{name}-once.lock", timeout=600):
            if not done.exists():
                folder.mkdir()
                fill(folder)
                done.touch()
        return folder

    return made


@pytest.fixture(scope="session")
def fra_eng_zip() -> Path:
    """Return the zip of the real corpus of 2019-04-07, packed as it was published."""
    if not FRA_ENG_ZIP.is_file():
        pytest.skip("the fra-eng corpus is not beside the checkout, in shared/data/fra-eng.zip")
    return FRA_ENG_ZIP


@pytest.fixture(scope="session")
def small_corpus(made_once: Callable[[str, Fill], Path]) -> Path:
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
    text = "".join(f"{line}\n" for line in lines)
    return made_once("corpus", lambda folder: write(folder / "small.tsv", text)) / "small.tsv"


def write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


@pytest.fixture(params=["0", "1"], ids=["tuned", "plain"])
def both_ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test with the code that only makes a CPU fast, and without it."""
    monkeypatch.setenv("GRU_MT_PLAIN", request.param)


@pytest.fixture(scope="session")
def small_config(small_corpus: Path) -> Configure:
    """Return a function that configures a tiny model on `small_corpus`, with overrides."""

    def configure(*overrides: str) -> Config:
        text = f"""
            data: {{corpus: {small_corpus}}}
            tokenizer: {{kind: word, min_frequency: 1}}
            model: {{embedding_size: 8, encoder_size: 6, decoder_size: 12}}
            training: {{max_epochs: 2, batch_tokens: 120, warmup_steps: 5, precision: fp32}}
            decoding: {{beam_size: 1}}
        """
        return parse_config(text, where="small", overrides=overrides)

    return configure


@pytest.fixture
def gru_mt(capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs a command line in this process."""

    def run(*arguments: object, stdin: bytes | object = b"", **streams: object) -> Result:
        capsys.readouterr()
        if isinstance(stdin, bytes):
            stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin)))
        code = run_main(*arguments, stdin=stdin, **streams)
        captured = capsys.readouterr()
        return Result(code, captured.out, captured.err)

    return run


@pytest.fixture(scope="session")
def workplace(
    made_once: Callable[[str, Fill], Path],
    small_corpus: Path,
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """Return a folder with small.yaml and its finished run, runs/small: a copy for this worker."""

    def fill(folder: Path) -> None:
        (folder / "small.yaml").write_text(CONFIG.format(corpus=small_corpus))
        with contextlib.chdir(folder):
            assert run_main("train", "--config", "small.yaml") == 0

    copy = tmp_path_factory.mktemp("workplace") / "copy"
    return shutil.copytree(made_once("workplace", fill), copy)


@pytest.fixture
def there(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to the workplace for a test."""
    monkeypatch.chdir(workplace)
    return workplace
