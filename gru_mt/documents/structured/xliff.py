"""Texts of programs for translation tools: XLIFF 1.2 and 2."""

import re
from collections.abc import Iterator

from gru_mt.documents.document import Document, Place, Source, Span
from gru_mt.documents.structured.marked import Mark, Piece, place_of, with_gaps
from gru_mt.documents.structured.xml_tree import Element, escaped, parse_xml

_INLINE = ("g", "mrk", "pc")  # elements with text in them
_STARTS, _ENDS = ("bpt", "bx", "sc", "sm"), ("ept", "ex", "ec", "em")
_UNDONE = ("new", "initial", "needs-translation")
_ANGULAR = re.compile(r"(START|CLOSE)_(.+?)(?:_\d+)?\Z")  # the tags of a template
_DONE = {"1": "needs-review-translation", "2": "translated"}  # but not reviewed


def read_xliff(source: Source) -> Document:
    """Read the sources without a target, or all with `everything`.

    The state of what is filled tells that nobody has reviewed it.
    """
    file = source.decode()
    root = parse_xml(file)
    version = root.attribute("version")[:1]
    if _local(root) != "xliff" or version not in _DONE:
        raise file.error(root.start, "is no XLIFF of version 1 or 2")
    everything = source.everything
    return file.document(_place(unit, version, everything=everything) for unit in _units(root))


def _local(element: Element) -> str:
    return element.name.rpartition(":")[2]


def _units(element: Element) -> Iterator[Element]:
    """Yield the elements that have a source and perhaps a target, and are to be translated."""
    for child in element.children:
        if child.attribute("translate") != "no":
            if _local(child) in ("trans-unit", "segment"):
                yield child  # there is none in it
            else:
                yield from _units(child)


def _place(unit: Element, version: str, *, everything: bool) -> Place | None:
    parts = {_local(child): child for child in reversed(unit.children)}
    original, target = parts.get("source"), parts.get("target")
    holder = target if version == "1" else unit  # of the state
    is_done = target and "".join(map(str, target.contents())).strip()
    if is_done and holder and holder.attribute("state") in _UNDONE:
        is_done = ""
    if not original or (is_done and not everything):
        return None

    def edits(new: str) -> Iterator[Span]:
        name, state = original.name.removesuffix("source") + "target", _DONE[version]
        tag = target.tag.replace("/>", ">") if target else f"<{name}>"
        if version == "1":
            tag = _with_state(tag, state)
        else:
            start = unit.start
            yield Span(start, start + len(unit.tag), _with_state(unit.tag, state))
        if target:
            yield Span(target.start, target.end, f"{tag}{new}</{name}>")
        else:
            end = parts.get("seg-source", original).end
            before = unit.file[unit.start : original.start]
            indent = before[len(before.rstrip()) :]
            yield Span(end, end, f"{indent}{tag}{new}</{name}>")

    return place_of(_pieces(original), edits, escaped)


def _with_state(tag: str, state: str) -> str:
    """Return the tag of an element with another state, or with one."""
    new, found = re.subn(r"(\sstate\s*=\s*)(\"[^\"]*\"|'[^']*')", rf'\1"{state}"', tag, count=1)
    return new if found else re.sub(r"(?<!\s)\s*(/?>)\Z", rf' state="{state}"\1', tag)


def _pieces(element: Element) -> Iterator[Piece]:
    for part in element.contents():
        if isinstance(part, str):
            yield from with_gaps(part, escaped)
        elif _local(part) in _INLINE and part.end > part.inside_end and not _is_protected(part):
            yield Mark("opening", part.tag)
            yield from _pieces(part)
            yield Mark("closing", part.file[part.inside_end : part.end])
        else:
            yield _mark(part)


def _is_protected(element: Element) -> bool:
    return element.attribute("translate") == "no" or element.attribute("mtype") == "protected"


def _mark(element: Element) -> Mark:
    name, id_ = _local(element), element.attribute("id")
    if angular := _ANGULAR.match(id_):
        return Mark("start" if angular[1] == "START" else "end", element.xml, key=angular[2])
    if name in (*_STARTS, *_ENDS):
        key = element.attribute("startRef") or element.attribute("rid") or id_
        return Mark("start" if name in _STARTS else "end", element.xml, key=key)
    is_line = id_ == "LINE_BREAK" or element.attribute("ctype") == "lb"
    return Mark("line" if is_line else "other", element.xml)
