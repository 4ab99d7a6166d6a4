"""From a line to its sentences: their frames, breaks and parts, and nothing is lost."""

import random
import re
import time
from dataclasses import replace

import pytest

from gru_mt.data.text.normalize import normal
from gru_mt.data.text.placeholders import find_placeholders
from gru_mt.data.text.terms.glossary import Glossary
from gru_mt.data.text.truecase import Truecaser
from gru_mt.data.tokenizer.special import PLACEHOLDER, PLACEHOLDER_TOKENS
from gru_mt.inference.preprocessing.reader import Reader
from gru_mt.inference.preprocessing.sentence import Sentence

TRAINING = [
    "So he is big, and Tom is where the dog is.",
    "I am where she sees this very important link, and we go on to step one.",
    "It is cold here, five degrees, re. If you see a name and a word, they see a cat.",
    "We jump over the quick brown fox of Vizq.",  # has all letters
]
TRUECASER = Truecaser.learn(TRAINING, TRAINING)


def reader(*, most: int = 10_000) -> Reader:
    """Return a reader for a model that reads up to `most` characters at once."""
    return Reader(TRUECASER, "en", lambda text, parts: len(text) <= most // parts)


def read(line: str) -> list[Sentence]:
    return [*reader().sentences(line)]


FRAMES = [
    "<p>{}</p>", "<b>{}</b>", "<p><b>{}</b></p>", '<a href="x">{}</a>', "[b]{}[/b]",
    "**{}**", "*{}*",
    "# {}", "## {}", "> {}", "* {}", "- {}", "• {}", "– {}", "— {}", "- [ ] {}", "- [x] {}",
    "[x] {}",
    "1) {}", "1. {}", "1.2 {}", "a) {}", "(a) {}", "IV. {}", "> > {}", "😀 {}", "{} 😀", "😀{}",
    ":smile: {}", "@tom {}",
    "@tom: {}", "{{\\an8}}{}", "{{name}}: {}", "{{name}} {}", "%s {}", "%s: {}", "{}\\n",
    "Tom: {}", "TOM: {}",
    '"{}"', "“{}”", "«{}»", "({})", "‘{}’", "→ {}", "    {}", "\t- {}", "<!-- {} -->{}",
    "&nbsp;{}", "| {} |", "{}<br>", "\\textbf{{{}}}", "[{}](https://a.org)", "[INFO] {}",
    "[Tom]: {}", "{{{{#if a}}}}{}{{{{/if}}}}", "@tom, {}", "%s - {}", "… {}", "» {}", "—{}",
    "1.2. {}", "(1) {}", "(b) {}",
    "iv. {}", "A: {}", "key: {}", "key = {}", "'{}'", "„{}“", "« {} »",
    "「{}」", '("{}")', "‹{}›", "»{}«", "【{}】", '"{}', "{}”", "({}", '("{}"', "1 - {}", "1.- {}",
    "5/12/2020, 10:31 - Ana: {}", "(0:32) {}", "(0:32) @tom {}", "v1.2 ({})",
    "key: <p>{}</p>", "{} —", "<b>{}</b> #x", "“{}” %s @tom", "‹{}› #x", '<p>"{}"</p>', "- 1) *{}*",
    "'key': {}", "Re: {}", "RE: {}", "Fw: Re: {}",
]  # fmt: skip
BEFORE_A_SMALL_WORD = [  # not before Tom
    "1984 {}", "1984: {}", "12 {}", "10:30 {}", "10h30 {}", "2024-01-05 10:30:01 {}",
    "12:30 @tom {}", "§ 5 https://a.org {}", "12 😀 {}",
]  # fmt: skip


@pytest.mark.parametrize("text", ["He is big.", "Tom is big!"])
def test_a_sentence_in_a_frame_is_read_as_it_is_alone(text: str) -> None:
    (alone,) = read(text)
    for frame in FRAMES + BEFORE_A_SMALL_WORD * (text == "He is big."):
        line = frame.format(text) if frame.count("{}") == 1 else frame.format("x", text)
        *copied, sentence = read(line)  # "IV. " is a sentence too
        assert all(each.is_copied for each in copied), frame
        assert (sentence.text, sentence.case, sentence.placeholders) == (alone.text, alone.case, ())
        before = "".join(each.finished(each.text) + each.gap for each in copied)
        expected = line.replace(text, alone.finished("il est grand."))
        assert before + sentence.finished("il est grand.") == expected


WHOLE = [
    "{name} is here", "[name] is here", "1984 is big", "%s is here", "He is {name}", "-5 degrees",
    "5 dogs", "M. Dupont", "So he is: big", "I am big", "10:30 is so", "12 Tom", "Step 1: go on.",
    "Step: open", "Where: he is", '"He," he said, "is big."', '"He" is "big"', "(He) is (big)",
    "«He» is «big»", "He is (big)", "He said 'so'", "<b>He</b> is big.", "He is <b>big</b>.",
    "*He* is *big*", "[b]He[/b] is", "don't", "'tis big", "dogs' he is", "5 - 3", "…", "😀",
    "<p></p>", "1)", "-", "<b>He</b> and <b>so</b>",
]  # fmt: skip


def test_what_is_a_part_of_the_sentence_is_no_frame() -> None:
    for line in WHOLE:
        (sentence,) = read(line)
        assert (sentence.before, sentence.after) == ("", ""), line


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        ("<p>", "He is <b>big</b>", "</p>"),
        ("<p>", "<b>He</b> is big", "</p>"),
        ("😀 ", "<b>He</b> is big", ""),
        ("- ", '"He" is big', ""),
        ("", "He is big.", '" 😀'),
        ("1) ", "He is (big)", ""),
        ("{name}: ", "{x} is", ""),
        ("", "He is big.", " 1984"),  # a placeholder after the end
        ("", "He is big", " 😀 😀"),
    ],
)
def test_a_frame_ends_where_a_pair_or_a_quotation_would_be_torn(
    before: str, text: str, after: str
) -> None:
    (sentence,) = read(before + text + after)
    assert (sentence.before, sentence.after) == (before, after)


