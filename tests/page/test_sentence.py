"""The page's sentences are those of `translate`, from a line to what the model reads, and back."""

import json
import random
from pathlib import Path
from typing import Any

from gru_mt.data.text.sentences import sentence_rules
from gru_mt.data.text.truecase import Truecaser
from gru_mt.data.tokenizer.special import PLACEHOLDER_TOKENS
from gru_mt.inference.preprocessing.frames import core, is_wordlike
from gru_mt.inference.preprocessing.messages import arms, with_arms
from gru_mt.inference.preprocessing.reader import Reader
from gru_mt.inference.preprocessing.sentence import Sentence
from gru_mt.inference.preprocessing.tags import nested, pairs
from gru_mt.inference.translation import Candidate, SentenceTranslation, Translation
from tests.data.text import test_placeholders, test_truecase
from tests.data.text.test_truecase import NAMES
from tests.inference import test_confidence
from tests.inference.preprocessing import test_sentence
from tests.inference.preprocessing.test_sentence import TRUECASER
from tests.page.node import needs_node, run_node
from tests.page.strings import (
    FRAMES,
    corpus_pairs,
    framed,
    random_strings,
    with_insertions,
    written_strings,
)

pytestmark = needs_node

STRINGS = written_strings(test_truecase, test_placeholders, test_sentence, test_confidence)
SCRIPT = """
import { Truecaser } from "./truecase.js";
import { readLine } from "./reader.js";
import { sentenceRules, splitSentences } from "./sentences.js";
const rules = sentenceRules(data.rules);
const truecaser = Truecaser.from(data.truecaser);
const fits = (text, parts) => [...text].length <= Math.trunc(data.longest / parts);
const reading = { truecaser, splitLine: (text) => splitSentences(text, rules), fits };
const metadata = (sentence) => [sentence.source, sentence.gap, sentence.before, sentence.after,
  sentence.typed, sentence.text, sentence.placeholders, sentence.noSpace.map((side) => [...side]),
  sentence.case, sentence.spellingCorrected, sentence.isPart, sentence.isCopied];
result = data.lines.map(({ line, outputs }) => {
  return readLine(line, reading).map((sentence) => {
    const numbered = sentence.withNumbers();
    const texts = [...outputs, sentence.text, numbered.text];
    return [metadata(sentence), metadata(numbered), texts.map((text) => [sentence.finished(text),
      numbered.finished(text), sentence.keepsNumbers(text), sentence.shown([...text])])];
  });
});
"""


