"""The page's search against Python's, with random models."""

import random
from typing import Any

import numpy as np
import pytest

from gru_mt.config.decoding import Decoding
from gru_mt.data.tokenizer.special import EOS, FIRST_OTHER, PLACEHOLDER_IDS
from gru_mt.inference.constraints import ConstrainedState, constrained, with_rules
from gru_mt.inference.engines.torch_engine import TorchEngine
from gru_mt.inference.search import Hypothesis, beam_search
from tests.page.node import needs_node, run_node
from tests.page.test_model import ARITHMETIC, model_data, random_model

pytestmark = needs_node

SEARCH = """
import { beamSearch, copyingModel } from "./search.js";
const model = new Model(data.metadata, arithmetic);
result = [];
for (const ids of data.sources) {
  const searched = copyingModel(model, ids);
  const margin = data.margin ?? Infinity;
  result.push(await beamSearch(searched, 2 * ids.length + 8, data.decoding, margin, () => {}));
}
"""


def sources() -> list[list[int]]:
    rng = random.Random(1)
    lists = [[rng.randrange(FIRST_OTHER, 37) for _ in range(rng.randint(1, 9))] for _ in range(20)]
    for ids in lists[::2]:
        for _ in range(rng.randint(1, 3)):
            ids.insert(rng.randint(0, len(ids)), rng.choice(PLACEHOLDER_IDS[:2]))
    return [[*ids, EOS] for ids in lists]


@pytest.mark.parametrize(
    ("settings", "decoding", "margin"),
    [
        ({}, Decoding(5, 1.0), None),
        ({"cell": "lstm", "decoder_layers": 2}, Decoding(3, 0.5), 1.0),
        ({"attention": "none"}, Decoding(1, 0.0), 0.75),
    ],
    ids=str,
)
def test_the_sequences_found_are_pythons(
    settings: dict[str, Any], decoding: Decoding, margin: float | None
) -> None:
    model = random_model(**settings)
    data = model_data(model, settings.get("cell", "gru"), "fp32") | {
        "sources": sources(),
        "margin": margin,
        "decoding": {"beam_size": decoding.beam_size, "length_penalty": decoding.length_penalty},
    }
    engine, found, copied = TorchEngine(model), run_node(ARITHMETIC + SEARCH, data), 0
    for ids, beam in zip(sources(), found, strict=True):
        source_BS, length_B = np.array([ids]), np.array([len(ids)])
        limit_B = 2 * length_B + 8
        start = ConstrainedState.start(engine.start(source_BS, length_B), source_BS, limit_B)
        wide = np.inf if margin is None else margin
        (expected,) = beam_search(constrained(engine.step), start, limit_B, decoding, wide)
        assert [each["ids"] for each in beam] == [each.ids for each in expected]
        for ours, theirs in zip(beam, expected, strict=True):
            _check(ours, theirs, ids)
        copied += len({*ids} & {*PLACEHOLDER_IDS})
    assert copied > 10


def _check(ours: dict[str, Any], theirs: Hypothesis, ids: list[int]) -> None:
    for name, value in (("logProb", theirs.log_prob), ("score", theirs.score),
                        ("lowest", theirs.lowest)):  # fmt: skip
        assert ours[name] == pytest.approx(value, abs=1e-4)
    assert ours["ended"] == theirs.ended
    if theirs.coverage is None:
        assert ours["coverage"] is None
    else:
        assert ours["coverage"] == pytest.approx(theirs.coverage, abs=1e-4)
    for placeholder in PLACEHOLDER_IDS:
        assert ours["ids"].count(placeholder) == ids.count(placeholder)


RULES = """
import { applyRules, likeliest } from "./search.js";
result = { ruled: [], likeliest: [] };
for (const { logProbs, required, room } of data.rules) {
  const row = logProbs.map((each) => each ?? -Infinity);
  applyRules(row, required, room);
  result.ruled.push(row);
}
for (const { logits, count } of data.logits) {
  result.likeliest.push(likeliest(Float32Array.from(logits), count));
}
"""


def test_rules_for_placeholders_are_pythons() -> None:
    rng = np.random.default_rng(2)
    rules = []
    for _ in range(40):
        log_prob_K = np.log(rng.dirichlet(np.ones(14)))
        required_M = rng.integers(0, 3, 8) * (rng.random(8) < 0.3)
        room = int(required_M.sum() + rng.integers(1, 4))
        rules.append(
            {"logProbs": log_prob_K.tolist(), "required": required_M.tolist(), "room": room}
        )
    logits_NV = rng.normal(size=(30, 50))
    logits = [{"logits": row.tolist(), "count": int(rng.integers(1, 8))} for row in logits_NV]
    found = run_node(RULES, {"rules": rules, "logits": logits})
    for rule, ruled in zip(rules, found["ruled"], strict=True):
        expected_K = with_rules(
            np.array([rule["logProbs"]]), np.array([rule["required"]]), np.array([rule["room"]])
        )[0]
        # JSON has no minus infinity.
        ruled_K = np.array([-np.inf if each is None else each for each in ruled])
        np.testing.assert_allclose(ruled_K, expected_K, atol=1e-9)
    for row_V, asked, each in zip(logits_NV, logits, found["likeliest"], strict=True):
        possible_V = row_V[EOS:]
        log_prob_V = possible_V - np.log(np.exp(possible_V).sum())
        others = FIRST_OTHER + np.argsort(-row_V[FIRST_OTHER:])[: asked["count"]]
        assert each["ids"] == [EOS, *PLACEHOLDER_IDS, *others]
        np.testing.assert_allclose(
            each["logProbs"], log_prob_V[np.array(each["ids"]) - EOS], atol=1e-5
        )
