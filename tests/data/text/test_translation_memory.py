"""Short texts of the training split: which are found, and how their translations are written."""

import pytest

from gru_mt.data.text import translation_memory as memory_module
from gru_mt.data.text.normalize import is_short
from gru_mt.data.text.translation_memory import TranslationMemory
from gru_mt.data.tokenizer.special import PLACEHOLDER_TOKENS

FRENCH = [
    ("Hello!", "Bonjour !"),
    ("Hello!", "Salut !"),
    ("Really?", "Vraiment ?"),
    ("Really.", "C'est vrai."),
    ("Really.", "En effet."),
    ("Tom won.", "Tom a gagné."),
    ("Don't worry.", "Ne t'inquiète pas."),
    ("OK.", "D'accord."),
    ("TV!", "TV !"),
    ("Monday", "Lundi"),
    ("I see Tom here now.", "Je vois Tom ici maintenant."),
    ("We see Tom here now.", "Nous voyons Tom, Tom et Tom."),
    ("Do you see it there?", "Le vois-tu là-bas ?"),
]


def learned(*pairs: tuple[str, str]) -> TranslationMemory:
    return TranslationMemory.learn(*zip(*pairs, strict=True)) if pairs else empty()


def empty() -> TranslationMemory:
    return TranslationMemory.learn([], [])


MEMORY = learned(*FRENCH)


def test_a_short_text_has_one_to_three_words() -> None:
    # Four letters of kana and two of Han are taken for a word.
    for text in ("Hi", "Come on in !", "ありがとうございます。", "我今天很高兴。", "Tシャツ"):
        assert is_short(text), text
    for text in ("Come on in, Tom.", "!", "10.", "我今天非常高兴。", "a" * 101):
        assert not is_short(text), text


def test_case_final_marks_and_apostrophes_make_no_other_text() -> None:
    texts = ["hello", "HELLO", "Hello.", "Hello !", "hellO…", "Hello ?!", "Hello。", "¡Hello!"]
    assert all(len(MEMORY.find(text)) == 2 for text in texts)
    for text in ("don't worry", "Don’t worry", "DON`T WORRY!", "don´t worry?"):
        assert len(MEMORY.find(text)) == 1, text
    for text in ("", "...", "Bye", "Hello there", "Hel lo", "I see Tom here now."):
        assert MEMORY.find(text) == []


def test_texts_with_placeholders_or_other_digits_and_long_ones_are_left_to_the_model() -> None:
    mark = PLACEHOLDER_TOKENS[0]
    pairs = [(f"See {mark}.", f"Voir {mark}."), ("At 3:30.", "À trois heures."), ("a", "x" * 101)]
    memory = learned(*pairs, ("I'm 30.", "J'ai 30 ans."), ("b", "x" * 100))
    assert [memory.find(source) for source, _ in pairs] == [[], [], []]
    assert memory.find("i'm 30") == ["j'ai 30 ans"]
    assert memory.find("b") == ["x" * 100]


def test_the_most_frequent_translation_is_first_and_then_the_first_of_the_corpus() -> None:
    pairs = [("Go.", "Va."), ("Go.", "Pars."), ("Go!", "Pars !"), ("Go!", "File !")]
    assert learned(*pairs).find("go") == ["pars", "va", "file"]
    # Of exactly a text what mostly translates it is first, as it stands.
    pairs = [*[("Go.", "va !")] * 2, ("Go.", "Pars."), ("Go!", "Pars !"), ("Go!", "Pars !")]
    assert learned(*pairs).find("Go.") == ["va !", "Pars."]
    assert learned(*pairs).find("Go!") == ["Pars !", "Va !"]
    # Of those as frequent the one without a rare word is first.
    pairs = [("Bye.", "À la revoyure."), ("Bye.", "Au revoir.")]
    others = [
        ("He is there.", "Il est là, au fond."),
        ("So be it.", "J'ai dit au revoir à la vie."),
    ]
    assert learned(*pairs, *others).find("bye") == ["au revoir", "à la revoyure"]


def test_a_translation_with_the_same_mark_comes_first() -> None:
    assert MEMORY.find("really ?") == ["vraiment ?", "c'est vrai ?", "en effet ?"]
    assert MEMORY.find("really.") == ["c'est vrai.", "en effet.", "vraiment."]
    assert MEMORY.find("really؟")[0] == "vraiment ?"
    memory = learned(("Good morning.", "Bonjour !"), ("Good morning.", "Bonjour."))
    assert memory.find("Good morning.") == ["Bonjour."]
    assert memory.find("good morning!") == ["bonjour !"]


def test_four_translations_are_kept() -> None:
    pairs = [("Go!", f"{word} !") for word in ["Va", "Pars", "File", "Bouge", "Marche", "Vas-y"]]
    assert learned(*pairs).find("Go!") == ["Va !", "Pars !", "File !", "Bouge !"]
    assert b"Marche" not in learned(*pairs).to_bytes()
    (first,) = learned(*pairs[1:], *pairs[1:], ("GO.", "Va.")).find("GO.")[:1]
    assert first == "Va."  # a reference of this text, if not one of the four


