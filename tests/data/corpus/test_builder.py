"""The account of a corpus is that of a reader who remembers every line, however it is divided."""

import random
import re
from pathlib import Path

import pytest

from gru_mt.data import pool
from gru_mt.data.corpus import load as corpus_module
from gru_mt.data.corpus.report import DropReason
from gru_mt.data.dataset.components import key
from gru_mt.data.types import Pair
from tests.corpora import data_config, load_one

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


@pytest.mark.parametrize("chunk", [1, 7, 1_000])
@pytest.mark.parametrize("filters", [[], FILTERS, ["near_duplicates"]])
def test_the_account_does_not_depend_on_chunks_or_processes(
    filters: list[str], chunk: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(corpus_module, "CHUNK", chunk)
    monkeypatch.setattr(pool, "cores", lambda: 2)
    rng = random.Random(f"{filters}")
    lines = [(rng.choice(SIDES), rng.choice(SIDES)) for _ in range(60)]
    path = tmp_path / "c.tsv"
    path.write_text("".join(f"{first}\t{second}\n" for first, second in lines))
    found = load_one(data_config(str(path), filters=filters, max_ratio=3))
    kept, dropped = remembered(lines, filters)
    assert found.pairs == kept
    assert {
        reason: (each.count, each.first_lines) for reason, each in found.report.dropped.items()
    } == dropped
    assert found.report.read == len(lines)
    assert found.report.kept == len(kept)
    frequent_first = sorted(dropped, key=lambda reason: (-dropped[reason][0], dropped[reason][1]))
    assert [*found.report.dropped] == frequent_first
    for reason, each in found.report.dropped.items():
        shown = [" | ".join(lines[int(number) - 1]).strip() for number in each.first_lines]
        assert [*each.examples] == shown, reason


def test_each_of_several_corpora_has_its_own_account(tmp_path: Path) -> None:
    """They share the files on disk, and no pair of one is a duplicate for the other."""
    from gru_mt.data.corpus.load import load_corpora

    for name in ("a", "b"):
        (tmp_path / f"{name}.tsv").write_text(f"Go.\tVa !\nGo.\tVa !\n{name}\t{name}!\n")
    found = load_corpora(data_config([str(tmp_path / "a.tsv"), str(tmp_path / "b.tsv")]))
    for corpus, name in zip(found, "ab", strict=True):
        assert corpus.pairs == [Pair("Go.", "Va !", 1), Pair(name, f"{name}!", 3)]
        assert corpus.report.dropped[DropReason.DUPLICATE].first_lines == (2,)


ENTITIES = ["Tom&#39;s", "R&amp;D", "a &lt;b&gt;", "&quot;No&quot;", "caf&eacute;", "&#x27;tis"]


@pytest.mark.parametrize("entity", ENTITIES)
@pytest.mark.parametrize("side", [0, 1])
def test_html_entities_are_counted_and_the_first_is_shown(
    entity: str, side: int, tmp_path: Path
) -> None:
    rows = [(f"We see {row}.", f"Nous voyons {row}.") for row in range(1_000)]
    for place in (6, 600):
        rows[place] = (entity, f"voir {place}") if side == 0 else (f"see {place}", entity)
    path = tmp_path / "c.tsv"
    path.write_text("".join(f"{first}\t{second}\n" for first, second in rows))
    [warning] = load_one(data_config(str(path))).warnings
    shown = re.findall("&.*?;", entity)[0]
    assert warning.startswith(
        f"{path}: 2 of 1,000 pairs have HTML entities, the first is {shown} in line 7: "
    )


def test_few_entities_and_what_is_none_are_no_warning(tmp_path: Path) -> None:
    rows = [f"AT&T; R&D and {row} & co;\tx?a={row}&copy=1\n" for row in range(1_999)]
    path = tmp_path / "c.tsv"
    path.write_text("".join([*rows, "&amp;\t&amp;\n"]))
    assert load_one(data_config(str(path))).warnings == ()
