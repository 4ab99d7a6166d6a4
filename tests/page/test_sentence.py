"""The page's sentences are those of `translate`, from a line to what the model reads, and back."""

import random
from pathlib import Path
from typing import Any

import pytest

from gru_mt.data.lexicon import Lexicon
from gru_mt.data.sentences import cut
from gru_mt.data.special import LITERALS
from gru_mt.inference.sentence import Sentence, read_line
from tests.data import test_lexicon, test_literals
from tests.data.test_lexicon import NAMES
from tests.inference import test_confidence, test_sentence
from tests.inference.test_sentence import LEXICON
from tests.page.node import needs_node, run_node
from tests.page.strings import corpus_pairs, random_strings, with_insertions, written_strings

pytestmark = needs_node

STRINGS = written_strings(test_lexicon, test_literals, test_sentence, test_confidence)
SCRIPT = """
import { Lexicon } from "./lexicon.js";
import { readLine } from "./sentence.js";
const lexicon = Lexicon.from(data.lexicon);
const facts = ({ source, gap, text, literals, glued, case: shape, respelled, plain,
  isCopied }) => [source, gap, text, literals, glued.map((side) => [...side]), shape, respelled,
  plain, isCopied];
result = data.lines.map(({ line, outputs }) => {
  return readLine(line, lexicon, (text) => data.pieces[text] ?? [text]).map((sentence) => {
    const numbered = sentence.withNumbers();
    const texts = [...outputs, sentence.text, numbered.text];
    return [facts(sentence), facts(numbered), texts.map((text) => [sentence.finished(text),
      numbered.finished(text), sentence.keepsNumbers(text), sentence.shown([...text])])];
  });
});
"""


def facts(sentence: Sentence) -> list[Any]:
    return [
        sentence.source,
        sentence.gap,
        sentence.text,
        [*sentence.literals],
        [sorted(index for index, side in sentence.glued if side == each) for each in (0, 1)],
        sentence.case,
        sentence.respelled,
        sentence.plain,
        sentence.is_copied,
    ]


def expected(sentence: Sentence, outputs: list[str]) -> list[Any]:
    numbered = sentence.with_numbers()
    texts = [*outputs, sentence.text, numbered.text]
    of_texts = [
        [
            sentence.finished(text),
            numbered.finished(text),
            sentence.keeps_numbers(text),
            sentence.shown([*text]),
        ]
        for text in texts
    ]
    return [facts(sentence), facts(numbered), of_texts]


def random_outputs(rng: random.Random) -> list[str]:
    """Return what a model may write: marks, words, numbers and signs in any order."""
    parts = [
        *LITERALS * 2,
        "le",
        "ß",
        "7",
        "12",
        "5e",
        "12pmer",
        "²",
        "我",
        " ",
        " ",
        " ",
        ".",
        "?",
        "…",
        "😀",
    ]
    return ["".join(rng.choices(parts, k=rng.randrange(16))) for _ in range(3)]


def assert_same_sentences(lexicon: Lexicon, lines: list[str], *, split: bool) -> None:
    rng = random.Random(1)
    pieces: dict[str, list[str]] = {}

    def recorded(text: str, language: str) -> list[str]:
        pieces[text] = cut(text, language)
        return pieces[text]

    def sentences(line: str) -> list[Sentence]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("gru_mt.inference.sentence.cut", recorded)
            return [*read_line(line, lexicon=lexicon, language="en", glossary=None, split=split)]

    python = {line: (sentences(line), random_outputs(rng)) for line in lines}
    cases = [{"line": line, "outputs": outputs} for line, (_, outputs) in python.items()]
    data = {"lexicon": lexicon.to_bytes().decode(), "lines": cases, "pieces": pieces}
    for (line, (found, outputs)), of_javascript in zip(
        python.items(), run_node(SCRIPT, data), strict=True
    ):
        assert of_javascript == [expected(each, outputs) for each in found], ascii(line)


@pytest.mark.parametrize("split", [True, False])
def test_any_line_is_read_and_finished_as_python_does(split: bool) -> None:
    texts = [text for text in STRINGS if len(text) < 500]
    rng = random.Random(2)
    joined = ["".join(rng.choices(texts, k=3)) for _ in range(500)]
    assert_same_sentences(LEXICON, [*texts, *joined, *random_strings(1_000, seed=4)], split=split)
    assert_same_sentences(NAMES, [*texts, *with_insertions(texts)], split=split)


def test_lines_of_the_corpus_are_read_and_finished_as_python_does(fra_eng_zip: Path) -> None:
    pairs = corpus_pairs(fra_eng_zip, 5_000)
    lexicon = Lexicon.learn(*zip(*pairs, strict=True))
    lines = [source for source, _ in pairs[::4]]
    rng = random.Random(3)
    joined = [" ".join(rng.choices(lines, k=3)) for _ in range(700)]
    assert_same_sentences(lexicon, [*lines, *joined, *with_insertions(lines + joined)], split=True)
