"""Which known words a typo stands for: of each kind of typo, and of right words none."""

import random
import string

import pytest

from gru_mt.data.text.spelling import BESIDE, Spelling, unaccented
from gru_mt.data.text.truecase import Truecaser

COMMON_WORDS = """the you that have with they what there because where people little friend morning
    school coffee walk walks walked talk talks talked play plays played touch looked cooked parked
    walking talking looking so no too been hello tomorrow stop stopped player beautiful dog is it"""
WORDS = COMMON_WORDS.split()
SPELLING = Spelling({word: rank for rank, word in enumerate(WORDS)})


@pytest.mark.parametrize(
    ("typo", "word"),
    [
        ("freind", "friend"),  # swapped
        ("teh", "the"),
        ("becuase", "because"),
        ("schooll", "school"),  # doubled
        ("morninng", "morning"),
        ("soooo", "so"),  # more often
        ("tooooo", "too"),  # two of them stand, and "to" is not known
        ("nooooooo", "no"),
        ("helllllo", "hello"),
        ("moening", "morning"),  # r -> e, a key beside
        ("scjool", "school"),
        ("cofee", "coffee"),  # dropped
        ("litle", "little"),
        ("tomorow", "tomorrow"),
        ("beatiful", "beautiful"),
        ("riend", "friend"),
    ],
)
def test_a_typo_is_explained_by_what_happened_to_its_letters(typo: str, word: str) -> None:
    assert SPELLING.corrected(typo) == word


@pytest.mark.parametrize(
    "word",
    [
        "schotl",  # t is no key beside o
        "morningx",  # a letter more that is none doubled
        "mornizg",
        "frxxnd",
        "parks",  # "park" is not known, nor is anything one step away
        "tje",  # j is beside h, but three letters are near to too many words
        "zz",
        "a",
        "x" * 41,
        "xlittlex",
    ],
)
def test_what_no_such_thing_explains_is_no_typo(word: str) -> None:
    assert SPELLING.corrected(word) is None


def test_a_known_stem_with_an_ending_of_other_words_is_right() -> None:
    assert not SPELLING.has_stem("walker"), "-er after k makes no other word here"
    assert Spelling(dict.fromkeys(("walk", "walked", "talk", "talked", "park"), 0)).has_stem(
        "parked"
    )
    # -s after k is an ending, of two words: so "parks" may be right where "park" is known.
    spelling = Spelling({each: i for i, each in enumerate(["parka", *WORDS, "park"])})
    assert spelling.has_stem("parks")
    assert spelling.corrected("parks") is None


def test_kinds_are_tried_in_order_and_then_the_most_frequent_word_wins() -> None:
    def corrected(typo: str, *words: str) -> str | None:
        return Spelling({word: rank for rank, word in enumerate(words)}).corrected(typo)

    assert corrected("caost", "coast", "canst") == "coast"
    assert corrected("tallest", "talest", "tallesst") == "talest"  # doubled, before dropped
    assert corrected("canwt", "cabwt", "canewt") == "cabwt"  # a key beside, before a dropped letter
    assert corrected("canwt", "canewt", "cabwt") == "cabwt"
    assert corrected("frogx", "frogz", "frogc") == "frogz"  # z and c are beside x: the first
    assert corrected("frogx", "frogc", "frogz") == "frogc"


def test_an_ending_may_be_right_where_another_would_be_too() -> None:
    # -ed and -es differ by one key; both are endings.
    words = ["baked", "bakes", "bake", "caked", "cakes", "cake", "waked", "wakes", "wake"]
    spelling = Spelling({word: rank for rank, word in enumerate([*words, "raked"])})
    assert spelling.corrected("rakes") is None


def test_two_letters_swapped_make_one_of_the_most_frequent_words_even_of_a_stem() -> None:
    words = ["does", "dos", "bos", "bose", "gos", "gose"]  # -se is an ending, so dos-e may be right
    spelling = Spelling({word: rank for rank, word in enumerate(words)})
    assert spelling.has_stem("dose")
    assert spelling.corrected("dose") == "does"


def test_a_word_that_lacks_an_ending_lacks_no_letter() -> None:
    spelling = Spelling({word: rank for rank, word in enumerate([*WORDS, "chalks"])})
    assert spelling.corrected("chalk") is None
    assert spelling.corrected("chals") == "chalks"


def test_accents_may_lack() -> None:
    spelling = Spelling({word: rank for rank, word in enumerate(["été", "déjà", "où", "ou"])})
    assert spelling.corrected("deja") == "déjà"
    assert spelling.corrected("ete") == "été"
    assert spelling.corrected("ou") is None, "too short, and known"
    assert [unaccented(text) for text in ("déjà", "Ångström", "我")] == ["deja", "Angstrom", "我"]


