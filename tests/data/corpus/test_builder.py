"""A corpus is what a reader who remembers every line would make of it, however it is divided."""

import random
import re

import pytest

from gru_mt.data import pool
from gru_mt.data.corpus import load as load_module
from gru_mt.data.corpus.load import load_corpora
from gru_mt.data.corpus.report import DropReason
from gru_mt.data.dataset.components import key
from gru_mt.data.types import Pair
from tests.corpora import data_config, load, write

SIDES = ["Go.", "go!", "Va !", "va", "3 cats", "4 cats", "", "one two three four five six seven"]
FILTERS = ["copies", "digits", "near_duplicates"]


def remembered(
    lines: list[tuple[str, str]], filters: list[str]
) -> tuple[list[Pair], dict[DropReason, tuple[int, tuple[int, ...]]]]:
    """Return the pairs that are kept, and how many lines are dropped for each reason, which first.

    It reads line by line, and remembers pairs and keys in sets.
    """
    kept, pairs, keys = [], set(), set()
    dropped: dict[DropReason, list[int]] = {}
    for number, (first, second) in enumerate(lines, start=1):
        lengths = sorted(len(side.split()) for side in (first, second))
        numbers = [
            sorted(word for word in side.split() if word.isdigit()) for side in (first, second)
        ]
        reason = None
        if not first or not second:
            reason = DropReason.EMPTY
        elif lengths[1] > 3 * lengths[0]:
            reason = DropReason.RATIO
        elif (first, second) in pairs:
            reason = DropReason.DUPLICATE
        elif "copies" in filters and first.lower() == second.lower():
            reason = DropReason.COPY
        elif "digits" in filters and numbers[0] != numbers[1]:
            reason = DropReason.DIGITS
        elif "near_duplicates" in filters and (key(first), key(second)) in keys:
            reason = DropReason.NEAR
        if reason:
            dropped.setdefault(reason, []).append(number)
            continue
        pairs.add((first, second))
        keys.add((key(first), key(second)))
        kept.append(Pair(first, second, number))
    return kept, {reason: (len(at), tuple(at[:3])) for reason, at in dropped.items()}


@pytest.mark.parametrize(
    ("filters", "chunk"),
    [([], 1_000), (FILTERS, 1_000), (["near_duplicates"], 1_000), ([], 7), (FILTERS, 7)],
)
def test_a_corpus_does_not_depend_on_chunks_or_processes(
    filters: list[str], chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load_module, "CHUNK", chunk)
    monkeypatch.setattr(pool, "cores", lambda: 2)
    rng = random.Random(f"{filters}")
    lines = [(rng.choice(SIDES), rng.choice(SIDES)) for _ in range(60)]
    write({"c.tsv": "".join(f"{first}\t{second}\n" for first, second in lines)})
    found = load("c.tsv", filters=filters, max_ratio=3)
    kept, dropped = remembered(lines, filters)
    assert found.pairs == kept
    by_reason = found.report.dropped
    assert {reason: (its.count, its.first_lines) for reason, its in by_reason.items()} == dropped
    assert (found.report.read, found.report.kept) == (len(lines), len(kept))
    frequent_first = sorted(dropped, key=lambda reason: (-dropped[reason][0], dropped[reason][1]))
    assert [*by_reason] == frequent_first
    for reason, its in by_reason.items():
        shown = [" | ".join(lines[int(number) - 1]).strip() for number in its.first_lines]
        assert [*its.examples] == shown, reason


def test_each_of_several_corpora_has_its_own_report() -> None:
    """They share the files on disk, and no pair of one is a duplicate for the other."""
    write({f"{name}.tsv": f"Go.\tVa !\nGo.\tVa !\n{name}\t{name}!\n" for name in "ab"})
    for corpus, name in zip(load_corpora(data_config(["a.tsv", "b.tsv"])), "ab", strict=True):
        assert corpus.pairs == [Pair("Go.", "Va !", 1), Pair(name, f"{name}!", 3)]
        assert corpus.report.dropped[DropReason.DUPLICATE].first_lines == (2,)


def test_html_entities_are_counted_and_the_first_is_shown() -> None:
    entities = ["Tom&#39;s", "R&amp;D", "a &lt;b&gt;", "&quot;No&quot;", "caf&eacute;", "&#x27;tis"]
    for number, entity in enumerate(entities):
        rows = [(f"We see {row}.", f"Nous voyons {row}.") for row in range(1_000)]
        for row in (6, 600):
            rows[row] = (entity, f"voir {row}") if number % 2 else (f"see {row}", entity)
        write({"c.tsv": "".join(f"{first}\t{second}\n" for first, second in rows)})
        [warning] = load("c.tsv").warnings
        shown = re.findall("&.*?;", entity)[0]
        assert warning.startswith(
            f"c.tsv: 2 of 1,000 pairs have HTML entities, the first is {shown} in line 7: "
        )


def test_few_entities_and_what_is_none_are_no_warning() -> None:
    rows = [f"AT&T; R&D and {row} & co;\tx?a={row}&copy=1\n" for row in range(1_999)]
    write({"c.tsv": "".join([*rows, "&amp;\t&amp;\n"])})
    assert load("c.tsv").warnings == ()
