"""Noun phrases and pronouns, in both languages."""

from dataclasses import dataclass, replace

from phrasebook.morphology import agree, before_vowel, english_plural, plural
from phrasebook.words import DETERMINERS, Adjective, F, Gender, M, Noun, Person, Text


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
            french = f"{form if is_plural else before_vowel(form, french)} {french}"
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
        article = before_vowel(article, french)
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


def possessive(english: str) -> str:
    """Return an owner's form: Anne -> Anne's, the boys -> the boys'."""
    return english + ("'" if english.endswith("s") else "'s")
