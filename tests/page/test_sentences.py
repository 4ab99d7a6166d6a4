"""The page splits a line into sentences, reads and finishes them as `translate` does."""

import random
import re
from pathlib import Path
from typing import Any

import pytest

from gru_mt.data.text.sentences import sentence_rules, split_sentences
from gru_mt.data.text.terms.articles import contracted
from gru_mt.data.text.terms.dates import DateRules, date_rules
from gru_mt.data.text.truecase import Truecaser
from gru_mt.data.tokenizer.special import PLACEHOLDER_TOKENS
from gru_mt.inference.preprocessing.clauses import (
    clauses_of,
    joined,
    quotations_of,
    with_quotations,
)
from gru_mt.inference.preprocessing.reader import Reader
from gru_mt.inference.preprocessing.sentence import Sentence
from tests.data.text import test_placeholders, test_truecase
from tests.data.text.test_truecase import ENGLISH, NAMES
from tests.inference import test_confidence
from tests.inference.preprocessing import test_sentence, test_tags
from tests.inference.preprocessing.test_sentence import TRUECASER
from tests.page.node import assert_same, needs_node
from tests.page.strings import (
    KNOWN,
    corpus_pairs,
    framed,
    random_strings,
    with_insertions,
    written_strings,
)

pytestmark = [pytest.mark.slow, needs_node]

WRITTEN = written_strings(
    test_truecase, test_placeholders, test_sentence, test_tags, test_confidence
)
MIXED_CASE = Truecaser.learn(
    [
        "x straße İstanbul ΟΔΟΣ e\u0301te\u0301 ǆ 我 ² isn't l'été I don't. it isnt Im Isn't here",
        f"so with you are for example without so ca'nts, c'ants and ca'nts, {'ab' * 20}",
    ],
    ["", ""],
)
MISSPELT = ["I see cants so", f"so {'ab' * 20}cd and {'ab' * 21}", "don't Dont L’ete isn’t ISNT"]
SPLIT = """
import { sentenceRules, splitSentences } from "./text/sentences.js";
const rules = sentenceRules(data.rules);
const of = (text) => splitSentences(text, rules);
"""
LINES = {
    "en": [
        'He said "Go." Then left. At 5 p.m. We left, at 6 a.m. too. Hello (you!) there. Ok.',
        "A. Smith came. I am. No. 5 is. Yes! no. Wait... what? J. R. Tolkien wrote. Plan B. Tom",
        "Mr. and Mrs. Smith came. It is 3.14. e.g. this. Etc. And so. U.S. forces. What?! No!!",
        "1. Milk 2. Eggs a) one. b) two. (1) Go. Now • Go. Now • Come i) Go ii) Come (a) x. Y",
        "“Go!” she said. “Stay.” He left. Tom said ' Go. Now ' to me. Tom.'' . So 'Go!' he said.",
        "Mail a.b@c.org. Then go. No.5 is it.I see. Hi.There A\ue010. \ue011 B. Go.我 我.Go",
        "Ah ! oh. Well ! ! Then . . . Who ? . . . me. It is 6 ft. Tom is tall. 6 ft. 2 in. Tom",
        "Go, Yahoo! Tom 7.Bg5 wins. So[1] it. Is.[2] Is .NET and ASP.NET. It is. Vol. 2, Lvl. 5",
        'Tom "is (so. Aa" bb). He «said. So» it. He „said. So.“ It is. He can\'t. \' So "He". So',
        "vol. V, ch. IIb, no. $5, no. -$-5, rm. (\ue010 5 km. Mon. to Fri. I. tel. \ue010. p. m. y",
        "The end.Then I left.I'm ok.A b.THEN.Zz THE END.THEN I LEFT. a.Name() b.Get[5]",
        "P.S. He has a Ph.D. (U.S.) J.R.R.Ab 5 P.M. Т.Е. т.е. ß.S. ǅ.A. EE.UU. AB.CD. U.S.A.",
        "He is, i.e. He is e.g. It is, E.g. The a.k.a. He",
        "hi!!! how a 10 oz. can at 5 p.m. EST - 5 p.m. Monday he left…but ...left m²...et U.S. My",
        "“I was. I am.” (He is. I go.) Ms. smith, the 5\" dog. '90s. The 'em. Go...¿Yes etc. Now",
        "St.Louis. Im 2. Stock. x.É d.ßa É.Ça 5.Ça ².Ça ª.Ça a.Ǆa a.ǅa Go.(He) Go.«He» a-b. c",
    ],
    "fr": ["« Va ! » dit-il. « Non. » M. Roy, etc. Oui. Hé\u00a0! tu\u202f? Le F.B.I. Vient. V. M",
        "tu viens ! je pars ? art. 5, l'art. 5, c.-à-d. ici. Ça, etc. Je vais. Ex. : 14 h. Oui"],
    "de": ["Es ist der 5. Mai. Ja! z. B. gut. Dr. Müller kam. Hauptstr. 5. Usw. „Ich komme.“ Ja.",
        "inkl. MwSt. und mind. 8, geb. am 5. Mai, 50 v. Chr. war usw. Ich bin 10 Min. hier. Der"],
    "es": ["¿Cómo estás? ¡Bien! Sr. López vino. Son las 5 p.m. ¿Qué? EE. UU. es grande.",
        "hola!! que tal. la sra. pérez, la Dra. Vino hola.¿qué 5 min. hola mín. 8. EE.UU. Me, av."],
    "ru": ["Привет! Это т.е. так. «Да», — сказал он. Ул. Ленина, д. 5. Да.так. Г. Иванов. , Да"],
    "el": ["Τι κάνεις; Καλά! Ο κ. Παπάς ήρθε. Ναι ! ! Όχι . . . Ναι"],
    "ja": ["私は猫です。「はい。」と言った。そうですか？はい！你好。“真的吗？”他问。"],
    "hi": ["यह अच्छा है। वह गया। مرحبا. كيف حالك؟ أنا بخير!"],
}  # fmt: skip


