"""The commands, as a user types them: what they print where, and how mistakes end."""

import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from gru_mt.cli import main
from gru_mt.evaluation.score import corpus_bleu
from gru_mt.waiting import TASKS

CONFIG = """
data: {{corpus: {corpus}}}
tokenizer: {{kind: word, min_frequency: 1}}
model: {{embedding_size: 16, encoder_size: 16, decoder_size: 32}}
training: {{max_epochs: 12, batch_tokens: 120, warmup_steps: 5, averaging: 0, learning_rate: 1e-2}}
decoding: {{beam_size: 3, max_source_tokens: 12}}
"""


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


Run = Callable[..., Result]


@pytest.fixture
def gru_mt(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs a command line in this process."""

    def run(*arguments: object, stdin: bytes = b"") -> Result:
        monkeypatch.setattr("sys.argv", ["gru-mt", *map(str, arguments)])
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(stdin))))
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main()
        captured = capsys.readouterr()
        assert end.value.code is None or isinstance(end.value.code, int)
        return Result(end.value.code or 0, captured.out, captured.err)

    return run


@pytest.fixture(scope="session")
def workplace(tmp_path_factory: pytest.TempPathFactory, small_corpus: Path) -> Path:
    """Return a folder with small.yaml and its finished run, runs/small."""
    folder = tmp_path_factory.mktemp("workplace")
    (folder / "small.yaml").write_text(CONFIG.format(corpus=small_corpus))
    subprocess.run(
        [sys.executable, "-m", "gru_mt", "train", "--config", "small.yaml"],
        cwd=folder, check=True, capture_output=True,
    )  # fmt: skip
    return folder


@pytest.fixture
def there(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to the workplace for a test."""
    monkeypatch.chdir(workplace)
    return workplace


def assert_one_line(result: Result, *parts: str) -> None:
    assert result.code == 2
    assert result.out == ""
    assert result.err.count("\n") == 1
    assert all(part in result.err for part in parts), result.err


def test_a_run_holds_everything(there: Path) -> None:
    names = {path.name for path in Path("runs/small").iterdir()}
    assert {"config.yaml", "metrics.jsonl", "train.log", "model", "checkpoints"} <= names
    bundle = {path.name for path in Path("runs/small/model").iterdir()}
    assert bundle == {"weights.safetensors", "tokenizer.model", "config.yaml", "provenance.json"}


def test_training_prints_to_stderr_alone_and_plain_lines_without_a_terminal(
    there: Path, gru_mt: Run, tmp_path: Path
) -> None:
    result = gru_mt("train", "--config", "small.yaml", "--run", tmp_path / "run",
                    "--set", "training.max_steps=3")  # fmt: skip
    assert (result.code, result.out) == (0, "")
    assert "420 lines read, 420 kept" in result.err
    assert "\r" not in result.err


def test_fresh_starts_beside_and_deletes_nothing(there: Path, gru_mt: Run, tmp_path: Path) -> None:
    command = ("train", "--config", "small.yaml", "--run", tmp_path / "run",
               "--set", "training.max_steps=2")  # fmt: skip
    gru_mt(*command)
    before = (tmp_path / "run" / "summary.json").read_bytes()
    assert gru_mt(*command, "--fresh").code == 0
    assert (tmp_path / "run-2" / "summary.json").is_file()
    assert (tmp_path / "run" / "summary.json").read_bytes() == before


def test_one_sentence_gives_one_line_on_stdout(there: Path, gru_mt: Run) -> None:
    result = gru_mt("translate", "I see two dogs.")
    assert result.code == 0
    assert result.out.count("\n") == 1
    assert result.out.strip()
    assert result.err == "using runs/small\n"


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


def test_odd_lines_come_out_in_their_places_and_are_named(there: Path, gru_mt: Run) -> None:
    lines = [b"I see one cat.", b"\xff\xfe bad", b"a\x00b", b" \t ", b"cat " * 40,
             "a\u2028b\x0cc".encode()]  # fmt: skip
    result = gru_mt("translate", "--model", "runs/small", stdin=b"\n".join(lines))
    assert result.code == 0
    assert result.out.count("\n") == len(lines)
    warnings = result.err.splitlines()
    assert [line.split(":")[1] for line in warnings] == [" line 2", " line 3", " line 5"]
    assert "28 tokens were left out" in warnings[2]


def test_json_has_an_object_a_line(there: Path, gru_mt: Run) -> None:
    result = gru_mt("translate", "--json", "--attention", "--n-best", 2, "I see one cat.", "")
    first, second = map(json.loads, result.out.splitlines())
    assert first["source"] == "I see one cat."
    assert [set(each) for each in first["translations"]] == [
        {"text", "score", "tokens", "attention"}
    ] * 2
    best, other = first["translations"]
    assert best["score"] >= other["score"]
    assert len(best["attention"]) == len(best["tokens"]) + 1  # <eos>
    assert all(sum(row) == pytest.approx(1, abs=1e-5) for row in best["attention"])
    assert second["translations"][0]["text"] == ""


def test_n_best_prints_as_many_lines_for_each_sentence(there: Path, gru_mt: Run) -> None:
    result = gru_mt("translate", "--beam", 5, "--n-best", 4, "I see one cat.", "")
    assert result.out.count("\n") == 8


def test_output_does_not_depend_on_the_batch_size(there: Path, gru_mt: Run) -> None:
    text = b"I see one cat.\nyou want three book.\nAnne like!\nwe take four hat.\n" * 5
    outputs = {gru_mt("translate", "--batch-size", n, stdin=text).out for n in (1, 7, 64)}
    assert len(outputs) == 1


def test_eval_prints_scores_with_signature_and_interval(there: Path, gru_mt: Run) -> None:
    result = gru_mt("eval")
    lines = result.out.splitlines()
    assert [line.split(" (")[0].rsplit(" ", 1)[0] for line in lines[:3]] == [
        "BLEU multi", "BLEU single", "chrF"]  # fmt: skip
    assert all("95 % interval" in line and "version:" in line for line in lines[:3])
    assert "a second" in lines[3]
    assert "test" in result.err


def test_eval_json_agrees_with_the_translations_it_writes(
    there: Path, gru_mt: Run, tmp_path: Path
) -> None:
    output = tmp_path / "hypotheses.txt"
    result = gru_mt("eval", "--split", "dev", "--json", "--output", output, "--beam", 2)
    report = json.loads(result.out)
    hypotheses = output.read_text().splitlines()
    references = json.loads(Path("runs/small/dev.json").read_text())["references"]
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


def test_an_export_is_used_unless_attention_is_asked_for(
    there: Path, gru_mt: Run, tmp_path: Path
) -> None:
    pytest.importorskip("onnxruntime", reason="exporting comes with the extra gru-mt[onnx]")
    pytest.importorskip("onnxscript", reason="exporting comes with the extra gru-mt[onnx]")
    run = shutil.copytree("runs/small", tmp_path / "run")
    written = gru_mt("export", "--model", run)
    assert (written.code, written.out) == (0, "")
    assert f"wrote {run / 'onnx'}: encoder.onnx" in written.err

    outputs = []
    for model, used in ((run, run / "onnx"), (run / "model", None)):
        evaluated = gru_mt("eval", "--model", model, "--output", tmp_path / "out", "--beam", 2)
        assert evaluated.code == 0
        assert (f"using {used}\n" in evaluated.err) == (used is not None)
        outputs.append((tmp_path / "out").read_text())
    assert outputs[0] == outputs[1]

    command = ("translate", "--json", "--attention", "I see one cat.", "--model")
    attended = gru_mt(*command, run)
    assert "attention" in json.loads(attended.out)["translations"][0]
    assert attended.err == ""
    assert_one_line(gru_mt(*command, run / "onnx"), "no attention", "--model")
    assert_one_line(gru_mt("export", "--model", run / "onnx"), "neither a run")


def test_data_writes_the_split(there: Path, gru_mt: Run, tmp_path: Path) -> None:
    result = gru_mt("data", "--config", "small.yaml", "--out", tmp_path / "text")
    assert result.code == 0
    counts = {path.name: path.read_text().count("\n") for path in (tmp_path / "text").iterdir()}
    assert counts["train.en"] == counts["train.fr"] == 407
    assert counts["dev.en"] == counts["dev.fr"]


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["translate", "--beam", "0", "x"], ["--beam", "at least 1", "0"]),
        (["translate", "--beam", "two", "x"], ["--beam", "integer"]),
        (["translate", "--length-penalty", "-1", "x"], ["--length-penalty"]),
        (["translate", "--n-best", "9", "--beam", "2", "x"], ["9", "beam", "2"]),
        (["translate", "--n-best", "0", "x"], ["--n-best"]),
        (["translate", "--batch-size", "0", "x"], ["--batch-size"]),
        (["translate", "--attention", "x"], ["--json"]),
        (["translate", "--input", "none.txt"], ["none.txt", "No such file"]),
        (["translate", "--input", "none.txt", "x"], ["not both"]),
        (["translate", "--model", "runs", "x"], ["runs", "neither a run"]),
        (["translate", "--model", "none", "x"], ["none", "neither a run"]),
        (["translate", "--bem", "2", "x"], ["--bem", "--beam"]),
        (["trainn"], ["trainn", "train"]),
        (["eval", "--split", "train"], ["--split", "dev or test"]),
        (["eval", "--source", "x"], ["--reference"]),
        (["train"], ["--config"]),
        (["train", "--config", "none.yaml"], ["none.yaml", "No such file"]),
        (["train", "--config", "small.yaml", "--set", "training.sed=1"], ["training.seed"]),
        (["train", "--config", "small.yaml", "--set", "model.dropout=0"],
         ["model.dropout", "fresh"]),
        (["train", "--config", "small.yaml", "--run", "x", "--set", "data.corpus=none.tsv"],
         ["none.tsv"]),
        (["train", "--config", "small.yaml", "--run", "runs"], ["runs", "something else"]),
        (["train", "--config", "small.yaml", "--run", "y", "--set", "training.device=gpu"],
         ["training.device", "gpu"]),
        (["data", "--config", "small.yaml"], ["--out"]),
        (["export", "--precision", "int4"], ["--precision", "fp32 or int8", "int4"]),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line_and_exit_2(
    arguments: list[str], parts: list[str], there: Path, gru_mt: Run
) -> None:
    if "--model" not in arguments and arguments[0] in ("translate", "eval"):
        arguments = [*arguments, "--model", "runs/small"]
    assert_one_line(gru_mt(*arguments), *parts)


