"""From a line to its sentences and back: nothing is lost, and placeholders keep their places."""

import pytest

from gru_mt.data.text.terms.dates import date_rules
from gru_mt.data.text.terms.glossary import Glossary
from gru_mt.data.text.truecase import Truecaser
from gru_mt.data.tokenizer.special import PLACEHOLDER_TOKENS
from gru_mt.inference.preprocessing.reader import Reader
from gru_mt.inference.preprocessing.sentence import Sentence, with_one_mark

TRAINING = [
    *("I saw Tom see the old dog.", "The dog saw the big cat, and it is here.", "So I go."),
    *("Now come home at 5pm with my pages of a, b or c.", "The cats of the café, 10 m é. 我的的"),
]
TRUECASER = Truecaser.learn(TRAINING, TRAINING)  # names are copied


def read(
    line: str, *, glossary: Glossary | None = None, split: bool = True, language: str = "en"
) -> list[Sentence]:
    return [*Reader(TRUECASER, language, lambda *_: True, glossary, split).sentences(line)]


def test_signs_around_words_are_a_pair_though_the_model_reads_them_apart() -> None:
    (sentence,) = read("The _dog_ is a cat.")
    first, second = PLACEHOLDER_TOKENS[:2]
    assert sentence.text == f"the {first} dog {second} is a cat."
    assert sentence.finished(f"Un {second} chien {first} est là.") == "Un _chien_ est là."


def echoed(line: str, *, glossary: Glossary | None = None, split: bool = True) -> str:
    """Return what comes of a line if the model writes what it reads."""
    found = read(line, glossary=glossary, split=split)
    return "".join(sentence.finished(sentence.text) + sentence.gap for sentence in found)


def test_a_date_is_put_as_the_target_language_writes_it() -> None:
    reader = Reader(TRUECASER, "en", lambda *_: True, dates=date_rules("en", "fr"))
    for line, text, found, shown in (
        (
            "I saw Tom on May 5.",
            "I saw Tom \ue010.",
            "J'ai vu Tom \ue010.",
            "J'ai vu Tom le 5 mai.",
        ),
        ("On May 5, I saw Tom.", "\ue010, I saw Tom.", "\ue010, j'ai vu.", "Le 5 mai, j'ai vu."),
        ("On May 5 I saw it.", "\ue010 I saw it.", "Je l'ai vu \ue010.", "Je l'ai vu le 5 mai."),
        ("on May 5 I saw it", "\ue010 I saw it", "\ue010 vu", "le 5 mai vu"),
        ("I SAW TOM ON MAY 5.", "I saw Tom \ue010.", "Vu Tom \ue010.", "VU TOM LE 5 MAI."),
        ("1. May 5, 2001", "1. \ue010", "1. \ue010", "1. Le 5 mai 2001"),
        ("May 5, 2001", "\ue010", "\ue010", "5 mai 2001"),
        (
            "I saw **Tom on May 5**.",
            "I saw \ue010 Tom \ue011\ue012.",
            "Vu \ue010Tom \ue011\ue012.",
            "Vu **Tom le 5 mai**.",
        ),
        ("The dog of May 5", "the dog of \ue010", "le chien de \ue010", "Le chien du 5 mai"),
        ("See x.org/May 5 dog", "see \ue010 5 dog", "\ue010 5 vu", "x.org/May 5 vu"),
    ):
        (sentence,) = reader.sentences(line)
        assert (sentence.text, sentence.finished(found)) == (text, shown)
        assert sentence.keeps_numbers(shown)


def test_copied_names_of_a_script_without_spaces_keep_the_spaces_between_them() -> None:
    for line in ("\u5f20\u4e09 \u674e\u56db \u738b\u4e94", "\u0e2a\u0e27\u0e31 \u0e1c\u0e21"):
        (sentence,) = Reader(TRUECASER, "en", lambda *_: True).sentences(line)
        assert sentence.is_copied
        assert sentence.finished(sentence.text) == line


def test_a_line_is_its_sentences_and_the_spaces_between() -> None:
    first, second, third = read(" I saw Tom.  Go to a@b.org!\u00a0The dog. ")
    assert [each.source for each in (first, second, third)] == [
        " I saw Tom.", "Go to a@b.org!", "The dog."
    ]  # fmt: skip
    assert [each.gap for each in (first, second, third)] == ["  ", "\u00a0", ""]


