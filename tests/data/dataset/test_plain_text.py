"""A split is written into a folder of its own, and nothing of the user's is lost."""

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from gru_mt.data.dataset.plain_text import MARKER, write_splits
from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.data.splits import Splits
from gru_mt.data.types import Example
from gru_mt.errors import UserError
from tests.corpora import Listed


def examples_of(*sides: tuple[str, str]) -> list[Example]:
    return [Example(source, target, line) for line, (source, target) in enumerate(sides, start=1)]


def contents(folder: Path) -> dict[str, str]:
    """Return each file's text by name, without the marker."""
    return {path.name: path.read_text() for path in folder.iterdir() if path.name != MARKER}


def parts_of(train: list[Example], dev: list[Example]) -> Splits:
    sets = [EvaluationSet.from_examples(dev)] if dev else []
    return Splits([], Listed(train), sets, [], {}, leaks_are_kept=False)


def swapped(pairs: list[Example]) -> list[Example]:
    return [Example(each.target, each.source, each.line) for each in pairs]


TRAIN = examples_of(("Go.", "Va !"), ("Go.", "Allez !"))
DEV = examples_of(("One.", "Un."), ("Two.", "Deux."), ("Two.", "Les deux."), ("Two.", "2."))
SPLIT = parts_of(TRAIN, DEV)
SWAPPED = parts_of(swapped(TRAIN), swapped(DEV))
WRITTEN = {
    "train.en": "Go.\nGo.\n",
    "train.fr": "Va !\nAllez !\n",
    "dev.en": "One.\nTwo.\n",
    "dev.fr": "Un.\nDeux.\n",
    "dev.fr1": "\nLes deux.\n",
    "dev.fr2": "\n2.\n",
    "test.en": "",
    "test.fr": "",
}


def test_a_split_is_written_as_plain_text(tmp_path: Path) -> None:
    write_splits(SPLIT, tmp_path / "a" / "b", "en", "fr")
    assert contents(tmp_path / "a" / "b") == WRITTEN


def test_the_other_direction_replaces_the_first(tmp_path: Path) -> None:
    write_splits(SPLIT, tmp_path, "en", "fr")
    write_splits(SWAPPED, tmp_path, "fr", "en")
    assert contents(tmp_path) == {
        "train.fr": "Va !\nAllez !\n",
        "train.en": "Go.\nGo.\n",
        "dev.fr": "Un.\nDeux.\nLes deux.\n2.\n",
        "dev.en": "One.\nTwo.\nTwo.\nTwo.\n",
        "test.fr": "",
        "test.en": "",
    }


def test_several_sets_have_their_names(tmp_path: Path) -> None:
    dev = [EvaluationSet(["a"], [["x"]], "mine"), EvaluationSet(["b"], [["y", "z"]], "other")]
    write_splits(
        Splits([], Listed(TRAIN), dev, dev[:1], {}, leaks_are_kept=False), tmp_path, "en", "fr"
    )
    texts = contents(tmp_path)
    assert {name: text for name, text in texts.items() if not name.startswith("train")} == {
        "dev.mine.en": "a\n", "dev.mine.fr": "x\n", "dev.other.en": "b\n", "dev.other.fr": "y\n",
        "dev.other.fr1": "z\n", "test.en": "a\n", "test.fr": "x\n",
    }  # fmt: skip
    dev = [EvaluationSet(["a"], [["x"]], "of me"), dev[1]]
    with pytest.raises(UserError, match=r"'dev\.of me\.en' cannot be a file's name"):
        write_splits(
            Splits([], Listed([]), dev, [], {}, leaks_are_kept=False), tmp_path / "b", "en", "fr"
        )


def test_a_failed_write_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_splits(SPLIT, tmp_path, "en", "fr")
    write_text = Path.write_text

    def full(path: Path, text: str, *, encoding: str, newline: str) -> int:
        if path.name == "dev.fr1":
            raise OSError(28, "No space left on device")
        return write_text(path, text, encoding=encoding, newline=newline)

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(UserError, match="cannot be written: No space left on device"):
        write_splits(parts_of(DEV, DEV), tmp_path, "en", "fr")
    assert contents(tmp_path) == WRITTEN


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").touch()
    with pytest.raises(UserError, match=r"out: cannot be written: File exists"):
        write_splits(SPLIT, tmp_path / "out", "en", "fr")


OTHER = parts_of(DEV, [])


