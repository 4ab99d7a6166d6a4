"""Markup around a sentence or its words: where it is put, and when it counts as kept."""

import random
import re
from collections.abc import Callable

from gru_mt.evaluation.robustness.cases import Case, Sentence
from gru_mt.evaluation.robustness.markup import (
    MARKDOWN,
    STARTS,
    add_frame,
    add_markdown,
    add_tags,
    has_markdown,
    has_nested_tags,
    nest_tags,
)


def made(add: Callable[[Sentence, random.Random], Case | None], text: str) -> set[str]:
    """Return the sources that are made of a text: each holds, and the text does not."""
    found = [add(Sentence(text), random.Random(seed)) for seed in range(1_000)]
    cases = [case for case in found if case]
    assert len(cases) == len(found)
    assert all(case.holds(case.source) and not case.holds(text) for case in cases)
    return {case.source for case in cases}


def test_a_frame_stands_around_the_sentence_and_its_translation() -> None:
    found = {}
    for seed in range(1_000):
        case = add_frame(Sentence("Yes.", plain="Où ?"), random.Random(seed))
        assert case.holds(case.source.replace("Yes.", " Où?")), "spaces aside"
        for translation in ("Où ?", case.source, case.source.replace("Yes.", "où ?")):
            assert not case.holds(translation)
        found[re.sub(r"[1-9]", "7", case.source)] = case
    assert {
        "<p>Yes.</p>", "- Yes.", "Yes. 😀", "7) Yes.", "IV. Yes.", "{\\an7}Yes.", "Yes.\\n",
    } < found.keys()  # fmt: skip
    assert not found["<p>Yes.</p>"].holds("<p>Où ?")


def test_tags_stand_around_words_and_nest() -> None:
    for add, forms in (
        (add_tags, {"[I] don't.", "I [don't]."}),
        (nest_tags, {"[[I] don't].", "[I [don't]].", "[[I] don't.]", "[I [[don't]].]",
                     "[[[I]]] don't."}),
    ):  # fmt: skip
        sources = made(add, "I don't.")
        assert {re.sub("<[^>]+>", "", source) for source in sources} == {"I don't."}
        found = {re.sub("<[^>]+>", "[", re.sub("</[^>]+>", "]", source)) for source in sources}
        assert forms <= found
    assert {form.count("[") for form in found} == {2, 3}
    for source in made(add_tags, "नमस्ते।"):
        assert "नमस्ते" in re.split("[<>]", source), "vowel signs belong to their word"
    case = add_tags(Sentence("No."), random.Random(1))
    assert case
    opening, closing = re.findall("<[^>]*>", case.source)
    assert case.holds(f"a {opening}Non{closing}.")
    for translation in (f"{opening}Non.", f"{closing}Non{opening}", case.source + opening):
        assert not case.holds(translation)


def test_tags_nest_where_each_closes_what_was_opened_last_after_words() -> None:
    source = "<p>He is <b>here</b>.</p>"
    assert has_nested_tags(source, "<p>Il est <b>là</b>.</p>")
    for translation in (
        "<p>Il est <b>là</p></b>.",  # crossed
        "<p>Il est <b>.</b></p>",  # around no word
        "<p>Il est <b>là</b>, <b>là</b>.</p>",
        '<p>Il est <b id="x">là</b>.</p>',
    ):
        assert not has_nested_tags(source, translation), translation


def test_a_pair_of_marks_stays_right_around_words() -> None:
    for start, pair, right, wrong in (
        ("# ", ("**", "**"), "# C'est **très** important.", "# C'est ** très ** important."),
        ("# ", ("**", "**"), "# **Non**", "C'est **très** important."),
        ("# ", ("**", "**"), "# **Non** !", "# C'est **.** important."),
        ("* ", ("*", "*"), "* C'est *très* grand.", "* C'est très* grand."),
        ("* ", ("*", "*"), "* *Non*", "*C'est* très grand."),
        ("", ("[", "](x.org)"), "C'est [très](x.org) important.", "](x.org) très [ important."),
        ("", ("[", "](x.org)"), "[Non](x.org)", "C'est [très](x.org) [important."),
    ):
        body = f"It is {pair[0]}very{pair[1]} important."
        assert has_markdown(start, pair, body, right), right
        assert not has_markdown(start, pair, body, wrong), wrong


def test_markdown_is_put_around_one_to_three_words() -> None:
    found = set()
    for source in made(add_markdown, "I see a cat."):
        start = max((start for start in STARTS if source.startswith(start)), key=len)
        body = source.removeprefix(start)
        for opening, closing in MARKDOWN:
            inside = body.partition(opening)[2].rpartition(closing)[0]
            if body.replace(f"{opening}{inside}{closing}", inside) == "I see a cat.":
                found.add((opening, len(inside.split())))
    assert found >= {(opening, size) for opening, _ in MARKDOWN for size in (1, 2, 3)}


def test_what_has_no_words_or_such_marks_gets_none() -> None:
    for add, texts in (
        (add_tags, ("12 !", "<b>a</b>")),
        (nest_tags, ("No.", "12 34", "a < b", "<b>a</b> b")),
        (add_markdown, ("12.", "a *b*", "[a]", "# a")),
    ):
        assert [add(Sentence(text), random.Random(1)) for text in texts] == [None] * len(texts)
