"""Split a line into its sentences, by rules that the offline page has too.

A sentence ends with a final mark, but not with that of an abbreviation, an initial, a number or a
word such as Node.js, and not inside of quotation marks or brackets. An item of a list begins one.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from gru_mt.data.corpus.languages import language_code
from gru_mt.data.text.normalize import LETTER, SENTENCE_END, SPACELESS, TITLES, WORD, is_mark
from gru_mt.data.tokenizer.special import ANY_PLACEHOLDER

# Abbreviations that end a sentence only before one of _STARTERS; "" has those of all languages.
_ABBREVIATIONS = {
    "": "al ca cf co corp dr dra ed eds etc ibid inc jr ltd mme mr mrs ms op prof sr sra st vs viz",
    "en": "adj adm adv apr assn assoc asst aug ave bldg blvd bros brig capt cmdr col comdr cpl "
    "dec dept det dist eg esp esq est feb fwy gen gov govt hon hwy ie inst jan jul jun lieut lt "
    "maj messrs mfg mt nov oct pfc phd pres pvt rep reps rev sen sens sep sept sgt supt univ",
    "fr": "apr art auj av boul dim dir env ex fig hab lib pers sam sept suiv trad",
    "de": "abb abs allg apr aug bes bhf bspw bzgl bzw dez dgl dipl div ebd ehem evtl feb geb ggf "
    "hbf hrsg inkl jan jul jun lfd med mind mio mo mrd nov nr okt od rd sa sep sept so sog st std "
    "str tel tsd urspr usf usw versch vgl zt zzgl",
    "es": "abr ago aprox arq art av avda bco cap cía dic dom dpto ee ene feb fig gob izq jue lic "
    "lun mié núm pág párr pza sáb tel ud uds uu vd vds vie",
    "it": "avv dott ecc fig geom pag pagg prof rag sig sigg sigra tel",
    "pt": "cap dra exa exmo fig lda ltda núm pág profa séc tel",
    "nl": "bijv blz dhr drs enz evt incl jhr jl mevr nr pag resp tel vgl",
    "ru": "гг др им обл пл просп ред рис руб см ср стр тел тыс ул",
    "hi": "डॉ प्रो श्री",
    "pl": "dr godz gen hab im inż itd itp ks mgr mld mln np os płk prof str św tel tys tzn tzw ul",
    "tr": "apt av bkz bul cad doç mah mad öğr s sok sn vb yrd",
    "el": "",
}
_STARTERS = {
    "en": "A Also And Are At But Can Did Do Does For He Her His How I If In Is It My No Now Our "
    "Please She So That The Their Then There They This Was We What When Where Who Why Yes You Your",
    "fr": "Alors Ce Cela Cette Elle Elles En Et Il Ils Je Les Mais Merci Nous On Pour Puis Si Tu "
    "Un Une Vous Ça",
    "de": "Aber Das Dann Der Die Ein Eine Er Es Ich Ist Man Und Wenn Wir",
    "es": "Ahora Es Esta Este Esto Gracias Hay Me Mi No Pero Si Sí Son Te Tengo Un Una Y Ya Yo",
}

_CLOSING = (  # after a final mark; of German too: »Komm!«, „Komm!“
    r"(?:[»›]|\s[»›](?!\w)|[\"'”’)\]」』]|“(?!\w)|(?<=[.!?…])[«‹](?!\w))*+"
)
_QUOTED = re.compile(
    r"“[^“”]*”|„[^“”„]*[“”]|«[^«»]*»|‹[^‹›]*›|「[^「」]*」|『[^『』]*』|(?<!\d)\"[^\"]*\""
    r"|(?<!\w)['‘](?!(?:\d0s|em|cause|til|n|bout)(?!\w))(?=\w)(?:[^'’]|['’](?=\w)){0,300}+(?<=\S)['’](?!\w)"
)
_BRACKETED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|（[^（）]*）")
_HIDDEN = "\0"  # in place of a mark that ends nothing
_ITEM = re.compile(
    r"(?:(?<=\s)|^)(?:[•◦▪■□●○◆►]|(?P<open>\(?)(?P<label>\d{1,3}|[a-z])(?P<close>\.?\)|\.))\s+(?=\S)"
)
_ONE = re.compile(rf"[^);•◦▪■□●○◆►{SENTENCE_END}]*+[{SENTENCE_END}]*+\s*")  # surely one sentence
_HAS_LETTER = re.compile(rf"(?!{ANY_PLACEHOLDER}){LETTER}")
_MARKER = re.compile(
    r"\s*+(?:[(\[]?(?:\d{1,3}|[A-Za-z]|[ivx]{2,5})[.)\]]+|[-*•·–—])\s*"
)  # 2. (a) iv. -
_SAID = re.compile("と(?!ても|ころ|き)|って|하고|라고|라며")  # what was quoted before
_DATE = re.compile(rf"(?:\d|{ANY_PLACEHOLDER}|(?<!\w)[IVX]+)$")  # 24. of December; XIV.
_ORDINALS = "bs cs da de et fi hr hu is lv nb nn no pl sk sl sr tr"  # have 3. for third
_TITLE = re.compile(rf"(?<!\w)(?:{TITLES}|Sta|Sto|Ft|Hl|Fa|Ing|[Bb]d|[Ii]\.e|[Ee]\.g)$")
_ORDINAL = re.compile(  # of German, before a noun; and Hauptstr. 5
    r"(?<!\w)(?:(?:[Dd](?:er|ie|as|em|en|es)|[AaIi]m|[Zz]u[mr]|[Vv]om|[Bb]eim|"
    r"[MmDdSs]?[Ee]in(?:e[mnrs]?)?)\s\d{1,3}|\w+str)$"
)
_MONTH = re.compile("Januar|Februar|März|April|Mai|Jun|Jul|August|[SOND][a-z]+(?:em|o)ber")
_AFTER_HOUR = re.compile(
    r"[-–—(]|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:[ECMP][DS]?T|GMT|UTC|BST)(?!\w)"
)
_UNIT = re.compile(r"\d\s?[ghlm]$")  # before a capital it ends a sentence: à 14 h. Oui
_UNITS = re.compile(  # before a small letter none of these ends one: a 10 oz. can
    r"\d\s?(?:[Mm]ins?|[Ss]ecs?|hrs?|ft|in|oz|lbs?|yd|mi|gal|sq|cu|[km]gs?|grs?|[km]ms?|mts?|cm|m[lg]|"
    r"Std|Sek|pers|cdta?s?|cdas?)$"
)
_HOUR = re.compile(r"(?<!\w)[ap]\.\s?m$")
_AT_HOUR = re.compile(
    r"\W*(?:At|By|On|Around|About|Until|Since|Before|After|From)\s\S+\s[ap]\.\s?m$"
)
_TWO_LETTERS = re.compile(rf"{LETTER}{{2}}$")  # not D...mn
_INITIALS = re.compile(rf"(?<!\w){LETTER}(?:-|\.[\s-]?){LETTER}{{1,2}}$")  # p. m, J.-C
_LAST_WORD = re.compile(rf"(?<![\w'’])((?<!\w-){WORD.pattern}|(?<=à-)d)$")
_WORD_BEFORE = re.compile(r"(\w)\w*[\s.-]*$")  # an initial
# Abbreviations before a number, as all without a vowel are:
_COUNTED = (
    "apt appt chap dim ed env ep eq eqs est ext fig figs jeu lun mar max mer no nos par para ref "
    "refs réf sam sect tab tel tél ven vol vols art min mín máx"
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
_DAYS = "Mon Tue Tues Wed Thu Thur Thurs Fri Sat Sun lun ven MwSt Chr Jh"
_BEFORE_BOTH = {*_OTHERS.split(), *_OTHERS.title().split(), *_DAYS.split(), "max"}
_AS_NUMBER = re.compile(  # 5, $5, V or a placeholder
    rf"(?:(?!{ANY_PLACEHOLDER})[^\w\s]){{0,2}}(?:\d|{ANY_PLACEHOLDER})"
    r"|(?:[IVXLC]{2,}|[VX])(?![\w'’])"
)
# A full stop that begins a word, or is after its first letter; and what may begin a sentence.
_BEGUN = re.compile(rf"(?:^|[\s(-]){LETTER}?$")
_GLUED = re.compile(rf"[¿¡\"'“‘«(]*+({LETTER})({LETTER}|['’\s])[\w.'’]*+(?![=(\[{{<\\/])")
_AND = (  # what & stands for between two words
    "en:and fr:et de:und es:y it:e pt:e ca:i nl:en sv:och da:og no:og nb:og fi:ja pl:i cs:a sk:a "
    "hr:i sl:in ro:și hu:és tr:ve ru:и uk:і bg:и el:και id:dan eo:kaj"
)
_WINDOW = 40  # characters before and after a mark that tell whether it ends a sentence


class SentenceRules(NamedTuple):
    """What is particular to a language. The page takes the same fields."""

    marks: str  # that end sentences
    spaced: bool  # whether a space is usual before ! and ?
    ordinals: bool  # whether 3. is an ordinal, as of _ORDINALS
    abbreviations: list[str]  # in small letters, after which a sentence goes on
    starters: list[str]  # words that begin a sentence even after an abbreviation
    before_number: list[str] = sorted(_BEFORE_NUMBER)  # after which a sentence goes on
    before_both: list[str] = sorted(_BEFORE_BOTH)  # with a number or a small letter
    conjunction: str = ""  # what & stands for, if it is known


@cache
def sentence_rules(language: str) -> SentenceRules:
    """Return the rules of a language, a code or an English name; an unknown one is as English."""
    code = language_code(language)
    own = code if code in _ABBREVIATIONS else "en"
    abbreviations = sorted({*_ABBREVIATIONS[""].split(), *_ABBREVIATIONS[own].split()})
    marks, starters = SENTENCE_END + ";" * (code == "el"), sorted(_STARTERS.get(own, "").split())
    conjunction = dict(each.split(":") for each in _AND.split()).get(code, "")
    is_ordinal = code in _ORDINALS.split()
    rules = SentenceRules(marks, code == "fr", is_ordinal, abbreviations, starters)
    return rules._replace(conjunction=conjunction)


def split_sentences(text: str, language: str) -> list[str]:
    """Return the sentences of a line, with the space after them: their sum is `text`.

    `language` is a code or an English name.

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
    return [text[i:j] for i, j in zip(starts, [*starts[1:], len(text)], strict=True)]


