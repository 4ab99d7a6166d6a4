"""The kinds of sentences: each function draws one."""

from dataclasses import replace
from random import Random

from phrasebook.clauses import (
    BE,
    TENSES,
    acting,
    addressing,
    being,
    draw_adverb,
    draw_clause,
    draw_object,
    is_state,
    meeting,
    timed,
)
from phrasebook.grammar import NOTHING, Clause, both, imperative, predicate, sentence, there_is
from phrasebook.noun_phrases import (
    DIRECT,
    INDIRECT,
    SUBJECTS,
    gap,
    it,
    noun_phrase,
    of_gender,
    profession,
    who,
)
from phrasebook.phrases import (
    NAMED,
    POSSESSIVES,
    THESE,
    THINGS,
    THIS,
    YOU,
    adjectives_of,
    destination,
    draw_clitic,
    draw_near,
    draw_owner,
    draw_phrase,
    draw_place,
    draw_pronoun,
    draw_quality,
    draw_subject,
    nouns_of,
    verbs_of,
)
from phrasebook.verbs import (
    COMMANDS,
    GIVING,
    GOING,
    NEARBY,
    NOT,
    SAYING,
    SURFACES,
    TRANSITIVE,
    VERBS,
)
from phrasebook.words import Kind, Tense, Text, Trait

_MORE = ("beautiful", "dangerous", "delicious", "expensive", "famous", "intelligent", "interesting")


def telling(rng: Random) -> Text:
    return sentence(timed(rng, draw_clause(rng)).statement, ".")


def animal(rng: Random) -> Text:
    """The small cat does not drink any milk."""
    subject = draw_phrase(rng, rng.choice(nouns_of(Kind.ANIMAL)), definite=True)
    tense = rng.choice(TENSES)
    adverb = draw_adverb(rng, tense)
    verb = rng.choice([verb for verb in VERBS.values() if verb.traits & Trait.ANIMAL])
    rest = draw_place(rng)
    if verb.key in TRANSITIVE:
        rest = draw_object(rng, verb.key, None, negated=bool(adverb and adverb.negative))
    return sentence(timed(rng, Clause(subject, verb, tense, adverb, rest=rest)).statement, ".")


def describing(rng: Random) -> Text:
    """The dress was not expensive."""
    noun = rng.choice(nouns_of(THINGS | Kind.MASS | Kind.SITE | Kind.FURNITURE | Kind.ANIMAL))
    subject = draw_phrase(rng, noun, definite=True, plain=True)
    rest = predicate(draw_quality(rng, noun.kind), subject)
    adverb = rng.choice((None, None, NOT))
    return sentence(Clause(subject, BE, rng.choice(TENSES), adverb, rest=rest).statement, ".")


def locating(rng: Random) -> Text:
    """The book is under the chair."""
    kind, place = rng.choice(
        (
            (Kind.PORTABLE | Kind.ANIMAL, draw_near(rng, rng.choice(SURFACES), Kind.FURNITURE)),
            (Kind.OBJECT | Kind.TEXT, draw_near(rng, Text("in", "dans"), Kind.CONTAINER)),
            (
                Kind.VEHICLE | Kind.ANIMAL | Kind.VENUE,
                draw_near(rng, rng.choice(NEARBY), Kind.LANDMARK),
            ),
        )
    )
    noun = rng.choice(nouns_of(kind))
    tense = rng.choice(TENSES)
    if rng.random() < 0.5:
        adverb = rng.choice((None, None, NOT))
        thing = draw_phrase(rng, noun, definite=True)
        return sentence(Clause(thing, BE, tense, adverb, rest=place).statement, ".")
    is_plural = rng.random() < 0.4
    determiner = rng.choice(("no", *(("two", "three", "many") if is_plural else ("a", "a"))))
    thing = noun_phrase(noun, determiner, is_plural=is_plural)
    return sentence(both(there_is(thing, tense, negated=determiner == "no"), place), ".")


def identifying(rng: Random) -> Text:
    """Anne is my friend."""
    tense = rng.choice(TENSES)
    adverb = rng.choice((None, None, NOT))
    kind = rng.random()
    if kind < 0.4:
        noun = rng.choice(nouns_of(THINGS | Kind.ANIMAL | Kind.SITE))
        is_plural = rng.random() < 0.3
        owner = rng.choice((*POSSESSIVES, draw_owner(rng), "the" if is_plural else "a"))
        adjective = rng.choice(adjectives_of(noun.kind))
        thing = noun_phrase(noun, owner, is_plural=is_plural, adjective=adjective)
        subject = THESE if thing.is_plural else THIS
    elif kind < 0.7:
        subject = rng.choice(NAMED)
        noun = of_gender(rng.choice(nouns_of(Kind.PROFESSION | Kind.PEER)), subject.gender)
        determiner = rng.choice(("a", *POSSESSIVES))
        thing = noun_phrase(noun, determiner, adjective=rng.choice(adjectives_of(noun.kind)))
    else:
        subject = rng.choice((*NAMED, *SUBJECTS))
        noun = of_gender(rng.choice(nouns_of(Kind.PROFESSION)), subject.gender)
        thing = profession(noun, is_plural=subject.is_plural)
    clause = Clause(subject, BE, tense, adverb, rest=thing.text)
    if adverb is None and rng.random() < 0.3:
        return sentence(clause.question, "?")
    return sentence(clause.statement, ".")


