"""The page of a run: one HTML file that needs nothing else, and that opens from disk."""

import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from gru_mt.bundle import read_provenance
from gru_mt.config.yaml_text import compare_config, short_config
from gru_mt.corrections.store import Correction, read_corrections
from gru_mt.data.corpus.languages import language_code
from gru_mt.data.splits import Splits
from gru_mt.errors import UserError, escape
from gru_mt.evaluation.hypotheses import model_digest
from gru_mt.report.contents import Contents, Say, SetContents, contents_of
from gru_mt.report.html import environment, json_in_page, render
from gru_mt.report.pictures import curves
from gru_mt.run import PROVENANCE, Run
from gru_mt.storage import read_checksummed_json, read_json, write_output
from gru_mt.training.output.lock import is_locked

SEARCHED_BYTES = 600_000  # of the sentences that the page can search
REFRESH_S = 15
NEEDED = {"training_pairs", "sentences", "gru_mt", "torch", "python"}  # of a provenance
_CURVES = [  # title, unit, keys of the metrics, caption
    ("Loss", "nats a token", ("loss", "dev_loss"),
     "Loss. Training has dropout, augmentation and label smoothing in it, and dev has not."),
    ("BLEU", "BLEU", ("dev_bleu",), "BLEU on dev: greedy, all references."),
    ("Learning rate", "learning rate", ("learning_rate",), "Learning rate."),
    ("Gradient norm", "norm", ("grad_norm",),
     "Norm of the gradient before it is clipped, a mean over the updates between two points."),
    ("Speed", "tokens a second", ("tokens_s",), "Target tokens a second, without validations."),
]  # fmt: skip


def write_report(
    run: Run, out: Path, split: str = "test", *, say: Say, splits: Splits | None = None
) -> Contents:
    """Write the page of a run to a file, and return what is on it.

    A split without hypotheses is translated first. `splits` are those of the run, if its corpora
    have been read. Raises UserError as `contents_of` and `write_output` do.
    """
    contents = contents_of(run, split, say=say, splits=splits)
    write_output(out, page_of(contents).encode())
    return contents


def watch(run: Run, out: Path, split: str = "test", *, say: Say) -> None:
    """Write the page again and again while the run trains, without translations, which take time.

    At the end it has them, as `write_report` writes it.
    """
    say(f"{out} is written again every {REFRESH_S} s while {run.folder} trains")
    while is_locked(run):
        if run.corpus_report.is_file():  # it is written last when the corpus is prepared
            contents = contents_of(run, split, say=say, translating=False)
            write_output(out, page_of(contents, refresh=True).encode())
        time.sleep(REFRESH_S)
    write_report(run, out, split, say=say)


def page_of(contents: Contents, *, refresh: bool = False) -> str:
    """Return the page; with `refresh` it loads itself again and again, for a run that trains.

    Raises UserError where a file of the run is damaged.
    """
    run, config, sets = contents.run, contents.config, contents.sets
    provenance = {}
    if run.bundle.is_dir():
        provenance = read_provenance(run.bundle)
        if missing := sorted(NEEDED - provenance.keys()):
            raise UserError(f"{run.bundle / PROVENANCE}: damaged: it has no {missing[0]}")
    script = environment().get_template("search.js").render()
    name = escape(run.folder.resolve().name)
    search = _searched(sets[0]) if sets else []
    metrics, _ = run.read_metrics()
    values = {
        "contents": contents,
        "name": name,
        "title": f"{name}: {config.data.source} to {config.data.target}",
        "codes": [language_code(name) for name in (config.data.source, config.data.target)],
        "summary": read_json(run.summary) if run.summary.is_file() and not refresh else {},
        "provenance": provenance,
        "curves": [*_curves(metrics)],
        "validations": [line for line in metrics if "dev_bleu" in line],
        "corpus_report": read_json(run.corpus_report),
        "weights_sha256": model_digest(run) if provenance else "",
        "corrections": _corrections(run) if provenance else [],
        "start": json.dumps(provenance.get("start"), ensure_ascii=False),
        "short_config": short_config(config),
        "whole_config": compare_config(config),
        "refresh_s": REFRESH_S if refresh else None,
        "script": script,
        "search": json_in_page(search) if search else "",
        "search_rows": len(search),
    }
    return render("run.html", values, script)


def _corrections(run: Run) -> list[tuple[Correction, str | None]]:
    """Return the corrections, the newest first, and the model's own translation of each.

    That is what `gru_mt.corrections.learn` found; None where it has not asked this model.
    """
    learned = read_checksummed_json(run.learned) if run.learned.is_file() else {}
    texts = learned["texts"] if learned.get("model") == model_digest(run) else {}
    return [(one, texts.get(one.source)) for one in reversed(read_corrections(run.folder))]


def _searched(found: SetContents) -> list[Any]:
    """Return source, translation, references and chrF of as many sentences as have room."""
    rows: list[Any] = []
    size = 0
    hypotheses = found.hypotheses
    columns = hypotheses.set.sources, hypotheses.texts, hypotheses.set.references
    for row in zip(*columns, found.chrf, strict=True):
        size += len(json_in_page(row).encode())
        if size > SEARCHED_BYTES:
            break
        rows.append([*row[:3], round(row[3], 1)])
    return rows


def _curves(metrics: Sequence[dict[str, Any]]) -> Iterator[tuple[Markup, str]]:
    minutes_at = {line["step"]: line["elapsed_s"] / 60 for line in metrics}
    for title, unit, keys, caption in _CURVES:
        series = {}
        for key in keys:
            value_at = {line["step"]: line[key] for line in metrics if line.get(key) is not None}
            if value_at:
                series["dev" if key.startswith("dev_") else "train"] = value_at
        if series:
            yield curves(title, unit, series, minutes_at), caption
