"""Which known words a typo stands for: of each kind of typo, and of right words none."""

from itertools import product
from string import ascii_lowercase

import pytest

from gru_mt.data.text.spelling import BESIDE, Spelling
from gru_mt.data.text.truecase import Truecaser

COMMON_WORDS = """the you that have with they what there because where people little friend morning
    school coffee walk walks walked talk talks talked play plays played touch looked cooked parked
    walking talking looking so no too been hello tomorrow stop stopped player beautiful dog is it"""
WORDS = COMMON_WORDS.split()
RARE = [f"w{number}q" for number in range(5_000)]


def spelling(*words: str) -> Spelling:
    """Return what knows these words, the most frequent one first."""
    return Spelling({word: rank for rank, word in enumerate(words)})


SPELLING = spelling(*WORDS)


@pytest.mark.parametrize(
    ("typo", "word"),
    [
        ("freind", "friend"),  # swapped
        ("teh", "the"),
        ("tooooo", "too"),  # more often; two of them stand, and "to" is not known
        ("moening", "morning"),  # r -> e, a key beside
        ("litle", "little"),  # dropped
        ("schotl", None),  # t is no key beside o
        ("morningx", None),  # a letter more that is none doubled
        ("parks", None),  # "park" is not known, nor is anything one step away
        ("tje", None),  # j is beside h, but three letters are near to too many words
        ("x" * 41, None),
    ],
)
def test_a_typo_is_explained_by_what_happened_to_its_letters(typo: str, word: str | None) -> None:
    assert SPELLING.corrected(typo) == word


def test_a_known_stem_with_an_ending_of_other_words_is_right() -> None:
    assert not SPELLING.has_stem("walker"), "-er after k makes no other word here"
    assert spelling("walk", "walked", "talk", "talked", "park").has_stem("parked")
    # -s after k is an ending, of two words: so "parks" may be right where "park" is known.
    assert spelling("parka", *WORDS, "park").corrected("parks") is None
    # -ed and -es differ by one key; both are endings.
    words = ["baked", "bakes", "bake", "caked", "cakes", "cake", "waked", "wakes", "wake"]
    assert spelling(*words, "raked").corrected("rakes") is None
    # A word that lacks an ending lacks no letter.
    assert spelling(*WORDS, "chalks").corrected("chalk") is None
    assert spelling(*WORDS, "chalks").corrected("chals") == "chalks"
    # Two letters swapped make one of the most frequent words, even of a stem.
    swapped = spelling("does", "dos", "bos", "bose", "gos", "gose")
    assert swapped.has_stem("dose")
    assert swapped.corrected("dose") == "does"


def test_kinds_are_tried_in_order_and_then_the_most_frequent_word_wins() -> None:
    assert [BESIDE[key] for key in "qsmй"] == ["w", "ad", "n", "ц"]
    assert spelling("coast", "canst").corrected("caost") == "coast"
    assert spelling("talest", "tallesst").corrected("tallest") == "talest"  # doubled, then dropped
    for words in (("cabwt", "canewt"), ("canewt", "cabwt")):  # a key beside, then dropped
        assert spelling(*words).corrected("canwt") == "cabwt"
    for words in (("frogz", "frogc"), ("frogc", "frogz")):  # z and c are beside x
        assert spelling(*words).corrected("frogx") == words[0]


def test_accents_may_lack() -> None:
    french = spelling("été", "déjà", "où", "ou")
    assert [french.corrected(word) for word in ("deja", "ete", "ou")] == ["déjà", "été", None]


def test_only_frequent_words_are_taken_for_a_short_typo() -> None:
    late = spelling(*RARE, "friend", "beautiful", "the")
    assert late.corrected("freind") is None, "of 4,000 words"
    assert late.corrected("beautifl") == "beautiful", "a long word is near to few"
    assert late.corrected("teh") is None
    middle = spelling(*RARE[:350], "friend", *RARE[350:])
    assert middle.corrected("freind") == "friend"
    assert middle.corrected("freind", most=300) is None


def test_a_missing_space_divides_two_frequent_words() -> None:
    assert SPELLING.divided("dogis") == "dog is"
    assert SPELLING.divided("dogxis") is None
    assert [SPELLING.undoubled(word) for word in ("tthe", "tthhe")] == ["the", None]
    assert spelling("is", *RARE[:1_000], "dog").divided("dogis") is None
    both = spelling(*RARE[:60], "dog", "cat", "is")
    assert both.divided("dogcat") is None, "one of two is among the 60 most frequent"


