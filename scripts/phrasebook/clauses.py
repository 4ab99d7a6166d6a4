"""Clauses, drawn at random: who does what, where and when."""

from collections.abc import Callable
from dataclasses import replace
from random import Random

from phrasebook.grammar import Clause, both, infinitive, predicate
from phrasebook.noun_phrases import DIRECT, INDIRECT, NounPhrase
from phrasebook.phrases import (
    NAMED,
    PEOPLE,
    TO,
    destination,
    draw_clitic,
    draw_phrase,
    draw_place,
    draw_quality,
    draw_subject,
    nouns_of,
    origin,
    someone,
    verbs_of,
)
from phrasebook.verbs import (
    ACTING,
    ADDRESSING,
    ALSO,
    ALWAYS,
    COMING,
    GIVING,
    GOING,
    LIKING,
    MODAL,
    NEVER,
    NO_LONGER,
    NOT,
    OFTEN,
    STAYING,
    TIMES,
    TRANSITIVE,
    VERBS,
)
from phrasebook.words import Adverb, Kind, Tense, Text, Trait, Verb

BE = VERBS["be"]
TENSES = 3 * (Tense.PRESENT, Tense.PAST) + 2 * (Tense.FUTURE,)
AFFIRMED = (None, None, None, OFTEN, ALWAYS, ALSO)


def is_state(verb: Verb) -> bool:
    """Return whether the verb is a state such as "know": it takes no time, place or repetition."""
    return verb is not BE and bool(verb.traits & Trait.STATE)


def draw_verb(rng: Random, keys: tuple[str, ...], tense: Tense) -> Verb:
    return rng.choice([VERBS[key] for key in keys if VERBS[key].has(tense)])


def draw_adverb(rng: Random, tense: Tense) -> Adverb | None:
    if rng.random() < 0.55:
        return None
    adverbs = (NOT, NOT, NOT, NEVER, OFTEN, ALWAYS, ALSO)
    return rng.choice((*adverbs, NO_LONGER) if tense is Tense.PRESENT else adverbs)


_WAYS = (
    (GOING, destination),
    (COMING, origin),
    (STAYING, draw_place),
)


def timed(rng: Random, clause: Clause) -> Clause:
    """Return the clause, sometimes with a time added, if it can take one."""
    if is_state(clause.verb) or clause.adverb not in (None, NOT) or rng.random() < 0.6:
        return clause
    return replace(clause, rest=both(clause.rest, rng.choice(TIMES[clause.tense])))


# Clauses: what a subject does, in a tense, with or without an adverb

Frame = Callable[[Random, NounPhrase, Tense, Adverb | None], Clause]


def draw_object(rng: Random, key: str, subject: NounPhrase | None, *, negated: bool) -> Text:
    kinds = TRANSITIVE[key] if key in TRANSITIVE else GIVING[key]
    noun = rng.choice(nouns_of(kinds))
    if noun.kind in PEOPLE and rng.random() < 0.3:
        return rng.choice(NAMED).text
    definite = key in LIKING
    return draw_phrase(rng, noun, subject=subject, definite=definite, negated=negated).text


def doing(rng: Random, subject: NounPhrase, tense: Tense, adverb: Adverb | None) -> Clause:
    verb = draw_verb(rng, tuple(TRANSITIVE), tense)
    negated = bool(adverb and adverb.negative)
    thing = draw_object(rng, verb.key, subject, negated=negated)
    if adverb is OFTEN and is_state(verb):
        adverb = None
    return Clause(subject, verb, tense, adverb, rest=thing)


def meeting(rng: Random, subject: NounPhrase, tense: Tense, adverb: Adverb | None) -> Clause:
    verb = rng.choice(verbs_of(Kind.PEER))
    if adverb is OFTEN and is_state(verb):
        adverb = None
    return Clause(subject, verb, tense, adverb, draw_clitic(rng, DIRECT, subject))


def _giving(rng: Random, subject: NounPhrase, tense: Tense, adverb: Adverb | None) -> Clause:
    verb = draw_verb(rng, tuple(GIVING), tense)
    negated = bool(adverb and adverb.negative)
    thing = draw_object(rng, verb.key, subject, negated=negated)
    if rng.random() < 0.5:
        return Clause(subject, verb, tense, adverb, draw_clitic(rng, INDIRECT, subject), thing)
    return Clause(subject, verb, tense, adverb, rest=both(thing, TO, someone(rng).text))


def addressing(rng: Random, subject: NounPhrase, tense: Tense, adverb: Adverb | None) -> Clause:
    verb = draw_verb(rng, ADDRESSING, tense)
    if rng.random() < 0.5:
        return Clause(subject, verb, tense, adverb, draw_clitic(rng, INDIRECT, subject))
    person = someone(rng)
    rest = Text(person.english, f"à {person.french}")
    return Clause(subject, verb, tense, adverb, rest=rest)


def _moving(rng: Random, subject: NounPhrase, tense: Tense, adverb: Adverb | None) -> Clause:
    keys, place = rng.choice(_WAYS)
    return Clause(subject, draw_verb(rng, keys, tense), tense, adverb, rest=place(rng))


def acting(rng: Random, subject: NounPhrase, tense: Tense, adverb: Adverb | None) -> Clause:
    return Clause(subject, draw_verb(rng, ACTING, tense), tense, adverb)


def being(rng: Random, subject: NounPhrase, tense: Tense, adverb: Adverb | None) -> Clause:
    if adverb is ALSO:
        adverb = None  # "aussi jeune" would be "as young"
    adjective = draw_quality(rng, Kind.PEER)
    return Clause(subject, BE, tense, adverb, rest=predicate(adjective, subject))


def _wanting(rng: Random, subject: NounPhrase, tense: Tense, adverb: Adverb | None) -> Clause:
    modal_tense = tense if tense is not Tense.FUTURE else Tense.PRESENT
    modal = draw_verb(rng, MODAL, modal_tense)
    deed = rng.choice((doing, meeting, acting))(rng, subject, Tense.FUTURE, adverb)
    if is_state(deed.verb):
        deed = acting(rng, subject, Tense.FUTURE, adverb)
    rest = infinitive(deed.verb, deed.clitic, deed.rest)
    return Clause(subject, modal, modal_tense, adverb, rest=rest)


_FRAMES: tuple[Frame, ...] = (
    *(doing, doing, doing, doing, doing, meeting, meeting, _giving, _giving),
    *(addressing, addressing, _moving, _moving, _moving, _moving, acting, acting, acting),
    *(being, _wanting, _wanting),
)


def draw_clause(
    rng: Random,
    subject: NounPhrase | None = None,
    tense: Tense | None = None,
    adverbs: tuple[Adverb | None, ...] = (),
) -> Clause:
    """Return a clause of any frame; arguments that are not given are drawn at random."""
    tense = tense or rng.choice(TENSES)
    adverb = rng.choice(adverbs) if adverbs else draw_adverb(rng, tense)
    return rng.choice(_FRAMES)(rng, subject or draw_subject(rng), tense, adverb)


# Sentences: each pattern returns one, in both languages

Pattern = Callable[[Random], Text]
