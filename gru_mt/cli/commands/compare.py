"""`gru-mt compare`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from gru_mt.cli.app import Command, JsonOption, app
from gru_mt.cli.streams import print_json, print_result, require_stdout, say
from gru_mt.errors import UserError, short_text
from gru_mt.evaluation.bleu_tokenizer import BleuTokenizer

if TYPE_CHECKING:
    from gru_mt.evaluation.compare import Comparison, GroupComparison
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
    ] = [],
    split: Annotated[
        Literal["dev", "test"] | None,
        typer.Option(help="The split of the runs' corpus.  [default: test]"),
    ] = None,
    reference: Annotated[
        list[Path],
        typer.Option(metavar="FILE", help="Compare files by it; may be given several times."),
    ] = [],
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
    paths = systems or []
    mistakes = {
        "--group: give groups of runs, or runs, or files with --reference": group
        and (paths or reference),
        "give two or more runs to compare, or files with --reference": not group and len(paths) < 2,
        "--source belongs to files; give their --reference too": source and not reference,
        "--split belongs to runs; files with --reference have none": split and reference,
        "--html shows runs or files, not groups": html and group,
    }
    for message, is_made in mistakes.items():
        if is_made:
            raise UserError(message)
    groups = _groups(group)
    paths += [run for runs in groups.values() for run in runs]
    from dataclasses import asdict

    from gru_mt.cli.comparison import comparison_lines, group_lines
    from gru_mt.evaluation.compare import compare_groups, compare_systems
    from gru_mt.evaluation.systems import read_systems
    from gru_mt.storage import check_output

    if html:
        check_output(html, reads=[*paths, *reference, *([source] if source else [])])
    used_split = "" if reference else split or "test"
    read = read_systems(paths, reference, source, used_split, bleu_tokenizer)
    found: Comparison | GroupComparison
    if groups:
        of_path = dict(zip(paths, read, strict=True))
        members = {name: [of_path[run] for run in runs] for name, runs in groups.items()}
        found = compare_groups(members, used_split)
        lines = group_lines(found)
    else:
        found = compare_systems(read, used_split, say)
        lines = comparison_lines(found)
        if html:
            _write_page(html, found, read[0], paths[0])
    for name in found.left_out:
        say(f"note: {short_text(name)} is not compared, because not all have it")
    if as_json:
        values = asdict(found)
        print_json({"part": values.pop("split")} | values)
    else:
        print_result("\n".join(lines))


def _groups(texts: list[str]) -> dict[str, list[Path]]:
    """Return the runs of each group: ["a=x,y"] -> {"a": [x, y]}."""
    groups: dict[str, list[Path]] = {}
    for text in texts:
        name, _, runs = text.partition("=")
        if not name or not all(runs.split(",")):
            raise UserError(f"--group {short_text(text)}: expected NAME=RUN,RUN")
        if name in groups:
            raise UserError(f"--group {short_text(name)}: is given twice")
        groups[name] = [*map(Path, runs.split(","))]
    return groups


def _write_page(html: Path, comparison: "Comparison", baseline: "System", folder: Path) -> None:
    """Write the page of a comparison; `folder` is the baseline's, or its file."""
    from gru_mt.evaluation.hypotheses import run_of
    from gru_mt.evaluation.overlap import read_train_overlap
    from gru_mt.report.compare_page import comparison_page
    from gru_mt.storage import write_output

    overlaps = {}
    if comparison.split and (run := run_of(folder, comparison.split)):
        names = [one.name for one, _ in baseline.outputs]
        overlaps = dict(zip(names, read_train_overlap(run, comparison.split), strict=False))
    write_output(html, comparison_page(comparison, baseline.bleu_tokenizer, overlaps).encode())
