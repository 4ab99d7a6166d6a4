"""Markup around a sentence or its words: where it is put, and when it counts as kept."""

import random
import re
from collections.abc import Callable

import pytest

from gru_mt.evaluation.robustness.cases import Case, Sentence
from gru_mt.evaluation.robustness.markup import (
    FRAMES,
    MARKDOWN,
    STARTS,
    add_frame,
    add_markdown,
    add_tags,
    has_markdown,
    has_nested_tags,
    nest_tags,
)


def cases(
    add: Callable[[Sentence, random.Random], Case | None], text: str, seeds: int
) -> list[Case]:
    """Return what is made of a text with many seeds: each source holds, and the text does not."""
    found = [add(Sentence(text), random.Random(seed)) for seed in range(seeds)]
    made = [case for case in found if case]
    assert len(made) == seeds
    assert all(case.holds(case.source) and not case.holds(text) for case in made)
    return made


def test_a_frame_stands_around_the_sentence_and_its_translation() -> None:
    found = {}
    for seed in range(1_000):
        case = add_frame(Sentence("Yes.", plain="Où ?"), random.Random(seed))
        assert case.holds(case.source.replace("Yes.", " Où?")), "spaces aside"
        assert not case.holds("Où ?")
        assert not case.holds(case.source)
        assert not case.holds(case.source.replace("Yes.", "où ?"))
        found[re.sub(r"[1-9]", "7", case.source)] = case
    assert {
        "<p>Yes.</p>", "- Yes.", "😀 Yes.", "Yes. 😀", "7) Yes.", "7. Yes.", "IV. Yes.", "%s Yes.",
        "{\\an7}Yes.", "Yes.\\n", "“Yes.”", "— Yes.",
    } < found.keys()  # fmt: skip
    assert not found["<p>Yes.</p>"].holds("<p>Où ?")
    assert any(re.fullmatch("[A-Z][a-z]{3}: Yes[.]", each) for each in found)
    assert any(re.fullmatch("{{[a-z]{4,6}}}: Yes[.]", each) for each in found)
    assert all(frame.count("…") == 1 for frame in FRAMES)


def test_tags_stand_around_a_word() -> None:
    sources = set()
    for case in cases(add_tags, "I don't.", 100):
        opening, closing = re.findall("<[^>]*>", case.source)
        assert opening.strip("<").split(">")[0].split()[0] == closing.strip("</>")
        assert not case.holds(case.source.replace(closing, ""))
        assert not case.holds(f"{closing}{opening}")
        sources.add(case.source.replace(opening, "[").replace(closing, "]"))
    assert sources == {"[I] don't.", "I [don't]."}
    [hindi] = cases(add_tags, "नमस्ते।", 1)
    assert "नमस्ते" in re.split("[<>]", hindi.source), "vowel signs belong to their word"


@pytest.mark.parametrize(
    ("translation", "holds"),
    [
        ("<p>Il est <b>là</b>.</p>", True),
        ("<b><p>Il</p> est là</b>.", True),
        ("<p>Il est <b>là</p></b>.", False),  # crossed
        ("<p>Il est <b>.</b></p>", False),  # around no word
        ("</p>Il est <b>là</b>.<p>", False),
        ("<p>Il est <b>là</b>, <b>là</b>.</p>", False),
        ('<p>Il est <b id="x">là</b>.</p>', False),
    ],
)
def test_tags_nest_where_each_closes_what_was_opened_last_after_words(
    translation: str, *, holds: bool
) -> None:
    assert has_nested_tags("<p>He is <b>here</b>.</p>", translation) is holds


def test_two_or_three_pairs_of_tags_nest_in_a_sentence() -> None:
    forms = set()
    for case in cases(nest_tags, "I don't.", 300):
        assert re.sub("<[^>]+>", "", case.source) == "I don't."
        forms.add(re.sub("<[^>]+>", "[", re.sub("</[^>]+>", "]", case.source)))
    assert {
        "[[I] don't].", "[I [don't]].", "[[I] don't.]", "[I [[don't]].]", "[[[I]]] don't.",
    } <= forms  # fmt: skip
    assert {form.count("[") for form in forms} == {2, 3}


@pytest.mark.parametrize(
    ("body", "right", "wrong"),
    [
        (
            "It is **very** important.",
            ["# C'est **très** important."],
            ["# C'est ** très ** important.", "C'est **très** important.", "# C'est **** très.",
             "# C'est *très* important.", "# C'est **.** important."],
        ),
        (
            "It is [very](x.org) important.",
            ["# C'est [très](x.org) important."],
            ["# C'est ](x.org) très [ important.", "# C'est [très] (x.org) important.",
             "# C'est [très](x.org) [important."],
        ),
    ],
)  # fmt: skip
def test_a_pair_of_marks_stays_right_around_words(
    body: str, right: list[str], wrong: list[str]
) -> None:
    pair = ("[", "](x.org)") if "[" in body else ("**", "**")
    assert all(has_markdown("# ", pair, body, translation) for translation in right)
    assert not any(has_markdown("# ", pair, body, translation) for translation in wrong)
    # A star of a list is not one of emphasis.
    starred = ("* C'est *très* grand.", "* C'est très* grand.", "*C'est* très grand.")
    holds = [has_markdown("* ", ("*", "*"), "It is *very* big.", each) for each in starred]
    assert holds == [True, False, False]


def test_markdown_is_put_around_one_to_three_words() -> None:
    found = set()
    for case in cases(add_markdown, "I see a cat.", 3_000):
        start = max((start for start in STARTS if case.source.startswith(start)), key=len)
        body = case.source.removeprefix(start)
        for opening, closing in MARKDOWN:
            inside = body.partition(opening)[2].rpartition(closing)[0]
            if (
                inside in "I see a cat"
                and body.replace(f"{opening}{inside}{closing}", inside) == "I see a cat."
            ):
                found.add((start, opening, len(inside.split())))
    assert {(opening, size) for _, opening, size in found} >= {
        (opening, size) for opening, _ in MARKDOWN for size in (1, 2, 3)
    }
    assert {start for start, _, _ in found} == {*STARTS}


def test_what_has_no_words_or_such_marks_gets_none() -> None:
    for add, texts in (
        (add_tags, ("12 !", "<b>a</b>")),
        (nest_tags, ("No.", "12 34", "a < b", "<b>a</b> b")),
        (add_markdown, ("12.", "a *b*", "[a]", "# a")),
    ):
        assert [add(Sentence(text), random.Random(1)) for text in texts] == [None] * len(texts)
