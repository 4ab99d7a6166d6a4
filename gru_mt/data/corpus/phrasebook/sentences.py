"""A built-in English-French corpus, drawn from a small grammar of our own.

The grammar can say far more than is drawn, so a test sentence combines words of the training part
in a new way. Every sentence has one translation: `grammar` has the rules that settle what English
leaves open. No two pairs share a side.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from random import Random

from gru_mt.data.corpus.phrasebook import lexicon
from gru_mt.data.corpus.phrasebook.grammar import (
    DIRECT,
    INDIRECT,
    NOTHING,
    SUBJECTS,
    Clause,
    Clitic,
    NounPhrase,
    both,
    couple,
    gap,
    imperative,
    infinitive,
    it,
    name,
    noun_phrase,
    of_gender,
    plural,
    possessive,
    predicate,
    profession,
    sentence,
    there_is,
    who,
)
from gru_mt.data.corpus.phrasebook.lexicon import (
    NEVER,
    NOT,
    OFTEN,
    VERBS,
    Adjective,
    Adverb,
    Gender,
    Kind,
    Noun,
    Person,
    Tense,
    Text,
    Trait,
    Verb,
)

PAIRS = 26_000
WORDS = range(3, 15)  # an English sentence has so many
_SEED = 1

_BE = VERBS["be"]
_TENSES = 3 * (Tense.PRESENT, Tense.PAST) + 2 * (Tense.FUTURE,)
_POSSESSIVES = ("my", "your", "our")
_OWN = {Person.I: "my", Person.WE: "our", Person.YOU: "your", Person.THEY: "their"}
_REFLEXIVE = {Person.I: ("me", "us"), Person.WE: ("me", "us"), Person.YOU: ("you",)}
_PEOPLE = Kind.HUMAN | Kind.RELATIVE
_UNOWNED = Kind.ADULT | Kind.CHILD | Kind.LANDMARK  # French would take "my woman" for a wife
_OWNED = Kind.PORTABLE | Kind.VEHICLE | Kind.ANIMAL | Kind.RELATIVE | Kind.PEER  # "Anne's"
_UNCOUNTED = Kind.PARENT | Kind.MASS
_THINGS = Kind.PORTABLE | Kind.VEHICLE | Kind.FRUIT
_AFFIRMED = (None, None, None, OFTEN, lexicon.ALWAYS, lexicon.ALSO)
_WHAT = ("eat", "drink", "buy", "sell", "look for", "find", "lose", "read", "write", "take")
_MORE = ("beautiful", "dangerous", "delicious", "expensive", "famous", "intelligent", "interesting")

_NAMES = [name(english, gender) for english, gender in lexicon.NAMES.items()]
_YOU = SUBJECTS[1]
_WHO = NounPhrase("who", "qui", Person.HE, Gender.MASCULINE)
_THIS = NounPhrase("this", "ce", Person.HE, Gender.MASCULINE)
_THESE = NounPhrase("these", "ce", Person.THEY, Gender.MASCULINE)
_TO = Text("to", "à")


@cache
def _nouns(kinds: Kind) -> list[Noun]:
    return [noun for noun in lexicon.NOUNS.values() if noun.kind in kinds]


@cache
def _adjectives(kind: Kind) -> list[Adjective]:
    return [adjective for adjective in lexicon.ADJECTIVES.values() if kind in adjective.kinds]


def _quality(rng: Random, kind: Kind) -> Adjective:
    """Return an adjective to follow "be", but not "new": French has another word for it there."""
    return rng.choice([word for word in _adjectives(kind) if word.english != "new"])


@cache
def _verbs(kind: Kind, *, commands: bool = False) -> list[Verb]:
    """Return the verbs that can take an object of the kind."""
    return [
        VERBS[key]
        for key, kinds in lexicon.TRANSITIVE.items()
        if kind & kinds and (not commands or key in lexicon.COMMANDS)
    ]


def _is_state(verb: Verb) -> bool:
    """Return whether the verb is a state such as "know": it takes no time, place or repetition."""
    return verb is not _BE and bool(verb.traits & Trait.STATE)


def _draw_verb(rng: Random, keys: tuple[str, ...], tense: Tense) -> Verb:
    return rng.choice([VERBS[key] for key in keys if VERBS[key].has(tense)])


def _draw_adverb(rng: Random, tense: Tense) -> Adverb | None:
    if rng.random() < 0.55:
        return None
    adverbs = (NOT, NOT, NOT, NEVER, OFTEN, lexicon.ALWAYS, lexicon.ALSO)
    return rng.choice((*adverbs, lexicon.NO_LONGER) if tense is Tense.PRESENT else adverbs)


# Noun phrases


def _owner(rng: Random) -> NounPhrase:
    if rng.random() < 0.6:
        return rng.choice(_NAMES)
    if rng.random() < 0.5:
        return noun_phrase(rng.choice(_nouns(Kind.RELATIVE)), rng.choice(_POSSESSIVES))
    return noun_phrase(rng.choice(_nouns(Kind.HUMAN)), "the", is_plural=rng.random() < 0.4)


def _determiner(
    rng: Random, kind: Kind, subject: NounPhrase | None, *, is_plural: bool, definite: bool
) -> str | NounPhrase:
    if kind in Kind.RELATIVE or (kind not in _UNOWNED and rng.random() < 0.3):
        if kind in _OWNED and rng.random() < 0.35:
            return _owner(rng)
        own = "my"
        if subject:
            own = _OWN.get(subject.person) or ("his", "her")[subject.gender]
        return rng.choice((own, own, *_POSSESSIVES))
    if definite or rng.random() < 0.45:
        return rng.choice(("the", "the", "the", "these" if is_plural else "this"))
    if is_plural:
        return rng.choice(("some", "some", "two", "three", "many"))
    return "some" if kind in Kind.MASS else "a"


def _phrase(
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
        adjective = rng.choice(_adjectives(noun.kind))
    determiner = _determiner(rng, noun.kind, subject, is_plural=is_plural, definite=definite)
    return noun_phrase(noun, determiner, is_plural=is_plural, adjective=adjective, negated=negated)


def _someone(rng: Random, *, definite: bool = True) -> NounPhrase:
    if rng.random() < 0.3:
        return rng.choice(_NAMES)
    return _phrase(rng, rng.choice(_nouns(_PEOPLE)), definite=definite)


def _pronoun(subject: NounPhrase) -> NounPhrase:
    """Return the pronoun that repeats the subject in the next clause: "he" for "Paul"."""
    same = (subject.person, subject.gender)
    return next(pronoun for pronoun in SUBJECTS if (pronoun.person, pronoun.gender) == same)


def _subject(rng: Random) -> NounPhrase:
    kind = rng.random()
    if kind < 0.6:
        return rng.choice(SUBJECTS)
    if kind < 0.65:
        first, second = rng.sample(_NAMES, 2)
        return couple(first, second)
    return _someone(rng, definite=rng.random() < 0.7)


def _clitic(rng: Random, clitics: tuple[Clitic, ...], subject: NounPhrase) -> Clitic:
    barred = _REFLEXIVE.get(subject.person, ())
    return rng.choice([clitic for clitic in clitics if clitic.english not in barred])


# Places and times


def _near(rng: Random, preposition: Text, kinds: Kind) -> Text:
    """Return the preposition with a noun of these kinds after it."""
    noun = rng.choice(_nouns(kinds))
    determiner = _determiner(rng, noun.kind, None, is_plural=False, definite=True)
    adjective = rng.choice(_adjectives(noun.kind)) if rng.random() < 0.2 else None
    return both(preposition, noun_phrase(noun, determiner, adjective=adjective).text)


def _home(rng: Random, preposition: str) -> Text:
    owner = _owner(rng)
    return Text(f"{preposition} {possessive(owner.english)} house", f"chez {owner.french}")


def _place(rng: Random) -> Text:
    kind = rng.random()
    if kind < 0.35:
        return _near(rng, Text("at", "à"), Kind.VENUE)
    if kind < 0.6:
        return _near(rng, Text("in", "dans"), Kind.AREA)
    if kind < 0.75:
        return _near(rng, rng.choice(lexicon.NEARBY), Kind.SITE)
    if kind < 0.85:
        return both(Text("in", "à"), rng.choice(lexicon.CITIES))
    return _home(rng, "at")


def _destination(rng: Random) -> Text:
    kind = rng.random()
    if kind < 0.65:
        return _near(rng, Text("to", "à"), Kind.VENUE)
    return both(Text("to", "à"), rng.choice(lexicon.CITIES)) if kind < 0.8 else _home(rng, "to")


def _origin(rng: Random) -> Text:
    origin = Text("from", "de")
    if rng.random() < 0.8:
        return _near(rng, origin, Kind.VENUE | Kind.AREA)
    return both(origin, rng.choice(lexicon.CITIES))


_WAYS = (
    (lexicon.GOING, _destination),
    (lexicon.COMING, _origin),
    (lexicon.STAYING, _place),
)


def _timed(rng: Random, clause: Clause) -> Clause:
    """Return the clause, sometimes with a time added, if it can take one."""
    if _is_state(clause.verb) or clause.adverb not in (None, NOT) or rng.random() < 0.6:
        return clause
    return replace(clause, rest=both(clause.rest, rng.choice(lexicon.TIMES[clause.tense])))


# Clauses: what a subject does, in a tense, with or without an adverb

Frame = Callable[[Random, NounPhrase, Tense, Adverb | None], Clause]


def _object(rng: Random, key: str, subject: NounPhrase | None, *, negated: bool) -> Text:
    kinds = lexicon.TRANSITIVE[key] if key in lexicon.TRANSITIVE else lexicon.GIVING[key]
    noun = rng.choice(_nouns(kinds))
    if noun.kind in _PEOPLE and rng.random() < 0.3:
        return rng.choice(_NAMES).text
    definite = key in lexicon.LIKING
    return _phrase(rng, noun, subject=subject, definite=definite, negated=negated).text


def _doing(rng: Random, subject: NounPhrase, tense: Tense, adverb: Adverb | None) -> Clause:
    verb = _draw_verb(rng, tuple(lexicon.TRANSITIVE), tense)
    negated = bool(adverb and adverb.negative)
    thing = _object(rng, verb.key, subject, negated=negated)
    if adverb is OFTEN and _is_state(verb):
        adverb = None
    return Clause(subject, verb, tense, adverb, rest=thing)


def _meeting(rng: Random, subject: NounPhrase, tense: Tense, adverb: Adverb | None) -> Clause:
    verb = rng.choice(_verbs(Kind.PEER))
    if adverb is OFTEN and _is_state(verb):
        adverb = None
    return Clause(subject, verb, tense, adverb, _clitic(rng, DIRECT, subject))


def _giving(rng: Random, subject: NounPhrase, tense: Tense, adverb: Adverb | None) -> Clause:
    verb = _draw_verb(rng, tuple(lexicon.GIVING), tense)
    negated = bool(adverb and adverb.negative)
    thing = _object(rng, verb.key, subject, negated=negated)
    if rng.random() < 0.5:
        return Clause(subject, verb, tense, adverb, _clitic(rng, INDIRECT, subject), thing)
    return Clause(subject, verb, tense, adverb, rest=both(thing, _TO, _someone(rng).text))


def _addressing(rng: Random, subject: NounPhrase, tense: Tense, adverb: Adverb | None) -> Clause:
    verb = _draw_verb(rng, lexicon.ADDRESSING, tense)
    if rng.random() < 0.5:
        return Clause(subject, verb, tense, adverb, _clitic(rng, INDIRECT, subject))
    someone = _someone(rng)
    rest = Text(someone.english, f"à {someone.french}")
    return Clause(subject, verb, tense, adverb, rest=rest)


def _moving(rng: Random, subject: NounPhrase, tense: Tense, adverb: Adverb | None) -> Clause:
    keys, place = rng.choice(_WAYS)
    return Clause(subject, _draw_verb(rng, keys, tense), tense, adverb, rest=place(rng))


def _acting(rng: Random, subject: NounPhrase, tense: Tense, adverb: Adverb | None) -> Clause:
    return Clause(subject, _draw_verb(rng, lexicon.ACTING, tense), tense, adverb)


def _being(rng: Random, subject: NounPhrase, tense: Tense, adverb: Adverb | None) -> Clause:
    if adverb is lexicon.ALSO:
        adverb = None  # "aussi jeune" would be "as young"
    adjective = _quality(rng, Kind.PEER)
    return Clause(subject, _BE, tense, adverb, rest=predicate(adjective, subject))


def _wanting(rng: Random, subject: NounPhrase, tense: Tense, adverb: Adverb | None) -> Clause:
    modal_tense = tense if tense is not Tense.FUTURE else Tense.PRESENT
    modal = _draw_verb(rng, lexicon.MODAL, modal_tense)
    deed = rng.choice((_doing, _meeting, _acting))(rng, subject, Tense.FUTURE, adverb)
    if _is_state(deed.verb):
        deed = _acting(rng, subject, Tense.FUTURE, adverb)
    rest = infinitive(deed.verb, deed.clitic, deed.rest)
    return Clause(subject, modal, modal_tense, adverb, rest=rest)


_FRAMES: tuple[Frame, ...] = (
    *(_doing, _doing, _doing, _doing, _doing, _meeting, _meeting, _giving, _giving),
    *(_addressing, _addressing, _moving, _moving, _moving, _moving, _acting, _acting, _acting),
    *(_being, _wanting, _wanting),
)


def _clause(
    rng: Random,
    subject: NounPhrase | None = None,
    tense: Tense | None = None,
    adverbs: tuple[Adverb | None, ...] = (),
) -> Clause:
    """Return a clause of any frame; arguments that are not given are drawn at random."""
    tense = tense or rng.choice(_TENSES)
    adverb = rng.choice(adverbs) if adverbs else _draw_adverb(rng, tense)
    return rng.choice(_FRAMES)(rng, subject or _subject(rng), tense, adverb)


# Sentences: each pattern returns one, in both languages

Pattern = Callable[[Random], Text]


def _telling(rng: Random) -> Text:
    return sentence(_timed(rng, _clause(rng)).statement, ".")


def _animal(rng: Random) -> Text:
    """The small cat does not drink any milk."""
    subject = _phrase(rng, rng.choice(_nouns(Kind.ANIMAL)), definite=True)
    tense = rng.choice(_TENSES)
    adverb = _draw_adverb(rng, tense)
    verb = rng.choice([verb for verb in VERBS.values() if verb.traits & Trait.ANIMAL])
    rest = _place(rng)
    if verb.key in lexicon.TRANSITIVE:
        rest = _object(rng, verb.key, None, negated=bool(adverb and adverb.negative))
    return sentence(_timed(rng, Clause(subject, verb, tense, adverb, rest=rest)).statement, ".")


def _describing(rng: Random) -> Text:
    """The dress was not expensive."""
    noun = rng.choice(_nouns(_THINGS | Kind.MASS | Kind.SITE | Kind.FURNITURE | Kind.ANIMAL))
    subject = _phrase(rng, noun, definite=True, plain=True)
    rest = predicate(_quality(rng, noun.kind), subject)
    adverb = rng.choice((None, None, NOT))
    return sentence(Clause(subject, _BE, rng.choice(_TENSES), adverb, rest=rest).statement, ".")


def _locating(rng: Random) -> Text:
    """The book is under the chair."""
    kind, place = rng.choice(
        (
            (Kind.PORTABLE | Kind.ANIMAL, _near(rng, rng.choice(lexicon.SURFACES), Kind.FURNITURE)),
            (Kind.OBJECT | Kind.TEXT, _near(rng, Text("in", "dans"), Kind.CONTAINER)),
            (
                Kind.VEHICLE | Kind.ANIMAL | Kind.VENUE,
                _near(rng, rng.choice(lexicon.NEARBY), Kind.LANDMARK),
            ),
        )
    )
    noun = rng.choice(_nouns(kind))
    tense = rng.choice(_TENSES)
    if rng.random() < 0.5:
        adverb = rng.choice((None, None, NOT))
        thing = _phrase(rng, noun, definite=True)
        return sentence(Clause(thing, _BE, tense, adverb, rest=place).statement, ".")
    is_plural = rng.random() < 0.4
    determiner = rng.choice(("no", *(("two", "three", "many") if is_plural else ("a", "a"))))
    thing = noun_phrase(noun, determiner, is_plural=is_plural)
    return sentence(both(there_is(thing, tense, negated=determiner == "no"), place), ".")


def _identifying(rng: Random) -> Text:
    """Anne is my friend."""
    tense = rng.choice(_TENSES)
    adverb = rng.choice((None, None, NOT))
    kind = rng.random()
    if kind < 0.4:
        noun = rng.choice(_nouns(_THINGS | Kind.ANIMAL | Kind.SITE))
        is_plural = rng.random() < 0.3
        owner = rng.choice((*_POSSESSIVES, _owner(rng), "the" if is_plural else "a"))
        adjective = rng.choice(_adjectives(noun.kind))
        thing = noun_phrase(noun, owner, is_plural=is_plural, adjective=adjective)
        subject = _THESE if thing.is_plural else _THIS
    elif kind < 0.7:
        subject = rng.choice(_NAMES)
        noun = of_gender(rng.choice(_nouns(Kind.PROFESSION | Kind.PEER)), subject.gender)
        determiner = rng.choice(("a", *_POSSESSIVES))
        thing = noun_phrase(noun, determiner, adjective=rng.choice(_adjectives(noun.kind)))
    else:
        subject = rng.choice((*_NAMES, *SUBJECTS))
        noun = of_gender(rng.choice(_nouns(Kind.PROFESSION)), subject.gender)
        thing = profession(noun, is_plural=subject.is_plural)
    clause = Clause(subject, _BE, tense, adverb, rest=thing.text)
    if adverb is None and rng.random() < 0.3:
        return sentence(clause.question, "?")
    return sentence(clause.statement, ".")


def _comparing(rng: Random) -> Text:
    """Anne is less tired than Paul."""
    first, second = rng.sample(_NAMES, 2)
    kind = Kind.PEER
    if rng.random() < 0.5:
        kind = rng.choice((Kind.TEXT, Kind.VENUE, Kind.LANDMARK))
        first, second = (
            _phrase(rng, noun, definite=True, plain=True) for noun in rng.sample(_nouns(kind), 2)
        )
    adjective = _quality(rng, kind)
    degrees = (Text("as", "aussi"), Text("less", "moins"), Text("more", "plus"))
    degree = rng.choice(degrees if adjective.english in _MORE else degrees[:2])
    than = Text("as" if degree.english == "as" else "than", "que")
    rest = both(degree, predicate(adjective, first), than, second.text)
    return sentence(Clause(first, _BE, rng.choice(_TENSES), rest=rest).statement, ".")


def _asking(rng: Random) -> Text:
    """Did you give him the book?"""
    return sentence(_timed(rng, _clause(rng, adverbs=_AFFIRMED)).question, "?")


def _asking_why(rng: Random) -> Text:
    """Why does Anne not love them?"""
    question = _clause(rng, adverbs=(None, NOT)).question
    return sentence(both(Text("why", "pourquoi"), question), "?")


def _asking_where_or_when(rng: Random) -> Text:
    """Where did they buy the bread?"""
    frame = rng.choice((_doing, _doing, _meeting, _acting))
    clause = frame(rng, _subject(rng), rng.choice(_TENSES), None)
    if _is_state(clause.verb):
        clause = _acting(rng, clause.subject, clause.tense, None)
    word = rng.choice((Text("where", "où"), Text("when", "quand")))
    return sentence(both(word, clause.question), "?")


def _asking_what(rng: Random) -> Text:
    """What did the boy lose yesterday?"""
    tense = rng.choice(_TENSES)
    verb = _draw_verb(rng, _WHAT, tense)
    clause = _timed(rng, Clause(_subject(rng), verb, tense, rng.choice((None, None, OFTEN))))
    english, french = clause.question.english, clause.statement.french
    return sentence(Text(f"what {english}", f"qu'est-ce que {french}"), "?")


def _asking_who(rng: Random) -> Text:
    """Who opened the door?"""
    return sentence(_timed(rng, _clause(rng, _WHO)).statement, "?")


def _asking_how_many(rng: Random) -> Text:
    """How many apples did you buy?"""
    noun = rng.choice(_nouns(_THINGS))
    tense = rng.choice(_TENSES)
    verbs = [verb for verb in _verbs(noun.kind) if verb.key not in lexicon.LIKING]
    verb = rng.choice([verb for verb in verbs if verb.has(tense)])
    counted = noun_phrase(noun, "many", is_plural=True)
    question = Clause(_subject(rng), verb, tense, clitic=gap(counted)).question
    how_many = Text(f"how {counted.english}", f"combien de {plural(noun.french)}")
    return sentence(both(how_many, question), "?")


def _asking_where_it_is(rng: Random) -> Text:
    """Where is the key? I lost it."""
    noun = rng.choice(_nouns(Kind.PORTABLE | Kind.VEHICLE))
    thing = _phrase(rng, noun, definite=True)
    be = Clause(replace(thing, english="", french=""), _BE).statement
    asked = sentence(both(Text("where", "où"), be, thing.text), "?")
    tense = rng.choice(_TENSES)
    verb = rng.choice([verb for verb in _verbs(noun.kind) if verb.has(tense)])
    told = Clause(_subject(rng), verb, tense, _draw_adverb(rng, tense), it(thing)).statement
    return both(asked, sentence(told, "."))


def _commanding(rng: Random) -> Text:
    """Do not open the door!"""
    negated = rng.random() < 0.35
    kind = rng.random()
    clitic, rest = None, NOTHING
    if kind < 0.25:
        verb = rng.choice(_verbs(Kind.PEER, commands=True))
        clitic = _clitic(rng, DIRECT, _YOU)
    elif kind < 0.45:
        verb, clitic = VERBS[rng.choice(tuple(lexicon.GIVING))], _clitic(rng, INDIRECT, _YOU)
        rest = _object(rng, verb.key, None, negated=negated)
    elif kind < 0.6:
        verb, rest = VERBS[rng.choice(lexicon.GOING)], _destination(rng)
    else:
        verb = VERBS[rng.choice(lexicon.COMMANDS)]
        rest = _object(rng, verb.key, None, negated=negated)
    command = imperative(verb, clitic, rest, negated=negated)
    if rng.random() < 0.6:
        return sentence(command, "!")
    return sentence(Text(f"please {command.english}", f"{command.french}, s'il vous plaît"), ".")


def _linking(rng: Random) -> Text:
    """I bought the apples but I did not eat them."""
    noun = rng.choice(_nouns(_THINGS | Kind.MASS | Kind.OPENING))
    first, second = rng.sample([verb for verb in _verbs(noun.kind) if not _is_state(verb)], 2)
    tense = rng.choice([tense for tense in _TENSES if first.has(tense) and second.has(tense)])
    subject = rng.choice((*SUBJECTS, *_NAMES))
    thing = _phrase(rng, noun, subject=subject, definite=True)
    adverb = rng.choice((None, NOT))
    told = Clause(subject, first, tense, rest=thing.text)
    again = _pronoun(subject) if rng.random() < 0.6 else rng.choice(SUBJECTS)
    link = Text("but", "mais") if adverb else Text("and", "et")
    return sentence(
        both(told.statement, link, Clause(again, second, tense, adverb, it(thing)).statement), "."
    )


def _relating(rng: Random) -> Text:
    """The apples that I ate were delicious."""
    adverb = rng.choice((None, None, NOT))
    tense = rng.choice(_TENSES)
    if rng.random() < 0.4:
        noun = rng.choice(_nouns(Kind.HUMAN))
        subject = _phrase(rng, noun, definite=True, plain=True)
        told = _clause(rng, who(subject)).statement
        kind = Kind.PEER
    else:
        noun = rng.choice(_nouns(_THINGS))
        subject = _phrase(rng, noun, definite=True, plain=True)
        verb = rng.choice([verb for verb in _verbs(noun.kind) if verb.has(tense)])
        clause = Clause(_subject(rng), verb, tense, adverb, gap(subject)).statement
        told = both(subject.text, Text("that", "que"), clause)
        kind = noun.kind
    rest = predicate(_quality(rng, kind), subject)
    ahead = replace(subject, english=told.english, french=told.french)
    return sentence(Clause(ahead, _BE, rest=rest).statement, ".")


def _reporting(rng: Random) -> Text:
    """She knows that Paul will come."""
    verb = VERBS[rng.choice(lexicon.SAYING)]
    told = _clause(rng).statement
    rest = Text(told.english, f"que {told.french}")
    return sentence(Clause(_subject(rng), verb, rest=rest).statement, ".")


def _reasoning(rng: Random) -> Text:
    """We will sing if he dances."""
    frames = (_acting, _being, _meeting, _addressing)
    link, tense, later = rng.choice(
        (
            (Text("if", "si"), Tense.FUTURE, Tense.PRESENT),
            (Text("because", "parce que"), Tense.PRESENT, Tense.PRESENT),
            (Text("because", "parce que"), Tense.PAST, Tense.PAST),
        )
    )
    first = rng.choice(frames)(rng, _subject(rng), tense, rng.choice((None, NOT)))
    second = rng.choice(frames)(rng, _subject(rng), later, rng.choice((None, None, NOT)))
    return sentence(both(first.statement, link, second.statement), ".")


PATTERNS: dict[Pattern, int] = {
    _telling: 36,
    _animal: 5,
    _describing: 6,
    _locating: 7,
    _identifying: 6,
    _comparing: 4,
    _asking: 9,
    _asking_why: 3,
    _asking_where_or_when: 3,
    _asking_what: 2,
    _asking_who: 3,
    _asking_how_many: 2,
    _asking_where_it_is: 3,
    _commanding: 6,
    _linking: 7,
    _relating: 6,
    _reporting: 4,
    _reasoning: 4,
}


def generate() -> list[tuple[str, str]]:
    """Return `PAIRS` pairs of English and French, always the same ones; no side occurs twice."""
    rng = Random(_SEED)
    deck = [pattern for pattern, weight in PATTERNS.items() for _ in range(weight)]
    french_of: dict[str, str] = {}
    said: set[str] = set()
    while len(french_of) < PAIRS:
        english, french = rng.choice(deck)(rng)
        assert french_of.get(english, french) == french, "a sentence has one translation"
        if any(english.count(person) > 1 for person in lexicon.NAMES):
            continue  # "Anne sees Anne"
        if french not in said and english.count(" ") + 1 in WORDS:
            french_of[english] = french
            said.add(french)
    return list(french_of.items())
