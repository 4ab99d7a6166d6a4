"""The whole way on a slice of the real corpus: train, kill, resume, evaluate, translate."""

import json
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

CONFIG = """
data: {corpus: slice.tsv}
tokenizer: {vocabulary_size: 600}
model: {embedding_size: 32, encoder_size: 32, decoder_size: 64, decoder_layers: 2}
training: {max_epochs: 3, batch_tokens: 500, checkpoint_minutes: 0.01, log_steps: 10}
"""


@pytest.fixture
def folder(fra_eng_zip: Path, tmp_path: Path) -> Path:
    """Return a folder with a configuration and 3,000 lines from all of the corpus."""
    with zipfile.ZipFile(fra_eng_zip) as archive:
        lines = archive.read("fra-eng/fra.txt").split(b"\n")
    (tmp_path / "slice.tsv").write_bytes(b"\n".join(lines[:60_000:20]) + b"\n")
    (tmp_path / "slice.yaml").write_text(CONFIG)
    return tmp_path


def gru_mt(folder: Path, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gru_mt", *arguments]
    return subprocess.run(
        command, cwd=folder, input=stdin, capture_output=True, text=True, check=False
    )


def stop_after(folder: Path, steps: int, number: signal.Signals) -> int:
    """Start training, signal it once it has logged `steps` updates, and return how it ended."""
    metrics = folder / "runs" / "slice" / "metrics.jsonl"
    command = [sys.executable, "-m", "gru_mt", "train", "--config", "slice.yaml"]
    with (folder / "stderr").open("w") as stderr:
        process = subprocess.Popen(command, cwd=folder, stderr=stderr)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and process.poll() is None:
            lines = metrics.read_text().splitlines() if metrics.is_file() else []
            if lines and json.loads(lines[-1])["step"] >= steps:
                process.send_signal(number)
                break
            time.sleep(0.02)
        return process.wait(timeout=60)


def test_train_kill_resume_eval_translate(folder: Path) -> None:
    assert stop_after(folder, 20, signal.SIGTERM) == 143
    assert "stopped and saved" in (folder / "stderr").read_text()
    assert stop_after(folder, 60, signal.SIGKILL) == -9
    assert stop_after(folder, 80, signal.SIGINT) == 130
    resumed = gru_mt(folder, "train", "--config", "slice.yaml")
    assert resumed.returncode == 0, resumed.stderr
    whole = gru_mt(folder, "train", "--config", "slice.yaml", "--run", "whole")
    assert whole.returncode == 0, whole.stderr
    weights = [folder / run / "model" / "weights.safetensors" for run in ("runs/slice", "whole")]
    assert weights[0].read_bytes() == weights[1].read_bytes()

    evaluated = gru_mt(folder, "eval", "--json")
    assert evaluated.returncode == 0, evaluated.stderr
    report = json.loads(evaluated.stdout)
    assert report["sentences"] > 20
    assert 0 <= report["scores"][0]["low"] <= report["scores"][0]["high"] <= 100

    pytest.importorskip("onnxruntime", reason="exporting comes with the extra gru-mt[onnx]")
    exported = gru_mt(folder, "export")
    assert exported.returncode == 0, exported.stderr
    for beam in ("1", "5"):
        for model in ("runs/slice", "runs/slice/model"):  # by onnxruntime, by torch
            output = f"{Path(model).name}.txt"
            done = gru_mt(folder, "eval", "--model", model, "--beam", beam, "--output", output)
            assert done.returncode == 0, done.stderr
        assert (folder / "slice.txt").read_bytes() == (folder / "model.txt").read_bytes()

    lines = "I am tired.\n\nWhere is my book?\nGo!\n"
    translated = gru_mt(folder, "translate", stdin=lines)
    assert translated.returncode == 0, translated.stderr
    assert translated.stdout.count("\n") == 4
    assert translated.stdout.split("\n")[1] == ""
    assert translated.stderr == "using runs/slice/onnx\n"
