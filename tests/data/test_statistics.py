"""What a check says of corpora, and the configuration that fits a user's files."""

import json
import random
import zipfile
from pathlib import Path

import pytest

from gru_mt.config.load import parse_config
from gru_mt.config.schema import Config
from gru_mt.data.dataset import store
from gru_mt.data.splits import load_splits
from gru_mt.data.statistics import NearDuplicates, compared_words, statistics_of
from gru_mt.data.suggest_config import suggest_config
from gru_mt.errors import UserError
from tests.corpora import data_config


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def is_near(one: str, other: str) -> bool:
    """Return whether a word was put in, left out or replaced, by the definition."""
    a, b = one.split(), other.split()
    less, shorter = ([each[:n] + each[n + 1 :] for n in range(len(each))] for each in (a, b))
    replaced = len(a) == len(b) and any(map(list.__eq__, less, shorter))
    return a != b and (a in shorter or b in less or replaced)


def near_duplicates(train: list[str], test: list[str]) -> list[tuple[str, str]]:
    near = NearDuplicates(test)
    for text in train:
        near.add(text, compared_words(text))
    return [*near.found.items()]


@pytest.mark.parametrize("seed", range(20))
def test_near_duplicates_are_those_of_the_definition(seed: int) -> None:
    rng = random.Random(seed)
    train, test = (
        [" ".join(rng.choices(words, k=rng.randint(4, 7))) for _ in range(12)]
        for words in ("abcxy" if seed % 2 else "abc", "abc")
    )
    found = near_duplicates(train, test)
    whole = {*test}
    expected = {
        text
        for text in test
        if len(text.split()) >= 5
        and any(is_near(text, other) for other in train if other not in whole)
    }
    assert {text for text, _ in found} == expected
    for text, like in found:
        assert is_near(text, like)


def test_case_marks_and_the_same_text_do_not_count_and_letters_of_japanese_are_words() -> None:
    assert near_duplicates(["I see the big dog!"], ["i see the big dog"]) == []
    assert near_duplicates(["We saw a cat."], ["We saw the cat."]) == []  # four words
    pairs = near_duplicates(["私は猫が好きです。"], ["私は犬が好きです。"])
    assert pairs == [("私は犬が好きです。", "私は猫が好きです。")]


def test_a_check_tells_lines_lengths_scripts_and_near_duplicates() -> None:
    lines = ["one two three four five\tЭто дом", "no tab here", "a\tб", "a\tб"]
    Path("c.tsv").write_text("".join(f"{line}\n" for line in lines))
    Path("t.tsv").write_text("one two three four six\tдом\n")
    config = data_config(
        {"path": "c.tsv", "part": "train"}, test="t.tsv", languages=["en", "ru"], target="ru"
    )
    found = statistics_of(load_splits(config), config)
    source, target = found.sides
    assert (source.language, source.mean_words, source.longest_words) == ("en", 3.0, 5)
    assert (source.scripts, target.scripts) == ({"Latin": 1.0}, {"Cyrillic": 1.0})
    said = found.lines()
    assert said[:5] == [
        "c: 4 lines read, 2 kept",
        "c: no tab: 1, first at line 2",
        "c: duplicate: 1, first at line 4",
        "  no tab: 'no tab here'",
        "  duplicate: 'a | б'",
    ]
    assert "test t: 1 of 1 sentences differ from one of train by a word" in said
    assert "  'one two three four six' from 'one two three four five'" in said
    values = json.loads(json.dumps(found.to_json()))
    assert values["near_duplicates"] == {"t": 1}
    assert values["corpora"][0]["dropped"]["no tab"]["examples"] == ["no tab here"]


