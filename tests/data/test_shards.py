"""Shards that are read apart are together what one command reads."""

import gzip
import os
import random
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from gru_mt.config.schema import DataConfig
from gru_mt.data import origins, shards, workers
from gru_mt.data.corpus import load
from gru_mt.data.corpus.builder import Corpus
from gru_mt.data.corpus.load import load_corpora
from gru_mt.data.shards import MOST, Shard, Shards, write_shard
from gru_mt.errors import UserError
from gru_mt.storage import file_digest
from tests.corpora import data_config

Configure = Callable[..., DataConfig]


def lines(seed: int, size: int) -> str:
    """Return lines of a table, some of which are dropped for one reason or another."""
    rng = random.Random(seed)
    made = []
    for row in range(size):
        kind = rng.choice(["pair"] * 8 + ["same", "no tab", "empty", "long", "credit"])
        first, second = f"Number {rng.randrange(200)} it is.", f"Es ist {row % 90} – не 猫."
        made.append(
            {
                "pair": f"{first}\t{second}",
                "same": f"{first}\t{first}",
                "no tab": first,
                "empty": f"{first}\t ",
                "long": f"{first}\t{'lang ' * 300}",
                "credit": f"{first}\t{second}\tby somebody {row}",
            }[kind]
        )
    return "".join(f"{line}\n" for line in made)


@pytest.fixture
def configure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Configure:
    """Return a function that configures corpora of 5, 1 and 12 chunks, in four files."""
    monkeypatch.setattr(load, "CHUNK", 7)
    monkeypatch.setattr(workers, "cores", lambda: 1)
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "1.tsv").write_text("english\tgerman\n" + lines(1, 25))
    (tmp_path / "files" / "2.tsv.gz").write_bytes(gzip.compress(lines(2, 6).encode()))
    (tmp_path / "few.tsv").write_text(lines(3, 4))
    (tmp_path / "a.en").write_text("".join(f"Line {row} is here.\n" for row in range(80)))
    (tmp_path / "a.de").write_text("".join(f"Hier ist Zeile {row}.\n" for row in range(80)))

    def configured(few: dict[str, object] | None = None, **settings: object) -> DataConfig:
        paths = [["files"], ["few.tsv"], ["a.en", "a.de"]]
        corpora: list[dict[str, object]] = [
            {"path": [str(tmp_path / path) for path in each]} for each in paths
        ]
        corpora[1] |= few or {}
        return data_config(corpora, languages=["en", "de"], source="en", target="de", **settings)

    return configured


def write_all(config: DataConfig, folder: Path, total: int) -> None:
    for number in random.Random(total).sample(range(1, total + 1), total):
        write_shard(Shard(number, total), config, folder)


def facts(each: Corpus) -> tuple[object, ...]:
    start, stop = int(each.row_N[0]), int(each.row_N[-1]) + 1
    columns = [
        each.stored.fact(name, start, stop).tolist()
        for name in ("line", "digest", "first_key", "second_key", "bucket", "kind")
    ]
    found = (each.name, [*each.pairs], each.row_N.tolist(), each.report, each.sha256)
    return *found, each.attribution, each.warnings, each.lines.files, columns


@pytest.mark.parametrize("total", [1, 2, 3, 5, 20])
def test_the_shards_are_the_lines_of_the_corpora(
    total: int, configure: Configure, tmp_path: Path
) -> None:
    config = configure(filters=["copies", "near_duplicates"])
    write_all(config, tmp_path / "shards", total)
    found = Shards(config, tmp_path / "shards")
    assert len(found) == total
    together, alone = load_corpora(config, lines=found), load_corpora(config)
    assert [*map(facts, together)] == [*map(facts, alone)]
    assert sum(each.report.read for each in alone) == 1 + 25 + 6 + 4 + 80
    assert {reason for each in alone for reason in each.report.dropped} >= {"no tab", "too long"}


def test_each_shard_judges_its_own_lines_and_says_what_is_missing(
    configure: Configure, tmp_path: Path
) -> None:
    config, folder, counts = configure(), tmp_path / "shards", []
    for number in (3, 1, 2):
        count, missing = write_shard(Shard(number, 3), config, folder)
        counts.append(count)
    assert sum(counts) == 1 + 25 + 6 + 4 + 80
    assert missing == []
    (folder / "1-of-3").unlink()
    assert write_shard(Shard(3, 3), config, folder) == (counts[0], [Shard(1, 3)])


@pytest.mark.parametrize("text", ["1/1", "3/64", "64/64", f"1/{MOST}"])
def test_a_shard_is_a_number_and_how_many_there_are(text: str) -> None:
    assert str(Shard.parse(text)) == text


@pytest.mark.parametrize(
    "text", ["", "3", "0/4", "5/4", "-1/4", "1/0", "a/b", "1/2/3", "1/501", "1.0/2", "٣/٤", " 1/2"]
)
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="such as 3/64"):
        Shard.parse(text)