def _items(text: str) -> Iterator[int]:
    """Yield where items of a list begin: bullets, and labels that count on from the first."""
    expected, begin = None, len(text) - len(text.lstrip())
    for match in _ITEM.finditer(text):
        label = match["label"]
        if label is None:
            yield match.start()
            continue
        number = int(label) if label.isdecimal() else ord(label)
        kind = match["open"], match["close"], label.isdecimal()
        if (*kind, number) == expected:
            yield match.start()
        elif expected or match.start() > begin:
            continue
        expected = (*kind, number + 1)


def _ends(text: str, rules: SentenceRules) -> Iterator[int]:
    """Yield where final marks, and what closes after them, end a sentence."""
    mark = f"[{rules.marks}]"

    def hide(found: re.Match[str]) -> str:
        if found[0] == text.strip():
            return found[0]
        last = None if found[0][0] in "([{（" else re.search(rf"(?<!{mark}){mark}+\s?.$", found[0])
        end = last.start() if last else len(found[0])
        return re.sub(mark, _HIDDEN, found[0][:end]) + found[0][end:]

    seen = _QUOTED.sub(hide, _BRACKETED.sub(hide, text))
    run = rf"(?P<run>{mark}+(?:\s+[.!?…]+(?=\s|$))*+)(?P<close>{_CLOSING})(?P<space>\s*)"
    start = 0
    for match in re.finditer(run, seen):
        before = text[max(start, match.start() - _WINDOW) : match.start()]
        if not _goes_on(before, match, text[match.end() : match.end() + _WINDOW], rules):
            start = match.end()
            yield start


