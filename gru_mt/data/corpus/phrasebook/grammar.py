"""The grammar of the phrasebook: agreement, elision, noun phrases and clauses, in both languages.

Where English leaves something open, one rule decides the French, so that a sentence has one
translation. "You" is "vous"; "you", "we" and "they" are masculine plural; "I", "me", and a friend
or a baker of whom nothing else is said, are masculine. A state in the past ("was", "had") is in the
imperfect, any other past in the passé composé.
"""

import re
from dataclasses import dataclass, replace

from gru_mt.data.corpus.phrasebook.lexicon import (
    DETERMINERS,
    NOT,
    VERBS,
    Adjective,
    Adverb,
    Gender,
    Noun,
    Person,
    Tense,
    Text,
    Trait,
    Verb,
)

_FUTURE = ("ai", "a", "ons", "ez", "ont")
_IMPERFECT = ("ais", "ait", "ions", "iez", "aient")
_BEFORE_VOWEL = {
    "ce": "cet",
    "ma": "mon",
    "sa": "son",
    "beau": "bel",
    "nouveau": "nouvel",
    "vieux": "vieil",
}
_FEMININE = {
    "beau": "belle",
    "blanc": "blanche",
    "bon": "bonne",
    "chanteur": "chanteuse",
    "frais": "fraîche",
    "nouveau": "nouvelle",
    "vieux": "vieille",
}
_ENGLISH_PLURAL = {
    "child": "children",
    "knife": "knives",
    "man": "men",
    "mouse": "mice",
    "woman": "women",
}

_BE = {
    Tense.PRESENT: ("am", "is", "are", "are", "are"),
    Tense.PAST: ("was", "was", "were", "were", "were"),
}
NOTHING = Text("", "")
_AUXILIARIES = ("can", "must")  # like "be", they need no "do"

_VOWEL = r"(?=[aeiouyàâéèêîôœ]|h(?!éros|érisson|ache))"  # or a mute h
_ELISION = re.compile(rf"(?<![\w'-])(je|me|le|la|de|ne|que|ce) {_VOWEL}|\b(si) (?=ils?\b)", re.I)
_CONTRACTION = re.compile(r"(?<![\w'-])(de|à) (les?) ", re.I)
_CONTRACTED = {"de le": "du ", "de les": "des ", "à le": "au ", "à les": "aux "}


def starts_with_vowel(french: str) -> bool:
    """Return whether a word before `french` is elided: it is before "homme", not before "héros"."""
    return re.match(_VOWEL, french, re.I) is not None


def elide(french: str) -> str:
    """Return the text with its elisions, then its contractions.

    "je ai parlé de le homme à le roi" -> "j'ai parlé de l'homme au roi"
    """
    french = _ELISION.sub(lambda match: f"{match[0][:-2]}'", french)
    return _CONTRACTION.sub(lambda match: _CONTRACTED[match[0][:-1]], french)


def plural(french: str) -> str:
    """Return the plural of a noun or adjective: gâteau -> gâteaux, cheval -> chevaux."""
    if french[-1] in "sxz":
        return french
    if french.endswith("al"):
        return f"{french[:-1]}ux"
    return french + ("x" if french.endswith("eau") else "s")


def feminine(french: str) -> str:
    """Return the feminine of an adjective, participle or noun: cher -> chère."""
    if french in _FEMININE:
        return _FEMININE[french]
    if french.endswith("eux"):
        return f"{french[:-1]}se"
    if french.endswith("er"):
        return f"{french[:-2]}ère"
    return french if french.endswith("e") else f"{french}e"


def agree(french: str, gender: Gender, is_plural: bool) -> str:
    """Return the form of a masculine singular adjective or participle."""
    form = feminine(french) if gender is Gender.FEMININE else french
    return plural(form) if is_plural else form


def english_plural(english: str) -> str:
    """Return the plural of a noun: story -> stories, box -> boxes, child -> children."""
    if english in _ENGLISH_PLURAL:
        return _ENGLISH_PLURAL[english]
    if english.endswith("y") and english[-2] not in "aeiou":
        return f"{english[:-1]}ies"
    return english + ("es" if english.endswith(("s", "x", "sh", "ch", "o")) else "s")


@dataclass(frozen=True, slots=True)
class NounPhrase:
    english: str
    french: str
    person: Person
    gender: Gender

    @property
    def is_plural(self) -> bool:
        return self.person not in (Person.I, Person.HE)

    @property
    def text(self) -> Text:
        return Text(self.english, self.french)


@dataclass(frozen=True, slots=True)
class Clitic:
    """A pronoun that French puts before the verb; the participle agrees with a direct object."""

    english: str
    french: str
    gender: Gender = Gender.MASCULINE
    is_plural: bool = False
    direct: bool = True


