"""An archive is the same translator on another machine; one that is not as it should is refused in
one line, and nothing of it is written."""

import hashlib
import io
import shutil
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import gru_mt as gru_mt_api
from gru_mt.errors import UserError
from gru_mt.inference import published
from gru_mt.inference.published import local_folder
from gru_mt.inference.translator import Translator
from tests.command_line import Run, assert_one_line
from tests.corpora import zipped

Files = dict[str, bytes]
LINES = ["I see one cat.", "They want two books.", "Anne, take!"]


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("platformdirs.user_cache_path", lambda _: tmp_path / "cache")
    return tmp_path / "cache" / "models"


@pytest.fixture(scope="module")
def made(workplace: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("made") / "made.zip"
    return gru_mt_api.export(workplace / "runs" / "small", out, format="archive")


@pytest.fixture
def archive(there: Path, made: Path, tmp_path: Path) -> Path:
    path = tmp_path / "of others" / "größe.zip"
    path.parent.mkdir()
    shutil.copy(made, path)
    return path


def test_an_archive_is_the_same_translator_and_is_unpacked_once(
    archive: Path, cache: Path, gru_mt: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = gru_mt("translate", "--model", "runs/small", *LINES).out
    monkeypatch.chdir(tmp_path)
    assert gru_mt("translate", "--model", archive, *LINES).out == expected
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    assert [path.name for path in cache.iterdir()] == [digest]
    assert {path.name for path in tmp_path.iterdir()} == {"cache", "of others"}
    monkeypatch.setattr(published, "_unpack", None)
    translator = Translator.averaging([str(archive), cache / digest])
    assert [str(line) for line in translator.translate(LINES)] == expected.splitlines()
    for name, text in (("s", "".join(f"{line}\n" for line in LINES)), ("r", expected)):
        Path(name).write_text(text)
    scored = gru_mt("eval", "--model", archive, "--source", "s", "--reference", "r")
    assert scored.out.startswith("BLEU, all references 100.00 ")
    assert_one_line(gru_mt("eval", "--model", archive), "größe.zip: no test split is kept there")


def test_of_two_that_unpack_at_once_the_first_stays(
    archive: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unpack = published._unpack

    def both(path: Path, folder: Path) -> None:
        unpack(path, folder)
        unpack(path, cache / hashlib.sha256(path.read_bytes()).hexdigest())

    monkeypatch.setattr(published, "_unpack", both)
    folder = local_folder(archive)
    assert [*cache.iterdir()] == [folder]
    assert (folder / "config.yaml").is_file()


# Archives of strangers


def summed(files: Files) -> bytes:
    """Return an archive of files with the digests that they have."""
    lines = [f"{hashlib.sha256(data).hexdigest()}  {name}" for name, data in files.items()]
    return zipped(*files.items(), ("SHA256SUMS", "\n".join(lines).encode()))


def with_member(files: Files, name: str, mode: int = stat.S_IFREG) -> bytes:
    buffer = io.BytesIO(summed(files | {name: b"/etc/passwd"}))
    with zipfile.ZipFile(buffer, "a") as opened:
        opened.getinfo(name).external_attr = (mode | 0o777) << 16
        opened.comment = b"written anew"
    return buffer.getvalue()


def twice(files: Files) -> bytes:
    with pytest.warns(UserWarning, match="Duplicate name"):
        return zipped(*files.items(), ("config.yaml", b"data: {corpus: x}"), ("SHA256SUMS", b""))


def locked(files: Files) -> bytes:
    """Return an archive whose members' headers say that they have a password."""
    data = bytearray(summed(files))
    for mark, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        place = -1
        while (place := data.find(mark, place + 1)) >= 0:
            data[place + flags] |= 1
    return bytes(data)


def changed(files: Files) -> bytes:
    data = bytearray(summed(files))
    data[data.find(b"weights.safetensors") + 5_000] ^= 1
    return bytes(data)


HOSTILE: dict[str, tuple[Callable[[Files], bytes], str]] = {
    "empty": (lambda _: b"", "no archive of a model"),
    "a text": (lambda _: b"I see one cat.\n", "no archive of a model"),
    "truncated": (lambda files: summed(files)[:-2_000], "no archive of a model"),
    "a corpus": (lambda _: zipped(("fra.txt", b"Go.\tVa !\n")), "no model of gru-mt"),
    "a changed byte": (changed, "damaged, or no archive of a model"),
    "another file": (
        lambda files: zipped(*files.items(), ("SHA256SUMS", summed({})[:0])), "SHA256SUMS says"
    ),
    "no sums": (
        lambda files: zipped(*files.items(), ("SHA256SUMS", b"what?")), "no archive of a model"
    ),
    "a missing file": (
        lambda files: summed(files).replace(b"README.md", b"README.me"), "damaged"
    ),
    "up": (lambda files: with_member(files, "onnx/../../escaped"), "is no file of a model"),
    "up on Windows": (lambda files: with_member(files, "..\\escaped"), "is no file of a model"),
    "absolute": (lambda files: with_member(files, "/tmp/escaped"), "is no file of a model"),
    "a terminal's": (lambda files: with_member(files, "a\x1b[2J"), r"'a\x1b[2J' is no file"),
    "a link": (lambda files: with_member(files, "link", stat.S_IFLNK), "'link' is no file"),
    "a file and its folder": (lambda files: with_member(files, "onnx/x/y"), "is no file"),
    "twice": (twice, "'config.yaml' is no file of a model"),
    "twice but for case": (lambda files: with_member(files, "Config.yaml"), "is no file"),
    "a bomb": (lambda files: summed(files | {"tokenizer.x": bytes(30_000_000)}), "30,"),
    "a password": (locked, "password"),
    "other packing": (
        lambda files: zipped(*files.items(), ("SHA256SUMS", b""), method=zipfile.ZIP_LZMA),
        "is no file of a model",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_what_is_no_archive_is_refused_and_nothing_is_left_of_it(
    case: str, archive: Path, cache: Path, gru_mt: Run
) -> None:
    with zipfile.ZipFile(archive) as opened:
        files = {name: opened.read(name) for name in opened.namelist() if name != "SHA256SUMS"}
    make, message = HOSTILE[case]
    archive.write_bytes(make(files))
    before = sorted(archive.parents[1].rglob("*"))
    assert_one_line(gru_mt("translate", "--model", archive, "x"), "größe.zip: ", message)
    assert sorted({*archive.parents[1].rglob("*")} - {cache.parent, cache}) == before


def test_an_archive_that_was_packed_anew_is_one(archive: Path, cache: Path) -> None:
    with zipfile.ZipFile(archive) as opened:
        files = {name: opened.read(name) for name in opened.namelist()}
    archive.write_bytes(zipped(("onnx/", b""), *reversed(files.items())))
    assert (local_folder(archive) / "provenance.json").read_bytes() == files["provenance.json"]


def test_a_cache_that_cannot_be_written_is_named(archive: Path, cache: Path) -> None:
    cache.parent.write_text("a file")
    with pytest.raises(UserError, match=r"cache/models/.* cannot be written: .*; or unpack the"):
        local_folder(archive)