def comparing(rng: Random) -> Text:
    """Anne is less tired than Paul."""
    first, second = rng.sample(NAMED, 2)
    kind = Kind.PEER
    if rng.random() < 0.5:
        kind = rng.choice((Kind.TEXT, Kind.VENUE, Kind.LANDMARK))
        first, second = (
            draw_phrase(rng, noun, definite=True, plain=True)
            for noun in rng.sample(nouns_of(kind), 2)
        )
    adjective = draw_quality(rng, kind)
    degrees = (Text("as", "aussi"), Text("less", "moins"), Text("more", "plus"))
    degree = rng.choice(degrees if adjective.english in _MORE else degrees[:2])
    than = Text("as" if degree.english == "as" else "than", "que")
    rest = both(degree, predicate(adjective, first), than, second.text)
    return sentence(Clause(first, BE, rng.choice(TENSES), rest=rest).statement, ".")


def commanding(rng: Random) -> Text:
    """Do not open the door!"""
    negated = rng.random() < 0.35
    kind = rng.random()
    clitic, rest = None, NOTHING
    if kind < 0.25:
        verb = rng.choice(verbs_of(Kind.PEER, commands=True))
        clitic = draw_clitic(rng, DIRECT, YOU)
    elif kind < 0.45:
        verb, clitic = VERBS[rng.choice(tuple(GIVING))], draw_clitic(rng, INDIRECT, YOU)
        rest = draw_object(rng, verb.key, None, negated=negated)
    elif kind < 0.6:
        verb, rest = VERBS[rng.choice(GOING)], destination(rng)
    else:
        verb = VERBS[rng.choice(COMMANDS)]
        rest = draw_object(rng, verb.key, None, negated=negated)
    command = imperative(verb, clitic, rest, negated=negated)
    if rng.random() < 0.6:
        return sentence(command, "!")
    return sentence(Text(f"please {command.english}", f"{command.french}, s'il vous plaît"), ".")


def linking(rng: Random) -> Text:
    """I bought the apples but I did not eat them."""
    noun = rng.choice(nouns_of(THINGS | Kind.MASS | Kind.OPENING))
    first, second = rng.sample([verb for verb in verbs_of(noun.kind) if not is_state(verb)], 2)
    tense = rng.choice([tense for tense in TENSES if first.has(tense) and second.has(tense)])
    subject = rng.choice((*SUBJECTS, *NAMED))
    thing = draw_phrase(rng, noun, subject=subject, definite=True)
    adverb = rng.choice((None, NOT))
    told = Clause(subject, first, tense, rest=thing.text)
    again = draw_pronoun(subject) if rng.random() < 0.6 else rng.choice(SUBJECTS)
    link = Text("but", "mais") if adverb else Text("and", "et")
    return sentence(
        both(told.statement, link, Clause(again, second, tense, adverb, it(thing)).statement), "."
    )


def relating(rng: Random) -> Text:
    """The apples that I ate were delicious."""
    adverb = rng.choice((None, None, NOT))
    tense = rng.choice(TENSES)
    if rng.random() < 0.4:
        noun = rng.choice(nouns_of(Kind.HUMAN))
        subject = draw_phrase(rng, noun, definite=True, plain=True)
        told = draw_clause(rng, who(subject)).statement
        kind = Kind.PEER
    else:
        noun = rng.choice(nouns_of(THINGS))
        subject = draw_phrase(rng, noun, definite=True, plain=True)
        verb = rng.choice([verb for verb in verbs_of(noun.kind) if verb.has(tense)])
        clause = Clause(draw_subject(rng), verb, tense, adverb, gap(subject)).statement
        told = both(subject.text, Text("that", "que"), clause)
        kind = noun.kind
    rest = predicate(draw_quality(rng, kind), subject)
    ahead = replace(subject, english=told.english, french=told.french)
    return sentence(Clause(ahead, BE, rest=rest).statement, ".")


def reporting(rng: Random) -> Text:
    """She knows that Paul will come."""
    verb = VERBS[rng.choice(SAYING)]
    told = draw_clause(rng).statement
    rest = Text(told.english, f"que {told.french}")
    return sentence(Clause(draw_subject(rng), verb, rest=rest).statement, ".")


def reasoning(rng: Random) -> Text:
    """We will sing if he dances."""
    frames = (acting, being, meeting, addressing)
    link, tense, later = rng.choice(
        (
            (Text("if", "si"), Tense.FUTURE, Tense.PRESENT),
            (Text("because", "parce que"), Tense.PRESENT, Tense.PRESENT),
            (Text("because", "parce que"), Tense.PAST, Tense.PAST),
        )
    )
    first = rng.choice(frames)(rng, draw_subject(rng), tense, rng.choice((None, NOT)))
    second = rng.choice(frames)(rng, draw_subject(rng), later, rng.choice((None, None, NOT)))
    return sentence(both(first.statement, link, second.statement), ".")