@pytest.mark.parametrize("language", LINES)
def test_lines_are_split_as_in_python(language: str) -> None:
    rng = random.Random(1)
    words = " ".join(LINES[language]).split()
    mixed = [" ".join(rng.choices(words, k=rng.randint(2, 9))) for _ in range(150)]
    texts = [*LINES[language], *mixed, *with_insertions(mixed), *random_strings(100)]
    rules = sentence_rules(language)._asdict()
    assert_same(SPLIT, lambda text: split_sentences(text, language), texts, rules=rules)


SENTENCES = """
import { Truecaser } from "./text/truecase.js";
import { DateFinder } from "./text/dates.js";
import { clausesOf, joinedClauses } from "./inference/clauses.js";
import { quotationsOf, withQuotations } from "./inference/clauses.js";
import { readLine } from "./inference/reader.js";
import { sentenceRules, splitSentences } from "./text/sentences.js";
const rules = sentenceRules(data.rules);
const truecaser = Truecaser.from(data.truecaser, data.shorthand);
const fits = (text, parts) => [...text].length <= Math.trunc(data.longest / parts);
const dates = new DateFinder(data.dates);
const splitLine = (text) => splitSentences(text, rules);
const reading = { truecaser, splitLine, dates, fits, conjunction: rules.conjunction };
const fields = (sentence) => [sentence.source, sentence.gap, sentence.before, sentence.after,
  sentence.typed, sentence.text, sentence.placeholders,
  sentence.noSpace.map((side) => [...side].sort((a, b) => a - b)),
  sentence.case, sentence.spellingCorrected, sentence.isPart, sentence.isCopied];
const of = (line) => readLine(line, reading).map((sentence) => {
  const numbered = sentence.withNumbers();
  const marked = sentence.withNumbers({ marks: true });
  const clauses = clausesOf(marked);
  const inside = quotationsOf(marked);
  const quoted = withQuotations(marked, inside.map(({ text }) => `${text}.`));
  const texts = [...data.outputs[line], sentence.text, numbered.text, marked.text];
  const parts = clauses.map(({ text }) => `${text}.`);
  const joined = clauses.length > 1 ? joinedClauses(marked, parts) : "";
  const read = [sentence, numbered, marked, ...clauses, ...inside, quoted].map(fields);
  return [read, joined, texts.map((text) => [sentence.finished(text),
    numbered.finished(text), marked.finished(text), sentence.keepsNumbers(text),
    sentence.keepsAll(text), sentence.shown([...text])])];
});
"""


def fields(sentence: Sentence) -> list[Any]:
    found: list[Any] = [sentence.source, sentence.gap, sentence.before, sentence.after]
    found += [sentence.typed, sentence.text, sentence.placeholders]
    sides = [sorted(index for index, one in sentence.no_space if one == side) for side in (0, 1)]
    return [*found, sides, sentence.case, sentence.spelling_corrected, sentence.is_part,
            sentence.is_copied]  # fmt: skip


