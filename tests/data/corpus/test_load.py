"""Files become clean, distinct pairs, and every dropped line is counted under its reason."""

import gzip
import hashlib
import io
import json
import random
import tracemalloc
import unicodedata
import zipfile
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import pytest
import zstandard

from gru_mt.data.corpus import fra_eng, text_stream
from gru_mt.data.corpus.builder import Corpus
from gru_mt.data.corpus.files import CorpusFile
from gru_mt.data.corpus.fra_eng import FRA_ENG_SHA256, TATOEBA_ATTRIBUTION
from gru_mt.data.corpus.load import PHRASEBOOK
from gru_mt.data.corpus.report import SAMPLE, DroppedLines, DropReason
from gru_mt.data.corpus.text_stream import open_text
from gru_mt.data.text.normalize import clean
from gru_mt.data.types import Pair
from gru_mt.errors import UserError
from tests.corpora import data_config, load_one

GO = b"Go.\tVa !\n"


def digest(*texts: bytes) -> str:
    """Return the digest of a file, or that of the digests of several."""
    each = [hashlib.sha256(text).hexdigest() for text in texts]
    return each[0] if len(each) == 1 else hashlib.sha256("\n".join(each).encode()).hexdigest()


def load(path: Path, data: bytes, **settings: object) -> Corpus:
    path.write_bytes(data)
    return load_one(data_config(str(path), **settings))


def refusal(path: Path) -> str:
    """Return the one line that refuses the corpus at `path`."""
    with pytest.raises(UserError) as raised:
        load_one(data_config(corpus=str(path)))
    message = str(raised.value)
    assert str(path) in message
    assert "\n" not in message
    return message


def zipped(*members: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return buffer.getvalue()


# Cleaning


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("Go.", "Go."),
        ("  Go \t now.  ", "Go now."),
        ("Où\u202f?", "Où ?"),
        ("«\u00a0Non\u202f\u00a0! »", "« Non ! »"),
        ("one\u2028two\x0bthree\x0cfour\x85five", "one two three four five"),
        (" \u00a0 ", ""),
    ],
)
def test_whitespace_becomes_single_spaces(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("cafe\u0301 E\u0302\u0301 \u1112\u1161\u11ab", "café \u1ebe \ud55c"),  # accents, Hangul
        ("か\u3099 \u0928\u093c \u212b \u0958", "\u304c \u0929 \u00c5 \u0915\u093c"),
        ("co\u00adop\u00ad. \ufeffa\u200bb\u2060c", "coop. abc"),
        ("e\u00ad\u0301 \u200b \u200b x", "é x"),
        ("\u200b\u2060", ""),
        ("می\u200cخواهم क्\u200dष 👩\u200d🔬 ❤\ufe0f", "می\u200cخواهم क्\u200dष 👩\u200d🔬 ❤\ufe0f"),
        ("Ｈｅｌｌｏ　１２３ Ｄｏｎ＇ｔ １，０００．５", "Hello 123 Don't 1,000.5"),
        ("ﬁne oﬀ eﬃcient ﬂuﬄy ﬅ ﬆ", "fine off efficient fluffly st st"),
        ("Ｅ\u0301 ａ\u00adｂ １\u200b．\u200b５", "É ab 1.5"),
        ("ＣＤは１０枚？ Ａ！Ｂ （ａ）", "CDは10枚？ A！B （a）"),  # marks of Japanese stay
        ("Ｈｅｌｌｏ！ Ｗｈｙ？ （ａ）， 네？ É：", "Hello! Why? (a), 네? É:"),
        ("\ue010 ½ Ⅳ ﾃﾞ ㎞", "\ue010 ½ Ⅳ ﾃﾞ ㎞"),  # more than another way to write it
    ],
)
def test_a_text_has_one_way_to_be_written_and_nothing_unseen(text: str, cleaned: str) -> None:
    assert clean(text) == clean(cleaned) == cleaned


