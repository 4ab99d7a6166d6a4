"""Find what a translation copies as it is, and put a reserved token in its place."""

import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from gru_mt.data.special import LITERALS
from gru_mt.data.text import IN_WORD, MARKS

MARK = re.compile(f"[{LITERALS[0]}-{LITERALS[-1]}]")  # what stands for a literal


class Span(NamedTuple):
    """A part of a text: from character `start` to the one before `end`."""

    start: int
    end: int
    text: str  # what a translation has in its place


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without its spans, and what stood there."""

    text: str  # with a character of LITERALS in place of each span
    literals: tuple[str, ...]  # literal i stands where LITERALS[i % 8] does


# W: a letter, a digit or _ of a script that glues nothing to a foreign word: Latin, Greek,
# Cyrillic. A literal may touch letters of the others: 请访问example.com。
_W = r"[^\W\u0530-\u1dff\u2c00-\U0010ffff]"
_LETTER = r"[^\W\d\u0530-\u1dff\u2c00-\U0010ffff]"
# A character of an address: of any script, except those without spaces, and Korean.
_SPACELESS = r"\u0e00-\u11ff\u1780-\u17ff\u1950-\u1aaf\u2e80-\ud7ff\uf900-\uffff"
_U = rf"(?:[/=&%\#~+$@|_-]|(?![{_SPACELESS}])[{IN_WORD}])"
_PART = rf"(?:{_U}++|[.,;:!?*]++(?={_U})|'(?={_LETTER}))"  # an address ends with no other mark
_TAIL = rf"""(?: {_PART}
    | \((?:{_PART})*\) | \[(?:{_PART})*\] | \{{(?:{_PART})*\}}  # brackets in pairs only
    )*"""
_HOST = rf"{_W}++(?:-{_W}++)*"
_DOMAINS = (
    "com org net edu gov info biz io dev app ai co tv xyz online shop site store tech cloud blog "
    "wiki de fr uk ru eu ch nl pl br jp cn kr au ca es se dk fi cz gr hu ua tr mx ie nz za il pt"
)
_EXTENSIONS = (
    "pdf docx? xlsx? pptx? od[tsp] rtf txt md rst tex epub mobi csv tsv json jsonl ya?ml toml xml "
    "html? css s?css jsx? tsx? py ipynb java cpp hpp cs rb php swift kt sh bat ps1 sql ini cfg "
    "conf log bak tmp jpe?g png gif svg webp bmp tiff? ico psd mp[34] m4a wav ogg flac avi mov mkv "
    "webm srt zip tar gz bz2 xz 7z rar jar apk exe msi dll dmg iso deb rpm bin dat db lock"
)
_STEP = rf"(?:{_W}|[@%+~$-]|\.(?={_W}))"  # a character of a path, between slashes
_ROOTS = "bin|boot|dev|etc|home|lib|media|mnt|opt|proc|root|run|srv|sys|tmp|usr|var"
_SMILE = r"[:;=]['’]?-?[)(]+ | [:;]-?D+"
_FACE = (
    rf"{_SMILE} | [:;]['’]?-?[\]\[PpOo|/\\*]+ | =[DP]+ | [xX]D+ | </?3+ | \^_*\^ | -_+- | T_+T"
    r" | >_+< | [oO]_+[oO] | ¯\\_\(ツ\)_/¯"
)
_ALONE = r"""[^\s.!?,…"'()]"""  # what does not touch a face
_EMOJI = (
    r"\u231a\u231b\u23e9-\u23f3\u23f8-\u23fa\u25fd\u25fe\u2600-\u27bf\u2b05-\u2b07\u2b1b\u2b1c"
    r"\u2b50\u2b55\U0001f000-\U0001f0ff\U0001f18e-\U0001f1ff\U0001f201-\U0001faff"
)
_SIGN = r"[\d\#*]\ufe0f?\u20e3 | \S\ufe0f"  # a keycap, and a sign that is shown as an emoji: ©️
_SPACE = r"[ \u00a0\u2009\u202f]"
_MONEY = r"[$¢-¥\u20a0-\u20bf]"
_AREA = r"\((?:\+?\d{1,3}|0\d{1,4})\)[ .-]?(?=(?:[ .-]?\d){5})"  # "(555) 123-4567"
_JOIN = r"[.,:/\-–+'’×]"  # stands alone between two digits of a number
_NUMBER = rf"""(?:
    \+\d++ (?:(?:{_SPACE}?{_AREA} | {_JOIN} | {_SPACE})\d++)*  # +33 6 12 34 56 78
    | \d{{1,3}} (?:{_SPACE}\d{{3}}(?!\d))+ (?:[.,]\d++)?  # 1 234 567,8
    | \d{{2,}}+ (?:{_SPACE}\d{{2,}}+){{2,}} | \d{{3,}}+ {_SPACE} \d{{3,}}+  # 06 12 34 56 78
    | (?:{_AREA})? \d++ (?:(?:{_JOIN} | {_SPACE}?{_AREA})\d++)*
    ) (?!{_W} | {_JOIN}\d | -{_LETTER}*\d)"""
_PIECE = rf"(?:{_LETTER}*+\d(?:{_W}|\d)*|[A-Z]++(?!{_W}))"  # of a word with digits


def _ending(words: str) -> str:
    """Return the pattern of one of `words` at a word's end, in small or in capital letters."""
    either = "|".join(words.split())
    return rf"(?:{either}|{either.upper()})(?!{_W}|-{_W})"


@cache
def _others() -> re.Pattern[str]:
    """Return the pattern of a character of which _W, _LETTER and _U say other than \\w."""
    return re.compile(rf"[^\0-\u052f\u1e00-\u2bff]|[{MARKS}]")


@cache
def _pattern(*, plain: bool) -> re.Pattern[str]:
    """Return the pattern of every literal; a match of the group `digits` may yet be none.

    No part tries much of the text again from each of its places: the time is linear. `plain` is for
    text without `_others`. It finds the same there, and is built in a tenth of the time.
    """
    pattern = rf"""
    [{LITERALS[0]}-{LITERALS[-1]}]  # a user's own
    # Markup and code.
    | <!--(?:[^<-]|-(?!->)|<(?!!--))*-->
    | <[!?][A-Za-z][^<>]*+>
    | </?[A-Za-z][\w:.-]*+
      (?: \s++(?=[^<>]*=)(?:"[^"<]*+"|'[^'<]*+'|[^<>"'])*+> | \s*+/?> )
    | &(?:[A-Za-z][A-Za-z\d]{{1,31}}|\#\d{{1,7}}|\#[xX][\dA-Fa-f]{{1,6}});
    | (?<!`)(?<!{_W})(?P<quote>`{{1,3}})(?!`).+?(?<!`)(?P=quote)(?!`)
    # Placeholders.
    | \{{{{2,3}}[^{{}}]*+\}}{{2,3}} | \{{%[^{{}}]*+%\}} | [$\#%]\{{[^{{}}]*+\}}
    | \{{\s?[^{{}}\s]*+\s?\}}
    | (?<![\d%])%(?:\(\w++\)|\d++\$)? [-+\#0]*+\d*(?:\.\d++)?(?:hh?|ll?|[Lzjt])?
      [sdiufFeEgGxXocrap@](?![A-Za-z])
    | (?<![\w%])%[A-Za-z_]\w*+%
    | (?<!\w)\$[A-Za-z_][A-Za-z\d_]*+
    # Addresses.
    | (?<!{_W})(?:
        [A-Za-z][A-Za-z\d+.-]{{0,19}}://{_TAIL} | www\.(?={_W}){_TAIL}
        | (?<!{_W}[.+%-])(?:mailto:)?{_W}++(?:[.+%-]{_W}++)*
          @{_HOST}(?:\.{_HOST})*\.{_LETTER}{{2,}}+(?!{_W})
        | (?:(?<!{_W}[.-])(?:{_HOST}\.)+ (?:{_ending(_DOMAINS)}|[a-z]{{2,10}}(?=/{_W}))
           | \d{{1,3}}(?:\.\d{{1,3}}){{3}}(?=:\d|/{_W}) | localhost(?=:\d))
          (?::\d{{1,5}})? (?:[/?\#](?={_U}){_TAIL}|/)?
    # Files.
        | [A-Za-z]:\\(?:{_STEP}|[\\/])*
        | (?<!{_W}[.+/-]){_W}++(?:[.+/-]{_W}++)*\.{_ending(_EXTENSIONS)}
    )
    | (?<!{_W})(?<![/.)\]}}>])(?: ~ | \.\.?
        | (?=(?:/[A-Za-z_.][^\s/]*+){{2}} | /(?:{_ROOTS})(?!{_W})) ) (?:/{_STEP}+)+/?
    # Names, tags, faces and emoji.
    | (?<!{_W})(?<![@.])@{_W}++(?:(?:-(?={_W})|\.(?=[a-z\d])){_W}++)*(?:@{_HOST}(?:\.{_HOST})+)?
    | (?<!{_W})(?<![&\#])\#(?=\d*+[^\W\d] | \d{{3}})
      [{IN_WORD}]+
    | (?: (?<!{_ALONE})(?:{_FACE}) | (?<={_LETTER})(?:{_SMILE}) )(?!{_ALONE})
    | (?:[{_EMOJI}] | {_SIGN}) (?:[{_EMOJI}\u200d\ufe0e\ufe0f\U000e0020-\U000e007f] | {_SIGN})*
    # Numbers, and words with digits.
    | (?P<digits> (?<!{_W})(?:[A-Z]{{0,3}}{_MONEY})? (?:
          [-−]?{_NUMBER} (?:{_SPACE}?(?:[%‰]|{_MONEY})(?!{_W}|[@(]))?
          | {_PIECE} (?:(?:[-._]|(?<=\d)[,:/'](?=\d)){_PIECE})*
        ) | \d{{3,}}+ )
    """
    if plain:
        for own, simple in ((_W, r"\w"), (_LETTER, r"[^\W\d]"), (_U, r"[/=&%\#~+$@|\w-]")):
            pattern = pattern.replace(own, simple)
    return re.compile(pattern, re.VERBOSE)


@cache
def _signs() -> re.Pattern[str]:
    """Return the pattern of what every literal has some of, and most sentences do not: quick."""
    return re.compile(
        rf"[^\s{IN_WORD},.!?'\"’“”„«»()…;:。，！？、–-]|[\d_\ufe0f]|[.:;][^\s.]|[xX]D"
    )


@cache
def _clock() -> re.Pattern[str]:
    """Return the pattern of a time of the day, which is the model's business: 10:30, 9h05."""
    return re.compile(r"\d{1,2}[:h]\d\d(?::\d\d)?(?:[ap]m)?", re.IGNORECASE)


@cache
def _sum() -> re.Pattern[str]:
    """Return the pattern of what makes a short number a literal: a currency or a percent sign."""
    return re.compile(rf"[%‰]|{_MONEY}")


def find_literals(text: str) -> list[Span]:
    """Return what a translation of `text` copies, ascending: addresses, code, long numbers, emoji.

    Of numbers, and of words with digits, it is those with three digits or more, prices and
    percentages, and words that begin with a letter, as A4 and COVID-19; but no clock time:
    "Call 555-1234 at 10:30" -> [Span(5, 13, "555-1234")].
    """
    spans: list[Span] = []
    if not _signs().search(text):
        return spans
    for match in _pattern(plain=not _others().search(text)).finditer(text):
        digits = sum(map(str.isdecimal, match[0]))
        few = (
            match["digits"]
            and digits < (1 if match[0][0].isalpha() else 3)
            and not _sum().search(match[0])
        )
        if not few and not (match["digits"] and _clock().fullmatch(match[0])):
            spans.append(Span(*match.span(), match[0]))
    return spans


def disjoint(spans: Iterable[Span]) -> list[Span]:
    """Return `spans`, ascending, less those that a longer one overlaps, or an equal one before."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start - span.end, span.start)):
        place = bisect(kept, span)
        if (place == 0 or kept[place - 1].end <= span.start) and (
            place == len(kept) or span.end <= kept[place].start
        ):
            kept.insert(place, span)
    return kept


def mask(text: str, spans: Sequence[Span]) -> Masked:
    """Return `text` with a character of LITERALS for each of `spans`: ascending, disjoint.

    "a@b.org or c@d.org" -> "\\ue010 or \\ue011"; the ninth is "\\ue010" again.
    """
    parts: list[str] = []
    end = 0
    for i, span in enumerate(spans):
        parts += text[end : span.start], LITERALS[i % len(LITERALS)]
        end = span.end
    return Masked("".join([*parts, text[end:]]), tuple(span.text for span in spans))


def literal_indices(text: str) -> list[int]:
    """Return which literal each mark in `text` stands for.

    The j-th LITERALS[k], from 0, stands for literal k + 8 j.
    """
    seen: Counter[str] = Counter()
    indices = []
    for mark in MARK.findall(text):
        indices.append(LITERALS.index(mark) + len(LITERALS) * seen[mark])
        seen[mark] += 1
    return indices


def restore(text: str, literals: Sequence[str]) -> str:
    """Return `text` with its literals in place of marks. A mark without a literal stays."""
    indices = iter(literal_indices(text))

    def put(match: re.Match[str]) -> str:
        index = next(indices)
        return literals[index] if index < len(literals) else match[0]

    return MARK.sub(put, text)


def tag_pairs(literals: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of each tag that opens and of the one that closes it: <b> and </b>."""
    opened: list[tuple[str, int]] = []
    pairs = []
    for place, literal in enumerate(literals):
        tag = re.fullmatch(r"<(/?)([A-Za-z][\w:.-]*)[^<>]*(?<!/)>", literal)
        if tag and not tag[1]:
            opened.append((tag[2], place))
        elif tag and opened and opened[-1][0] == tag[2]:
            pairs.append((opened.pop()[1], place))
    return pairs


def mask_pair(source: str, target: str) -> tuple[str, str]:
    """Return two sides with those literals masked that both have, each as often in both."""
    sides = [find_literals(source), find_literals(target)]
    if not all(sides):
        return source, target
    counts = [Counter(span.text for span in side) for side in sides]
    sides = [
        [span for span in side if counts[0][span.text] == counts[1][span.text]] for side in sides
    ]
    masked = mask(source, sides[0])
    marks: dict[str, list[str]] = {}
    for i, span in enumerate(sides[0]):
        marks.setdefault(span.text, []).append(LITERALS[i % len(LITERALS)])
    for start, end, text in reversed(sides[1]):
        target = target[:start] + marks[text].pop() + target[end:]
    return masked.text, target
