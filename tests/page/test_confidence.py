"""The page trusts a translation as `translate` does, and finds the same things odd."""

import dataclasses
import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from gru_mt.data.text.truecase import Truecaser
from gru_mt.inference.confidence import FEATURES, Calibration, features, warnings_of
from gru_mt.inference.preprocessing.sentence import Sentence
from gru_mt.inference.search import Hypothesis
from tests.data.text.test_truecase import NAMES
from tests.inference import test_confidence
from tests.page.node import needs_node, run_node
from tests.page.strings import corpus_pairs, random_strings, written_strings

pytestmark = needs_node

SCRIPT = """
import { confidence, features, warningsOf } from "./inference/confidence.js";
import { Truecaser } from "./text/truecase.js";
const truecaser = Truecaser.from(data.truecaser, []);
result = data.cases.map((each) => {
  const { text, spellingCorrected, isPart, translation, found, pieces, weights } = each;
  const hypothesis = { ...found, logProb: found.log_prob };
  const numbers = features(text, pieces.length + 1, hypothesis, truecaser);
  const chance = weights && confidence(weights, numbers);
  const sentence = { text, typed: text.toUpperCase(), spellingCorrected, isPart };
  return { numbers: [...numbers, chance ?? 0],
    odd: warningsOf(sentence, pieces, translation, hypothesis, chance, truecaser) };
});
"""


def random_case(rng: random.Random, text: str, translation: str) -> dict[str, Any]:
    """Return what is asked of a sentence: its pieces, and what a search may have found."""
    if rng.random() < 0.2:
        text = " ".join([text] * 3)
    spaced = f" {text}".replace(" ", "\u2581")
    seams = (rng.randint(0, len(spaced)) for _ in range(len(spaced) // 4))
    pieces = [spaced[start:end] for start, end in pairwise(sorted({0, len(spaced), *seams}))]
    coverage = [rng.choice([0.0, 0.04, 0.06, rng.random() * 2]) for _ in [*pieces, "</s>"]]
    weights = [rng.uniform(-2, 2) for _ in range(FEATURES + 1)]
    lowest, ended = rng.choice([-rng.random() * 5, -99.0]), rng.random() < 0.8
    read = rng.choice([coverage, coverage, None, []])
    hypothesis = Hypothesis([5] * rng.randint(1, 20), -rng.random() * 20, 0.0, lowest, ended, read)
    return {
        "text": text,
        "spellingCorrected": rng.random() < 0.3,
        "isPart": rng.random() < 0.3,
        "translation": rng.choice([translation, f"{translation}, {translation} - {translation}"]),
        "found": hypothesis,
        "pieces": pieces,
        "weights": rng.choice([weights, None]),
    }


def expected(case: dict[str, Any], truecaser: Truecaser) -> dict[str, Any]:
    text, pieces, hypothesis = case["text"], case["pieces"], case["found"]
    numbers = features(text, len(pieces) + 1, hypothesis, truecaser)
    calibration = Calibration.of(case["weights"])
    chance = calibration.confidence(numbers) if calibration else None
    sentence = Sentence(
        text, "", "", "", text.upper(), text, (), frozenset(), "model",
        case["spellingCorrected"], is_part=case["isPart"],
    )  # fmt: skip
    odd = warnings_of(sentence, pieces, case["translation"], hypothesis, chance, truecaser)
    return {"numbers": pytest.approx([*numbers, chance or 0], rel=1e-12), "odd": [*odd]}


def assert_same_confidence(truecaser: Truecaser, pairs: list[list[str]]) -> None:
    rng = random.Random(1)
    cases = [random_case(rng, text, translation) for text, translation in pairs]
    given = [case | {"found": dataclasses.asdict(case["found"])} for case in cases]
    found = run_node(SCRIPT, {"truecaser": truecaser.to_bytes().decode(), "cases": given})
    for case, of_javascript in zip(cases, found, strict=True):
        assert of_javascript == expected(case, truecaser), ascii(case["text"])


def test_any_translation_is_trusted_as_in_python() -> None:
    texts = [*written_strings(test_confidence), *random_strings(500, seed=5)]
    rng = random.Random(2)
    assert_same_confidence(NAMES, [[text, rng.choice(texts)] for text in texts])


@pytest.mark.slow
def test_translations_of_the_corpus_are_trusted_as_in_python(fra_eng_zip: Path) -> None:
    pairs = corpus_pairs(fra_eng_zip, 4_000)
    truecaser = Truecaser.learn(*zip(*pairs[::2], strict=True))
    assert_same_confidence(truecaser, pairs[1::2])
