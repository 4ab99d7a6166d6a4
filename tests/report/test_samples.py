"""The sentences that are shown: differences, and attention by words."""

import pytest

from gru_mt.inference.translation import Candidate, SentenceTranslation
from gru_mt.report.samples import Piece, differences, heat, word_ends


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
        ("", "x", []),
        ("x", "", [("x", True)]),
    ],
)
def test_words_that_the_other_has_not_are_marked(
    text: str, other: str, expected: list[tuple[str, bool]]
) -> None:
    assert differences(text, other) == [Piece(*each) for each in expected]


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        (["▁Tom", "▁is", "n", "'", "t", "▁un", "able", ".", "<eos>"],
         ["Tom", "isn't", "unable", ".", "<eos>"]),
        (["▁", "猫", "です", "。", "<eos>"], ["␣", "猫", "です", "。", "<eos>"]),
        (["the", "dog", "<eos>"], ["the", "dog", "<eos>"]),
        (["<eos>"], ["<eos>"]),
        (["▁", "un", "<eos>"], ["un", "<eos>"]),
    ],
)  # fmt: skip
def test_tokens_are_put_together_to_words(tokens: list[str], expected: list[str]) -> None:
    joined = [
        "".join(tokens[start:end]).replace("▁", " ").strip() for start, end in word_ends(tokens)
    ]
    assert [each or "␣" for each in joined] == expected


def test_attention_is_summed_over_a_source_word_and_averaged_over_a_target_word() -> None:
    sentence = SentenceTranslation("a bc", ["▁a", "▁b", "c"], [])
    candidate = Candidate(
        "xy z",
        0.0,
        ["▁x", "y", "▁z"],
        [[0.5, 0.25, 0.25, 0.0], [0.1, 0.3, 0.2, 0.4], [0, 0, 0, 1], [0.7, 0.1, 0.1, 0.1]],
    )
    found = heat(sentence, candidate)
    assert found.source == ["a", "bc", "<eos>"]
    assert [word for word, _ in found.rows] == ["xy", "z", "<eos>"]
    expected = [[0.3, 0.5, 0.2], [0, 0, 1], [0.7, 0.2, 0.1]]
    for (_, weights), row in zip(found.rows, expected, strict=True):
        assert weights == pytest.approx(row)
