"""Text as a corpus keeps it: cleaned, in one line; and its length in words."""

import re

CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")  # Unicode's Cc but for whitespace
_SPACELESS = re.compile(  # a letter of a script without spaces, its marks and punctuation
    "["
    "\u0e00-\u109f"  # Thai, Lao, Tibetan, Myanmar
    "\u1780-\u17ff\u1950-\u1aaf"  # Khmer, Tai Le, New Tai Lue, Khmer symbols, Tai Tham
    "\u3005-\u3007\u3041-\u312f\u31a0-\u31ff"  # iteration marks, kana, Bopomofo
    "\u3400-\u4dbf\u4e00-\ua4cf"  # Han, Yi
    "\ua9e0-\ua9ff\uaa60-\uaadf"  # Myanmar extended, Tai Viet
    "\uf900-\ufaff\uff66-\uff9f"  # Han of older standards, half-width kana
    "\U0001aff0-\U0001b16f\U00020000-\U0003ffff"  # more kana, more Han
    r"](?<=\w)[^\w\s]*"
)


def clean(text: str) -> str:
    """Return `text` with each run of whitespace as one space and none at its ends.

    Whitespace is Python's, the no-break spaces U+00A0 and U+202F included: "Où\\u202f?" -> "Où ?".
    """
    return " ".join(text.split())


def is_word(text: str) -> bool:
    """Return whether `text` may stand in a cleaned text without a space, and is not empty."""
    return text.split() == [text] and not CONTROL.search(text)


def count_words(text: str) -> int:
    """Return how many words a cleaned text has: "I see." -> 2, "我明白了。" -> 4, "5 Tシャツ" -> 5.

    Each letter of a script that is written without spaces is a word; spaces divide the rest.
    """
    rest, letters = _SPACELESS.subn(" ", text)
    return letters + len(rest.split())
