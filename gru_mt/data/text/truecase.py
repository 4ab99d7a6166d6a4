"""Truecasing: words get the case in which the training split mostly writes them.

So text in capitals, in title case or in small letters is read as text that is written with care.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Self

from gru_mt.data.text.normalize import (
    APOSTROPHES,
    IN_WORD,
    INITIALS,
    LETTER,
    WORD,
    find_initials,
    first_words,
    is_all_caps,
    words,
)
from gru_mt.data.text.spelling import COMMON, SHORT, STARTERS, Shorthand, Spelling
from gru_mt.data.tokenizer.special import file_lines
from gru_mt.errors import short_repr

MOST_WORDS = 100_000  # that are kept, the most frequent ones
COPIED = 1 / 6  # share of rare names that stand in the target too, from which on names are copied
COPIED_OF_NOUNS = 1 / 3  # the same, where words in a sentence with a capital, of all, are more than
CAPITALS = 1 / 8  # as in German, whose rare capitalised words are nouns
RARE = 2  # occurrences
LONGEST_WORD = 100_000  # letters of a word that is kept
LONGEST_SMALL = 4  # letters of a word that is small in a title
LEARNED = 50  # occurrences of U.S., from which on a model translates it
UNCOMMON = 2_000  # words that are surely learned
MOST_COMMON = 200  # words that a translation may well leave out: "there", "much"
FREQUENT = 500  # words that a name is not taken for, but for _GIVEN_NAMES
_CAPITALISED = rf"(?=[A-ZÀ-ÖØ-Þ]){WORD.pattern}"
_TITLED = re.compile(rf"(?<![{IN_WORD}])(?:[Aa]n?|[Tt]he)\s({_CAPITALISED}(?: {_CAPITALISED})+)")
_CLAUSE_START = re.compile(  # "Thanks, We are here", but not "Tom, You and Mary"
    rf"(?<=,\s)({_CAPITALISED})(?:['’]\w+)?(?=\s[^\W\d_A-ZÀ-ÖØ-Þ]\S*+(?!(?<![.!?])\s[A-ZÀ-ÖØ-Þ]))"
)
_BOUND_LETTER = re.compile(rf"(?<=\d){LETTER}|{LETTER}\.{LETTER}|(?<='){LETTER}'")  # 24h, i.e., 'n'
_ABBREVIATIONS = ("AM", "IT", "US")  # spelt as common English words are
_GIVEN_NAMES = ("Don", "May", "Will")  # the same
_ELIDED = re.compile(rf"{WORD.pattern}(?:['’]{WORD.pattern})+")  # don't, c'est
_JOINED = re.compile(rf"(['’-])({WORD.pattern})")
_TYPED = re.compile(  # a word that touches nothing of code
    rf"(?<![{IN_WORD}'’\\=.\[<]){WORD.pattern}(?:['’]{WORD.pattern})*+(?![{IN_WORD}'’\\=\[<]|\.\w)"
)
_WHOLE = re.compile(rf"(?<![{IN_WORD}])(?<![{IN_WORD}]['’]){WORD.pattern}")  # no s of Tom's
_HEADER = re.compile("# gru-mt lexicon: names (copied|translated)")


class Truecaser:
    """The words of the training split's source side, and how each is mostly written."""

    def __init__(self, forms: Mapping[str, str], *, copies_names: bool) -> None:
        """Take each word's cased form by its lower case, and whether names are copied."""
        self._forms, self.copies_names = forms, copies_names

    @classmethod
    def learn(cls, sources: Sequence[str], targets: Sequence[str]) -> Self:
        """Return the truecaser of `sources`; each has its translation in `targets`.

        A word's cased form is the most frequent one inside sentences. One that only begins them is
        written small, unless the translation has it too. Names are copied if a part of the rare
        capitalised words are, COPIED; or of all, where none is rare.
        """
        inside: Counter[str] = Counter()
        total: Counter[str] = Counter()
        copied: set[str] = set()
        initials: Counter[str] = Counter()
        for source, target in zip(sources, targets, strict=True):
            found = [*words(source), *_ELIDED.findall(source)]
            inside.update(found)
            total.update(word.lower() for word in found)
            initials.update(match[0].rstrip(".") for match in find_initials(source))
            inside.subtract(words(start)[0] for start in first_words(source).values())
            copied.update(word for word in found if word[0].isupper() and word in target)
        forms: dict[str, str] = {}
        for word, count in inside.most_common():
            forms.setdefault(word.lower(), word if count > 0 or word in copied else word.lower())
        learned = {word: count for word, count in initials.items() if count >= LEARNED}
        forms |= {word.lower(): word for word in learned}
        total.update({word.lower(): count for word, count in learned.items()})
        capitalised = [word for word in inside if word[0].isupper() and WORD.fullmatch(word)]
        # No "L'été" of a start, and no TV, which other scripts have too.
        names = [word for word in capitalised if inside[word] > 0 and not word.isupper()]
        rare = [word for word in names if inside[word] <= RARE] or names
        kept = [low for low, _ in total.most_common(MOST_WORDS) if len(low) <= LONGEST_WORD]
        has_nouns = sum(inside[word] for word in capitalised) > CAPITALS * inside.total()
        least = (COPIED_OF_NOUNS if has_nouns else COPIED) * len(rare)
        copies_names = sum(word in copied for word in rare) > least
        return cls({low: forms[low] for low in kept}, copies_names=copies_names)

    def extended(self, other: "Truecaser") -> "Truecaser":
        """Return this truecaser with the words of another that it lacks, after its own."""
        forms = dict(self._forms)
        for low, form in other._forms.items():
            forms.setdefault(low, form)
        return Truecaser(forms, copies_names=self.copies_names)

    def to_bytes(self) -> bytes:
        """Return plain text: a header that tells whether names are copied, then a form a line."""
        header = f"# gru-mt lexicon: names {'copied' if self.copies_names else 'translated'}"
        return "".join(f"{line}\n" for line in [header, *self._forms.values()]).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Return what `to_bytes` wrote; raises ValueError that says what is wrong with it."""
        header, *forms = file_lines(data)
        habit = _HEADER.fullmatch(header)
        if not habit:
            raise ValueError("it has no header")
        for form in forms:
            if len(form) > LONGEST_WORD:  # a pattern takes 100 bytes for each letter
                raise ValueError(f"a word has {len(form):,} letters, more than {LONGEST_WORD:,}")
            if not any(kind.fullmatch(form) for kind in (WORD, _ELIDED, INITIALS)):
                raise ValueError(f"{short_repr(form)} is no word")
        return cls({form.lower(): form for form in forms}, copies_names=habit[1] == "copied")

    def __contains__(self, word: str) -> bool:
        """Return whether the training split has the word, in whatever case."""
        return word.lower() in self._forms

    @property
    def ranked(self) -> Iterable[str]:
        """The words in small letters, the most frequent first."""
        return self._forms

    def is_small(self, word: str) -> bool:
        """Return whether the training split has the word, and mostly writes it small."""
        return self._forms.get(word.lower(), "A").islower()

    def is_common(self, word: str) -> bool:
        """Return whether the word is one of the few that most sentences are made of."""
        return self._ranks.get(word.lower(), MOST_COMMON) < MOST_COMMON

    def is_rare(self, word: str) -> bool:
        """Return whether a model may not have learned the word."""
        return self._ranks.get(word.lower(), UNCOMMON) >= UNCOMMON

    def truecased(self, text: str) -> str:
        """Return `text` as the model reads it: each word as it is mostly written.

        Text in capitals, in title case or without a capital gets each word's cased form: "TOM ET
        ZBIGNIEW" -> "Tom et Zbigniew". In other text first words of sentences and known words in
        capitals or mixed case do: "See Tom. You SAID nO" -> "see Tom. you said no" (Moses: Koehn et
        al. 2007). Two capitals do only if the word is common: "this is SO good", but "my TV".
        """
        if is_all_caps(text):
            return self.cased(WORD.sub(lambda match: match[0][0] + match[0][1:].lower(), text))
        if text == text.lower() or self._is_title_case(text):
            return self.cased(text)
        text = _CLAUSE_START.sub(self._calm_clause, _TITLED.sub(self._calm_title, text))
        starts = first_words(text)

        def read(match: re.Match[str]) -> str:
            word = match[0]
            if match.start() in starts:
                return self._cased_form(match)
            return word if self._is_usual(word) else self._forms.get(word.lower(), word)

        return WORD.sub(read, text)

    def _calm_title(self, match: re.Match[str]) -> str:
        """Return "The Prime Minister" as "the prime minister", but not "the Star Wars"."""
        is_title = all(map(self.needs_no_capital, match[1].split()))
        return self.cased(match[0]) if is_title else match[0]

    def _calm_clause(self, match: re.Match[str]) -> str:
        """Return the first words after a comma in their cased form, unless they may be a name."""
        is_frequent = self._ranks.get(match[1].lower(), FREQUENT) < FREQUENT
        is_name = match[0] in _GIVEN_NAMES or not self.needs_no_capital(match[1])
        return self.cased(match[0]) if is_frequent and not is_name else match[0]

    def _is_usual(self, word: str) -> bool:
        """Return whether a word inside a sentence has the case of a careful text."""
        is_short = len(word) < 3 and word.isupper() and not self.is_common(word)
        return word.islower() or word.istitle() or is_short or word in _ABBREVIATIONS

    def cased(self, text: str) -> str:
        """Return `text` with each known word in its cased form, but not the O of O'Sullivan."""
        return WORD.sub(self._cased_form, text)

    def _cased_form(self, match: re.Match[str]) -> str:
        if (
            match[0].islower()
            and len(match[0]) == 1
            and _BOUND_LETTER.match(match.string, match.start())
        ):
            return match[0]
        joined = _JOINED.match(match.string, match.end())
        if joined and self._begins_name(match[0], *joined.groups()):
            return match[0]
        return self._forms.get(match[0].lower(), match[0])

    def _begins_name(self, word: str, sign: str, other: str) -> bool:
        """Return whether a word is the O of O'Sullivan, or the Jean of Jean-Luc and Jean-Pierre."""
        is_known_name = sign == "-" and not self.is_small(other) and self.is_rare(word)
        return other[0].isupper() and (other not in self or is_known_name)

    def corrected(self, text: str) -> str:
        """Return `text` with what is not known as the known words that it is a typo of.

        That is what it is short for (thx), a word with an apostrophe more (dont -> don't), or what
        `Spelling` finds; two words where a space is missing (dogis). A capitalised word may be a
        name, and a word with other capitals (eBook, WIFI) or beside a sign of code is no typo.
        Where most words are unknown, the text is of another language, and none is.
        """
        found = words(text)
        if all(self._stays(word.lower()) for word in found):
            return text
        starts = first_words(text)
        unknown = [
            word for word in found if word not in self and word.lower() not in self.shorthand
        ]
        is_foreign = len(unknown) > max(1, len(found) // 2)

        def mended(match: re.Match[str]) -> str:
            word, low = match[0], match[0].lower().translate(APOSTROPHES)
            if self._stays(low) or all(self._stays(part.lower()) for part in WORD.findall(word)):
                return word
            known = (len(low) > 1 and self.shorthand.get(low)) or self._with_apostrophe.get(low)
            may_be_name = word[0].isupper() and match.start() not in starts
            if known and not (may_be_name and self.cased(known).islower()):
                return self.cased(known)
            if low in self._forms:
                return word
            is_joined = word[0].isupper() and text[match.end() :][:1] == "-"  # Soo-jin
            known = None if is_foreign or is_joined else self._mended(word, low, may_be_name)
            return self.cased(known) if known else word

        return _TYPED.sub(mended, text)

    def _mended(self, word: str, low: str, may_be_name: bool) -> str | None:
        """Return the known word or words that an unknown word is a typo of, in small letters."""
        first, rest, spelling = word[0], word[1:], self.spelling
        if rest != rest.lower():  # oBston and TThis, but not eBook
            swapped = rest[:1] + first + rest[1:]
            if swapped.istitle() and swapped in self:
                return swapped.lower()
            return spelling.undoubled(low) if first == rest[0] and rest[1:].islower() else None
        if may_be_name:
            known = spelling.corrected(low) if len(low) > SHORT else None
            return known if known and self._forms[known][0].isupper() else None
        known = spelling.corrected(low, most=STARTERS if first.isupper() else None)
        if not known and "'" in low:  # taht's
            head, tail = low.split("'", 1)
            most = STARTERS if first.isupper() else COMMON  # not Lars's
            known = None if head in self else spelling.corrected(head, most=most)
            return f"{known}'{tail}" if known else None
        return known or (spelling.divided(low) if word == low else None)

    @cached_property
    def spelling(self) -> Spelling:
        """What is known of typos."""
        return Spelling(self._ranks)

    @cached_property
    def letters(self) -> frozenset[str]:
        """The letters of the known words, in small letters."""
        return frozenset("".join(self._forms))

    @cached_property
    def _ranks(self) -> dict[str, int]:
        return {low: rank for rank, low in enumerate(self._forms)}

    def _stays(self, low: str) -> bool:
        return low in self._forms and low not in self.shorthand

    @cached_property
    def shorthand(self) -> Shorthand:
        """What is read as more common words, being unknown or rare: "thx" -> "thanks"."""
        return Shorthand(self._forms, self._ranks)

    @cached_property
    def _with_apostrophe(self) -> dict[str, str]:
        """The most frequent word with an apostrophe by what it is without, where that is none."""
        joined: dict[str, str] = {}
        for low in self._forms:
            short = low.replace("'", "")
            if short not in self._forms:
                joined.setdefault(short, low)
        return joined

    def _is_title_case(self, text: str) -> bool:
        """Return whether all but short common words are capitalised, and some need not be."""
        found = _WHOLE.findall(text)
        if not found or not (found[0][0].isupper() and found[-1][0].isupper()):
            return False
        small = [word for word in found if not word[0].isupper()]
        need_not = [word for word in found[1:] if self.needs_no_capital(word)]
        is_short = all(len(word) <= LONGEST_SMALL and self.is_common(word) for word in small)
        return is_short and len(need_not) > bool(small)  # not "I met Bill"

    def needs_no_capital(self, word: str) -> bool:
        """Return whether a word has its capital only of a title; the A of "bus A" has not."""
        return len(word) > 1 and word.istitle() and self.is_small(word)
