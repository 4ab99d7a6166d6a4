"""The page of a run: one HTML file that needs nothing else, and that opens from disk."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from gru_mt.bundle import PROVENANCE, read_provenance
from gru_mt.config.yaml_text import compare_config, short_config
from gru_mt.errors import UserError, escape
from gru_mt.evaluation.hypotheses import model_digest
from gru_mt.report.contents import Contents, Say, SetContents, contents_of
from gru_mt.report.failures import CalibrationBin
from gru_mt.report.html import environment, json_in_page, render
from gru_mt.report.pictures import calibration, curves, intervals
from gru_mt.report.tables import Bucket, Table
from gru_mt.run import Run
from gru_mt.storage import read_json, write_output
from gru_mt.training.output.lock import is_locked

SEARCHED_BYTES = 600_000  # of the sentences that the page can search
REFRESH_S = 15
VERSIONS = {"gru-mt": "gru_mt", "torch": "torch", "Python": "python"}  # keys of a provenance
_CURVES = (  # title, unit, keys of the metrics with their names, caption
    (
        "Loss",
        "nats a token",
        {"loss": "train", "dev_loss": "dev"},
        "Loss. Training has dropout, augmentation and label smoothing in it, and dev has not.",
    ),
    ("BLEU", "BLEU", {"dev_bleu": "dev"}, "BLEU on dev: greedy, all references."),
    ("Learning rate", "learning rate", {"learning_rate": "learning rate"}, "Learning rate."),
    (
        "Gradient norm",
        "norm",
        {"grad_norm": "norm"},
        "Norm of the gradient before it is clipped, a mean over the updates between two points.",
    ),
    (
        "Speed",
        "tokens a second",
        {"tokens_s": "tokens"},
        "Target tokens a second, without validations.",
    ),
)


def write_report(run: Run, out: Path, split: str = "test", *, say: Say) -> None:
    """Write the page of a run to a file; a split without hypotheses is translated first.

    Raises UserError as `contents_of` and `write_output` do.
    """
    write_output(out, page_of(contents_of(run, split, say=say)).encode())


def watch(run: Run, out: Path, split: str = "test", *, say: Say) -> None:
    """Write the page again and again while the run trains, without translations, which take time.

    At the end it has them, as `write_report` writes it.
    """
    say(f"{out} is written again every {REFRESH_S} s while {run.folder} trains")
    while is_locked(run):
        if run.config.is_file():  # it is written when the corpus is prepared
            contents = contents_of(run, split, say=say, translating=False)
            write_output(out, page_of(contents, refresh=True).encode())
        time.sleep(REFRESH_S)
    write_report(run, out, split, say=say)


def page_of(contents: Contents, *, refresh: bool = False) -> str:
    """Return the page; with `refresh` it loads itself again and again, for a run that trains.

    Raises UserError where a file of the run is damaged.
    """
    run, config, sets = contents.run, contents.config, contents.sets
    script = environment().get_template("search.js").render()
    name = escape(run.folder.resolve().name)
    search = _searched(sets[0]) if sets else []
    metrics, _ = run.read_metrics()
    summary = read_json(run.summary) if run.summary.is_file() else {}
    provenance = _provenance(run)
    corpus = read_json(run.corpus_report)
    values = {
        "contents": contents,
        "name": name,
        "title": f"{name}: {config.data.source} to {config.data.target}",
        "lead": _lead(provenance, summary),
        "metadata": _metadata(config.training.seed, summary, provenance),
        "curves": [*_curves(metrics)],
        "validations": [line for line in metrics if "dev_bleu" in line],
        "corpora": corpus["corpora"],
        "sizes": _sizes(provenance, corpus),
        "pictures": [[*map(_table_picture, one.analysis.tables)] for one in sets],
        "calibrations": [_calibration_picture(one.analysis.calibration) for one in sets],
        "provenance": _provenance_rows(run, provenance),
        "sections": [*_sections(contents)],
        "is_finished": bool(summary),
        "short_config": short_config(config),
        "whole_config": compare_config(config),
        "refresh_s": REFRESH_S if refresh else None,
        "script": script,
        "search": json_in_page(search) if search else "",
        "search_rows": len(search),
    }
    return render("run.html", values, script)


def _provenance(run: Run) -> dict[str, Any]:
    """Return the provenance of a run's weights; empty until there are any."""
    if not run.bundle.is_dir():
        return {}
    provenance = read_provenance(run.bundle)
    if missing := sorted({"training_pairs", "sentences", *VERSIONS.values()} - provenance.keys()):
        raise UserError(f"{run.bundle / PROVENANCE}: damaged: it has no {missing[0]}")
    return provenance