def test_only_frequent_words_are_taken_for_a_short_typo() -> None:
    rare = [f"w{number}q" for number in range(5_000)]
    late = Spelling({word: rank for rank, word in enumerate([*rare, "friend", "beautiful", "the"])})
    assert late.corrected("freind") is None, "of 4,000 words"
    assert late.corrected("beautifl") == "beautiful", "a long word is near to few"
    assert late.corrected("teh") is None
    first = Spelling({word: rank for rank, word in enumerate(["friend", *rare, "the"])})
    assert first.corrected("freind") == "friend"
    middle = Spelling(
        {word: rank for rank, word in enumerate([*rare[:350], "friend", *rare[350:]])}
    )
    assert middle.corrected("freind") == "friend"
    assert middle.corrected("freind", most=300) is None


def test_a_missing_space_divides_two_frequent_words() -> None:
    assert SPELLING.divided("dogis") == "dog is"
    assert SPELLING.divided("itis") == "it is"
    assert SPELLING.divided("dogxis") is None
    rare = [f"w{number}q" for number in range(1_000)]
    late = Spelling({word: rank for rank, word in enumerate(["is", *rare, "dog"])})
    assert late.divided("dogis") is None
    both = Spelling({word: rank for rank, word in enumerate([*rare[:60], "dog", "cat", "is"])})
    assert both.divided("dogcat") is None, "one of two is among the 60 most frequent"


def test_the_letter_that_was_doubled_is_dropped() -> None:
    assert SPELLING.undoubled("tthe") == "the"
    assert SPELLING.undoubled("tthhe") is None


def test_keys_are_beside_each_other() -> None:
    assert [BESIDE[key] for key in "qsmй"] == ["w", "ad", "n", "ц"]
    assert all(key in BESIDE[other] for key, others in BESIDE.items() for other in others)


def test_what_is_found_is_a_known_word_one_step_away() -> None:
    rng = random.Random(3)
    found = 0
    for _ in range(3_000):
        word = list(rng.choice(WORDS))
        at = rng.randrange(len(word))
        word[at] = rng.choice(["", word[at] * 2, rng.choice(string.ascii_lowercase)])
        typo = "".join(word)
        known = None if typo in WORDS else SPELLING.corrected(typo)
        if known is None:
            continue
        found += 1
        ways = {known[:i] + known[i + 1 :] for i in range(len(known))}  # a letter dropped
        ways |= {known[:i] + known[i] + known[i:] for i in range(len(known))}  # doubled
        ways |= {
            known[:i] + key + known[i + 1 :]
            for i, letter in enumerate(known)
            for key in BESIDE.get(letter, "")
        }
        ways |= {known[:i] + known[i : i + 2][::-1] + known[i + 2 :] for i in range(len(known))}
        assert typo in ways or any(three * 3 in typo for three in typo), (typo, known)
    assert found > 500


# In a text


TEXTS = ["You see the friend of Tom and that dog.", "I know that you see people, because I do."] * 3
TRUECASER = Truecaser.learn([*TEXTS, "I'm so late."], ["Tom"] * 7)


@pytest.mark.parametrize(
    "text",
    [
        "I see Freind",  # it may be a name
        "I see FREIND",  # in capitals, in a mixed sentence
        "I see eFreind",
        "freind= that", "freind_ that", "\\freind that", "[freind that", "<freind that",
        ".freind that",
        "that freind.x", "that freind[0",
    ],
)  # fmt: skip
def test_what_may_be_right_is_not_corrected(text: str) -> None:
    assert TRUECASER.corrected(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I see freind.", "I see friend."),
        ("Freind of that dog", "friend of that dog"),  # at the start
        ("I see TThat", "I see that"),  # the shift key was held too long
        ("I see tThat", "I see tThat"),
        ("im so late", "I'm so late"),
        ("that dogand you", "that dog and you"),
        ("I see oTm", "I see Tom"),
    ],
)
def test_a_typo_in_a_text_is_corrected(text: str, expected: str) -> None:
    assert TRUECASER.corrected(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tehre", "there"),
        ("i dont know", "i don't know"),
        ("Tehre you go", "there you go"),  # the first word of a sentence
        ("see Tehre", "see Tehre"),  # it may be a name
        ("theres", "theres"),  # a known word with an ending
        ("thee", "there"),
        ("yuo", "you"),  # a short word is one of the most frequent ones
        ("Yuo go", "you go"),
        ("there, go", "there, go"),
        ("thexre's", "thexre's"),  # joined by an apostrophe
        ("l’tehre", "l’tehre"),
        ("tehre knoww", "tehre knoww"),  # mostly unknown words: another language
        ("tehre you knoww", "tehre you knoww"),
        ("tehre you go, i konw", "there you go, i know"),
    ],
)
def test_a_word_that_is_not_known_is_read_as_one_near_it(text: str, expected: str) -> None:
    sources = ["you go there.", "we don't know.", "i go there, you know."]
    assert Truecaser.learn(sources, [""] * 3).corrected(text) == expected


def test_a_word_that_always_has_a_capital_is_read_with_its_apostrophe_too() -> None:
    sources = ["I know I'm late.", "I think I'm ill.", "we don't know."]
    truecaser = Truecaser.learn(sources, [""] * 3)
    assert truecaser.corrected("I know Im ill") == "I know I'm ill"
    assert truecaser.corrected("I know Dont") == "I know Dont"  # it may be a name
