"""What stands for a translator in tests of documents."""

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from gru_mt import translate_document
from gru_mt.inference.translation import Languages

_PART = re.compile(r"(<g(\d+)>)(.*?)(</g\2>)|<[^<>]*>|%\w|\{\w*\}|[^<\s%{]+|\s+")


def by(function: Callable[[str], str], source: str = "en") -> Any:
    """Return what makes of each text what a function does; `source` is the language of texts."""
    return SimpleNamespace(
        languages=Languages(source, "fr"),
        translate=lambda sources, **keywords: [*map(function, sources)],
    )


def translated(
    document: str | bytes, name: str, function: Callable[[str], str] = str, **keywords: Any
) -> bytes:
    """Return a document with what `function` makes of its texts; without one they stay."""
    data = document.encode() if isinstance(document, str) else document
    return translate_document(by(function), data, name, **keywords)


def capitals(text: str) -> str:
    """Return a text in capitals, but for its tags."""
    return re.sub(r"(<[^<>]*>)|[^<]+|<", lambda match: match[1] or match[0].upper(), text)


def backwards(text: str) -> str:
    """Return a text in capitals from its end: "He is <g1>big</g1>" -> "<g1>BIG</g1> IS HE"."""
    parts = []
    for match in _PART.finditer(text):
        if match[2]:
            parts.append(f"{match[1]}{backwards(match[3])}{match[4]}")
        else:
            parts.append(match[0] if match[0][0] in "<%{" else match[0].upper())
    return "".join(reversed(parts))
