"""A trained run whose test split has what a page must not take for markup."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from gru_mt.report.page import write_report
from gru_mt.run import Run
from gru_mt.training.train import train
from tests.conftest import Configure, Fill

NASTY = [
    "<script>document.title = 'owned'</script> I see one cat.",
    "</script><img src=https://example.org/x.png onerror=alert(1)>",
    "<!-- I see & you \"see\" 'one' cat.",
    "{{ 7 * 7 }} {% raw %} I want two dog.",
    "אני רואה חתול אחד.",
    "猫を一匹見ます。",
]


@pytest.fixture(scope="session")
def trained(
    small_corpus: Path, small_config: Configure, made_once: Callable[[str, Fill], Path]
) -> Run:
    """Return a finished run that keeps no translations yet."""

    def fill(folder: Path) -> None:
        corpus = shutil.copy(small_corpus, folder / "pairs.tsv")
        sources = NASTY + [f"they see {word} key." for word in ("one", "two", "three", "four")] * 10
        for ending, texts in (("en", sources), ("fr", [f"{text} <b>!" for text in sources])):
            (folder / f"test.{ending}").write_text("".join(f"{text}\n" for text in texts), "utf-8")
        test = f"data.test={{path: [{folder}/test.en, {folder}/test.fr]}}"
        short = ["training.log_steps=5", "training.max_steps=15"]
        config = small_config(f"data.corpus={corpus}", test, *short)
        train(config, folder / "runs" / "small <b>")

    return Run(made_once("report", fill) / "runs" / "small <b>")


@pytest.fixture(scope="session")
def page(trained: Run, made_once: Callable[[str, Fill], Path]) -> Path:
    """Return the report of that run, in a file."""

    def fill(folder: Path) -> None:
        copy = Run(folder / trained.folder.name)
        shutil.copytree(trained.folder, copy.folder)
        write_report(copy, copy.report, say=lambda _: None)

    return Run(made_once("page", fill) / trained.folder.name).report


@pytest.fixture
def run(page: Path, tmp_path: Path) -> Run:
    """Return a copy of that run with its report."""
    shutil.copytree(page.parent, tmp_path / page.parent.name)
    return Run(tmp_path / page.parent.name)