def _goes_on(before: str, match: re.Match[str], after: str, rules: SentenceRules) -> bool:
    """Return whether a sentence goes on after a run of final marks: "vol. |2", "Yes?! |he said"."""
    run, first = match["run"], after[:1]
    word = re.match(r"\W*(\w)", after)
    letter = word[1] if word else ""
    goes_on = letter.islower() or letter.isdecimal() or _SAID.match(after)
    is_said = after.startswith(("—", "–")) and letter.islower()
    if after.startswith((",", ";", ":")) or is_said or (match["close"] and goes_on):
        return True
    is_ellipsis = run != "." and {*run} <= {".", "…"}
    if not match["space"]:
        is_between_words = is_ellipsis and first.isalpha() and _TWO_LETTERS.search(before)
        return not (is_between_words or _may_touch(before, match, after))
    if is_ellipsis:
        return False
    if len({*run}) > 1:
        return re.match("[0-9a-z]", after) is not None
    if run != ".":
        return (
            not rules.spaced and before[-1:].isspace() and re.match("[0-9a-z]", after) is not None
        )
    if _TITLE.search(before):
        return True
    is_date = _DATE.search(before) and (first.islower() or _MONTH.match(after))
    if rules.ordinals and (is_date or _ORDINAL.search(before)):
        return True
    if _HOUR.search(before):
        return (
            first.islower()
            or bool(_AFTER_HOUR.match(after))
            or (not first.isdecimal() and bool(_AT_HOUR.match(before)))
        )
    return _is_abbreviated(before, after, rules)