def test_a_line_is_read_in_nfc_and_what_is_copied_is_as_it_was_typed() -> None:
    pasted = "\u200eI \u202bsa\u00adw To\u200bm see\u2060 the cafe\u0301 \ufeff"
    emoji, address = "👩\u200d🔬❤\ufe0f", "https://x.org/cafe\u0301#अ\u200dब"
    (sentence,) = read(f"\ufeff{pasted} {address} {emoji} \ue013")
    assert sentence.source == f"I saw Tom see the café  {address} {emoji} \ue013"
    assert (sentence.placeholders, sentence.after) == ((address,), f" {emoji} \ue013")
    assert sentence.finished(sentence.text) == f"I saw Tom see the café {address} {emoji} \ue013"


def test_an_ellipsis_at_the_end_is_kept_and_two_marks_stay_together() -> None:
    for source, found, shown in (
        ("So I see the old dog...", "Je le vois.", "Je le vois..."),
        ("So I see it…", "Je le vois.", "Je le vois…"),
        ("So I see it...", "Je le vois...", "Je le vois..."),
        ("So I see it...", "Je le vois !", "Je le vois..."),
        ("So I see it...", "Le vois-je ?!", "Le vois-je ?!"),
        ("So I see it.", "Je le vois.", "Je le vois."),
        ("So I see?!", "Vraiment ? !", "Vraiment ?!"),
    ):
        (sentence,) = read(source)
        assert sentence.finished(found) == shown


def test_the_model_reads_no_comma_at_the_end_and_the_translation_has_it() -> None:
    for source, text, found, shown in (
        ("So I see the dog,", "So I see the dog", "Je le vois", "Je le vois,"),
        ("So I see it at a@b.org,", "So I see it at \ue010", "Je vois \ue010.", "Je vois a@b.org,"),
        ("So I see it,", "So I see it", "見る。", "見る、"),
        ("So I see it,", "So I see it", "Je le vois !", "Je le vois !"),
        ("So I see 5,", "So I see 5", "", ","),
        ("So I see...,", "So I see.", "Je vois.", "Je vois...,"),
        ("So I see…,", "So I see.", "Je vois…", "Je vois…,"),
    ):
        (sentence,) = read(source)
        assert sentence.text == text
        assert sentence.finished(found) == shown


def test_the_ellipsis_of_a_script_without_spaces_stays() -> None:
    assert with_one_mark("そうだ…") == "そうだ…"


@pytest.mark.parametrize(
    ("line", "sources"),
    [
        ("See Tom.❤️ I see.", ["See Tom.❤️", "I see."]),
        ("I see Tom ❤️😀 See it <3 see", ["I see Tom ❤️😀", "See it <3 see"]),
        ("See 😀 See it", ["See 😀 See it"]),  # it may stand for a word
        ("I see it 😀 Tom sees", ["I see it 😀 Tom sees"]),
        ("I see <b>it.</b> So I go.", ["I see <b>it.</b>", "So I go."]),
        ("See it.😀 dogs", ["See it.😀 dogs"]),
        ("Tom\tI see\t5", ["Tom", "I see", "5"]),
        ("• I see • So I go", ["• I see", "• So I go"]),
        ("the dog•s is here", ["the dog•s is here"]),
        ("Dog 1: See it", ["Dog 1:", "See it"]),
        ("DOG: see it", ["DOG:", "see it"]),
        ("Dog: a@b.org, c@d.org", ["Dog:", "a@b.org, c@d.org"]),
        ("The dog: $5", ["The dog:", "$5"]),
        ("Dog : Écoute", ["Dog :", "Écoute"]),
        ("Dog 1: see it", ["Dog 1: see it"]),
    ],
)
def test_where_a_line_is_split_beside_what_is_copied(line: str, sources: list[str]) -> None:
    assert [each.source for each in read(line)] == sources


