"""XML as a tree whose elements know where they stand in the file."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape
from xml.parsers import expat
from xml.sax.saxutils import escape

from gru_mt.documents.document import TextFile
from gru_mt.errors import UserError

_TOKEN = re.compile(
    r"""<!--.*?--> | <\?.*?\?> | <!\[CDATA\[.*?\]\]> | <!DOCTYPE\b(?:[^>"']|"[^"]*"|'[^']*')*+>
    | <(?P<end>/?)(?P<name>[^\s/>]+)(?:[^"'<>/]|"[^"]*"|'[^']*'|/(?!>))*+(?P<empty>/?)>""",
    re.VERBOSE | re.DOTALL,
)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_DEEPEST = 200


@dataclass(eq=False, slots=True)
class Element:
    """An element; a comment and a processing instruction are one without a name."""

    name: str  # with its prefix
    tag: str  # that begins it
    file: str = field(repr=False)  # all of it
    start: int  # in the file, as all that follows
    end: int
    inside_end: int  # where its closing tag begins
    children: list["Element"] = field(default_factory=list)

    def attribute(self, name: str) -> str:
        """Return the value of an attribute, "" without one."""
        match = re.search(rf"\s{name}\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", self.tag)
        return unescape(match[1] or match[2] or "") if match else ""

    @property
    def xml(self) -> str:
        """Its source."""
        return self.file[self.start : self.end]

    def contents(self) -> Iterator["str | Element"]:
        """Yield what is in it: its children, and the texts around them, without escapes."""
        position = self.start + len(self.tag)
        for child in self.children:
            yield from filter(None, [decoded(self.file[position : child.start])])
            yield child
            position = child.end
        yield from filter(None, [decoded(self.file[position : self.inside_end])])


def decoded(source: str) -> str:
    """Return the text of XML without tags: "a &lt; b" -> "a < b"; a line ends with a line feed."""
    parts = enumerate(_CDATA.split(re.sub(r"\r\n?", "\n", source)))
    return "".join(part if index % 2 else unescape(part) for index, part in parts)


def escaped(text: str, style: str = "") -> str:
    """Return the source of a text."""
    return escape(text, {"\r": "&#13;"})


def parse_xml(file: TextFile) -> Element:
    """Return the root; UserError for what is no XML, and for a DTD, whose entities may be bombs."""
    parser = expat.ParserCreate("utf-8", namespace_separator=" ")

    def refuse(*doctype: object) -> None:
        if doctype[-1]:
            raise file.error(0, "has a DTD in it, which may hide anything; remove it")

    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(file.text.encode(errors="surrogatepass"), True)  # half a pair is no XML
    except expat.ExpatError as error:
        message = f"is no XML at column {error.offset + 1}: {expat.ErrorString(error.code)}"
        raise UserError(f"{file.name}, line {error.lineno}: {message}") from None
    top = Element("", "", file.text, 0, len(file.text), len(file.text))
    opened = [top]
    for token in _TOKEN.finditer(file.text):
        if token[0].startswith(("<![", "<!D")):
            continue
        if token["end"]:
            element = opened.pop()
            element.inside_end, element.end = token.span()
            continue
        element = Element(token["name"] or "", token[0], file.text, *token.span(), token.end())
        opened[-1].children.append(element)
        if token["name"] and not token["empty"]:
            opened.append(element)
            if len(opened) > _DEEPEST:
                raise file.error(token.start(), "is nested too deeply")
    return next(child for child in top.children if child.name)
