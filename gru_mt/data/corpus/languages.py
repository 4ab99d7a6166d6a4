"""Languages: their codes, their scripts, and by these and by frequent words those of texts."""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path

from gru_mt.data.text.normalize import WORD

# A row for each language: its ISO 639 code; its script; codes and names, its own and what its
# neighbours call it; and frequent words that mean little. Each but the first may be missing.
_TABLE = Path(__file__).with_name("languages.tsv").read_text(encoding="utf-8").splitlines()[1:]
_ROWS = [(line + "\t\t\t").split("\t")[:4] for line in _TABLE]
CODE_BY_NAME = {name: code for code, _, names, _ in _ROWS for name in names.split()}
_SCRIPT_OF = {code: script for code, script, _, _ in _ROWS if script}
_WORDS_OF = {code: frozenset(words.split()) for code, _, _, words in _ROWS if words}
_REGION = re.compile(r"(?<=..)(?:[-_][a-z]{4})?[-_][a-z0-9]{2,4}$")  # and a script before it
_KANA, _SCRIPT = "Hiragana", " script"
_MAIN_SHARE = 0.05  # of a side's letters, in a script that belongs to its language
_LEAST_LETTERS = 50
_LEAST_OWN = 1 / 3  # letters of a language's script, for each of another script in its texts
_SYLLABLE = 3  # letters that one of Han, kana or Hangul counts for
_LEAST_KANA = 0.1  # of kana and Han together, in Japanese
_LEAST_HITS = 15  # of frequent words
_LEAST_WORDS = 4  # different ones
_LEAST_SHARE = 0.06  # of the words that are frequent ones
_LEAST_TIMES = 5  # as many frequent words of another language as of a text's own


@lru_cache(1_000)  # clients of a server may name any
def language_code(name: str) -> str:
    """Return the two letters of a language's code or name: "eng", "English", "en-GB" -> "en".

    A name that is not known is its own code, in small letters and without a region.
    """
    code = _REGION.sub("", name.strip().lower())
    return CODE_BY_NAME.get(code, code)


def language_name(name: str) -> str:
    """Return a language's name in English: "fr" -> "French"; one that is not known is its own."""
    code = language_code(name)
    names = (each for each, its in CODE_BY_NAME.items() if its == code and len(each) > 3)
    region = name.partition("-")[2]
    return next(names, name).title() + f" ({region})" * bool(region)


def is_language(name: str, wanted: str) -> bool:
    """Return whether `name` is the wanted language: "pt-BR" is "Portuguese", but not "pt-PT"."""
    found = (_REGION.search(each.strip().lower()) for each in (name, wanted))
    regions = {region[0][1:] for region in found if region}
    return language_code(name) == language_code(wanted) and len(regions) < 2


def script_counts(text: str) -> Counter[str]:
    """Return how many letters a text has of each script."""
    return Counter(script(letter) for letter in text if letter.isalpha())


def main_scripts(counts: Counter[str]) -> set[str]:
    """Return the scripts that have at least _MAIN_SHARE of the letters."""
    return {name for name, count in counts.items() if count >= _MAIN_SHARE * counts.total()}


@cache
def script(letter: str) -> str:
    """Return a letter's script, as Unicode begins its name: "Latin", "Cyrillic", "Han"."""
    name = unicodedata.name(letter, "unknown").split()[0].title()
    return {"Cjk": "Han", "Fullwidth": "Latin", "Halfwidth": "Katakana"}.get(name, name)


def languages_warning(sides: Sequence[Sequence[str]], languages: Sequence[str]) -> str | None:
    """Return a warning where two sides are not in `languages`: what they look like, and the fix.

    A side without texts looks like its language.
    """
    others = [*reversed(languages)]
    found = [*map(_other_language, sides, languages, others)]
    for side, language in enumerate(languages):
        beside_is_right = not found[1 - side] and _has_words(sides[1 - side], others[side])
        if beside_is_right and not _is_known(language):
            found[side] = None  # it may be near to the other, as Catalan is to Spanish
    if not any(found):
        return None
    looks = [its or language for its, language in zip(found, languages, strict=True)]
    if all(map(_may_be_other, sides, languages, others, found)):
        looks = others
        fix = f"set languages: [{', '.join(looks)}], or columns: [2, 1] (of two files: their order)"
    elif looks[0] == looks[1] or any(name.endswith(_SCRIPT) for name in looks):
        fix = "name other columns or files"
    else:
        fix = f"set languages: [{', '.join(looks)}], or name other columns or files"
    return f"the first side looks like {looks[0]}, the second like {looks[1]}: {fix}"


