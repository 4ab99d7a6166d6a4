"""Corrections are kept whole or not at all, whatever ends a process in the middle."""

import json
import os
from functools import partial
from pathlib import Path
from threading import Thread

import pytest
from portalocker import LockFlags, lock

from gru_mt.corrections.store import read_corrections, read_table
from gru_mt.errors import UserError
from tests.command_line import Run, add_correction, assert_one_line


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Return a folder that counts as a run."""
    (tmp_path / "config.yaml").touch()
    return tmp_path


def pairs(folder: Path) -> list[tuple[str, str]]:
    return [(one.source, one.target) for one in read_corrections(folder)]


def test_the_newest_correction_of_a_sentence_counts(run: Path) -> None:
    assert read_corrections(run) == []
    for source, target in (("I  go.", "a"), ("We go.", "b"), (" I go. ", "c\u202f!")):
        add_correction(run, source, target, by="Zoë")
    assert pairs(run) == [("We go.", "b"), ("I go.", "c\u202f!")]
    newest = read_corrections(run)[-1]
    assert (newest.by, newest.time[:2], newest.time[-6:]) == ("Zoë", "20", "+00:00")
    (run / "model").mkdir()
    assert pairs(run / "model") == pairs(run), "it is that run's"


def test_a_correction_that_is_taken_back_is_gone_until_it_is_made_again(
    run: Path, gru_mt: Run
) -> None:
    correct = partial(gru_mt, "correct", "--model", run)
    assert "has no corrections" in correct("--list").err
    correct("I go.", "Je vais !")
    correct("我走。", "Ich gehe.", "--by", "Zoë")
    before = (run / "corrections.jsonl").read_bytes()
    assert correct("--list").out == "I go.\tJe vais !\n我走。\tIch gehe.\n"
    assert correct("--remove", " I  go.").out == f"corrections removed from {run}: 1\n"
    assert [one["by"] for one in json.loads(correct("--list", "--json").out)["corrections"]] == [
        "Zoë"
    ]
    assert_one_line(
        correct("--remove", "I go."), "'I go.': in no correction; gru-mt correct --list"
    )
    assert (run / "corrections.jsonl").read_bytes().startswith(before), "a line is added"
    correct("I go.", "Je pars.")
    correct("# One", "# Un")
    listed = correct("--list").out
    assert listed == "我走。\tIch gehe.\nI go.\tJe pars.\n # One\t# Un\n"
    (run / "corrections.jsonl").unlink()
    (run / "list.tsv").write_text(listed)
    correct("--corrections", run / "list.tsv")
    assert correct("--list").out == listed


def test_a_line_that_a_kill_left_is_ignored_and_then_replaced(run: Path) -> None:
    add_correction(run, "one", "un")
    whole = (run / "corrections.jsonl").read_bytes()
    for cut in (1, len(whole) // 2, len(whole) - 1):
        (run / "corrections.jsonl").write_bytes(whole + whole[:cut])
        assert pairs(run) == [("one", "un")]
        add_correction(run, "two", "deux")
        assert pairs(run) == [("one", "un"), ("two", "deux")]
    whole = (run / "corrections.jsonl").read_bytes()
    (run / "corrections.jsonl").write_bytes(whole[:-1])  # as an editor may leave it
    add_correction(run, "six", "six")
    assert pairs(run) == [("one", "un"), ("two", "deux"), ("six", "six")]


def test_lines_that_people_edited_are_read_or_named_and_never_removed(run: Path) -> None:
    path = run / "corrections.jsonl"
    add_correction(run, "one", "un")
    path.write_bytes(b"\n" + path.read_bytes() + b"  \r\n\n")
    assert pairs(run) == [("one", "un")]
    typed = b'{"source": "two", "target": "deux",}'
    path.write_bytes(path.read_bytes() + typed)
    for _ in range(2):
        with pytest.raises(UserError, match=r"corrections\.jsonl:5: damaged: .*remove the line"):
            pairs(run)
        add_correction(run, "six", "six")
        assert typed in path.read_bytes()


def test_nothing_is_kept_of_an_append_that_fails(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    add_correction(run, "one", "un")
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(UserError, match="No space left"):
        add_correction(run, "two", "deux")
    assert pairs(run) == [("one", "un")]


def test_no_more_is_added_than_is_read(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_correction(run, "one", "un")
    monkeypatch.setattr("gru_mt.corrections.store.MOST_BYTES", 150)
    with pytest.raises(UserError, match="more than 150 bytes; remove old lines"):
        add_correction(run, "two", "deux")
    assert pairs(run) == [("one", "un")]


def test_one_writer_waits_for_another(run: Path) -> None:
    add_correction(run, "one", "un")
    two = Thread(target=add_correction, args=(run, "two", "deux"))
    with (run / "corrections.jsonl").open("a") as other:
        lock(other, LockFlags.EXCLUSIVE)
        other.write('{"source": "six", ')
        other.flush()
        two.start()
        two.join(0.3)
        other.write('"target": "six"}\n')
    two.join()
    assert pairs(run) == [("one", "un"), ("six", "six"), ("two", "deux")]


@pytest.mark.parametrize(
    ("source", "target", "said"),
    [
        ("", "a", "nothing is translated in the source ''"),
        ("12.", "douze.", "nothing is translated in the source '12.'"),
        ("a", " ", "the translation is empty"),
        ("a\nb", "c", r"a control character in 'a\nb'"),
        ("a", "b\u2028c", r"a control character in 'b\u2028c'"),
        ("a", "b\x1b[0m", r"a control character in 'b\x1b[0m'"),
        ("a", "b" * 2_001, "the target has 2,001 characters, more than 2,000"),
        ("a", 7, "must be of type str, got 7"),
    ],
)
def test_what_is_no_correction_is_refused(source: str, target: str, said: str, run: Path) -> None:
    with pytest.raises(UserError) as raised:
        add_correction(run, source, target)
    assert said in str(raised.value)
    assert not (run / "corrections.jsonl").exists()


def test_a_folder_without_a_run_and_a_damaged_line_are_named(run: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="none: there is no such file or folder"):
        add_correction(tmp_path / "none", "a", "b")
    add_correction(run, "a", "b")
    for line in ("{", "[]", json.dumps({"source": "a"}), json.dumps({"source": "a", "target": 1})):
        (run / "corrections.jsonl").write_text(f'{{"source": "a", "target": "b"}}\n{line}\n')
        with pytest.raises(UserError, match=r"corrections\.jsonl:2: damaged: .*remove the line"):
            read_corrections(run)


def test_a_table_names_the_line_that_is_wrong(tmp_path: Path) -> None:
    table = tmp_path / "table.tsv"
    table.write_text("# mine\nI go.\tJe vais.\n\nI see.\t\n")
    with pytest.raises(UserError, match=r"table\.tsv:4: the translation is empty"):
        read_table(table, "")
