"""A run keeps its pairs as arrays: it goes on from them, and notices where they are not its own."""

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gru_mt.config.schema import Config
from gru_mt.config.yaml_text import dump_config
from gru_mt.data import pool
from gru_mt.data import prepare as prepare_module
from gru_mt.data.dataset.dataset import Dataset, id_type
from gru_mt.data.prepare import TrainingData, prepare
from gru_mt.errors import UserError
from gru_mt.run import Run
from gru_mt.storage import read_checksummed_json, write_checksummed_json
from gru_mt.training.resume import from_scratch
from gru_mt.training.train import train
from tests.training.stored import NO_AUGMENT, examples

Configure = Callable[..., Config]


@pytest.fixture
def corpus(small_corpus: Path, tmp_path: Path) -> Path:
    path = tmp_path / "corpus.tsv"
    path.write_bytes(small_corpus.read_bytes())
    return path


@pytest.fixture
def begun(small_config: Configure, corpus: Path, tmp_path: Path) -> Callable[..., Run]:
    """Return a function that begins a run, or goes on with it to an update."""

    def begin(steps: int = 2, *settings: str) -> Run:
        train(
            small_config(f"data.corpus={corpus}", f"training.max_steps={steps}", *settings),
            tmp_path / "run",
        )
        return Run(tmp_path / "run")

    return begin


def prepared(config: Config, folder: Path) -> TrainingData:
    folder.mkdir(exist_ok=True)
    return prepare(from_scratch(config), Run(folder))


def test_the_arrays_are_the_ids_of_the_texts(small_config: Configure, tmp_path: Path) -> None:
    data = prepared(small_config(NO_AUGMENT), tmp_path)
    bounds = np.load(tmp_path / "data" / "bounds.npy", mmap_mode="r")
    for side in ("source", "target"):
        ids = np.load(tmp_path / "data" / f"{side}.npy", mmap_mode="r")
        assert ids.dtype == np.uint16
        encoder = getattr(data.tokenizer, side)
        for row, pair in enumerate(examples(data)):
            own = ids[bounds[side][row] : bounds[side][row + 1]].tolist()
            assert own == [*encoder.encode(getattr(pair, side)), 3]


def test_an_id_has_two_bytes_where_the_vocabulary_allows() -> None:
    sizes = (200, 65_536, 65_537, 1_000_000)
    assert [np.dtype(id_type(size)).itemsize for size in sizes] == [2, 2, 4, 4]


