"""Texts in other languages than a corpus should have are warned about, with the fix."""

import random
import zipfile
from itertools import permutations
from pathlib import Path

import pytest

from gru_mt.data.corpus.languages import is_language, language_code, languages_warning
from tests.corpora import load, write

# The same in each language, as people say it.
TEXTS = {
    "en": "I do not know what you want. He is in the house and she is not. That was for you.",
    "fr": "Je ne sais pas ce que vous voulez. Il est dans la maison et elle pas. C'est pour vous.",
    "de": "Ich weiß nicht, was Sie wollen. Er ist in dem Haus und sie nicht. Das war für Sie.",
    "es": "No sé lo que quieres. Él está en la casa y ella no. Eso es para los que más lo quieren.",
    "pt": "Eu não sei o que você quer. Ele está na casa e ela não. Isso é para você, mas não é.",
    "ru": "Я не знаю, что вы хотите. Он в доме, а она нет. Это было для вас, и я это так и знал.",
    "hi": "मैं नहीं जानता कि आप क्या चाहते हैं। वह घर में है और यह नहीं है। यह आप के लिए है।",
    "ar": "أنا لا أعرف ما هذا. هو في البيت مع هذه التي كان. لقد كان هذا من أنا إلى كل.",
    "ja": "私はあなたが何を欲しいのか知りません。彼は家にいて、彼女はいません。",
    "zh": "我不知道你想要什么。他在家里，她不在。那是给你的。",
    "ko": "나는 당신이 무엇을 원하는지 모릅니다. 그는 집에 있고 그녀는 없습니다.",
    "el": "Δεν ξέρω τι θέλεις. Είναι στο σπίτι και αυτή όχι. Αυτό ήταν για σένα.",
}


def warning(one: str, other: str, languages: list[str]) -> str | None:
    """Return the warning about texts in two languages, or about texts as they are given."""
    return languages_warning([[TEXTS.get(each, each)] * 5 for each in (one, other)], languages)


def test_columns_the_other_way_round_are_told_and_others_are_no_warning() -> None:
    for one, other in permutations(TEXTS, 2):
        assert warning(one, other, [one, other]) is None
        assert warning(other, one, [one, other]) == (
            f"the first side looks like {other}, the second like {one}: "
            f"set languages: [{other}, {one}], or columns: [2, 1] (of two files: their order)"
        )


@pytest.mark.parametrize(
    ("one", "other", "languages", "message"),
    [
        ("de", "fr", "en fr", "side looks like de, the second like fr: set languages: [de, fr], "),
        ("en", "en", "en fr", "side looks like en, the second like en: name other columns"),
        ("Ní thuigim cad tá uait. Tá sé sa teach." * 9, "en", "en ga", "languages: [ga, en], "),
        ("", "en", "en fr", "second like en: name other columns"),  # a monolingual corpus
        ("fr", "en", "en_GB French", "[French, en_GB], or columns: [2, 1] (of two files: their"),
        ("Нисам знао да је то ту.", "en", "en sr", "set languages: [sr, en], or columns"),
        ("Қазақ тілі менің тілім, әрине.", "en", "fr en", "looks like Cyrillic script, the"),
    ],
)
def test_other_contradictions_are_told(one: str, other: str, languages: str, message: str) -> None:
    assert message in (warning(one, other, languages.split()) or "")


def test_what_cannot_be_told_is_no_warning() -> None:
    for one, other, languages in (
        (
            "es",
            "El pare de la Maria no té la clau de la casa, i a la mare no li agrada.",
            ["es", "ca"],
        ),
        ("en", "tlhIngan Hol Dajatlh'a'? HIja', jIjatlhlaH.", ["en", "tlh"]),
        ("en", "main nahin jaanta ki aap kya chahte hain", ["en", "hi-Latn"]),
        ("12 / 34", "%s: %d", ["en", "fr"]),
        ("train en " * 50, "train de " * 50, ["en", "de"]),  # a French word in each
        ("Tom, Mary", "Tom, Marie", ["en", "fr"]),
        ("", "en", ["fr", "en"]),
    ):
        assert warning(one, other, languages) is None, languages
    assert {*map(language_code, ["ENG", "English", "en-GB", "en_us", "anglais"])} == {"en"}
    assert language_code("zh-Hans") == language_code("cmn") == language_code("zh-Hans-CN") == "zh"
    assert language_code("sr-Latn-RS") == "sr"


@pytest.mark.parametrize(
    ("name", "wanted", "holds"),
    [
        ("pt-BR", "Portuguese", True),
        ("fra", "français", True),
        ("pt-BR", "por_br", True),
        ("pt-BR", "pt-PT", False),
        ("sr-Cyrl", "sr-Latn", False),
        ("tlh", "TLH", True),
        ("Old English", "English", False),
    ],
)
def test_a_language_is_wanted_by_any_of_its_names(name: str, wanted: str, holds: bool) -> None:
    assert is_language(name, wanted) is is_language(wanted, name) is holds


def test_no_part_of_the_real_corpus_is_a_warning_unless_it_is_the_other_way_round(
    fra_eng_zip: Path,
) -> None:
    with zipfile.ZipFile(fra_eng_zip) as packed:
        lines = packed.read("fra-eng/fra.txt").decode().splitlines()
    rng = random.Random(1)
    for size in [5, 20, 100, 300] * 4:
        start = rng.randrange(len(lines) - size)
        rows = [line.split("\t") for line in lines[start : start + size]]
        sides = [[row[side] for row in rows] for side in (0, 1)]
        assert languages_warning(sides, ["en", "fr"]) is None, sides
        if size >= 100:
            assert languages_warning([*reversed(sides)], ["en", "fr"]), sides


def test_a_corpus_has_the_warning() -> None:
    write({"c.tsv": "".join(f"{n} {TEXTS['ja']}\t{n} {TEXTS['en']}\n" for n in range(9))})
    settings = {"languages": ["en", "ja"], "source": "en", "target": "ja", "max_ratio": 90}
    [message] = load("c.tsv", **settings).warnings
    assert message.startswith("c.tsv: the first side looks like ja, the second like en: set lang")
    assert load({"path": "c.tsv", "columns": [2, 1]}, **settings).warnings == ()