def refusal(folder: Path, *reads: Path) -> str:
    """Return why a split is not written; check that the folder's content stays as it is."""
    before = {path: path.is_symlink() or path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(UserError) as raised:
        write_splits(OTHER, folder, "en", "fr", reads=reads)
    after = {path: path.is_symlink() or path.read_bytes() for path in folder.iterdir()}
    assert after == before
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_an_earlier_split_is_replaced_whole_and_other_files_are_left(tmp_path: Path) -> None:
    write_splits(SPLIT, tmp_path, "en", "fr")
    others = dict.fromkeys(("dev.de", "dev.fr7", "notes.txt"), "mine\n")
    for name, text in others.items():
        (tmp_path / name).write_text(text)
    write_splits(OTHER, tmp_path, "en", "fr")
    written = dict.fromkeys(("dev.en", "dev.fr", "test.en", "test.fr"), "")  # no dev.fr1, dev.fr2
    written |= {"train.en": "One.\nTwo.\nTwo.\nTwo.\n"}
    written |= {"train.fr": "Un.\nDeux.\nLes deux.\n2.\n"}
    assert contents(tmp_path) == written | others
    assert (tmp_path / MARKER).read_text().split("\n")[1:] == [*sorted(written), ""]


@pytest.mark.parametrize("name", ["train.en", "test.de3", "notes.txt", ".hidden"])
def test_a_folder_with_anything_of_the_users_is_left_alone(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine\n")
    assert refusal(tmp_path) == (
        f"{tmp_path}: holds '{name}', which gru-mt data did not write; name a new or an empty "
        "folder with --out"
    )


def test_a_file_that_the_user_put_beside_an_earlier_split_is_not_replaced(tmp_path: Path) -> None:
    write_splits(SPLIT, tmp_path, "en", "de")
    (tmp_path / "train.fr").write_text("mine\n")
    assert "holds 'train.fr', which gru-mt data did not write" in refusal(tmp_path)


def test_a_file_that_the_configuration_reads_is_not_replaced(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_splits(SPLIT, out, "en", "fr")
    (tmp_path / "link").symlink_to(out / "train.fr")
    for path in (out / "train.en", out / "dev.fr2", tmp_path / "link", out / ".." / "out/test.en"):
        assert "the configuration reads it; name another folder" in refusal(out, path)
    write_splits(OTHER, out, "en", "fr", reads=[tmp_path / "config.yaml", tmp_path / "none"])


def test_links_in_the_folder_are_not_followed(tmp_path: Path) -> None:
    out, mine = tmp_path / "out", tmp_path / "mine"
    write_splits(SPLIT, out, "en", "fr")
    mine.mkdir()
    (mine / "text").write_text("mine\n")
    for name in ("train.en", "dev.fr2"):  # the one is replaced, the other deleted
        (out / name).unlink()
        (out / name).symlink_to(mine / "text")
    write_splits(OTHER, out, "en", "fr")
    assert not (out / "train.en").is_symlink()
    assert not (out / "dev.fr2").is_symlink()
    (out / f"{MARKER}.part").symlink_to(mine)
    assert "cannot be written: File exists" in str(refusal(out))
    assert contents(mine) == {"text": "mine\n"}


def test_a_marker_names_nothing_outside_its_folder(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write_splits(SPLIT, out, "en", "fr")
    (tmp_path / "train.en").write_text("mine\n")
    with (out / MARKER).open("a") as marker:
        marker.write(f"../train.en\n{tmp_path}/train.en\ntrain./../../train.en\nout\n..\n")
    write_splits(OTHER, out, "en", "fr")
    assert (tmp_path / "train.en").read_text() == "mine\n"


class KilledError(BaseException):
    """Stands for the end of the process."""


@contextmanager
def killed_at(last_step: int) -> Iterator[list[str]]:
    """Let the process end before its `last_step`-th file operation; yield those that began."""
    begun: list[str] = []

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any, **options: Any) -> Any:
            begun.append(function.__name__)
            if len(begun) >= last_step:  # nor do the operations of any `finally` happen
                raise KilledError
            return function(*arguments, **options)

        return step

    with pytest.MonkeyPatch.context() as patch:
        for module, name in (
            *((os, name) for name in ("mkdir", "unlink", "replace", "rmdir")),
            (io, "open"),
        ):
            patch.setattr(module, name, counted(getattr(module, name)))
        yield begun


@pytest.mark.parametrize("earlier", [None, SWAPPED], ids=["new", "earlier"])
def test_a_kill_at_any_step_leaves_a_folder_that_the_next_call_completes(
    tmp_path: Path, earlier: Splits | None
) -> None:
    for step in range(1, 100):
        out = tmp_path / str(step)
        if earlier:
            write_splits(earlier, out, "fr", "en")
        with killed_at(step) as begun, suppress(KilledError):
            write_splits(SPLIT, out, "en", "fr")
        write_splits(SPLIT, out, "en", "fr")
        assert contents(out) == WRITTEN
        if len(begun) < step:
            break
    assert begun.count("replace") == len(WRITTEN) + 2  # the marker, before and after
    assert begun.count("open") >= len(WRITTEN) + 2


@pytest.mark.parametrize("language", ["a/b", "/etc/x", "a\0b", "a\nb", ""])
def test_a_language_that_is_no_part_of_a_name_is_refused(tmp_path: Path, language: str) -> None:
    with pytest.raises(UserError, match=r"' cannot be a file's name: use letters, digits"):
        write_splits(SPLIT, tmp_path / "out", "en", language)
    assert [*tmp_path.iterdir()] == []


def test_languages_that_give_two_files_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"^data\.languages: fr1 and fr give two files one name"):
        write_splits(SPLIT, tmp_path / "out", "fr1", "fr")
    write_splits(OTHER, tmp_path / "out", "fr1", "fr")  # no reference is numbered
