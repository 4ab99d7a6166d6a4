"""Elision, plurals and agreement: the forms of single words."""

import re

from phrasebook.words import Gender

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


def before_vowel(french: str, following: str) -> str:
    return _BEFORE_VOWEL.get(french, french) if starts_with_vowel(following) else french
