"""Markup around a sentence or its words: where it is put, and when it counts as kept."""

import random
import re

import pytest

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


def test_a_frame_stands_around_the_sentence_and_its_translation() -> None:
    found = set()
    for seed in range(1_000):
        case = add_frame("Yes.", "Oui.", random.Random(seed))
        assert case.holds(case.source.replace("Yes.", "Oui."))
        assert not case.holds("Oui.")
        assert not case.holds(case.source)
        found.add(re.sub(r"[1-9]", "7", case.source))
    assert {
        "<p>Yes.</p>", "- Yes.", "😀 Yes.", "Yes. 😀", "7) Yes.", "7. Yes.", "IV. Yes.", "%s Yes.",
        "{\\an7}Yes.", "Yes.\\n", "“Yes.”", "— Yes.",
    } < found  # fmt: skip
    assert any(re.fullmatch("[A-Z][a-z]{3}: Yes[.]", each) for each in found)
    assert any(re.fullmatch("{{[a-z]{4,6}}}: Yes[.]", each) for each in found)
    assert all(frame.count("…") == 1 for frame in FRAMES)


def test_white_space_is_no_part_of_a_frame() -> None:
    seed = next(
        seed for seed in range(99) if add_frame("", "", random.Random(seed)).source == "<p></p>"
    )
    case = add_frame("Where is he?", "Où est-il ?", random.Random(seed))
    assert case.source == "<p>Where is he?</p>"
    for translation in ("<p>Où est-il ?</p>", "<p> Où est-il?</p>"):
        assert case.holds(translation)
    for translation in ("<p>où est-il ?</p>", "Où est-il ?", "<p>Où est-il ?"):
        assert not case.holds(translation)


def test_tags_stand_around_a_word() -> None:
    sources = set()
    for seed in range(100):
        case = add_tags("I don't.", random.Random(seed))
        assert case
        assert case.holds(case.source)
        opening, closing = re.findall("<[^>]*>", case.source)
        assert opening.strip("<").split(">")[0].split()[0] == closing.strip("</>")
        assert not case.holds(case.source.replace(closing, ""))
        assert not case.holds(f"{closing}{opening}")
        sources.add(case.source.replace(opening, "[").replace(closing, "]"))
    assert sources == {"[I] don't.", "I [don't]."}
    hindi = add_tags("नमस्ते।", random.Random(1))
    assert hindi
    assert "नमस्ते" in re.split("[<>]", hindi.source), "vowel signs belong to their word"
    assert add_tags("12 !", random.Random(1)) is None
    assert add_tags("<b>a</b>", random.Random(1)) is None


@pytest.mark.parametrize(
    ("translation", "holds"),
    [
        ("<p>Il est <b>là</b>.</p>", True),
        ("<b><p>Il</p> est là</b>.", True),
        ("<p>Il est <b>là</p></b>.", False),  # crossed
        ("<p>Il est <b></b>là.</p>", False),  # around nothing
        ("<p>Il est <b>.</b></p>", False),  # around no word
        ("<p>Il est là.</p><b></b>", False),
        ("<p>Il est <b>là.</p>", False),
        ("</p>Il est <b>là</b>.<p>", False),
        ("<p>Il est <b>là</b>, <b>là</b>.</p>", False),
        ("<p><b></b></p>", False),
    ],
)
def test_tags_nest_where_each_closes_what_was_opened_last_after_words(
    translation: str, *, holds: bool
) -> None:
    assert has_nested_tags("<p>He is <b>here</b>.</p>", translation) is holds


def test_the_same_tag_is_one_with_the_same_attributes() -> None:
    link = '<p><a href="x">He</a> is.</p>'
    assert has_nested_tags(link, '<p><a href="x">Il</a> est.</p>')
    assert not has_nested_tags(link, '<p><a href="y">Il</a> est.</p>')


def test_two_or_three_pairs_of_tags_nest_in_a_sentence() -> None:
    forms = set()
    for seed in range(300):
        case = nest_tags("I don't.", random.Random(seed))
        assert case
        assert case.holds(case.source)
        assert re.sub("<[^>]+>", "", case.source) == "I don't."
        forms.add(re.sub("<[^>]+>", "[", re.sub("</[^>]+>", "]", case.source)))
    assert {
        "[[I] don't].",
        "[I [don't]].",
        "[[I] don't.]",
        "[I [[don't]].]",
        "[[[I]]] don't.",
    } <= forms
    assert {form.count("[") for form in forms} == {2, 3}
    for text in ("No.", "12 34", "a < b", "<b>a</b> b"):
        assert nest_tags(text, random.Random(1)) is None


@pytest.mark.parametrize(
    ("pair", "translation", "holds"),
    [
        (("**", "**"), "# C'est **très** important.", True),
        (("**", "**"), "# C'est ** très ** important.", False),
        (("**", "**"), "C'est **très** important.", False),
        (("**", "**"), "# C'est **** très important.", False),
        (("**", "**"), "# C'est *très* important.", False),
        (("**", "**"), "# C'est **.** important.", False),
        (("[", "](x.org)"), "# C'est [très](x.org) important.", True),
        (("[", "](x.org)"), "# C'est ](x.org) très [ important.", False),
        (("[", "](x.org)"), "# C'est [très] (x.org) important.", False),
        (("[", "](x.org)"), "# C'est [très](x.org) [important.", False),
    ],
)
def test_a_pair_of_marks_stays_right_around_words(
    pair: tuple[str, str], translation: str, *, holds: bool
) -> None:
    body = f"It is {pair[0]}very{pair[1]} important."
    assert has_markdown("# ", pair, body, translation) is holds


def test_a_star_of_a_list_is_not_one_of_emphasis() -> None:
    def holds(translation: str) -> bool:
        return has_markdown("* ", ("*", "*"), "It is *very* big.", translation)

    assert holds("* C'est *très* grand.")
    assert not holds("* C'est très* grand.")
    assert not holds("*C'est* très grand.")


def test_markdown_is_put_around_one_to_three_words() -> None:
    found = set()
    words = {"I", "I see", "I see a", "see", "see a", "see a cat", "a", "a cat", "cat"}
    for seed in range(3_000):
        case = add_markdown("I see a cat.", random.Random(seed))
        assert case
        assert case.holds(case.source)
        assert not case.holds("I see a cat.")
        start = max((start for start in STARTS if case.source.startswith(start)), key=len)
        pairs = [
            (opening, closing)
            for opening, closing in MARKDOWN
            if any(f"{start}{before}{opening}{inside}{closing}{after}" == case.source
                   for inside in words
                   for before, _, after in ["I see a cat.".partition(inside)])
        ]  # fmt: skip
        assert pairs, case.source
        found |= {(start, pair) for pair in pairs}
    assert {pair for _, pair in found} == {*MARKDOWN}
    assert {start for start, _ in found} == {*STARTS}
    for text in ("12.", "a *b*", "[a]", "# a"):
        assert add_markdown(text, random.Random(1)) is None
