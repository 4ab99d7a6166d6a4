"""Hypotheses made by hand, and pages taken apart."""

from collections.abc import Sequence
from html.parser import HTMLParser

from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.evaluation.hypotheses import Hypotheses
from gru_mt.evaluation.score import score_translations

VOID = {"meta", "input", "br", "img"}


class Page(HTMLParser):
    """The elements of a page; fails where one is not closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.contents: dict[str, str] = {}  # of the elements that are read
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("style", "script", "title", "h1"):
            tag, attributes = self.elements[-1]
            name = "json" if attributes.get("type") == "application/json" else tag
            self.contents[name] = self.contents.get(name, "") + data


def hypotheses(
    *rows: tuple[str, str, list[str]],
    confidences: Sequence[float | None] | None = None,
    warnings: list[list[str]] | None = None,
) -> Hypotheses:
    """Return a set of rows of source, translation and references."""
    sources, texts, references = zip(*rows, strict=True)
    size = len(rows)
    return Hypotheses(
        EvaluationSet([*sources], [*references], "mine"),
        [*texts],
        [0.0] * size,
        [*(confidences or [None] * size)],
        warnings or [[]] * size,
        seconds=1.0,
        corpus_scores=score_translations(texts, references),
    )
