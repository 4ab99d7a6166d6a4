"""Text as it is kept: cleaned, one line."""

import re

CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")  # Cc less Python's whitespace


def clean(text: str) -> str:
    """Return `text` with each run of whitespace as one space and none at its ends.

    Whitespace is Python's, the no-break spaces U+00A0 and U+202F included: "Où\\u202f?" -> "Où ?".
    """
    return " ".join(text.split())
