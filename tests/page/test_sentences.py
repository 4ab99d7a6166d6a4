"""The page's sentences against those that Python cuts with the help of a library."""

import random
from pathlib import Path

import pytest

from gru_mt.data.text.sentences import split_sentences
from gru_mt.page.sentences import sentence_data
from tests.corpora import data_config, load_one
from tests.page.node import needs_node, run_node
from tests.page.texts import random_texts

pytestmark = needs_node

CUT = """
import { sentenceRules } from "./boundaries.js";
import { splitSentences } from "./sentences.js";
const rules = sentenceRules(data.rules);
result = data.lines.map((line) => splitSentences(line, rules));
"""
LINES = {
    "en": [
        'He said "Go." Then left.', "I don't know... Maybe.", "At 5 p.m. We left, at 6 a.m. too.",
        "Hello (you!) there. Ok.", "A. Smith came. I am. No. 5 is. Yes! no. 'Go!' he said.",
        "Wait... what? yes.", "Mr. and Mrs. Smith came. Dr. No left.", "It is 3.14. Really? Yes.",
        "e.g. this. i.e. that. Etc. And so.", "U.S. forces. The U.K. left.", "What?! No!!",
        "1. Milk 2. Eggs 3. Bread", "a) one. b) two.", "“Go!” she said. “Stay.” He left. ", "",
        "Mail a.b@c.org. Then go.", "No.5 is it.I see.", "Hi.There", "A\ue010. \ue011 B.", " ",
        "Ah ! oh. Well ! ! Then . . . Who ? . . . me", "Wait... I see. So... We go.",
        "It is 6 ft. Tom is tall. It is 6 ft. 2 in. Tom",
        "We left at 5 p.m. Tom too. Go, Yahoo! Tom",
        "J. R. Tolkien wrote. John F. Kennedy. Plan B. Tom",
        "7.Bg5 wins. 7.Bg loses. So[1] it. Is.[2] Is",
        "a) Go. Now b) Come. Now c) Stay", "(1) Go. Now", "• Go. Now • Come", "i) Go ii) Come",
        "(a) x. Y",
        'He said "Go. Now. Tom" and. " Tom', "He' s. Tom'. ' Tom ' Go. Now ' to me. Tom.'' . So",
        'Tom" zz. "He". So', 'Tom "is (so. Aa" bb). He',
        "OK. He left. etc. He left. w.e.f. He. e. He.",
        "It. , Tom. ' , Tom. So", "He «said. So» it. He ‹said. So.› it. He „said. So.“ It is.",
        "We saw BBC 5 p.m. Tom left.", "So at 5 p.m. Tom left.", "Who? . . . me",
        'At 5 p.m. Tom left. So at "x" 5 p.m. Tom left.',
        'He said "Go." - then left. So', "Come in. 6 men came.", "Tom said ' Go. Now ' to me. So",
        "The Toms' is. ' So", "Go 1. Milk. So 2. Eggs. So", "Tom (a) is. So (b) is. So",
        "a) b) Go 1) Tom 2) So", "He can't but doesn't. ' So", "'Tom is. So ' he. It' is. So",
        'Tom "is. So (it" is). He',
        "I use .NET and ASP.NET. It is. Vol. 2, Lvl. 5, TV. 5, no. 5, No. now.",
        "vol. V, vol. I, ch. II, ch. IIb, no. $5, no. -$5, no. -$-5, rm. (\ue010 5 km. 3. Max. he",
        "Mon. to Fri. I. tel. \ue010. fig. a, p. m. y, J.-C. now, a.m. 6, J. x",
        "The end.Then I left.I'm ok.A b.THEN.Zz", "THE END.THEN I LEFT.", "a.Name() b.Get[5] c.D",
        "Im 2. Stock. St.Louis. Hl. Maria. x.É d.ßa é.Ça É.Ça 5.Ça ².Ça ª.Ça a.ª a.Ǆa a.ǅa",
        "Go.我 我.Go Go.(He) Go.«He» Go.'He' Go.\"He\" a-b. c a.b. c",
    ],
    "fr": [
        "« Va ! » dit-il. « Non. » Oui.", "Il dit : « Va. » Puis rien.", "M. Roy, etc. Oui.",
        "Hé\u00a0! de quoi parles-tu\u202f? Va !",
        "Oh ! (tu vois ? non) Oui. Le F.B.I. Vient. B et V. Mon",
    ],
    "de": [
        "Es ist der 5. Mai. Ja!", "Das ist z. B. gut. Dr. Müller kam. Er ging.",
        "Ja! mai. Nein. so", "Der 2. Weltkrieg. Ein 3. Ort. Dipl.-Ing. So. Am 5. Mai. im 3. Stock",
        "Er wohnt in der Hauptstr. 5. Usw. usf. Er sagte: „Ich komme.“ Ja. , Nein.",
    ],
    "es": ["¿Cómo estás? ¡Bien! Sr. López vino.", "Son las 5 p.m. ¿Qué? ¡No! EE. UU. es grande."],
    "ru": ["Привет! Это т.е. так. «Да», — сказал он.", "Ул. Ленина, д. 5. Да.так. Г. Иванов. , Да"],
    "el": ["Τι κάνεις; Καλά! Ο κ. Παπάς ήρθε. Ναι ! ! Όχι . . . Ναι"],
    "ja": ["私は猫です。「はい。」と言った。そうですか？はい！"],
    "zh": ["你好。我很好！“真的吗？”他问。是的。"],
    "hi": ["यह अच्छा है। वह गया।"],
    "ar": ["مرحبا. كيف حالك؟ أنا بخير!"],
}  # fmt: skip
WORDS = [
    *("he", "mai", "no", "now", "we", "they", "and", "so", "me", "at", "is", "it"),
    *("κ", "т", "г", "д", "ул"),
]
INSERTED = [
    *("Mr.", "Mrs.", "e.g.", "i.e.", "etc.", "U.S.", "M.", "Mme", "No.", "p.m.", "a.m.", "Jan."),
    *("St.", "J.", "A.", "fig.", "1.", "2)", "(a)", "3.14", "10:30", "5. Mai", "6 ft.", "in."),
    *("Vol.", "approx.", ".NET", "Mon.", "Sat. and", "tel. \ue010", "x.Then", "sq."),
    *("[1]", "a@b.org", "-", "…", "...", "!", "?", "?!", "•", ",", *"”“\"'«»()[]‘’"),
]
SOUP = [
    *"aBé5 ...!?…,;:\"'“”‘’«»()[]{}<>–•。！？「」؟\ue010\n\u00a0",
    *("he", "The", "cat", "I", "12", " ", "  ", "...", "[1]", "Mr", "etc", "p.m", "''"),
]