def test_pairs_that_differ_in_what_is_unseen_are_the_same(tmp_path: Path) -> None:
    rows = ["Go.\tÉté", "Go\u00ad.\tE\u0301te\u0301", "\ufeffGo.\tÉ\u200btr\u00ade"]
    found = load(tmp_path / "c.tsv", "".join(f"{row}\n" for row in rows).encode())
    assert [*found.pairs] == [("Go.", "Été", 1), ("Go.", "Étre", 3)]
    assert found.report.dropped == {DropReason.DUPLICATE: DroppedLines(1, (2,), ("Go. | Été",))}


# Lines


def test_only_a_line_feed_ends_a_line_and_a_carriage_return_before_it_is_dropped(
    tmp_path: Path,
) -> None:
    data = "a\u2028b\tc\x0cd\r\ne\x85f\tg\x0bh\r\ni\rj\tk\x1el".encode()
    assert load(tmp_path / "c.txt", data).pairs == [
        Pair("a b", "c d", 1),
        Pair("e f", "g h", 2),
        Pair("i j", "k l", 3),
    ]


def test_a_byte_order_mark_is_removed_wherever_it_stands(tmp_path: Path) -> None:
    data = "\ufeffGo.\tVa !\n\ufeffRun.\tCours !\n".encode()
    assert [pair.first for pair in load(tmp_path / "c.txt", data).pairs] == ["Go.", "Run."]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"", DropReason.NO_TAB),
        (b"Go. Va !", DropReason.NO_TAB),
        (b"Go.\t", DropReason.EMPTY),
        ("\u00a0\tVa !".encode(), DropReason.EMPTY),
        (b"Go.\tVa !", DropReason.DUPLICATE),
        ("Go. \tVa\u202f!".encode(), DropReason.DUPLICATE),
        (b"1 2 3 4 5\tVa !", DropReason.TOO_LONG),
        (b"Go !\t1 2 3 4 5", DropReason.TOO_LONG),
        (b"Go\t1 2 3", DropReason.RATIO),
        (b"1 2 3\tVa", DropReason.RATIO),
        (b"Caf\xe9.\tCaf\xe9.", DropReason.NOT_UTF8),
        (b"Go.\tVa !\t\xff", DropReason.NOT_UTF8),
        (b"Go\x00.\tVa !", DropReason.CONTROL),
        ("Go.\tVa \u0080!".encode(), DropReason.CONTROL),
        (b"\x7f\tVa !", DropReason.CONTROL),
        (b"Go.\tVa !\tCC-BY\t", DropReason.COLUMNS),
    ],
)
def test_a_dropped_line_is_counted_with_its_reason_and_number(
    tmp_path: Path, line: bytes, reason: DropReason
) -> None:
    corpus = load(tmp_path / "c.txt", GO + line + b"\nRun.\tCours !", max_words=4, max_ratio=2.5)
    assert corpus.pairs == [Pair("Go.", "Va !", 1), Pair("Run.", "Cours !", 3)]
    assert (corpus.report.read, corpus.report.kept) == (3, 2)
    assert corpus.report.dropped == {reason: DroppedLines(1, (2,))}


def test_lengths_at_the_bounds_are_kept(tmp_path: Path) -> None:
    data = b"a b c d\te f\na b\tc d e f g\n"
    assert load(tmp_path / "c.txt", data, max_words=5, max_ratio=2.5).report.kept == 2


def test_a_script_without_spaces_is_counted_by_letters(tmp_path: Path) -> None:
    data = "Absolutely!\tおめでとうございます！\nI see.\t我明白了。\nNo.\t一二三四五六七八九十\n"
    report = load(tmp_path / "c.txt", data.encode(), max_words=10, max_ratio=9.5).report
    assert report.dropped == {DropReason.RATIO: DroppedLines(2, (1, 3))}
    assert load(tmp_path / "c.txt", data.encode(), max_words=9).report.kept == 1


def test_a_side_without_spaces_cannot_pass_the_bound_on_words(tmp_path: Path) -> None:
    data = b"x" * 100 + b"\ty\n" + b"x" * 101 + b"\ty\ny\t" + b"x" * 300_000 + b"\n"
    report = load(tmp_path / "c.txt", data, max_words=4).report
    assert report.dropped == {DropReason.TOO_LONG: DroppedLines(2, (2, 3))}