@pytest.mark.parametrize(
    ("line", "translated", "finished"),
    [
        ("{name}He is big.", "\ue010 il est grand.", "{name}Il est grand."),
        ("- he is big", "il est grand", "- il est grand"),  # no capital gives none
        ("Where is Tom?", "où est Tom ?", "Où est Tom ?"),
    ],
)
def test_a_capital_begins_a_translation_where_one_begins_the_sentence(
    line: str, translated: str, finished: str
) -> None:
    (sentence,) = read(line)
    assert sentence.finished(translated) == finished


@pytest.mark.parametrize(
    ("line", "sources"),
    [
        ("He is big.<br>She is big.", ["He is big.<br>", "She is big."]),
        ("He is big.&nbsp;&#160;She is big.", ["He is big.&nbsp;&#160;", "She is big."]),
        ("The&nbsp;dog. He&nbsp;is", ["The&nbsp;dog. ", "He&nbsp;is"]),
        ("He is big.&#10;She is&#xA;big.", ["He is big.&#10;", "She is&#xA;big."]),
        ("He is big.\\nShe is big.", ["He is big.\\n", "She is big."]),
        ("he is\\nbig", ["he is\\nbig"]),  # a sentence over two lines
        ("He is\\r\\n big.\\r\\n\\tShe is.", ["He is\\r\\n big.\\r\\n\\t", "She is."]),
        ("| He is | she is |", ["| He is | ", "she is |"]),
        ("<li>He is big</li><li>She is</li>", ["<li>He is big</li>", "<li>She is</li>"]),
        ("he is<p>she is</p>", ["he is", "<p>she is</p>"]),  # an opening one is of what comes
        ("He is <b>big</b>", ["He is <b>big</b>"]),
        ("He is > here → there", ["He is > ", "here → ", "there"]),
        ('"He is","She is";"5"', ['"He is",', '"She is";', '"5"']),  # cells of CSV
        ('["He is big.", "She is big."]', ['["He is big.", ', '"She is big."]']),  # of JSON
        ("'He is.', 'She is.', he", ["'He is.', ", "'She is.', he"]),
        ("He is / She is / and/or / he", ["He is / ", "She is / and/or / he"]),
        ("Tom;He is big.;5;She is", ["Tom;", "He is big.;", "5;She is"]),  # and of Excel's
        ('1;"He is";;she is; here', ['1;"He is";;', "she is; here"]),
        ("Tom|He is big.|5", ["Tom|", "He is big.|5"]),
        ("Tom,He is big.,2020-01-02", ["Tom,", "He is big.,2020-01-02"]),
        ('3,"He is big.",ok', ['3,"He is big.",', "ok"]),
        ("5,He is big.,Tom,He is here.,5", ["5,He is big.,", "Tom,", "He is here.,5"]),
        ("He is big.,She is here.", ["He is big.,", "She is here."]),
        ("Yes,I see 1,000 of U.S.,he is", ["Yes,I see 1,000 of U.S.,he is"]),  # a typing mistake
        ("he/she", ["he/", "she"]),
        ("he/she is", ["he/she is"]),
        ("She is here: He is big.", ["She is here: ", "He is big."]),  # a label
        ("Tom: He is big.", ["Tom: He is big."]),  # a speaker is of its frame
        ("He is: big", ["He is: big"]),
    ],
)
def test_a_sentence_ends_at_a_break(line: str, sources: list[str]) -> None:
    found = read(line)
    assert [each.source + each.gap for each in found] == sources