def _is_abbreviated(before: str, after: str, rules: SentenceRules) -> bool:
    """Return whether a full stop with a space after it is that of an abbreviation or an initial."""
    last, first_word = _LAST_WORD.search(before), re.match(r"\w+", after)
    if not last:
        return False
    word, is_small = last[1], after[:1].islower()
    begun = re.match(r"\W*(\w)", after)
    if begun and begun[1].isupper() and (word in ("etc", "usw") or _UNIT.search(before)):
        return False
    if is_small and _UNITS.search(before):
        return True
    is_starter = first_word is not None and first_word[0] in rules.starters
    if len(word) == 1 and word.isupper():
        next_initial = re.match(rf"({LETTER})\.", after)
        previous = _WORD_BEFORE.search(before[:-1])
        is_after_name = previous is not None and previous[1].isupper()
        is_before_initial = next_initial is not None and next_initial[1].isupper()
        return is_before_initial or is_small or (is_after_name and not is_starter)
    is_initials = _INITIALS.search(before) is not None
    is_short = len(word) == 1 or word.lower() in rules.abbreviations
    if (is_short or (is_initials and "." in before)) and not is_starter:
        return True
    if is_small and (is_initials or word in _BEFORE_BOTH):
        return True
    is_counted = word in _BEFORE_BOTH or word in _BEFORE_NUMBER or _NO_VOWEL.search(before)
    return bool(is_counted and _AS_NUMBER.match(after))


def _may_touch(before: str, match: re.Match[str], after: str) -> bool:
    """Return whether a sentence may begin without a space: "the end.|Then", not ASP.NET."""
    run, first = match["run"], after[:1]
    if SPACELESS.match(first) or run[-1] in "。！？．｡":
        return True
    if first and first in "¿¡":
        return True
    if match["close"]:
        return first.isupper()
    if run[-1] != ".":
        return (first.isalpha() and not first.islower()) or first in '¿¡«“"'
    is_number = first.isdecimal() or (before[-1:].isdecimal() and first.islower())  # 3.5, 3.er
    if _TITLE.search(before) or _BEGUN.search(before) or is_number:
        return False
    letter, begun = before[-1:], _GLUED.match(after)
    if not (letter.islower() or letter.isupper()) or (before + after).isupper():
        return True
    is_word = begun is not None and begun[1].isupper() and not begun[2].isupper()
    return letter.islower() and is_word


def best_split(text: str) -> int:
    """Return where a text too long is split: near its middle, after punctuation, else a word."""
    middle = len(text) // 2
    for seam in (r"[;:。；：][\s]*|[–—]\s+", r"[,،，、]\s*", r"\s+"):
        ends = [match.end() for match in re.finditer(seam, text)]
        near = [index for index in ends if len(text) // 4 < index < 3 * len(text) // 4]
        if near:
            return min(near, key=lambda index: abs(index - middle))
    while middle < len(text) - 1 and is_mark(text[middle]):
        middle += 1
    return max(1, middle)
