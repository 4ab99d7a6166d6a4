"""Subtitles: cues and times stay, and sentences over lines and cues are translated as one."""

import random
import re

import pytest

from gru_mt.documents.registry import read_document
from tests.documents.translators import capitals, translated

TIMES = "00:00:0{},000 --> 00:00:0{},500 X1:1"
MARKUP = r"<[^<>]*>|\{\\[^{}]*\}"


def srt(*cues: str) -> str:
    return "".join(f"{n}\n{TIMES.format(n, n)}\n{cue}\n\n" for n, cue in enumerate(cues, start=1))


CUES = srt(
    "- Hi, Tom.\n- Who <i>is</i> it?",
    "<i>It rained</i>",
    "<i>when I saw\nyou,</i>",
    r"{\an8}and I left." + "\n[sighs]\nMr.\nSmith!",
    "12",
    "Une île\n<b>là</b>",
    "♪ La la ♪\n♪ Lo lo ♪",
)
VTT = """WEBVTT - a title

NOTE no text
here

STYLE
::cue(b) { color: red }

intro
00:01.000 --> 00:02.000 align:start
<v Bob>He goes
<v Mary>I &amp; you

00:03.000 --> 00:04.000
<c.red>one</c> <00:03.500>two
"""


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("text", "name"), [(CUES, "a.srt"), (VTT, "a.vtt"), ("", "a.vtt")])
def test_what_does_not_change_is_the_same_byte_for_byte(text: str, name: str, ending: str) -> None:
    for whole in (text, text.rstrip(), f"{text}\n\n", f"\ufeff{text}"):
        data = whole.replace("\n", ending).encode()
        assert translated(data, name) == data
        changed = translated(data, name, capitals).decode()
        assert changed.casefold() == whole.replace("\n", ending).casefold()
        kept = [line for line in text.splitlines() if re.match("NOTE|STYLE|::|.*-->", line)]
        assert all(line in re.split(r"\r\n|\r|\n", changed) for line in kept)


def test_a_text_is_a_sentence_over_lines_and_cues_or_what_one_person_says() -> None:
    assert read_document(CUES.encode(), "a.srt").texts == [
        "- Hi, Tom.", "- Who <g1>is</g1> it?",
        "It rained when I saw you, and I left.",
        "[sighs]", "Mr. Smith!", "Une île là", "♪ La la ♪", "♪ Lo lo ♪",
    ]  # fmt: skip
    endless = read_document(srt(*["aa"] * 9).encode(), "a.srt").texts
    assert endless == ["aa aa aa aa aa aa aa aa", "aa"], "captions that a program made"
    assert read_document(VTT.encode(), "a.vtt").texts == [
        "He goes", "I &amp; you", "<g1>one</g1> <x2/>two"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("cues", "translation", "expected"),
    [
        # Of 15 characters 5 and 10: the cut nearest to a third.
        (["abcde", "fghijklmno"], "aa bb cc dd ee", ["aa bb", "cc dd ee"]),
        (["<i>ab</i>\n<i>cd</i>"], "aa bb", ["<i>aa</i>\n<i>bb</i>"]),
        (["ab\ncd"], "aa !", ["aa !"]),
        (["ab", "cd"], "aa", ["aa", "..."]),
        (["ab...", "...cd"], "aa bb.", ["aa...", "...bb."]),
        (["Ab..."], "aa.", ["aa..."]),
        (["ab\ncd"], "我明白了。", ["我明\n白了。"]),
        # Half of 24 characters is within the tag, where no line may end.
        (["<c.a b c d>a</c> b\ncccccccccc"], "x <g1>y</g1> z", ["x <c.a b c d>y</c>\nz"]),
        (["a <00:03.500>b"], "b", ["b<00:03.500>"]),  # no mark is lost
    ],
)
def test_a_translation_is_cut_in_proportion(
    cues: list[str], translation: str, expected: list[str]
) -> None:
    new = translated(srt(*cues), "a.srt", lambda text: translation)
    assert new.decode() == srt(*expected)


def numbered(text: str) -> str:
    """Return "n </i> <i>": a word, and what stands in < > or { }, in another order."""
    return " ".join(["n", *re.findall(r"<[^<>]*>|\{[^{}]*\}", text)[::-1]])


def test_whatever_is_said_no_cue_is_lost_or_won() -> None:
    rng = random.Random(1)
    words = ["Tom", "I", "went", "there.", "<i>", "</i>", r"{\i1}", "-", "♪", ",", "[x]", "我是"]
    words.append("\n")
    for _ in range(100):
        cues = [" ".join(rng.choices(words, k=rng.randint(1, 9))) for _ in range(5)]
        cues = [re.sub(r"\s*\n\s*", "\n", f"a {cue} b") for cue in cues]
        text = srt(*cues)
        new = translated(text, "a.srt", numbered).decode()
        assert re.findall(".*-->.*", new) == re.findall(".*-->.*", text)
        blocks = new.strip().split("\n\n")
        assert len(blocks) == 5
        for block, cue in zip(blocks, cues, strict=True):
            assert sorted(re.findall(MARKUP, block)) == sorted(re.findall(MARKUP, cue))
            assert all(block.splitlines())
