"""Which known words a typo stands for, where what happened to its letters can be told."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain, product

from gru_mt.data.text.normalize import IN_WORD, is_all_caps, words

LONGEST = 40  # letters of a word that is compared with the known ones
SHORT, LONG = 4, 7  # letters: a shorter word is near to too many, a longer one to hardly any
STARTERS = 300  # most frequent words: a short typo, or one that may be a name, is of these
USUAL = 1_000  # the same, of a typo of SHORT letters by a key, and of two words without a space
GLUED = 60  # the same, of the shorter of these two
COMMON = 4_000  # the same, of a typo of less than LONG letters
LEAST_STEM, LONGEST_ENDING = 3, 4  # letters
PRODUCTIVE = 0.0005  # share of the known words that an ending makes of other ones: -ts, -ting
_ROWS = ["qwertyuiop", "asdfghjkl", "zxcvbnm", "йцукенгшщзхъ", "фывапролджэ", "ячсмитьбю"]
BESIDE = {  # q -> w, w -> qe
    key: row[max(0, i - 1) : i] + row[i + 1 : i + 2] for row in _ROWS for i, key in enumerate(row)
}
_SHORT_FOR = (
    "thx thnx thanx tnx: thanks | pls plz: please | idk: I don't know | "
    "omg: oh my God | btw: by the way | ppl: people | tmrw tmr: tomorrow | msg: message | "
    "cuz coz: because | abt: about | ofc: of course | nvm: never mind | "
    "gimme: give me | lemme: let me | whatcha: what are you | kinda: kind of | sorta: sort of | "
    "outta: out of | tryna: trying to | imma: I'm going to | coulda: could have | "
    "shoulda: should have | woulda: would have | dunno: don't know | y'all yall: you all | "
    "tho: though | thru: through | luv: love | bday: birthday | whaddya: what do you | "
    "tue tues: Tuesday | thu thur thurs: Thursday | fri: Friday | feb: February | aug: August | "
    "sep sept: September | oct: October | nov: November | dec: December | "
    "u: you | r: are | ur: your | rn: right now | fyi: for your information | "
    "tbh: to be honest | imho imo: in my opinion | afaik: as far as I know | np: no problem | "
    "asap: as soon as possible | jk: just kidding | sry srry: sorry | aka a.k.a.: also known as | "
    "w/: with | w/o: without | b/c bc: because | y/o: years old | e.g. eg: for example | "
    "i.e.: that is | approx.: about | z.b.: zum Beispiel | d.h.: das heißt | p.ex.: par exemple | "
    "c.-à-d. càd: c'est-à-dire | p.ej.: por ejemplo | p.es.: per esempio | "
    "lmk: let me know | hbd: happy birthday | stp: s'il te plaît | "
    "svp: s'il vous plaît | bcp: beaucoup | pk pq: pourquoi | tjs tjrs: toujours | "
    "mtn: maintenant | jsp: je ne sais pas | rdv: rendez-vous | slt: salut | bjr: bonjour | "
    "bsr: bonsoir | dsl: désolé | auj: aujourd'hui | vllt: vielleicht | iwie: irgendwie | "
    "chui chuis jsuis: je suis | ya: il y a | ka: keine Ahnung | lg: liebe Grüße | "
    "xq pq: porque | tmb tb: también | xfa porfa: por favor | finde: fin de semana | nn: non | "
    "cmq: comunque | xké xke xché: perché | qnd: quando | vc: você | vcs: vocês | tb tbm: também | "
    "blz: beleza | obg: obrigado | wrm: waarom | idd: inderdaad"
)
_SPELT = (  # how British and American English spell words of these stems, before these endings
    "our or: behavi col endeav fav flav harb hon hum lab neighb od rum sav vap: "
    "- s ed er ers ing ite ites able ful less hood | "
    "is iz: apolog author capital categor civil critic custom emphas final general harmon legal "
    "local maxim memor minim mobil modern normal optim organ priorit real recogn social special "
    "stabil standard steril summar symbol sympath util visual: e es ed er ers ing ation ations | "
    "l -: cancel counsel fuel label marvel model quarrel signal travel: ed er ers ing | "
    "re er: cent fib lit met theat: - s | ence ense: def lic off: - s | "
    "ys yz: anal paral: e es ed ing | ogue og: catal dial: - s"
)
_ALIKE = (  # other words of either
    "aeroplane airplane | ageing aging | amongst among | burnt burned | cheque check | cosy cozy | "
    "dreamt dreamed | grey gray | jewellery jewelry | judgement judgment | kerb curb | "
    "learnt learned | maths math | moustache mustache | mum mom | mummy mommy | okay OK | "
    "plough plow | programme program | pyjamas pajamas | sceptical skeptical | skilful skillful | "
    "spelt spelled | storey story | tyre tire | whilst while"
)


def _spelt() -> Iterator[list[str]]:
    """Yield a word as British and as American English spell it."""
    for line in _SPELT.split(" | "):
        forms, stems, endings = map(str.split, line.split(": "))
        for stem, ending in product(stems, endings):
            yield [f"{stem}{form}{ending}".replace("-", "") for form in forms]
    yield from (words.split() for words in _ALIKE.split(" | "))


# What is typed, and what it stands for in a language that has these words, the likeliest last.
SHORTHAND = [
    *chain.from_iterable((pair, pair[::-1]) for pair in _spelt()),
    *(
        [short, text]
        for shorts, text in (line.split(": ") for line in _SHORT_FOR.split(" | "))
        for short in shorts.split()
    ),
]
_FORMS = {"u": "u", "r": r"r(?= u(?!\w))|(?<=(?<!\w)u )r", "z.b.": "[zZ].[bB]."}  # a radius r stays
_IS_WORD = re.compile(r"[\w']+")
_MANY = re.compile(r"(\w)\1{2,}")


class Shorthand(dict[str, str]):
    """The words that short forms stand for which a training split lacks, or hardly has."""

    def __init__(self, forms: Mapping[str, str], ranks: Mapping[str, int]) -> None:
        """Take each word's cased form and rank by its lower case; the most frequent one has 0."""
        for short, text in SHORTHAND:
            last = max(ranks.get(word.lower(), math.inf) for word in words(text))
            is_rare = ranks.get(short, math.inf) > max(COMMON, last)
            if last < math.inf and (is_rare or forms[short].isupper()):  # U
                self[short] = text
        found = [
            _FORMS.get(short) or f"[{short[0]}{short[0].upper()}]{short[1:]}"
            for short in self
            if short in _FORMS or not _IS_WORD.fullmatch(short)
        ]
        ends = rf"(?<![{IN_WORD}'’.&/-])(?:{{}})(?<! )(?![{IN_WORD}'’&/-]|\.\w)"
        either = "|".join(found).replace(".", r"\. ?")  # z. B.
        self._signed = re.compile(ends.format(either or "(?!)"))

    def written_out(self, text: str) -> str:
        """Return `text` with words for what a letter or signs stand for: "u", "w/o", "e.g."."""

        def full(match: re.Match[str]) -> str:
            words_of = self[match[0].replace(" ", "").lower()]
            is_capital = match[0][0].isupper()
            return words_of[0].upper() + words_of[1:] if is_capital else words_of

        return text if is_all_caps(text) else self._signed.sub(full, text)


