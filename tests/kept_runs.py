"""Runs that keep translations, without any training."""

import json
from collections.abc import Sequence
from pathlib import Path

import torch

from gru_mt.config.load import parse_config
from gru_mt.config.yaml_text import dump_config
from gru_mt.data.evaluation_set import EvaluationSet, sets_to_json
from gru_mt.evaluation.hypotheses import Hypotheses, write_hypotheses
from gru_mt.evaluation.score import score_translations
from gru_mt.run import WEIGHTS, Run
from gru_mt.storage import write_checksummed_json
from gru_mt.tensors import save_tensors


def make_run(
    folder: Path,
    sets: Sequence[EvaluationSet],
    texts: Sequence[list[str]],
    *overrides: str,
    minutes: float | None = None,
    tokenizer: str = "13a",
    split: str = "test",
) -> Run:
    """Make a run of six parameters that translated `sets` into `texts` in half a second each."""
    run = Run(folder)
    run.bundle.mkdir(parents=True)
    config = parse_config("data: {corpus: mine.tsv}", where="here", overrides=overrides)
    run.config.write_text(dump_config(config))
    write_checksummed_json(run.evaluation_sets(split), sets_to_json(sets))
    save_tensors(run.bundle / WEIGHTS, {"a": torch.zeros(2, 2), "b": torch.zeros(2)}, {})
    kept = [
        Hypotheses(
            one, each, [None] * len(each), [None] * len(each), [[] for _ in each], 0.5,
            score_translations(each, one.references, tokenizer=tokenizer),
        )
        for one, each in zip(sets, texts, strict=True)
    ]  # fmt: skip
    write_hypotheses(folder, split, kept, config.decoding, tokenizer)
    if minutes is not None:
        run.summary.write_text(json.dumps({"minutes": minutes}))
    return run