def test_a_letter_alone_is_copied_and_one_of_a_unit_keeps_its_case() -> None:
    assert [(each.is_copied, each.finished(each.text)) for each in read("M")] == [(True, "M")]
    assert TRUECASER.truecased("open 24h, i.e. the dog 'n' cat") == "open 24h, i.e. the dog 'n' cat"
    assert TRUECASER.truecased("I saw a Big Dog here.") == "I saw a big dog here."


def test_a_sentence_after_an_ellipsis_begins_as_it_was_typed() -> None:
    for typed, found in (("So... I see", "So... Je vois"), ("So… we see!", "So… je vois")):
        first, second = read(typed)
        assert f"{first.finished('so.')}{first.gap}{second.finished('Je vois')}" == found
    _, name, word = read("So... tom saw it… dogs")
    assert name.finished("Tom l'a vu") == "Tom l'a vu"
    assert word.finished("Hunde", {"Hunde"}) == "Hunde"


@pytest.mark.parametrize(
    ("typed", "read_as", "found", "shown"),
    [
        ("I see it??", "I see it?", "Est-il grand ?", "Est-il grand ??"),
        ("I see it!!!", "I see it!", "Il est grand !", "Il est grand !!!"),
        ("I see it?!", "I see it?", "Est-il grand ?", "Est-il grand ?!"),
        ("I see it!?", "I see it?", "Est-il grand ?!", "Est-il grand !?"),
        ("彼は大きい！？", "\ue010？", "\ue010?", "彼は大きい!?"),
        ("I see it?!", "I see it?", "彼は大きいですか？", "彼は大きいですか？！"),
        ("I see it??", "I see it?", "هل هو كبير؟", "هل هو كبير؟؟"),
        ("I SEE IT!!", "I see it!", "Il est grand !", "IL EST GRAND !!"),
        ('"I see it!!" 😀', "I see it!", "Il est grand !", '"Il est grand !!" 😀'),
        ("I see it!!", "I see it!", "Il est grand.", "Il est grand."),
        ("I see it?", "I see it?", "Est-il grand ?!", "Est-il grand ?!"),
        ("I see it…", "I see it.", "Il est grand.", "Il est grand…"),
        ("I see it ....", "I see it.", "Il est grand.", "Il est grand...."),
        ("I see it….", "I see it.", "Il est grand.", "Il est grand…."),
        ("I see it?...", "I see it?", "Vu ?", "Vu ?..."),
        ("I see it!…", "I see it!", "Vu !", "Vu !…"),
        ("I see it...", "I see it.", "見ます。", "見ます…"),
        ("I…, I see…?", "I..., I see...?", "Il..., il est...?", "Il…, il est…?"),
        ('"I SEE IT…"', "I see it.", "Il est grand.", '"IL EST GRAND…"'),
    ],
)
def test_the_model_reads_one_of_several_final_marks_and_all_are_shown(
    typed: str, read_as: str, found: str, shown: str
) -> None:
    (sentence,) = read(typed)
    assert sentence.text == read_as
    assert sentence.finished(found) == shown


def test_initials_are_copied_also_where_a_sentence_begins_or_ends() -> None:
    (first, second) = read("The U.S. cat saw D.C. and a@b.org. P.S. I go home to the P.O.")[:2]
    assert first.text == "the \ue010 cat saw \ue011 and \ue012."
    assert first.placeholders == ("U.S.", "D.C.", "a@b.org")
    assert (second.is_copied, second.finished(second.text)) == (True, "P.S.")
    assert echoed("I go to the P.O.") == "I go to the P.O."


def test_what_is_copied_has_plain_digits_and_letters_for_those_of_full_width() -> None:
    (sentence,) = read("Ｓｅｅ Ｔｏｍ ａｔ ５５５－１２３４ or ａ＠ｂ．ｏｒｇ.")
    assert sentence.text == "see Tom at \ue010 or \ue011."
    assert sentence.placeholders == ("555-1234", "a@b.org")


@pytest.mark.parametrize("split", [True, False])
def test_odd_spaces_and_surrogates(split: bool) -> None:
    for blank in ("", " ", "\t\n", "\u2028", "\u00a0\u202f", "\u200b \ufeff"):
        assert read(blank, split=split) == []
    for end in ("\n", "\r\n", "\u2028", "\x85", "\x0b"):
        assert echoed(f"I saw{end}Tom.{end}", split=split) == "I saw Tom."
    assert echoed("so it is \udc80", split=split) == "So it is ?"


