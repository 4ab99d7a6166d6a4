"""The page's search against Python's, with random models."""

import dataclasses
import random
from typing import Any

import numpy as np
import pytest

from gru_mt.config.decoding import Decoding
from gru_mt.data.tokenizer.special import EOS, FIRST_OTHER, PLACEHOLDER_IDS
from gru_mt.inference.constraints import ConstrainedState, constrained
from gru_mt.inference.engines.torch_engine import TorchEngine
from gru_mt.inference.search import beam_search
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
    lists = [[rng.randrange(FIRST_OTHER, 37) for _ in range(rng.randint(1, 9))] for _ in range(8)]
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
        for ours, theirs in zip(beam, expected, strict=True):
            wanted = dataclasses.asdict(theirs) | {"logProb": theirs.log_prob}
            for name in ("logProb", "score", "lowest", "coverage"):
                assert ours[name] == pytest.approx(wanted[name], abs=1e-4), name
            assert (ours["ids"], ours["ended"]) == (theirs.ids, theirs.ended)
            assert all(ours["ids"].count(one) == ids.count(one) for one in PLACEHOLDER_IDS)
        copied += len({*ids} & {*PLACEHOLDER_IDS})
    assert copied > 4