def scores_picture(title: str, buckets: Mapping[str, Sequence[Bucket]]) -> Markup:
    """Return the BLEU of buckets of one system or several, by name; empty without matplotlib."""
    names = [bucket.name for bucket in next(iter(buckets.values()))]
    series = {name: [bucket.bleu for bucket in rows] for name, rows in buckets.items()}
    return intervals(title, "BLEU", names, series)


def _table_picture(table: Table) -> Markup:
    return scores_picture(table.title, {"": table.buckets})


def _calibration_picture(bins: Sequence[CalibrationBin]) -> Markup:
    points = [(found.confidence, found.right) for found in bins]
    return calibration("Calibration", points) if points else Markup("")


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


def _lead(provenance: dict[str, Any], summary: dict[str, Any]) -> str:
    """Return a sentence about what the run is."""
    if not provenance:
        return "A run of gru-mt without a translator yet."
    pairs = f"trained on {provenance['training_pairs']:,} sentence pairs"
    if not summary:
        return f"A translator, {pairs}, that is not finished."
    machine = summary["machine"]
    where = (machine["gpu"] if summary["device"] != "cpu" else None) or machine["cpu"]
    threads = f"{machine['threads']} thread{'s' if machine['threads'] > 1 else ''}"
    return f"A translator, {pairs} in {summary['minutes']:.1f} minutes on {where}, {threads}."


def _sections(contents: Contents) -> Iterator[tuple[str, str]]:
    """Yield the id and the title of each section."""
    yield from (("reproduce", "Reproduce"), ("curves", "Training"), ("corpus", "Corpus"))
    names = [one.hypotheses.set.name for one in contents.sets]
    for id_, title in (("fails", "Where it fails"), ("sentences", "Sentences")):
        for number, name in enumerate(names, start=1):
            yield f"{id_}{number}", title if len(names) == 1 else f"{title}: {name}"
    if names:
        yield "search", "Search"
    yield "provenance", "Provenance"


def _metadata(
    seed: int, summary: dict[str, Any], provenance: dict[str, Any]
) -> Iterator[tuple[str, str]]:
    yield "seed", str(seed)
    if summary:
        machine = summary["machine"]
        yield "minutes", f"{summary['minutes']:.1f}, with validations and preparation"
        yield "updates", f"{summary['step']:,} in {summary['epoch']:,} epochs"
        yield "machine", f"{machine['cpu']}, {machine['cores']} cores, {machine['isa']}"
        yield "threads, device", f"{machine['threads']}, {summary['device']}"
    if provenance:
        yield "versions", ", ".join(f"{name} {provenance[key]}" for name, key in VERSIONS.items())


def _curves(metrics: Sequence[dict[str, Any]]) -> Iterator[tuple[Markup, str]]:
    """Yield the curves of training that there are figures for, and their captions."""
    minutes_at = {line["step"]: line["elapsed_s"] / 60 for line in metrics}
    for title, unit, names, caption in _CURVES:
        series = {
            name: {line["step"]: line[key] for line in metrics if line.get(key) is not None}
            for key, name in names.items()
        }
        known = {name: value_at for name, value_at in series.items() if value_at}
        if known and (picture := curves(title, unit, known, minutes_at)):
            yield picture, caption


def _sizes(provenance: dict[str, Any], corpus: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the sizes of the splits, and what was left out of training."""
    if provenance:
        yield "train", f"{provenance['training_pairs']:,} pairs"
        for split, sets in provenance["sentences"].items():
            sizes = (f"{name} {count:,} sentences" for name, count in sets.items())
            yield split, "; ".join(sizes) or "none"
    if leaks := corpus["leaks"]:
        done = "kept, as data.leaks says" if corpus["leaks_are_kept"] else "dropped"
        counts = ", ".join(f"{name} {count:,}" for name, count in leaks.items())
        yield "share a sentence with dev or test", f"{counts}: {done}"
    for name, count in corpus["beyond_limit"].items():
        yield f"beyond the limit of {name}", f"{count:,} pairs"


def _provenance_rows(run: Run, provenance: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for corpus in provenance.get("corpora", []):
        yield "corpus", corpus["name"]
        yield "SHA-256 of its text", corpus["sha256"]
    if credit := provenance.get("attribution"):
        yield "credit", credit
    if provenance:
        yield "SHA-256 of the weights", model_digest(run)
    if start := provenance.get("start"):
        yield "first weights", json.dumps(start, ensure_ascii=False)