def test_lengths_are_counted_over_all_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "CHUNK", 7)
    long = [*["a b c"] * 3, "a b c d e f g h"]
    lines = [f"{text} {n}\tx{n}\n" for n, text in enumerate(["a"] * 36 + long)]
    Path("c.tsv").write_text("".join(lines))
    config = data_config({"path": "c.tsv", "part": "train"})
    source, target = statistics_of(load_splits(config), config).sides
    # 36 of 40 sentences have two words, three have four, and one has nine; 38 are 95 %.
    assert (source.mean_words, source.most_words_of_95_percent) == (93 / 40, 4)
    assert (source.longest_words, target.longest_words) == (9, 1)
    Path("c.tsv").write_text("w459\ta\n")  # dev, so nothing is trained on
    config = data_config("c.tsv")
    source, _ = statistics_of(load_splits(config), config).sides
    assert (source.mean_words, source.most_words_of_95_percent, source.longest_words) == (0, 0, 0)


def files(*names: str) -> list[Path]:
    """Write a few pairs into files: tables, or one side each."""
    for name in names:
        Path(name).parent.mkdir(exist_ok=True)
        end = "\t{}\n" if name.endswith(".tsv") else "\n"
        Path(name).write_text("".join(f"{name}{n}{end.format(n)}" for n in range(40)))
    return [*map(Path, names)]


def suggested(paths: list[Path], languages: list[str] | None) -> Config:
    return parse_config(suggest_config(paths, languages)[0], where="a")


def test_parallel_files_with_dev_and_test_become_a_configuration() -> None:
    names = ["train.en", "train.ja", "dev.en", "dev.ja", "my-test.en", "my-test.ja"]
    config = suggested(files(*names), None)
    data = config.data
    assert [each.model_dump(exclude_defaults=True) for each in data.corpus] == [
        {"path": ["train.en", "train.ja"], "part": "train"}
    ]
    assert [each.path for each in data.dev] == [["dev.en", "dev.ja"]]
    assert [each.path for each in data.test] == [["my-test.en", "my-test.ja"]]
    assert (data.languages, data.source, data.target) == (["en", "ja"], "en", "ja")
    text, _ = suggest_config([*map(Path, names)], None)
    assert text.startswith("# train 40 pairs, dev 40, test 40.\n")


@pytest.mark.parametrize(
    ("names", "splits"),
    [
        ("train.{} dev2015.{} test2016.{}", "corpus dev test"),
        ("news.{} newstest2014.{} newsdev2014.{}", "corpus test dev"),
        ("train.{} tst2013.{} devtest.{}", "corpus test test"),
        ("contest.{} latest.{} evaluated.{}", "corpus corpus corpus"),
        ("train/a.{} valid/a.{} test/b.{}", "corpus dev test"),
        ("test/a.{} test/b.{}", "corpus corpus"),
    ],
)
def test_sets_are_told_by_their_names_with_years_and_by_their_folders(
    names: str, splits: str
) -> None:
    paths = [name.format(code) for name in names.split() for code in ("en", "de")]
    for path in paths:
        Path(path).parent.mkdir(exist_ok=True)
    data = suggested(files(*paths), None).data
    found = {
        split: [each.path for each in getattr(data, split)] for split in ("corpus", "dev", "test")
    }
    for name, split in zip(names.split(), splits.split(), strict=True):
        assert [name.format("en"), name.format("de")] in found[split]


def test_what_the_corpus_needs_can_be_set_and_is_written() -> None:
    Path("a.tsv").write_text("cat\tchat\n" * 60 + "".join(f"a {n}\tb {n}\n" for n in range(40)))
    with pytest.raises(UserError, match="allow_dropped"):
        suggest_config([Path("a.tsv")], ["en", "fr"])
    overrides = ["data.allow_dropped=0.7", "model.dropout=0.4"]
    text, _ = suggest_config([Path("a.tsv")], ["en", "fr"], overrides=overrides)
    config = parse_config(text, where="a")
    assert (config.data.allow_dropped, config.model.dropout) == (0.7, 0.4)
    assert (config.training.max_epochs, config.model.may_shrink) == (30, True)


