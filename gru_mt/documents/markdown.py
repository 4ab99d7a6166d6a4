"""Markdown, .md: headings, paragraphs, items and cells are texts, with the markup in them.

Front matter, code, blocks of HTML, definitions of links and the marks of blocks stay as they are.
"""

import logging
import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise, zip_longest
from textwrap import wrap
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token

from gru_mt.documents.document import Document, Place, Source, Span, TextFile
from gru_mt.documents.lines import LINE, ends_sentence, joined

log = logging.getLogger(__name__)
_FRONT_MATTER = re.compile(
    r"(---|\+\+\+)[ \t]*[\r\n](?s:.*?)(?<=[\r\n])(?:\1|\.\.\.)[ \t]*(?=[\r\n]|\Z)"
)
# A line that no text may be joined to: ::: tip, [!NOTE], {{< note >}}, {% note %}, {: .class}
_ALONE = re.compile(r":::.*|\[!\w+\]|\{[{%:<].*\}")
_BREAK = re.compile(r"(?<![ \t])[ \t]*(?:\r\n|\r|\n)[ \t>]*")  # within a paragraph
_SHORTCUT = re.compile(r"(?<![\]\\])\[(?!\^)([^\[\]]+)\](?:\[\])?(?![\[(:])")
_PLAIN = ("text", "text_special", "softbreak", "hardbreak")


def read_markdown(source: Source) -> Document:
    """Read CommonMark with tables."""
    file = source.decode()
    return file.document(_Page(file).places())


class _Page:
    """A page of Markdown."""

    def __init__(self, file: TextFile) -> None:
        self._file = file
        self._parser = MarkdownIt().enable(["table", "strikethrough"])
        self._links: dict[str, Any] = {}  # that the file defines
        self._lines = [line.start() for line in LINE.finditer(file.text)]

    def places(self) -> Iterator[Place]:
        """Yield the place of each text, with its markup, on one line."""
        source = self._file.text
        front_matter = _FRONT_MATTER.match(source)
        start = front_matter.end() if front_matter else 0
        lines = [match.span(1) for match in LINE.finditer(source, start)]
        position = 0  # where the last cell ends
        for before, token in pairwise(self._parser.parse(source[start:], self._links)):
            if token.type != "inline" or not token.map:
                continue
            first, content = token.map[0], token.content
            if before.type in ("td_open", "th_open"):
                begin, end = lines[first]
                for text in (content.replace("|", r"\|"), content):
                    index = source.find(text, max(begin, position), end)
                    if content and index >= 0:
                        position = index + len(text)
                        yield self._place(Span(index, position, text), is_cell=True)
                        break
                continue
            found = []
            texts = content.split("\n")
            for text, (begin, end) in zip(texts, lines[first : first + len(texts)], strict=False):
                text = text.strip()
                index = source.rfind(text, begin, end)
                if index < 0:  # only with a NUL, which the parser replaces
                    break
                found.append(Span(index, index + len(text), text))
            else:
                yield from self._paragraph(found)

    def _paragraph(self, lines: Sequence[Span]) -> Iterator[Place]:
        """Yield the places of a paragraph: its lines, joined but at breaks and ends of sentences.

        Sentences that share markup are one text.
        """
        found = self._groups(lines, by_sentence=True)
        if len(found) > 1:
            whole = self._markup(joined([line.text for line in chain(*found)]))
            if sorted(chain(*(self._markup(_text(group)) for group in found))) != whole:
                found = self._groups(lines, by_sentence=False)
        for group in found:
            yield self._place(Span(group[0].start, group[-1].end, _text(group)))

    def _with_labels(self, text: str) -> str:
        """Return a text whose [links] to what the file defines are [links][links]."""

        def labelled(match: re.Match[str]) -> str:
            is_defined = normalizeReference(match[1]) in self._links.get("references", {})
            return f"[{match[1]}][{match[1]}]" if is_defined else match[0]

        new = _SHORTCUT.sub(labelled, text)
        is_same = new == text or self._markup(new) == self._markup(text)
        return new if is_same else text

    def _groups(self, lines: Sequence[Span], *, by_sentence: bool) -> list[list[Span]]:
        groups: list[list[Span]] = [[]]
        for line, after in zip_longest(lines, lines[1:]):
            if _ALONE.fullmatch(line.text):
                groups.append([])
                continue
            if after and line.text.endswith("\\"):
                line = Span(line.start, line.end - 1, line.text[:-1])
            groups[-1].append(line)
            is_broken = self._file.text.startswith(("  ", "\\"), line.end)
            is_broken = is_broken or bool(after and after.text.startswith(": "))  # a definition
            if after and (is_broken or (by_sentence and ends_sentence(line.text, after.text))):
                groups.append([])
        return [*filter(None, groups)]

    def _place(self, span: Span, *, is_cell: bool = False) -> Place:
        source = self._with_labels(span.text)

        def edits(text: str) -> list[Span]:
            """Write a translation wrapped as its source was; not one with other markup."""
            if is_cell:
                text = re.sub(r"(?<!\\)\|", r"\\|", text)
            structure = self._structure(source)
            if self._structure(text) != structure:
                place = f"{self._file.name}, line {bisect(self._lines, span.start)}"
                log.warning(f"{place}: is not translated, as it would lose markup")
                return []
            typed = self._file.text[span.start : span.end]
            if new_line := _BREAK.search(typed):
                width = max(map(len, _BREAK.split(typed)))
                lines = wrap(text, width, break_long_words=False, break_on_hyphens=False)
                if self._structure("\n".join(lines)) == structure:
                    text = new_line[0].join(lines)
            return [span._replace(text=text)]

        return Place(source, edits)

    def _structure(self, text: str) -> tuple[list[str], list[str]]:
        """Return the blocks and the inline markup of a text, as the parser sees it alone."""
        blocks = self._parser.parse(text, self._links)
        markup = chain(*(_markup(block.children or []) for block in blocks))
        return [block.type for block in blocks], sorted(markup)

    def _markup(self, text: str) -> list[str]:
        return sorted(_markup(self._parser.parseInline(text, self._links)[0].children or []))


def _markup(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield the markup of a text, each with how deep it stands, and in what."""
    opened = [""]
    for token in tokens:
        if token.nesting < 0:
            opened.pop()
        elif token.type not in _PLAIN:
            content = "" if token.type == "image" else token.content
            markup = f"{token.type} {token.attrs} {content}"
            yield f"{len(opened)} {opened[-1]} {markup}"
            if token.nesting > 0:
                opened.append(markup)


def _text(lines: Sequence[Span]) -> str:
    return joined([line.text for line in lines])