def test_without_a_finished_run_there_is_nothing_to_translate_with(
    gru_mt: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert_one_line(gru_mt("translate", "x"), "no finished run", "--model")


def test_a_closed_pipe_ends_quietly(there: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "gru_mt", "translate", "--model", "runs/small", "I see!"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert done.stderr == b""


@pytest.mark.skipif(not TASKS.exists(), reason="only Linux tells how long a thread waited")
def test_cores_are_left_to_others_while_torch_computes_and_at_no_other_time(
    there: Path, gru_mt: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watches: list[object] = []
    monkeypatch.setattr("gru_mt.waiting._watch", watches.append)
    for count, *command in (
        (0, "--help"),
        (0, "data", "--config", "small.yaml", "--out", tmp_path / "split"),
        (1, "train", "--config", "small.yaml", "--run", tmp_path / "run",
         "--set", "training.max_steps=1"),
        (1, "eval", "--model", "runs/small"),
        (1, "translate", "--model", "runs/small", "I see!"),
    ):  # fmt: skip
        watches.clear()
        assert gru_mt(*command).code == 0
        assert len(watches) == count, command


def test_a_bug_of_ours_keeps_its_traceback(there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["gru-mt", "translate", "--model", "runs/small", "x"])
    monkeypatch.setattr("gru_mt.inference.translator.Translator.translate", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        main()
