"""The page of a run: one HTML file that needs nothing else, and that opens from disk.

Its policy lets no address be asked, and runs no script but its own. All text is escaped: a line of
a corpus may be markup.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from gru_mt.config.yaml_text import compare_config, short_config
from gru_mt.errors import escape
from gru_mt.evaluation.hypotheses import model_digest
from gru_mt.evaluation.score import FEW
from gru_mt.report.contents import VERSIONS, Contents, SetContents
from gru_mt.report.failures import CalibrationBin
from gru_mt.report.html import json_in_page, policy
from gru_mt.report.pictures import (
    INSTALL,
    Interval,
    Line,
    calibration,
    can_draw,
    curves,
    intervals,
)
from gru_mt.report.tables import Bucket

SEARCHED_BYTES = 600_000  # of the sentences that the page can search
REFRESH_S = 15


def page_of(contents: Contents, *, refresh: bool = False) -> str:
    """Return the page; with `refresh` it loads itself again and again, for a run that trains."""
    script = environment().get_template("search.js").render()
    name, config = escape(contents.run.folder.resolve().name), contents.config
    search = _searched(contents.sets[0]) if contents.sets else []
    values = {
        "contents": contents,
        "name": name,
        "title": f"{name}: {config.data.source} to {config.data.target}",
        "part": contents.part,
        "lead": _lead(contents),
        "facts": _facts(contents),
        "curves": [*_curves(contents.metrics)] if can_draw() else [],
        "validations": [each for each in contents.metrics if "dev_bleu" in each],
        "corpora": contents.corpus["corpora"],
        "sizes": _sizes(contents),
        "sets": [_set_values(each) for each in contents.sets],
        "provenance": _provenance(contents),
        "sections": [*_sections(contents)],
        "why_no_sets": _why_no_sets(contents),
        "short_config": short_config(contents.config),
        "whole_config": compare_config(contents.config),
        "beam_size": contents.beam_size,
        "drawn": can_draw(),
        "install": INSTALL,
        "refresh_s": REFRESH_S if refresh else None,
        "script": script,
        "search": json_in_page(search) if search else "",
        "search_rows": len(search),
        "search_left_out": len(contents.sets[0].hypotheses.texts) - len(search) if search else 0,
    }
    return render("run.html", values, script)


def table_picture(title: str, buckets: Mapping[str, Sequence[Bucket]]) -> Markup:
    """Return the BLEU of buckets of one system or several, by name; nothing without matplotlib."""
    if not can_draw():
        return Markup("")
    series = {
        name: [Interval(row.name, row.bleu.value, row.bleu.low, row.bleu.high) for row in rows]
        for name, rows in buckets.items()
    }
    return Markup(intervals(title, "BLEU", series))


def render(template: str, values: dict[str, Any], script: str = "") -> str:
    """Return a page by a template, with the style that all have and with its own policy."""
    style = environment().get_template("page.css").render()
    allowed = {"style": style, "policy": policy(style, script)}
    return environment().get_template(template).render(values | allowed)


@cache
def environment() -> Environment:
    """Return what renders the templates; all that they are given is escaped."""
    found = Environment(
        loader=PackageLoader("gru_mt.report"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.globals["few"] = FEW
    return found


def _searched(found: SetContents) -> list[Any]:
    """Return source, translation, references and chrF of as many sentences as have room."""
    rows: list[Any] = []
    size = 0
    hypotheses = found.hypotheses
    columns = hypotheses.set.sources, hypotheses.texts, hypotheses.set.references
    for row in zip(*columns, found.analysis.chrf, strict=True):
        size += len(json_in_page(row).encode())
        if size > SEARCHED_BYTES:
            break
        rows.append([*row[:3], round(row[3], 1)])
    return rows


def _lead(contents: Contents) -> str:
    """Return a sentence about what the run is."""
    provenance, summary = contents.provenance, contents.summary
    if not provenance:
        return "A run of gru-mt without a translator yet."
    pairs = f"trained on {provenance['training_pairs']:,} sentence pairs"
    if not summary:
        return f"A translator, {pairs}, that is not finished."
    return f"A translator, {pairs} in {summary['minutes']:.1f} minutes{_machine(summary)}."


def _sections(contents: Contents) -> Iterator[tuple[str, str]]:
    yield from (("reproduce", "How to make it again"), ("curves", "Training"))
    yield "corpus", "The corpus"
    names = [each.hypotheses.set.name for each in contents.sets]
    for id_, title in (("fails", "Where it fails"), ("sentences", "Sentences")):
        for place, name in enumerate(names, start=1):
            yield f"{id_}{place}", title if len(names) == 1 else f"{title}: {name}"
    if contents.sets:
        yield "search", "Search"
    yield "provenance", "Where it is from"


def _why_no_sets(contents: Contents) -> str:
    if not contents.summary:
        return "The training is not finished; translations are shown when it is."
    return f"The corpus was too small for a {contents.part} part, so no translations are shown."


def _machine(summary: dict[str, Any]) -> str:
    machine = summary["machine"]
    where = machine["gpu"] if summary["device"] != "cpu" else None
    threads = machine["threads"]
    return f" on {where or machine['cpu']}, {threads} thread{'s' if threads > 1 else ''}"


def _facts(contents: Contents) -> Iterator[tuple[str, str]]:
    summary, provenance = contents.summary, contents.provenance
    yield "seed", str(contents.config.training.seed)
    if summary:
        machine = summary["machine"]
        yield "minutes", f"{summary['minutes']:.1f}, with validations and preparation"
        yield "updates", f"{summary['step']:,} in {summary['epoch']:,} epochs"
        yield "machine", f"{machine['cpu']}, {machine['cores']} cores, {machine['isa']}"
        yield "threads, device", f"{machine['threads']}, {summary['device']}"
    if provenance:
        versions = (f"{name} {provenance[key]}" for name, key in VERSIONS.items())
        yield "versions", ", ".join(versions)


def _curves(metrics: Sequence[dict[str, Any]]) -> Iterator[tuple[Markup, str]]:
    """Yield each curve of training that there are figures for, and what is to be known of it."""
    minutes_at = [
        *{each["step"]: (each["step"], each["elapsed_s"] / 60) for each in metrics}.values()
    ]
    for title, unit, names, caption in _CURVES:
        lines = [
            Line(name, [*points], [*points.values()], points=key.startswith("dev"))
            for key, name in names
            if (points := _points(metrics, key))
        ]
        if lines:
            yield Markup(curves(title, unit, lines, minutes_at)), caption


_CURVES = (
    (
        "Loss",
        "nats a token",
        (("loss", "train"), ("dev_loss", "dev")),
        "Loss. Training has dropout, augmentation and label smoothing in it, and dev has not.",
    ),
    ("BLEU", "BLEU", (("dev_bleu", "dev"),), "BLEU on dev: greedy, all references."),
    ("Learning rate", "learning rate", (("learning_rate", "learning rate"),), "Learning rate."),
    (
        "Gradient norm",
        "norm",
        (("grad_norm", "norm"),),
        "Norm of the gradient before it is clipped, a mean over the updates between two points.",
    ),
    (
        "Speed",
        "tokens a second",
        (("tokens_s", "tokens"),),
        "Target tokens a second, without validations.",
    ),
)


def _points(metrics: Sequence[dict[str, Any]], key: str) -> dict[float, float]:
    """Return a figure by the update that it was measured at."""
    return {each["step"]: each[key] for each in metrics if each.get(key) is not None}


def _sizes(contents: Contents) -> Iterator[tuple[str, str]]:
    """Yield the sizes of the parts, and what was left out of training."""
    provenance, corpus = contents.provenance, contents.corpus
    if provenance:
        yield "train", f"{provenance['training_pairs']:,} pairs"
        for part, sets in provenance["sentences"].items():
            sizes = (f"{name} {count:,} sentences" for name, count in sets.items())
            yield part, "; ".join(sizes) or "none"
    if leaks := corpus["leaks"]:
        done = "kept, as data.leaks says" if corpus["leaks_are_kept"] else "dropped"
        counts = ", ".join(f"{name} {count:,}" for name, count in leaks.items())
        yield "share a sentence with dev or test", f"{counts}: {done}"
    for name, count in corpus["beyond_limit"].items():
        yield f"beyond the limit of {name}", f"{count:,} pairs"


def _set_values(found: SetContents) -> dict[str, Any]:
    return {
        "name": found.hypotheses.set.name,
        "sentences": len(found.hypotheses.texts),
        "scores": found.hypotheses.corpus_scores,
        "tables": [
            (each, table_picture(each.title, {"": each.buckets})) for each in found.analysis.tables
        ],
        "word_accuracy": found.analysis.word_accuracy,
        "failures": found.analysis.failures,
        "calibration": found.analysis.calibration,
        "calibration_picture": _calibration_picture(found.analysis.calibration),
        "sources": found.hypotheses.set.sources,
        "translations": found.hypotheses.texts,
        "samples": found.samples,
        "real": found.real.rows if found.real else (),
        "why_unknown": found.why_unknown,
    }


def _calibration_picture(bins: Sequence[CalibrationBin]) -> Markup:
    points = [
        (each.confidence, Interval("", each.right.value, each.right.low, each.right.high))
        for each in bins
    ]
    return Markup(calibration("Calibration", points)) if points and can_draw() else Markup("")


def _provenance(contents: Contents) -> Iterator[tuple[str, str]]:
    for each in contents.provenance.get("corpora", []):
        yield "corpus", each["name"]
        yield "SHA-256 of its text", each["sha256"]
    if credit := contents.provenance.get("attribution"):
        yield "credit", credit
    if contents.provenance:
        yield "SHA-256 of the weights", model_digest(contents.run)
    if start := contents.provenance.get("start"):
        yield "first weights", json.dumps(start, ensure_ascii=False)
