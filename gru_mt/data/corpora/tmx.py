"""Translation memories in TMX: units, each with a segment in each of several languages."""

import io
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree as ET

from gru_mt.data.corpora.reading import TextStream
from gru_mt.data.corpora.rows import Dropped, DropReason, Row
from gru_mt.errors import UserError, quoted, shown

_LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"


def tmx_rows(text: TextStream, languages: Sequence[str]) -> Iterator[Row]:
    """Yield the row of each unit. Its languages may have a region: `en` finds en-GB too.

    Tags inside a segment are left out, their text stays. Raises UserError where it is no XML.
    """
    wanted = [language.lower() for language in languages]
    try:
        above: list[ET.Element] = []
        for event, element in ET.iterparse(io.BufferedReader(text), ("start", "end")):
            if event == "start":
                above.append(element)
                continue
            above.pop()
            if element.tag.rpartition("}")[2] == "tu":
                yield _row(element, wanted)
                above[-1].clear()  # it would keep all units
    except ET.ParseError as error:
        raise UserError(f"{text.place}: no TMX that can be read: {shown(error)}") from None


def _row(unit: ET.Element, wanted: Sequence[str]) -> Row:
    texts: dict[str, str] = {}
    for variant in unit:
        language = (variant.get(_LANGUAGE) or variant.get("lang") or "").lower()
        for segment in variant:
            if segment.tag.rpartition("}")[2] == "seg":
                text = "".join(segment.itertext())
                texts.setdefault(language, text)
                texts.setdefault(language.replace("_", "-").partition("-")[0], text)
    first, second = (texts.get(language) for language in wanted)
    if first is None or second is None:
        return Dropped(DropReason.LANGUAGE, f"has {', '.join(map(quoted, texts)) or 'none'}")
    return first, second, ""
