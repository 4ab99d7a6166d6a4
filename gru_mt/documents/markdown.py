"""Markdown, .md: headings, paragraphs, items and cells are texts, with the markup in them.

Front matter, code, blocks of HTML, definitions of links and the marks of blocks stay as they are.
"""

import logging
import re
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise, zip_longest
from textwrap import wrap
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import normalizeReference
from markdown_it.token import Token

from gru_mt.documents.document import Document, Span, TextFile, splice
from gru_mt.documents.sentences import ends_sentence, joined

log = logging.getLogger(__name__)
_LINE = re.compile(r"([^\r\n]*)(?:\r\n|\r|\n|\Z)")
_FRONT_MATTER = re.compile(
    r"(---|\+\+\+)[ \t]*[\r\n](?s:.*?)(?<=[\r\n])(?:\1|\.\.\.)[ \t]*(?=[\r\n]|\Z)"
)
# A line that no text may be joined to: ::: tip, [!NOTE], {{< note >}}, {% note %}, {: .class}
_ALONE = re.compile(r":::.*|\[!\w+\]|\{[{%:<].*\}")
_BREAK = re.compile(r"[ \t]*(?:\r\n|\r|\n)[ \t>]*")  # within a paragraph
_SHORTCUT = re.compile(r"(?<![\]\\])\[([^\[\]]+)\](?:\[\])?(?![\[(:])")
_PLAIN = ("text", "text_special", "softbreak", "hardbreak")


def read_markdown(data: bytes, name: str) -> Document:
    """Read CommonMark with tables."""
    return MarkdownDocument(TextFile.decode(data, name))


class MarkdownDocument:
    """A page of Markdown."""

    def __init__(self, file: TextFile) -> None:
        """Find the texts of a file."""
        self._file = file
        self._parser = MarkdownIt().enable(["table", "strikethrough"])
        self._links: dict[str, Any] = {}  # that the file defines
        self._cells: set[int] = set()  # where they begin
        self._spans = [*self._found()]

    @property
    def texts(self) -> list[str]:
        """The texts, each with its markup, on one line."""
        return [span.text for span in self._spans]

    def replaced(self, texts: Sequence[str]) -> bytes:
        """Return the file with one text for each of `texts`; one that would lose markup stays."""
        source = self._file.text
        new, lost = list[str](), list[Span]()
        for span, text in zip(self._spans, texts, strict=True):
            written = source[span.start : span.end]
            if text != span.text:
                translation = self._written(span, text)
                if translation is None:
                    lost.append(span)
                written = translation or written
            new.append(written)
        if lost:
            log.warning(
                f"{self._file.place(lost[0].start)}: is not translated, as it would lose markup"
                + (f" (and {len(lost) - 1:,} more)" if lost[1:] else "")
            )
        return self._file.encode(splice(source, self._spans, new))

    def _found(self) -> Iterator[Span]:
        source = self._file.text
        front_matter = _FRONT_MATTER.match(source)
        start = front_matter.end() if front_matter else 0
        lines = [match.span(1) for match in _LINE.finditer(source, start)]
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
                        self._cells.add(index)
                        yield Span(index, position, self._with_labels(text))
                        break
                continue
            found = []
            for text, (begin, end) in zip(content.split("\n"), lines[first:], strict=False):
                text = text.strip()
                index = source.rfind(text, begin, end)
                if index < 0:  # only with a NUL, which the parser replaces
                    break
                found.append(Span(index, index + len(text), text))
            else:
                yield from self._paragraph(found)

    def _paragraph(self, lines: Sequence[Span]) -> Iterator[Span]:
        """Yield the texts of a paragraph: lines, joined but at breaks and the ends of sentences.

        Sentences that share markup are one text.
        """
        found = self._groups(lines, by_sentence=True)
        if len(found) > 1:
            whole = self._markup(joined([line.text for line in chain(*found)]))
            if sorted(chain(*(self._markup(_text(group)) for group in found))) != whole:
                found = self._groups(lines, by_sentence=False)
        for group in found:
            yield Span(group[0].start, group[-1].end, self._with_labels(_text(group)))

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

    def _written(self, span: Span, text: str) -> str | None:
        """Return a translation as it stands in the file, wrapped as its source was.

        It is None where it would have other markup.
        """
        if span.start in self._cells:
            text = re.sub(r"(?<!\\)\|", r"\\|", text)
        structure = self._structure(span.text)
        if self._structure(text) != structure:
            return None
        source = self._file.text[span.start : span.end]
        if new_line := _BREAK.search(source):
            width = max(map(len, _BREAK.split(source)))
            lines = wrap(text, width, break_long_words=False, break_on_hyphens=False)
            if self._structure("\n".join(lines)) == structure:
                return new_line[0].join(lines)
        return text

    def _structure(self, text: str) -> tuple[list[str], list[str]]:
        """Return the blocks and the inline markup of a text, as the parser sees it alone."""
        blocks = self._parser.parse(text, self._links)
        markup = chain(*(_markup(block.children or []) for block in blocks))
        return [block.type for block in blocks], sorted(markup)

    def _markup(self, text: str) -> list[str]:
        return sorted(_markup(self._parser.parseInline(text, self._links)[0].children or []))


def _markup(tokens: Sequence[Token]) -> Iterator[str]:
    """Yield the markup of a text, each with what it stands in."""
    opened: list[str] = []
    for token in tokens:
        if token.nesting < 0:
            opened.pop()
        elif token.type not in _PLAIN:
            content = "" if token.type == "image" else token.content
            yield (markup := f"{opened} {token.type} {token.attrs} {content}")
            if token.nesting > 0:
                opened.append(markup)


def _text(lines: Sequence[Span]) -> str:
    return joined([line.text for line in lines])