@pytest.mark.parametrize(
    ("language", "sources"),
    [("zh", ["我明白了。", "你好吗？"]), ("ar", ["مرحبا بك. ", "كيف حالك؟ a@b.org"])],
)
def test_other_scripts_are_cut_and_stay_as_they_are(language: str, sources: list[str]) -> None:
    found = read("".join(sources), language=language)
    sources = [*map(str.strip, sources)]
    assert [each.source for each in found] == sources
    assert [each.finished(each.text) for each in found] == sources
    assert all(each.case == "model" for each in found)
    assert not read("我")[0].is_copied, "it is known"


def test_a_mark_stays_a_placeholder_where_a_term_takes_what_held_it() -> None:
    line = "I saw the old dog `a \ue013` here"
    assert echoed(line) == line
    glossary = Glossary.of({"saw the old dog `a": "T"})
    (sentence,) = read(line, glossary=glossary)
    assert sentence.placeholders == ("T", "\ue013")
    assert echoed(line, glossary=glossary) == "I T \ue013` here"


def test_terms_placeholders_and_names_stand_side_by_side() -> None:
    glossary = Glossary.of({"old dog": "vieux chien", "a@b.org": "c@d.org"})
    line = "So Zbigniew saw the OLD  dog at a@b.org and 555-1234. Jean-Luc is here, old dog!"
    first, second = read(line, glossary=glossary)
    assert first.placeholders == ("Zbigniew", "vieux chien", "c@d.org", "555-1234")
    assert first.text == "So \ue010 saw the \ue011 at \ue012 and \ue013."
    assert second.placeholders == ("Jean-Luc", "vieux chien")
    assert second.text == "\ue010 is here, \ue011!"
    assert first.source + first.gap + second.source == line


def test_a_name_is_copied_as_it_was_written() -> None:
    (sentence,) = read("I SAW ZBIGNIEW AND O'SULLIVAN.")
    assert sentence.text == "I saw \ue010 and \ue011."
    assert sentence.placeholders == ("ZBIGNIEW", "O'SULLIVAN")
    assert sentence.case == "capitals"


TERMS = Glossary.of(
    {"cat": "matou", "IT": "informatique", "phone": "iPhone", "sea": "mer du Nord", "é": "x"}
)


@pytest.mark.parametrize(
    ("line", "translated", "finished"),
    [
        ("Cat is here.", "{0} est là.", "Matou est là."),
        ("The cat is here.", "{0} est là.", "Matou est là."),  # the translation begins with it
        ("Cat, come here.", "Viens, {0}.", "Viens, matou."),
        ("The cat and the Cat.", "{0} et {1}.", "Matou et matou."),
        ("Cat", "{0}", "Matou"),
        ("cat", "{0}", "matou"),
        ("so e\u0301 is", "{0} est", "x est"),  # however its accent is written
        ("Is a cat here?", "« {0} est là ? »", "« Matou est là ? »"),
        ("<b>Cat</b> is here.", "{0}{1}{2} est là.", "<b>Matou</b> est là."),
        ("Zbigniew, cat!", "{0}, {1} !", "Zbigniew, matou !"),
        ("THE CAT IS HERE.", "le {0} est là.", "LE MATOU EST LÀ."),
        ("THE PHONE IS <i>HERE</i>.", "{0} est {1}là{2}.", "IPHONE EST <i>LÀ</i>."),
        ("SO IT IS.", "{0} ici.", "INFORMATIQUE ICI."),
        ("IT", "{0}", "Informatique"),  # that is how it is always written
        ("IT is here.", "{0} est là.", "Informatique est là."),
        ("SO, cat.", "Bon, {0}.", "Bon, matou."),  # not in capitals
        ("Phone me.", "{0} moi.", "iPhone moi."),  # has a capital of its own
        ("Sea is here.", "{0} là.", "Mer du Nord là."),
        ("5 cats", "5 {0}", "5 {0}"),
        ("我的cat。", "{0} est là.", "Matou est là."),  # no case, but a sentence
        ("我的cat", "{0}", "matou"),
    ],
)
def test_terms_have_a_capital_where_a_sentence_begins_and_are_in_capitals_with_it(
    line: str, translated: str, finished: str
) -> None:
    (sentence,) = read(line, glossary=TERMS)
    assert sentence.finished(translated.format(*PLACEHOLDER_TOKENS)) == finished.format(
        *PLACEHOLDER_TOKENS
    )


