"""Dates are found, and written as the other language does. The forms are those of grammars."""

import pytest

from gru_mt.data.text.terms.articles import contracted
from gru_mt.data.text.terms.dates import date_rules


def written(text: str, source: str = "en", target: str = "fr", *, rare: str = "") -> str:
    """Return `text` with its dates as the target language has them, in brackets."""
    rules = date_rules(source, target)
    assert rules
    for span in reversed(
        rules.find(text, {"may", "march", "mars", "mai"}.__contains__, rare.split().__contains__)
    ):
        text = f"{text[: span.start]}[{span.text}]{text[span.end :]}"
    return text


@pytest.mark.parametrize(
    ("text", "french"),
    [
        ("I was born on July 4, 1985.", "I was born [le 4 juillet 1985]."),
        ("We meet on the 3rd of June or May 21st.", "We meet [le 3 juin] or [le 21 mai]."),
        ("It was 12 March 2001", "It was [le 12 mars 2001]"),
        ("The 1st of May", "[1er mai]"),  # alone
        ("The 1st of May is here", "[le 1er mai] is here"),
        ("On Monday, October 7, 2024, we go", "[le lundi 7 octobre 2024], we go"),
        ("On 5 March. He is. The 6 Mar. and", "[le 5 mars]. He is. [le 6 mars] and"),
        ("Sun, Sept. 1: see AUG 2", "[le dimanche 1er septembre]: see [le 2 août]"),
        ("by feb 3", "by [le 3 février]"),
        ("It opened in May 1998.", "It opened [en mai 1998]."),
        ("the Dec. 1998 issue, since May of 2001", "the [décembre 1998] issue, since [mai 2001]"),
        ("on february 29", "[le 29 février]"),
        ("You may 5 times march 5 miles", "You may 5 times march 5 miles"),  # no months
        ("sun, may 5, on march 5", "[le dimanche 5 mai], [le 5 mars]"),
        ("February 30, 0 May, February 29, 2023", "February 30, 0 May, February 29, 2023"),
        ("May 5-7, 12.5 May, a5 May, Mayor 5", "May 5-7, 12.5 May, a5 May, Mayor 5"),
        ("1. May I come in? Go in May.", "1. May I come in? Go in May."),
        ("\u017fept 5", "\u017fept 5"),
    ],
)  # fmt: skip
def test_english_dates_are_written_in_french(text: str, french: str) -> None:
    assert written(text) == french


@pytest.mark.parametrize(
    ("target", "text", "found"),
    [
        ("fr", "the 2nd floor, the 21ST century", "the [2e] floor, the [21e] century"),
        ("de", "the 2nd floor", "the [2.] floor"),
        ("en", "der 2nd Stock", "der 2nd Stock"),
        ("ja", "the 2nd floor", "the [2番目] floor"),
        ("fr", "the 1st dog", "the [1er] dog"),
        ("nl", "the 1st dog", "the [1e] dog"),
        ("fr", "on the 5th, on the 1st", "[le 5], [le 1er]"),
        ("de", "on the 31st.", "[am 31.]."),
        ("ja", "on the 5th!", "[5日に]!"),
        ("fr", "on the 5th floor, on the 32nd", "on the [5e] floor, on the [32e]"),
        ("fr", "0th, v2nd, 2nds and 1.2nd", "0th, v2nd, 2nds and 1.2nd"),
        ("fr", "In the 1990s, the 80's", "[dans les années 1990], [les années 80]"),
        ("de", "in the 1990s", "[in den 1990er Jahren]"),
        ("fr", "In 1985, until 2008 he", "[en 1985], [jusqu'en 2008] he"),
        ("de", "I left in 1985.", "I left [im Jahr 1985]."),
        ("ja", "since 1990 and in 2005", "[1990年から] and [2005年に]"),
        ("fr", *["in 2000 words, in 1985-86, in 2100, in 1985.5 m"] * 2),
        ("ja", "In the 1990s the 80s", "[1990年代に] [80年代]"),
        ("fr", "The '90s, in the ’80s", "[les années 90], [dans les années 80]"),
        ("fr", "1990s, the 1995s, the 0s", "1990s, the 1995s, the 0s"),
    ],
)
def test_english_ordinals_and_decades(target: str, text: str, found: str) -> None:
    assert written(text, "de" if target == "en" else "en", target) == found


