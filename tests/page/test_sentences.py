"""The page's sentences against those that Python cuts with the help of a library."""

import random
from pathlib import Path

import pytest

from gru_mt.data.sentences import cut
from gru_mt.page.sentences import sentence_data
from tests.corpora import data_config, load_one
from tests.page.node import needs_node, run_node
from tests.page.texts import random_texts

pytestmark = needs_node

CUT = """
import { cut, sentenceRules } from "./sentences.js";
const rules = sentenceRules(data.rules);
result = data.lines.map((line) => cut(line, rules));
"""
LINES = {
    "en": [
        'He said "Go." Then left.', "I don't know... Maybe.", "At 5 p.m. We left, at 6 a.m. too.",
        "Hello (you!) there. Ok.", "A. Smith came. I am. No. 5 is. Yes! no. 'Go!' he said.",
        "Wait... what? yes.", "Mr. and Mrs. Smith came. Dr. No left.", "It is 3.14. Really? Yes.",
        "e.g. this. i.e. that. Etc. And so.", "U.S. forces. The U.K. left.", "What?! No!!",
        "1. Milk 2. Eggs 3. Bread", "a) one. b) two.", "“Go!” she said. “Stay.” He left. ", "",
        "Mail a.b@c.org. Then go.", "No.5 is it.I see.", "Hi.There", "A\ue010. \ue011 B.", " ",
    ],
    "fr": ["« Va ! » dit-il. « Non. » Oui.", "Il dit : « Va. » Puis rien.", "M. Roy, etc. Oui."],
    "de": ["Es ist der 5. Mai. Ja!", "Das ist z. B. gut. Dr. Müller kam. Er ging."],
    "es": ["¿Cómo estás? ¡Bien! Sr. López vino."],
    "ja": ["私は猫です。「はい。」と言った。そうですか？はい！"],
    "zh": ["你好。我很好！“真的吗？”他问。是的。"],
    "hi": ["यह अच्छा है। वह गया।"],
    "ar": ["مرحبا. كيف حالك؟ أنا بخير!"],
}  # fmt: skip
WORDS = ["He", "Mai", "no", "We", "they", "And", "so", "me"]


def cut_by_the_page(lines: list[str], language: str, words: list[str]) -> list[list[str]]:
    found: list[list[str]] = run_node(
        CUT, {"rules": sentence_data(language, words), "lines": lines}
    )
    return found


@pytest.mark.parametrize("language", LINES)
def test_lines_are_cut_where_python_cuts_them(language: str) -> None:
    lines = LINES[language]
    assert cut_by_the_page(lines, language, WORDS) == [cut(line, language) for line in lines]


def test_lines_of_the_corpus_are_cut_where_python_cuts_them(fra_eng_zip: Path) -> None:
    pairs = load_one(data_config(corpus=str(fra_eng_zip))).pairs[::7]
    rng = random.Random(1)
    for language, texts in (
        ("en", [pair.first for pair in pairs]),
        ("fr", [pair.second for pair in pairs]),
    ):
        words = [*{word for text in texts for word in text.split() if word.isalpha()}]
        joined = [" ".join(rng.choices(texts, k=rng.randint(2, 8))) for _ in range(3_000)]
        lines = texts[::3] + joined
        found = cut_by_the_page(lines, language, words)
        wrong = [row for row in zip(found, lines, strict=True) if row[0] != cut(row[1], language)]
        assert len(wrong) < 0.002 * len(lines), wrong


def test_nothing_is_lost_and_other_texts_are_cut_nearly_alike() -> None:
    texts = random_texts(4_000)
    found = cut_by_the_page(texts, "en", WORDS)
    assert ["".join(each) for each in found] == texts
    same = sum(each == cut(text, "en") for each, text in zip(found, texts, strict=True))
    assert same > 0.99 * len(texts)
