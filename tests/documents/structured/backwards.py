"""A translator that turns a text round and keeps each tag."""

import re

from tests.documents.translators import Identity

_PART = re.compile(r"(<g(\d+)>)(.*?)(</g\2>)|<[^<>]*>|%\w|\{\w*\}|[^<\s%{]+|\s+")


def backwards(text: str) -> str:
    """Return a text in capitals from its end: "He is <g1>big</g1>" -> "<g1>BIG</g1> IS HE"."""
    parts = []
    for match in _PART.finditer(text):
        if match[2]:
            parts.append(f"{match[1]}{backwards(match[3])}{match[4]}")
        else:
            parts.append(match[0] if match[0][0] in "<%{" else match[0].upper())
    return "".join(reversed(parts))


class Backwards(Identity):
    """Stands for a translator."""

    def translate(self, sources: list[str], **keywords: object) -> list[str]:
        """Return the texts, turned round."""
        return [backwards(text) for text in sources]
