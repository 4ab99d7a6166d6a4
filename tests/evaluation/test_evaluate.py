"""Evaluation sets from files and from runs, and the results of an evaluation."""

from pathlib import Path
from typing import Any

import pytest

from gru_mt.config.decoding import Decoding
from gru_mt.data.evaluation_set import EvaluationSet, sets_to_json
from gru_mt.errors import UserError
from gru_mt.evaluation.evaluate import Evaluation, evaluate, read_evaluation_set, read_sets
from gru_mt.inference.translation import Candidate, Languages, SentenceTranslation, Translation
from gru_mt.storage import write_checksummed_json


class Echo:
    """A translator that gives back what it gets, and remembers how it was asked."""

    decoding = Decoding(beam_size=4, length_penalty=0.5, max_source_tokens=9)
    languages = Languages(target="th")

    def translate(self, sources: list[str], **asked: Any) -> list[Translation]:
        self.asked = asked
        return [
            Translation(each, [SentenceTranslation(each, [], [Candidate(each, 0.0, [], None)])])
            for each in sources
        ]


def score_once(sources: Any, references: Any, **asked: Any) -> Evaluation:
    echo: Any = Echo()
    return evaluate(echo, sources, references, **asked)


def test_decoding_is_the_translators_or_what_is_asked_for() -> None:
    echo: Any = Echo()
    sources = ["one two three four five", "six seven eight nine ten"]
    result = evaluate(echo, sources, sources)
    assert echo.asked == {"beam_size": 4, "length_penalty": 0.5}
    assert (result.to_json()["beam_size"], result.to_json()["length_penalty"]) == (4, 0.5)
    assert [score.value for score in result.scores] == pytest.approx([100, 100, 100])
    assert str(result).splitlines()[:3] == [*map(str, result.scores)]
    result = evaluate(echo, sources, sources, beam_size=1, length_penalty=0.0)
    assert echo.asked == {"beam_size": 1, "length_penalty": 0.0}
    assert result.decoding == Decoding(1, 0.0, max_source_tokens=9)


def test_a_line_has_the_score_and_the_confidence_of_its_worst_sentence() -> None:
    sentences = [("A.", -0.5, 0.75, ()), ("B.", -1.5, 0.5, ("repeated",))]
    good, bad = (
        SentenceTranslation(text, [], [Candidate(text, score, [], None)], " ", (), sure, warnings)
        for text, score, sure, warnings in sentences
    )
    echo: Any = Echo()
    echo.translate = lambda *_, **__: [Translation("A. B.", [good, bad]), Translation("", [])]
    found = evaluate(echo, ["A. B.", ""], ["A. B.", "-"]).hypotheses
    assert found.texts[0].split() == ["A.", "B."]
    assert (found.scores, found.confidences) == ([-1.5, None], [0.5, None])
    assert found.warnings == [["repeated"], []]


def test_sentences_come_from_any_iterable_or_from_a_file(tmp_path: Path) -> None:
    source = write(tmp_path / "s", "a b c d e", "f g h i j")
    reference = write(tmp_path / "r", "a b c d f", "f g h i j")
    of_files = score_once(source, str(reference)).scores
    sources = (text for text in ("a b c d e", "f g h i j"))
    assert score_once(sources, [["a b c d f"], ("f g h i j",)]).scores == of_files
    several = score_once(["a b c d e"], [iter(["x", "a b c d e"])]).scores
    assert [round(score.value) for score in several] == [100, 0, 100]


@pytest.mark.parametrize(
    ("sources", "references", "message"),
    [
        (["a"], [1], r"references\[0\] must be a list of texts, got 1"),
        (["a"], [["a", None]], r"references\[0\]\[1\] must be text, got None"),
        (["a"], None, "references must be a list of texts, got None"),
        ("none", "none", "none: cannot be read"),
    ],
)
def test_other_arguments_are_refused(sources: Any, references: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        score_once(sources, references)
    with pytest.raises(UserError, match="translator must be a Translator, got 'runs/small'"):
        evaluate("runs/small", sources, references)  # type: ignore[arg-type]


def test_the_bleu_tokenizer_is_the_translators_or_what_is_asked_for() -> None:
    def signature(languages: Languages, **asked: Any) -> str:
        echo: Any = Echo()
        echo.languages = languages
        return evaluate(echo, ["一二三四五"], ["一二三四五"], **asked).scores[0].signature

    assert "|tok:char|" in signature(Languages("", "th", "auto"))  # by the target language
    assert "|tok:zh|" in signature(Languages("", "th", "auto"), bleu_tokenizer="zh")
    assert "|tok:none|" in signature(Languages("", "th", "none"))
    # No language: the script of the references decides.
    assert "|tok:zh|" in signature(Languages("", "cn", "none"), bleu_tokenizer="auto")


def write(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_files_of_lines_and_of_sgml_segments_are_sets(tmp_path: Path) -> None:
    source = write(tmp_path / "s", "a", "e\u0301 b\u00ad")
    references = [write(tmp_path / "r", "x", "y"), write(tmp_path / "r1", "", "c\u0327a\u200b")]
    # An empty reference line is a missing reference.
    expected = EvaluationSet(["a", "é b"], [["x"], ["y", "ça"]])
    assert read_evaluation_set(source, references) == expected
    sgml = '<srcset setid="a">\n<doc>\n<seg id="1">R&amp;D.</seg>\n</doc></srcset>'
    segments = write(tmp_path / "sgml", sgml)
    assert read_evaluation_set(segments, [segments]) == EvaluationSet(["R&D."], [["R&D."]])
    with pytest.raises(UserError, match="is XML without <seg>"):
        read_evaluation_set(write(tmp_path / "x", "<?xml version='1.0'?><a/>"), [])
    for lines, message in (
        (["x", "y", "z"], r"r: 3 lines, but .*s has 2"),
        (["x", ""], r"r:2: the sentence has no reference"),
        (["x", "a\x00b"], r"r:2: has control characters"),
    ):
        with pytest.raises(UserError, match=message):
            read_evaluation_set(source, [write(tmp_path / "r", *lines)])


def test_a_run_and_its_bundle_find_the_same_part(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    expected = [EvaluationSet(["a"], [["x", "y"]], "mine"), EvaluationSet(["b"], [["z"]], "b")]
    write_checksummed_json(tmp_path / "test.json", sets_to_json(expected))
    assert read_sets(tmp_path, "test") == read_sets(tmp_path / "model", "test") == expected
    with pytest.raises(UserError, match="no dev split is kept there"):
        read_sets(tmp_path, "dev")
    write_checksummed_json(tmp_path / "dev.json", {"sets": []})
    with pytest.raises(UserError, match="too small for a dev split"):
        read_sets(tmp_path, "dev")


def test_sets_that_are_damaged_or_of_another_shape_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "test.json"
    shapes: list[dict[str, Any]] = [
        {"sources": ["a"], "references": [["x"]], "name": 3},
        {"sources": ["a"], "references": [[]]},
        {"sources": ["a", "b"], "references": [["x"]]},
    ]
    files: list[dict[str, Any]] = [{"sets": [{"name": "a"} | values]} for values in shapes]
    for damaged in [*files, {"sets": shapes[0]}, {"sets": [1]}, {}]:
        write_checksummed_json(path, damaged)
        with pytest.raises(UserError, match=r"test\.json: damaged: "):
            read_sets(tmp_path, "test")
