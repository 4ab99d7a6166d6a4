"""Truecasing of text in any case, and what a truecaser learns and writes."""

import random
import string
import time

import pytest

from gru_mt.data.text import truecase as truecase_module
from gru_mt.data.text.names import find_names
from gru_mt.data.text.normalize import is_all_caps
from gru_mt.data.text.truecase import Truecaser
from gru_mt.data.tokenizer.special import PLACEHOLDER

SOURCES = [
    "Tom and Mary saw the old dog.",
    "The dog saw Tom. Where are Mary and I?",
    "I am in the US, and I like it!",
    "It is John's book, and NASA has it.",
    "He said that Jean is here; Paris isn't.",
]


def learned(*sources: str, targets: list[str] | None = None) -> Truecaser:
    return Truecaser.learn(sources, [""] * len(sources) if targets is None else targets)


ENGLISH = learned(*SOURCES)
FOX = "The quick brown fox, Mr. Tom and Dr. Tom jump over two lazy dogs."  # has all letters
NAMES = Truecaser.learn([*SOURCES, FOX], [*SOURCES, FOX])  # every name is copied


def cased(truecaser: Truecaser, *found: str) -> list[str]:
    """Return the words' cased forms, which text in capitals gets inside a sentence."""
    shown = " ".join(found).upper()
    return truecaser.truecased(f"\ue010 {shown} \ue010 QQ").split()[1:-2]


def test_a_text_is_in_capitals_if_most_of_it_is_and_none_of_it_small() -> None:
    for text in ("GO HOME!", "OK", "A 5 B", "ПРИВЕТ"):
        assert is_all_caps(text), text
    for text in ("I", "I 5.", "Go", "GO HOMe", "STRAßE", "我在IBM工作", "CEO是谁？", "我明白", ""):
        assert not is_all_caps(text), text


# Learning


def test_the_cased_form_is_the_most_frequent_one_inside_sentences() -> None:
    # Tom stands once first and once inside; "where" and "he" are first words alone.
    forms = ["Tom", "the", "US", "NASA", "I", "where", "he", "Paris"]
    assert cased(ENGLISH, *forms) == forms
    will = learned("a will b will c Will.", "Mark mark Mark Mark.")
    assert cased(will, "will", "mark") == ["will", "Mark"]
    quoted = learned('«Yes.» "Maybe!" ...Perhaps? (Never.) Oh.', "no yes maybe perhaps")
    assert cased(quoted, "yes", "maybe", "perhaps", "oh") == ["yes", "maybe", "perhaps", "oh"]
    capitals = learned("THE CAT SLEEPS.", "I SEE THE CAT.", "SO I SLEEP.")
    assert capitals.truecased("the cat") == "THE CAT"
    kyoto = learned("Kyoto is big.", "Rinse it.", targets=["Kyoto est grand.", "Rince-le."])
    assert kyoto.truecased("KYOTO, RINSE") == "Kyoto, rinse"  # the translation has the capital


def test_a_first_word_is_read_in_its_cased_form_with_what_an_apostrophe_joins() -> None:
    truecaser = learned("so it's L'été o'clock", "so l'été, l'été, it's")
    text = "It's so. L'été! O'clock? O'Brien; L'ornithorynque"
    assert truecaser.truecased(text) == "it's so. l'été! o'clock? O'Brien; L'ornithorynque"
    assert truecaser.truecased("It's so. So Inc. it's") == "it's so. So Inc. it's"  # a company
    assert truecaser.truecased("O'BRIEN. IT’S") == "O'Brien. it’s"


def test_the_most_frequent_words_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(truecase_module, "MOST_WORDS", 2)
    truecaser = learned("c b a", "b a", "B a")  # a 3, b 3, c 1
    assert [word in truecaser for word in "abc"] == [True, True, False]


