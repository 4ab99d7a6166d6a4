"""Names and other words that training never saw, which a translation copies."""

import re

from gru_mt.data.text.normalize import (
    COMPANY,
    IN_WORD,
    LETTER,
    TITLE,
    WORD,
    find_initials,
    first_words,
    words,
)
from gru_mt.data.text.placeholders import Masked, Span, disjoint, mask
from gru_mt.data.text.spelling import LONGEST
from gru_mt.data.text.truecase import Truecaser
from gru_mt.data.tokenizer.special import PLACEHOLDER

LEAST_END = 4  # letters of a known word that an unknown one ends with, as unkind
_NAME = re.compile(rf"(?<![{IN_WORD}]){WORD.pattern}(?:['’-](?={LETTER}){WORD.pattern})*")
_SYLLABLE = re.compile(rf"-[a-z]{{2,3}}(?![{IN_WORD}])")  # of Jae-won, though won is known
_POSSESSIVE = re.compile(r"['’]s(?=[^\w\s]|$)")  # of nothing: "at McDonald's."


def find_names(text: str, truecaser: Truecaser) -> list[Span]:
    """Return the words of `text` that a translation copies; none if names are not copied.

    They were never seen, and are no known word with another ending or beginning. Capitalised
    parts that hyphens and apostrophes join are one name: Jean-Luc, but l'Okcydent, Zbigniew's; so
    are known ones if one is a rare name: Anne-Marie, not French-English. A capitalised word after
    "Mr." is one, with the title if that is unseen; so are one and "Inc." after it, and two in a
    row that are mostly small: Star Wars.
    """
    if not truecaser.copies_names:
        return []
    titles = {match.end(): match for match in TITLE.finditer(text)}
    spans = _titles_within(text, truecaser)
    for match in _NAME.finditer(text):
        title = titles.get(match.start())
        company = COMPANY.match(text, match.end()) if match[0][0].isupper() else None
        if match[0] in truecaser and not title and not company:
            continue
        parts = [*WORD.finditer(match[0])]
        capitals = [part for part in parts if part[0] != part[0].lower()] or parts
        # A text without spaces is unseen where all its letters are.
        unseen = (all(_is_unseen(word, truecaser) for word in words(part[0])) for part in capitals)
        titled = title if match[0][0].isupper() else None
        is_joined = capitals == parts and _is_joined(match, truecaser)
        if titled or company or is_joined or any(unseen):
            last = parts.index(capitals[-1])
            while parts[last + 1 :] and (
                parts[last + 1][0] not in truecaser
                or _SYLLABLE.match(text, match.start() + parts[last].end())
            ):
                last += 1
            start, end = match.start() + capitals[0].start(), match.start() + parts[last].end()
            if titled and _is_unseen(titled[1], truecaser):
                start = titled.start()
            if after := company or _POSSESSIVE.match(text, end):
                end = after.end()
            spans.append(Span(start, end, text[start:end]))
    return disjoint(spans)


def mask_initials(masked: Masked, truecaser: Truecaser) -> Masked:
    """Return a text with its initials masked too, but for those that the model translates.

    "\\ue010 in the U.K. is cold." -> "\\ue010 in the \\ue011 is cold."
    """
    found = find_initials(masked.text) if truecaser.copies_names else ()
    spans = [Span(*match.span(), match[0]) for match in found]
    spans = [span for span in spans if span.text.rstrip(".") not in truecaser]
    if not spans:
        return masked
    tokens = zip(PLACEHOLDER.finditer(masked.text), masked.placeholders, strict=True)
    spans += (Span(*token.span(), copied) for token, copied in tokens)
    return mask(masked.text, sorted(spans))


def _titles_within(text: str, truecaser: Truecaser) -> list[Span]:
    """Return capitalised words in a row that are mostly small, inside a sentence: Star Wars."""
    found = [word.span() for word in WORD.finditer(text) if truecaser.needs_no_capital(word[0])]
    if len(found) < 2:
        return []
    starts = first_words(text)
    rows: list[list[int]] = []  # where a row begins, and where its words end
    for start, end in found:
        if start in starts:
            continue
        if rows and text[rows[-1][-1] : start] == " ":
            rows[-1].append(end)
        else:
            rows.append([start, end])
    return [Span(row[0], row[-1], text[row[0] : row[-1]]) for row in rows if len(row) > 2]


def _is_joined(match: re.Match[str], truecaser: Truecaser) -> bool:
    """Return whether known words are one name: Anne-Marie, but not French-English or T-Shirt."""
    parts = match[0].split("-")
    return len(parts) > 1 and any(
        len(part) > 1 and truecaser.is_rare(part) and not truecaser.is_small(part) for part in parts
    )


def _is_unseen(word: str, truecaser: Truecaser) -> bool:
    low = word.lower()
    if word in truecaser:
        return False
    if not truecaser.letters.issuperset(low):
        return True  # of another script
    if word != low:
        return len(word) > 1
    starts = range(max(1, len(low) - LONGEST), len(low) - LEAST_END + 1)
    has_end = any(low[start:] in truecaser for start in starts)
    return not has_end and not truecaser.spelling.has_stem(low)
