"""`translate --input X --out Y`: a document from one file into another."""

from itertools import count
from pathlib import Path

import pytest

from tests.command_line import Run, assert_one_line

LINES = b"I see one cat.\r\n\r\n  we see two dog.\n12\nI see one cat."


def test_a_document_is_translated_into_another_file(there: Path, gru_mt: Run) -> None:
    Path("a.txt").write_bytes(LINES)
    lines = gru_mt("translate", "I see one cat.", "we see two dog.").out.splitlines()
    result = gru_mt("translate", "--input", "a.txt", "--out", "b.txt", stdout=None)
    assert (result.code, result.out) == (0, "")
    first, second = (line.encode() for line in lines)
    expected = first + b"\r\n\r\n  " + second + b"\n12\n" + first
    assert Path("b.txt").read_bytes() == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--input a.txt --out a.txt", "a.txt: is the input itself; name another file"),
        ("--input a.txt --out link.txt", "link.txt: is the input itself"),
        ("--input a.txt --out b.md", "--out b.md: must end in .txt, as a.txt does"),
        ("--input a.xyz --out b.xyz", "a.xyz: is no known document; these are: "),
        ("--input a.txt --out no/b.txt", "there is no folder"),
        ("--input none.txt --out b.txt", "none.txt: cannot be read"),
        ("--input bad.txt --out b.txt", "bad.txt, line 2: is not cp1252"),
        ("--out b.txt x", "--out is for a document: give --input"),
        ("--input a.txt --out b.txt --json", "without --json and --n-best"),
        ("--input a.txt --out b.txt --n-best 2", "without --json and --n-best"),
        ("--input a.txt --out b.txt --all", "a.txt: has no translations yet"),
        ("--input a.txt --all", "--all is of a document: give --out"),
        ("--input a.docx", "a.docx: is a document; name the file of its translation with --out"),
    ],
)
def test_a_wrong_use_is_one_line_and_writes_nothing(
    there: Path, gru_mt: Run, options: str, message: str
) -> None:
    Path("a.txt").write_bytes(LINES)
    Path("bad.txt").write_bytes(b"a\n\x81")
    Path("a.docx").write_bytes(b"PK\3\4")
    Path("link.txt").unlink(missing_ok=True)
    Path("link.txt").symlink_to("a.txt")
    before = {*there.iterdir()}
    # All but what is in the file is told before the model is loaded.
    model = "runs/small" if any(name in options for name in ("bad.txt", "a.docx")) else "runs/none"
    result = gru_mt("translate", "--model", model, *options.split())
    assert_one_line(result, message)
    assert {*there.iterdir()} == before
    assert Path("a.txt").read_bytes() == LINES


def test_progress_counts_sentences(
    there: Path, gru_mt: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock_s = count(step=3)
    monkeypatch.setattr("tqdm.std.time", lambda: float(next(clock_s)))
    monkeypatch.setattr("gru_mt.progress.LOG_S", 0.5)
    Path("a.txt").write_text("we see one cat.\nwe see two dog.\nI see one hat.\n")
    result = gru_mt("translate", "--input", "a.txt", "--out", "c.txt", "--batch-size", 1)
    told = [line.partition(" sentences")[0] for line in result.err.splitlines() if "left" in line]
    assert told == ["translating: 1 of 3", "translating: 2 of 3", "translating: 3 of 3"]
