"""The grammar of the phrasebook: agreement, elision, noun phrases and clauses, in both languages.

Where English leaves something open, one rule decides the French, so that a sentence has one
translation. "You" is "vous"; "you", "we" and "they" are masculine plural; "I", "me", and a friend
or a baker of whom nothing else is said, are masculine. A state in the past ("was", "had") is in the
imperfect, any other past in the passé composé.
"""

from dataclasses import dataclass

from phrasebook.morphology import agree, elide
from phrasebook.noun_phrases import Clitic, NounPhrase
from phrasebook.verbs import NOT, VERBS
from phrasebook.words import Adjective, Adverb, Gender, Person, Tense, Text, Trait, Verb

_FUTURE = ("ai", "a", "ons", "ez", "ont")
_IMPERFECT = ("ais", "ait", "ions", "iez", "aient")
_BE = {
    Tense.PRESENT: ("am", "is", "are", "are", "are"),
    Tense.PAST: ("was", "was", "were", "were", "were"),
}
NOTHING = Text("", "")
_AUXILIARIES = ("can", "must")  # like "be", they need no "do"


def join(*words: str) -> str:
    """Return the words that are not empty, a space apart."""
    return " ".join(filter(None, words))


def both(*texts: Text) -> Text:
    """Return the texts joined, each language for itself."""
    return Text(join(*(text.english for text in texts)), join(*(text.french for text in texts)))


def predicate(adjective: Adjective, subject: NounPhrase) -> Text:
    """Return the adjective after "be", as it agrees with its subject."""
    return Text(adjective.english, agree(adjective.french, subject.gender, subject.is_plural))


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