def refusal(config: DataConfig, folder: Path) -> str:
    with pytest.raises(UserError) as raised:
        load_corpora(config, lines=Shards(config, folder))
    return str(raised.value).replace(f"{folder}", "shards")


def test_missing_shards_and_those_of_other_numbers_are_refused(
    configure: Configure, tmp_path: Path
) -> None:
    config, folder = configure(), tmp_path / "shards"
    for number in (1, 4):
        write_shard(Shard(number, 4), config, folder)
    assert refusal(config, folder) == (
        "shards: 2 of 4 shards are missing; make the first with gru-mt data --shard 2/4, or "
        "remove the folder"
    )
    write_shard(Shard(1, 2), config, folder)
    told = "shards: has shards of 2 and of 4; remove those that are not meant"
    assert refusal(config, folder) == told
    for path in folder.iterdir():
        path.unlink()
    assert refusal(config, folder).startswith("shards: has no shard; make them with gru-mt data ")


def test_shards_of_other_settings_or_files_are_refused(
    configure: Configure, tmp_path: Path
) -> None:
    config, folder = configure(), tmp_path / "shards"
    write_all(config, folder, 2)
    assert refusal(configure(max_words=100), folder) == (
        "shards/1-of-2: made with data.max_words 200, not 100; make it again"
    )
    assert refusal(configure({"encoding": "latin-1"}), folder) == (
        "shards/1-of-2: made with data.corpus.1.encoding null, not latin-1; make it again"
    )
    (tmp_path / "few.tsv").write_text("Other text.\tAnderer Text.\n")
    assert refusal(config, folder) == (
        f"shards/1-of-2: {tmp_path / 'few.tsv'} has changed since; make it again"
    )
    write_shard(Shard(1, 2), config, folder)
    assert refusal(config, folder).startswith("shards/2-of-2: ")
    write_shard(Shard(2, 2), config, folder)
    assert len(load_corpora(config, lines=Shards(config, folder))[1].pairs) == 1
    (tmp_path / "few.tsv").unlink()
    assert refusal(config, folder).endswith("few.tsv: cannot be read: No such file or directory")


def test_shards_of_another_version_are_refused(
    configure: Configure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, folder = configure(), tmp_path / "shards"
    with monkeypatch.context() as patched:
        patched.setattr(shards, "version", lambda name: "0.0.9")
        write_all(config, folder, 2)
    told = f"shards/1-of-2: made by gru-mt 0.0.9, not {version('gru-mt')}; make it again"
    assert refusal(config, folder) == told


def test_a_file_is_read_once_for_all_shards(
    configure: Configure, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, folder, read = configure(), tmp_path / "shards", []
    write_all(config, folder, 5)
    for path in (tmp_path / "few.tsv", tmp_path / "a.en"):  # as copies elsewhere are
        os.utime(path, ns=(1, 1))

    def digest(path: Path) -> str:
        read.append(path.name)
        return file_digest(path)

    monkeypatch.setattr(origins, "file_digest", digest)
    load_corpora(config, lines=Shards(config, folder))
    assert sorted(read) == ["a.en", "few.tsv"]


def test_settings_that_no_shard_depends_on_may_change(configure: Configure, tmp_path: Path) -> None:
    write_all(configure(), tmp_path / "shards", 2)
    other = configure({"limit": 3}, allow_dropped=0.9, leaks="keep", augment=None)
    assert len(load_corpora(other, lines=Shards(other, tmp_path / "shards"))) == 3


@pytest.mark.parametrize("place", [0, 0.5, 1])
def test_a_damaged_shard_is_refused(place: float, configure: Configure, tmp_path: Path) -> None:
    config, folder = configure(), tmp_path / "shards"
    write_all(config, folder, 2)
    path = folder / "2-of-2"
    data = bytearray(path.read_bytes())
    whole = bytes(data)
    data[int(place * (len(data) - 1))] ^= 1
    path.write_bytes(data)
    assert refusal(config, folder) == "shards/2-of-2: damaged; make it again"
    path.write_bytes(whole[: int(place * (len(data) - 1))])
    assert refusal(config, folder) == "shards/2-of-2: damaged; make it again"


def test_what_cannot_be_read_leaves_no_shard(configure: Configure, tmp_path: Path) -> None:
    config = configure()
    (tmp_path / "a.de").write_text("Eine Zeile.\n")
    with pytest.raises(UserError, match="lines"):
        write_shard(Shard(1, 2), config, tmp_path / "shards")
    assert [*(tmp_path / "shards").iterdir()] == []


def test_the_arrays_of_facts_can_be_written_to(configure: Configure, tmp_path: Path) -> None:
    """An account adds the first line of each chunk to them."""
    config = configure()
    write_all(config, tmp_path / "shards", 1)
    [few] = load_corpora(config, lines=Shards(config, tmp_path / "shards"))[1:2]
    assert np.all(np.diff(few.fact("line")) > 0)
