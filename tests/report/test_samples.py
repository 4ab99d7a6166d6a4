"""The sentences that are shown: differences, and attention by words."""

from types import SimpleNamespace
from typing import Any

import pytest

from gru_mt.errors import UserError
from gru_mt.inference.translation import Candidate, SentenceTranslation, Translation
from gru_mt.report.samples import Piece, differences, heat, joined, sample
from tests.report.made import hypotheses


@pytest.mark.parametrize(
    ("text", "other", "expected"),
    [
        ("A dog.", "A big dog.", [("A", False), (" dog.", False)]),
        ("A big dog.", "a dog.", [("A", False), (" big", True), (" dog.", False)]),
        (
            "Je suis là.",
            "Il est là.",
            [("Je", True), (" ", False), ("suis", True), (" là.", False)],
        ),
        ("私は猫です。", "私は犬です。", [("私は", False), ("猫", True), ("です。", False)]),
        ("Oui !", "Oui!", [("Oui", False), (" ", False), ("!", False)]),
        ("", "x", []),
        ("x", "", [("x", True)]),
    ],
)
def test_words_that_the_other_has_not_are_marked(
    text: str, other: str, expected: list[tuple[str, bool]]
) -> None:
    assert differences(text, other) == [Piece(*pair) for pair in expected]


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        (["▁Tom", "▁is", "n", "'", "t", "▁un", "able", ".", "<eos>"],
         ["Tom", "isn't", "unable", ".", "<eos>"]),
        (["▁", "猫", "です", "。", "<eos>"], ["␣", "猫", "です", "。", "<eos>"]),
        (["the", "dog", "<eos>"], ["the", "dog", "<eos>"]),
        (["<eos>"], ["<eos>"]),
        (["▁", "un", "<eos>"], ["un", "<eos>"]),
        (["▁लड़", "क", "ी", "याँ", "▁ह", "ैं", "।", "<eos>"], ["लड़कीयाँ", "हैं", "।", "<eos>"]),
    ],
)  # fmt: skip
def test_tokens_are_put_together_to_words(tokens: list[str], expected: list[str]) -> None:
    words = joined(tokens)
    assert [word for word, _ in words] == expected
    assert [token for _, place in words for token in tokens[place]] == tokens


class Again:
    """Stands for a translator that has two candidates for each sentence."""

    decoding = SimpleNamespace(beam_size=2)

    def translate(
        self, lines: list[str], *, n_best: int = 1, attention: bool = False
    ) -> list[Translation]:
        self.lines = lines
        rows = [[0.25, 0.75], [0.5, 0.5]] if attention else None
        candidates = [Candidate(f"{n}", -n / 2, ["▁x"], rows) for n in range(n_best)]
        return [
            Translation(line, [SentenceTranslation(line, ["▁a"], candidates)]) for line in lines
        ]


def test_the_worst_the_best_and_random_sentences_are_shown() -> None:
    chrf = [50.0] * 60
    chrf[7], chrf[3], chrf[11] = 0.0, 10.0, 0.0  # row 11 is longer than row 7
    chrf[40], chrf[20], chrf[5] = 100.0, 90.0, 100.0
    rows = [("a" * (row + 1), f"text {row}", ["other", f"text {row}"]) for row in range(60)]
    again: Any = Again()
    found, twice = (sample(hypotheses(*rows), chrf, again) for _ in range(2))
    assert [len(group) for group in (found.worst, found.best, found.random)] == [20, 20, 20]
    # Of equal ones the longest come first, and number 1 is row 0.
    assert [each.number for each in found.worst[:5]] == [12, 8, 4, 60, 59]
    assert [each.number for each in found.best[:5]] == [41, 6, 21, 60, 59]
    drawn = [each.number for each in found.random]
    assert drawn == sorted(set(drawn))
    assert drawn != [each.number for each in found.worst]
    assert drawn == [each.number for each in twice.random]
    assert len(again.lines) == len(set(again.lines)), "none is translated twice"
    worst = found.worst[0]
    assert (worst.source, worst.chrf) == ("a" * 12, 0.0)
    assert worst.translation == [Piece("text 11", False)], "the reference that fits is compared"
    assert worst.references == [[Piece("text 11", False)], [Piece("other", True)]]
    assert worst.others == [("0", 0.0), ("1", -0.5)]
    assert [each.rows for each in worst.attention] == [[("x", [0.25, 0.75]), ("<eos>", [0.5, 0.5])]]


def test_a_model_without_attention_has_samples_too() -> None:
    class Without(Again):
        def translate(self, lines: list[str], **options: Any) -> list[Translation]:
            if options.pop("attention", False):
                raise UserError("this model has no attention to show")
            return super().translate(lines, **options)

    without: Any = Without()
    [worst] = sample(hypotheses(("a", "b", ["c"])), [50.0], without).worst
    assert worst.others == [("0", 0.0), ("1", -0.5)]
    assert worst.attention == []


def test_attention_is_summed_over_a_source_word_and_averaged_over_a_target_word() -> None:
    candidate = Candidate(
        "xy z",
        0.0,
        ["▁x", "y", "▁z"],
        [[0.5, 0.25, 0.25, 0.0], [0.1, 0.3, 0.2, 0.4], [0, 0, 0, 1], [0.7, 0.1, 0.1, 0.1]],
    )
    found = heat(SentenceTranslation("a bc", ["▁a", "▁b", "c"], [candidate]))
    assert found is not None
    assert found.source == ["a", "bc", "<eos>"]
    assert [word for word, _ in found.rows] == ["xy", "z", "<eos>"]
    expected = [[0.3, 0.5, 0.2], [0, 0, 1], [0.7, 0.2, 0.1]]
    for (_, weights), row in zip(found.rows, expected, strict=True):
        assert weights == pytest.approx(row)
