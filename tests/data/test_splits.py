"""Several corpora and a user's own sets: what trains, what measures, and what leaks."""

import json
from pathlib import Path
from typing import Any

import pytest

from gru_mt.data.evaluation_set import EvaluationSet, sets_from_json, sets_to_json
from gru_mt.data.splits import Splits, check_epochs, load_splits
from gru_mt.data.types import Example
from gru_mt.errors import UserError
from tests.corpora import data_config

OWN = {"path": ["dev.en", "dev.fr"]}
BOTH = ["old.tsv", {"path": "mine.tsv", "part": "train"}]
BACK = {"source": "fr", "target": "en"}


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        # Buckets of the split: w459 is dev, w628 and w3428 are test, the others train.
        "old.tsv": "w828\tx\nw459\ty\nw3428\tz\n", "mine.tsv": "mine\tmien\nW459!\tautre\nw1\tZ.\n",
        "dev.en": "one\ntwo\n", "dev.fr": "un\ndeux\n", "dev2.fr": "Un.\n\n",
    }.items():  # fmt: skip
        Path(name).write_text(text)


def splits(corpus: Any, **settings: Any) -> Splits:
    return load_splits(data_config(corpus, **settings))


def refusal(corpus: Any, **settings: Any) -> str:
    with pytest.raises(UserError) as raised:
        splits(corpus, **settings)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_each_corpus_is_split_by_itself_and_no_pair_of_train_leaks() -> None:
    one, both = splits("old.tsv"), splits(BOTH)
    assert (one.dev, one.test) == (both.dev, both.test)
    assert one.train == [Example("w828", "x", 1)]
    assert both.train == [Example("w828", "x", 1), Example("mine", "mien", 1, 1)]
    assert both.train[::-1] == [*both.train][::-1], "rows of both corpora in any order"
    assert both.leaks == {"mine": 2}  # the English of dev, and the French of test
    assert both.lines() == [
        "old: 3 lines read, 3 kept",
        "mine: 3 lines read, 3 kept",
        "training pairs that share a sentence with dev or test: mine 2: dropped",
        "train 2 pairs, dev 1, test 1",
    ]
    values = json.loads(json.dumps(both.to_json()))
    assert [each["name"] for each in values["corpora"]] == ["old", "mine"]
    assert values["leaks"] == {"mine": 2}
    kept = splits(BOTH, leaks="keep")
    assert (len(kept.train), kept.leaks) == (4, {"mine": 2})
    assert kept.lines()[-2].endswith("mine 2: kept, as data.leaks says")


def test_a_limit_is_of_training_pairs_and_a_smaller_one_takes_some_of_a_larger_one() -> None:
    lines = [f"We see {row} cats.\tNous voyons {row} chats.\n" for row in range(2_000)]
    Path("cats.tsv").write_text("".join(lines))
    whole, few, fewer = (
        splits([{"path": "cats.tsv", "limit": limit}, "mine.tsv"]) for limit in (None, 500, 40)
    )
    assert whole.beyond_limit == {}
    beyond = len([pair for pair in whole.train if pair.corpus == 0]) - 500
    assert few.beyond_limit == few.to_json()["beyond_limit"] == {"cats": beyond}
    assert f"training pairs beyond a limit, left out: cats {beyond:,}" in few.lines()
    kept = {*few.train}
    assert {*fewer.train} < kept < {*whole.train}
    assert few.train == [pair for pair in whole.train if pair in kept]
    assert (few.dev, few.test) == (whole.dev, whole.test)


def test_a_weight_that_leaves_an_epoch_empty_is_refused_with_the_least_that_does_not() -> None:
    Path("one.tsv").write_text("one\tun\n")

    def check(*weights: float) -> None:
        paths = zip(("mine.tsv", "one.tsv"), weights, strict=True)  # three pairs, and one
        corpora = [{"path": path, "weight": weight, "part": "train"} for path, weight in paths]
        config = data_config(corpora)
        check_epochs(load_splits(config), config)

    with pytest.raises(UserError) as raised:
        check(0.333, 0.5)
    assert str(raised.value) == (
        "data.corpus.0.weight: an epoch would be empty, as it takes 0.333 of 3 pairs; set it to "
        "0.334 or more"
    )
    check(0.334, 0.5)
    check(0.001, 1)


def test_a_leak_is_looked_for_on_the_side_of_its_language() -> None:
    Path("dev.en").write_text("x\nmien\n")  # French words that the English side does not have
    assert splits("old.tsv", dev=OWN).leaks == splits("old.tsv", dev=OWN, **BACK).leaks == {}
    Path("dev.fr").write_text("X!\nmien\n")
    assert splits("old.tsv", dev=OWN).leaks == {"old": 1}
    assert splits("old.tsv", dev=OWN, **BACK).leaks == {"old": 1}


def test_own_sets_come_first_and_keep_every_line() -> None:
    Path("dev.en").write_text("same\n same \n")
    own = splits("old.tsv", dev=OWN, test={"path": "mine.tsv", "name": "of me"})
    assert own.dev == [
        EvaluationSet(["same", "same"], [["un"], ["deux"]], "dev"),
        EvaluationSet(["w459"], [["y"]], "old"),
    ]
    references = [["mien"], ["autre"], ["Z."]]
    assert own.test[0] == EvaluationSet(["mine", "W459!", "w1"], references, "of me")
    assert own.sizes() == "train 1 pairs, dev dev 2 and old 1, test of me 3 and old 1"