def test_a_comma_between_words_gets_its_space() -> None:
    for line, text in (
        ("Tom,he is big,and it is cold,Tom.", "Tom, he is big, and it is cold, Tom."),
        ("Tom,He is big.", "Tom, he is big."),
        ("we see Tom,5 dog,a,we", "we see Tom,5 dog, a,we"),
    ):
        assert "".join(sentence.text for sentence in read(line)) == text


def test_what_signs_stand_for_is_no_placeholder() -> None:
    truecaser = Truecaser.learn(["he is without a dog for example"], [""])
    (sentence,) = Reader(truecaser, "en", lambda *_: True).sentences("He is w/o a dog and/or cat.")
    assert (sentence.text, sentence.placeholders) == (
        "he is without a dog \ue010 cat.",
        ("and/or",),
    )


def test_a_sentence_too_long_is_read_in_parts_that_fit() -> None:
    line = "He is big, she sees {x}, and Tom is where the dog is; " * 20 + "so we go."
    found = [*reader(most=200).sentences(line)]
    assert len(found) > 5
    assert all(len(each.text) <= 200 and each.is_part for each in found)
    assert "".join(each.source + each.gap for each in found) == line
    assert "".join(each.finished(each.text) + each.gap for each in found) == line
    assert all(each.source.endswith((";", ",", ".")) for each in found), "at marks"
    line = "He is where the dog is, she is where the cat is, and so it is"
    first, *others = reader(most=60).sentences(line)
    assert first.finished("Il est") == "Il est"
    texts = {each.finished("Il est").removesuffix(",") for each in others}
    assert texts == {"il est"}, "a part begins small"
    found = [*reader(most=40).sentences("a" * 1_000)]  # it has no seam
    assert "".join(each.source for each in found) == "a" * 1_000
    assert not any(each.is_part for each in reader(most=200).sentences("He is big. She is."))


PIECES = [
    *"İßaZé019 .,;:/\\-–+'×()[]{}<>\"`@#$%&=~?!|*^_。は",
    "He is big", "she sees", "Tom", "Zbigniew", "WHERE", "the dog", "Спасибо", "我明白。", "-5",
    "你好吗？", "مرحبا.", "שלום!", "`a b. C`", "555-1234", "\ue017x", "\x1f",
    "1) ", "10:30",
    "12345", "- ", "* ", "• ", "# ", "> ", "| ", "<p>", "</p>", "<b>", "</b>", "<br>",
    "<code>a</code>", "{x}",
    "{{y}}", "%s", "%d", "\\n", "\\textbf{", "](http://a.org)", "![", "[b]", "[/b]", "**", "__",
    "a_b", "aB",
    "a@b.org", "http://x.org/a?b=1", "😀", "❤\ufe0f", "\ue010", "\ue013", "&amp;", "&quot;", "«",
    "»", "“", "”",
    "Mr. ", "IV", "²", "½", "°", "→", "(c)", ":)", ". ", "! ", "\u00a0", "\t", "\u2028", "\x00",
    "\u0301",
]  # fmt: skip


