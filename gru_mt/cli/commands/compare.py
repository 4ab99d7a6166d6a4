"""`gru-mt compare`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gru_mt.cli.app import Command, JsonOption, app
from gru_mt.cli.streams import print_json, print_result, require_stdout, say
from gru_mt.errors import UserError, short_text
from gru_mt.evaluation.score import BleuTokenizer

if TYPE_CHECKING:
    from gru_mt.evaluation.compare import Comparison
    from gru_mt.evaluation.groups import GroupComparison
    from gru_mt.evaluation.systems import System

EXAMPLES = """\b
Examples:
  gru-mt compare runs/my runs/my-2
  gru-mt compare --group small=runs/s1,runs/s2 --group large=runs/l1,runs/l2
  gru-mt compare runs/my runs/my-2 --html compare.html
  gru-mt compare ours.txt theirs.txt --reference test.fr --source test.en
"""


@app.command(cls=Command, epilog=EXAMPLES)
def compare(
    systems: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="RUN", help="Runs that `eval` has scored, or files; the first is the baseline."
        ),
    ] = None,
    group: Annotated[
        list[str],
        typer.Option(
            metavar="NAME=RUN,RUN",
            help="Runs that differ by their seeds: how far scores spread; may be given again.",
        ),
    ] = [],  # noqa: B006 typer wants a list, and nobody changes it
    split: Annotated[
        Literal["dev", "test"] | None,
        typer.Option(help="The part of the runs' corpus.  [default: test]"),
    ] = None,
    reference: Annotated[
        list[Path],
        typer.Option(metavar="FILE", help="Compare files by it; may be given several times."),
    ] = [],  # noqa: B006 typer wants a list, and nobody changes it
    source: Annotated[
        Path | None, typer.Option(metavar="FILE", help="What the files are translations of.")
    ] = None,
    bleu_tokenizer: Annotated[
        BleuTokenizer | None,
        typer.Option(
            help="How sacreBLEU splits words; else as in the runs, or by the reference's ending."
        ),
    ] = None,
    as_json: JsonOption = False,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page too; not of groups.")
    ] = None,
) -> None:
    """Compare runs: is one better, or may it be chance?

    BLEU and chrF come with sacreBLEU's tests of significance. Of two runs, the sentences and
    n-grams that changed most are shown too.
    """
    require_stdout()
    systems = systems or []
    _check(systems, group, split, reference, source)
    if html:
        _check_page(html, group)
    from dataclasses import asdict

    from gru_mt.evaluation.compare import compare as compare_systems
    from gru_mt.evaluation.compare_lines import comparison_lines, group_lines
    from gru_mt.evaluation.systems import read_files, read_systems

    if group:
        spreads = _compare_groups(group, split or "test", bleu_tokenizer)
        found: Comparison | GroupComparison = spreads
        lines = group_lines(spreads)
    else:
        if reference:
            named = read_files(systems, reference, source, bleu_tokenizer or "auto")
        else:
            named = read_systems(systems, split or "test", bleu_tokenizer)
        comparison = compare_systems(named, "" if reference else split or "test", say=say)
        found, lines = comparison, comparison_lines(comparison)
        if html:
            _write_page(html, comparison, named[0], systems[0])
    for name in found.left_out:
        say(f"note: {short_text(name)} is not compared, because not all have it")
    if as_json:
        print_json(asdict(found))
        return
    for line in lines:
        print_result(line)


def _check(
    systems: list[Path],
    groups: list[str],
    split: str | None,
    reference: list[Path],
    source: Path | None,
) -> None:
    """Raise UserError for arguments that do not belong together."""
    if groups and (systems or reference):
        raise UserError("--group: give groups of runs, or runs, or files with --reference")
    if not groups and len(systems) < 2:
        raise UserError("give two or more runs to compare, or files with --reference")
    if source and not reference:
        raise UserError("--source belongs to files; give their --reference too")
    if split and reference:
        raise UserError("--split is a part of a run; files with --reference have none")


def _compare_groups(texts: list[str], part: str, bleu_tokenizer: str | None) -> "GroupComparison":
    from gru_mt.evaluation.groups import compare_groups, divided
    from gru_mt.evaluation.systems import read_systems

    groups: dict[str, list[Path]] = {}
    for text in texts:
        name, _, runs = text.partition("=")
        if not name or not all(runs.split(",")):
            raise UserError(f"--group {short_text(text)}: expected NAME=RUN,RUN")
        if name in groups:
            raise UserError(f"--group {short_text(name)}: is given twice")
        groups[name] = [*map(Path, runs.split(","))]
    systems = read_systems([run for runs in groups.values() for run in runs], part, bleu_tokenizer)
    members = divided(systems, [*map(len, groups.values())])
    return compare_groups(dict(zip(groups, members, strict=True)), part)


def _check_page(html: Path, group: list[str]) -> None:
    from gru_mt.storage import check_output

    if group:
        raise UserError("--html shows runs or files, not groups")
    check_output(html)


def _write_page(html: Path, comparison: "Comparison", baseline: "System", folder: Path) -> None:
    """Write the page of a comparison, with what is known of the baseline's training split.

    `folder` is the baseline's, or its file.
    """
    from gru_mt.evaluation.hypotheses import run_of
    from gru_mt.evaluation.overlap import read_train_overlap
    from gru_mt.report.compare_page import comparison_page
    from gru_mt.storage import write_output

    known = {}
    if comparison.part:
        sets = [each.set.name for each in baseline.outputs]
        run = run_of(folder, comparison.part)
        found = read_train_overlap(run, comparison.part) if run else []
        known = dict(zip(sets, found, strict=True)) if found else {}
    write_output(html, comparison_page(comparison, baseline.bleu_tokenizer, known).encode())
