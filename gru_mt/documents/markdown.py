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

from gru_mt.documents.document import Document, Span, SplicedDocument, TextFile
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
    file = TextFile.decode(data, name)
    reader = _Reader(file)
    return SplicedDocument(file, [*reader.spans()], reader.written)


class _Reader:
    def __init__(self, file: TextFile) -> None:
        self.file = file
        self._parser = MarkdownIt().enable(["table", "strikethrough"])
        self._links: dict[str, Any] = {}  # that the file defines
        self._cells: set[int] = set()  # where they begin

    def spans(self) -> Iterator[Span]:
        """Yield the texts."""
        source = self.file.text
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
        return new if self._markup(new) == self._markup(text) else text

    def _groups(self, lines: Sequence[Span], *, by_sentence: bool) -> list[list[Span]]:
        groups: list[list[Span]] = [[]]
        for line, after in zip_longest(lines, lines[1:]):
            if _ALONE.fullmatch(line.text):
                groups.append([])
                continue
            if after and line.text.endswith("\\"):
                line = Span(line.start, line.end - 1, line.text[:-1])
            groups[-1].append(line)
            is_broken = self.file.text.startswith(("  ", "\\"), line.end)
            if after and (is_broken or (by_sentence and ends_sentence(line.text, after.text))):
                groups.append([])
        return [*filter(None, groups)]

    def written(self, span: Span, text: str) -> str:
        """Return a translation as it stands in the file, wrapped as its source was.

        It is the source where the translation would have other markup.
        """
        source = self.file.text[span.start : span.end]
        if span.start in self._cells:
            text = re.sub(r"(?<!\\)\|", r"\\|", text)
        structure = self._structure(span.text)
        if self._structure(text) != structure:
            log.warning(f"{self.file.place(span.start)}: is not translated: it would lose markup")
            return source
        if new_line := _BREAK.search(source):
            width = max(map(len, _BREAK.split(source)))
            lines = wrap(text, width, break_long_words=False, break_on_hyphens=False)
            if self._structure("\n".join(lines)) == structure:
                return new_line[0].join(lines)
        return text

    def _structure(self, text: str) -> tuple[list[str], list[str]]:
        """Return the blocks and the inline markup of a text, as the parser sees it alone."""
        blocks = [token.type for token in self._parser.parse(text, self._links)]
        return blocks, self._markup(text)

    def _markup(self, text: str) -> list[str]:
        """Return the inline markup of a text, sorted, each with what it stands in."""
        found: list[str] = []
        opened: list[str] = []
        for token in self._parser.parseInline(text, self._links)[0].children or []:
            if token.nesting < 0:
                opened.pop()
            elif token.type not in _PLAIN:
                content = "" if token.type == "image" else token.content
                found.append(f"{opened} {token.type} {token.attrs} {content}")
            if token.nesting > 0:
                opened.append(found[-1])
        return sorted(found)


def _text(lines: Sequence[Span]) -> str:
    return joined([line.text for line in lines])