def metadata(sentence: Sentence) -> list[Any]:
    return [
        sentence.source,
        sentence.gap,
        sentence.before,
        sentence.after,
        sentence.typed,
        sentence.text,
        [*sentence.placeholders],
        [sorted(index for index, side in sentence.no_space if side == each) for each in (0, 1)],
        sentence.case,
        sentence.spelling_corrected,
        sentence.is_part,
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
    return [metadata(sentence), metadata(numbered), of_texts]


def random_outputs(rng: random.Random) -> list[str]:
    """Return what a model may write: marks, words, numbers and signs in any order."""
    parts = [*PLACEHOLDER_TOKENS * 2, *"ß7²我   .?…😀", "le", "12", "5e", "12pmer", "7-0", "-5"]
    return ["".join(rng.choices(parts, k=rng.randrange(16))) for _ in range(3)]


def assert_same_sentences(truecaser: Truecaser, lines: list[str], *, longest: int = 1_000) -> None:
    """Compare the sentences of lines, and their parts of `longest` characters at most."""
    rng = random.Random(1)
    reader = Reader(truecaser, "en", lambda text, parts: len(text) <= longest // parts)
    python = {line: ([*reader.sentences(line)], random_outputs(rng)) for line in lines}
    cases = [{"line": line, "outputs": outputs} for line, (_, outputs) in python.items()]
    metadata = {"truecaser": truecaser.to_bytes().decode(), "longest": longest}
    rules = sentence_rules("en").to_json()
    found = run_node(SCRIPT, metadata | {"lines": cases, "rules": rules})
    for (line, (sentences, outputs)), of_javascript in zip(python.items(), found, strict=True):
        assert of_javascript == [expected(each, outputs) for each in sentences], ascii(line)


def test_any_line_is_read_and_finished_as_python_does() -> None:
    texts = [text for text in STRINGS if len(text) < 500]
    rng = random.Random(2)
    joined = ["".join(rng.choices(texts, k=3)) for _ in range(200)]
    assert_same_sentences(TRUECASER, [*texts, *joined, *random_strings(300, seed=4)])
    assert_same_sentences(NAMES, [*texts, *with_insertions(texts)])


def test_a_sentence_in_a_frame_is_read_and_finished_as_python_does() -> None:
    texts = framed(FRAMES, 3)
    assert_same_sentences(TRUECASER, [*texts, *with_insertions(texts)])


def test_a_long_sentence_is_split_as_python_does() -> None:
    texts = [*framed(FRAMES, 2), *random_strings(200, seed=6)]
    scripts = ["I see. " * 30, "我" * 50, "क्षि" * 30, "😀a, " * 20, "a; b — c, d" * 9]
    assert_same_sentences(TRUECASER, [*texts, *scripts], longest=14)


def test_lines_of_the_corpus_are_read_and_finished_as_python_does(fra_eng_zip: Path) -> None:
    found = corpus_pairs(fra_eng_zip, 2_000)
    truecaser = Truecaser.learn(*zip(*found, strict=True))
    lines = [source for source, _ in found[::4]]
    rng = random.Random(3)
    joined = [" ".join(rng.choices(lines, k=3)) for _ in range(300)]
    assert_same_sentences(truecaser, [*lines, *joined, *with_insertions(lines + joined)])


def test_a_frame_ends_where_python_ends_it() -> None:
    rng = random.Random(1)
    placeholders = [
        "<b>",
        "</b>",
        "{a}",
        "1984",
        "😀",
        "\\n",
        "=",
        "[b]",
        "%s",
        "é",
        "[x]",
        "{%a%}",
        "*",
    ]
    pieces = [
        *PLACEHOLDER_TOKENS[:1] * 9,
        *"  ()\"'«»“”.:-!1aA",
        "Tom: ",
        "the ",
        "The ",
        "1) ",
        "ab ",
        ", ",
    ]
    cases = []
    for _ in range(5_000):
        text = "".join(rng.choices(pieces, k=rng.randrange(1, 14)))
        own = rng.choices(placeholders, k=text.count(PLACEHOLDER_TOKENS[0]))
        cases.append((text, own, pairs(text, own)))
    small = ["the", "ab", "a"]
    script = """
        import { core, isWordlike } from "./frames.js";
        const isSmall = (word) => data.small.includes(word.toLowerCase());
        result = data.cases.map(([text, placeholders, pairs]) => [
          core(text, placeholders, pairs, isSmall), placeholders.map(isWordlike)]);
    """
    found = run_node(script, {"cases": cases, "small": small})
    for (text, own, tags), of_javascript in zip(cases, found, strict=True):
        place = core(text, own, tags, lambda word: word.lower() in small)
        assert of_javascript == [[*place], [is_wordlike(each) for each in own]], (text, own)


def test_tags_are_paired_and_nested_as_python_does() -> None:
    rng = random.Random(1)
    tags = ["<b>", "</b>", "<I>", "</i>", "<br/>", '<a b="c">', "</a>", "<b_é.x>", "</b_é.x>", "5"]
    tags += [*"*_~[}", "**", "](a)", "][1]", "![", "[![", "{x{", "[b]", "[/b]", "{/b}", "&quot;"]
    between = ["", "", " ", " ", "a", " é", "b ", " c d ", ".", "我", " (x) "]
    cases = []
    for _ in range(4_000):
        placeholders = rng.choices(rng.choice([tags, tags[:4], ["*", "_", "<b>", "</b>"]]), k=6)
        marks = PLACEHOLDER_TOKENS[: len(placeholders)]
        text = "".join(rng.choice(between) + mark for mark in marks) + rng.choice(between)
        order = rng.sample(range(8), k=rng.randrange(8))
        texts = rng.choices(between, k=len(order) + 1)
        cases.append((text, placeholders, texts, order, rng.sample(range(6), k=3)))
    script = """
        import { nested, tagPairs } from "./tags.js";
        result = data.map(([text, placeholders, texts, order, full]) => {
          const pairs = tagPairs(text, placeholders);
          const found = nested(texts, order, pairs, new Set(full));
          return [pairs, found.texts, found.order];
        });
    """
    for case, of_javascript in zip(cases, run_node(script, cases), strict=True):
        text, placeholders, texts, order, full = case
        paired = pairs(text, placeholders)
        wanted = json.loads(json.dumps([paired, *nested(texts, order, paired, frozenset(full))]))
        assert of_javascript == wanted, case


def test_messages_have_the_arms_that_python_finds() -> None:
    rng = random.Random(1)
    pieces = [
        "{n, plural, ",
        "{a.b ,select,",
        "one {",
        "=1{",
        "other {",
        "} ",
        "}}",
        "}",
        "# é",
        "a ",
    ]
    texts = ["".join(rng.choices(pieces, k=rng.randrange(12))) for _ in range(3_000)]
    message = "x {n, plural, offset:1 one {# cat} other {{a, select, b {c} other {$& d}}}} y {c}"
    script = """
        import { armsOf, withArms } from "./messages.js";
        result = data.map((line) => armsOf(line).map((arms) => {
          const candidates = [{ text: `le ${line}` }, { text: line + line }];
          const sentences = [{ text: `le ${line}`, candidates }];
          const texts = arms.map(({ text }) => `[${text}]$&`);
          const [changed] = withArms(line, sentences, arms, texts);
          return [arms.map(({ text }) => text), changed.text, changed.candidates[1].text];
        }));
    """
    lines = [message, *texts]
    for line, found in zip(lines, run_node(script, lines), strict=True):
        candidates = [Candidate(text, 0.0, [], None) for text in (f"le {line}", line + line)]
        wanted = []
        for spans in arms(line):
            translation = Translation(line, [SentenceTranslation(line, [], candidates)])
            changed = with_arms(translation, spans, [f"[{span.text}]$&" for span in spans])
            wanted.append([[span.text for span in spans], *changed.texts])
        assert found == wanted, line
