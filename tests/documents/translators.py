"""What stands for a translator in tests of documents."""


class Identity:
    """Gives each text back."""

    def translate(self, sources: list[str], **keywords: object) -> list[str]:
        """Return the texts."""
        return sources


class Changing:
    """Writes each text in capitals."""

    def translate(self, sources: list[str], **keywords: object) -> list[str]:
        """Return the texts in capitals."""
        return [text.upper() for text in sources]