def test_a_table_is_split_and_languages_without_common_letters_get_two_vocabularies() -> None:
    lines = "".join(f"the cat {n} sees IBM\tкот {n} видит IBM и не спит\n" for n in range(9))
    Path("pairs.tsv").write_text(lines)
    config = suggested([Path("pairs.tsv")], ["en", "ru"])
    assert [each.part for each in config.data.corpus] == ["split"]
    assert (config.training.max_epochs, config.model.dropout) == (30, 0.3)  # it is small
    assert config.tokenizer.joint  # 3 of 18 letters are Latin on both sides
    Path("pairs.tsv").write_text(lines.replace("IBM", "5"))
    assert not suggested([Path("pairs.tsv")], ["en", "ru"]).tokenizer.joint


def test_a_folder_with_sets_of_its_own_is_not_split_anew_and_what_is_beside_them_is_told() -> None:
    files("d/train.tsv", "d/dev.en", "d/dev.ja", "d/README.md", "d/alone.de", "d/notes.odt")
    text, splits = suggest_config([Path("d")], ["en", "ja"])
    data = parse_config(text, where="a").data
    assert [each.path for each in data.corpus] == [["d/train.tsv"]]
    assert [each.path for each in data.dev] == [["d/dev.en", "d/dev.ja"]]
    assert "d: not read: 'alone.de', 'notes.odt'" in splits.warnings()


TMX_LINE = (
    "<tu>"
    + "".join(
        f"<tuv xml:lang='{code}'><seg>{text}{{n}}</seg></tuv>"
        for code, text in (("en-GB", "b"), ("fr", "a"))
    )
    + "</tu>\n"
)
ENGLISH = "the man of the house and I saw that it was you who had them"
FRENCH = "le père de la maison et je vois que vous êtes dans les rues"


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("a.tsv", "{0} {n}\t{1} {n}"),
        ("a.csv", "{n},{0} {n},{1} {n},12"),
        ("a.jsonl", '{{"x": "{0} {n}", "y": "{1} {n}"}}'),
    ],
)
def test_languages_are_told_by_frequent_words_and_that_is_said(name: str, line: str) -> None:
    for sides, languages in (((ENGLISH, FRENCH), ["en", "fr"]), ((FRENCH, ENGLISH), ["fr", "en"])):
        Path(name).write_text("".join(line.format(*sides, n=n) + "\n" for n in range(40)))
        text, splits = suggest_config([Path(name)], None)
        assert parse_config(text, where="a").data.languages == languages
        assert f"the languages are {languages[0]} and {languages[1]} by their words" in "\n".join(
            splits.warnings()
        )


@pytest.mark.parametrize(
    ("name", "first", "line", "languages"),
    [
        ("a.csv", "id,French,English\n", "{n},a{n},b{n}\n", ["fr", "en"]),
        ("a.tsv", "english\tfrench\tnote\n", "b{n}\ta{n}\tc{n}\n", ["en", "fr"]),
        ("a.dat", "english\tfrench\n", "b{n}\ta{n}\n", ["en", "fr"]),
        ("a.json", "[", '{{\n"fr": "a{n}", "en": "b{n}"}},\n', ["fr", "en"]),
        ("a.tmx", "<tmx>", TMX_LINE, ["en", "fr"]),
        ("a.jsonl", "", '{{"text_fr": "a{n}", "text_en": "b{n}", "n": "c{n}"}}\n', ["fr", "en"]),
    ],
)
def test_languages_are_told_by_the_names_of_columns(
    name: str, first: str, line: str, languages: list[str]
) -> None:
    lines = "".join(line.format(n=n) for n in range(40))
    Path(name).write_text(first + lines if first != "[" else f"[{lines[:-2]}]")
    text, splits = suggest_config([Path(name)], None)
    assert parse_config(text, where="a").data.languages == languages
    assert splits.corpora[0].report.kept == 40


