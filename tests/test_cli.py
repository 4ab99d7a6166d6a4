"""The commands, as a user types them: what they print where, and how mistakes end."""

import gzip
import io
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest
import typer.main

from gru_mt.cli import app
from gru_mt.config.decoding import Decoding
from gru_mt.config.load import load_config
from gru_mt.corrections.store import corrections_file
from gru_mt.data.corpus.files import CorpusFile
from gru_mt.data.corpus.text_stream import TextStream, open_text
from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.errors import Interrupted, UserError
from gru_mt.evaluation.hypotheses import run_of
from gru_mt.evaluation.robustness.measure import RobustnessReport, Row
from gru_mt.evaluation.score import corpus_bleu
from gru_mt.model.fast.waiting import TASKS
from gru_mt.run import Run as Folder
from gru_mt.training.output import lock
from gru_mt.training.output.lock import is_locked
from tests.command_line import Result, Run, assert_one_line

LONG = "x" * 5_000


def test_fresh_starts_at_the_same_moment_take_a_folder_each(
    there: Path, gru_mt: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one has the lock by the time this one wants it."""
    looks = [False]
    monkeypatch.setattr(lock, "is_locked", lambda run: looks.pop() if looks else is_locked(run))
    with lock.locked(Folder(tmp_path / "run")):
        result = gru_mt("train", "--config", "small.yaml", "--run", tmp_path / "run", "--fresh",
                        "--no-report", "--set", "training.max_steps=1")  # fmt: skip
    assert (result.code, looks) == (0, [])
    assert (tmp_path / "run-2" / "summary.json").is_file()


def test_a_stopped_start_with_fresh_names_the_command_that_goes_on(
    there: Path, gru_mt: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*given: Any, **options: Any) -> None:
        raise Interrupted(15, "stopped and saved; the same command goes on")

    monkeypatch.setattr("gru_mt.training.train.train_run", stopped)
    for option, command in (((), "the same command"), (("--fresh",), "gru-mt train --run runs/")):
        result = gru_mt("train", "--config", "small.yaml", *option)
        assert result.code == 128 + 15
        assert f"stopped and saved; {command}" in result.err


def test_fresh_is_refused_where_a_launcher_may_start_the_command_again(
    there: Path, gru_mt: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second start would take the folder of the first for an older run, and begin anew."""
    monkeypatch.setenv("TORCHELASTIC_MAX_RESTARTS", "3")
    result = gru_mt("train", "--config", "small.yaml", "--fresh")
    assert_one_line(result, "--fresh: processes that torchrun starts again", "--run")


def test_stdin_a_file_and_arguments_translate_alike(
    there: Path, gru_mt: Run, tmp_path: Path
) -> None:
    sentences = ["we like one cat.", "", "Anne take three key.", "you want!"]
    text = "".join(f"{sentence}\n" for sentence in sentences).encode()
    path = tmp_path / "in.txt"
    path.write_bytes(text)
    piped = gru_mt("translate", "--model", "runs/small", stdin=text)
    assert piped.code == 0
    assert piped.out.count("\n") == 4
    assert piped.out.split("\n")[1] == ""
    assert gru_mt("translate", "--model", "runs/small", "--input", path).out == piped.out
    assert gru_mt("translate", "--model", "runs/small/model", *sentences).out == piped.out
    whole = "\r\n".join(sentences) + "\n"  # as "$(cat letter.txt)" is
    assert gru_mt("translate", "--model", "runs/small", whole).out == piped.out


def test_a_runs_name_does_nothing_to_a_terminal(there: Path, gru_mt: Run, tmp_path: Path) -> None:
    name = "\x1b[31mred\u202ex\ny"
    run = tmp_path / name
    shutil.copytree("runs/small", run)
    page = tmp_path / "page.html"
    commands = [
        ["runs", tmp_path],
        ["eval", "--model", run],
        ["report", run],
        ["compare", "runs/small", run, "--html", page],
        ["export", "--model", run, "--format", "page", "--out", tmp_path / "translator.html"],
        ["translate", "--model", run, "I see."],
    ]
    printed = []
    for command in commands:
        result = gru_mt(*command)
        assert result.code == 0, result.err
        printed += [result.out, result.err]
    printed += [
        each.read_text() for each in (page, run / "report.html", tmp_path / "translator.html")
    ]
    for text in printed:
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert "red" in printed[0]
    assert len(printed[0].splitlines()) == 2, "a head, and the run in one line"


def test_a_file_is_not_read_and_written_at_once(there: Path, gru_mt: Run) -> None:
    path = there / "grows.txt"
    for options, stdin in ((["--input", path], os.devnull), ([], path)):
        path.write_text("I see one cat.\n")
        with path.open("a") as out, open(stdin) as given:
            result = gru_mt("translate", "--model", "runs/small", *options, stdin=given, stdout=out)
        assert_one_line(result, "is what stdout goes to as well")
        assert path.read_text() == "I see one cat.\n"


def test_what_is_no_plain_text_is_named(there: Path, gru_mt: Run, tmp_path: Path) -> None:
    path = tmp_path / "fake.docx"
    path.write_bytes(gzip.compress(b"I see one cat.\n"))
    result = gru_mt("translate", "--model", "runs/small", "--input", path)
    assert_one_line(result, f"{path}: is packed by gzip, not lines of text; unpack it first")
    result = gru_mt("translate", "--model", "runs/small", stdin="a cat\n".encode("utf-16"))
    assert_one_line(result, "input: is UTF-16")
    for option in ("--source", "--reference"):
        pair = {"--source": "small.yaml", "--reference": "small.yaml", option: path}
        result = gru_mt(
            "eval", "--model", "runs/small", *(each for row in pair.items() for each in row)
        )
        assert_one_line(result, f"{path}: is packed by gzip")


def test_odd_lines_come_out_in_their_places_and_are_named(there: Path, gru_mt: Run) -> None:
    lines = [b"I see one cat.", b"\xff\xfe bad", b"a\x00b", b" \t ", b"cat " * 40,
             "a\u2028b\x0cc".encode()]  # fmt: skip
    result = gru_mt("translate", "--model", "runs/small", stdin=b"\n".join(lines))
    assert result.code == 0
    assert result.out.count("\n") == len(lines)
    *warnings, _ = result.err.splitlines()
    assert [line.split(":")[1] for line in warnings] == [" line 2", " line 3", " line 5"]
    assert "translated in 16 parts" in warnings[2], "40 words, halved until each has at most 3"


def test_json_has_an_object_a_line(there: Path, gru_mt: Run) -> None:
    result = gru_mt("translate", "--json", "--attention", "--n-best", 2, "I see one cat.", "")
    first, second = map(json.loads, result.out.splitlines())
    assert first["source"] == "I see one cat."
    assert first.keys() == {"source", "text", "confidence", "warnings", "sentences"}
    (sentence,) = first["sentences"]
    assert sentence.keys() == {
        "source", "source_tokens", "confidence", "warnings", "translations"
    }  # fmt: skip
    assert [set(each) for each in sentence["translations"]] == [
        {"text", "score", "tokens", "attention"}
    ] * 2
    best, other = sentence["translations"]
    assert first["text"] == best["text"]
    assert second == {
        "source": "", "text": "", "confidence": None, "warnings": [], "sentences": []
    }  # fmt: skip
    (sentence,) = json.loads(gru_mt("translate", "--json", "I see one cat.").out)["sentences"]
    assert [set(each) for each in sentence["translations"]] == [{"text", "score", "tokens"}]
    lines = gru_mt("translate", "--n-best", 2, "I see one cat.", "").out.splitlines()
    assert lines == [best["text"], other["text"], "", ""]


def test_translate_passes_its_options_on(
    there: Path, gru_mt: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, Any] = {}

    def translate(_: object, sources: list[str], **options: Any) -> None:
        asked.update(options, sources=sources)
        raise UserError("asked")

    monkeypatch.setattr("gru_mt.inference.translator.Translator.translate", translate)
    terms = tmp_path / "terms.tsv"
    terms.write_text("# ours\none CAT\tle Félin\n")
    gru_mt("translate", "--beam", 2, "--length-penalty", 0.5, "--n-best", 2, "--batch-size", 7,
           "--json", "--attention", "--no-split", "--glossary", terms, "I see. Go!")  # fmt: skip
    assert asked.pop("glossary").translations == {"one cat": "le Félin"}
    assert asked == {
        "sources": ["I see. Go!"], "beam_size": 2, "length_penalty": 0.5, "n_best": 2,
        "batch_size": 7, "attention": True, "split": False,
    }  # fmt: skip


def test_doubts_are_counted_once_at_the_end(there: Path, gru_mt: Run) -> None:
    text = b"wir sehen zwei.\nhunde und katzen. das haus.\n555-1234\n"
    result = gru_mt("translate", "--json", "--model", "runs/small", stdin=text)
    found = [json.loads(line)["sentences"] for line in result.out.splitlines()]
    marks = [mark for sentences in found for one in sentences for mark in one["warnings"]]
    assert marks.count("language") == 3
    (line,) = result.err.splitlines()
    assert line.startswith("warning: sentences to look at: ")
    assert line.endswith(" (--json marks them)")
    assert all(f"{mark} {marks.count(mark)}" in line for mark in {*marks})
    assert gru_mt("translate", "--model", "runs/small", "555-1234").err == ""


def test_eval_prints_scores_and_keeps_what_its_own_decoding_gave(there: Path, gru_mt: Run) -> None:
    kept = Path("runs/small/test.hypotheses.json")
    kept.unlink(missing_ok=True)
    gru_mt("eval", "--beam", 2)
    gru_mt("eval", "--model", "runs/small", "--model", "runs/small")
    assert not kept.exists()
    lines = gru_mt("eval", "--output", "output.txt").out.splitlines()
    names = ["BLEU, all references", "BLEU, first reference", "chrF"]
    for name, line in zip(names, lines[:3], strict=True):
        assert re.match(rf"{name} [\d.]+ \(95 % interval .*\)  .*version:", line)
    assert "a second" in lines[3]
    (found,) = json.loads(kept.read_text())["sets"]
    assert found["texts"] == Path("output.txt").read_text().splitlines()


def test_scores_are_printed_where_the_translations_cannot_be_kept(there: Path, gru_mt: Run) -> None:
    kept = Path("runs/small/test.hypotheses.json")
    kept.unlink(missing_ok=True)
    kept.mkdir()
    result = gru_mt("eval")
    kept.rmdir()
    assert (result.code, result.out.count("\n")) == (0, 4)
    assert f"warning: {kept}: cannot be written: " in result.err


def test_a_model_may_be_the_folder_that_one_is_in(
    there: Path, gru_mt: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = gru_mt("eval", "--model", "runs/small").out.splitlines()[:3]
    for part, folder in (("", "."), ("model", "."), ("model", ".."), ("data", "../model/.")):
        monkeypatch.chdir(there / "runs" / "small" / part)
        assert gru_mt("eval", "--model", folder).out.splitlines()[:3] == scores
        assert run_of(Path(folder), "test") is not None
        assert corrections_file(Path(folder)).parent.resolve() == there / "runs" / "small"


def test_eval_json_agrees_with_the_translations_it_writes(
    there: Path, gru_mt: Run, tmp_path: Path
) -> None:
    output = tmp_path / "hypotheses.txt"
    result = gru_mt("eval", "--split", "dev", "--json", "--output", output, "--beam", 2)
    report = json.loads(result.out)
    hypotheses = output.read_text().splitlines()
    references = json.loads(Path("runs/small/dev.json").read_text())["sets"][0]["references"]
    assert report["sentences"] == len(hypotheses) == len(references)
    assert report["scores"][0]["value"] == pytest.approx(corpus_bleu(hypotheses, references))
    assert report["beam_size"] == 2


def test_eval_takes_files(there: Path, gru_mt: Run, tmp_path: Path) -> None:
    for name, text in (
        ("s", "I see one cat.\nyou want!\n"),
        ("r", "moi vois chat un.\nveux toi !\n"),
        ("r1", "je vois un chat.\n\n"),
    ):
        (tmp_path / name).write_text(text)
    command = ["eval", "--source", tmp_path / "s", "--reference", tmp_path / "r"]
    result = gru_mt(*command, "--reference", tmp_path / "r1")
    assert result.code == 0
    assert "nrefs:var" in result.out.splitlines()[0]
    (tmp_path / "r1").write_text("one line\n")
    assert_one_line(gru_mt(*command, "--reference", tmp_path / "r1", "--model", "runs/small"),
                    "r1: 1 lines", "has 2")  # fmt: skip


def test_export_gives_its_options_on(
    there: Path, gru_mt: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Any] = []
    monkeypatch.setattr(
        "gru_mt.onnx_export.write.export", lambda *args, **more: given.append((*args, more))
    )
    for options in (
        ["--model", "m", "--precision", "int8", "--out", "o"],
        ["--format", "archive", "--license", "mit"],
    ):
        assert gru_mt("export", *options).code == 0
    assert given == [
        (Path("m"), Path("o"), {"format": "onnx", "precision": "int8", "license": None}),
        (Path("runs/small"), None, {"format": "archive", "precision": None, "license": "mit"}),
    ]


def test_config_prints_every_key_a_schema_or_every_value(
    there: Path, gru_mt: Run, tmp_path: Path
) -> None:
    keys, schema, values = (
        gru_mt("config"),
        gru_mt("config", "--schema"),
        gru_mt("config", "small.yaml", "--set", "training.seed=7"),
    )
    assert {(result.code, result.err) for result in (keys, schema, values)} == {(0, "")}
    assert "\n  beam_size: 5  # whole number at least 1, at most 1,000\n" in keys.out
    assert json.loads(schema.out)["required"] == ["data"]
    assert "\n  beam_size: 3  # default 5\n" in values.out
    assert "\n  seed: 7  # default 1\n" in values.out
    assert "\n  attention: dot\n" in values.out
    (tmp_path / "again.yaml").write_text(values.out)
    assert gru_mt("config", tmp_path / "again.yaml").out == values.out


def test_data_writes_the_split(there: Path, gru_mt: Run, tmp_path: Path) -> None:
    result = gru_mt("data", "--config", "small.yaml", "--out", tmp_path / "text")
    assert result.code == 0
    counts = {path.name: path.read_text().count("\n") for path in (tmp_path / "text").iterdir()}
    assert counts["train.en"] == counts["train.fr"] == 407
    assert counts["dev.en"] == counts["dev.fr"]
    own = tmp_path / "text" / "train.en"
    files = f"data.corpus={{path: [{own}, {own.with_suffix('.fr')}]}}"
    for options, message in (
        (["--out", "."], r"\.: holds '[^']+', which gru-mt data did not write; .* --out"),
        (["--set", files, "--out", own.parent], rf"{own}: the configuration reads it; .*"),
    ):
        result = gru_mt("data", "--config", "small.yaml", *options)
        assert result.code == 2
        assert re.fullmatch(message, result.err.splitlines()[-1])


def test_minutes_that_preparation_has_taken_are_a_mistake(
    there: Path, gru_mt: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gru_mt.cli.commands.train.STARTED_S", time.perf_counter() - 9)
    options = ("--config", "small.yaml", "--run", "runs/short")
    result = gru_mt("train", *options, "--minutes", "0.1")
    assert (result.code, result.out) == (2, "")
    last = result.err.splitlines()[-1]
    assert re.fullmatch(r"training\.minutes 0\.1: .* took \d\.\d of .* at least \d\.\d", last)
    assert not Path("runs/short").exists()
    assert "--minutes" in gru_mt("train", *options, "--minutes", "0").err


def test_init_and_check_lead_from_files_to_a_training(
    gru_mt: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, words in (("train", 60), ("dev", 5), ("test", 5)):
        for language in ("en", "de"):
            lines = (f"{language} {chr(97 + n % 26) * (n // 26 + 1)}.\n" for n in range(words))
            Path(f"{name}.{language}").write_text("".join(f"{name} {line}" for line in lines))
    files = [f"{name}.{language}" for name in ("train", "dev", "test") for language in ("en", "de")]
    assert gru_mt("init", *files).out == "gru-mt train --config train.yaml\n"
    assert load_config("train.yaml").model.may_shrink, "its --minutes may be few"
    assert_one_line(gru_mt("init", *files), "train.yaml: is there already", "--out")
    made = gru_mt("init", *files, "--out", "my own.yaml")
    assert made.out == "gru-mt train --config 'my own.yaml'\n", "a shell takes it as it stands"
    small = ("model.encoder_size=4", "model.decoder_size=8", "model.embedding_size=4")
    checked = gru_mt("data", "--check", "train.yaml", *(f"--set={each}" for each in small))
    assert checked.code == 0
    assert "train: 60 lines read, 60 kept\n" in checked.out
    assert "train 60 pairs, dev 5, test 5\n" in checked.out
    assert "a training of 30 epochs on this machine: " in checked.out
    opened = []

    def noted(place: CorpusFile, **options: Any) -> AbstractContextManager[TextStream]:
        opened.append(place.name)
        return open_text(place, **options)

    monkeypatch.setattr("gru_mt.data.corpus.readers.registry.open_text", noted)
    of_files = gru_mt("data", "--check", "--json", *files[:2], *(f"--set={each}" for each in small))
    assert opened == files[:2], "they are read once"
    assert json.loads(of_files.out)["corpora"][0]["read"] == 60
    assert json.loads(of_files.out)["trial"]["epochs"] == 30
    assert gru_mt("init", ".").out == f"gru-mt train --config {tmp_path.name}.yaml\n"
    made_here = {"train.yaml", "my own.yaml", f"{tmp_path.name}.yaml"}
    assert {path.name for path in tmp_path.iterdir()} == {*files, *made_here}
    Path("fra-eng").mkdir()
    shutil.copy("train.en", "fra-eng/a.en")
    shutil.copy("train.de", "fra-eng/a.pt-BR")
    files = ["fra-eng/a.pt-BR", "fra-eng/a.en", "--languages", "en,pt-BR", "--out", "pt.yaml"]
    assert gru_mt("init", *files).code == 0
    assert load_config("pt.yaml").data.corpus[0].path == ["fra-eng/a.en", "fra-eng/a.pt-BR"]
    assert gru_mt("init", "fra-eng", "--languages", "en,pt-BR", "--out", "here.yaml").code == 0
    assert load_config("here.yaml").data.corpus[0].path == ["./fra-eng"], "and no corpus of ours"


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["data", "--check"], ["--check wants a configuration or the files"]),
        (["data", "--check", "a.tsv", "--out", "x"], ["give --config with --out, or"]),
        (["data", "--check", "a.tsv", "--languages", "en"], ["--languages: expected two"]),
        (["init", "none.tsv", "--languages", "en,fr"], ["none.tsv: no such file"]),
        (["translate", "--beam", "0", "x"], ["gru-mt translate: ", "--beam", "1"]),
        (["translate", "--length-penalty", "nan", "x"], ["--length-penalty"]),
        (["translate", "--n-best", "9", "--beam", "2", "x"], ["9", "beam", "2"]),
        (["translate", "--attention", "x"], ["--json"]),
        (["translate", "--glossary", "small.yaml", "x"], ["small.yaml:2: ", "tab"]),
        (["translate", "--input", "none.txt"], ["none.txt", "No such file"]),
        (["translate", "--input", "runs"], ["runs: cannot be read: Is a directory"]),
        (["translate", "--input", "none.txt", "x"], ["not both"]),
        (["translate", "--model", "runs", "x"], ["runs", "neither a run"]),
        (["translate", "--model", "\udcff\x1b[2J", "x"], [r"\udcff\x1b[2J", "there is no such"]),
        (["translate", "--model", LONG, "x"], ["xxx ... xxx", "File name too long"]),
        (["translate", "--model", "", "x"], ["--model is empty"]),
        (["eval", "--model", "small"], ["small: there is no such", "did you mean runs/small?"]),
        (["train", "small.yaml"], ["unexpected extra argument", "; gru-mt train -h shows how"]),
        (["train", "--config", "runs/small/config.yaml"], ["is that of a run", "--run runs/small"]),
        (["train", "--config", "runs/small"], ["runs/small: ", "; go on with --run runs/small"]),
        (["train", "--config", "small"], ["small: ", "; did you mean small.yaml?"]),
        (["compare", "runs/small", "x", "--reference", "small.yaml"],
         ["runs/small: is a folder, and --reference compares files"]),
        (["translate", "--beam", "1", "--beam", "2", "x"], ["--beam is given twice"]),
        (["translate", "--device", "cdua", "x"], ["cdua"]),
        (["translate", "--bem", "2", "x"], ["--bem", "--beam"]),
        (["trainn"], ["gru-mt: ", "trainn", "train"]),
        (["tr\x1b\nain"], [r"tr\x1b\nain"]),
        (["eval", "--source", "x"], ["--reference"]),
        (["eval", "--source", "x", "--reference", "", "--reference", "y"],
         ["--reference is empty"]),
        (["eval", "--source", "small.yaml", "--reference", "x", "--output", "./small.yaml"],
         ["small.yaml: is the input itself; name another file"]),
        (["train"], ["--config", "--run"]),
        (["train", "--run", "none"], ["none", "no run", "--config"]),
        (["train", "--config", "none.yaml"], ["none.yaml", "No such file"]),
        (["train", "--config", "small.yaml", "--set", "model.dropout=0"],
         ["model.dropout", "fresh"]),
        (["train", "--config", "small.yaml", "--run", "x", "--set", "data.corpus=none.tsv"],
         ["none.tsv"]),
        (["train", "--config", "small.yaml", "--run", "runs"], ["runs", "something else"]),
        (["config", "small.yaml", "--set", "training.sed=1"], ["did you mean training.seed?"]),
        (["config", "--schema", "small.yaml"], ["--schema", "alone"]),
        (["config", "--set", "training.seed=1"], ["--set", "FILE"]),
        (["data", "--config", "small.yaml"], ["--out"]),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_and_exit_2(
    arguments: list[str], parts: list[str], there: Path, gru_mt: Run
) -> None:
    if "--model" not in arguments and arguments[0] in ("translate", "eval"):
        arguments = [*arguments, "--model", "runs/small"]
    assert_one_line(gru_mt(*arguments), *parts)


@pytest.mark.skipif(not TASKS.exists(), reason="only Linux tells how long a thread waited")
def test_cores_are_left_to_others_while_torch_computes_and_at_no_other_time(
    there: Path, gru_mt: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watches: list[object] = []
    monkeypatch.setattr("gru_mt.model.fast.waiting._watch", watches.append)
    for count, *command in (
        (0, "data", "--config", "small.yaml", "--out", tmp_path / "split"),
        (2, "train", "--config", "small.yaml", "--run", tmp_path / "run",  # and its report
         "--set", "training.max_steps=1"),
        (1, "eval", "--model", "runs/small"),
        (1, "translate", "--model", "runs/small", "I see!"),
    ):  # fmt: skip
        watches.clear()
        assert gru_mt(*command).code == 0
        assert len(watches) == count, command


# What is said about what is wrong outside


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (PermissionError(13, "Permission denied", "a\nb"), r"a\nb: Permission denied"),
        (ValueError("embedded null byte"), "null character"),
        (MemoryError(), "not enough memory"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: x"), "not enough memory"),
    ],
)
def test_what_is_wrong_outside_is_one_line(
    error: Exception, line: str, gru_mt: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gru_mt.inference.translator.Translator.load", raising(error))
    assert_one_line(gru_mt("translate", "--model", ".", "hello"), line)


@pytest.mark.parametrize("error", [OSError(5, "no name"), ValueError("x"), RuntimeError("x")])
def test_a_bug_of_ours_keeps_its_traceback(
    error: Exception, gru_mt: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gru_mt.inference.translator.Translator.load", raising(error))
    with pytest.raises(type(error)):
        gru_mt("translate", "--model", ".", "hello")


def raising(error: Exception) -> Callable[..., None]:
    def function(*_: object, **__: object) -> None:
        raise error

    return function


# Streams that are closed, full, or made for another encoding


FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")


@FULL
@pytest.mark.parametrize("arguments", [["-h"], ["translate", "I see."], ["eval", "--json"]])
@pytest.mark.parametrize("unbuffered", [False, True])
def test_a_full_stdout_is_told_in_one_line(
    arguments: list[str], unbuffered: bool, there: Path, gru_mt: Run
) -> None:
    with open("/dev/full", "wb", buffering=0 if unbuffered else -1) as full:
        stdout = io.TextIOWrapper(full, write_through=unbuffered)
        result = gru_mt(*arguments, stdout=stdout)
    assert result.code == 2
    assert result.err.splitlines()[-1] == "stdout: cannot be written: No space left on device"
    assert "Traceback" not in result.err


@FULL
def test_nothing_more_is_said_of_a_full_stdout_as_the_process_ends() -> None:
    command = [sys.executable, "-m", "gru_mt", "--version"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)


@FULL
def test_a_full_stderr_stops_nothing(there: Path, gru_mt: Run) -> None:
    with open("/dev/full", "w", buffering=1) as full:
        result = gru_mt("translate", "I see.", stderr=full)
    assert (result.code, result.out.count("\n")) == (0, 1)


def test_a_closed_pipe_ends_quietly(there: Path, gru_mt: Run) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with open(writer, "w") as pipe:
        result = gru_mt("translate", "--model", "runs/small", "I see!", stdout=pipe)
    assert (result.code, result.err) == (128 + signal.SIGPIPE, "")


@pytest.mark.parametrize("arguments", [["translate", "x"], ["eval"], ["--version"]])
def test_a_closed_stdout_is_told_before_any_work(
    arguments: list[str], there: Path, gru_mt: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gru_mt.cli.translator.load_translator", pytest.fail)
    assert_one_line(gru_mt(*arguments, stdout=None), "stdout: is closed")


def test_a_closed_stderr_puts_no_messages_into_results(there: Path, gru_mt: Run) -> None:
    assert gru_mt("translate", "I see one cat.", stderr=None).out.count("\n") == 1
    result = gru_mt("translate", "--beam", "0", "x", stderr=None)
    assert (result.code, result.out) == (2, "")


def test_results_are_utf_8_whatever_stdout_is_made_for(there: Path, gru_mt: Run) -> None:
    ascii_stdout = io.TextIOWrapper(io.BytesIO(), encoding="ascii", newline="\r\n")
    gru_mt("translate", "--json", "où", stdout=ascii_stdout)
    line = ascii_stdout.buffer.getvalue()
    assert line.startswith('{"source": "où", '.encode())
    assert line.endswith(b"}\n")
    assert b"\r" not in line


def test_a_stdin_that_cannot_be_read_is_told_in_one_line(
    there: Path, gru_mt: Run, tmp_path: Path
) -> None:
    class Broken(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            raise OSError(5, "Input/output error")

    command = ["translate", "--model", "runs/small"]
    broken = io.TextIOWrapper(io.BufferedReader(Broken()))
    assert_one_line(gru_mt(*command, stdin=broken), "stdin: cannot be read: Input/output")
    assert_one_line(gru_mt(*command, stdin=None), "stdin: is closed", "--input")


# Signals


@pytest.mark.parametrize(("number", "ignored"), [(signal.SIGINT, False), (signal.SIGTERM, True)])
def test_a_signal_ends_a_command_at_once_and_without_a_word(number: int, ignored: bool) -> None:
    code = f"""
import os, signal, sys, types
if {ignored}:
    signal.signal({number}, signal.SIG_IGN)
from gru_mt.__main__ import main
assert not {{"typer", "gru_mt.cli"}} & sys.modules.keys(), "nothing slow comes before"
kill = lambda: os.kill(os.getpid(), {number})
sys.modules["gru_mt.cli"] = types.SimpleNamespace(main=kill)
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0 if ignored else -number, b"")


# Help


def commands() -> dict[str, Any]:
    return typer.main.get_command(app).commands  # type: ignore[attr-defined, no-any-return]


def test_the_version_and_the_help_are_results(gru_mt: Run) -> None:
    from importlib.metadata import version

    assert gru_mt("--version") == Result(0, f"gru-mt {version('gru-mt')}\n", "")
    alone = gru_mt()
    assert alone.out.startswith("Usage: gru-mt [OPTIONS] COMMAND")
    assert alone == gru_mt("-h") == gru_mt("--help")
    assert all(f"\n  {name} " in alone.out for name in commands())
    assert "..." not in alone.out.partition("Commands:")[2], "a line of a command is truncated"
    options = gru_mt("translate", "--help").out
    assert all(option in options for option in ("--no-split", "--glossary FILE", "--n-best N"))


@pytest.mark.parametrize("name", commands())
def test_every_command_has_help_with_examples_that_it_takes(name: str, gru_mt: Run) -> None:
    result = gru_mt(name, "-h")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(f"Usage: gru-mt {name} ")
    assert all(len(line) <= 80 for line in result.out.splitlines())
    assert not re.search(r"list\[|Path|<path|<text|<str|TEXT|PATH\]", result.out), "a Python type"
    lines = [line.strip() for line in result.out.splitlines()]
    examples = [line for line in lines if line.startswith("gru-mt ")]
    assert examples
    for example in examples:
        _, command, *arguments = shlex.split(example.partition(" < ")[0].partition(" > ")[0])
        assert command == name
        commands()[command].make_context(command, arguments)


def test_a_shell_can_complete(gru_mt: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_GRU_MT_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "gru-mt eval --model a --model b --split ")
    monkeypatch.setenv("COMP_CWORD", "7")
    assert gru_mt().out == "dev\ntest\n"


# What a command does with its options


def test_words_without_quotes_and_names_of_files_are_asked_about(
    there: Path, gru_mt: Run, tmp_path: Path
) -> None:
    asked = gru_mt("translate", "--model", "runs/small", "He", "sleeps.")
    assert asked.out.count("\n") == 2
    assert "'He sleeps.'" in asked.err.splitlines()[0]
    for sentences in (["He sleeps."], ["sleeps."], ["He sleeps.", "Go!"], ["", ""]):
        assert "note: " not in gru_mt("translate", "--model", "runs/small", *sentences).err
    path = tmp_path / "letters.txt"
    path.touch()
    result = gru_mt("translate", "--model", "runs/small", path)
    assert result.out == f"{path}\n"
    assert result.err == f"warning: {path} is a file; to translate its lines use --input {path}\n"


def test_a_run_goes_on_with_its_own_configuration(there: Path, gru_mt: Run, tmp_path: Path) -> None:
    run = tmp_path / "run"
    command = ("train", "--run", run, "--no-report", "--set")
    gru_mt(*command, "training.max_steps=2", "--config", "small.yaml")
    for steps in (2, 4):
        assert gru_mt(*command, f"training.max_steps={steps}").code == 0
        assert json.loads((run / "summary.json").read_text())["step"] == steps
    before = (run / "summary.json").read_bytes()
    assert gru_mt("train", "--run", run, "--fresh", "--no-report").code == 0
    assert (run / "summary.json").read_bytes() == before, "nothing is deleted"
    assert (tmp_path / "run-2" / "config.yaml").read_bytes() == (run / "config.yaml").read_bytes()


def test_eval_looks_at_its_output_before_it_translates(
    there: Path, gru_mt: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gru_mt.inference.translator.Translator.load", pytest.fail)
    assert_one_line(gru_mt("eval", "--output", "runs"), "runs: cannot be written: is a folder")
    assert_one_line(gru_mt("eval", "--output", "none/x"), "none/x: cannot be written", "no folder")
    two = [EvaluationSet([text], [[text]], name) for text, name in ("aA", "bB")]
    monkeypatch.setattr("gru_mt.evaluation.evaluate.read_sets", lambda *_: two)
    told = gru_mt("eval", "--output", "small.yaml/x")
    assert_one_line(told, "small.yaml/x.A: cannot be written")


def test_eval_passes_its_options_on(
    there: Path, gru_mt: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def evaluate(*given: object) -> None:
        raise UserError(str(given[2:]))

    monkeypatch.setattr("gru_mt.evaluation.evaluate.evaluate_set", evaluate)
    decoding = Decoding(beam_size=2, length_penalty=0.5, max_source_tokens=12)
    options = str((decoding, "zh"))
    told = gru_mt("eval", "--beam", 2, "--length-penalty", 0.5, "--bleu-tokenizer", "zh").err
    assert told.splitlines()[-1] == options
    assert gru_mt("eval").err.rstrip().endswith("'13a')")


def test_eval_real_prints_what_is_kept_after_the_scores(
    there: Path, gru_mt: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = RobustnessReport((Row("lower case", 9, 50.0, 20.0, 40.0),))
    asked: list[Any] = []

    def measure(translate: Any, evaluation_set: Any, **options: Any) -> RobustnessReport:
        asked.extend((translate.keywords, evaluation_set.sources, options["tokenizer"]))
        options["say"]("lower case: 9 lines")
        return report

    monkeypatch.setattr("gru_mt.evaluation.robustness.measure.measure", measure)
    result = gru_mt("eval", "--real", "--split", "dev", "--beam", 2, "--bleu-tokenizer", "char")
    assert result.out.endswith(f"\n{report}\n")
    assert result.err.endswith("lower case: 9 lines\n")
    sources = json.loads(Path("runs/small/dev.json").read_text())["sets"][0]["sources"]
    assert asked == [{"beam_size": 2, "length_penalty": None}, sources, "char"]
    values = json.loads(gru_mt("eval", "--real", "--json").out)
    assert values["real"] == report.to_json()
    assert asked[-1] == "13a"
    assert values["scores"]
    assert "real" not in json.loads(gru_mt("eval", "--json").out)


def test_an_export_is_used_unless_a_device_is_asked_for(
    there: Path, gru_mt: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(folder: Path, *, device: str) -> None:
        raise UserError(f"{folder} on {device}")

    monkeypatch.setattr("gru_mt.inference.translator.Translator.load", load)
    monkeypatch.setattr(
        "gru_mt.inference.engines.onnx_engine.usable_export", lambda folder, warn: folder / "onnx"
    )
    for command in (["translate", "x"], ["translate", "--json", "--attention", "x"], ["eval"]):
        command += ["--model", "runs/small"]
        used = "using runs/small/onnx\nruns/small/onnx on"
        assert gru_mt(*command).err == f"{used} auto\n"
        assert gru_mt(*command, "--device", "cpu").err == f"{used} cpu\n"
        assert gru_mt(*command, "--device", "cuda").err == "runs/small on cuda\n"
