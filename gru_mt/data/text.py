"""Clean a text into one line, and count its words."""

import re

CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]")  # Unicode's Cc without whitespace
SPACELESS = re.compile(  # a letter of a script without spaces, and marks and punctuation after it
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
    """Return `text` with one space for each run of whitespace, and none at its ends.

    Whitespace is what Python takes for it, with the no-break spaces: "Où\\u202f?" -> "Où ?".
    """
    return " ".join(text.split())


def is_word(text: str) -> bool:
    """Return whether `text` can be a part of a cleaned text: not empty, and without spaces."""
    return text.split() == [text] and not CONTROL.search(text)


def is_spaceless(letter: str) -> bool:
    """Return whether a letter is of a script that is written without spaces."""
    return SPACELESS.match(letter) is not None


def is_cased(character: str) -> bool:
    """Return whether it is of a word in a script with spaces: a digit, or a letter with case."""
    return character.isdigit() or character.lower() != character.upper()


def count_words(text: str) -> int:
    """Return how many words a cleaned text has: "I see." -> 2, "我明白了。" -> 4, "5 Tシャツ" -> 5.

    Each letter of a script that is written without spaces counts as a word; spaces divide the rest.
    """
    rest, letters = SPACELESS.subn(" ", text)
    return letters + len(rest.split())