def test_two_files_without_tabs_are_parallel_in_the_order_given() -> None:
    for names in (["x.txt", "y.txt"], ["train.source", "train.target"]):
        for name, letter in zip(names, "ab", strict=True):
            Path(name).write_text("".join(f"{letter}{n}\n" for n in range(40)))
        config = suggested([*map(Path, names)], ["en", "de"])
        assert [each.path for each in config.data.corpus] == [names]


def test_an_ending_with_capitals_is_a_language_too() -> None:
    Path("opus").mkdir()
    for ending, text in (("en", "a"), ("pt_BR", "b")):
        lines = "".join(f"{text}{n}\n" for n in range(40))
        Path(f"opus/train.{ending}").write_text(lines)
    assert suggested([Path("opus")], None).data.languages == ["en", "pt_BR"]


def test_two_json_files_that_name_languages_are_parallel() -> None:
    sides = [{f"k{n}": {"a": f"{word} {n}."} for n in range(200)} for word in ("Go", "Va")]
    for names in (
        ("en.json", "fr.json"),
        ("x/app-en.json", "x/app_fr.json"),
        ("en/a.json", "fr/a.json"),
    ):
        for name, texts in zip(names, sides, strict=True):
            Path(name).parent.mkdir(exist_ok=True)
            Path(name).write_text(json.dumps(texts))
        config = suggested([*map(Path, names)], None)
        assert config.data.corpus[0].path == [*names]
        assert config.data.languages == ["en", "fr"]


def test_files_of_several_folders_are_several_corpora() -> None:
    paths = [Path(folder, f"train.{code}") for folder in ("a", "b") for code in ("EN", "de")]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(f"{path} {n}\n" for n in range(40)))
    with pytest.raises(UserError, match="two corpora are called"):
        suggest_config(paths, ["en", "de"])
    config = suggested(paths[:2], ["en", "de"])
    assert [each.path for each in config.data.corpus] == [["a/train.EN", "a/train.de"]]
    with pytest.raises(UserError, match=r"b/train\.EN: b/train\.de is missing beside it"):
        suggest_config(paths[:3], ["en", "de"])


def test_columns_and_built_in_corpora_are_put_into_the_configuration() -> None:
    Path("a.csv").write_text("".join(f"{n},a{n},b{n},c{n}\n" for n in range(40)))
    text, _ = suggest_config([Path("a.csv")], ["en", "de"], [4, 2])
    assert parse_config(text, where="a").data.corpus[0].columns == [4, 2]
    config = suggested([Path("phrasebook")], None)
    assert config.data.corpus[0].path == ["phrasebook"]
    assert config.data.languages == ["en", "fr"]


def test_an_archive_with_sets_of_its_own_is_refused() -> None:
    with zipfile.ZipFile("all.zip", "w") as archive:
        for path in files("train.en", "train.ja", "test.en", "test.ja"):
            archive.write(path)
    with pytest.raises(UserError, match=r"all\.zip:test\.en: a set of its own; unpack"):
        suggest_config([Path("all.zip")], ["en", "ja"])


@pytest.mark.parametrize(
    ("names", "languages", "said"),
    [
        (["dev.en", "dev.fr"], None, "no file to train on"),
        (["pairs.tsv"], None, "give --languages, such as --languages en,de"),
        (["train.source", "train.target"], None, "give --languages, such as --languages en,de"),
        (["train.en", "train.fr", "dev.en"], None, "dev.en: dev.fr is missing beside it"),
        (
            ["train.en", "train.fr", "train.de"],
            None,
            "files of en, fr, de: name two by --languages",
        ),
        (["train.en"], None, "no pair in 40 lines, most often no tab; for parallel files set path"),
        (["a.source", "b.target", "c.xx"], ["en", "de"], "a.source: ends neither in .tsv"),
    ],
)
def test_files_that_cannot_be_told_apart_are_refused(
    names: list[str], languages: list[str] | None, said: str
) -> None:
    with pytest.raises(UserError) as raised:
        suggest_config(files(*names), languages)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