def test_a_duplicate_differs_in_nothing(tmp_path: Path) -> None:
    data = b"Go.\tVa !\nGo.\tAllez !\ngo.\tVa !\nVa !\tGo.\n"
    assert load(tmp_path / "c.txt", data).report.kept == 4


def test_the_report_gives_totals_then_reasons_the_most_frequent_first(tmp_path: Path) -> None:
    data = b"none\n" + GO * 5 + b"A\t\n" + "".join(f"{n}\tx\n" for n in range(1_230)).encode()
    report = load(tmp_path / "c.txt", data).report
    assert report.lines() == [
        "1,237 lines read, 1,231 kept",
        "duplicate: 4, first at lines 3, 4, 5",
        "no tab: 1, first at line 1",
        "empty side: 1, first at line 7",
    ]
    assert json.loads(json.dumps(asdict(report))) == {
        "read": 1_237,
        "kept": 1_231,
        "dropped": {
            "duplicate": {
                "count": 4,
                "first_lines": [3, 4, 5],
                "examples": ["Go. | Va !", "Go. | Va !", "Go. | Va !"],
            },
            "no tab": {"count": 1, "first_lines": [1], "examples": ["none"]},
            "empty side": {"count": 1, "first_lines": [7], "examples": ["A |"]},
        },
    }


def expected_reason(line: bytes, seen: set[tuple[str, ...]]) -> str | None:
    """Judge a line independently, character by character; add a kept pair to `seen`."""
    try:
        columns = line.decode().split("\t")
    except UnicodeDecodeError:
        return "not UTF-8"
    if not 2 <= len(columns) <= 3:
        return "no tab" if len(columns) == 1 else "more than three columns"
    spaced = [
        "".join(" " if c.isspace() else c for c in column if c != "\ufeff")
        for column in columns[:2]
    ]
    sides = tuple(" ".join(word for word in side.split(" ") if word) for side in spaced)
    if any(unicodedata.category(character) == "Cc" for side in sides for character in side):
        return "control characters"
    if "" in sides:
        return "empty side"
    lengths = [len(side.split(" ")) for side in sides]
    if max(lengths) > 4:
        return "too long"
    if max(lengths) / min(lengths) > 2:
        return "too long a ratio"
    if sides in seen:
        return "duplicate"
    seen.add(sides)
    return None


@pytest.mark.parametrize("seed", range(20))
def test_garbage_is_kept_or_counted_line_by_line(tmp_path: Path, seed: int) -> None:
    pieces = [b"\t", b"\t", b"\t", b"\n", b"\n", b"\r", b" ", b" ", b"a", b"b", b"\x00", b"\x0b"]
    pieces += [b"\xff", b"\xc3", "é\u2028\u202f\x85\x9f".encode(), b"\x1c", b"\xef\xbb\xbf"]
    rng = random.Random(seed)
    data = GO + b"".join(rng.choices(pieces, k=3_000))
    report = load(tmp_path / "c.txt", data, max_words=4, max_ratio=2).report

    lines = data.split(b"\n")
    lines = [line.removesuffix(b"\r") for line in (lines if lines[-1] else lines[:-1])]
    seen: set[tuple[str, ...]] = set()
    reasons = [expected_reason(line, seen) for line in lines]
    assert report.read == len(lines)
    assert report.kept + sum(dropped.count for dropped in report.dropped.values()) == report.read
    assert report.kept == reasons.count(None)
    assert {str(reason): dropped.count for reason, dropped in report.dropped.items()} == Counter(
        reason for reason in reasons if reason
    )
    for reason, dropped in report.dropped.items():
        numbers = [number for number, its in enumerate(reasons, start=1) if its == reason]
        assert dropped.first_lines == tuple(numbers[:3])


def test_pairs_are_ordered_by_first_then_second_side() -> None:
    assert min(Pair("b", "a", 1), Pair("a", "z", 2), Pair("a", "b", 3)) == Pair("a", "b", 3)