@pytest.mark.parametrize(
    ("source", "target", "text", "found"),
    [
        ("fr", "en", "dans les années 90, Les années 1980", "[in the 90s], [the 1980s]"),
        ("fr", "en", "1er, 2e, 3ème, 11e, 112eme", "[1st], [2nd], [3rd], [11th], [112th]"),
        ("fr", "en", "le 1er mai, 2 e, 2em, 12345e", "[on May 1], 2 e, 2em, 12345e"),
        ("de", "fr", "in den 90er Jahren", "[dans les années 90]"),
        ("ja", "en", "1990年代に", "[in the 1990s]"),
        ("nl", "de", "de 2e, in de jaren 90", "de [2.], [in den 90er Jahren]"),
        ("fr", "en", "Né le 5 janvier 1985", "Né [on January 5, 1985]"),
        ("fr", "en", "avant le 1er août", "avant [August 1]"),
        ("fr", "en", "jusqu'au 3 fevrier, mars 5", "jusqu'au [February 3], mars 5"),
        ("fr", "en", "mar. 5 mar. 2019", "[Tuesday, March 5, 2019]"),
        ("fr", "en", "le 5 jui 2020", "le 5 jui 2020"),  # June or July
        ("fr", "en", "en mai 1998, depuis juil. 1999", "[in May 1998], depuis [July 1999]"),
        ("de", "en", "Er kam am Montag, dem 4. Juli 1985", "Er kam [on Monday, July 4, 1985]"),
        ("de", "en", "im Mai 1998 bis zum 5. März", "[in May 1998] bis zum [March 5]"),
        ("en", "de", "born on July 4, 1985 in May 2001", "born [am 4. Juli 1985] [im Mai 2001]"),
        ("en", "es", "born on July 4, 1985", "born [el 4 de julio de 1985]"),
        ("es", "en", "hasta el 4 de julio de 1985", "hasta [July 4, 1985]"),
        ("en", "it", "born on May 1", "born [il 1º maggio]"),
        ("en", "pt", "born on Monday, May 2", "born [em segunda-feira, 2 de maio]"),
        ("en", "nl", "born on May 2, 1998", "born [op 2 mei 1998]"),
        ("English", "Japanese", "born on July 4, 1985", "born [1985年7月4日に]"),
        ("en", "ja", "Monday, July 4 is in July 1985", "[7月4日月曜日] is [1985年7月に]"),
        ("ja", "en", "私は1985年7月4日に", "私は[July 4, 1985]に"),
        ("ja", "en", "11月3日月曜日", "[Monday, November 3]"),
        ("zh", "fr", "他1985年7月4号来，1998年5月", "他[le 4 juillet 1985]来，[mai 1998]"),
        ("ja", "zh", "21月5日と1月32日", "21月5日と1月32日"),
    ],
)  # fmt: skip
def test_dates_of_other_languages(source: str, target: str, text: str, found: str) -> None:
    assert written(text, source, target) == found


def test_languages_that_are_not_known_have_no_rules() -> None:
    assert date_rules("en", "tlh") is None
    assert date_rules("xx", "fr") is None


def test_an_article_joins_the_preposition_before_it() -> None:
    for left, right, joined in (
        ("jusqu'à ", "le 4 mai", "jusqu'au 4 mai"),
        ("jusqu'", "le 4 mai", "jusqu'au 4 mai"),
        ("concert de ", "le lundi 4 mai", "concert du lundi 4 mai"),
        ("né le <b>", "le 4 mai", "né le <b>4 mai"),
        ("de **", "le 4 mai", "du **4 mai"),
        ("de ", "el 4 de mayo", "del 4 de mayo"),
        ("da ", "il 4 maggio", "dal 4 maggio"),
        ("monde ", "le 4 mai", "monde le 4 mai"),
        ("de ", "les années 80", "des années 80"),
        ("彼は ", "5月4日に", "彼は5月4日に"),
        ("Tom ", "5月4日に", "Tom 5月4日に"),
        ("彼は ", "Tom", "彼は Tom"),
        ("de ", "LE CHAT", "de LE CHAT"),
        ("da ", "le 4 mai", "da le 4 mai"),
    ):
        assert "".join(contracted(left, right)) == joined


@pytest.mark.parametrize(
    ("source", "target", "text", "expected"),
    [
        ("en", "fr", "On Tuesday and Friday, on tuesdays", "[mardi] and Friday, [le mardi]"),
        ("en", "fr", "Tuesday's, Tuesdays, since Tuesday-", "[mardi]'s, Tuesdays, since Tuesday-"),
        ("en", "de", "in March, on Tuesday, next march", "[im März], [am Dienstag], next march"),
        ("en", "es", "in march, on march, July and july", "[en marzo], on march, [julio] and july"),
        (
            "fr",
            "en",
            "le mardi, avant le mardi, en juillet",
            "[on Tuesday], avant [Tuesday], [in July]",
        ),
        (
            "en",
            "fr",
            "on Tuesday, July 5 in the U.S. in July",
            "[le mardi 5 juillet] in the U.S. [en juillet]",
        ),
        ("en", "ja", "on Tuesday in July", "[火曜日に] [7月に]"),
        ("es", "en", "Julio, en Julio, en JULIO y julio", "Julio, [in July], [in July] y [July]"),
        ("ja", "en", "火曜日に", "火曜日に"),
    ],
)
def test_names_alone_that_are_rare_are_written_too(
    source: str, target: str, text: str, expected: str
) -> None:
    rare = "Tuesday tuesday March march July july mardi juillet julio Julio JULIO 火曜日"
    assert written(text, source, target, rare=rare) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("See you Fri! Thurs, tues.", ["vendredi", "jeudi", "mardi"]),
        ("on Sat and on wed, sat Sun", ["samedi", "mercredi"]),  # these are words alone
        ("Mon-Fri, Sat – sun", ["lundi-vendredi", "samedi – dimanche"]),
        ("Monday-wed", ["lundi-mercredi"]),
        ("in Jan, Jan left, Mar-Sept", ["en janvier", "mars-septembre"]),
        ("Frid on Mond, Mon-day, Fri-x, Friday-x, on ſat-ſun", []),
        ("on Mon, 5 May", ["le lundi 5 mai"]),
    ],
)
def test_english_names_may_be_cut_or_go_from_one_to_another(text: str, expected: list[str]) -> None:
    rules = date_rules("en", "fr")
    assert rules
    small = ("sat", "sun", "wed", "mar")
    spans = rules.find(text, lambda word: word.lower() in small, lambda _: False)
    assert [span.text for span in spans] == expected


def test_a_month_that_is_mostly_another_word_is_one_after_its_preposition() -> None:
    rules = date_rules("en", "fr")
    assert rules
    spans = rules.find("May I go in May?", lambda word: word == "May", lambda _: False)
    assert [span.text for span in spans] == ["en mai"]
