"""Which systems are compared, and what is refused."""

from pathlib import Path

import pytest

from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.errors import UserError
from gru_mt.evaluation.systems import System, SystemMetadata, common_sets, read_systems
from tests.kept_runs import make_run

PETS = EvaluationSet(["a cat", "a dog"], [["un chat"], ["un chien", "le chien"]], "pets")
CARS = EvaluationSet(["a car"], [["une voiture"]], "cars")
TEXTS = ["un chat", "un chien"]


def read_runs(*folders: Path, tokenizer: str | None = None) -> list[System]:
    return read_systems(folders, [], None, "test", tokenizer)


def test_a_run_is_read_with_its_metadata(tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    run = make_run(a, [PETS], [TEXTS], "training.seed=7", minutes=2.5)
    make_run(b, [PETS], [TEXTS], "data.source=fr", "data.target=en", tokenizer="intl")
    run.config.write_text(run.config.read_text().replace("beam_size: 5", "beam_size: 2"))
    first, second = read_runs(a, b / "model")
    assert first.outputs == [(PETS, TEXTS)]
    assert first.metadata == SystemMetadata(str(a), 2.5, 6, 4.0)  # 2 sentences in 0.5 s
    assert first.config["training.seed"] == 7
    assert first.config["decoding.beam_size"] == 5, "as the translations were decoded"
    assert (first.bleu_tokenizer, second.bleu_tokenizer) == ("13a", "intl")
    assert (second.metadata.name, second.metadata.minutes) == (str(b / "model"), None)
    assert [each.bleu_tokenizer for each in read_runs(a, b, tokenizer="char")] == ["char"] * 2


def system(name: str, *sets: EvaluationSet, tokenizer: str = "13a") -> System:
    return System(SystemMetadata(name), [(each, each.sources) for each in sets], tokenizer, {})


def test_a_common_set_is_found_by_what_is_in_it() -> None:
    renamed = EvaluationSet(PETS.sources, PETS.references, "animals")
    first, second = system("a", CARS, PETS), system("b", renamed)
    assert common_sets([first, second], "test") == ([PETS], ["cars"])
    assert common_sets([second, first], "test") == ([renamed], ["cars"])
    assert second.texts(PETS) == PETS.sources
    assert common_sets([first, system("b", PETS, CARS)], "test") == ([CARS, PETS], [])


def test_systems_that_cannot_be_compared_are_refused_by_what_differs() -> None:
    other_source = EvaluationSet(["a cat", "A dog"], PETS.references, "pets")
    other_reference = EvaluationSet(PETS.sources, [["un chat"], ["un chien"]], "pets")
    for other, message in (
        (system("b", CARS), "its test split is not that of a: 1 and 2 sentences"),
        (system("b", other_source), "sentence 2 is 'A dog' and 'a dog'"),
        (system("b", other_reference), "the references of sentence 2 differ"),
        (system("b", PETS, tokenizer="zh"), "its BLEU tokenizer is zh, that of a is 13a; choose"),
    ):
        with pytest.raises(UserError, match=f"^b: .*{message}"):
            common_sets([system("a", PETS), system("c", PETS), other], "test")


def test_files_are_systems_of_their_references(tmp_path: Path) -> None:
    files = {"one": "un chat\nchien\n", "two": "chat\n\n", "first": "un chat\nun chien\n",
             "second": "\nle chien\n", "source": "a cat\na dog\n", "ref.zh": "猫\n"}  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    one, two, first, second, source, chinese = (tmp_path / name for name in files)
    known = EvaluationSet(PETS.sources, PETS.references)
    systems = read_systems([one, two], [first, second], source, "", None)
    outputs = [[(known, ["un chat", "chien"])], [(known, ["chat", ""])]]
    assert [each.outputs for each in systems] == outputs
    assert [each.metadata.name for each in systems] == [str(one), str(two)]
    assert systems[0].bleu_tokenizer == "13a"
    [without] = read_systems([one], [first], None, "", "intl")
    assert without.outputs[0][0] == EvaluationSet(["", ""], [["un chat"], ["un chien"]])
    assert without.bleu_tokenizer == "intl"
    [by_ending] = read_systems([chinese], [chinese], None, "", None)
    assert by_ending.bleu_tokenizer == "zh"