# Files


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("c.txt", GO),
        ("c.tsv", GO),
        ("c.txt.gz", gzip.compress(GO, mtime=0)),
        ("C.GZ", gzip.compress(GO, mtime=0)),
        ("c.zip", zipped(("fra.txt", GO))),
        ("fra.zip", zipped(("fra-eng/_about.txt", b"..."), ("fra-eng/fra.txt", GO))),
        ("mac.zip", zipped(("a/p.tsv", GO), ("a/p.csv", b""), ("__MACOSX/a/._p.tsv", b"\0"))),
        ("lzma.zip", zipped(("fra.txt", GO), method=zipfile.ZIP_LZMA)),
    ],
)
def test_a_corpus_is_read_plain_or_packed(tmp_path: Path, name: str, data: bytes) -> None:
    corpus = load(tmp_path / name, data)
    assert corpus.pairs == [Pair("Go.", "Va !", 1)]
    assert corpus.sha256 == (digest(b"", GO) if name == "mac.zip" else digest(GO))
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_zip_member_that_points_outside_writes_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    assert load(folder / "c.zip", zipped(("../../outside.txt", GO))).report.kept == 1
    assert [path.name for path in tmp_path.rglob("*")] == ["folder", "c.zip"]


@pytest.mark.parametrize(
    ("members", "found"),
    [
        ([], "nothing"),
        ([("_about.txt", GO), ("x.json", b"")], "'_about.txt', 'x.json'"),
        ([(f"{n}.bin", GO) for n in range(9)], "'0.bin', '1.bin', '2.bin', '3.bin', '4.bin', ..."),
    ],
)
def test_a_zip_without_a_corpus_is_refused_by_its_names(
    tmp_path: Path, members: list[tuple[str, bytes]], found: str
) -> None:
    (tmp_path / "c.zip").write_bytes(zipped(*members))
    assert refusal(tmp_path / "c.zip").endswith(
        "no corpus in it: expected tables (.tsv, .txt, .csv, .tmx, .jsonl, .ndjson, .parquet) or "
        f"files that end in .en and .fr, found {found}"
    )


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA])
def test_a_damaged_zip_is_refused_in_one_line_or_read(tmp_path: Path, method: int) -> None:
    path = tmp_path / "c.zip"
    whole = zipped(("fra.txt", GO * 50), method=method)
    rng = random.Random(method)
    for _ in range(300):
        damaged = bytearray(whole)
        damaged[rng.randrange(len(whole))] = rng.randrange(256)
        path.write_bytes(damaged)
        try:
            assert load_one(data_config(corpus=str(path))).report.read > 0
        except UserError:
            refusal(path)


@pytest.mark.parametrize("packed", [zipped(("c.txt", GO * 9)), gzip.compress(GO * 9, mtime=0)])
def test_a_cut_off_download_is_refused_wherever_it_ends(tmp_path: Path, packed: bytes) -> None:
    path = tmp_path / ("c.zip" if packed.startswith(b"PK") else "c.gz")
    for size in range(1, len(packed)):
        path.write_bytes(packed[:size])
        assert "delete it and fetch it again" in refusal(path)


def test_a_zip_with_a_name_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.zip"
    path.write_bytes(zipped(("é.txt", GO)).replace("é".encode(), b"\xff\xff"))
    assert "damaged" in refusal(path)


def test_a_zip_with_a_password_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "c.zip"
    data = bytearray(zipped(("c.txt", GO)))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + offset] |= 1  # the flag for encryption
    path.write_bytes(data)
    assert "password" in refusal(path)


@pytest.mark.parametrize("name", ["c.tsv", "c.zip", "c.gz"])
def test_a_line_too_long_for_a_sentence_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """What is packed may unpack to a line that no memory has room for."""
    monkeypatch.setattr(text_stream, "MAX_LINE_BYTES", len(GO))
    path = tmp_path / name

    def write(text: bytes) -> None:
        packed = {"c.tsv": text, "c.gz": gzip.compress(text), "c.zip": zipped(("c.txt", text))}
        path.write_bytes(packed[name])

    write(GO * 3)
    assert load_one(data_config(corpus=str(path))).report.read == 3
    write(GO * 2 + b" " + GO)
    assert "line 3 has more than 9 bytes" in refusal(path)