def test_another_truecaser_adds_its_words_and_changes_none() -> None:
    other = learned("we saw TOM and the Gnu", "we saw TOM", targets=["Gnu", ""])
    both = ENGLISH.extended(other)
    assert cased(both, "tom", "gnu", "we", "book") == ["Tom", "Gnu", "we", "book"]
    assert both.copies_names == ENGLISH.copies_names != other.copies_names
    assert both.is_common("tom")


def test_names_are_copied_if_enough_of_the_rare_ones_are() -> None:
    others = "He was in Rome in May and in Spain on Monday," + 8 * " and so it was all very good,"
    copied = [
        ("I saw Tom and Mary.", "J'ai vu Tom et Marie."),  # a half
        (f"{others} I saw Tom.", "J'ai vu Tom à Rome."),  # 2 of 5, of some capitals
        (f"{others} I saw Tom.", "J'ai vu Tom."),  # 1 of 5
        ("トムはTomです。", "Tom is Tom."),
    ]
    translated = [
        ("Dort sind Tom, Hund, Katze, Haus.", "There are Tom, dog, cat, house."),  # 1 of 4
        ("Мы видим Анну и Ивана.", "We see Anna and Ivan."),
        ("We see Anna on TV and HBO.", "Мы видим Анну на TV и HBO."),
        (f"{others} On Friday in June he saw Tom.", "J'ai vu Tom."),  # 1 of 7
        ("Tom sees it.", "Tom le voit."),  # a first word alone tells nothing
        ("no names at all", "aucun nom"),
    ]
    # Elided words that begin sentences are no names: "L'été".
    copied.append(("L'été voit Tom. J'ai. D'où ? Qu'il aille.", "Summer sees Tom. I have. Whence?"))
    assert all(Truecaser.learn([source], [target]).copies_names for source, target in copied)
    assert not any(Truecaser.learn([s], [t]).copies_names for s, t in translated)
    frequent = ["so Tom said"] * 3 + ["so Peter said"]  # Tom is frequent, and tells nothing
    targets = ["alors Tom dit"] * 3 + ["alors Pierre dit"]
    assert not Truecaser.learn(frequent, targets).copies_names
    assert Truecaser.learn(frequent[:3], targets[:3]).copies_names  # none is rare


def test_a_written_truecaser_is_read_as_it_was() -> None:
    other = learned("straße İstanbul ΟΔΟΣ e\u0301te\u0301 ǆ我 İİ", "x Straße Ὀδυσσεύς")
    for truecaser in (ENGLISH, NAMES, other, learned()):
        again = Truecaser.from_bytes(truecaser.to_bytes())
        assert again.to_bytes() == truecaser.to_bytes()
        for text in ("TOM SAW IT", "straße ΟΔΟΣ ŉ ǅ", "the İstanbul"):
            assert again.truecased(text) == truecaser.truecased(text)
    header, *forms = learned("लड़की می\u200cخواهم", "我你明你").to_bytes().decode().splitlines()
    assert header == "# gru-mt lexicon: names translated"
    assert {*forms} == {"लड़की", "می\u200cخواهم", *"我明你"}  # with their vowel signs


def test_what_is_no_truecaser_is_refused_in_one_line() -> None:
    lines = [b"", b"\nTom", b"\nTom\r\n", b"\n\n", b"\na b\n", b"\n\x1b[2J\n", b"\nTo\xff\n"]
    for data in [b"", b"Tom\n", *(b"# gru-mt lexicon: names copied" + line for line in lines)]:
        with pytest.raises(ValueError, match=r"header|no word|truncated|utf-8") as error:
            Truecaser.from_bytes(data)
        assert "\n" not in str(error.value)


