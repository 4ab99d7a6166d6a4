"""A line is cut into sentences, and nothing of it is lost."""

import random
import subprocess
import sys

import pytest

from gru_mt.data.sentences import cut


@pytest.mark.parametrize(
    ("language", "line"),  # | where it is cut
    [
        ("en", "Hi!|How are you?"),
        ("English", "I see. |You see? |Yes!"),
        ("en-GB", "Mr. Smith left at 5 p.m. sharp. |J. K. Rowling wrote, e.g. this."),
        ("en", "Wait... what? |Well... |He left."),
        ("en", "i went home; then i slept. |how are you"),
        ("en", "I SEE. |GO HOME! |YES"),
        ("en", 'He said "Go. Now." |Then he left. |“Hi. You.”'),
        ("en", "  Hi.  |You.  "),
        ("en", "- milk - eggs"),
        ("en", "• Buy milk. |• Call Tom."),
        ("en", "* x"),
        ("en", "See \ue010. |\ue011 is it. |\ue012 Yes. \ue013"),
        ("en", "\ue010 \ue011"),
        ("fr", "M. Dupont est là. |Il va bien ! |Mme. Martin aussi."),
        ("fr", "M.\u00a0Dupont\u202f? |Oui..."),
        ("fra", "Qu'as-tu ? |« Oui. » dit-il."),
        ("German", "Dr. Müller kommt am 3. Mai. |Das ist z. B. gut."),
        ("es", "¿Cómo estás? |¡Bien! |Sr. Pérez vino."),
        ("ru", "Привет! |Как дела? |А. С. Пушкин писал."),
        ("zh_Hans", "你好。|你好吗？|很好！"),
        ("Japanese", "はい。|そう？|「そう。」"),
        ("ar", "كيف حالك؟ |أنا بخير."),
        ("hi", "मैं घर जा रहा हूँ। |तुम?"),
        ("hy", "Ես գնում եմ։ |Դու՞։"),
        ("xx", "Go on. |Stop it."),
        ("", "Go on. |Stop it."),
    ],
)
def test_a_line_is_cut_between_its_sentences(language: str, line: str) -> None:
    assert cut(line.replace("|", ""), language) == line.split("|")


@pytest.mark.parametrize(
    "line",
    [
        "1. Buy milk |2. Call Tom",
        "1. Buy milk. |2. Call Tom.",
        "9. buy milk |10. call tom |11. go",
        "(a) Buy milk. |(b) Call Tom.",
        "a. Buy milk.",
        "I am 5. |You are 6. |He is 7.",  # no list
        "1. Milk: 4. |2. Eggs",  # 4 is not the next number
        "Buy milk. 2.",
        "How much? 100%. |Ok.",
        "Really? !? |Ok.",
        "1.",
        "- ",
        "...",
        "   ",
    ],
)
def test_a_list_marker_goes_with_what_it_marks(line: str) -> None:
    assert cut(line.replace("|", ""), "en") == line.split("|")


def test_a_text_without_a_seam_stays_one() -> None:
    assert cut("", "en") == []
    text = "and so on " * 20_000
    assert cut(text, "en") == [text]


@pytest.mark.parametrize("language", ["en", "fr", "de", "zh", "hi", "am", "English", "xx"])
def test_nothing_of_any_text_is_lost(language: str) -> None:
    rng = random.Random(language)
    pieces = [
        *"aZéÀ019 .!?…。؟।։'\"“”«»()[]-•*;:,\n\t\r\0\x0b\x1c\x85\u00a0\u2028\u3000",
        *"\u200b\ud800\udc00\ue010\ue017👍ा",
        *("Mr.", "e.g. ", "J. ", "1. ", " 2. ", ". ", " A", "..."),
    ]  # fmt: skip
    for _ in range(2_000):
        text = "".join(rng.choices(pieces, k=rng.randrange(30)))
        sentences = cut(text, language)
        assert "".join(sentences) == text
        assert "" not in sentences
        assert len(sentences) < 2 or all(map(str.strip, sentences)), ascii(sentences)


def test_the_library_loads_with_the_first_line() -> None:
    code = "import sys, gru_mt.data.sentences; print('sentencex' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.strip() == "False"
