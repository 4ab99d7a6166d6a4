"""The whole way on a slice of the real corpus: train, kill, resume, evaluate, translate."""

import io
import json
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from gru_mt.cli import main

CONFIG = """
data: {corpus: slice.tsv}
tokenizer: {vocabulary_size: 600}
model: {embedding_size: 32, encoder_size: 32, decoder_size: 64, decoder_layers: 2}
training: {max_epochs: 2, batch_tokens: 300, checkpoint_minutes: 0.01, log_steps: 10}
"""


@pytest.fixture
def folder(fra_eng_zip: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Go to a folder with a configuration and 1,000 lines from all of the corpus."""
    with zipfile.ZipFile(fra_eng_zip) as archive:
        lines = archive.read("fra-eng/fra.txt").split(b"\n")
    (tmp_path / "slice.tsv").write_bytes(b"\n".join(lines[:60_000:60]) + b"\n")
    (tmp_path / "slice.yaml").write_text(CONFIG)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def gru_mt(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[str, str]]:
    """Return a function that runs a command in this process, and returns what it prints."""

    def run(*arguments: str, stdin: bytes = b"") -> tuple[str, str]:
        monkeypatch.setattr("sys.argv", ["gru-mt", *arguments])
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        assert not ended.value.code, printed.err
        return printed.out, printed.err

    return run


def stop_after(folder: Path, steps: int, number: signal.Signals) -> int:
    """Start or go on with a training, signal it `steps` updates later, and return how it ended."""
    metrics = folder / "runs" / "slice" / "metrics.jsonl"

    def step() -> int:
        lines = metrics.read_text().split("\n")[:-1] if metrics.is_file() else []
        return int(json.loads(lines[-1])["step"]) if lines else 0

    goal = step() + steps
    command = [sys.executable, "-m", "gru_mt", "train", "--config", "slice.yaml"]
    with (folder / "stderr").open("w") as stderr:
        process = subprocess.Popen(command, cwd=folder, stderr=stderr)
        while process.poll() is None and step() < goal:
            time.sleep(0.02)
        process.send_signal(number)
        return process.wait(timeout=300)


@pytest.mark.slow
def test_train_kill_resume_eval_translate(
    folder: Path, gru_mt: Callable[..., tuple[str, str]]
) -> None:
    assert stop_after(folder, 20, signal.SIGINT) == 130
    assert "stopped and saved" in (folder / "stderr").read_text()
    assert stop_after(folder, 20, signal.SIGKILL) == -9
    gru_mt("train", "--config", "slice.yaml")
    gru_mt("train", "--config", "slice.yaml", "--run", "whole")
    weights = [folder / run / "model" / "weights.safetensors" for run in ("runs/slice", "whole")]
    assert weights[0].read_bytes() == weights[1].read_bytes()

    report = json.loads(gru_mt("eval", "--json")[0])
    assert report["sentences"] > 10
    assert 0 <= report["scores"][0]["low"] <= report["scores"][0]["high"] <= 100

    pytest.importorskip("onnxruntime", reason="exporting comes with the extra gru-mt[onnx]")
    gru_mt("export")
    for beam in ("1", "5"):
        for model in ("runs/slice", "runs/slice/model"):  # by onnxruntime, by torch
            output = f"{Path(model).name}.txt"
            gru_mt("eval", "--model", model, "--beam", beam, "--output", output)
        assert (folder / "slice.txt").read_bytes() == (folder / "model.txt").read_bytes()

    lines = "I am tired.\n\nWhere is my book?\nGo!\n"
    translated, said = gru_mt("translate", stdin=lines.encode())
    assert translated.count("\n") == 4
    assert translated.split("\n")[1] == ""
    assert said == "using runs/slice/onnx\n"
