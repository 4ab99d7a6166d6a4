"""A path that is no corpus is refused at once, in one short line that says what to do."""

import io
import os
import zipfile
from pathlib import Path

import pytest

from gru_mt.data.corpus.load import data_files
from gru_mt.errors import UserError
from tests.corpora import data_config, load_one

GO = b"Go.\tVa !\n"


def refusal(corpus: object) -> str:
    with pytest.raises(UserError) as raised:
        load_one(data_config(corpus=corpus))
    message = str(raised.value)
    assert message.isprintable()
    assert len(message) < 500
    return message


def test_only_a_regular_file_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")  # which nobody writes: to open it would wait for ever
    (tmp_path / "link").symlink_to("pipe")
    for path in (tmp_path / "pipe", tmp_path / "link", Path(os.devnull), "/dev/zero"):
        assert refusal(str(path)) == (
            f"{path}: not a regular file; a run reads its corpus again when it resumes"
        )
    parallel = {"path": ["/dev/zero", "/dev/zero"]}
    assert "/dev/zero: not a regular file" in refusal(parallel)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("n" * 5_000, "cannot be read: File name too long"),
        ("a/" * 2_500, "cannot be read: File name too long"),
        ("a\0b", "a file's name must be a path, got "),
        ("\ud800.txt", "a file's name must be a path, got "),
        ("~a\0b", "a file's name must be a path, got "),
        ("~nobody-of-this-name/c.txt", "no path: Could not determine home directory"),
        ("c\udcff\n.txt", r"'c\udcff\n.txt': no such file in "),
        ("c.txt\n", r"'c.txt\n': no such file in "),
    ],
)
def test_an_odd_name_is_refused_in_one_short_line(name: str, said: str) -> None:
    config = data_config("x")
    corpus = config.corpus[0].model_copy(update={"path": [name]})  # past its validation
    with pytest.raises(UserError) as raised:
        load_one(config.model_copy(update={"corpus": [corpus]}))
    assert said in str(raised.value)
    assert str(raised.value).isprintable()
    assert len(str(raised.value)) < 500


def test_a_relative_path_is_said_to_be_relative_to_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert f"sub/c.txt: no such file in {tmp_path}, nor a corpus (" in refusal("sub/c.txt")
    assert f"{tmp_path}/c.txt: no such file, nor a corpus (" in refusal(str(tmp_path / "c.txt"))
    Path("en").touch()
    assert refusal({"path": ["en", "fr"]}) == f"fr: no such file in {tmp_path}"


def test_a_tilde_is_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "c.tsv").write_bytes(GO)
    (tmp_path / "en").write_bytes(b"Go.\n")
    (tmp_path / "fr").write_bytes(b"Va !\n")
    parallel = {"path": ["~/en", "~/fr"]}
    for corpus in ("~/c.tsv", parallel):
        assert load_one(data_config(corpus=corpus)).report.kept == 1
    assert data_files(data_config(corpus="~/c.tsv")) == [tmp_path / "c.tsv"]
    assert data_files(data_config(parallel)) == [tmp_path / "en", tmp_path / "fr"]
    assert data_files(data_config(corpus="phrasebook")) == []


def test_names_in_a_zip_are_quoted_short(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in ("\x1b[2J\u202e.bin", "n" * 60_000 + ".bin"):
            archive.writestr(name, GO)
    (tmp_path / "c.zip").write_bytes(buffer.getvalue())
    assert r"found '\x1b[2J\u202e.bin', 'nnn" in refusal(str(tmp_path / "c.zip"))


def test_a_zip_that_points_nowhere_or_holds_no_bz2_is_called_damaged(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("c.txt", GO * 9)
    whole = buffer.getvalue()
    start = whole.index(b"PK\x01\x02")
    before_the_file = whole[: start + 42] + b"\xff" * 4 + whole[start + 46 :]
    for data in (before_the_file, whole.replace(b"BZh9", b"BZh0")):
        (tmp_path / "c.zip").write_bytes(data)
        assert "damaged, or not of the kind its name says" in refusal(str(tmp_path / "c.zip"))
