"""A line is split into sentences, and nothing of it is lost."""

import random
import time

import pytest

from gru_mt.data.text.sentences import split_sentences


@pytest.mark.parametrize(
    ("language", "line"),  # | between sentences
    [
        ("en", "Hi!|How are you?"),
        ("en-GB", "Mr. Smith left at 5 p.m. sharp. |J. K. Rowling wrote, e.g. this."),
        ("en", "i went home; then i slept. |how are you"),
        ("en", 'He said "Go. Now." |Then he left. |“Hi. You.”'),
        ("en", "• Buy milk. |• Call Tom."),
        ("en", "See \ue010. |\ue011 is it. |\ue012 Yes. \ue013"),
        ("en", "He is well, i.e. He eats. |Eat, e.g. The apple. |It is so, i. e. |He is"),
        ("fr", "M. Dupont est là. |Il va bien ! |Mme. Martin aussi."),
        ("es", "¿Cómo estás? |¡Bien! |Sr. Pérez vino."),
        ("ru", "Привет! |Как дела? |А. С. Пушкин писал."),
        ("Japanese", "はい。|そう？|「そう。」"),
        ("hi", "मैं घर जा रहा हूँ। |तुम?"),
        ("en", "I use .NET and Node.js. |We like .NET. |It is good. |ASP.NET is old."),
        ("en", "See Vol. 2, no. 5, ch. 3 and fig. 4. |It is approx. 5 km. |Call tel. 555."),
        ("en", "Milk, etc. and more. |Apple Inc. is in St. Louis and Ft. Worth."),
        ("en", "The max. speed in vol. V is approx. $5. |He ran 5 km. |3 men did. |No. |I do."),
        ("en", "I see. |5 men came. |We were in. |6 men left. |I left at 5 p.m. |6 men came."),
        ("en", "I came to the end.|Then I left.|I'm ok!|“Go on.” |Yes?|No."),
        ("en", "THE END.|THEN I LEFT. |I USE .NET."),
        ("en", "Set a_b.Name(5) and a.Get[5] now. |Run x.Name=5. |Go"),
        ("en", "Node.js, example.com, U.S.A, Ph.D, Mr.Smith and St.Louis."),
        ("fr", "En 50 av. J.-C. déjà. |Des fruits, p. ex. bleus.|C'est fini.|À demain."),
        ("fr", "il n'a rien de tel. |c'est un jeu. |ce sont des vols. |je pars."),
        ("de", "Im 2. Stock. |Der 1. FC Köln. |Mein 3. Buch. |Es sind 5. |Das Ende.|Dann kam ich."),
        ("es", "A las 5 p. m. y luego. |A aprox. 5 días. |La Dña. Ana, n.º 3, vol. 2, pág. 3."),
        ("en", "Wait (yes. You!) there. |He said 'Go. Now.' |Then he «left. So» he went."),
        ("el", "Τι κάνεις; |Καλά!"),
        (
            "de",
            "„Was ist los?“, fragte Tom. |»Komm!«, sagte er. |Am 24. Dezember. |\ue010. war es. ",
        ),
        ("ja", "彼は「行くよ！」と言った。|いいね。"),
        ("ru", "«Привет!» — сказал он. |Он ушёл."),
        ("es", "—¡Hola! —dijo él. |El 5.º piso y el 3.er libro."),
        ("en", "On Dec. 25 he left. |Version 3.x is new. |“Go!” |He left.|“Go on,” she said."),
        ("pl", "Mieszkam przy ul. Długiej. |To 3. dom."),
        ("hi", "डॉ. शर्मा आए। |यह मेरा काम. |वह गया।"),
        ("de", "Er wohnt in der Hauptstr. 5. |Am 5. Mai. |Ja."),
        ("", "Go on. |Stop it."),
        ("en", "1. Buy milk |2. Call Tom"),
        ("en", "1. Buy milk. |2. Call Tom."),
        ("en", "(a) Buy milk. |(b) Call Tom."),
        ("en", "iii. Buy milk. |Call Tom."),
        ("en", "1. Milk: 4. |2. Eggs"),  # 4 is not the next number
        ("en", "How much? 100%. |Ok."),
        ("en", "1."),
        ("en", "..."),
        ("en", "Well... |I think… |maybe not. |But... |5 of ... |it?! he said."),
        ("en", "He came…|but left ... |and came … |again...|Then d...mn it, 1...5, …so"),
        ("en", "hi!!! |how are you?? |ok! |he said"),
        ("es", "hola!! |que tal?? |Vino la sra. pérez. |hola.|¿qué tal?"),
        (
            "fr",
            "salut ! |tu viens ? |oui. |J'aime les chats, etc. |Je pars. |Voir art. 5, c.-à-d. 3.",
        ),
        ("en", "mr. smith is here. |MR. SMITH IS HERE. |I live in the U.S. |My dog is here."),
        ("de", "inkl. MwSt. und Versand, mind. 8 Zeichen, geb. am 5. Mai, 50 v. Chr. war es."),
        ("en", "Open 9 a.m. - 5 p.m. |Call at 5 p.m. EST now. |Use a 10 oz. can."),
        ("en", "“I was tired. |I went home.”"),
        ("en", 'The 5" dog is here. |The 6" dog is there.'),
        ("en", "I love the '90s. |They were the kids' best years."),
        ("en", "   "),
    ],
)
def test_a_line_is_split_between_its_sentences(language: str, line: str) -> None:
    assert split_sentences(line.replace("|", ""), language) == line.split("|")


@pytest.mark.parametrize("language", ["en", "fr", "de", "zh", "hi", "xx"])
def test_nothing_of_any_text_is_lost(language: str) -> None:
    rng = random.Random(language)
    pieces = [
        *"aZéÀ019 .!?…。؟।։'\"“”«»()[]-•*;:,\n\t\r\0\x0b\x1c\x85\u00a0\u2028\u3000",
        *"\u200b\ud800\udc00\ue010\ue017👍ा",
        *("Mr.", "e.g. ", "J. ", "1. ", " 2. ", ". ", " A", "..."),
    ]  # fmt: skip
    for _ in range(500):
        text = "".join(rng.choices(pieces, k=rng.randrange(30)))
        sentences = split_sentences(text, language)
        assert "".join(sentences) == text
        assert "" not in sentences
        assert len(sentences) < 2 or all(map(str.strip, sentences)), ascii(sentences)


@pytest.mark.parametrize("piece", ["'a ", '"a. ', "(a. ", "“a. ", "J. ", "1. a ", "(a) b ", ". . "])
def test_a_long_line_takes_time_in_proportion(piece: str) -> None:
    started = time.process_time()
    split_sentences(piece * 5_000, "en")
    split_sentences(f'"{piece[-2] * 20_000} a"', "en")
    assert time.process_time() - started < 2


def test_a_text_without_final_marks_stays_one() -> None:
    assert split_sentences("", "en") == []
    assert split_sentences("and so on " * 20_000, "en") == ["and so on " * 20_000]
