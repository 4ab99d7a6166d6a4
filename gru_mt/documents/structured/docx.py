"""Documents of Word: the paragraphs of the text, tables, notes, headers and footers."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby
from pathlib import PurePosixPath
from typing import Literal, NamedTuple

from gru_mt.documents.document import Document, Place, Source, replacing
from gru_mt.documents.structured.marked import Mark, Piece, place_of, with_gaps
from gru_mt.documents.structured.package import Package
from gru_mt.documents.structured.xml_tree import Element, escaped, parse_xml
from gru_mt.errors import UserError

_TYPES = "[Content_Types].xml"  # of the parts; it is none
_PARTS = re.compile(r"\.(?:document\.main|footnotes|endnotes|header|footer)\+xml\Z")
_NAMESPACE = re.compile(
    r"xmlns:(\w+)\s*=\s*[\"']http://(?:schemas\.openxmlformats\.org/wordprocessingml/2006"
    r"|purl\.oclc\.org/ooxml/wordprocessingml)/main[\"']"
)
_WRAPPERS = ("hyperlink", "ins", "moveTo", "smartTag", "sdt", "sdtContent", "customXml")
_RANGE = re.compile(r"(bookmark|commentRange|perm|moveToRange|moveFromRange)(Start|End)\Z")
_SKIPPED = ("proofErr", "lastRenderedPageBreak", "softHyphen")  # what Word found in the old text
_FIELD_EDGE = re.compile(':fldCharType="(begin|end)"')
_FIELD_TEXT = re.compile(r">\s*(?:HYPERLINK|TOC)\s")  # the fields whose result is translated


def read_docx(source: Source) -> Document:
    """Read the paragraphs. Comments, deleted text, fields and pictures stay."""
    package = Package.read(source)
    root = parse_xml(package.member(_TYPES).decode())
    types = {  # by the name of a part, or for all others by its ending
        each.attribute("PartName").lstrip("/") or f".{each.attribute('Extension')}": each.attribute(
            "ContentType"
        )
        for each in root.children
    }
    names = [
        name
        for name in package.archive.namelist()
        if name != _TYPES
        and _PARTS.search(types.get(name) or types.get(PurePosixPath(name).suffix, ""))
    ]
    if not names:
        raise UserError(f"{source.name}: is no document of Word")
    return package.document({each: _read_part(package.member(each)) for each in names})


def _read_part(source: Source) -> Document:
    file = source.decode()
    root = parse_xml(file)
    prefix = _NAMESPACE.search(root.tag)
    if not prefix:
        raise file.error(root.start, "is no text of Word")
    try:
        return file.document(_Part(file.text, f"{prefix[1]}:").places(root))
    except RecursionError:
        raise file.error(root.start, "has fields that are nested too deeply") from None


class _Styled(NamedTuple):
    text: str
    style: str  # the <w:rPr> of its run


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of a document, as XML."""

    source: str
    w: str  # the prefix of Word's elements

    def places(self, element: Element) -> Iterator[Place | None]:
        """Yield the places of the paragraphs in an element; those of a text box are their own."""
        for child in element.children:
            if self._local(child) != "p":
                yield from self.places(child)
                continue
            for has_paragraphs, group in groupby(self._content(child), key=self._has_paragraphs):
                if has_paragraphs:
                    yield from chain.from_iterable(map(self.places, group))
                else:
                    yield self._place([*group])

    def _has_paragraphs(self, element: Element) -> bool:
        return re.search(rf"<{self.w}p[ >]", element.xml) is not None

    def _place(self, siblings: Sequence[Element]) -> Place | None:
        items = [*self._items(siblings)]
        sizes, depth = Counter[str](), 0
        for item in items:
            if isinstance(item, _Styled):
                weight = 1 if depth else 1_000  # in a link it counts last
                sizes[item.style] += len(item.text) * weight
            else:
                depth += {"opening": 1, "closing": -1}.get(item.kind, 0)
        base = max(sizes, key=sizes.__getitem__, default="")
        edits = replacing(siblings[0].start, siblings[-1].end)
        return place_of(self._pieces(items, base), edits, self._run, base)

    def _items(self, siblings: Sequence[Element]) -> Iterator[_Styled | Mark]:
        """Yield the texts of runs with their style, and what stands between."""
        ends, end = self._field_ends(siblings), 0
        for index, element in enumerate(siblings):
            name, whole = self._local(element), element.xml
            content = self._content(element)
            if index < end or name in _SKIPPED:
                continue
            if name == "r" and index in ends:
                end = ends[index]
                yield from self._field(siblings[index:end])
            elif name == "r":
                yield from self._run_items(element)
            elif name in _WRAPPERS and content:
                yield Mark("opening", self.source[element.start : content[0].start])
                yield from self._items(content)
                yield Mark("closing", self.source[content[-1].end : element.end])
            elif match := _RANGE.match(name):
                kind: Literal["start", "end"] = "start" if match[2] == "Start" else "end"
                yield Mark(kind, whole, key=match[1] + element.attribute(f"{self.w}id"))
            else:
                yield Mark("other", whole)

    def _run_items(self, run: Element) -> Iterator[_Styled | Mark]:
        content = self._content(run)
        style = self.source[run.start + len(run.tag) : content[0].start] if content else ""
        # The language of the old text, and whether Word checks its spelling.
        style = re.sub(rf"<{self.w}(?:lang|noProof)\b[^<>]*/>", "", style).strip()
        style = re.sub(rf"<({self.w}rPr)>\s*</\1>|<{self.w}rPr\s*/>", "", style)
        for element in content:
            name = self._local(element)
            whole = f"<{self.w}r>{style}{element.xml}</{self.w}r>"
            if name == "t":
                text = "".join(part for part in element.contents() if type(part) is str)
                is_kept = element.attribute("xml:space") == "preserve"
                yield _Styled(text if is_kept else text.strip(), style)
            elif name == "noBreakHyphen":
                yield _Styled("\u2011", style)
            elif name in ("br", "cr") and not element.attribute(f"{self.w}type"):
                yield Mark("line", whole)
            elif name in ("br", "tab", "ptab"):
                yield Mark("block", whole)
            elif name == "fldChar":  # of a field that ends elsewhere
                yield Mark("start", whole)
            elif name not in _SKIPPED:
                yield Mark("other", whole)

    def _field_ends(self, siblings: Sequence[Element]) -> dict[int, int]:
        """Return the index after each field that begins and ends here, by that of its beginning."""
        opened, ends = list[int](), dict[int, int]()
        for index, element in enumerate(siblings):
            for kind in _FIELD_EDGE.findall(element.xml):
                if kind == "begin":
                    opened.append(index)
                elif opened:
                    ends[opened.pop()] = index + 1
        return ends

    def _field(self, runs: Sequence[Element]) -> Iterator[_Styled | Mark]:
        whole = self.source[runs[0].start : runs[-1].end]
        is_middle = (':fldCharType="separate"' in run.xml for run in runs[:-1])
        middle = next((index for index, found in enumerate(is_middle) if found), 0)
        if not middle or not _FIELD_TEXT.search(whole):
            yield Mark("other", whole)
            return
        yield Mark("opening", self.source[runs[0].start : runs[middle].end])
        yield from self._items(runs[middle + 1 : -1])
        yield Mark("closing", runs[-1].xml)

    def _pieces(self, items: Sequence[_Styled | Mark], base: str) -> Iterator[Piece]:
        """Yield texts; one in another style than `base` is in a pair, without spaces around it."""
        joined = list[_Styled | Mark]()
        for item in items:
            last = joined[-1] if joined else None
            if (
                isinstance(item, _Styled)
                and isinstance(last, _Styled)
                and (item.style == last.style or item.text.isspace())
            ):
                joined[-1] = _Styled(last.text + item.text, last.style)
            else:
                joined.append(item)
        for item in joined:
            if isinstance(item, Mark):
                yield item
            elif item.style == base or not (text := item.text.strip()):
                yield from with_gaps(item.text, self._run, base)
            else:
                before, _, after = item.text.partition(text)
                yield from with_gaps(before, self._run, base)
                yield Mark("opening", "", item.style)
                yield from with_gaps(text, self._run, item.style)
                yield Mark("closing", "")
                yield from with_gaps(after, self._run, base)

    def _run(self, text: str, style: str) -> str:
        w = self.w
        return f'<{w}r>{style}<{w}t xml:space="preserve">{escaped(text)}</{w}t></{w}r>'

    def _local(self, element: Element) -> str:
        """Return the name of an element of Word; "" for others, as those of mathematics."""
        return element.name.removeprefix(self.w) if element.name.startswith(self.w) else ""

    def _content(self, element: Element) -> list[Element]:
        """Return the children but for properties: <w:rPr>."""
        return [child for child in element.children if not self._local(child).endswith("Pr")]
