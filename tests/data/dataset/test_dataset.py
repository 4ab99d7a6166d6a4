"""A run keeps its pairs as arrays: it goes on from them, and notices where they are not its own."""

import os
import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

from gru_mt.data import pool
from gru_mt.data import prepare as prepare_module
from gru_mt.data.dataset import store
from gru_mt.data.dataset.dataset import check_undamaged, write_dataset
from gru_mt.data.dataset.source_files import fingerprints_of, missing_files, source_files
from gru_mt.errors import UserError
from gru_mt.run import Run
from gru_mt.storage import read_checksummed_json, write_checksummed_json
from gru_mt.training.train import train
from tests.conftest import Configure
from tests.corpora import data_config
from tests.training.stored import NO_AUGMENT, examples, prepared


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


def test_files_that_are_missing_are_named_and_others_are_refused(tmp_path: Path) -> None:
    folder, (a, b) = tmp_path / "corpus", (tmp_path / "corpus/a.tsv", tmp_path / "corpus/b.tsv")
    folder.mkdir()
    for file in (a, b):
        file.write_text("we see\tnous voir\n")
    config = data_config([str(folder), "phrasebook"])
    assert source_files(config) == [a, b]
    before = fingerprints_of(config)
    os.utime(a, (1, 1))  # another date is no other corpus
    assert missing_files(config, before) == []
    for changed, text in ((a, "we saw\tnous voir\n"), (folder / "aa.tsv", "one\tun\n")):
        changed.write_text(text)
        said = f"{changed}: the corpus has changed since; restore it, or start anew with --fresh"
        with pytest.raises(UserError, match=re.escape(said)):
            missing_files(config, before)
        changed.unlink()
    assert missing_files(config, before) == ["part of data.corpus"]
    b.unlink()
    folder.rmdir()
    assert missing_files(config, before) == [str(folder)]


def test_a_run_goes_on_without_its_corpus_but_with_no_other(
    small_config: Configure, small_corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, run = tmp_path / "a.tsv", Run(tmp_path / "run")
    shutil.copy(small_corpus, file)

    def go_on(steps: int) -> None:
        train(small_config(f"data.corpus={file}", f"training.max_steps={steps}"), run.folder)

    go_on(1)
    text = file.read_text()
    file.write_text(text.replace("we see", "we saw"))
    with pytest.raises(UserError, match="the corpus has changed since"):
        go_on(2)
    shutil.rmtree(run.data)  # then the corpus is read again
    with pytest.raises(UserError, match="the corpus has changed since"):
        go_on(2)
    assert not run.data.exists()
    file.write_text(text)
    go_on(2)
    file.unlink()
    capsys.readouterr()
    go_on(3)
    copy = "is not there any more; the run goes on with its own copy of the pairs"
    assert f"{file} {copy}\n" in capsys.readouterr().err
    (run.data / "bounds.npy").write_bytes(b"")
    with pytest.raises(UserError, match=r"bounds\.npy: damaged: not what was written; remove "):
        go_on(4)


def test_any_damage_of_the_arrays_and_texts_is_one_line(
    small_config: Configure, tmp_path: Path
) -> None:
    """One bit of any file, or a file that is truncated, a folder or gone."""
    prepared(small_config(NO_AUGMENT), tmp_path)
    folder = tmp_path / "data"
    paths = sorted(folder.iterdir())
    assert len(paths) == 9
    fix = f"; remove {folder} and repeat the command, which prepares it anew from the corpus"
    for path in paths:
        whole = path.read_bytes()
        at = len(whole) // 2
        for damaged in (whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :], whole[:-5], None):
            path.unlink()
            if damaged is not None:
                path.write_bytes(damaged)
            with pytest.raises(UserError, match=r"damaged|cannot be read") as raised:
                check_undamaged(folder)
            message = str(raised.value)
            assert message.startswith(f"{path}: ")
            assert message.endswith(fix)
            path.write_bytes(whole)
    check_undamaged(folder)
    metadata = read_checksummed_json(folder / "data.json")
    del metadata["sha256s"]  # an earlier version wrote none
    write_checksummed_json(folder / "data.json", metadata)
    check_undamaged(folder)


def test_a_corpus_larger_than_the_sample_is_learned_from_in_part(
    small_config: Configure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All its pairs are trained on, the same ones are drawn each time."""
    whole = prepared(small_config(NO_AUGMENT), tmp_path / "a")
    monkeypatch.setattr(prepare_module, "SAMPLE", 100)
    parts = [prepared(small_config(NO_AUGMENT), tmp_path / name) for name in "bc"]
    assert parts[0].tokenizer.files() == parts[1].tokenizer.files() != whole.tokenizer.files()
    assert [pair.line for pair in examples(parts[0])] == [pair.line for pair in examples(whole)]


@pytest.mark.parametrize("cores", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_the_arrays_do_not_depend_on_chunks_or_processes(
    cores: int, small_config: Configure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "cores", lambda: cores)
    found = []
    for chunk in (10_000, 100):
        for module in (store, sys.modules["gru_mt.data.corpus.load"]):
            monkeypatch.setattr(module, "CHUNK", chunk)
        prepared(small_config(), tmp_path / str(chunk))
        paths = sorted((tmp_path / str(chunk) / "data").iterdir())
        found.append({path.name: path.read_bytes() for path in paths})
    assert found[0] == found[1]
    assert {*found[0]} >= {"source.npy", "target.npy", "bounds.npy", "places.npy", "data.json"}
