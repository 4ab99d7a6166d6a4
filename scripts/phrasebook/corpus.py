"""Makes the built-in phrasebook, an English-French corpus, from a small grammar of our own.

`PYTHONPATH=scripts python -m phrasebook.corpus` writes it into the package. The grammar can say far
more than is drawn, so a test sentence combines words of the training part in a new way. Every
sentence has one translation: `grammar` and `noun_phrases` have the rules that settle what English
leaves open. No two pairs share a side.
"""

from random import Random

import zstandard

from gru_mt.data.corpus.load import PHRASEBOOK
from phrasebook import questions, sentences
from phrasebook.clauses import Pattern
from phrasebook.words import NAMES

PAIRS = 26_000
WORDS = range(3, 15)  # an English sentence has so many
_SEED = 1
PATTERNS: dict[Pattern, int] = {
    sentences.telling: 36,
    sentences.animal: 5,
    sentences.describing: 6,
    sentences.locating: 7,
    sentences.identifying: 6,
    sentences.comparing: 4,
    questions.asking: 9,
    questions.asking_why: 3,
    questions.asking_where_or_when: 3,
    questions.asking_what: 2,
    questions.asking_who: 3,
    questions.asking_how_many: 2,
    questions.asking_where_it_is: 3,
    sentences.commanding: 6,
    sentences.linking: 7,
    sentences.relating: 6,
    sentences.reporting: 4,
    sentences.reasoning: 4,
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
        if any(english.count(person) > 1 for person in NAMES):
            continue  # "Anne sees Anne"
        if french not in said and english.count(" ") + 1 in WORDS:
            french_of[english] = french
            said.add(french)
    return list(french_of.items())


def main() -> None:
    """Write the pairs into the package, a pair a line: English, a tab, French."""
    lines = "".join(f"{english}\t{french}\n" for english, french in generate())
    PHRASEBOOK.write_bytes(zstandard.compress(lines.encode(), level=19))


if __name__ == "__main__":
    main()