def random_line(rng: random.Random) -> str:
    return "".join(rng.choice(PIECES) + rng.choice(["", "", " "]) for _ in range(rng.randrange(25)))


TERMS = Glossary.of({"the dog": "le chien", "tom the": "x y z", "saw tom . ": "q"})


@pytest.mark.parametrize(("most", "split"), [(30, True), (10_000, True), (10_000, False)])
def test_any_line_is_read_and_comes_back_with_its_placeholders(most: int, split: bool) -> None:
    rng = random.Random(most)
    for line in (random_line(rng) for _ in range(300)):
        plain = replace(reader(most=most), split=split, language="xx")  # & is copied
        found = [*plain.sentences(line)]
        for each_reader in (plain, replace(plain, glossary=TERMS)):
            whole = "".join(each.source + each.gap for each in each_reader.sentences(line))
            assert normal(whole) == normal(" ".join(line.splitlines())).rstrip(), ascii(line)
        assert len(found) <= 1 or split
        for each in found:
            marks, again = PLACEHOLDER.findall(each.text), each.finished(each.text)
            assert marks == [PLACEHOLDER_TOKENS[i % 8] for i in range(len(each.placeholders))]
            assert (each.gap.strip(), len(again.splitlines()) <= 1) == ("", True)
            spans = find_placeholders(each.source, TRUECASER.__contains__)
            for text in (span.text for span in spans if each.case != "capitals"):
                assert again.count(text) == each.source.count(text), ascii((line, text))
            if not each.spelling_corrected and "İ" not in line:  # its small letter is two
                letters = ["".join(re.findall(r"\w", x)).casefold() for x in (each.source, again)]
                assert letters[0] == letters[1], ascii(line)
            # Whatever the model does, each placeholder comes out once.
            rng.shuffle(marks)
            mixed = each.finished(" un ".join(marks))
            for text in {*each.placeholders}:
                assert mixed.count(text) >= each.placeholders.count(text), ascii((line, text))


def test_an_ampersand_between_words_is_read_as_a_word_but_not_in_a_name() -> None:
    for line, text in (
        ("The dog & the cat & Tom & she", "the dog and the cat and Tom and she"),
        ("THE DOG & TOM", "the dog and Tom"),
        ("She & I see a & the dog", "she and I see a and the dog"),
    ):
        (sentence,) = read(line)
        assert sentence.text == text
        assert sentence.typed == line
    for line in ("The cat & Q & A", "Vizq & Zmith see the dog", "Tom & Tom", "AT&T cat & 5"):
        assert all("and" not in sentence.text for sentence in read(line)), line
    (sentence,) = Reader(TRUECASER, "xx", lambda *_: True).sentences("the dog & the cat")
    assert sentence.placeholders == ("&",)


@pytest.mark.parametrize(
    ("piece", "end"),
    [
        *[("(", "a ) b"), ("'", "He is big."), ("<td>12</td>", ""), ("a<br>", "b"), ("{a} ", ".")],
        *[("a\\n", "b"), ("\t", "a"), ("He is big.<p>", ""), ("on May 5 ", ""), ("<b>", "a")],
        ("a-" * 5, "a & b"),
    ],
)
def test_a_long_line_takes_time_in_proportion(piece: str, end: str) -> None:
    def seconds(count: int) -> float:
        started = time.process_time()
        read(piece * count + end)
        return time.process_time() - started

    growths = (seconds(3_000) / seconds(300) for _ in range(3))  # others may use the CPU
    assert any(growth < 40 for growth in growths)
