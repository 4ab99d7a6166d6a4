"""Split a line into its sentences, by a small set of rules that the offline page has too.

A sentence ends with a final mark, but not with that of an abbreviation, an initial, a number or a
word such as Node.js, and not inside of quotation marks or brackets. An item of a list begins one.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

from gru_mt.data.corpus.languages import language_code
from gru_mt.data.text.normalize import LETTER, SENTENCE_END, TITLES, is_spaceless
from gru_mt.data.tokenizer.special import ANY_PLACEHOLDER

# Abbreviations that end a sentence only before one of _STARTERS; "" has those of all languages.
_ABBREVIATIONS = {
    "": "al ca cf co corp ed eds etc ibid inc jr ltd op sr vs viz",
    "en": "adj adm adv apr assn assoc asst aug ave bldg blvd bros brig capt cmdr col comdr cpl "
    "dept det dist eg esp esq est feb fwy gen gov govt hon hwy ie inst jan jul jun lieut lt maj "
    "messrs mfg mt nov oct pfc phd pres pvt rep reps rev sen sens sep sept sgt supt univ",
    "fr": "apr auj av boul dir env fig hab lib sept suiv trad",
    "de": "abb abs allg apr aug bspw bzgl bzw dez dgl dipl ebd evtl feb ggf hrsg inkl jan jul jun "
    "lfd mio mo mrd nov nr okt od rd sa sep sept so sog st std str tel urspr usf usw vgl zt zzgl",
    "es": "aprox art avda bco cap cía dpto ee fig gob izq jue lic lun mié núm pág párr pza tel ud "
    "uds uu vd vds vie",
    "it": "avv dott ecc fig geom pag pagg prof rag sig sigg sigra tel",
    "pt": "cap dra exa exmo fig lda ltda núm pág profa séc tel",
    "nl": "bijv blz dhr drs enz evt incl jhr jl mevr nr pag resp tel vgl",
    "ru": "гг др им обл пл просп ред рис руб см ср стр тел тыс ул",
    "el": "",
}
_STARTERS = {"en": "A And At But He I If In It No So She That The There They This We What You"}

_CLOSING = r"(?:\s?[»›]|[\"'”’)\]」』]|“(?=\s))*+"  # after a final mark
_QUOTED = re.compile(
    r"“[^“”]*”|„[^“”„]*[“”]|«[^«»]*»|‹[^‹›]*›|「[^「」]*」|『[^『』]*』|\"[^\"]*\""
    r"|(?<!\w)['‘](?=\w)(?:[^'’]|['’](?=\w)){0,300}+(?<=\S)['’](?!\w)"
)
_BRACKETED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|（[^（）]*）")
_HIDDEN = "\0"  # in place of a mark that ends nothing
_ITEM = re.compile(
    r"(?:(?<=\s)|^)(?:[•◦▪■□●○◆►]|(?P<open>\(?)(?P<label>\d{1,3}|[a-z])(?P<close>\.?\)|\.))\s+(?=\S)"
)
_ONE = re.compile(rf"[^);•◦▪■□●○◆►{SENTENCE_END}]*+[{SENTENCE_END}]*+\s*")  # surely one sentence
_HAS_LETTER = re.compile(rf"(?!{ANY_PLACEHOLDER}){LETTER}")
_MARKER = re.compile(r"\s*+(?:[(\[]?(?:\d{1,3}|[A-Za-z])[.)\]]+|[-*•·–—])\s*")  # 2. or (a) or -
_CONTINUES = re.compile(r"\W*[0-9a-z]")
_TITLE = re.compile(rf"(?<!\w)(?:{TITLES}|Sta|Sto|Ft|Hl|Fa|Ing|[Bb]d)$")
_ORDINAL = re.compile(  # of German, before a noun; and Hauptstr. 5
    r"(?<!\w)(?:(?:[Dd](?:er|ie|as|em|en|es)|[AaIi]m|[Zz]u[mr]|[Vv]om|[Bb]eim|"
    r"[MmDdSs]?[Ee]in(?:e[mnrs]?)?)\s\d{1,3}|\w+str)$"
)
_MONTH = re.compile("Januar|Februar|März|April|Mai|Jun|Jul|August|[SOND][a-z]+(?:em|o)ber")
_HOUR = re.compile(r"(?<!\w)[ap]\.\s?m$")
_AT_HOUR = re.compile(
    r"\W*(?:At|By|On|Around|About|Until|Since|Before|After|From)\s\S+\s[ap]\.\s?m$"
)
_INITIALS = re.compile(rf"(?<!\w){LETTER}(?:-|\.[\s-]?){LETTER}{{1,2}}$")  # p. m, J.-C
_LAST_WORD = re.compile(rf"(?<![\w'’])(?<!\w-)({LETTER}++)$")
_WORD_BEFORE = re.compile(r"(\w)\w*[\s.-]*$")  # an initial
# Abbreviations before a number, as all without a vowel are:
_COUNTED = (
    "apt appt chap dim ed env ep eq eqs est ext fig figs jeu lun mar max mer no nos par para ref "
    "refs réf sam sect tab tel tél ven vol vols"
)
_BEFORE_NUMBER = {*_COUNTED.split(), *_COUNTED.title().split()}
_NO_VOWEL = re.compile(  # but "5 km."
    r"(?<!\w)(?<!\d\s)[B-DF-HJ-NP-TV-XZb-df-hj-np-tv-xz][b-df-hj-np-tv-xz]+$"
)
# Before a number or a small letter:
_OTHERS = (
    "abt appr approx aprox avg avr déc excl févr fév govt hrs incl janv juil lbs mins misc orig "
    "secs tbsp temp tsp yrs"
)
_DAYS = "Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun lun ven"
_BEFORE_BOTH = {*_OTHERS.split(), *_OTHERS.title().split(), *_DAYS.split(), "max"}
_AS_NUMBER = re.compile(  # 5, $5, V or a placeholder
    rf"(?:(?!{ANY_PLACEHOLDER})[^\w\s]){{0,2}}(?:\d|{ANY_PLACEHOLDER})"
    r"|(?:[IVXLC]{2,}|[VX])(?![\w'’])"
)
# A full stop that begins a word, or is after its first letter; and what may begin a sentence.
_BEGUN = re.compile(rf"(?:^|[\s(-]){LETTER}?$")
_GLUED = re.compile(rf"[¿¡\"'“‘«(]*+({LETTER})({LETTER}|['’\s])[\w.'’]*+(?![=(\[{{<\\/])")
_WINDOW = 40  # characters before and after a mark that tell whether it ends a sentence


@dataclass(frozen=True, slots=True)
class SentenceRules:
    """What is particular to a language."""

    marks: str  # that end sentences
    abbreviations: frozenset[str]  # in small letters, after which a sentence goes on
    starters: frozenset[str]  # words that begin a sentence even after an abbreviation
    ordinals: bool  # whether 3. is an ordinal, as in German

    def to_json(self) -> dict[str, Any]:
        """Return the fields as the page's `sentenceRules` takes them."""
        words = {"abbreviations": sorted(self.abbreviations), "starters": sorted(self.starters)}
        return {"marks": self.marks, "ordinals": self.ordinals, **words}


