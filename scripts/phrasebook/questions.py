"""Questions, drawn at random."""

from dataclasses import replace
from random import Random

from phrasebook.clauses import (
    AFFIRMED,
    BE,
    TENSES,
    acting,
    doing,
    draw_adverb,
    draw_clause,
    draw_verb,
    is_state,
    meeting,
    timed,
)
from phrasebook.grammar import Clause, both, sentence
from phrasebook.morphology import plural
from phrasebook.noun_phrases import gap, it, noun_phrase
from phrasebook.phrases import THINGS, WHO, draw_phrase, draw_subject, nouns_of, verbs_of
from phrasebook.verbs import LIKING, NOT, OFTEN
from phrasebook.words import Kind, Text

_WHAT = ("eat", "drink", "buy", "sell", "look for", "find", "lose", "read", "write", "take")


def asking(rng: Random) -> Text:
    """Did you give him the book?"""
    return sentence(timed(rng, draw_clause(rng, adverbs=AFFIRMED)).question, "?")


def asking_why(rng: Random) -> Text:
    """Why does Anne not love them?"""
    question = draw_clause(rng, adverbs=(None, NOT)).question
    return sentence(both(Text("why", "pourquoi"), question), "?")


def asking_where_or_when(rng: Random) -> Text:
    """Where did they buy the bread?"""
    frame = rng.choice((doing, doing, meeting, acting))
    clause = frame(rng, draw_subject(rng), rng.choice(TENSES), None)
    if is_state(clause.verb):
        clause = acting(rng, clause.subject, clause.tense, None)
    word = rng.choice((Text("where", "où"), Text("when", "quand")))
    return sentence(both(word, clause.question), "?")


def asking_what(rng: Random) -> Text:
    """What did the boy lose yesterday?"""
    tense = rng.choice(TENSES)
    verb = draw_verb(rng, _WHAT, tense)
    clause = timed(rng, Clause(draw_subject(rng), verb, tense, rng.choice((None, None, OFTEN))))
    english, french = clause.question.english, clause.statement.french
    return sentence(Text(f"what {english}", f"qu'est-ce que {french}"), "?")


def asking_who(rng: Random) -> Text:
    """Who opened the door?"""
    return sentence(timed(rng, draw_clause(rng, WHO)).statement, "?")


def asking_how_many(rng: Random) -> Text:
    """How many apples did you buy?"""
    noun = rng.choice(nouns_of(THINGS))
    tense = rng.choice(TENSES)
    verbs = [verb for verb in verbs_of(noun.kind) if verb.key not in LIKING]
    verb = rng.choice([verb for verb in verbs if verb.has(tense)])
    counted = noun_phrase(noun, "many", is_plural=True)
    question = Clause(draw_subject(rng), verb, tense, clitic=gap(counted)).question
    how_many = Text(f"how {counted.english}", f"combien de {plural(noun.french)}")
    return sentence(both(how_many, question), "?")


def asking_where_it_is(rng: Random) -> Text:
    """Where is the key? I lost it."""
    noun = rng.choice(nouns_of(Kind.PORTABLE | Kind.VEHICLE))
    thing = draw_phrase(rng, noun, definite=True)
    be = Clause(replace(thing, english="", french=""), BE).statement
    asked = sentence(both(Text("where", "où"), be, thing.text), "?")
    tense = rng.choice(TENSES)
    verb = rng.choice([verb for verb in verbs_of(noun.kind) if verb.has(tense)])
    told = Clause(draw_subject(rng), verb, tense, draw_adverb(rng, tense), it(thing)).statement
    return both(asked, sentence(told, "."))