@pytest.mark.parametrize("name", ["", "/b.tsv"], ids=["folder", "file"])
def test_a_run_goes_on_without_its_corpus(
    name: str,
    small_config: Configure,
    small_corpus: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Files are removed one by one, then the folder."""
    folder = tmp_path / "corpus"
    folder.mkdir()
    lines = small_corpus.read_text().splitlines(keepends=True)
    (folder / "a.tsv").write_text("".join(lines[:200]))
    (folder / "b.tsv").write_text("".join(lines[200:]))
    corpus = f"{folder}{name}"

    def said(steps: int) -> list[str]:
        config = small_config(f"data.corpus={corpus}", f"training.max_steps={steps}")
        train(config, tmp_path / "run")
        errors = capsys.readouterr().err
        return [line for line in errors.splitlines() if "is not there any more" in line]

    copy = "is not there any more; the run goes on with its own copy of the pairs"
    assert said(2) == said(3) == []
    (folder / "a.tsv").unlink()
    assert said(4) == ([] if "b.tsv" in name else [f"part of data.corpus {copy}"])
    (folder / "b.tsv").unlink()
    assert said(5) == [f"{corpus} {copy}"]
    folder.rmdir()
    assert said(6) == [f"{corpus} {copy}"]


def test_a_file_more_or_another_is_another_corpus(
    small_config: Configure, corpus: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    shutil.copy(corpus, folder / "b.tsv")
    config = small_config(f"data.corpus={folder}", "training.max_steps=2")
    train(config, tmp_path / "run")
    (folder / "a.tsv").write_text("one\tun\n")
    for _ in range(2):
        with pytest.raises(UserError, match="the corpus has changed since"):
            train(config, tmp_path / "run")
        (folder / "b.tsv").unlink(missing_ok=True)


def test_a_file_with_another_date_is_the_same_file(begun: Callable[..., Run], corpus: Path) -> None:
    begun(2)
    os.utime(corpus, (1, 1))
    begun(3)


def test_another_file_is_refused_though_it_has_the_same_size(
    begun: Callable[..., Run], corpus: Path
) -> None:
    run = begun(2)
    text = corpus.read_text()
    corpus.write_text(text.replace("we see", "we saw"))
    assert len(corpus.read_text()) == len(text)
    said = f"{corpus}: the corpus has changed since; restore it, or start anew with --fresh"
    with pytest.raises(UserError, match=re.escape(said)):
        begun(3)
    shutil.rmtree(run.data)  # then the corpus is read again, and still another one
    with pytest.raises(UserError, match="the corpus has changed since"):
        begun(3)
    assert not run.data.exists()
    corpus.write_text(text)
    begun(3)


def test_any_damage_of_the_arrays_and_texts_is_one_line(begun: Callable[..., Run]) -> None:
    """One bit of any file, or a file that is truncated, empty, a folder or gone."""
    run = begun(2, NO_AUGMENT)
    paths = sorted(run.data.iterdir())
    assert len(paths) == 9
    for path in paths:
        whole = path.read_bytes()
        at = len(whole) // 2
        flipped = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
        for damaged in (flipped, b"", whole[:-5], "folder", None):
            path.unlink()
            if damaged == "folder":
                path.mkdir()
            elif isinstance(damaged, bytes):
                path.write_bytes(damaged)
            with pytest.raises(UserError, match=r"damaged|cannot be read") as raised:
                begun(3, NO_AUGMENT)
            message = str(raised.value)
            assert message.startswith(f"{path}: ")
            assert message.endswith(
                f"; remove {run.data} and repeat the command, which prepares it anew from the "
                "corpus"
            )
            if damaged == "folder":
                path.rmdir()
            path.write_bytes(whole)
    begun(3, NO_AUGMENT)
    (run.data / "source.npy").write_bytes(b"")
    shutil.rmtree(run.data)
    begun(4, NO_AUGMENT)
    assert (run.data / "source.npy").stat().st_size


def test_pairs_of_an_earlier_version_have_no_digests_and_are_trained_on(
    begun: Callable[..., Run],
) -> None:
    run = begun(2)
    metadata = read_checksummed_json(run.data / "data.json")
    del metadata["sha256s"]
    write_checksummed_json(run.data / "data.json", metadata)
    begun(3)


def test_a_corpus_larger_than_the_sample_is_learned_from_in_part(
    small_config: Configure,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """All its pairs are trained on, the same ones are drawn each time."""
    whole = prepared(small_config(NO_AUGMENT), tmp_path / "a")
    monkeypatch.setattr(prepare_module, "SAMPLE", 100)
    parts = [prepared(small_config(NO_AUGMENT), tmp_path / name) for name in "bc"]
    assert (
        "the tokenizer learns from 100 of these pairs, drawn at random" in capsys.readouterr().err
    )
    assert parts[0].tokenizer.files() == parts[1].tokenizer.files() != whole.tokenizer.files()
    assert [pair.line for pair in examples(parts[0])] == [pair.line for pair in examples(whole)]


@pytest.mark.slow
def test_a_preparation_that_is_killed_leaves_nothing_behind_and_starts_again(
    small_config: Configure, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = small_config(f"data.corpus={corpus}", "training.max_steps=2")
    program = (
        "import os, sys; from pathlib import Path; from gru_mt.data.augment.word_lists import "
        "WordLists; from gru_mt.config.load import load_config; from gru_mt.training.train "
        "import train;"
        "WordLists.learn = lambda pairs: os.kill(os.getpid(), 9);"
        f"train(load_config(Path(sys.argv[1])), Path({str(tmp_path / 'run')!r}))"
    )
    (tmp_path / "config.yaml").write_text(dump_config(config))
    command = [sys.executable, "-c", program, str(tmp_path / "config.yaml")]
    killed = subprocess.run(command, capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL
    run = Run(tmp_path / "run")
    assert not run.data.exists()
    assert [*run.folder.glob(".data.*.part")], "it was under way"
    train(config, run.folder)
    assert len(Dataset(run.data)) > 400
    assert not [*run.folder.glob(".data.*")]


def test_the_arrays_do_not_depend_on_the_number_of_processes(
    small_config: Configure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = small_config()
    found = []
    for name, cores, chunk in (("one", 1, 10_000), ("two", 2, 100)):
        monkeypatch.setattr(pool, "cores", lambda cores=cores: cores)
        for module in (prepare_module, sys.modules["gru_mt.data.corpus.load"]):
            monkeypatch.setattr(module, "CHUNK", chunk)
        prepared(config, tmp_path / name)
        found.append(
            {path.name: path.read_bytes() for path in (tmp_path / name / "data").iterdir()}
        )
    assert found[0] == found[1]
    assert {*found[0]} >= {"source.npy", "target.npy", "bounds.npy", "places.npy", "data.json"}
