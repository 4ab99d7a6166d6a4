"""`gru-mt train --both`, there and back; `gru-mt translate --to`, by a run into a language."""

import contextlib
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from gru_mt.cli.directions import there_and_back
from gru_mt.config.load import parse_config
from gru_mt.progress import ProgressBar
from gru_mt.run import Run as Folder
from tests.command_line import CONFIG, Run, assert_one_line, run_main
from tests.conftest import Fill
from tests.training.processes import GRU_MT, bits, end, metrics, start

TRAIN = ("train", "--config", "my.yaml", "--no-report")
BACK = ("--set", "data.source=fr", "--set", "data.target=en")
OWN = "data.dev={path: [own.en, own.fr]}"  # is turned round too
SAME = ("config.yaml", "corpus.json", "dev.json", "test.json", "tokenizer.model", "data/data.json")


@pytest.fixture(scope="session")
def trained(made_once: Callable[[str, Fill], Path], small_corpus: Path) -> Path:
    """Return a folder with my.yaml, trained there and back: my-en-fr, my-fr-en, and each alone."""

    def fill(folder: Path) -> None:
        (folder / "my.yaml").write_text(CONFIG.format(corpus=small_corpus))
        (folder / "own.en").write_text("we see two dog.\nI see one cat.\nwe see two dog.\n")
        (folder / "own.fr").write_text("chien deux nous vois.\nchat un moi vois.\nchien nous !\n")
        short = ("--set", OWN, "--set", "training.max_steps=8")
        with contextlib.chdir(folder):
            assert run_main(*TRAIN, *short, "--both") == 0
            assert run_main(*TRAIN, *short, "--run", "alone/en-fr") == 0
            assert run_main(*TRAIN, *short, *BACK, "--run", "alone/fr-en") == 0

    return made_once("both", fill)


