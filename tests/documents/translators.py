"""What stands for a translator in tests of documents."""

import re

from gru_mt.inference.translation import Languages


class Identity:
    """Gives each text back."""

    languages = Languages("en", "fr")

    def translate(self, sources: list[str], **keywords: object) -> list[str]:
        """Return the texts."""
        return sources


class Changing(Identity):
    """Writes each text in capitals, but for its tags."""

    def translate(self, sources: list[str], **keywords: object) -> list[str]:
        """Return the texts in capitals."""
        parts = (re.split("(<[^<>]*>)", text) for text in sources)
        return ["".join([p if p[:1] == "<" else p.upper() for p in each]) for each in parts]


class Numbering(Identity):
    """Gives the number of each text, and what stands in < > or { }, in another order."""

    def translate(self, sources: list[str], **keywords: object) -> list[str]:
        """Return "n0", "n1 </i> <i>"."""
        markup = (re.findall(r"<[^<>]*>|\{[^{}]*\}", text)[::-1] for text in sources)
        return [" ".join([f"n{number}", *tags]) for number, tags in enumerate(markup)]