def test_a_file_is_read_piece_by_piece(tmp_path: Path) -> None:
    """Memory holds no more than a piece of it, and its digest is that of the whole."""
    text = b"".join(b"sentence %d\tphrase %d\n" % (n, n) for n in range(400_000))
    (tmp_path / "c.tsv.gz").write_bytes(gzip.compress(text, 1))
    tracemalloc.start()
    with open_text(CorpusFile(tmp_path / "c.tsv.gz")) as stream:
        assert sum(1 for _ in stream.lines()) == 400_000
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < len(text) / 2
    assert stream.sha256 == digest(text)
    assert stream.sample == text[:SAMPLE]


def test_damage_in_the_middle_of_a_file_names_it(tmp_path: Path) -> None:
    packed = gzip.compress(b"".join(b"%d\t%d\n" % (n, n * n) for n in range(400_000)))
    path = tmp_path / "c.gz"
    path.write_bytes(packed[: len(packed) // 2])
    assert f"{path}: damaged, or not of the kind its name says" in refusal(path)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b"\n", "1 of 1 lines dropped; most often no tab: 1, first at line 1"),
        (b"a\t\nb\nc\t\n", "3 of 3 lines dropped; most often empty side: 2, first at lines 1, 3"),
    ],
)
def test_a_corpus_that_ends_empty_is_refused_with_the_main_reason(
    tmp_path: Path, data: bytes, said: str
) -> None:
    (tmp_path / "c.txt").write_bytes(data)
    assert said in refusal(tmp_path / "c.txt")


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    assert refusal(Path("fra-egn")) == (
        f"fra-egn: no such file in {Path.cwd()}, nor a corpus (fra-eng or phrasebook); "
        "did you mean fra-eng?"
    )
    assert "did you mean" not in refusal(Path("europarl"))


# Parallel files


@pytest.mark.parametrize(
    ("languages", "source"), [(["en", "fr"], "en"), (["en", "fr"], "fr"), (["fr", "en"], "fr")]
)
def test_parallel_files_are_in_the_order_of_the_languages(
    tmp_path: Path, languages: list[str], source: str
) -> None:
    text = {"en": b"\xef\xbb\xbfGo.\r\nA\ttab.", "fr": b"Va !\nUne tabulation.\n"}
    paths = {"en": str(tmp_path / "c.en"), "fr": str(tmp_path / "c.fr.gz")}
    Path(paths["en"]).write_bytes(text["en"])
    Path(paths["fr"]).write_bytes(gzip.compress(text["fr"]))
    target = "fr" if source == "en" else "en"
    corpus = load_one(
        data_config(
            {"path": [paths[language] for language in languages]},
            languages=languages,
            source=source,
            target=target,
        )
    )
    sides = {"en": ["Go.", "A tab."], "fr": ["Va !", "Une tabulation."]}
    first, second = (sides[language] for language in languages)
    assert corpus.pairs == [Pair(first[0], second[0], 1), Pair(first[1], second[1], 2)]
    both = [text[language] for language in languages]
    assert corpus.sha256 == digest(*both)


def test_blank_and_broken_lines_of_parallel_files_shift_nothing(tmp_path: Path) -> None:
    (tmp_path / "en").write_bytes(b"one\n\nthree\nf\xff\nfive\n")
    (tmp_path / "fr").write_bytes(b"un\ndeux\n\nquatre\ncinq\n")
    files = {"path": [str(tmp_path / "en"), str(tmp_path / "fr")]}
    corpus = load_one(data_config(corpus=files))
    assert corpus.pairs == [Pair("one", "un", 1), Pair("five", "cinq", 5)]
    assert corpus.report.dropped == {
        DropReason.EMPTY: DroppedLines(2, (2, 3)),
        DropReason.NOT_UTF8: DroppedLines(1, (4,)),
    }