M, F = Gender.MASCULINE, Gender.FEMININE
SUBJECTS = (
    NounPhrase("I", "je", Person.I, M),
    NounPhrase("you", "vous", Person.YOU, M),
    NounPhrase("he", "il", Person.HE, M),
    NounPhrase("she", "elle", Person.HE, F),
    NounPhrase("we", "nous", Person.WE, M),
    NounPhrase("they", "ils", Person.THEY, M),
)
DIRECT = (
    Clitic("me", "me"),
    Clitic("you", "vous", is_plural=True),
    Clitic("him", "le"),
    Clitic("her", "la", F),
    Clitic("us", "nous", is_plural=True),
    Clitic("them", "les", is_plural=True),
)
INDIRECT = (
    Clitic("me", "me", direct=False),
    Clitic("you", "vous", direct=False),
    Clitic("him", "lui", direct=False),
    Clitic("her", "lui", direct=False),
    Clitic("us", "nous", direct=False),
    Clitic("them", "leur", direct=False),
)


def join(*words: str) -> str:
    """Return the words that are not empty, a space apart."""
    return " ".join(filter(None, words))


def both(*texts: Text) -> Text:
    """Return the texts joined, each language for itself."""
    return Text(join(*(text.english for text in texts)), join(*(text.french for text in texts)))


def gap(antecedent: NounPhrase) -> Clitic:
    """Return an object without words, as in "the apples that I ate": only the participle agrees."""
    return Clitic("", "", antecedent.gender, antecedent.is_plural)


def it(antecedent: NounPhrase) -> Clitic:
    """Return "it" or "them" for a thing named before: "la" for "la pomme"."""
    french = ("le", "la")[antecedent.gender]
    if antecedent.is_plural:
        return Clitic("them", "les", antecedent.gender, is_plural=True)
    return Clitic("it", french, antecedent.gender)


def name(english: str, gender: Gender) -> NounPhrase:
    """Return a person's name, the same in both languages."""
    return NounPhrase(english, english, Person.HE, gender)


def couple(first: NounPhrase, second: NounPhrase) -> NounPhrase:
    """Return "Paul and Anne", masculine unless both are feminine."""
    return NounPhrase(
        f"{first.english} and {second.english}",
        f"{first.french} et {second.french}",
        Person.THEY,
        min(first.gender, second.gender),
    )


def who(antecedent: NounPhrase) -> NounPhrase:
    """Return a subject such as "the girl who", which a clause follows."""
    return replace(
        antecedent, english=f"{antecedent.english} who", french=f"{antecedent.french} qui"
    )


def of_gender(noun: Noun, gender: Gender) -> Noun:
    """Return the noun for a person of that gender: baker, feminine -> "boulangère"."""
    return noun._replace(french=agree(noun.french, gender, is_plural=False), gender=gender)


def _before_vowel(french: str, following: str) -> str:
    return _BEFORE_VOWEL.get(french, french) if starts_with_vowel(following) else french


def _english_determiner(determiner: str, following: str, *, negated: bool) -> str:
    if determiner == "a":
        return "an" if following[0] in "aeiou" else "a"
    return "any" if determiner == "some" and negated else determiner


def noun_phrase(
    noun: Noun,
    determiner: str | NounPhrase,
    *,
    is_plural: bool = False,
    adjective: Adjective | None = None,
    negated: bool = False,
) -> NounPhrase:
    """Return a noun with its determiner or its owner. With `negated` it is a negated verb's object.

    apple, "some", plural -> "some apples", "des pommes"; negated -> "any apples", "de pommes".
    """
    english = english_plural(noun.english) if is_plural else noun.english
    french = plural(noun.french) if is_plural else noun.french
    if adjective:
        english = f"{adjective.english} {english}"
        form = agree(adjective.french, noun.gender, is_plural)
        if not adjective.before:
            french = f"{french} {form}"
        else:
            french = f"{form if is_plural else _before_vowel(form, french)} {french}"
    person = Person.THEY if is_plural else Person.HE
    column = 2 if is_plural else noun.gender
    if isinstance(determiner, NounPhrase):
        return NounPhrase(
            f"{possessive(determiner.english)} {english}",
            f"{DETERMINERS['the'][column]} {french} de {determiner.french}",
            person,
            noun.gender,
        )
    article = DETERMINERS[determiner][column]
    if not is_plural:
        article = _before_vowel(article, french)
    if (negated and determiner in ("a", "some")) or (
        article == "des" and adjective and adjective.before
    ):
        article = "de"
    english = f"{_english_determiner(determiner, english, negated=negated)} {english}"
    return NounPhrase(english, f"{article} {french}", person, noun.gender)


def profession(noun: Noun, *, is_plural: bool) -> NounPhrase:
    """Return what someone is; French has no article there: "a baker", "boulanger"."""
    if is_plural:
        english, french = english_plural(noun.english), plural(noun.french)
        return NounPhrase(english, french, Person.THEY, noun.gender)
    article = _english_determiner("a", noun.english, negated=False)
    return NounPhrase(f"{article} {noun.english}", noun.french, Person.HE, noun.gender)


def predicate(adjective: Adjective, subject: NounPhrase) -> Text:
    """Return the adjective after "be", as it agrees with its subject."""
    return Text(adjective.english, agree(adjective.french, subject.gender, subject.is_plural))


def possessive(english: str) -> str:
    """Return an owner's form: Anne -> Anne's, the boys -> the boys'."""
    return english + ("'" if english.endswith("s") else "'s")


