"""Files become clean, distinct pairs, and every dropped line is counted under its reason."""

import hashlib
from pathlib import Path

import pytest
import zstandard

from gru_mt.data.corpus import fra_eng
from gru_mt.data.corpus.fra_eng import TATOEBA_ATTRIBUTION
from gru_mt.data.corpus.load import PHRASEBOOK, load_corpora
from gru_mt.data.corpus.report import DropReason
from gru_mt.data.types import Pair
from gru_mt.errors import UserError
from tests.corpora import data_config, dropped, load, pairs, refusal, write, zipped

MONOLINGUAL = {"back_translate": "runs/back"}


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("c.txt", b"", "is empty"),
        ("c.txt", b"a\t\nb\nc\t\n", "3 of 3 lines dropped; most often empty side: 2, first at lin"),
        ("c.tsv", b"en\tfr\n", "1 of 1 lines dropped; most often header"),
        ("c.tsv", "l'été\tl'hôtel\n".encode("latin-1"), "looks like Latin-1: save it as UTF-8, or"),
        ("c.tsv", "a\t“été”\n".encode("cp1252"), "in a configuration set encoding: cp1252"),
        ("c.txt", b'Go.,Va !\n"Yes, no.",Oui.\n', "looks like CSV: name it .csv"),
        ("c.txt", b"Go.\nYes, we can.\nNo.\n", "for parallel files set path: [FILE, FILE]"),
        ("c.tsv", b"1\tGo.\tVa !\tx\n", "set columns to those of en and fr, counted"),
        ("c.tsv", b"Go.\tGo.\nNo.\tNo.\n", "2 of 2 pairs have the same text on both sides"),
    ],
)
def test_what_is_wrong_with_most_lines_is_told_with_the_fix(
    name: str, data: bytes, message: str
) -> None:
    write({name: data})
    assert message in refusal(name, allow_dropped=0.2)


def test_more_than_a_fifth_dropped_needs_a_word_but_headers_and_blank_lines_are_no_loss() -> None:
    write({"c.tsv": "a\tA\nb\tB\nc\tC\nnone\n", "d.tsv": "en\tfr\n\na\tA\n \n"})
    message = refusal("c.tsv", allow_dropped=0.2)
    assert "1 of 4 lines dropped; most often no tab: 1, first at line 4; " in message
    assert message.endswith("to go on without them set data.allow_dropped to 0.250 or more")
    assert load("c.tsv", allow_dropped=0.25).report.kept == 3
    assert load("d.tsv", allow_dropped=0.2).report.kept == 1
    write({"e.tsv": "".join(f"a{n}\tA\n" for n in range(71)) + "none\n" * 29})
    assert load("e.tsv", allow_dropped=0.29).report.kept == 71, "though 0.29 * 100 < 29"


def test_an_encoding_is_guessed_by_the_languages() -> None:
    japanese, simple, older = "ここは日本です。", "他是中国人。", "這是一句中文。"
    for language, text, encoding in (
        ("ja", japanese, "shift_jis"), ("ja", japanese, "euc-jp"),
        ("zh", simple, "gb18030"), ("zh", older, "big5"),
    ):  # fmt: skip
        settings = {"languages": ["en", language], "source": "en", "target": language}
        write({"c.tsv": f"a\t{text}\nb\t{text}\n".encode(encoding)})
        assert f"set encoding: {encoding}" in refusal("c.tsv", **settings)
        write({"c.en": "a b\n" * 30_000, f"c.{language}": f"{text}\n".encode(encoding) * 30_000})
        assert f"set encoding: {encoding}" in refusal(
            {"path": ["c.en", f"c.{language}"]}, **settings
        )


@pytest.mark.parametrize(("source", "target"), [("en", "fr"), ("fr", "en")])
def test_parallel_files_are_in_the_order_of_the_languages(source: str, target: str) -> None:
    texts = b"\xef\xbb\xbfGo.\r\nA\ttab.", b"Va !\nUne tabulation.\n"
    write({"c.en": texts[0], "c.zip": zipped(("c", texts[1]))})
    corpus = load({"path": ["c.en", "c.zip"]}, source=source, target=target)
    assert corpus.pairs == [Pair("Go.", "Va !", 1), Pair("A tab.", "Une tabulation.", 2)]
    digests = (hashlib.sha256(text).hexdigest() for text in texts)
    assert corpus.sha256 == hashlib.sha256("\n".join(digests).encode()).hexdigest()


def test_blank_and_broken_lines_of_parallel_files_shift_nothing() -> None:
    write({"en": b"one\n\nthree\nf\xff\nfive\n", "fr": b"un\ndeux\n\nquatre\ncinq\n"})
    assert load({"path": ["en", "fr"]}).pairs == [Pair("one", "un", 1), Pair("five", "cinq", 5)]
    assert dropped({"path": ["en", "fr"]}) == {DropReason.EMPTY: (2, 3), DropReason.NOT_UTF8: (4,)}
    write({"en": "English\none\n", "fr": "French\nun\n"})
    assert dropped({"path": ["en", "fr"]}) == {DropReason.HEADER: (1,)}
    write({"en": "one\ntwo\nthree", "fr": "un\ndeux\n"})
    assert refusal({"path": ["en", "fr"]}).startswith("en and fr: 3 and 2 lines; ")
    assert refusal({"path": ["fr", "en"]}).startswith("fr and en: 2 and 3 lines; ")


