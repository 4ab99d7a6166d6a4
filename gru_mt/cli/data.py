"""`gru-mt data`."""

from pathlib import Path
from typing import Annotated

import typer

from gru_mt.cli.app import Command, SetOption, app
from gru_mt.cli.streams import say

EXAMPLES = """\b
Examples:
  gru-mt data --config configs/fra-eng.yaml --out text
"""


@app.command("data", cls=Command, epilog=EXAMPLES)
def export_data(
    config: Annotated[Path, typer.Option(metavar="FILE", help="The configuration, in YAML.")],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="The folder to write into.")],
    overrides: SetOption = [],  # noqa: B006 typer wants a list, and nobody changes it
) -> None:
    """Write a configuration's split as plain text. Other toolkits can read it."""
    from gru_mt.config_file import load_config
    from gru_mt.data.corpus import corpus_files, load_corpus
    from gru_mt.data.split import split_corpus
    from gru_mt.export.plain_text import write_split

    data = load_config(config, overrides).data
    corpus = load_corpus(data)
    split = split_corpus(corpus, data)
    reads = [config, *corpus_files(data)]
    write_split(split, out, data.source, data.target, reads=reads)
    for line in [*corpus.report.lines(), split.summary(), *corpus.warnings, corpus.attribution]:
        if line:
            say(line)