class Spelling:
    """The known words, and the typos that stand for them. All words are in small letters."""

    def __init__(self, ranks: Mapping[str, int]) -> None:
        """Take the known words with their ranks: the most frequent one has 0."""
        self._ranks = ranks

    def corrected(self, word: str, *, most: int | None = None) -> str | None:
        """Return the known word that an unknown one is a typo of, or None.

        A typo has two letters swapped, one doubled or more often, one hit beside its key, or one
        dropped. What explains it is tried in this order; then the most frequent word is taken, of
        the `most` frequent ones. A typo may also lack the accents. A word with a known stem is
        none: dogs may well be right where only dog is known.
        """
        if not SHORT - 1 <= len(word) <= LONGEST:
            return None
        if sure := self._first([*_swapped(word), *_undoubled(word)], STARTERS):
            return sure
        if (short := _MANY.sub(r"\1", word)) != word:  # soooo, noooo
            return self._first([short, _MANY.sub(r"\1\1", word)])
        if self.has_stem(word):
            return None
        if most is None:
            most = (
                STARTERS if len(word) < SHORT else COMMON if len(word) < LONG else len(self._ranks)
            )
        beside = 0 if len(word) < SHORT else min(most, USUAL) if len(word) == SHORT else most
        return (
            self._first(_swapped(word), most)
            or self._first(_undoubled(word), most)
            or self._first(self._beside(word), beside)
            or self._first(self._completed(word), most)
            or self._unaccented.get(word)
        )

    def undoubled(self, word: str) -> str | None:
        """Return the most frequent known word that has one letter for two alike of `word`."""
        return self._first(_undoubled(word))

    def divided(self, word: str) -> str | None:
        """Return the two frequent words that `word` is without the space between them, or None."""
        ways = [(word[:i], word[i:]) for i in range(2, min(len(word), LONGEST) - 1)]
        found = [
            (max(self._ranks[part] for part in parts), " ".join(parts))
            for parts in ways
            if all(self._ranks.get(part, USUAL) < USUAL for part in parts)
            and self._ranks[min(parts, key=len)] < GLUED
        ]
        return min(found)[1] if found else None

    def has_stem(self, word: str) -> bool:
        """Return whether a word is a known one with an ending of many known words.

        An ending counts with the letter before it: -ed after k as in walked, -d after e as in used.
        """
        return any(ending in self._endings for ending in self._endings_of(word))

    def _endings_of(self, word: str) -> list[str]:
        """Return what a word has after known ones, with the letter before: walked -> ked."""
        sizes = range(1, min(LONGEST_ENDING, len(word) - LEAST_STEM) + 1)
        return [word[-n - 1 :] for n in sizes if word[:-n] in self._ranks]

    @cached_property
    def _endings(self) -> frozenset[str]:
        counts = Counter(ending for word in self._ranks for ending in self._endings_of(word))
        least = max(2, PRODUCTIVE * len(self._ranks))
        return frozenset(ending for ending, count in counts.items() if count >= least)

    @cached_property
    def _letters(self) -> str:
        return "".join(letter for letter, _ in Counter("".join(self._ranks)).most_common(40))

    @cached_property
    def _unaccented(self) -> dict[str, str]:
        """The most frequent words with accents, by themselves without: "deja" -> "déjà"."""
        found: dict[str, str] = {}
        for word in self._ranks:
            plain = "".join(unicodedata.normalize("NFD", letter)[0] for letter in word)
            if plain not in self._ranks:
                found.setdefault(plain, word)
        return found

    def _first(self, words: Iterable[str], most: int | None = None) -> str | None:
        """Return the most frequent one of `words`, if it is one of the `most` frequent ones."""
        most = len(self._ranks) if most is None else most
        found = [word for word in words if self._ranks.get(word, most) < most]
        return min(found, key=self._ranks.__getitem__, default=None)

    def _beside(self, word: str) -> list[str]:
        """Return `word` with each letter as one beside its key, but for one ending as another."""
        return [
            word[:i] + key + word[i + 1 :]
            for i, letter in enumerate(word)
            for key in BESIDE.get(letter, "")
            if i < len(word) - 1 or not {word[-2:], word[-2:-1] + key} <= self._endings
        ]

    def _completed(self, word: str) -> list[str]:
        """Return what may have lost a letter, but no ending."""
        return [
            word[:i] + letter + word[i:]
            for i in range(len(word) + 1)
            for letter in self._letters
            if i < len(word) or word[-1:] + letter not in self._endings
        ]


def _swapped(word: str) -> list[str]:
    return [word[:i] + word[i + 1] + word[i] + word[i + 2 :] for i in range(len(word) - 1)]


def _undoubled(word: str) -> list[str]:
    return [word[:i] + word[i + 1 :] for i in range(1, len(word)) if word[i] == word[i - 1]]
