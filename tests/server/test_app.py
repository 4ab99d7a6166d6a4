"""The routes: what clients get for what they send."""

from pathlib import Path
from typing import Any

import pytest
import requests

from gru_mt import Translator
from gru_mt.server.api import Limits
from tests.server.conftest import Start


@pytest.mark.parametrize("sent", ["json", "data", "files", "params"])
def test_a_text_is_translated_however_it_is_sent(start: Start, workplace: Path, sent: str) -> None:
    values = {"q": " I see one cat.\r\n\n\tYou want two books. ", "source": "en", "target": "fr"}
    files = {name: (None, value) for name, value in values.items()}
    given: Any = {sent: files if sent == "files" else values}
    answer = requests.post(f"{start()}/translate", **given)
    translate = Translator.load(workplace / "runs" / "small").translate
    one, two = translate(["I see one cat.", "You want two books."])
    assert answer.json() == {"translatedText": f" {one}\r\n\n\t{two} "}


@pytest.mark.parametrize(
    ("values", "status", "parts"),
    [
        ({"source": "en", "target": "fr"}, 400, ["q must be a text or a list of texts, got none"]),
        ({"q": 1, "source": "en", "target": "fr"}, 400, ["got 1"]),
        ({"q": "a", "source": "en", "target": "de"}, 400, ["no model", "en to de", "en to fr"]),
        ({"q": "a", "source": "en"}, 400, ["target must be a text, got none"]),
        ({"q": "a", "source": "en", "target": "fr", "format": "pdf"}, 400, ["text or html"]),
        ({"q": "a" * 101, "source": "en", "target": "fr"}, 413, ["101", "100"]),
        ({"q": "a", "source": "en", "target": "fr", "alternatives": -1}, 400, ["whole number"]),
    ],
)
def test_a_mistake_is_an_error_that_says_what(
    start: Start, values: Any, status: int, parts: list[str]
) -> None:
    answer = requests.post(f"{start(limits=Limits(characters=100))}/translate", json=values)
    assert answer.status_code == status
    assert all(part in answer.json()["error"] for part in parts), answer.json()
