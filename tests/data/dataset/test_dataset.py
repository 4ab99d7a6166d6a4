"""A run keeps its pairs as arrays: it goes on from them, and notices where they are not its own."""

import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gru_mt.data import pool
from gru_mt.data import prepare as prepare_module
from gru_mt.data.dataset import store
from gru_mt.data.dataset.dataset import write_dataset
from gru_mt.errors import UserError
from gru_mt.run import Run
from gru_mt.storage import read_checksummed_json, write_checksummed_json
from gru_mt.training.train import train
from tests.conftest import Configure
from tests.training.stored import NO_AUGMENT, examples, prepared


@pytest.fixture
def corpus(small_corpus: Path, tmp_path: Path) -> Path:
    """Return a folder with two files."""
    lines = small_corpus.read_text().splitlines(keepends=True)
    (folder := tmp_path / "corpus").mkdir()
    (folder / "a.tsv").write_text("".join(lines[:200]))
    (folder / "b.tsv").write_text("".join(lines[200:]))
    return folder


@pytest.fixture
def begun(small_config: Configure, corpus: Path, tmp_path: Path) -> Callable[..., Run]:
    """Return a function that begins a run, or goes on with it to an update."""

    def begin(steps: int, *settings: str, path: Path = corpus) -> Run:
        config = small_config(f"data.corpus={path}", f"training.max_steps={steps}", *settings)
        train(config, tmp_path / "run")
        return Run(tmp_path / "run")

    return begin


def test_the_arrays_are_the_ids_of_the_texts(small_config: Configure, tmp_path: Path) -> None:
    data = prepared(small_config(NO_AUGMENT), tmp_path)
    bounds = np.load(tmp_path / "data" / "bounds.npy")
    for side in ("source", "target"):
        ids = np.load(tmp_path / "data" / f"{side}.npy")
        encode = getattr(data.tokenizer, side).encode
        for start, pair in zip(bounds[side], examples(data), strict=False):
            own = [*encode(getattr(pair, side)), 3]
            assert ids[start : start + len(own)].tolist() == own
    write_dataset(tmp_path, [], total=0, vocabulary_sizes=(65_536, 65_537))
    types = [np.load(tmp_path / f"{side}.npy").dtype for side in ("source", "target")]
    assert types == [np.uint16, np.uint32], "an id has two bytes where the vocabulary allows"


@pytest.mark.parametrize("name", ["", "b.tsv"], ids=["folder", "file"])
def test_a_run_goes_on_without_its_corpus(
    name: str, begun: Callable[..., Run], corpus: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files are removed one by one, then the folder."""
    path = corpus / name

    def said(steps: int) -> list[str]:
        begun(steps, path=path)
        errors = capsys.readouterr().err
        return [line for line in errors.splitlines() if "is not there any more" in line]

    copy = "is not there any more; the run goes on with its own copy of the pairs"
    assert said(2) == said(3) == []
    (corpus / "a.tsv").unlink()
    assert said(4) == ([] if name else [f"part of data.corpus {copy}"])
    (corpus / "b.tsv").unlink()
    assert said(5) == [f"{path} {copy}"]
    corpus.rmdir()
    assert said(6) == [f"{path} {copy}"]


def test_another_corpus_is_refused_and_another_date_is_not(
    begun: Callable[..., Run], corpus: Path
) -> None:
    run, file = begun(2), corpus / "a.tsv"
    os.utime(file, (1, 1))
    begun(3)
    text = file.read_text()
    file.write_text(text.replace("we see", "we saw"))
    assert file.stat().st_size == len(text.encode())
    said = f"{file}: the corpus has changed since; restore it, or start anew with --fresh"
    with pytest.raises(UserError, match=re.escape(said)):
        begun(4)
    shutil.rmtree(run.data)  # then the corpus is read again, and still another one
    with pytest.raises(UserError, match="the corpus has changed since"):
        begun(4)
    assert not run.data.exists()
    file.write_text(text)
    begun(4)
    (corpus / "aa.tsv").write_text("one\tun\n")
    for _ in range(2):
        with pytest.raises(UserError, match="the corpus has changed since"):
            begun(5)
        (corpus / "b.tsv").unlink(missing_ok=True)


def test_any_damage_of_the_arrays_and_texts_is_one_line(begun: Callable[..., Run]) -> None:
    """One bit of any file, or a file that is truncated, a folder or gone."""
    run = begun(2, NO_AUGMENT)
    paths = sorted(run.data.iterdir())
    assert len(paths) == 9
    fix = f"; remove {run.data} and repeat the command, which prepares it anew from the corpus"
    for path in paths:
        whole = path.read_bytes()
        at = len(whole) // 2
        for damaged in (whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :], whole[:-5], None):
            path.unlink()
            if damaged is not None:
                path.write_bytes(damaged)
            with pytest.raises(UserError, match=r"damaged|cannot be read") as raised:
                begun(3, NO_AUGMENT)
            message = str(raised.value)
            assert message.startswith(f"{path}: ")
            assert message.endswith(fix)
            path.write_bytes(whole)
    begun(3, NO_AUGMENT)
    shutil.rmtree(run.data)
    begun(4, NO_AUGMENT)
    metadata = read_checksummed_json(run.data / "data.json")
    del metadata["sha256s"]  # an earlier version wrote none
    write_checksummed_json(run.data / "data.json", metadata)
    begun(5, NO_AUGMENT)


def test_a_corpus_larger_than_the_sample_is_learned_from_in_part(
    small_config: Configure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All its pairs are trained on, the same ones are drawn each time."""
    whole = prepared(small_config(NO_AUGMENT), tmp_path / "a")
    monkeypatch.setattr(prepare_module, "SAMPLE", 100)
    parts = [prepared(small_config(NO_AUGMENT), tmp_path / name) for name in "bc"]
    assert parts[0].tokenizer.files() == parts[1].tokenizer.files() != whole.tokenizer.files()
    assert [pair.line for pair in examples(parts[0])] == [pair.line for pair in examples(whole)]


def test_the_arrays_do_not_depend_on_the_number_of_processes(
    small_config: Configure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for cores, chunk in ((1, 10_000), (2, 100)):
        monkeypatch.setattr(pool, "cores", lambda cores=cores: cores)
        for module in (store, pool, sys.modules["gru_mt.data.corpus.load"]):
            monkeypatch.setattr(module, "CHUNK", chunk)
        prepared(small_config(), tmp_path / str(cores))
        paths = sorted((tmp_path / str(cores) / "data").iterdir())
        found.append({path.name: path.read_bytes() for path in paths})
    assert found[0] == found[1]
    assert {*found[0]} >= {"source.npy", "target.npy", "bounds.npy", "places.npy", "data.json"}