@dataclass(frozen=True, slots=True)
class Clause:
    """A subject and what it does, as a statement or a question, without capital and final mark."""

    subject: NounPhrase
    verb: Verb
    tense: Tense = Tense.PRESENT
    adverb: Adverb | None = None
    clitic: Clitic | None = None
    rest: Text = NOTHING  # what follows the verb: object, place, time

    @property
    def statement(self) -> Text:
        """The clause as a statement: "I do not see her", "je ne la vois pas"."""
        auxiliary, verb = self._english_verb(supported=self.adverb is NOT)
        return Text(
            join(self.subject.english, auxiliary, self._slot, verb, self._english_tail),
            self._french,
        )

    @property
    def question(self) -> Text:
        """The clause as a question: "do you see her", "est-ce que vous la voyez"."""
        auxiliary, verb = self._english_verb(supported=True)
        return Text(
            join(auxiliary, self.subject.english, self._slot, verb, self._english_tail),
            f"est-ce que {self._french}",
        )

    @property
    def _slot(self) -> str:
        return self.adverb.english if self.adverb else ""

    @property
    def _english_tail(self) -> str:
        pronoun = self.clitic.english if self.clitic else ""
        return join(self.verb.particle, pronoun, self.rest.english)

    def _english_verb(self, *, supported: bool) -> tuple[str, str]:
        """Return the auxiliary and the verb, either perhaps empty; `supported` asks for "do"."""
        verb, third = self.verb, self.subject.person is Person.HE
        if self.tense is Tense.FUTURE:
            return "will", verb.english
        if verb.english == "be":
            return _BE[self.tense][self.subject.person], ""
        past = self.tense is Tense.PAST
        form = verb.past if past else verb.third if third else verb.english
        if verb.english in _AUXILIARIES:
            return form, ""
        if supported:
            return "did" if past else "does" if third else "do", verb.english
        return "", form

    @property
    def _french(self) -> str:
        negation = "ne" if self.adverb and self.adverb.negative else ""
        pronoun = self.clitic.french if self.clitic else ""
        finite, participle = self._french_verb()
        slot = self.adverb.french if self.adverb else ""
        return join(
            self.subject.french, negation, pronoun, finite, slot, participle, self.rest.french
        )

    def _french_verb(self) -> tuple[str, str]:
        """Return the finite verb and, in the compound past, the participle as it agrees."""
        verb, person = self.verb, self.subject.person
        if self.tense is Tense.PRESENT:
            return verb.present[person], ""
        if self.tense is Tense.FUTURE:
            return verb.future + _FUTURE[person], ""
        if verb.traits & Trait.STATE:
            stem = verb.present[Person.WE].removesuffix("ons")
            return ("ét" if verb.english == "be" else stem) + _IMPERFECT[person], ""
        if verb.traits & Trait.ETRE:
            participle = agree(verb.participle, self.subject.gender, self.subject.is_plural)
            return VERBS["be"].present[person], participle
        participle = verb.participle
        if self.clitic and self.clitic.direct:
            participle = agree(participle, self.clitic.gender, self.clitic.is_plural)
        return VERBS["have"].present[person], participle


def there_is(thing: NounPhrase, tense: Tense, *, negated: bool) -> Text:
    """Return "there was a cat", "il y avait un chat"; `negated`: the thing is "no cat"."""
    there = NounPhrase("there", "il", thing.person, Gender.MASCULINE)
    english = Clause(there, VERBS["be"], tense, rest=thing.text).statement.english
    adverb = NOT if negated else None
    impersonal = NounPhrase("", "il", Person.HE, Gender.MASCULINE)
    has = Clause(impersonal, VERBS["have"], tense, adverb, Clitic("", "y"), thing.text)
    return Text(english, has.statement.french)


def infinitive(verb: Verb, clitic: Clitic | None, rest: Text) -> Text:
    """Return what follows "I want to": "see her today", "la voir aujourd'hui"."""
    pronoun = clitic or Clitic("", "")
    return Text(
        join(verb.english, verb.particle, pronoun.english, rest.english),
        join(pronoun.french, verb.infinitive, rest.french),
    )


def imperative(verb: Verb, clitic: Clitic | None, rest: Text, *, negated: bool) -> Text:
    """Return a command: "help me", "aidez-moi"; negated: "do not help me", "ne me aidez pas"."""
    pronoun = clitic or Clitic("", "")
    english = join(verb.english, verb.particle, pronoun.english, rest.english)
    french = verb.present[Person.YOU]
    if negated:
        return Text(f"do not {english}", join("ne", pronoun.french, french, "pas", rest.french))
    if clitic:
        french = f"{french}-{'moi' if clitic.french == 'me' else clitic.french}"
    return Text(english, join(french, rest.french))


def sentence(text: Text, mark: str) -> Text:
    """Return the text with elisions, a capital and its mark; French has a space before "!", "?"."""
    english, french = text.english.replace("can not", "cannot"), elide(text.french)
    space = "" if mark == "." else " "
    return Text(
        f"{english[0].upper()}{english[1:]}{mark}", f"{french[0].upper()}{french[1:]}{space}{mark}"
    )
