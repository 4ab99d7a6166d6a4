"""Write a translator as one HTML file: the page, its worker, the weights and the vocabularies.

A browser opens it from disk. Its policy lets it ask no address. Whatever comes from a corpus is
data in it, never markup or code.
"""

import base64
import gzip
import logging
import re
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from jinja2 import Environment, PackageLoader

from gru_mt.bundle import Bundle, load_bundle
from gru_mt.data.corpus.languages import CODE_BY_NAME
from gru_mt.data.text.normalize import count_words
from gru_mt.errors import escape
from gru_mt.evaluation.evaluate import find_sets
from gru_mt.evaluation.hypotheses import read_hypotheses, run_of
from gru_mt.page.model_data import FOLDER, model_data
from gru_mt.report.html import json_in_page, policy
from gru_mt.run import bundle_of, named
from gru_mt.storage import write_output

log = logging.getLogger(__name__)

EXAMPLES = 4
EXAMPLE_WORDS = range(4, 9)


def write_page(folder: Path, out: Path | None = None, name: str = "") -> Path:
    """Write the page of a run or its model, `translator.html` in it by default; return its path.

    It is called `name`, or as the run is.

    Raises UserError as `load_bundle` and `write_output` do.
    """
    out = out or named(bundle_of(folder)).parent / "translator.html"
    bundle = load_bundle(folder, torch.device("cpu"))
    data, weights = model_data(bundle)
    metadata = _about(folder, bundle, name) | data
    text = base64.b64encode(gzip.compress(weights, mtime=0)).decode()
    size_mb = len(page(metadata | {"megabytes": 0.1}, text).encode()) / 1e6
    write_output(out, page(metadata | {"megabytes": round(size_mb, 1)}, text).encode())
    log.info("wrote %s: %.1f MB; open it in a browser", out, size_mb)
    return out


def page(metadata: dict[str, Any], weights: str) -> str:
    """Return the page of a model's data and of its weights, packed by gzip, in base64."""
    style = (FOLDER / "page.css").read_text("utf-8")
    script = joined("page.js")
    environment = Environment(loader=PackageLoader("gru_mt.page", "."), autoescape=True)
    return environment.get_template("page.html").render(
        title=metadata["title"],
        name=metadata["name"],
        style=style,
        script=script,
        worker=json_in_page(f"{joined('worker.js')}\nserve();\n"),
        weights=weights,
        metadata=json_in_page(metadata),
        policy=policy(
            style,
            script,
            script_sources="'wasm-unsafe-eval'",
            more="worker-src blob:; img-src data:",
        ),
    )


def joined(module: str) -> str:
    """Return a module of JavaScript as one script: what it imports first, and nothing twice."""
    texts: dict[Path, str] = {}

    def add(path: Path) -> None:
        text = path.read_text("utf-8")
        for imported in re.findall(r'^import .* from "(.+)";$', text, re.MULTILINE):
            if (found := (path.parent / imported).resolve()) not in texts:
                add(found)
        texts[path] = re.sub(r"^import .*\n", "", text, flags=re.MULTILINE)

    add(FOLDER / module)
    return re.sub(r"^export ", "", "\n".join(texts.values()), flags=re.MULTILINE)


def _about(folder: Path, bundle: Bundle, name: str) -> dict[str, Any]:
    data, provenance = bundle.config.data, bundle.provenance
    name = escape(name or bundle_of(folder).resolve().parent.name)
    run = run_of(folder, "test")
    tested = read_hypotheses(run, "test") if run else None
    score = asdict(tested.sets[0].corpus_scores.multi_reference) if tested else None
    dev = find_sets(folder, "dev")
    sources = dev[0].sources if dev else []
    examples = [text for text in sources if count_words(text) in EXAMPLE_WORDS]
    return {
        "name": name,
        "title": f"{name}: {data.source} to {data.target}",
        "languages": [CODE_BY_NAME.get(each.lower(), each) for each in (data.source, data.target)],
        "parameters": sum(parameter.numel() for parameter in bundle.model.parameters()),
        "version": version("gru-mt"),
        "score": score and score | {"split": "test"},
        "corpora": [  # without the folders of this machine
            {key: corpus[key] for key in ("name", "sha256")}
            for corpus in provenance.get("corpora", [])
        ],
        "attribution": provenance.get("attribution"),
        "examples": examples[:EXAMPLES],
    }
