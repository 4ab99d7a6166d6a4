"""The whole way on a slice of the real corpus: train, kill, resume, evaluate, translate."""

import json
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from tests.command_line import Run
from tests.training.processes import newest_step

CONFIG = """
data: {corpus: slice.tsv}
tokenizer: {vocabulary_size: 600}
model: {embedding_size: 32, encoder_size: 32, decoder_size: 64, decoder_layers: 2}
training: {max_epochs: 2, batch_tokens: 300, checkpoint_minutes: 0.01, log_steps: 10}
"""


@pytest.fixture
def folder(fra_eng_zip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to a folder with a configuration and 1,000 lines of the corpus."""
    with zipfile.ZipFile(fra_eng_zip) as archive:
        lines = archive.read("fra-eng/fra.txt").split(b"\n")
    (tmp_path / "slice.tsv").write_bytes(b"\n".join(lines[:60_000:60]) + b"\n")
    (tmp_path / "slice.yaml").write_text(CONFIG)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def stop_after(folder: Path, steps: int, number: signal.Signals) -> int:
    """Start or go on with a training, signal it `steps` updates later, and return how it ended."""
    run = folder / "runs" / "slice"
    goal = newest_step(run) + steps
    command = [sys.executable, "-m", "gru_mt", "train", "--config", "slice.yaml"]
    with (folder / "stderr").open("w") as stderr:
        process = subprocess.Popen(command, cwd=folder, stderr=stderr)
        while process.poll() is None and newest_step(run) < goal:
            time.sleep(0.02)
        process.send_signal(number)
        return process.wait(timeout=300)


@pytest.mark.slow
def test_train_kill_resume_eval_translate(folder: Path, gru_mt: Run) -> None:
    def run(*arguments: str, stdin: bytes = b"") -> tuple[str, str]:
        result = gru_mt(*arguments, stdin=stdin)
        assert result.code == 0, result.err
        return result.out, result.err

    assert stop_after(folder, 20, signal.SIGINT) == 130
    assert "stopped and saved" in (folder / "stderr").read_text()
    assert stop_after(folder, 20, signal.SIGKILL) == -9
    run("train", "--config", "slice.yaml")
    run("train", "--config", "slice.yaml", "--run", "whole")
    weights = [folder / name / "model" / "weights.safetensors" for name in ("runs/slice", "whole")]
    assert weights[0].read_bytes() == weights[1].read_bytes()

    report = json.loads(run("eval", "--json")[0])
    assert report["sentences"] > 10
    assert 0 <= report["scores"][0]["low"] <= report["scores"][0]["high"] <= 100

    pytest.importorskip("onnxruntime", reason="exporting comes with the extra gru-mt[onnx]")
    run("export")
    for beam in ("1", "5"):
        for model in ("runs/slice", "runs/slice/model"):  # by onnxruntime, by torch
            output = f"{Path(model).name}.txt"
            run("eval", "--model", model, "--beam", beam, "--output", output)
        assert (folder / "slice.txt").read_bytes() == (folder / "model.txt").read_bytes()

    lines = "I am tired.\n\nWhere is my book?\nGo!\n"
    translated, said = run("translate", stdin=lines.encode())
    assert translated.count("\n") == 4
    assert translated.split("\n")[1] == ""
    assert said == "using runs/slice/onnx\n"