TEXTS = ["You see the friend of Tom and that dog.", "I know that you see people, because I do."] * 3
TRUECASER = Truecaser.learn([*TEXTS, "I'm so late, I don't go there on Friday."], ["Tom"] * 7)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I see freind.", "I see friend."),
        ("Freind of that dog", "friend of that dog"),  # at the start
        ("I see TThat", "I see that"),  # the shift key was held too long
        ("im so late", "I'm so late"),
        ("I know Im late", "I know I'm late"),  # it always has its capital
        ("i dont know", "i don't know"),
        ("I see oTm", "I see Tom"),
        ("yuo", "you"),  # a short word is one of the most frequent ones
        ("tehre you see, i konw", "there you see, i know"),
        ("idk coz ppl see", "I don't know because people see"),
        ("Idk", "I don't know"),
        ("I go Fri, so", "I go Friday, so"),  # a name of a day has its capital
    ],
)
def test_a_typo_in_a_text_is_corrected(text: str, expected: str) -> None:
    assert TRUECASER.corrected(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "I see Freind and Dont",  # they may be names
        "thx pls",  # thanks and please are unknown here
        "I see FREIND",  # in capitals, in a mixed sentence
        "I see eFreind and tThat",
        "freind= that", "freind_ that", "\\freind that", "[freind that", "<freind that",
        ".freind that", "that freind.x", "that freind[0",
        "theres",  # a known word with an ending
        "thexre's", "l’tehre",  # joined by an apostrophe
        "tehre knoww",  # mostly unknown words: another language
    ],
)  # fmt: skip
def test_what_may_be_right_is_not_corrected(text: str) -> None:
    assert TRUECASER.corrected(text) == text


def test_a_capitalised_word_with_an_ending_may_be_a_name() -> None:
    others = [f"we see the {''.join(pair)}qq." for pair in product(ascii_lowercase, repeat=2)]
    sources = [*others * 2, "we see the liars now."]
    truecaser = Truecaser.learn(sources, sources)
    assert truecaser.corrected("we see the lairs's now") == "we see the liars's now"
    assert truecaser.corrected("Lairs's see we now.") == "Lairs's see we now."
    assert truecaser.corrected("Teh's see we now.") == "the's see we now."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("r u w/ me, w/o u", "are you with me, without you"),
        ("See dogs, e.g. this. E.g., Tom", "See dogs, for example this. For example, Tom"),
        ("i. e. that, (e.g. this)", "that is that, (for example this)"),
        ("B/c u r", "Because you are"),
        ("a radius r and are r", "a radius r and are r"),
        ("x w/y, u/n r&b u-turn u.s. u's R. U is", "x w/y, u/n r&b u-turn u.s. u's R. U is"),
        ("W/O U", "W/O U"),
        ("z.B. p.ex. idk", "z.B. p.ex. idk"),  # "zum" is unknown, and idk has no sign
    ],
)
def test_signs_and_letters_stand_for_words(text: str, expected: str) -> None:
    sources = ["for example you are with me without this, that is because", "I like vitamin U"]
    assert Truecaser.learn(sources, sources).shorthand.written_out(text) == expected
    assert TRUECASER.shorthand.written_out("e.g. dogs") == "e.g. dogs"
    german = Truecaser.learn(["zum Beispiel das"], [""])
    assert german.shorthand.written_out("z.B. so, z. B. so") == "zum Beispiel so, zum Beispiel so"
    lower = Truecaser.learn(["you are u"], [""])  # as in Dutch
    assert lower.shorthand.written_out("r u") == "are u"


def test_british_and_american_spelling_are_read_as_the_one_that_is_known() -> None:
    american = ["my neighbor canceled it", "the colors of the center are gray", "i realize it"]
    british = ["my neighbour cancelled it", "the colours of the centre are grey", "i realise it"]
    for known, other in ((american, british), (british, american)):
        truecaser = Truecaser.learn(known, known)
        assert [*map(truecaser.corrected, [*other, *known])] == [*known, *known]


@pytest.mark.parametrize("others", [3_000, 5_000])
def test_a_rare_spelling_is_read_as_the_common_one(others: int) -> None:
    words = [3 * "".join(letters) for letters in product(ascii_lowercase, repeat=3)][:others]
    sources = [*words * 2, *["the color is gray", "is Colourn gray"] * 9, "the colour is grey"]
    truecaser = Truecaser.learn(sources, sources)
    text = "the colour of Grey and Colour"  # which may be names
    expected = text if others < 4_000 else "the color of Grey and Colour"
    assert truecaser.corrected(text) == expected