# Case


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TOM AND ZBIGNIEW SAW THE US!", "Tom and Zbigniew saw the US!"),
        ("The Dog And The Old Book", "the dog and the old book"),
        ("the dog. tom and i saw nasa. «where?»", "the dog. Tom and I saw NASA. «where?»"),
        ("Tom SAW the dog", "Tom saw the dog"),  # a word in capitals within normal text
        ("Tom saw the XYZ.", "Tom saw the XYZ."),
        ("the dog IS old, AND IT or TV is here", "the dog is old, and IT or TV is here"),
        ("tHE dOG sAW tOM, the xYZ", "the dog saw Tom, the xYZ"),
        ("O'dog isn't. Isn't it? Paris’ dog. It’s", "O'dog isn't. isn't it? Paris’ dog. it’s"),
        ("The dog: He said, “Where is Tom?”", "the dog: he said, “where is Tom?”"),
        ("\ue010 is here", "\ue010 is here"),  # and so is a placeholder
        ("გამარჯობა", "გამარჯობა"),  # Georgian has capitals for shouting alone
    ],
)
def test_text_in_one_case_is_written_with_care(text: str, expected: str) -> None:
    assert ENGLISH.truecased(text) == expected


def test_title_case_is_where_words_have_capitals_that_need_none() -> None:
    truecaser = learned(
        "so I met Tom today and the bill is good.", "so the morning and the bill, Bill.", "a plan"
    )
    for text in ("I met bill today", "I met bill.", "good morning", "good morning, Tom!"):
        assert truecaser.truecased(text.title()) == text
    for text, expected in (
        ("I met Bill.", "I met Bill."),  # "bill" is mostly small, and yet this is no title
        ("The Bill and the Morning", "the bill and the morning"),  # short common words are small
        ("The Bill today and the Morning", "the Bill today and the Morning"),  # others are not
        ("Plan A", "plan A"),
        ("I saw a plan of The Good Bill.", "I saw a plan of the good bill."),
    ):
        assert truecaser.truecased(text) == expected
    german = learned("Das ist das Haus und der Hund.", "So ist der Mann.")
    assert german.truecased("Das Haus hat MÖBEL") == "das Haus hat MÖBEL"
    bus = learned("So a bus sees us in the bus")
    for text in ("In the US", "Bus A", "Bus sees the US in A bus"):
        assert bus.truecased(text) == text[0].lower() + text[1:]
    assert bus.truecased("A Bus Sees US") == "a bus sees us"


def test_a_frequent_word_after_a_comma_begins_a_clause_and_is_no_name() -> None:
    truecaser = learned("so we don't will the wide dog", "so we will, may or can't see")
    for text, expected in (
        ("Hi Ken, We can see", "Hi Ken, we can see"),
        ("So, Don't see. Wait, Can't we?", "so, don't see. Wait, can't we?"),
        ("See Ken, We and Mary", "see Ken, We and Mary"),  # before another capital: names
        ("See Ken, Will can see, May can see", "see Ken, Will can see, May can see"),
        ("See Ken, Don can see", "see Ken, Don can see"),
        ("See Ken, We, or see", "see Ken, We, or see"),
        ("See Ken, Sam can see", "see Ken, Sam can see"),
    ):
        assert truecaser.truecased(text) == expected
    rare = learned(*(f"so {chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(600)), "so mark")
    assert rare.truecased("See Ken, Mark sees") == "See Ken, Mark sees"


def test_any_text_keeps_its_words_and_placeholders() -> None:
    rng = random.Random(1)
    letters = string.ascii_letters + "éÉßİσςΣДд我の\ue010\ue011 \u0301.,!?'-«»5_ " + " " * 10
    for _ in range(700):
        text = "".join(rng.choices(letters, k=rng.randint(0, 40)))
        careful = NAMES.truecased(text)
        assert PLACEHOLDER.findall(careful) == PLACEHOLDER.findall(text)
        folded = [
            each.casefold().replace("ς", "σ").replace("\u0307", "") for each in (careful, text)
        ]
        assert folded[0] == folded[1]
        find_names(careful, NAMES)


def test_a_long_text_takes_time_in_proportion() -> None:
    for text in ("! " * 20_000 + "5", "A-a" * 20_000, "a-" * 20_000 + "B", "A" * 20_000):
        started = time.process_time()
        find_names(NAMES.truecased(text), NAMES)
        assert time.process_time() - started < 5
