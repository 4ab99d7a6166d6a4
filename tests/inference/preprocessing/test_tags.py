"""Which placeholders are pairs, and how they are nested in a translation."""

import random
import re
from itertools import permutations

import pytest

from gru_mt.data.text.placeholders import find_placeholders, mask
from gru_mt.inference.preprocessing.tags import double_quoted, nested, pairs


def pairs_of(text: str) -> list[tuple[str, str]]:
    """Return the pairs of the placeholders of a text."""
    known = {*"so very big he is a see link text here this".split()}  # noqa: SIM905
    masked = mask(text, find_placeholders(text, known.__contains__))
    found = pairs(masked.text, masked.placeholders)
    return [(masked.placeholders[first], masked.placeholders[last]) for first, last in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<b>so</b>", [("<b>", "</b>")]),
        ('<a href="x">so<br/></a>', [('<a href="x">', "</a>")]),
        ("<B>so</b>", [("<B>", "</b>")]),
        ("<a.b>so</a.b>", [("<a.b>", "</a.b>")]),
        ("</b>so<b>", []),
        ("<b>he <i>is</b>", [("<b>", "</b>")]),  # <i> is never closed
        ("<b>he <b>is</b></b>", [("<b>", "</b>")] * 2),
        ("[b][i]so[/i][/b]", [("[i]", "[/i]"), ("[b]", "[/b]")]),
        ("he **is *so* big**", [("*", "*"), ("**", "**")]),
        ("_so_ ~~big~~", [("_", "_"), ("~~", "~~")]),
        ("* he is *so* big", [("*", "*")]),
        ("see [link](https://a.org) here", [("[", "](https://a.org)")]),
        ("![text](a.png)", [("![", "](a.png)")]),
        ("see [link][1]", [("[", "][1]")]),
        ("\\emph{he \\textbf{is}}", [("\\textbf{", "}"), ("\\emph{", "}")]),
        ("&quot;so&quot;", [("&quot;", "&quot;")]),
        ("so* big*", []),  # neither opens
        ("{x} so {x}", []),
    ],
)
def test_pairs_are_tags_and_signs_around_words(text: str, expected: list[tuple[str, str]]) -> None:
    assert pairs_of(text) == expected


def is_well_nested(order: list[int], tags: list[tuple[int, int]]) -> bool:
    """Return whether pairs close in the reverse order of that in which they open."""
    opened: list[int] = []
    for number in order:
        for first, last in tags:
            if number == first:
                opened.append(first)
            elif number == last and (not opened or opened.pop() != first):
                return False
    return not opened


def words_inside(texts: list[str], order: list[int], pair: tuple[int, int]) -> list[str]:
    inside = texts[order.index(pair[0]) + 1 : order.index(pair[1]) + 1]
    return re.findall(r"\w+", " ".join(inside))


@pytest.mark.parametrize(
    "tags",
    [
        [(0, 1)],
        [(0, 1), (2, 3)],
        [(1, 2), (3, 4), (0, 5)],
        [(1, 3), (0, 4)],  # a placeholder inside a pair
    ],
)
def test_every_order_becomes_well_nested_and_has_each_placeholder_once(
    tags: list[tuple[int, int]],
) -> None:
    count = max(last for _, last in tags) + 1
    for seed, order in enumerate(permutations(range(count))):
        rng = random.Random(seed)
        texts = [rng.choice(["", " ", "un", " deux ", "trois quatre"]) for _ in range(count + 1)]
        full = frozenset(first for first, _ in tags if rng.random() < 0.5)
        found, new = nested(texts, [*order], tags, full)
        assert sorted(new) == [*range(count)]
        assert len(found) == count + 1
        assert is_well_nested(new, tags), (order, new)
        before, after = ("".join(" ".join(each).split()) for each in (texts, found))
        assert sorted(before) == sorted(after), "words stay"
        if re.search(r"\w", "".join(texts)) and len(tags) == 1:
            assert not full or words_inside(found, new, tags[0]) or count > 2


NESTED: list[tuple[list[str], list[int], list[tuple[int, int]], set[int], list[str], list[int]]] = [
    # <p>He is <b>big</b></p>: the model has </p> before </b>.
    (["", "il est ", "grand", "", ""], [0, 1, 3, 2], [(1, 2), (0, 3)], set(),
     ["", "il est ", "grand", "", ""], [0, 1, 2, 3]),
    # A pair that is the wrong way round is turned.
    (["a ", "b", " c"], [1, 0], [(0, 1)], {0}, ["a ", "b", " c"], [0, 1]),
    # A pair around words stays around a word, the next or the last.
    (["il est ", "", " grand."], [0, 1], [(0, 1)], {0}, ["il est ", " grand.", ""], [0, 1]),
    (["il est grand", "", "."], [0, 1], [(0, 1)], {0}, ["il est ", "grand", "."], [0, 1]),
    (["il ", "", " est"], [0, 1], [(0, 1)], set(), ["il ", "", " est"], [0, 1]),
    # Pairs in one another that are all empty are put around one word.
    (["Ça ne va ", "", "", "", "."], [0, 1, 2, 3], [(1, 2), (0, 3)], {0, 1},
     ["Ça ne ", "", "va ", "", "."], [0, 1, 2, 3]),
    # <a>{x}</a> is: the model moved {x} out.
    (["", "", " est ", ""], [0, 2, 1], [(0, 2)], set(), ["", "", "", " est"], [0, 1, 2]),
    # A missing half of a pair does no harm.
    (["a", "b"], [0], [(0, 1)], {0}, ["a", "b"], [0]),
]  # fmt: skip


def test_tags_are_nested_and_keep_a_word_by_hand() -> None:
    for texts, order, tags, full, new_texts, new_order in NESTED:
        assert nested(texts, order, tags, frozenset(full)) == (new_texts, new_order)


@pytest.mark.parametrize(
    ("text", "double"),
    [
        ("He said 'yes' and ‘no’.", 'He said "yes" and "no".'),
        ("'I'm Tom's,' he said.", "\"I'm Tom's,\" he said."),
        ("'It's the boys' toys,' he said.", "\"It's the boys' toys,\" he said."),
        ("'cats' and 'dogs'", '"cats" and "dogs"'),
        ("The dogs' and cats' house.", "The dogs' and cats' house."),
        ("'Tis the dogs' house, rock 'n' roll of the '90s' end.",) * 2,
        ("'s Avonds eten we foto's' x.",) * 2,
        ("l'été d'or, 6' 2 or 'x", "l'été d'or, 6' 2 or 'x"),
    ],
)
def test_single_quotation_marks_become_double_ones_and_apostrophes_do_not(
    text: str, double: str
) -> None:
    assert double_quoted(text) == double
