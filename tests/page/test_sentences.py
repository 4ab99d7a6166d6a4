"""The page's sentences are those that Python splits a line into."""

import random
from pathlib import Path

import pytest

from gru_mt.data.text.sentences import sentence_rules, split_sentences
from tests.corpora import data_config, load_one
from tests.page.node import needs_node, run_node
from tests.page.texts import random_texts

pytestmark = needs_node

SPLIT = """
import { sentenceRules, splitSentences } from "./sentences.js";
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


def assert_same(lines: list[str], language: str) -> None:
    """Assert that the page splits lines as Python does."""
    rules = sentence_rules(language).to_json()
    found = run_node(SPLIT, {"rules": rules, "lines": lines})
    for line, sentences in zip(lines, found, strict=True):
        assert sentences == split_sentences(line, language), ascii(line)


@pytest.mark.parametrize("language", LINES)
def test_lines_of_many_languages_are_split_alike(language: str) -> None:
    assert_same(LINES[language], language)


def test_lines_of_the_corpus_are_split_alike(fra_eng_zip: Path) -> None:
    pairs = load_one(data_config(corpus=str(fra_eng_zip))).pairs[::20]
    rng = random.Random(1)
    for language, texts in (
        ("en", [pair.first for pair in pairs]),
        ("fr", [pair.second for pair in pairs]),
    ):
        joined = [" ".join(rng.choices(texts, k=rng.randint(2, 8))) for _ in range(1_000)]
        assert_same(
            [*texts[::3], *joined, *(with_insertions(line, rng) for line in joined)], language
        )


def with_insertions(line: str, rng: random.Random) -> str:
    """Return a line with abbreviations, marks and the like at a few places."""
    words = line.split(" ")
    for _ in range(rng.randint(1, 4)):
        words.insert(rng.randint(0, len(words)), rng.choice(INSERTED))
    return rng.choice([" ", " ", ""]).join([" ".join(words[:3]), " ".join(words[3:])])


@pytest.mark.parametrize("language", ["en", "fr", "de"])
def test_any_text_is_split_alike(language: str) -> None:
    rng = random.Random(2)
    soup = ["".join(rng.choices(SOUP, k=rng.randint(1, 25))) for _ in range(2_000)]
    assert_same([*soup, *random_texts(2_000)], language)