def test_parallel_files_of_unequal_length_are_refused_with_both_counts(tmp_path: Path) -> None:
    (tmp_path / "en").write_bytes(b"one\ntwo\nthree")
    (tmp_path / "fr").write_bytes(b"un\ndeux\n")
    files = {"path": [str(tmp_path / "en"), str(tmp_path / "fr")]}
    with pytest.raises(UserError, match=r"en and .*fr: 3 and 2 lines"):
        load_one(data_config(corpus=files))


# Built-in corpora, and what must be said with the data


def test_the_phrasebook_is_in_the_package() -> None:
    corpus = load_one(data_config(corpus="phrasebook"))
    assert [(pair.first, pair.second) for pair in corpus.pairs] == [
        tuple(map(clean, line.split("\t")))
        for line in zstandard.decompress(PHRASEBOOK.read_bytes()).decode().splitlines()
    ]
    assert len(corpus.pairs) == 26_000
    assert corpus.report.dropped == {}
    assert corpus.attribution == ""


@pytest.mark.parametrize("name", ["fra-eng", "phrasebook"])
def test_a_built_in_corpus_cannot_have_its_sides_renamed(name: str) -> None:
    with pytest.raises(UserError, match=rf"data\.languages must be \[en, fr\] for {name}"):
        load_one(data_config(corpus=name, languages=["fr", "en"]))


def test_the_real_corpus_loses_its_duplicates_and_nothing_else(
    fra_eng_zip: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fra_eng, "find_or_fetch", lambda: fra_eng_zip)
    corpus = load_one(data_config(corpus="fra-eng"))
    with zipfile.ZipFile(fra_eng_zip) as archive:  # the same, by brute force
        text = archive.read("fra-eng/fra.txt").decode()
    first_seen: dict[tuple[str, ...], int] = {}
    assert text == unicodedata.normalize("NFC", text)
    for unseen in "\u00ad\u200b":  # in four lines
        text = text.replace(unseen, "")
    for number, line in enumerate(text.split("\n")[:-1], start=1):
        first_seen.setdefault(tuple(" ".join(side.split()) for side in line.split("\t")), number)
    assert corpus.pairs == [(*sides, number) for sides, number in first_seen.items()]
    assert corpus.report.lines()[0] == "167,130 lines read, 166,979 kept"
    assert corpus.report.dropped[DropReason.DUPLICATE].count == 151
    assert corpus.sha256 == FRA_ENG_SHA256
    assert corpus.attribution == TATOEBA_ATTRIBUTION
    assert corpus.warnings == ()
    assert load_one(data_config(corpus=str(fra_eng_zip))).pairs == corpus.pairs


def test_another_fra_eng_is_read_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "fra-eng.zip"
    path.write_bytes(zipped(("fra.txt", GO)))
    monkeypatch.setattr(fra_eng, "find_or_fetch", lambda: path)
    corpus = load_one(data_config(corpus="fra-eng"))
    [warning] = corpus.warnings
    assert "scores are not comparable with the published ones" in warning
    assert corpus.attribution == TATOEBA_ATTRIBUTION


@pytest.mark.parametrize(
    ("third", "attribution"),
    [
        ([b"", b" "], ""),
        ([b"CC-BY 2.0 (France) Attribution: tatoeba.org #1 (CM) & #2 (W)", b""], "TATOEBA"),
        ([b"me", b"you"], "pairs that name their own source in column 3 of FILE: 2"),
        (
            [b"tatoeba.org", b"me"],
            "TATOEBA; pairs that name their own source in column 3 of FILE: 1",
        ),
    ],
)
def test_the_third_column_is_kept_as_attribution(
    tmp_path: Path, third: list[bytes], attribution: str
) -> None:
    data = b"Go.\tVa !\t%b\nRun.\tCours !\t%b\n" % (third[0], third[1])
    corpus = load(tmp_path / "c.tsv", data)
    assert [pair[:2] for pair in corpus.pairs] == [("Go.", "Va !"), ("Run.", "Cours !")]
    expected = attribution.replace("TATOEBA", TATOEBA_ATTRIBUTION)
    assert corpus.attribution == expected.replace("FILE", str(tmp_path / "c.tsv"))
    assert corpus.warnings == ()
