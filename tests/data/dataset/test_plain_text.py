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

TRAIN = [Example("Go.", "Va !", 1), Example("Go.", "Allez !", 2)]
DEV = EvaluationSet(["One.", "Two."], [["Un."], ["Deux.", "Les deux.", "2."]])


def splits_of(train: list[Example], *dev: EvaluationSet) -> Splits:
    return Splits([], Listed(train), [*dev], [], {}, leaks_are_kept=False)


SPLIT, OTHER = splits_of(TRAIN, DEV), splits_of([Example("Or.", "Ou.", 1)])
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
OTHER_WRITTEN = dict.fromkeys(("dev.en", "dev.fr", "test.en", "test.fr"), "")
OTHER_WRITTEN |= {"train.en": "Or.\n", "train.fr": "Ou.\n"}


def contents(folder: Path) -> dict[str, str]:
    """Return each file's text by name, without the marker."""
    paths = (path for path in folder.iterdir() if path.is_file() and path.name != MARKER)
    return {path.name: path.read_text() for path in paths}


def refusal(folder: Path, *reads: Path) -> str:
    """Return why a split is not written; check that the folder's content stays as it is."""
    before = {path: path.is_symlink() or path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(UserError) as raised:
        write_splits(OTHER, folder, "en", "fr", reads=reads)
    after = {path: path.is_symlink() or path.read_bytes() for path in folder.iterdir()}
    assert after == before
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_several_sets_have_their_names(tmp_path: Path) -> None:
    sets = EvaluationSet(["a"], [["x"]], "mine"), EvaluationSet(["b"], [["y", "z"]], "other")
    write_splits(splits_of(TRAIN, *sets), tmp_path, "en", "fr")
    dev = {name: text for name, text in contents(tmp_path).items() if name.startswith("dev")}
    assert dev == {
        "dev.mine.en": "a\n", "dev.mine.fr": "x\n", "dev.other.en": "b\n", "dev.other.fr": "y\n",
        "dev.other.fr1": "z\n",
    }  # fmt: skip
    sets = EvaluationSet(["a"], [["x"]], "of me"), sets[1]
    with pytest.raises(UserError, match=r"'dev\.of me\.en' cannot be a file's name"):
        write_splits(splits_of([], *sets), tmp_path / "b", "en", "fr")


def test_an_earlier_split_is_replaced_whole_and_other_files_are_left(tmp_path: Path) -> None:
    out = tmp_path / "a" / "b"
    write_splits(SPLIT, out, "en", "fr")
    assert contents(out) == WRITTEN
    others = dict.fromkeys(("dev.de", "dev.fr7", "notes.txt"), "mine\n")
    for name, text in others.items():
        (out / name).write_text(text)
    write_splits(OTHER, out, "en", "fr")  # without dev.fr1 and dev.fr2
    assert contents(out) == OTHER_WRITTEN | others
    assert (out / MARKER).read_text().split("\n")[1:] == [*sorted(OTHER_WRITTEN), ""]


def test_a_file_of_the_users_or_one_that_is_read_is_not_replaced(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    for name in ("train.en", "notes.txt", ".hidden"):
        (out / name).write_text("mine\n")
        assert refusal(out) == (
            f"{out}: holds '{name}', which gru-mt data did not write; name a new or an empty "
            "folder with --out"
        )
        (out / name).unlink()
    write_splits(SPLIT, out, "en", "de")
    (out / "train.fr").write_text("mine\n")
    assert "holds 'train.fr', which gru-mt data did not write" in refusal(out)
    (out / "train.fr").unlink()
    (tmp_path / "link").symlink_to(out / "train.de")
    for path in (out / "train.en", out / "dev.de2", tmp_path / "link", out / ".." / "out/test.en"):
        assert "the configuration reads it; name another folder" in refusal(out, path)
    write_splits(OTHER, out, "en", "fr", reads=[tmp_path / "config.yaml", tmp_path / "none"])


def test_neither_links_in_the_folder_nor_paths_in_the_marker_are_followed(tmp_path: Path) -> None:
    out, mine = tmp_path / "out", tmp_path / "mine"
    write_splits(SPLIT, out, "en", "fr")
    mine.mkdir()
    (mine / "text").write_text("mine\n")
    (tmp_path / "train.en").write_text("mine\n")
    for name in ("train.en", "dev.fr2"):  # the one is replaced, the other deleted
        (out / name).unlink()
        (out / name).symlink_to(mine / "text")
    with (out / MARKER).open("a") as marker:
        marker.write(f"../train.en\n{tmp_path}/train.en\ntrain./../../train.en\nout\n..\n")
    write_splits(OTHER, out, "en", "fr")
    assert contents(out) == OTHER_WRITTEN
    assert not (out / "train.en").is_symlink()
    (out / f"{MARKER}.part").symlink_to(mine)
    assert "cannot be written: File exists" in str(refusal(out))
    assert contents(mine) == {"text": "mine\n"}
    assert (tmp_path / "train.en").read_text() == "mine\n"


class KilledError(BaseException):
    """Stands for the end of the process."""


@contextmanager
def failing_at(last_step: int, error: BaseException) -> Iterator[list[str]]:
    """Raise an error from the `last_step`-th file operation on; yield those that began."""
    begun: list[str] = []

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any, **options: Any) -> Any:
            begun.append(function.__name__)
            if len(begun) >= last_step:  # nor do the operations of any `finally` happen
                raise error
            return function(*arguments, **options)

        return step

    with pytest.MonkeyPatch.context() as patch:
        for name in ("mkdir", "unlink", "replace", "rmdir"):
            patch.setattr(os, name, counted(getattr(os, name)))
        patch.setattr(io, "open", counted(io.open))
        yield begun


@pytest.mark.parametrize("error", [KilledError(), OSError(28, "No space left on device")])
def test_a_failure_at_any_step_leaves_a_folder_that_the_next_call_completes(
    tmp_path: Path, error: BaseException
) -> None:
    for step in range(1, 100):
        out = tmp_path / str(step)
        write_splits(OTHER, out, "en", "fr")
        with failing_at(step, error) as begun, suppress(KilledError, UserError):
            write_splits(SPLIT, out, "en", "fr")
        if begun.count("replace") <= 2:  # of the marker, and what did not happen
            assert contents(out) == OTHER_WRITTEN
        write_splits(SPLIT, out, "en", "fr")
        assert contents(out) == WRITTEN
        if len(begun) < step:
            break
    assert begun.count("replace") == len(WRITTEN) + 2  # the marker, before and after
    assert begun.count("open") >= len(WRITTEN) + 2


@pytest.mark.parametrize("language", ["a/b", "a\0b", ""])
def test_a_language_that_is_no_part_of_a_name_is_refused(tmp_path: Path, language: str) -> None:
    with pytest.raises(UserError, match=r"' cannot be a file's name: use letters, digits"):
        write_splits(SPLIT, tmp_path / "out", "en", language)
    with pytest.raises(UserError, match=r"^data\.languages: fr1 and fr give two files one name"):
        write_splits(SPLIT, tmp_path / "out", "fr1", "fr")
    assert [*tmp_path.iterdir()] == []