@cache
def _patterns(marks: str) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of a mark, of the last ones in a quotation, and of a run of marks."""
    mark = f"[{marks}]"
    run = rf"(?P<run>{mark}+(?:\s+[.!?…]+(?=\s|$))*+)(?P<close>{_CLOSING})(?P<space>\s*)"
    return re.compile(mark), re.compile(rf"{mark}+\s?.$"), re.compile(run)


@cache
def sentence_rules(language: str) -> SentenceRules:
    """Return the rules of a language, a code or an English name; an unknown one is as English."""
    code = language_code(language)
    own = code if code in _ABBREVIATIONS else "en"
    return SentenceRules(
        SENTENCE_END + ";" * (code == "el"),
        frozenset(f"{_ABBREVIATIONS['']} {_ABBREVIATIONS[own]}".split()),
        frozenset(_STARTERS.get(own, "").split()),
        ordinals=code == "de",
    )


def split_sentences(text: str, language: str) -> list[str]:
    """Return the sentences of a line, whose sum is `text`; none for "".

    A sentence keeps the space after it, and the first one that before it. `language` is a code or
    an English name.

    "Hi! Mr. X is in. 1. Go" -> ["Hi! ", "Mr. X is in. ", "1. Go"]
    """
    if _ONE.fullmatch(text):
        return [text] if text else []
    ends = _ends(text, sentence_rules(language))
    bounds = [0, *sorted({*ends, *_items(text)} - {0, len(text)}), len(text)]
    starts = [0]
    for start, end in pairwise(bounds):
        last, part = text[max(starts[-1], start - _WINDOW) : start], text[start:end]
        is_open = not last.strip() or _MARKER.fullmatch(last)
        if not is_open and (_HAS_LETTER.search(part) or _MARKER.fullmatch(part)):
            starts.append(start)
    if len(starts) > 1 and _MARKER.fullmatch(text, starts[-1]):
        starts.pop()  # a marker of nothing
    return [text[i:j] for i, j in zip(starts, [*starts[1:], len(text)], strict=True) if j]


def _items(text: str) -> Iterator[int]:
    """Yield where items of a list begin: bullets, and labels that count on from the first."""
    expected = None
    for match in _ITEM.finditer(text):
        if match["label"] is None:
            yield match.start()
            continue
        label, is_number = match["label"], match["label"].isdecimal()
        count = int(label) if is_number else ord(label)
        if (match["open"], match["close"], is_number, count) == expected:
            yield match.start()
        elif expected or text[: match.start()].strip():
            continue
        expected = (match["open"], match["close"], is_number, count + 1)


def _ends(text: str, rules: SentenceRules) -> Iterator[int]:
    """Yield where final marks, and what closes after them, end a sentence."""
    mark, last_mark, run = _patterns(rules.marks)

    def hide(found: re.Match[str]) -> str:
        last = None if found[0][0] in "([{（" else last_mark.search(found[0])
        end = last.start() if last else len(found[0])
        return mark.sub(_HIDDEN, found[0][:end]) + found[0][end:]

    seen = _QUOTED.sub(hide, _BRACKETED.sub(hide, text))
    start = 0
    for match in run.finditer(seen):
        before = text[max(start, match.start() - _WINDOW) : match.start()]
        if not _goes_on(before, match, text[match.end() : match.end() + _WINDOW], rules):
            start = match.end()
            yield start


def _goes_on(before: str, match: re.Match[str], after: str, rules: SentenceRules) -> bool:
    """Return whether a sentence goes on after a run of final marks: "vol. |2", "Wait... |what"."""
    run, first = match["run"], after[:1]
    if after.startswith(",") or (match["close"] and _CONTINUES.match(after)):
        return True
    if not match["space"]:
        return not _may_touch(before, match, after)
    if len(run) > 1:
        is_i = set(run) == {"."} and re.match(r"I(?!\w)", after)  # "Well... I see."
        return bool(re.match("[0-9a-z]", after) or is_i)
    if run != ".":
        return before[-1:].isspace() and bool(re.match("[0-9a-z]", after))
    if _TITLE.search(before):
        return True
    if rules.ordinals and (
        _ORDINAL.search(before)
        or (before[-1:].isdecimal() and (first.islower() or _MONTH.match(after)))
    ):
        return True
    if _HOUR.search(before):
        return first.islower() or (not first.isdecimal() and bool(_AT_HOUR.match(before)))
    return _is_abbreviated(before, after, rules)


def _is_abbreviated(before: str, after: str, rules: SentenceRules) -> bool:
    """Return whether a full stop with a space after it is that of an abbreviation or an initial."""
    last, first_word = _LAST_WORD.search(before), re.match(r"\w+", after)
    if not last:
        return False
    word, is_small = last[1], after[:1].islower()
    is_starter = first_word is not None and first_word[0] in rules.starters
    if len(word) == 1 and word.isupper():
        next_initial = re.match(rf"({LETTER})\.", after)
        if next_initial and next_initial[1].isupper():
            return True
        previous = _WORD_BEFORE.search(before[:-1])
        is_after_name = previous is not None and previous[1].isupper()
        return is_small or (is_after_name and not is_starter)
    is_initials = _INITIALS.search(before) is not None
    is_short = len(word) == 1 or word.lower() in rules.abbreviations
    if (is_short or (is_initials and "." in before)) and not is_starter:
        return True
    is_number = _AS_NUMBER.match(after) is not None
    return (
        ((is_small or is_number) and word in _BEFORE_BOTH)
        or (is_small and is_initials)
        or (is_number and (word in _BEFORE_NUMBER or _NO_VOWEL.search(before) is not None))
    )


def _may_touch(before: str, match: re.Match[str], after: str) -> bool:
    """Return whether a sentence may begin without a space: "the end.|Then", not ASP.NET, a.Name().

    With a full stop that is between small letters and a capital.
    """
    run, first = match["run"], after[:1]
    if is_spaceless(first) or run[-1] in "。！？．｡":
        return True
    if match["close"]:
        return first.isupper()
    if run[-1] != ".":
        return (first.isalpha() and not first.islower()) or first in '¿¡«“"'
    if _TITLE.search(before) or _BEGUN.search(before) or first.isdecimal():
        return False
    letter, begun = before[-1:], _GLUED.match(after)
    if not (letter.islower() or letter.isupper()) or (before + after).isupper():
        return True
    is_word = begun is not None and begun[1].isupper() and not begun[2].isupper()
    return letter.islower() and is_word
