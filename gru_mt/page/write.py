"""Write a translator as one HTML file: the page, its worker, the weights and the vocabularies.

A browser opens it from disk. Its policy lets it ask no address. Whatever comes from a corpus is
data in it, never markup or code.
"""

import base64
import gzip
import hashlib
import logging
import re
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from jinja2 import Environment, PackageLoader

from gru_mt.bundle import Bundle, load_bundle
from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.data.text.sentences import sentence_rules
from gru_mt.errors import escape
from gru_mt.evaluation.evaluate import find_sets
from gru_mt.evaluation.hypotheses import read_hypotheses, run_of
from gru_mt.inference.confidence import Calibration
from gru_mt.page.vocabulary import vocabulary_data
from gru_mt.page.weights import packed, shape_facts
from gru_mt.report.html import json_in_page, policy
from gru_mt.run import bundle_of
from gru_mt.storage import write_output

log = logging.getLogger(__name__)

FOLDER = Path(__file__).parent
MODULES = [  # of the worker; each uses those before it
    *("special", "normalize", "patterns", "placeholders", "spelling", "truecase", "names"),
    *("frames", "tags", "sentences", "sentence", "reader", "messages"),
    "translation_memory",
    *("tokenizer", "confidence", "cells", "product", "model", "search", "translator", "worker"),
]
EXAMPLES = 4
EXAMPLE_WORDS = range(4, 9)


def write_page(folder: Path, out: Path | None = None) -> Path:
    """Write the page of a run or its model, `translator.html` in it by default; return its path.

    Raises UserError as `load_bundle` and `write_output` do.
    """
    out = out or bundle_of(folder).parent / "translator.html"
    bundle = load_bundle(folder, torch.device("cpu"))
    computing, weights = computing_facts(bundle)
    facts = _about(folder, bundle) | computing
    text = base64.b64encode(gzip.compress(weights, mtime=0)).decode()
    size_mb = len(page(facts, text).encode()) / 1e6
    write_output(out, page(facts | {"megabytes": round(size_mb, 1)}, text).encode())
    log.info("wrote %s: %.1f MB; open it in a browser", out, size_mb)
    return out


def computing_facts(bundle: Bundle, *, precision: str = "int8") -> tuple[dict[str, Any], bytes]:
    """Return what the worker must know to translate, and the weights."""
    weights, linears = packed(bundle.model, precision)
    tokenizer, config = bundle.tokenizer, bundle.config
    sides = [tokenizer.source] if tokenizer.joint else [tokenizer.source, tokenizer.target]
    truecaser = tokenizer.truecaser.to_bytes().decode()
    calibration = Calibration.of_bundle(bundle.provenance)
    facts = {
        "model": shape_facts(bundle.model, config.model.cell),
        "linears": linears,
        "weightsSha256": hashlib.sha256(weights).hexdigest(),
        "kernel": (FOLDER / "kernel.base64").read_text("ascii").strip(),
        "vocabularies": [vocabulary_data(side, config.tokenizer.kind) for side in sides],
        "truecaser": truecaser,
        "memory": tokenizer.memory.to_bytes().decode(),
        "sentences": sentence_rules(config.data.source).to_json(),
        "decoding": asdict(config.decoding),
        "calibration": calibration and calibration.weights,
    }
    return facts, weights


def page(facts: dict[str, Any], weights: str) -> str:
    """Return the page of a model's facts and of its weights, packed by gzip, in base64."""
    style, script = (_read(name) for name in ("page.css", "page.js"))
    environment = Environment(loader=PackageLoader("gru_mt.page", "."), autoescape=True)
    return environment.get_template("page.html").render(
        title=facts["title"],
        name=facts["name"],
        style=style,
        script=script,
        worker=json_in_page(f"{worker_source()}\nserve();\n"),
        weights=weights,
        facts=json_in_page(facts),
        policy=policy(
            style, script, script_src="'wasm-unsafe-eval'", worker_src="blob:", img_src="data:"
        ),
    )


def worker_source() -> str:
    """Return the worker's modules as one script, without what binds modules together."""
    parts = (_read(f"{name}.js") for name in MODULES)
    bound = "\n".join(re.sub(r"^import .*\n", "", part, flags=re.MULTILINE) for part in parts)
    return re.sub(r"^export ", "", bound, flags=re.MULTILINE)


def _read(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")


def _about(folder: Path, bundle: Bundle) -> dict[str, Any]:
    """Return what the page says of the translator."""
    data, provenance = bundle.config.data, bundle.provenance
    name = escape(bundle_of(folder).resolve().parent.name)
    return {
        "name": name,
        "title": f"{name}: {data.source} to {data.target}",
        "languages": [data.source, data.target],
        "parameters": sum(parameter.numel() for parameter in bundle.model.parameters()),
        "version": version("gru-mt"),
        "score": _score(folder),
        "corpora": provenance.get("corpora", []),
        "attribution": provenance.get("attribution"),
        "examples": _examples(find_sets(folder, "dev") or []),
    }


def _score(folder: Path) -> dict[str, Any] | None:
    """Return the test score that the run keeps; None where it keeps none."""
    run = run_of(folder, "test")
    kept = run and read_hypotheses(run, "test")
    return {**asdict(kept.sets[0].corpus_scores.multi_reference), "split": "test"} if kept else None


def _examples(dev: list[EvaluationSet]) -> list[str]:
    """Return a few sentences of dev to begin with."""
    sources = dev[0].sources if dev else []
    return [each for each in sources if len(each.split()) in EXAMPLE_WORDS][:EXAMPLES]
