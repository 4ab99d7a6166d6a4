"""Which systems are compared, and what is refused."""

from pathlib import Path

import pytest
import torch

from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.errors import UserError
from gru_mt.evaluation.systems import System, SystemMetadata, common_sets, read_files, read_runs
from gru_mt.run import WEIGHTS
from gru_mt.tensors import save_tensors
from tests.kept_runs import make_run

PETS = EvaluationSet(["a cat", "a dog"], [["un chat"], ["un chien", "le chien"]], "pets")
CARS = EvaluationSet(["a car"], [["une voiture"]], "cars")
TEXTS = ["un chat", "un chien"]


def system(name: str, *sets: EvaluationSet, tokenizer: str = "13a") -> System:
    return System(SystemMetadata(name), [(each, each.sources) for each in sets], tokenizer, {})


def refusal(*systems: System) -> str:
    with pytest.raises(UserError) as refused:
        common_sets(systems, "test")
    return str(refused.value)


def test_a_run_is_read_with_its_metadata(tmp_path: Path) -> None:
    make_run(tmp_path / "a", [PETS], [TEXTS], "training.seed=7", minutes=2.5)
    make_run(tmp_path / "b", [PETS], [TEXTS], "data.source=fr", "data.target=en", tokenizer="intl")
    first, second = read_runs([tmp_path / "a", tmp_path / "b" / "model"], "test", None)
    assert first.outputs == [(PETS, TEXTS)]
    assert first.metadata == SystemMetadata(
        str(tmp_path / "a"), 2.5, 6, 4.0
    )  # 2 sentences in 0.5 s
    assert first.config["training.seed"] == 7
    assert first.config["decoding.beam_size"] == 5
    assert (first.bleu_tokenizer, second.bleu_tokenizer) == ("13a", "intl")
    assert (second.metadata.name, second.metadata.minutes) == (str(tmp_path / "b" / "model"), None)
    chosen = read_runs([tmp_path / "a", tmp_path / "b"], "test", "char")
    assert [each.bleu_tokenizer for each in chosen] == ["char", "char"]


def test_decoding_is_that_of_the_translations_and_not_of_the_run_today(tmp_path: Path) -> None:
    run = make_run(tmp_path / "a", [PETS], [TEXTS])
    run.config.write_text(run.config.read_text().replace("beam_size: 5", "beam_size: 2"))
    [found] = read_runs([run.folder], "test", None)
    assert found.config["decoding.beam_size"] == 5


def test_a_run_without_translations_is_told_how_to_get_them(tmp_path: Path) -> None:
    for split, option in (("test", ""), ("dev", " --split dev")):
        run = make_run(tmp_path / split, [PETS], [TEXTS], split=split)
        save_tensors(run.bundle / WEIGHTS, {"a": torch.ones(1)}, {})  # other weights than before
        with pytest.raises(UserError) as refused:
            read_runs([run.folder], split, None)
        assert str(refused.value) == (
            f"{run.folder}: keeps no translations of its {split} split; "
            f"run gru-mt eval --model {run.folder}{option} first"
        )


def test_what_is_no_run_is_named(tmp_path: Path) -> None:
    make_run(tmp_path / "a", [PETS], [TEXTS])
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    for folder, split, message in (
        ("none", "test", "there is no such folder"),
        ("file", "test", "is a file; to compare files of translations, give --reference"),
        ("folder", "test", "is no run of gru-mt train"),
        ("a", "dev", "keeps no dev split"),
    ):
        with pytest.raises(UserError) as refused:
            read_runs([tmp_path / folder], split, None)
        assert str(refused.value) == f"{tmp_path / folder}: {message}"
    with pytest.raises(UserError, match="a/model: is given twice"):
        read_runs([tmp_path / "a" / "model", tmp_path / "a"], "test", None)


def test_a_common_set_is_found_by_what_is_in_it() -> None:
    renamed = EvaluationSet(PETS.sources, PETS.references, "animals")
    first, second = system("a", CARS, PETS), system("b", renamed)
    assert common_sets([first, second], "test") == ([PETS], ["cars"])
    assert second.texts(PETS) == PETS.sources
    assert common_sets([first, system("b", PETS, CARS)], "test") == ([CARS, PETS], [])


def test_different_splits_are_refused_by_what_differs() -> None:
    start = "b: its test split is not that of a: "
    first = system("a", PETS)
    assert refusal(first, system("b", CARS)) == f"{start}1 and 2 sentences"
    other = EvaluationSet(["a cat", "A dog"], PETS.references, "pets")
    assert refusal(first, system("b", other)) == f"{start}sentence 2 is 'A dog' and 'a dog'"
    other = EvaluationSet(PETS.sources, [["un chat"], ["un chien"]], "pets")
    assert refusal(first, first, system("b", other)) == (
        f"{start}the references of sentence 2 differ"
    )


def test_different_bleu_tokenizers_are_refused() -> None:
    assert refusal(system("a", PETS), system("b", PETS, tokenizer="zh")) == (
        "b: its BLEU tokenizer is zh, that of a is 13a; choose one with --bleu-tokenizer"
    )


def write(folder: Path, **files: str) -> list[Path]:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in files]


def test_files_are_systems_of_their_references(tmp_path: Path) -> None:
    one, two, first, second, source = write(
        tmp_path, one="un chat\nchien\n", two="chat\n\n", first="un chat\nun chien\n",
        second="\nle chien\n", source="a cat\na dog\n",
    )  # fmt: skip
    known = EvaluationSet(PETS.sources, PETS.references)
    systems = read_files([one, two], [first, second], source, "auto")
    assert [each.outputs for each in systems] == [
        [(known, ["un chat", "chien"])],
        [(known, ["chat", ""])],
    ]
    assert [each.metadata.name for each in systems] == [str(one), str(two)]
    assert systems[0].bleu_tokenizer == "13a"
    without = read_files([one], [first], None, "intl")[0]
    assert without.outputs[0][0] == EvaluationSet(["", ""], [["un chat"], ["un chien"]])
    assert without.bleu_tokenizer == "intl"
    chinese = write(tmp_path, **{"ref.zh": "猫\n"})  # the ending is the language
    assert read_files(chinese, chinese, None, "auto")[0].bleu_tokenizer == "zh"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"one": "a\n", "two": "a\nb\n", "ref": "a\n"}, "two: 2 lines, but ref has 1"),
        ({"one": "a\n", "two": "a\n", "ref": "a\nb\n"}, "one: 1 lines, but ref has 2"),
        ({"one": "", "two": "", "ref": ""}, "ref: is empty"),
        ({"one": "a\n", "two": "a\n", "ref": "\n"}, "ref:1: the sentence has no reference"),
        ({"one": "a\n", "ref": "a\n"}, "two: cannot be read: No such file or directory"),
    ],
)
def test_files_that_do_not_belong_together_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str], message: str
) -> None:
    write(tmp_path, **files)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError) as refused:
        read_files([Path("one"), Path("two")], [Path("ref")], None, "auto")
    assert str(refused.value) == message
    with pytest.raises(UserError, match="one: is given twice"):
        read_files([Path("one"), Path("one")], [Path("ref")], None, "auto")