def cut_by_the_page(lines: list[str], language: str, words: list[str]) -> list[list[str]]:
    found: list[list[str]] = run_node(
        CUT, {"rules": sentence_data(language, words), "lines": lines}
    )
    return found


def share_cut_alike(lines: list[str], language: str, words: list[str]) -> float:
    """Return the share of lines that the page cuts as Python does; it loses no character."""
    found = cut_by_the_page(lines, language, words)
    assert ["".join(each) for each in found] == lines
    same = sum(
        each == split_sentences(line, language) for each, line in zip(found, lines, strict=True)
    )
    return same / len(lines)


@pytest.mark.parametrize("language", LINES)
def test_lines_are_cut_where_python_cuts_them(language: str) -> None:
    lines = LINES[language]
    assert cut_by_the_page(lines, language, WORDS) == [
        split_sentences(line, language) for line in lines
    ]


def test_lines_of_the_corpus_are_cut_where_python_cuts_them(fra_eng_zip: Path) -> None:
    pairs = load_one(data_config(corpus=str(fra_eng_zip))).pairs[::7]
    rng = random.Random(1)
    for language, texts in (
        ("en", [pair.first for pair in pairs]),
        ("fr", [pair.second for pair in pairs]),
    ):
        words = [*{word for text in texts for word in text.split() if word.isalpha()}]
        joined = [" ".join(rng.choices(texts, k=rng.randint(2, 8))) for _ in range(3_000)]
        mixed = [with_insertions(line, rng) for line in joined]
        assert share_cut_alike(texts[::3] + joined, language, words) > 0.9995
        assert share_cut_alike(mixed, language, words) > 0.995


def with_insertions(line: str, rng: random.Random) -> str:
    """Return a line with abbreviations, marks and the like at a few places."""
    words = line.split(" ")
    for _ in range(rng.randint(1, 4)):
        words.insert(rng.randint(0, len(words)), rng.choice(INSERTED))
    return rng.choice([" ", " ", ""]).join([" ".join(words[:3]), " ".join(words[3:])])


@pytest.mark.parametrize("language", ["en", "fr", "de"])
def test_other_texts_are_cut_nearly_alike(language: str) -> None:
    rng = random.Random(2)
    soup = ["".join(rng.choices(SOUP, k=rng.randint(1, 25))) for _ in range(3_000)]
    assert share_cut_alike(soup, language, WORDS) > 0.995
    assert share_cut_alike(random_texts(3_000), language, WORDS) > 0.995


def test_what_is_asked_of_the_library() -> None:
    english = sentence_data("en", WORDS)
    assert {"mr", "dr", "etc"} <= {*english["abbreviations"]}
    assert {"He", "They"} <= {*english["starters"]}
    assert english["afterDots"] == ["I"]
    assert english["units"]["p.m"] == {"needsNumber": False, "endsAtNumber": True}
    assert "at" in english["leading"]
    german = sentence_data("de", WORDS)
    assert german["months"] == ["Mai"]
    assert german["looksPastSpaces"]
    assert ";" in sentence_data("el", WORDS)["marks"]
    assert sentence_data("ru", WORDS)["smallLetters"] == "гдлту"
