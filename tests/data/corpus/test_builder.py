"""A corpus is what a reader who remembers every line would make of it, however it is divided."""

import random
import re
import unicodedata

import pytest

from gru_mt.data import pool
from gru_mt.data.corpus import load as load_module
from gru_mt.data.corpus.load import load_corpora
from gru_mt.data.corpus.report import DropReason
from gru_mt.data.dataset.components import key
from gru_mt.data.types import Pair
from tests.corpora import data_config, load, write

FILTERS = ["copies", "digits", "near_duplicates"]
SIDES = [b"Go.", b"go!", b"Va !", b"va", b"3 cats", b"4 cats", b"", b"1 2 3 4 5"]
TIDY = [first + b"\t" + second + b"\n" for first in SIDES for second in SIDES]
GARBAGE = [b"\t", b"\t", b"\n", b"\n", b"\r", b" ", b"a", b"b", b"A!", b"3", b"4", b"\x00", b"\x0b"]
GARBAGE += [b"\xff", b"\xc3", "é\u2028\u202f\x85\x9f".encode(), b"\x1c", b"\xef\xbb\xbf"]


def reason_of(
    line: bytes, filters: list[str], pairs: set[tuple[str, ...]], keys: set[tuple[str, ...]]
) -> str | tuple[str, ...]:
    """Return why a line is dropped, character by character, or its pair, which is remembered."""
    try:
        columns = line.decode().split("\t")
    except UnicodeDecodeError:
        return "not UTF-8"
    if not any(map(str.strip, columns)):
        return "blank line"
    if not 2 <= len(columns) <= 3:
        return "no tab" if len(columns) == 1 else "more than three columns"
    spaced = (re.sub(r"\s", " ", column.replace("\ufeff", "")) for column in columns[:2])
    sides = tuple(" ".join(word for word in side.split(" ") if word) for side in spaced)
    lengths = sorted(len(side.split(" ")) for side in sides)
    numbers = [sorted(re.findall("[34]", side)) for side in sides]
    of_both = key(sides[0]), key(sides[1])
    for reason, is_so in (
        ("control characters", "Cc" in map(unicodedata.category, "".join(sides))),
        ("empty side", "" in sides),
        ("too long", lengths[1] > 4),
        ("too long a ratio", lengths[1] > 2 * lengths[0]),
        ("duplicate", sides in pairs),
        ("same text on both sides", "copies" in filters and sides[0].lower() == sides[1].lower()),
        ("other numbers", "digits" in filters and numbers[0] != numbers[1]),
        ("near-duplicate", "near_duplicates" in filters and of_both in keys),
    ):
        if is_so:
            return reason
    pairs.add(sides)
    keys.add(of_both)
    return sides


@pytest.mark.parametrize("pieces", [GARBAGE, TIDY])
@pytest.mark.parametrize(
    ("filters", "chunk"),
    [([], 1_000), (FILTERS, 1_000), (["near_duplicates"], 1_000), (FILTERS, 7)],
)
def test_a_corpus_does_not_depend_on_chunks_or_processes(
    pieces: list[bytes], filters: list[str], chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load_module, "CHUNK", chunk)
    monkeypatch.setattr(pool, "cores", lambda: 2)
    rng = random.Random(f"{filters} {len(pieces)}")
    data = b"Go.\tVa !\n" + b"".join(rng.choices(pieces, k=600))
    write({"c.txt": data})
    found = load("c.txt", filters=filters, max_words=4, max_ratio=2)

    lines = data.removesuffix(b"\n").split(b"\n")
    memory: tuple[set[tuple[str, ...]], set[tuple[str, ...]]] = set(), set()
    kept, dropped = [], dict[str, list[int]]()
    for number, line in enumerate(lines, start=1):
        reason = reason_of(line.removesuffix(b"\r"), filters, *memory)
        if isinstance(reason, str):
            dropped.setdefault(reason, []).append(number)
        else:
            kept.append(Pair(reason[0], reason[1], number))
    assert found.pairs == kept
    report = found.report
    assert (report.read, report.kept) == (len(lines), len(kept))
    assert {reason: its.count for reason, its in report.dropped.items()} == {
        reason: len(numbers) for reason, numbers in dropped.items()
    }
    frequent_first = sorted(dropped, key=lambda reason: (-len(dropped[reason]), dropped[reason]))
    assert [*report.dropped] == frequent_first
    for reason, its in report.dropped.items():
        assert its.first_lines == tuple(dropped[reason][:3])


def test_each_of_several_corpora_has_its_own_report() -> None:
    """They share the files on disk, and no pair of one is a duplicate for the other."""
    write({f"{name}.tsv": f"Go.\tVa !\nGo.\tVa !\n{name}\t{name}!\n" for name in "ab"})
    for corpus, name in zip(load_corpora(data_config(["a.tsv", "b.tsv"])), "ab", strict=True):
        assert corpus.pairs == [Pair("Go.", "Va !", 1), Pair(name, f"{name}!", 3)]
        assert corpus.report.dropped[DropReason.DUPLICATE].first_lines == (2,)


def test_html_entities_are_counted_where_there_are_many_and_the_first_is_shown() -> None:
    rows = [f"AT&T; R&D and {row} & co;\tx?a={row}&copy=1\n" for row in range(1_000)]
    for first, second in (("&amp;", "&#39;"), ("&#x27;", "&eacute;")):
        write({"c.tsv": "".join([*rows, f"see {first}\tvoir\n"])})
        assert load("c.tsv").warnings == ()
        write({"c.tsv": "".join([*rows, f"see {first}\tvoir\n", f"a\t{second}\n", "b\t&lt;\n"])})
        [warning] = load("c.tsv").warnings
        assert f"c.tsv: 3 of 1,003 pairs have HTML entities, the first is {first} in li" in warning
