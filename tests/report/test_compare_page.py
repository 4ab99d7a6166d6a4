"""The page of a comparison."""

import re
from pathlib import Path

import pytest

from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.evaluation.compare import compare_systems
from gru_mt.evaluation.overlap import TrainOverlap
from gru_mt.evaluation.systems import read_systems
from gru_mt.report.compare_page import comparison_page
from tests.kept_runs import make_run
from tests.report.made import Page

SET = EvaluationSet(
    ["a <b>cat</b>", "two dogs", "three old hats are here now"],
    [["un <b>chat</b>"], ["deux chiens"], ["trois vieux chapeaux sont ici"]],
    "pets",
)
FIRST = ["un <script>chien</script>", "deux chiens", "trois chapeaux"]
SECOND = ["un <b>chat</b>", "des chats", "trois vieux chapeaux"]


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the page that compares two runs which translated three sentences."""
    with pytest.MonkeyPatch.context() as here:
        here.chdir(tmp_path_factory.mktemp("runs"))
        make_run(Path("a&b"), [SET], [FIRST], "training.seed=1", minutes=2.0)
        make_run(Path("new"), [SET], [SECOND], "training.seed=2")
        systems = read_systems([Path("a&b"), Path("new")], [], None, "test", None)
        known = TrainOverlap([0.1, 0.5, 0.9], [False] * 3, [0, 1, 200], {})
        return comparison_page(compare_systems(systems, "test"), "13a", {"pets": known})


def cells(text: str, title: str) -> list[list[str]]:
    """Return the texts of the rows of the table after a title."""
    body = text[text.index(title) :].partition("<tbody>")[2].partition("</tbody>")[0]
    rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in body.split("<tr>")[1:]]
    return [[re.sub("<br>.*|<[^>]*>", "", cell) for cell in row] for row in rows]


def test_nothing_of_the_translations_is_markup(text: str) -> None:
    page = Page(text)
    assert "script" not in [tag for tag, _ in page.elements]
    assert page.contents["title"].startswith("a&b and new: test")  # then those of marks
    assert "&lt;script" in text


def test_runs_and_tables_have_both_side_by_side(text: str) -> None:
    assert cells(text, "<h2>The runs") == [["a&amp;b", "2.0", "6", "6"], ["new", "", "6", "6"]]
    assert cells(text, "What differs in the configurations") == [["training.seed", "1", "2"]]
    rows = cells(text, "Short and long sentences")
    assert [row[:2] for row in rows] == [["1 to 3", "few 2"], ["6 to 8", "few 1"]]
    assert [row[:2] for row in cells(text, "Rare words")] == [
        ["0", "few 1"], ["1 to 2", "few 1"], ["100 and more", "few 1"]]  # fmt: skip
    assert "Train-test overlap" in text


@pytest.mark.parametrize(
    ("right", "verdict"), [(0, "too few differ to tell"), (17, "may well be"), (33, "hardly by")]
)
def test_the_scores_come_first_and_whether_the_change_is_chance(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, right: int, verdict: str
) -> None:
    monkeypatch.chdir(tmp_path)
    wanted = ["one two three four"] * 33
    one = EvaluationSet(wanted, [[text] for text in wanted])
    # Where one is right the other is not; at 0 both are wrong in the same way.
    first = ["one two" if row < right or not right else wanted[row] for row in range(33)]
    second = [wanted[row] if row < right else "one two" for row in range(33)]
    make_run(Path("a"), [one], [first])
    make_run(Path("b"), [one], [second])
    systems = read_systems([Path("a"), Path("b")], [], None, "test", None)
    page = comparison_page(compare_systems(systems, "test"), "13a", {})
    assert verdict in page.partition("<nav")[0]


def test_sentences_and_ngrams_are_listed_by_what_they_gained_and_lost(text: str) -> None:
    gained = text[text.index("Gained most chrF") : text.index("Lost most chrF")]
    lost = text[text.index("Lost most chrF") : text.index("Words in a row")]
    sources = [
        re.findall(r'<summary><span dir="auto">(.*?)</span>', part) for part in (gained, lost)
    ]
    assert sources == [["a &lt;b&gt;cat&lt;/b&gt;", SET.sources[2]], ["two dogs"]]
    marked = re.findall("<mark>(.*)</mark>", re.sub("</mark> <mark>", " ", lost))
    assert marked == ["des chats", "deux chiens", "des chats"]
    assert ["trois vieux chapeaux", "0", "1"] in cells(text, "Right more often in new")
    assert cells(text, "Right more often in a&amp;b") == [["deux chiens", "1", "0"]]