@pytest.mark.parametrize(
    ("text", "translation"),
    [
        ("monday", "lundi"),
        ("MONDAY", "LUNDI"),
        ("Hello...", "Bonjour…"),  # as typed, where training has none
        ("TOM WON!", "TOM A GAGNÉ !"),
        ("OK", "D'accord"),  # in capitals as it stands in training
        ("tv", "tv"),
    ],
)
def test_the_translation_follows_the_case_and_the_mark(text: str, translation: str) -> None:
    assert MEMORY.find(text)[0] == translation


def test_an_ellipsis_is_written_as_it_was_typed() -> None:
    memory = learned(("Wait...", "Attends..."))
    assert [memory.find(text)[0] for text in ("wait…", "Wait...", "Wait…?")] == [
        "attends…", "Attends...", "Attends…?"
    ]  # fmt: skip


def test_words_keep_the_capital_that_they_have_inside_sentences() -> None:
    water = [(f"Das ist {n}.", f"Ich trinke Wasser {n}.") for n in "abc"]
    memory = learned(("Water!", "Wasser!"), ("I know.", "Ich weiß."), ("at", "'s nacht"), *water)
    found = [memory.find(text)[0] for text in ("water", "i know", "At", "AT")]
    assert found == ["Wasser", "ich weiß", "'s nacht", "'S NACHT"]


@pytest.mark.parametrize(
    ("pairs", "text", "translation"),
    [
        ([("Run!", "走れ！"), ("So it is, Tom.", "そうだ。")], "run.", "走れ。"),
        ([("走れ！", "Run!"), ("そうだ、そうだ、そう。", "So it is.")], "走れ。", "Run."),
        ([("Run!", "走れ。"), ("Tom!", "トム。")], "run!!", "走れ。"),  # not "。。"
        ([("Run!", "走れ！"), ("Tom!", "トム！")], "run!!", "走れ！！"),
        (
            [("What?", "何？"), ("A?", "か。"), ("B?", "か。")],
            "what?",
            "何？",
        ),  # the pair's own mark
        ([("What?", "¿Qué?"), ("Hi!", "¡Hola!")], "what!", "¡qué!"),
        ([("a b c d.", "x y"), ("Hi!", "salut")], "hi.", "salut"),  # a side without full stops
    ],
)
def test_a_mark_is_written_as_the_target_language_does(
    pairs: list[tuple[str, str]], text: str, translation: str
) -> None:
    assert learned(*pairs).find(text) == [translation]


def test_another_memory_adds_the_texts_that_are_lacking_and_changes_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = learned(("Hi!", "Salut !"), ("Go.", "Pars."))
    both = own.extended(learned(("Hi.", "Coucou."), ("Go.", "Va."), ("Why?", "Pourquoi ?")))
    found = [both.find(text) for text in ("hi", "Go.", "Why", "Hi?")]
    assert found == [["salut"], ["Pars."], ["Pourquoi"], ["Salut ?"]]
    monkeypatch.setattr(memory_module, "MOST_TEXTS", 2)  # the most frequent texts are kept
    memory = learned(("a", "x"), ("b", "y"), ("b", "z"), ("c", "x"))
    assert [memory.find(text) for text in "abc"] == [["x"], ["y", "z"], []]
    assert memory.extended(learned(("d", "x"))).find("d") == []


@pytest.mark.parametrize("memory", [MEMORY, empty(), learned(("走れ！", "Run!"), ("走れ", "Run"))])
def test_a_written_memory_is_read_as_it_was(memory: TranslationMemory) -> None:
    data = memory.to_bytes()
    again = TranslationMemory.from_bytes(data)
    assert again.to_bytes() == data
    for text in ("hello!", "Really?", "TOM WON", "tom won", "走れ。", "Go?!"):
        assert again.find(text) == memory.find(text)


HEADER = "# gru-mt translation memory\n"


def test_the_file_is_plain_text() -> None:
    pairs = [("Hi!", "Salut !"), ("Hi!", "Salut !"), ("Hi!", "Tom !")]
    data = learned(*pairs, *[("so it is Tom.", "x, Tom.")] * 3).to_bytes()
    assert data.decode() == f"{HEADER}!\t\t !\n.\t\t.\n\nTom\n\nHi!\tTom !\n\tSalut !\t2\n"
    form = learned(("Sign:", f"Signature : {'.' * 110}")).to_bytes()  # a row of dots
    assert TranslationMemory.from_bytes(form).to_bytes() == form


@pytest.mark.parametrize(
    "text",
    [
        *("", "# gru-mt lexicon\n\n\n", HEADER, HEADER + "\n"),
        *(HEADER + "!\t !\n\n\n", HEADER + "!\t\x1b[2J\t!\n\n\n", HEADER + "\na b\n\n"),
        *(f"{HEADER}\n\n{line}" for line in ("Hi\tSalut", "Hi\n", "\n", "\tSalut\n", "Hi\t\n")),
        *(f"{HEADER}\n\nHi\tSalut\t{count}\n" for count in ("", "-1", "1" * 10, "1\t2")),
        *(f"{HEADER}\n\n{pair}\n" for pair in ("Hi\tSa\x07lut", "Hi \tSalut", "!\tSalut", "Hi\t!")),
        *(f"{HEADER}\n\nHi\t{'x' * 101}\n", f"{HEADER}\n{'x' * 101}\n\n"),
    ],
)
def test_what_is_no_memory_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(ValueError, match=r"header|empty|ends before|line \d+ is no") as error:
        TranslationMemory.from_bytes(text.encode())
    assert str(error.value).isprintable()
