"""Noun phrases and places, drawn at random."""

from functools import cache
from random import Random

from phrasebook.grammar import both
from phrasebook.noun_phrases import (
    SUBJECTS,
    Clitic,
    NounPhrase,
    couple,
    name,
    noun_phrase,
    possessive,
)
from phrasebook.verbs import COMMANDS, NEARBY, TRANSITIVE, VERBS
from phrasebook.words import (
    ADJECTIVES,
    CITIES,
    NAMES,
    NOUNS,
    Adjective,
    Gender,
    Kind,
    Noun,
    Person,
    Text,
    Verb,
)

POSSESSIVES = ("my", "your", "our")
_OWN = {Person.I: "my", Person.WE: "our", Person.YOU: "your", Person.THEY: "their"}
_REFLEXIVE = {Person.I: ("me", "us"), Person.WE: ("me", "us"), Person.YOU: ("you",)}
PEOPLE = Kind.HUMAN | Kind.RELATIVE
_UNOWNED = Kind.ADULT | Kind.CHILD | Kind.LANDMARK  # French would take "my woman" for a wife
_OWNED = Kind.PORTABLE | Kind.VEHICLE | Kind.ANIMAL | Kind.RELATIVE | Kind.PEER  # "Anne's"
_UNCOUNTED = Kind.PARENT | Kind.MASS
THINGS = Kind.PORTABLE | Kind.VEHICLE | Kind.FRUIT
NAMED = [name(english, gender) for english, gender in NAMES.items()]
YOU = SUBJECTS[1]
WHO = NounPhrase("who", "qui", Person.HE, Gender.MASCULINE)
THIS = NounPhrase("this", "ce", Person.HE, Gender.MASCULINE)
THESE = NounPhrase("these", "ce", Person.THEY, Gender.MASCULINE)
TO = Text("to", "à")


@cache
def nouns_of(kinds: Kind) -> list[Noun]:
    return [noun for noun in NOUNS.values() if noun.kind in kinds]


@cache
def adjectives_of(kind: Kind) -> list[Adjective]:
    return [adjective for adjective in ADJECTIVES.values() if kind in adjective.kinds]


def draw_quality(rng: Random, kind: Kind) -> Adjective:
    """Return an adjective to follow "be", but not "new": French has another word for it there."""
    return rng.choice([word for word in adjectives_of(kind) if word.english != "new"])


@cache
def verbs_of(kind: Kind, *, commands: bool = False) -> list[Verb]:
    """Return the verbs that can take an object of the kind."""
    return [
        VERBS[key]
        for key, kinds in TRANSITIVE.items()
        if kind & kinds and (not commands or key in COMMANDS)
    ]


# Noun phrases


def draw_owner(rng: Random) -> NounPhrase:
    if rng.random() < 0.6:
        return rng.choice(NAMED)
    if rng.random() < 0.5:
        return noun_phrase(rng.choice(nouns_of(Kind.RELATIVE)), rng.choice(POSSESSIVES))
    return noun_phrase(rng.choice(nouns_of(Kind.HUMAN)), "the", is_plural=rng.random() < 0.4)


def _determiner(
    rng: Random, kind: Kind, subject: NounPhrase | None, *, is_plural: bool, definite: bool
) -> str | NounPhrase:
    if kind in Kind.RELATIVE or (kind not in _UNOWNED and rng.random() < 0.3):
        if kind in _OWNED and rng.random() < 0.35:
            return draw_owner(rng)
        own = "my"
        if subject:
            own = _OWN.get(subject.person) or ("his", "her")[subject.gender]
        return rng.choice((own, own, *POSSESSIVES))
    if definite or rng.random() < 0.45:
        return rng.choice(("the", "the", "the", "these" if is_plural else "this"))
    if is_plural:
        return rng.choice(("some", "some", "two", "three", "many"))
    return "some" if kind in Kind.MASS else "a"


def draw_phrase(
    rng: Random,
    noun: Noun,
    *,
    subject: NounPhrase | None = None,
    definite: bool = False,
    negated: bool = False,
    plain: bool = False,
) -> NounPhrase:
    """Return a phrase with the noun. "his" refers to `subject`; `plain` means no adjective."""
    is_plural = noun.kind not in _UNCOUNTED and rng.random() < 0.3
    adjective = None
    if not plain and noun.kind not in Kind.RELATIVE and rng.random() < 0.3:
        adjective = rng.choice(adjectives_of(noun.kind))
    determiner = _determiner(rng, noun.kind, subject, is_plural=is_plural, definite=definite)
    return noun_phrase(noun, determiner, is_plural=is_plural, adjective=adjective, negated=negated)


def someone(rng: Random, *, definite: bool = True) -> NounPhrase:
    if rng.random() < 0.3:
        return rng.choice(NAMED)
    return draw_phrase(rng, rng.choice(nouns_of(PEOPLE)), definite=definite)


def draw_pronoun(subject: NounPhrase) -> NounPhrase:
    """Return the pronoun that repeats the subject in the next clause: "he" for "Paul"."""
    same = (subject.person, subject.gender)
    return next(pronoun for pronoun in SUBJECTS if (pronoun.person, pronoun.gender) == same)


def draw_subject(rng: Random) -> NounPhrase:
    kind = rng.random()
    if kind < 0.6:
        return rng.choice(SUBJECTS)
    if kind < 0.65:
        first, second = rng.sample(NAMED, 2)
        return couple(first, second)
    return someone(rng, definite=rng.random() < 0.7)


def draw_clitic(rng: Random, clitics: tuple[Clitic, ...], subject: NounPhrase) -> Clitic:
    barred = _REFLEXIVE.get(subject.person, ())
    return rng.choice([clitic for clitic in clitics if clitic.english not in barred])


# Places and times


def draw_near(rng: Random, preposition: Text, kinds: Kind) -> Text:
    """Return the preposition with a noun of these kinds after it."""
    noun = rng.choice(nouns_of(kinds))
    determiner = _determiner(rng, noun.kind, None, is_plural=False, definite=True)
    adjective = rng.choice(adjectives_of(noun.kind)) if rng.random() < 0.2 else None
    return both(preposition, noun_phrase(noun, determiner, adjective=adjective).text)


def _home(rng: Random, preposition: str) -> Text:
    owner = draw_owner(rng)
    return Text(f"{preposition} {possessive(owner.english)} house", f"chez {owner.french}")


def draw_place(rng: Random) -> Text:
    kind = rng.random()
    if kind < 0.35:
        return draw_near(rng, Text("at", "à"), Kind.VENUE)
    if kind < 0.6:
        return draw_near(rng, Text("in", "dans"), Kind.AREA)
    if kind < 0.75:
        return draw_near(rng, rng.choice(NEARBY), Kind.SITE)
    if kind < 0.85:
        return both(Text("in", "à"), rng.choice(CITIES))
    return _home(rng, "at")


def destination(rng: Random) -> Text:
    kind = rng.random()
    if kind < 0.65:
        return draw_near(rng, Text("to", "à"), Kind.VENUE)
    return both(Text("to", "à"), rng.choice(CITIES)) if kind < 0.8 else _home(rng, "to")


def origin(rng: Random) -> Text:
    origin = Text("from", "de")
    if rng.random() < 0.8:
        return draw_near(rng, origin, Kind.VENUE | Kind.AREA)
    return both(origin, rng.choice(CITIES))
