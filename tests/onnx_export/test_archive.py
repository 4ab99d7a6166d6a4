"""What is published: the model, its card and no folder of this machine."""

import hashlib
import shutil
import zipfile
from pathlib import Path

import pytest
import yaml

import gru_mt as api
from gru_mt.bundle import Bundle, save_bundle
from gru_mt.evaluation.hypotheses import read_hypotheses
from gru_mt.evaluation.robustness.measure import RobustnessReport, Row, write_robustness
from gru_mt.run import Run as RunFolder
from gru_mt.storage import read_json
from tests.command_line import Run, add_correction, assert_one_line
from tests.test_bundle import configure, model_of, tokenizer, write_bundle


@pytest.fixture
def run(there: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a copy of the trained run, to be changed."""
    monkeypatch.chdir(tmp_path)
    return shutil.copytree(there / "runs" / "small", tmp_path / "runs" / "small")


def files_of(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_same_run_gives_the_same_bytes_with_the_digest_of_each_file(
    run: Path, gru_mt: Run, small_corpus: Path
) -> None:
    said = gru_mt("export", "--format", "archive")
    path = Path("runs/small/small.zip")
    content = path.read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    size = len(content) / 1e6
    assert said.err == f"wrote {path}: {size:.1f} MB, SHA-256 {digest}\n"
    files = files_of(path)
    lines = files.pop("SHA256SUMS").decode().splitlines()
    assert lines == [f"{hashlib.sha256(files[name]).hexdigest()}  {name}" for name in sorted(files)]
    assert {*files} == {path.name for path in (run / "model").iterdir()} | {"README.md"}
    assert str(small_corpus.parent).encode() in (run / "model" / "config.yaml").read_bytes()
    for folder in (small_corpus.parent, run, Path.home()):
        assert str(folder).encode() not in content
    again = api.export("runs/small/model", "again.zip", format="archive")
    assert again.read_bytes() == content


def test_the_card_says_what_the_run_knows(run: Path, gru_mt: Run) -> None:
    hub = pytest.importorskip("huggingface_hub", reason="it reads the card as the hub does")
    RunFolder(run).hypotheses("test").unlink()  # the report at the end of training made them
    assert "Not measured" in files_of(api.export(run, format="archive"))["README.md"].decode()
    gru_mt("eval", "--model", run)
    table = RobustnessReport((Row("plain", 9, 100.0, 5.0, 5.0), Row("all capitals", 9, 87.5)))
    write_robustness(run, "test", [table])
    path = api.export(run, format="archive", license="cc-by-4.0")
    text = files_of(path)["README.md"].decode()
    card = hub.ModelCard(text)
    assert (card.data.language, card.data.license) == (["en", "fr"], "cc-by-4.0")
    assert (card.data.pipeline_tag, card.data.library_name) == ("translation", "gru-mt")
    tested = read_hypotheses(RunFolder(run), "test")
    assert tested
    scores = tested.sets[0].corpus_scores
    assert [(one.metric_name, one.metric_value) for one in card.data.eval_results] == [
        (score.name, round(score.value, 2)) for score in scores
    ]
    summary, provenance = read_json(run / "summary.json"), read_json(run / "model/provenance.json")
    for known in (
        *(score.signature.replace("|", r"\|") for score in scores), "| small | 420 of 420 | ",
        "| all capitals | 9 | 87.5 % |",
        provenance["corpora"][0]["sha256"], f"{summary['step']} updates in 3 epochs",
        f"torch {provenance['torch']}", "    - small.tsv\n", "--model small.zip",
        f"it marked {sum(map(bool, tested.sets[0].warnings))} of {len(tested.sets[0].texts)}",
    ):  # fmt: skip
        assert known in text, known
    assert "\n\n\n" not in text


def test_text_of_a_corpus_is_no_markup_in_a_card_and_its_credit_travels(tmp_path: Path) -> None:
    config = configure(
        "data.source=no", "data.target=my language", "data.languages=[no, my language]"
    )
    words = tokenizer()
    here = str(tmp_path)
    start = {"folder": f"{here}/runs/old", "corpora": [{"name": "[old](x)", "sha256": "a"}]}
    provenance = {
        "corpora": [{"name": "a|b <b>*c*", "sha256": "c0ffee", "path": [f"{here}/a|b.tsv"]}],
        "attribution": "by <script>\n# me", "start": start,
        "back_translation": {"model": f"{here}/back", "training_pairs": 3},
        "teaching": {"teachers": [f"{here}/a_b", f"{here}/c"], "training_pairs": 9},
    }  # fmt: skip
    bundle = Bundle(model_of(config, words), words, config, provenance)
    save_bundle(tmp_path / "mine", bundle, {"step": 3})
    path = api.export(tmp_path / "mine", format="archive")
    files = files_of(path)
    text = files["README.md"].decode()
    head = yaml.safe_load(text.split("---\n")[1])
    assert path == tmp_path / "mine.zip"
    assert head["language"] == ["no"]
    assert r"| a\|b \<b\>\*c\* | " in text
    assert r"by \<script\> \# me" in text
    assert "<script>" not in text
    for part in (r"\[old\](x)", "weights of old", "model back", r"by a\_b, c (teachers)"):
        assert part in text
    assert files["attribution.txt"] == b"by <script>\n# me\n"
    assert here.encode() not in path.read_bytes()


def test_corrections_stay_in_the_run_unless_their_file_is_copied(run: Path, gru_mt: Run) -> None:
    add_correction(run, "they see!", "Ah !")
    said = gru_mt("export", "--format", "archive", "--out", "a.zip").err
    assert "corrections stay in runs/small: 1; copy corrections.jsonl into a model's folder" in said
    shutil.unpack_archive("a.zip", "a")
    assert not Path("a/corrections.jsonl").exists()
    shutil.copy("runs/small/corrections.jsonl", "a")
    assert gru_mt("translate", "--model", "a", "they see!").out == "Ah !\n"


def test_a_card_that_was_edited_is_kept(tmp_path: Path) -> None:
    write_bundle(tmp_path / "model", configure(), tokenizer())
    path = api.export(tmp_path / "model", tmp_path / "a.zip", format="archive")
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path / "edited")
    (tmp_path / "edited" / "README.md").write_text("Mine.")
    again = files_of(api.export(tmp_path / "edited", tmp_path / "b.zip", format="archive"))
    assert again["README.md"] == b"Mine."
    assert again["weights.safetensors"] == files_of(path)["weights.safetensors"]
    with pytest.raises(api.UserError, match="a card that is kept; name the license in it"):
        api.export(tmp_path / "edited", tmp_path / "b.zip", format="archive", license="mit")


def test_what_an_archive_cannot_be_is_one_line(run: Path, gru_mt: Run) -> None:
    archive = ["export", "--format", "archive", "--model", run]
    for more, message in (
        (["--precision", "int8"], "precision int8: an archive has all weights; leave it out"),
        (["--out", run], "cannot be written: is a folder"),
        (["--out", run / "none" / "x.zip"], "cannot be written: there is no folder"),
        (["--private"], "--private belongs to --push"),
        (["--push", "me/x", "--out", "x"], "--push belongs to --format archive"),
    ):
        assert_one_line(gru_mt(*archive, *more), message)
    if Path("/dev/full").exists():
        assert_one_line(gru_mt(*archive, "--out", "/dev/full"), "/dev/full: cannot be written: No")
    onnx = gru_mt("export", "--model", run, "--license", "mit")
    assert_one_line(onnx, "license mit: only an archive has a card; leave it out")