def test_each_line_of_a_monolingual_corpus_is_a_text_or_counted() -> None:
    write({"a.fr": b"Oui .\r\n\n Non !\nOui .\nun\tdeux\n\xff\n!!!"})
    corpus = {"path": "a.fr", "side": "target"}
    assert pairs(corpus, **MONOLINGUAL) == [("", "Oui ."), ("", "Non !"), ("", "!!!")]
    assert dropped(corpus, **MONOLINGUAL) == {
        DropReason.BLANK: (2,), DropReason.DUPLICATE: (4,), DropReason.SEVERAL_COLUMNS: (5,),
        DropReason.NOT_UTF8: (6,),
    }  # fmt: skip
    assert pairs(corpus, source="fr", target="en", **MONOLINGUAL)[0] == ("Oui .", "")


def test_a_column_of_a_table_can_be_monolingual() -> None:
    def mono(path: str, **keys: object) -> dict[str, object]:
        return {"path": path, "side": "target", **keys}

    write({"a.tsv": "x\tOui.\ny\tNon.\n", "a.csv": 'x,Oui.\ny,"Non."\n', "a.tmx": "<tmx/>\n"})
    for path in ("a.tsv", "a.csv"):
        assert pairs(mono(path, columns=[2]), **MONOLINGUAL) == [("", "Oui."), ("", "Non.")]
        assert "too few columns" in refusal(mono(path, columns=[3]), **MONOLINGUAL)
    assert "set columns to the one of data.target, such as" in refusal(mono("a.tsv"), **MONOLINGUAL)
    both = "a.tmx: a translation memory has both sides; leave out side"
    assert both in refusal(mono("a.tmx"), **MONOLINGUAL)
    write({"b.csv": "id,fr,en\n1,Va !,Go.\n"})
    assert pairs(mono("b.csv"), **MONOLINGUAL) == [("", "Va !")]
    write({"c.csv": 'Un, deux.\n"Trois.\nQuatre."\nIl dit "cinq".\n'})  # no record of two lines
    found = [second for _, second in pairs(mono("c.csv"), **MONOLINGUAL)]
    assert found == ["Un, deux.", 'Quatre."', 'Il dit "cinq".']


def test_a_name_of_a_corpus_is_known_and_its_own() -> None:
    assert refusal("fra-egn") == (
        f"fra-egn: no such file in {Path.cwd()}, nor a corpus (fra-eng or phrasebook); "
        "did you mean fra-eng?"
    )
    write({"x/c.tsv": "a\tA\n", "y/c.tsv": "a\tA\n"})
    with pytest.raises(UserError, match=r"data\.corpus: two corpora are called 'c'; give each a"):
        load_corpora(data_config(["x/c.tsv", "y/c.tsv"]))


def test_a_built_in_corpus_is_english_and_french(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = load("phrasebook")
    text = zstandard.decompress(PHRASEBOOK.read_bytes()).decode()
    assert len(corpus.pairs) == 26_000 == text.count("\n")
    assert text.startswith("\t".join(corpus.pairs[0][:2]))
    assert (corpus.report.dropped, corpus.attribution) == ({}, "")
    for name in ("fra-eng", "phrasebook"):
        message = refusal(name, languages=["fr", "en"], source="fr", target="en")
        assert f"data.languages must be [en, fr] for {name}" in message
    write({"fra-eng.zip": zipped(("fra.txt", b"Go.\tVa !\n"), ("_about.txt", b"..."))})
    monkeypatch.setattr(fra_eng, "find_or_fetch", lambda: Path("fra-eng.zip"))
    other = load("fra-eng")
    assert "scores are not comparable with the published ones" in other.warnings[0]
    assert other.attribution == TATOEBA_ATTRIBUTION


@pytest.mark.parametrize(
    ("third", "attribution"),
    [
        (["", " "], ""),
        (["CC-BY 2.0 (France) Attribution: tatoeba.org #1 (CM) & #2 (W)", ""], TATOEBA_ATTRIBUTION),
        (["tatoeba.org", "me"],
         f"{TATOEBA_ATTRIBUTION}; pairs that name their own source in column 3 of c.tsv: 1"),
    ],
)  # fmt: skip
def test_the_third_column_is_kept_as_attribution(third: list[str], attribution: str) -> None:
    write({"c.tsv": f"Go.\tVa !\t{third[0]}\nRun.\tCours !\t{third[1]}\n"})
    corpus = load("c.tsv")
    assert [pair[:2] for pair in corpus.pairs] == [("Go.", "Va !"), ("Run.", "Cours !")]
    assert (corpus.attribution, corpus.warnings) == (attribution, ())


def test_a_third_language_is_noticed() -> None:
    write({"c.tsv": "".join(f"a{n}\tb{n}\tc c{n}\n" for n in range(50))})
    message = refusal("c.tsv", allow_dropped=0.2)
    assert "column 3 is no attribution" in message
    assert "set columns to those of en and fr, such as --columns 1,2 of gru-mt init" in message
    assert pairs({"path": "c.tsv", "columns": [2, 3]})[0] == ("b0", "c c0")
