"""Clean a text into one line, and tell its words: what they are, and which begin a sentence."""

import html
import re
import unicodedata
from collections.abc import Iterator
from itertools import chain, groupby

# Unicode's Cc without whitespace, and half surrogate pairs, which JSON can hold.
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff]")
_USUAL = dict.fromkeys(  # unseen marks of direction, and hyphens that are unlike the usual one
    map(ord, "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
) | dict.fromkeys(map(ord, "\u2010\u2011"), "-")
_UNSEEN = re.compile("[\u00ad\u200b\u2060\ufeff]")  # a soft hyphen; spaces of no width, once a BOM
# Latin ligatures, and what has a full width: all, or letters and digits with a sign between two.
_WIDE = re.compile("[\ufb00-\ufb06！-～]")
_WIDE_WORD = re.compile("[\ufb00-\ufb06]|[０-９Ａ-Ｚａ-ｚ]+(?:[＇，-／：＠＿][０-９Ａ-Ｚａ-ｚ]+)*")
_BLOCKS = (  # that have marks; the rest is Han, Hangul, symbols, or has no characters
    range(0x300, 0x3100),
    range(0xA600, 0xAC00),
    range(0xFB00, 0x17000),
    range(0x1BC00, 0x1F000),
    range(0xE0100, 0xE01F0),
)


_codes = (code for code in chain(*_BLOCKS) if unicodedata.category(chr(code))[0] == "M")
_runs = ([*run] for _, run in groupby(enumerate(_codes), key=lambda item: item[1] - item[0]))
# The inside of character classes. To `re`, \w has no vowel signs, accents and points of their own,
# nor the joiners of Persian and Indic words: they belong to the letter before them.
MARKS = "\u200c\u200d" + "".join(f"{chr(run[0][1])}-{chr(run[-1][1])}" for run in _runs)
IN_WORD = rf"\w{MARKS}"
_MOST_MARKS = 30  # in a row: no letter has more, and they take the square
_STACK = re.compile(f"([{MARKS}]{{{_MOST_MARKS}}})[{MARKS}]+")
_HUGE = re.compile(r"&#\d{4000,}")  # Python reads no longer number
LETTER = r"[^\W\d_]"
WORD = re.compile(rf"{LETTER}++(?:[{MARKS}]++{LETTER}*+)*+")  # letters, and marks after the first
_IN_WORD = re.compile(rf"(?!_)[{IN_WORD}]")
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


MOST_WORDS, LONGEST_SHORT = 3, 100  # words and letters of a short text
HAN_LETTERS, OTHER_LETTERS = 2, 4  # of scripts without spaces, that are taken for a word
_HAN = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
# Marks of other scripts, and the Latin ones that mean the same.
_ALIKE = ".。．｡।॥۔։።\u104b\u17d4 !！ ?？؟፧ …‥⋯ ,，、، ;；؛ :："
PLAIN_MARKS = {ord(mark): marks[0] for marks in _ALIKE.split() for mark in marks[1:]}
SENTENCE_END = ".!?…" + "".join(chr(mark) for mark, plain in PLAIN_MARKS.items() if plain in ".!?…")
APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼ`´", "'"))
COMMA = re.compile(r"[,،](?=\s)")  # between words: not that of 1,000
TITLES = "MM?|Mrs?|Ms|Mmes?|Mlles?|Dr|Pr|Prof|Mgr|Ste?|Sra?|Dña|Gral|Hr|Fr|Frl|Fam"
TITLE = re.compile(rf"(?<!\w)({TITLES})\.\s++")  # before a name
# After a name, with a dot that ends no sentence.
COMPANY = re.compile(rf" (?:Inc|Ltd|Corp|LLC|PLC|GmbH)(?![{IN_WORD}])(?:\.(?=,| [a-z]))?")
_START = re.compile(  # the first word of a sentence or a quotation; or none, so time is linear
    rf"(?:^|[.!?…:]['\"”»)]*\s|[\"“„«]\s?)[\W_]*+({WORD.pattern})?"
)
INITIALS = re.compile(  # with the last full stop, unless it ends the text
    rf"(?<![{IN_WORD}.]){LETTER}{{1,2}}(?:\.{LETTER}{{1,2}})+(?![{IN_WORD}])(?:\.(?=\s*\S))?"
)
_UNCASED = re.compile("[\u0590-\u1dff\u2e80-\ud7ff]")  # scripts without case, nearly all


def unescaped(text: str) -> str:
    """Return `text` with the characters that its HTML entities name."""
    return html.unescape(_HUGE.sub("&#1114112", text))  # which names none either


def narrow(text: str) -> str:
    """Return `text` with plain Latin letters for ligatures and for those of full width.

    So are digits, and a sign between two of these: "１．５ﬁ" -> "1.5fi". Other signs are too,
    unless a letter is of a script without spaces: "１０枚？" -> "10枚？". Half-width kana stay.
    """
    if not _WIDE.search(text):
        return text
    wide = _WIDE_WORD if SPACELESS.search(text) else _WIDE
    return wide.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)


def normal(text: str) -> str:
    """Return `text` in Unicode's NFC, `narrow`, and without soft hyphens and spaces of no width.

    Both ways to write é are one then, and so is a word that may be hyphenated. Joiners stay: they
    carry meaning in Persian, in Indic scripts and in emoji.
    """
    if text.isascii():
        return text
    seen = _UNSEEN.sub("", text)
    stacked = _STACK.sub(r"\1", seen) if len(seen) > _MOST_MARKS else seen
    return unicodedata.normalize("NFC", narrow(stacked))


def spaced(text: str) -> str:
    """Return `text` with one space for each run of whitespace, and none at its ends.

    Whitespace is what Python takes for it, with the no-break spaces: "Où\\u202f?" -> "Où ?".
    """
    return " ".join(text.split())


def usual(text: str) -> str:
    """Return `text` with the usual hyphen for others, and without unseen marks of direction."""
    return text if text.isascii() else text.translate(_USUAL)


def clean(text: str) -> str:
    """Return `text` as the package reads it: `usual`, `normal` and `spaced`."""
    return spaced(normal(usual(text)))


def words(text: str) -> list[str]:
    """Return the words of a text: runs of letters, and each letter of a script without spaces."""
    return WORD.findall(SPACELESS.sub(lambda match: f" {match[0]} ", text))


def is_word(text: str) -> bool:
    """Return whether `text` can be a part of a cleaned text: not empty, and without spaces."""
    return text.split() == [text] and not CONTROL.search(text)


def in_word(character: str) -> bool:
    """Return whether a character, or "", is one of a word: a letter, a digit, a vowel sign."""
    return _IN_WORD.match(character) is not None


def is_mark(character: str) -> bool:
    """Return whether a character, or "", belongs to the letter before it, as an accent does."""
    return in_word(character) and not character.isalnum()


def is_cased(character: str) -> bool:
    """Return whether it is of a word in a script with spaces: a digit, or a letter with case."""
    return character.isdigit() or character.lower() != character.upper()


def count_words(text: str) -> int:
    """Return how many words a cleaned text has: "I see." -> 2, "我明白了。" -> 4, "5 Tシャツ" -> 5.

    Each letter of a script that is written without spaces counts as a word; spaces divide the rest.
    """
    rest, letters = SPACELESS.subn(" ", text)
    return letters + len(rest.split())


def is_short(text: str) -> bool:
    """Return whether a cleaned text has one to MOST_WORDS words: "Come on in!" -> True.

    In scripts without spaces HAN_LETTERS letters of Han, or OTHER_LETTERS others, count as a word:
    "ありがとうございます" -> True.
    """
    if len(text) > LONGEST_SHORT or text.count(" ") > 2 * MOST_WORDS:
        return False
    rest, letters = SPACELESS.subn(" ", text)
    han = len(_HAN.findall(text))
    number = sum(any(map(str.isalnum, word)) for word in rest.split())
    size = number + han / HAN_LETTERS + (letters - han) / OTHER_LETTERS
    return 0 < size <= MOST_WORDS and any(map(str.isalpha, text))


def first_words(text: str) -> dict[int, str]:
    """Return the first words of sentences by where they begin; "Mr." ends none.

    The name of a company is none: it has a capital elsewhere too.
    """
    after_title = {match.end() for match in TITLE.finditer(text)}
    found = {match.start(1): match[1] for match in _START.finditer(text) if match[1]}
    return {
        start: word
        for start, word in found.items()
        if start not in after_title and not COMPANY.match(text, start + len(word))
    }


def find_initials(text: str) -> Iterator[re.Match[str]]:
    """Yield what is written as U.S., Ph.D. and EE.UU. are."""
    if "." in text[:-1]:
        for match in INITIALS.finditer(text):
            parts = match[0].rstrip(".").split(".")
            if all(part.istitle() or part == 2 * part[0].upper() for part in parts):
                yield match


def is_all_caps(text: str) -> bool:
    """Return whether most letters of a text are capitals, two or more, and none is small.

    A foreign name in a script without case is not in capitals: "我在IBM工作".
    """
    if text != text.upper():
        return False
    letters = [letter for letter in text if letter.isalpha()]
    cased = [letter for letter in letters if letter.lower() != letter.upper()]
    if _UNCASED.search(text) and sum(word != word.lower() for word in words(text)) < 2:
        return False  # CEO是谁
    return len(cased) > max(1, len(letters) // 2) and all(map(str.isupper, cased))
