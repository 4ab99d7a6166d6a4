"""Models go to the Hugging Face hub and come from there; here it is a server of this process."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command_line import Run, assert_one_line
from tests.hub import TOKEN, Hub, serving

pytest.importorskip("huggingface_hub", reason="it comes with the extra gru-mt[hub]")
NOWHERE = "http://127.0.0.1:9"
PUSH = ["export", "--format", "archive", "--push"]


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """Yield an empty hub that takes the token of this process."""
    with serving() as server:
        constants = "huggingface_hub.constants"
        monkeypatch.setattr(f"{constants}.ENDPOINT", server.address)
        template = server.address + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(f"{constants}.HUGGINGFACE_CO_URL_TEMPLATE", template)
        monkeypatch.setattr(f"{constants}.HF_HUB_CACHE", str(tmp_path / "cache"))
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        yield server


def test_a_model_goes_there_and_back_and_is_used_without_network(
    there: Path, gru_mt: Run, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    pushed = gru_mt(*PUSH, "me/en-fr")
    address = f"{hub.address}/me/en-fr"
    assert (pushed.code, pushed.out) == (0, f"{address}\n")
    assert pushed.err == f"uploaded to {address}; translate with --model hf:me/en-fr\n"
    files = hub.repositories["me/en-fr"]
    model = {path.name: path.read_bytes() for path in Path("runs/small/model").iterdir()}
    assert {*files} == {*model} | {"README.md", "SHA256SUMS", ".gitattributes", "picture.png"}
    assert b"--model hf:me/en-fr" in files["README.md"]
    expected = gru_mt("translate", "--model", "runs/small", "I see one cat.").out
    commit = hub.commit("me/en-fr")
    for name in ("hf:me/en-fr", f"hf:me/en-fr@{commit}", "hf:me/en-fr@main"):
        assert gru_mt("translate", "--model", name, "I see one cat.").out == expected
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", NOWHERE)
    assert gru_mt("translate", "--model", "hf:me/en-fr", "I see one cat.").out == expected
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert gru_mt("translate", "--model", "hf:me/en-fr", "I see one cat.").out == expected
    assert_one_line(gru_mt("translate", "--model", "hf:me/other", "x"), "hf:me/other: the Hug")
    kept_out = gru_mt("eval", "--model", "hf:me/en-fr")
    assert_one_line(kept_out, "hf:me/en-fr: no test split is kept there; give --source")


def test_what_is_pushed_again_replaces_the_model_and_nothing_else(
    there: Path, gru_mt: Run, hub: Hub, tmp_path: Path
) -> None:
    run = shutil.copytree("runs/small", tmp_path / "runs" / "small")
    assert gru_mt(*PUSH, "me/x", "--private", "--license", "mit").code == 0
    assert hub.private == {"me/x"}
    files = hub.repositories["me/x"]
    assert b"\nlicense: mit\n" in files["README.md"]
    files |= {"onnx/encoder.onnx": b"old", "tokenizer.old": b"old", "picture.png": b"mine"}
    assert gru_mt(*PUSH, "me/x", "--model", run).code == 0
    assert not {"onnx/encoder.onnx", "tokenizer.old"} & files.keys()
    assert files["picture.png"] == b"mine"
    hub.private.clear()
    assert_one_line(gru_mt(*PUSH, "me/x", "--private"), "hf:me/x: ", "it is public already")


def test_a_hub_that_refuses_is_told_in_one_line(
    there: Path, gru_mt: Run, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_one_line(gru_mt(*PUSH, "others/x"), "hf:others/x: ", "may not create", "log in")
    for token in ("hf_wrong", ""):
        monkeypatch.setenv("HF_TOKEN", token)
        refused = gru_mt(*PUSH, "me/x")
        assert_one_line(refused, "hf:me/x: ", "Invalid username", "hf auth login")
    assert not hub.repositories
    hub.repositories["me/x"] = {"config.json": b"{}"}
    for name, message in (
        ("hf:me/none", "Repository not found; check the name, or log in"),
        ("hf:me/x@v9", "Invalid rev id: v9"),
        ("hf:me/x", "no model of gru-mt is there"),
        ("hf:me", "expected hf:owner/name or hf:owner/name@revision"),
        ("hf:../x", "hf:../x: the Hugging Face hub: "),
    ):
        assert_one_line(gru_mt("translate", "--model", name, "x"), name, message)
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", NOWHERE)
    assert_one_line(gru_mt(*PUSH, "me/x"), "hf:me/x: the Hugging Face hub: ")


def test_without_the_package_it_is_said(
    there: Path, gru_mt: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gru_mt.errors.find_spec", lambda _: None)
    for command in (["translate", "--model", "hf:me/x", "x"], [*PUSH, "me/x"]):
        assert_one_line(gru_mt(*command), "hf:me/x: ", 'pip install "gru-mt[hub]"')
    assert_one_line(gru_mt(*PUSH, "me"), "me: expected owner/name")