def test_a_sentence_in_capitals_is_finished_in_capitals_but_for_its_placeholders() -> None:
    capitals, calm, mixed = read("GO AND SEE a@b.org, THE CAT! So I go. I SAW tom.")
    assert (capitals.case, calm.case, mixed.case) == ("capitals", "capital", "capital")
    assert capitals.text == "go and see \ue010, the cat!"
    assert capitals.finished("à \ue010, ça ß") == "À a@b.org, ÇA SS"
    assert calm.finished("à \ue010") == "À \ue010", "a mark without a placeholder stays"


@pytest.mark.parametrize(
    ("line", "translated", "finished"),
    [
        (
            '"Is he here?" she asked.',
            '"Est-il là ?" Elle a demandé.',
            '"Est-il là ?" elle a demandé.',
        ),
        ("“Go.” he said.", "« Va ! » Dit-il.", "« Va ! » dit-il."),
        ('"Go!" he said.', '"Va !" Tom dit.', '"Va !" Tom dit.'),  # a name
        ('"Ask the Dr." He said it.', '"Allez !" Il le dit.', '"Allez !" Il le dit.'),
    ],
)
def test_what_is_said_of_a_quotation_begins_small(
    line: str, translated: str, finished: str
) -> None:
    assert read(line)[-1].finished(translated, {"Tom"}) == finished


def test_tokens_are_shown_with_their_placeholders() -> None:
    (sentence,) = read("I saw a@b.org, c@d.org.")
    assert sentence.shown(["vu", "▁", "\ue011", ",", "\ue010x"]) == [
        "vu", "▁", "c@d.org", ",", "a@b.orgx"
    ]  # fmt: skip
    assert sentence.shown([]) == []
    assert sentence.shown(["", ""]) == ["", ""]


def test_the_second_placeholder_of_a_mark_takes_its_second_place() -> None:
    (sentence,) = read(" ".join(f"{number}-5555" for number in range(100, 110)))
    assert sentence.finished("\ue011 \ue010 \ue010 \ue011") == "101-5555 100-5555 108-5555 109-5555"
    assert sentence.shown(["\ue011", "\ue010", "\ue010"]) == ["101-5555", "100-5555", "108-5555"]


@pytest.mark.parametrize(
    ("line", "masked", "translated", "finished"),
    [
        ("Go <b>home</b> now.", "Go {0} home {1} now.", "Va {0} là {1} ici.", "Va <b>là</b> ici."),
        ("Go <b>home</b> now.", "Go {0} home {1} now.", "{1} va{0}.", "<b>va</b>."),
        ("my{x}dog", "my {0} dog", "mon {0} chien", "mon{x}chien"),
        ("see 300 pages", "see {0} pages", "voir{0}pages", "voir 300 pages"),  # words stay apart
        ("see {x} pages", "see {0} pages", "voir{0}pages", "voir{x}pages"),
        ("a 😀b 7 c", "a {0} b 7 c", "a {0} b 7", "a 😀b 7"),
        ("Is a {x}?", "Is a {0}?", "Est-ce ?{0}", "Est-ce ? {x}"),  # after the end, too
        ("Is a.{x}?", "Is a.{0}?", "Est.{0} ?", "Est.{x} ?"),
        ("{x} is", "{0} is", "Est.{0}", "Est. {x}"),
    ],
)
def test_a_word_that_touches_a_placeholder_is_read_apart_and_joined_again(
    line: str, masked: str, translated: str, finished: str
) -> None:
    (sentence,) = read(line)
    assert sentence.text.lower() == masked.format(*PLACEHOLDER_TOKENS).lower()
    assert sentence.finished(translated.format(*PLACEHOLDER_TOKENS)) == finished