@pytest.fixture
def there(trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to a folder with a copy of my.yaml and the runs."""
    monkeypatch.chdir(shutil.copytree(trained, tmp_path / "copy"))
    return Path.cwd()


@pytest.mark.parametrize("direction", ["en-fr", "fr-en"])
def test_each_run_has_the_bits_that_it_has_alone(direction: str, trained: Path) -> None:
    both, alone = trained / "runs" / f"my-{direction}", trained / "alone" / direction
    assert bits(both) == bits(alone)
    assert metrics(both) == metrics(alone)
    for name in SAME:
        assert (both / name).read_bytes() == (alone / name).read_bytes(), name


def test_the_corpora_are_read_once_and_both_commands_are_told(there: Path, gru_mt: Run) -> None:
    command = (*TRAIN, "--both", "--set", "training.max_steps=1")
    result = gru_mt(*command, "--fresh")
    assert (result.code, result.out) == (0, "")
    said = result.err.splitlines()
    assert said.count("reading small") == said.count("splitting") == 1
    assert "now fr to en: runs/my-fr-en-2" in said
    assert said.count("420 lines read, 420 kept") == 2, "each log has it"
    assert said[-2:] == [
        'gru-mt translate --to fr "..."', 'gru-mt translate --to en "..."'
    ]  # fmt: skip
    names = {path.name for path in Path("runs").iterdir()}
    assert names == {"my-en-fr", "my-fr-en", "my-en-fr-2", "my-fr-en-2"}
    elsewhere = gru_mt(*command, "--run", "else where/fr-en").err.splitlines()
    assert elsewhere[-1] == "gru-mt translate --model 'else where/fr-en' \"...\""


def test_the_same_command_goes_on_in_the_direction_that_was_stopped(
    there: Path, gru_mt: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def update(self: ProgressBar, n: int = 1) -> None:
        self.n += n
        if self.unit == "updates" and self.n == 3:
            os.kill(os.getpid(), signal.SIGINT)

    command = (*TRAIN, "--both", "--run", "new/my", "--set", OWN, "--set", "training.max_steps=8")
    there_run, back_run = (Folder(Path(f"new/my-{name}")) for name in ("en-fr", "fr-en"))
    with monkeypatch.context() as patch:
        patch.setattr(ProgressBar, "update", update)
        assert gru_mt(*command).code == 130
        assert not back_run.folder.exists(), "the whole has stopped"
        assert gru_mt(*command).code == 130
    assert there_run.summary.exists()
    assert not back_run.summary.exists()
    assert gru_mt(*command).code == 0
    for run in (there_run, back_run):
        assert bits(run.folder) == bits(there / "runs" / run.folder.name)


@pytest.mark.parametrize(
    ("settings", "parts"),
    [
        (["--from", "runs/my-en-fr"], ["--both: training.start (--from) is a run"]),
        (["--set", "data.corpus=[own.en, {path: own.fr, side: target}]",
          "--set", "data.back_translate=runs/my-fr-en"],
         ["--both: data.corpus.1 is text in fr alone (side: target); leave it out"]),
        (["--set", "data.teachers=[runs/my-en-fr]"], ["--both: data.teachers are runs, which"]),
        (["--set", "data.test={path: [own.en, own.fr, own.fr]}"], ["data.test has 2 files in fr"]),
        (["--set", "evaluation.bleu_tokenizer=zh"], ["evaluation.bleu_tokenizer zh"]),
        (["--set", "data.test={path: [gap.en, own.fr]}"], ["gap.en:2: the sentence has no ref"]),
        (["--run", "runs/taken"], ["runs/taken-fr-en: holds something else than a run"]),
        (["--run", "runs/en-fr"], ["runs/fr-en: the run was started with another configuration"]),
    ],
)  # fmt: skip
def test_what_is_wrong_with_either_direction_is_told_before_the_first_begins(
    settings: list[str], parts: list[str], there: Path, gru_mt: Run
) -> None:
    Path("gap.en").write_text("one\n\nthree\n")
    Path("runs/taken-fr-en").mkdir()
    Path("runs/taken-fr-en/letters.txt").touch()
    shutil.copytree("runs/my-fr-en", "runs/fr-en")
    before = {*Path("runs").iterdir()}
    run = [] if "--run" in settings else ["--run", "runs/new"]
    assert_one_line(gru_mt(*TRAIN, "--both", *run, *settings), *parts)
    assert {*Path("runs").iterdir()} == before
    alone = gru_mt("train", "--both", "--run", "runs/my-en-fr")
    assert_one_line(alone, "--both: give --config")


@pytest.mark.parametrize(
    ("languages", "folder", "names"),
    [
        ("[en, fr]", "runs/my", ("my-en-fr", "my-fr-en")),
        ("[en, ja]", "runs/en-ja", ("en-ja", "ja-en")),
        ("[en, fr]", "runs/fr-en", ("en-fr", "fr-en")),
        ("[en, fr]", "runs/pets_en-fr-2", ("pets_en-fr-2", "pets_fr-en-2")),
        ("[en, fr]", "runs/garden-france", ("garden-france-en-fr", "garden-france-fr-en")),
        ("[Old English, zh-CN]", "x", ("x-Old English-zh-CN", "x-zh-CN-Old English")),
    ],
)
def test_a_run_is_named_by_its_direction(
    languages: str, folder: str, names: tuple[str, str]
) -> None:
    source, target = languages.strip("[]").split(", ")
    text = f"data: {{corpus: a.tsv, languages: {languages}, source: {source}, target: {target}}}"
    runs = there_and_back(parse_config(text, where="my.yaml"), Path(folder))
    assert tuple(run.folder.name for run in runs) == names
    assert {run.folder.parent for run in runs} == {Path(folder).parent}
    assert [(each.data.source, each.data.target) for each in runs.values()] == [
        (source, target), (target, source)
    ]  # fmt: skip


@pytest.mark.slow
def test_processes_train_both_directions_to_the_same_bits(there: Path) -> None:
    command = (*TRAIN, "--both", "--run", "two/my", "--set", OWN, "--set", "training.max_steps=8")
    code, errors = end(start([*GRU_MT, *command, "--processes", "2"]))
    assert code == 0, errors
    for name in ("my-en-fr", "my-fr-en"):
        assert bits(there / "two" / name) == bits(there / "runs" / name)


def test_a_language_chooses_the_newest_run_into_it_or_is_refused_in_one_line(
    there: Path, gru_mt: Run
) -> None:
    shutil.copytree("runs/my-en-fr", "runs/older")
    os.utime("runs/older/summary.json", (1, 1))
    Path("runs/damaged").mkdir()
    Path("runs/damaged/summary.json").touch()
    for language, used in (("French", "my-en-fr"), ("FRA", "my-en-fr"), ("en-GB", "my-fr-en")):
        result = gru_mt("translate", "--to", language, "we see.")
        assert (result.code, result.out.count("\n")) == (0, 1)
        assert result.err.splitlines()[0] == f"using runs/{used}"
    gru_mt("correct", "--to", "en", "nous voyons.", "We see it.")
    assert Path("runs/my-fr-en/corrections.jsonl").is_file()
    told = "--to de: no finished run in runs/ translates into it; there are runs into en, fr"
    assert_one_line(gru_mt("translate", "--to", "de", "x"), told)
    both = gru_mt("translate", "--to", "fr", "--model", "runs/my-en-fr", "x")
    assert_one_line(both, "give --model or --to, not both")
    shutil.rmtree("runs")
    assert_one_line(
        gru_mt("translate", "--to", "de", "x"), "no finished run in ", "runs: train one"
    )