def test_a_set_is_read_as_a_corpus_is() -> None:
    Path("nfd.tsv").write_text("\ufeffcafe\u0301\te\u0301te\u0301\nco\u00adop\tb\u200b\n")
    [dev, _] = splits("old.tsv", dev="nfd.tsv").dev
    assert (dev.sources, dev.references) == (["café", "coop"], [["été"], ["b"]])


def test_a_set_may_have_several_references_in_the_language_translated_into() -> None:
    files = {"path": ["dev.en", "dev.fr", "dev2.fr"]}
    [dev, _] = splits("old.tsv", dev=files).dev
    assert dev.references == [["un", "Un."], ["deux"]]
    assert dev.examples == [
        Example("one", "un", 1), Example("one", "Un.", 1), Example("two", "deux", 2)
    ]  # fmt: skip
    assert sets_from_json(json.loads(json.dumps(sets_to_json([dev])))) == [dev]
    [dev, _] = splits("old.tsv", dev=OWN, **BACK).dev
    assert dev == EvaluationSet(["un", "deux"], [["one"], ["two"]], "dev")
    said = refusal("old.tsv", dev=files, **BACK)
    assert said == "data.dev: 2 files are in fr, which is translated from: name one of them"


def test_the_other_direction_needs_no_corpus_to_be_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    corpora = [*BOTH, {"path": "own.tsv", "limit": 1}]
    Path("own.tsv").write_text("w459\tb\nw628\tc\nw3428\tc\nw10\ta\nw11\tb\nw12\td\n")
    settings: Any = {"dev": OWN, "test": "mine.tsv", "leaks": "drop"}
    there, back = splits(corpora, **settings), splits(corpora, **settings, **BACK)
    monkeypatch.setattr("gru_mt.data.splits.load_corpora", pytest.fail)
    for known, expected, direction in ((there, back, BACK), (back, there, {})):
        found = load_splits(data_config(corpora, **settings, **direction), back=known)
        assert (found.dev, found.test, found.train) == (expected.dev, expected.test, expected.train)
        assert found.to_json() == expected.to_json()
        assert found.sizes() == expected.sizes()


NO_REFERENCE = "the sentence has no reference; add it, or remove the line"


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ([b"a\n", b"b\nc\n"], "d.fr: 2 lines, but d.en has 1"),
        (
            [b"a\nb\n", b"c\n\n"],
            f"d.fr:2: {NO_REFERENCE}",
        ),
        ([b"a\nb\xff\n", b"c\nd\n"], "d.en:2: not UTF-8; set encoding"),
        ([b"a\nb\0\n", b"c\nd\n"], "d.en:2: has control characters"),
        ([b"", b""], "d.en: is empty"),
        ([b"a\tb\nc\n"], "d.en:2: no tab"),
        (
            [b"en\tfr\na\tb\nc\t\n"],
            f"d.en:3: {NO_REFERENCE}",
        ),
        ([b""], "d.en: is empty"),
    ],
)
def test_a_set_that_is_not_whole_is_refused_by_file_and_line(texts: list[bytes], said: str) -> None:
    names = ["d.en", "d.fr"][: len(texts)]
    for name, text in zip(names, texts, strict=True):
        Path(name).write_bytes(text)
    assert refusal("old.tsv", dev={"path": names}) == said


def test_each_couple_of_a_folder_has_as_many_lines_and_json_only_json_beside_it() -> None:
    Path("d").mkdir()
    for name, lines in (("a.en", 2), ("a.fr", 3), ("b.en", 3), ("b.fr", 2)):
        Path("d", name).write_text("x\n" * lines)
    assert refusal("old.tsv", dev="d") == "d/a.fr: 3 lines, but d/a.en has 2"
    for names in (["s.json", "r.json", "r2.json"], ["s.json", "d.fr"]):
        for name in names:
            Path(name).write_text('{\n"a": "Go."\n}\n')
        assert refusal("old.tsv", dev={"path": names}).startswith("s.json: JSON is read alone, or")
        assert refusal({"path": names[:2]}).startswith("s.json: JSON is") == (names[1] == "d.fr")


def test_a_missing_set_and_two_of_one_name_are_refused() -> None:
    assert refusal("old.tsv", test="none.tsv").startswith("none.tsv: no such file in ")
    assert refusal("old.tsv", dev=["mine.tsv", "mine.tsv"]) == (
        "data.dev: two sets are called 'mine'; give one another name"
    )


@pytest.mark.parametrize("texts", [[b"a\nb\n\n\n", b"c\nd\n\n\n"], [b"a\tc\n\nb\td\n\n"]])
def test_blank_lines_of_a_set_are_left_out(texts: list[bytes]) -> None:
    names = ["d.en", "d.fr"][: len(texts)]
    for name, text in zip(names, texts, strict=True):
        Path(name).write_bytes(text)
    [found, _] = splits("old.tsv", dev={"path": names}).dev
    assert found.sources == ["a", "b"]
    assert found.references == [["c"], ["d"]]
