"""Detection by the words that models know."""

import pytest

from gru_mt.server.detection import Profile, detect

PROFILES = {
    "en": Profile(["the", "cat", "sees", "a"]),
    "fr": Profile(["le", "chat", "voit", "un"]),
    "ja": Profile(["猫が好きです"]),
    "zh": Profile(["我喜欢猫"]),
}


@pytest.mark.parametrize(
    ("text", "language", "confidence"),
    [
        ("The cat sees.", "en", 100),
        ("LE CHAT", "fr", 100),
        ("the hound", "en", 37.5),  # 3 of 8 letters are in known words
        ("好きです", "ja", 100),  # no spaces, so letters count
        ("我喜欢狗", "zh", 75),
        ("Привет", "en", 0),
        ("123 😀", "en", 0),
        ("", "en", 0),
    ],
)
def test_the_likeliest_language_comes_first(text: str, language: str, confidence: float) -> None:
    code, sure = detect(text, PROFILES)[0]
    assert code == language
    assert sure == pytest.approx(confidence, abs=0.5)


def test_what_two_languages_may_be_is_unsure() -> None:
    """Two profiles of the same words are as likely."""
    same = {"a": Profile(["on"]), "b": Profile(["on"])}
    assert detect("on", same) == [("a", 50), ("b", 50)]