def _may_be_other(texts: Sequence[str], language: str, other: str, found: str | None) -> bool:
    if found:
        return found == other or not _is_known(other)
    return any(texts) and _other_language(texts, other, language) is None


def _is_known(language: str) -> bool:
    """Return whether a language can be distinguished from all others that are known."""
    code = language_code(language)
    return code in _WORDS_OF or _languages_of(_SCRIPT_OF.get(code, "")) == [code]


def _has_words(texts: Sequence[str], language: str) -> bool:
    """Return whether texts have frequent words of a language, or are too short to have any."""
    counts = _counts(texts)
    own = sum(counts[word] for word in _WORDS_OF.get(language_code(language), ()))
    return own >= _LEAST_SHARE / 2 * counts.total() or counts.total() < _LEAST_HITS / _LEAST_SHARE


def _counts(texts: Sequence[str]) -> Counter[str]:
    return Counter(word.lower() for text in texts for word in WORD.findall(text))


def likely_language(texts: Sequence[str]) -> str | None:
    """Return the code of the language that texts clearly have; None for short or unknown ones."""
    script, _ = _main_script(texts)
    return _language_or_script(texts, script) if script else None


def _main_script(texts: Sequence[str]) -> tuple[str, Counter[str]]:
    """Return the script of most letters, "" where none is clear, and the letters of each."""
    letters = script_counts("".join(texts))  # those of Japanese count as kana
    kana = letters.pop(_KANA, 0) + letters.pop("Katakana", 0)
    both = kana + letters.pop("Han", 0)
    letters[_KANA if kana > _LEAST_KANA * both else "Han"] = _SYLLABLE * both
    letters["Hangul"] *= _SYLLABLE
    [(script, count)] = letters.most_common(1)
    is_clear = letters.total() >= _LEAST_LETTERS and 2 * count >= letters.total()
    return script if is_clear else "", letters


def _language_or_script(texts: Sequence[str], script: str) -> str | None:
    """Return the language of a script that texts have, by frequent words or as the only one."""
    codes = _languages_of(script)
    return _likeliest(_counts(texts), script, "") or (codes[0] if len(codes) == 1 else None)


def _other_language(texts: Sequence[str], language: str, other: str) -> str | None:
    """Return the code or script that texts clearly have instead of `language`; else None.

    The other side's language is called `other`. Where `language` is not known, it is the only one.
    """
    code, other_code = language_code(language), language_code(other)
    script, letters = _main_script(texts)
    if not script:
        return None
    counts = _counts(texts)
    own = None if "latn" in language.lower() else _SCRIPT_OF.get(code)
    if own and letters[own] < _LEAST_OWN * letters[script]:
        found: str | None = _language_or_script(texts, script) or f"{script}{_SCRIPT}"
    else:
        found = _likeliest(counts, script, code)
        if found != other_code and code not in _WORDS_OF:
            return None
    return other if found == other_code else found


def _languages_of(script: str) -> list[str]:
    return [code for code, its in _SCRIPT_OF.items() if its == script]


def _likeliest(counts: Counter[str], script: str, code: str) -> str | None:
    """Return the language of a script whose frequent words are met, if those of `code` are not.

    Words that both have do not count.
    """
    own = _WORDS_OF.get(code, frozenset())
    found = {}
    for other, listed in _WORDS_OF.items():
        if other == code or _SCRIPT_OF[other] != script:
            continue
        for_it = [counts[word] for word in listed - own if counts[word]]
        against = sum(counts[word] for word in own - listed)
        least = max(_LEAST_HITS, _LEAST_SHARE * counts.total(), _LEAST_TIMES * against)
        if sum(for_it) >= least and len(for_it) >= _LEAST_WORDS:
            found[other] = sum(for_it)
    return max(found, key=found.__getitem__, default=None)
