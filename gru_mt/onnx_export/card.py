"""The model card: what a run knows of its translator, in Markdown, with the head that the Hugging
Face hub reads (Mitchell et al. 2019, "Model Cards for Model Reporting").
"""

import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, PackageLoader

from gru_mt.bundle import Bundle
from gru_mt.config.yaml_text import short_config
from gru_mt.data.corpus.languages import language_code
from gru_mt.errors import escape, shell_quoted
from gru_mt.evaluation.hypotheses import RunHypotheses, read_hypotheses, run_of
from gru_mt.evaluation.robustness.measure import read_robustness
from gru_mt.storage import read_json


def model_card(
    folder: Path, bundle: Bundle, name: str, reference: str, license_: str | None
) -> str:
    """Return the card of the model in `folder`, which is `bundle`; see `card.md`.

    `reference` is what --model takes for it. Raises UserError where a file of its run is damaged.
    """
    run = run_of(folder, "test")
    tested = read_hypotheses(run, "test") if run else None
    values = {
        "name": name,
        "reference": reference,
        "license": license_,
        "config": bundle.config,
        "provenance": bundle.provenance,
        "weights": sum(parameter.numel() for parameter in bundle.model.parameters()),
        "version": version("gru-mt"),
        "tested": tested,
        "robustness": read_robustness(run, "test") if run else [],
        "summary": read_json(run.summary) if run and run.summary.is_file() else {},
        "read": {one["name"]: one for one in read_json(run.corpus_report)["corpora"]}
        if run
        else {},
        "short_config": short_config(bundle.config),
        "head": yaml.safe_dump(
            _head(bundle, name, license_, tested), sort_keys=False, allow_unicode=True
        ),
    }
    environment = Environment(
        loader=PackageLoader("gru_mt.onnx_export", "."), trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"plain": _plain, "quoted": shell_quoted, "repr": repr}
    return environment.get_template("card.md").render(values)


def _head(
    bundle: Bundle, name: str, license_: str | None, tested: RunHypotheses | None
) -> dict[str, Any]:
    """Return the metadata of a card, by the names that the hub gives them."""
    data = bundle.config.data
    codes = [language_code(language) for language in (data.source, data.target)]
    head: dict[str, Any] = {
        "language": [code for code in codes if re.fullmatch("[a-z]{2,3}", code)],
        "license": license_,
        "library_name": "gru-mt",
        "pipeline_tag": "translation",
        "tags": ["seq2seq", bundle.config.model.cell.partition("_")[0]],
    }
    if tested:
        results = [
            {
                "task": {"type": "translation", "name": f"{data.source} to {data.target}"},
                "dataset": {"type": found.set.name, "name": found.set.name, "split": "test"},
                "metrics": [
                    {"type": kind, "name": score.name, "value": round(score.value, 2)}
                    for kind, score in zip(
                        ("bleu", "bleu", "chrf"), found.corpus_scores, strict=True
                    )
                ],
            }
            for found in tested.sets
        ]
        head["metrics"] = ["bleu", "chrf"]
        head["model-index"] = [{"name": name, "results": results}]
    return {key: value for key, value in head.items() if value}


def _plain(text: str) -> str:
    """Return Markdown that shows a text as it is, on one line."""
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", escape(text).replace("\n", " "))