def assert_same_sentences(truecaser: Truecaser, lines: list[str], *, longest: int = 1_000) -> None:
    """Compare the sentences of lines, and their parts of `longest` characters at most."""
    rng = random.Random(1)
    dates = date_rules("en", "fr")
    assert dates
    reader = Reader(truecaser, "en", lambda text, parts: len(text) <= longest // parts, dates=dates)
    words = ["le", "12", "5e", "12pmer", "7-0", "-5", '!" Le', ".” Été"]
    written = [*PLACEHOLDER_TOKENS * 2, *'ß7²我   .?!？؟…😀"“()', *words]
    outputs = {
        line: [
            *("".join(rng.choices(written, k=rng.randrange(16))) for _ in range(2)),
            rng.choice(["", " le "]).join(rng.sample(PLACEHOLDER_TOKENS[:6], 6)),
        ]
        for line in lines
    }

    def sentences(line: str) -> list[Any]:
        found = []
        for one in reader.sentences(line):
            numbered, marked = one.with_numbers(), one.with_numbers(marks=True)
            finished = [
                [one.finished(text), numbered.finished(text), marked.finished(text),
                 one.keeps_numbers(text), one.keeps_all(text), one.shown([*text])]
                for text in (*outputs[line], one.text, numbered.text, marked.text)
            ]  # fmt: skip
            clauses = clauses_of(marked)
            read = [f"{clause.text}." for clause in clauses]
            whole = joined(marked, read) if len(clauses) > 1 else ""
            inside = quotations_of(marked)
            quoted = with_quotations(marked, [f"{each.text}." for each in inside])
            parts = [one, numbered, marked, *clauses, *inside, quoted]
            found.append([[*map(fields, parts)], whole, finished])
        return found

    rules, data = sentence_rules("en")._asdict(), truecaser.to_bytes().decode()
    assert_same(SENTENCES, sentences, [*outputs], truecaser=data, longest=longest, rules=rules,
                outputs=outputs, dates=dates.to_json(), shorthand=truecaser.shorthand)  # fmt: skip


DATED = [
    "July 4, 1985", "on july 4th, 1985", "1. On the 1st of May: He is big.", "ON MAY 5 HE IS BIG.",
    "“May 5”, he said. It is <b>May 5</b>, Sat., 6 Dec. 2020", "in May 1998, Jan 3 and Feb 30",
    "- August 1 😀 June 2", "Sunday, March 3 may 5 march 5 times", "the 31st of August, at May 50",
    "https://a.org/May-5 or May 5", "Tom: May 5, 0000 and 00 May", "May 5 Tom May 6 May 7 2001",
    "Tom **on May 5**. *May 6*, May 7/8, [May 8](https://a.org/May 9) `May 10` {May 11}_May 12_",
    "In the 1990s the 2nd Tom of the 80’s and the 1st. THE 21ST DOG!", "2nd, 3RD the 0s",
]  # fmt: skip
FIND = """
import { contracted, DateFinder } from "./text/dates.js";
const finder = data.dates && new DateFinder(data.dates);
const of = (text) => {
  const isSmall = (word) => ["may", "march", "mai", "sat"].includes(word.toLowerCase());
  const found = finder.find(text, isSmall, (word) => !/^(?:mon|lun|mar|feb)/iu.test(word));
  const [left, right] = contracted(text.slice(0, 9), text.slice(9));
  return [found.map((span) => [span.start, span.end, span.text]), left, right];
};
"""


def test_dates_are_found_and_written_as_in_python() -> None:
    rng = random.Random(1)
    pieces = {
        "en": "on in the 80s 12th of 1st 5 31 30, 1998 may May March Feb. Sept sunday Mon, a 2001 "
        "Tuesday tuesdays June until since Mon Sat sat Fri-Sun Jan Sept-Dec - – - Monday ſat-ſun",
        "fr": "le Le 1er 5 31 mai mars fevrier déc. en 1998 avant est mardi Juillet juillet "
        "mar. lundi, de jusqu' 2e 11ème années 90 dans les",
        "de": "am den 5. 31. Mai März im 1998 Montag, Mo. 4 maerz Okt.",
        "ja": "1998年 5月 11月 31日 4日 月曜日 に 年 2月 30日",
    }
    for source, target in (("en", "fr"), ("fr", "en"), ("de", "es"), ("ja", "pt"), ("en", "ja")):
        rules, words = date_rules(source, target), pieces[source].split()
        assert rules
        between = "" if source == "ja" else " "
        texts = [between.join(rng.choices(words, k=rng.randint(2, 9))) for _ in range(700)]

        def found(text: str, rules: DateRules = rules) -> list[Any]:
            spans = rules.find(
                text,
                lambda word: word.lower() in ("may", "march", "mai", "sat"),
                lambda word: word.lower()[:3] not in ("mon", "lun", "mar", "feb"),
            )
            return [spans, *contracted(text[:9], text[9:])]

        assert sum(bool(found(text)[0]) for text in texts) > 50
        joins = [
            "彼は生まれました彼 5月4日に",
            "彼は生まれました彼彼5月4日に",
            "彼は生まれました彼 Tom",
        ]
        joins += [f"{left}{right}" for left in ("vu jusqu'", "qu'il de ", "jour <b>", "jusqu'à ")
                 for right in ("le 4 mai", "el 4", "Le 4")]  # fmt: skip
        assert_same(FIND, found, [*texts, *joins], dates=rules.to_json())


def with_typos(lines: list[str]) -> list[str]:
    """Return each line with one to three words that are typed wrongly."""
    rng = random.Random(1)

    def mistyped(word: str) -> str:
        place, letter = rng.randrange(len(word)), rng.choice("abcdefghijklmnopqrstuvwxyz'’")
        before, at, after = word[:place], word[place], word[place + 1 :]
        forms = [f"{before}{at}{at}{after}", f"{before}{at * 4}{after}", before + after or "x"]
        forms += [f"{before}{letter}{after}", f"{before}{letter}{at}{after}", word.upper()]
        forms += [f"{before}{after[:1]}{at}{after[1:]}", word.title(), f"{word}{letter * 2}thes"]
        forms += [word[:1].upper() * 2 + word[1:].lower()]
        return rng.choice([*forms, word.replace("'", ""), f"{word}-{word}", f"Mr. {word}"])

    def changed(line: str) -> str:
        found = line.split() or ["x"]
        for place in rng.choices(range(len(found)), k=rng.randint(1, 3)):
            found[place] = mistyped(found[place])
        return rng.choice([" ", " ", " ", ""]).join(found)

    return [*map(changed, lines)]


@pytest.mark.parametrize(
    "truecaser",
    [TRUECASER, ENGLISH, NAMES, MIXED_CASE, Truecaser({}, copies_names=True)],
    ids=["sentences", "English", "names are copied", "mixed case", "empty"],
)
def test_lines_are_read_and_finished_as_in_python(truecaser: Truecaser) -> None:
    rng = random.Random(2)
    joined = ["".join(rng.choices(WRITTEN, k=3)) for _ in range(100)]
    texts = [*WRITTEN[::2], *joined, *random_strings(150, seed=4), *with_typos(joined)]
    share = 3 if truecaser is TRUECASER else 9
    assert_same_sentences(truecaser, [*MISSPELT, *DATED, *texts[::share]])


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_placeholders_frames_and_long_sentences_are_read_as_in_python(every: bool) -> None:
    rng = random.Random(1)
    plain = [re.sub("[⟦⟧]", "", case) for case in test_placeholders.cases()]
    ends = [f"`a{end}b` <a{end}b='{end}'>" for end in "\n\r\x0b\x1c\x85\u2028"]
    mixed = ["".join(rng.choices([*"  .,a", *" ".join(plain).split()], k=8)) for _ in range(100)]
    tagged = [f"I <b>see <i>{word}</i> cat</b> and *two* <u>dogs</u>." for word in KNOWN[100:200:5]]
    texts = [*framed(1), *plain, *ends, *mixed, *tagged]
    assert_same_sentences(TRUECASER, [*texts, *with_insertions(texts)][:: 1 if every else 6])
    long = ["I see. " * 30, "我" * 50, "क्षि" * 30, "😀a, " * 20, "a; b — c, d" * 9]
    short = [*framed(1), *random_strings(100)][:: 1 if every else 6]
    assert_same_sentences(TRUECASER, [*short, *long], longest=14)


@pytest.mark.slow
def test_lines_of_the_corpus_are_read_and_finished_as_in_python(fra_eng_zip: Path) -> None:
    pairs = corpus_pairs(fra_eng_zip, 8_000)
    lines = [source for source, _ in pairs[::40]]
    rng = random.Random(3)
    joined = [" ".join(rng.choices(lines, k=3)) for _ in range(100)]
    truecaser = Truecaser.learn(*zip(*pairs, strict=True))
    assert truecaser.copies_names
    names = [word.title() for word in truecaser.ranked if not truecaser.is_small(word)]
    couples = zip(names[::9], names[4::9], strict=False)
    hyphened = [f"{one}-{other} sees {other}-{one}" for one, other in couples]
    texts = [*lines, *joined, *with_insertions(lines + joined), *with_typos(lines), *hyphened]
    assert_same_sentences(truecaser, texts)
