"""Cut a line into its sentences."""

import re

from gru_mt.data.corpus.languages import language_code
from gru_mt.data.text.normalize import is_spaceless
from gru_mt.data.tokenizer.special import PLACEHOLDER_TOKENS

_LETTER = re.compile(rf"(?![{PLACEHOLDER_TOKENS[0]}-{PLACEHOLDER_TOKENS[-1]}])[^\W\d_]")
_MARKER = re.compile(r"\s*+(?:[(\[]?(?:\d{1,3}|[A-Za-z])[.)\]]+|[-*•·–—])\s*")  # 2. or (a) or -
_TITLE = re.compile(  # before a name
    r"(?<!\w)(?:M|MM|Mr|Mrs|Ms|Mmes?|Mlles?|Dr|Pr|Prof|Mgr|Ste?|Sta|Sto|Dña|Gral|Ft|"
    r"Hl|Fam|Frl|Fa|Ing|[Bb]d)\.\s*+$"
)
_ORDINAL = re.compile(  # of German, before a noun
    r"(?<!\w)(?:[Dd](?:er|ie|as|em|en|es)|[Ii]m|[Zz]u[mr]|[Vv]om|[Bb]eim|[MmDdSs]?[Ee]in(?:e[mnrs]?)?)"
    r"\s\d{1,3}\.\s*+$"
)
_INITIALS = re.compile(r"(?<!\w)[^\W\d_](?:-|\.[\s-]?)[^\W\d_]{1,2}\.\s*+$")  # p. m., J.-C.
_LAST_WORD = re.compile(r"(?<!\w)([^\W\d_]++)\.\s*+$")
# Abbreviations that the library does not know. Before a number, as all without a vowel are:
_COUNTED = (
    "apt appt chap dim ed env ep eq eqs est ext fig figs jeu lun mar max mer no nos par para ref "
    "refs réf sam sect tab tel tél ven vol vols"
)
_BEFORE_NUMBER = {*_COUNTED.split(), *_COUNTED.title().split()}
_NO_VOWEL = re.compile(  # but "5 km."
    r"(?<!\w)(?<!\d\s)[B-DF-HJ-NP-TV-XZb-df-hj-np-tv-xz][b-df-hj-np-tv-xz]+\.\s*+$"
)
# Before a number or a small letter:
_OTHERS = (
    "abt appr approx aprox avg avr déc excl févr fév govt hrs incl janv juil lbs mins misc orig "
    "secs tbsp temp tsp yrs"
)
_DAYS = "Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun lun ven"
_BEFORE_BOTH = {*_OTHERS.split(), *_OTHERS.title().split(), *_DAYS.split(), "max"}
_AS_NUMBER = re.compile(  # 5, $5, V or a placeholder
    rf"[^\w\s{PLACEHOLDER_TOKENS[0]}-{PLACEHOLDER_TOKENS[-1]}]{{0,2}}[\d{PLACEHOLDER_TOKENS[0]}-{PLACEHOLDER_TOKENS[-1]}]"
    r"|(?:[IVXLC]{2,}|[VX])(?![\w'’])"
)
# A full stop that begins a word, or is after its first letter; and what may begin a sentence.
_BEGUN = re.compile(r"(?:^|[\s(-])[^\W\d_]?\.$")
_GLUED = re.compile(r"[¿¡\"'“‘«(]*+([^\W\d_])([^\W\d_]|['’\s])[\w.'’]*+(?![=(\[{<\\/])")
_FIRST = re.compile(r"\s*+(\d{1,3})\.\s")
_LAST = re.compile(r"(?<![\w.,])(\d{1,3})\.\s++$")
_TAIL = 20  # characters that show how a sentence ends


def pieces(text: str, language: str) -> list[str]:
    """Return what sentencex makes of `text`, or of one as long that it does not stop at."""
    from sentencex import segment  # only a translation needs it

    text = re.sub(r"\s", " ", text)  # it fails at a space of several bytes after an initial,
    text = re.sub(r"[\ud800-\udfff]", "\ufffd", text)  # and at what is no UTF-8
    return segment(language_code(language), text)  # type: ignore[no-any-return]


def split_sentences(text: str, language: str) -> list[str]:
    """Return the sentences of a line, whose sum is `text`; none for "".

    A sentence keeps the space after it, and the first one that before it. `language` is a code or
    an English name; an unknown one is cut like English.

    "Hi! Mr. X is in. 1. Go" -> ["Hi! ", "Mr. X is in. ", "1. Go"]
    """
    seams, end = [0], 0
    for piece in pieces(text, language):
        start, end = end, end + len(piece)
        last, part = text[max(seams[-1], start - _TAIL) : start], text[start:end]
        is_open = not last.strip() or _MARKER.fullmatch(last) or _goes_on(last, part)
        if not is_open and (_LETTER.search(part) or _MARKER.fullmatch(part)):
            seams.append(start)
    if len(seams) > 1 and _MARKER.fullmatch(text, seams[-1]):
        seams.pop()  # a marker of nothing
    for i in range(1, len(seams)):  # "1. Milk 2. " + "Eggs": the 2 is of what comes
        marker = _FIRST.match(text, seams[i - 1])
        ending = _LAST.search(text, max(seams[i - 1], seams[i] - _TAIL), seams[i])
        if marker and ending and int(ending[1]) == int(marker[1]) + 1:
            seams[i] = ending.start()
    return [text[i:j] for i, j in zip(seams, [*seams[1:], len(text)], strict=True) if j]


def _goes_on(before: str, after: str) -> bool:
    """Return whether a sentence goes on between two texts: "vol. |2", "Mon. |to Fri.", ".|NET"."""
    if _TITLE.search(before) or _ORDINAL.search(before) or _is_in_word(before, after):
        return True
    is_small, is_number = after[:1].islower(), _AS_NUMBER.match(after) is not None
    last = _LAST_WORD.search(before)
    if not last or not (is_small or is_number):
        return False
    return (
        last[1] in _BEFORE_BOTH
        or (is_small and _INITIALS.search(before) is not None)
        or (is_number and (last[1] in _BEFORE_NUMBER or _NO_VOWEL.search(before) is not None))
    )


def _is_in_word(before: str, after: str) -> bool:
    """Return whether a full stop without a space after it is in a word: "ASP.|NET", "a.|Name()".

    It is not where a space is missing, between small letters and a capital: "the end.|Then".
    """
    if not before.endswith(".") or is_spaceless(after[:1]):
        return False
    if _BEGUN.search(before):
        return True
    letter, first = before[-2:-1], _GLUED.match(after)
    if not (letter.islower() or letter.isupper()) or (before + after).isupper():
        return False
    return not (letter.islower() and first and first[1].isupper() and not first[2].isupper())
