"""Marks in a text: what a translator sees of them, and that none is lost, whatever it returns."""

import pytest

from gru_mt.documents.document import Place, replacing
from gru_mt.documents.structured.marked import Mark, Piece, place_of, with_gaps

B, B_END = Mark("opening", "<b>"), Mark("closing", "</b>")
EM, EM_END = Mark("opening", "<i>"), Mark("closing", "</i>")
DOT = Mark("other", "[.]")
START, END = Mark("start", "[1", key="1"), Mark("end", "1]", key="1")
START2, END2 = Mark("start", "[2", key="2"), Mark("end", "2]", key="2")


def place(*pieces: Piece) -> Place:
    """Return the place of a text that is a whole file."""
    found = place_of(pieces, replacing(0, 0))
    assert found
    return found


def filled(place: Place, translation: str) -> str:
    """Return what a translation makes of the file."""
    [edit] = place.edits(translation)
    return edit.text


@pytest.mark.parametrize(
    ("pieces", "text", "around"),
    [
        (["He is ", B, "big", B_END, "."], "He is <g1>big</g1>.", "|"),
        ([" ", B, DOT, " a ", B_END, "\n"], "a", " <b>[.] | </b>\n"),
        ([B, "a", B_END, " b"], "<g1>a</g1> b", "|"),
        ([B, EM, "a", EM_END, B_END, " b"], "<g1>a</g1> b", "|"),  # a pair for two
        ([B, "a", EM, "b", EM_END, B_END, "c"], "<g1>a<g2>b</g2></g1>c", "|"),
        (["a", DOT, B, B_END, DOT, "b"], "a<x1/>b", "|"),  # a pair around nothing
        (["a", DOT, B, B_END], "a", "|[.]<b></b>"),
        (["a", DOT, DOT, "b"], "a<x1/>b", "|"),
        (["a", START, "b", END, "c"], "a<g1>b</g1>c", "|"),
        (["a", START, "b", B, "c", END, "d", B_END, "e"], "a<x1/>b<g2>c<x3/>d</g2>e", "|"),
        (["a", START, START2, "b", END, "c", END2, "d"], "a<g1><x2/>b</g1>c<x3/>d", "|"),
        (["if <g7> a", DOT, "b"], "if <g7> a<x8/>b", "|"),  # what is typed is no mark
        ([f"if <g{'1' * 5_000}> a", DOT, "b"], f"if <g{'1' * 5_000}> a<x111111112/>b", "|"),
        ([*with_gaps("one\ntwo\r\nthree\n\n four  five\tsix\n")], None, "|\n"),
    ],
)
def test_a_translator_sees_marks_as_tags(pieces: list[Piece], text: str, around: str) -> None:
    shown = (marked := place(*pieces)).text
    lines = 'one<br id="1"/>two<br id="2"/>three<p id="3"/>four<p id="4"/>five<p id="5"/>six'
    assert shown == text or (text is None and shown == lines)
    whole = "".join(piece if isinstance(piece, str) else piece.source for piece in pieces)
    assert filled(marked, shown) == whole
    before, after = around.split("|")
    assert filled(marked, shown.replace("a", "A")) == (
        before + whole[len(before) : len(whole) - len(after)].replace("a", "A") + after
    )


@pytest.mark.parametrize("pieces", [[], [" ", B, " ", B_END], ["12, ", DOT, "%"]])
def test_without_a_letter_there_is_no_text(pieces: list[Piece]) -> None:
    assert place_of(pieces, replacing(0, 0)) is None


@pytest.mark.parametrize(
    ("translation", "expected"),
    [
        ("<g2>c</g2> <g1>a</g1>b<x3/>", "<i>c</i> <b>a</b>b[.]"),
        ("<g1>a<g2>c</g2></g1><x3/>b", "<b></b>acb<i></i>[.]"),  # as a link in a link
        ("<g1>a <g2>c</g1></g2><x3/> b", "<b></b>a c b<i></i>[.]"),  # they cross
        ("<g1>a</g1> <g2>c</g2>", "<b></b>a c<i></i>[.]"),  # one is missing
        ("<g1>a</g1> <g2>c</g2><x3/><x3/>", "<b></b>a c<i></i>[.]"),
        ("</g1>a<g1> <g2>c</g2><x3/>", "<b></b>a c<i></i>[.]"),
        ("<G1>A</G1>", "<b></b><G1>A</G1><i></i>[.]"),
    ],
)
def test_each_mark_comes_back_once_and_well_nested(translation: str, expected: str) -> None:
    marked = place(B, "one", B_END, " and then ", EM, "two", EM_END, DOT, ".")
    assert marked.text == "<g1>one</g1> and then <g2>two</g2><x3/>."
    assert filled(marked, translation) == expected
    assert [*marked.edits("<g1></g1> <g2></g2><x3/>.")] == [], "without words the text stays"


def test_ends_of_a_range_that_is_no_pair_keep_their_order() -> None:
    marked = place("a", START, "b", B, "c", END, "d", B_END, "e", DOT, "f")
    assert filled(marked, "<x3/>A<g2>C<x4/></g2><x1/>") == "[1A<b>C[.]</b>1]"
