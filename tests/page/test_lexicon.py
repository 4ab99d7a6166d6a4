"""The page reads words, capitals and typos as `translate` does."""

from pathlib import Path

import pytest

from gru_mt.data.lexicon import Lexicon, is_shouted, words
from tests.data import test_lexicon, test_literals
from tests.data.test_lexicon import ENGLISH, NAMES
from tests.inference import test_confidence, test_sentence
from tests.page.node import needs_node, run_node
from tests.page.strings import corpus_pairs, random_strings, with_insertions, written_strings

pytestmark = needs_node

STRINGS = written_strings(test_lexicon, test_literals, test_sentence, test_confidence)
MIXED = Lexicon.learn(
    [
        "x straße İstanbul ΟΔΟΣ e\u0301te\u0301 ǆ 我 ² isn't l'été I don't. it isnt Im Isn't here",
        f"so ca'nts, c'ants and ca'nts, {'ab' * 20}",
    ],
    ["", ""],
)
HARD = ["I see cants so", f"so {'ab' * 20}cd and {'ab' * 21}", "", "don't Dont L’ete isn’t ISNT"]


def assert_same_reading(lexicon: Lexicon, texts: list[str]) -> None:
    script = """
        import { isShouted, Lexicon, words } from "./lexicon.js";
        const lexicon = Lexicon.from(data.lexicon);
        result = data.texts.map((text) => {
          const found = words(text);
          const truecased = lexicon.truecased(text);
          return [found, isShouted(text), truecased, lexicon.usual(text), lexicon.respelled(text),
            lexicon.respelled(truecased), lexicon.unseenNames(text).map((span) => span.text),
            lexicon.unseenNames(truecased).map((span) => span.text), lexicon.hasAll(text),
            found.map((word) => lexicon.has(word)), found.map((word) => lexicon.isCommon(word)),
            [...lexicon.near(found[0] ?? text)].sort()];
        });
    """
    data = {"lexicon": lexicon.to_bytes().decode(), "texts": texts}
    for text, of_javascript in zip(texts, run_node(script, data), strict=True):
        found = words(text)
        truecased = lexicon.truecased(text)
        assert of_javascript == [
            found,
            is_shouted(text),
            truecased,
            lexicon.usual(text),
            lexicon.respelled(text),
            lexicon.respelled(truecased),
            [span.text for span in lexicon.unseen_names(text)],
            [span.text for span in lexicon.unseen_names(truecased)],
            lexicon.has_all(text),
            [word in lexicon for word in found],
            [lexicon.is_common(word) for word in found],
            sorted(lexicon.near(found[0] if found else text)),
        ], ascii(text)


@pytest.mark.parametrize(
    "lexicon",
    [
        ENGLISH,
        NAMES,
        MIXED,
        Lexicon({}, copies_names=True),
        Lexicon({"dont": "dont"}, copies_names=False),
    ],
)
def test_any_text_is_read_as_python_reads_it(lexicon: Lexicon) -> None:
    texts = [*STRINGS, *HARD, *random_strings(900, seed=2)]
    assert_same_reading(lexicon, [text for text in texts if len(text) < 500])


def test_the_corpus_is_read_as_python_reads_it(fra_eng_zip: Path) -> None:
    pairs = corpus_pairs(fra_eng_zip, 8_000)
    lexicon = Lexicon.learn(*zip(*pairs, strict=True))
    lines = [line for pair in pairs[::6] for line in pair]
    assert lexicon.copies_names
    assert_same_reading(lexicon, [*lines, *with_insertions(lines), *random_strings(2_000, seed=3)])