def test_numbers_are_kept_with_their_letters_and_signs_or_become_placeholders() -> None:
    (sentence,) = read("go at 5pm, the 7th, 10:30 or 1.5")
    assert sentence.keeps_numbers("le 7e, à 5h, 10 h 30 ou 1,5")
    assert not sentence.keeps_numbers("le 7e, à 5 h, 10 h 30:30 ou 1,5")
    assert sentence.keeps_numbers("le 7e, à 5PM, 10 h 30 ou 1,5")
    assert not sentence.keeps_numbers("le 7e, à 5PMIR, 10 h 30 ou 1,5")
    assert not sentence.keeps_numbers("le 7e, à 5heures, 10 h 30 ou 1,5")
    assert not sentence.keeps_numbers("le 7e, à 5PM, 10 h 30 ou 1 !5")
    assert not sentence.keeps_numbers("le 7e, à 5p heures, 10 h 30 ou 1,5")
    assert not sentence.keeps_numbers("le 7e, à 10 h 30 ou 1,5")
    assert sentence.with_numbers().placeholders == ("5pm", "7th", "10:30", "1.5")
    for line, text in (("我有3个", "I have 3"), ("5月1日", "May 1st"), ("3万円", "30,000 yen"),
                       ("لدي ٥ كتب", "I have 5 books"), ("५", "5")):  # fmt: skip
        (sentence,) = read(line)
        assert sentence.keeps_numbers(text), line
        assert not sentence.keeps_numbers("none") or "万" in line
    (sentence,) = read("GO AT 5PM")
    assert sentence.with_numbers().placeholders == ("5PM",)
    (sentence,) = read("go -5 and 7-0")
    assert sentence.keeps_numbers("il fait -5 et 7-0")
    assert not sentence.keeps_numbers("il fait 5 et 7-0")
    assert not sentence.keeps_numbers("il fait -5 et 7 0")
    (sentence,) = read("go 5वीं so 7िकीम")
    assert sentence.with_numbers().placeholders == ("5वीं",), "with the vowel signs"


def test_numbers_as_placeholders_keep_what_touches_the_others() -> None:
    (sentence,) = read("go 7 <b>cat</b> 12")
    numbered = sentence.with_numbers()
    assert numbered.placeholders == ("7", "<b>", "</b>", "12")
    assert numbered.text.lower() == "go {} {} cat {} {}".format(*PLACEHOLDER_TOKENS)
    assert numbered.finished("va {} {} là {} {}".format(*PLACEHOLDER_TOKENS)) == "va 7 <b>là</b> 12"
    assert numbered.with_numbers() == numbered


def test_quotation_marks_and_brackets_are_kept_or_become_placeholders() -> None:
    (sentence,) = read('so it is "the cat" (I saw) here')
    assert sentence.keeps_all("c'est « le chat » (vu) là")
    lost_words = 'c\'est ", le chat" (vu)'
    for lost in (
        '"le chat (vu)',
        '"le chat » (vu)',
        '"le chat" vu)',
        '"the chat" (vu)',
        lost_words,
    ):
        assert not sentence.keeps_all(lost), lost
    marked = sentence.with_numbers(marks=True)
    assert marked.placeholders == ('"', '"', "(", ")")
    translated = "\ue012vu \ue013 c'est \ue011 le chat \ue010."
    assert marked.finished(translated) == '(vu) c\'est "le chat".'
    [single] = read("so it is 'the cat' (I saw) here")
    assert single.text == sentence.text
    (sentence,) = read("I saw Tom - so it is; the cat—here")
    assert sentence.keeps_all("vu Tom – oui ; le chat — là")
    assert not sentence.keeps_all("vu Tom - oui le chat — là")
    assert not sentence.keeps_all("vu Tom, oui ; le chat — là")
    assert sentence.with_numbers(marks=True).placeholders == ("-", ";", "—")
    truecaser = Truecaser.learn(["Tom - врач, он мал."], ["x"])
    [russian] = Reader(truecaser, "ru", lambda *_: True).sentences("Tom - врач; он - мал")
    assert russian.with_numbers(marks=True).placeholders == (), "its dash is a verb"
    assert read("so (5) cats")[0].with_numbers(marks=True).placeholders == ("(5)",)
