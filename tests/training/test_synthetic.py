"""Pairs of which models make one side: how that is made and stored, and what is trained on it."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from gru_mt.bundle import load_bundle, named_tensors
from gru_mt.config.load import load_config
from gru_mt.config.schema import Config
from gru_mt.corrections.learn import old_pairs
from gru_mt.data.dataset.components import key
from gru_mt.data.dataset.store import Ints
from gru_mt.data.loader import BUFFER_PAIRS, TrainingPairs
from gru_mt.data.prepare import prepare
from gru_mt.data.splits import load_splits
from gru_mt.data.tokenizer.special import BOS, EOS
from gru_mt.data.types import Example
from gru_mt.errors import UserError
from gru_mt.inference.search import Floats
from gru_mt.inference.translator import Translator
from gru_mt.run import Run
from gru_mt.training import synthetic
from gru_mt.training.estimate import try_updates
from gru_mt.training.resume import Start
from gru_mt.training.synthetic import DRAWN_FROM, Sampling, back_translate, synthetic_pairs
from gru_mt.training.train import train
from tests.conftest import Configure
from tests.training.stored import NO_AUGMENT, examples
from tests.training.test_resume import CPU

QUICK = ("training.max_steps=16", "training.learning_rate=0.02")
FEW = "data.corpus={{path: {}, limit: 120}}"
TEXTS = [f"{verb} moi {number}." for verb in ("vois", "veux", "aime") for number in "abcdefg"]


@pytest.fixture(scope="module")
def back(tmp_path_factory: pytest.TempPathFactory, small_config: Configure) -> Path:
    """Return a run of a few updates that translates French to English."""
    folder = tmp_path_factory.mktemp("back") / "run"
    train(small_config("data.source=fr", "data.target=en", *QUICK), folder)
    return folder


@pytest.fixture
def config(small_config: Configure, small_corpus: Path, back: Path, tmp_path: Path) -> Config:
    """Return a configuration of pairs, and of text without translations."""
    path = tmp_path / "alone.fr"
    path.write_text("".join(f"{text}\n" for text in TEXTS))
    corpora = f"data.corpus=[{small_corpus}, {{path: {path}, side: target}}]"
    return small_config(corpora, f"data.back_translate={back}")


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synthetic, "CHUNK", 8)


def made(config: Config, folder: Path) -> list[str]:
    folder.mkdir(exist_ok=True)
    return back_translate(TEXTS, config, Run(folder))


def test_each_text_gets_a_source_once_unless_model_or_texts_are_others(
    config: Config, back: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    translate = Translator.translate

    def counted(self: Translator, sources: Any, **options: Any) -> Any:
        asked.append(len(sources))
        return translate(self, sources, **options)

    monkeypatch.setattr(Translator, "translate", counted)
    first = made(config, tmp_path / "run")
    assert len(first) == len(TEXTS)
    assert len({*first}) > 3
    known = {*load_bundle(back, CPU).tokenizer.target.pieces(range(12, 49))}
    known |= {*"abcdefg"}  # words that it never saw are copied
    assert {word for text in first for word in text.lower().replace(".", " . ").split()} <= known
    path = Run(tmp_path / "run").back_translations
    header, *chunks = path.read_text().splitlines(keepends=True)
    others = [json.dumps(json.loads(header) | {name: "0"}) + "\n" for name in ("models", "texts")]
    for kept, wanted in (
        (header + chunks[0] + chunks[1][:9], [8, 5]),  # stopped in the second chunk
        *((other + chunks[0], [8, 8, 5]) for other in others),
    ):
        path.write_text(kept)
        asked.clear()
        assert made(config, tmp_path / "run") == first, "the same seed draws the same"
        assert asked == wanted
        assert path.read_text() == header + "".join(chunks)
    other = config.model_copy(update={"training": config.training.model_copy(update={"seed": 2})})
    assert made(other, tmp_path / "run") != first, "another seed draws others"
    assert made(config, tmp_path / "run") == first
    checkpoints = Run(tmp_path / "run").checkpoints
    checkpoints.mkdir()
    (checkpoints / "step-00000001.safetensors").touch()  # it trains on these
    monkeypatch.setattr(Translator, "load", None)
    assert made(config, tmp_path / "run") == first, "without the model"


def test_a_model_of_the_wrong_direction_is_refused(
    config: Config, back: Path, tmp_path: Path
) -> None:
    def refused(asked: str, **data: Any) -> None:
        changed = config.model_copy(update={"data": config.data.model_copy(update=data)})
        with pytest.raises(UserError, match=asked):
            prepare(Start(changed), Run(tmp_path))
        assert [*tmp_path.iterdir()] == before

    before = [*tmp_path.iterdir()]
    refused("back_translate: .* fr to en; name one .* en to fr", source="fr", target="en")
    refused("back_translate: .*nothing: there is no such", back_translate=str(tmp_path / "nothing"))
    alone = config.data.corpus[:1]
    refused("teachers: .* fr to en; name one .* en to fr", corpus=alone, teachers=[str(back)])


def test_made_sources_are_tagged_and_their_words_are_not_known(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = [f"sampled word{number}" if number else "" for number in range(len(TEXTS))]
    monkeypatch.setattr(synthetic, "back_translate", lambda *_: sources)
    data = prepare(Start(config), Run(tmp_path))
    made = [pair for pair in examples(data) if pair.corpus == 1]
    assert [pair.target for pair in made] == TEXTS[1:]  # a text without a source is left out
    assert data.pairs.where(len(data.pairs) - 1) == f"alone.fr:{len(TEXTS)}"
    assert "sampled" not in data.tokenizer.truecaser
    assert "moi" not in data.tokenizer.truecaser
    assert "see" in data.tokenizer.truecaser
    assert data.tokenizer.memory.find("sampled word1") == []
    assert data.provenance["back_translation"]["training_pairs"] == len(TEXTS) - 1
    pairs = TrainingPairs(config, data.tokenizer, data.pairs, max_pairs=BUFFER_PAIRS)
    for epoch in range(2):  # augmentation changes some pairs, and no tag
        of_epoch = pairs.load((epoch, 0))
        ids, _ = of_epoch.source.padded(np.arange(len(of_epoch.row_N)))
        corpora = data.pairs.line_N["corpus"][of_epoch.row_N]
        assert [row[0] == BOS for row in ids] == [corpus == 1 for corpus in corpora]
        assert not (ids[:, 1:] == BOS).any()


def test_what_a_model_made_is_joined_to_no_pair_that_people_wrote(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(synthetic, "back_translate", lambda *_: ["sampled"] * len(TEXTS))
    config = load_config(config.model_dump(), ["data.augment.join=1", "data.augment.names=0"])
    data = prepare(Start(config), Run(tmp_path))
    pairs = TrainingPairs(config, data.tokenizer, data.pairs, max_pairs=BUFFER_PAIRS).load((0, 0))
    [sampled] = data.tokenizer.source.encode("sampled")
    ids, _ = pairs.source.padded(np.arange(len(pairs.row_N)))
    written = ids[data.pairs.line_N["corpus"][pairs.row_N] == 0]
    assert (written[:, -2:] > EOS).any(), "some are joined"
    assert not (written == sampled).any()


@pytest.fixture(scope="module")
def teachers(
    tmp_path_factory: pytest.TempPathFactory, small_config: Configure, small_corpus: Path
) -> list[Path]:
    """Return two runs of a few updates that translate English to French."""
    folder = tmp_path_factory.mktemp("teachers")
    for seed in (1, 2):
        settings = (FEW.format(small_corpus), f"training.seed={seed}", *QUICK)
        train(small_config(*settings), folder / str(seed))
    return [folder / "1", folder / "2"]


@pytest.fixture
def taught(small_config: Configure, small_corpus: Path, teachers: list[Path]) -> Config:
    both = f"data.teachers=[{teachers[0]}, {teachers[1]}]"
    return small_config(FEW.format(small_corpus), both, NO_AUGMENT)


def test_each_teacher_translates_each_source_of_the_training_split(
    taught: Config, teachers: list[Path], tmp_path: Path
) -> None:
    splits = load_splits(taught.data)
    sets = [*splits.dev, *splits.test]
    kept_out = {key(text) for found in sets for texts in found.references for text in texts}
    sources = [*dict.fromkeys(pair.source for pair in splits.train)]
    data = prepare(Start(taught), Run(tmp_path), splits)
    stored, read = examples(data), data.tokenizer.truecaser.truecased
    sizes = [len(splits.train)]
    for corpus, teacher in enumerate(teachers, 1):
        translations = map(str, Translator.load(teacher).translate(sources))
        expected = [
            Example(read(source), text, line, corpus)
            for line, (source, text) in enumerate(zip(sources, translations, strict=True), 1)
            if text and key(text) not in kept_out
        ]
        assert [pair for pair in stored if pair.corpus == corpus] == expected
        sizes.append(len(expected))
        last = f"sources translated by {teacher}:{expected[-1].line}"
        assert data.pairs.where(sum(sizes) - 1) == last
    assert data.pairs.sizes == sizes
    assert data.provenance["teaching"]["training_pairs"] == sum(sizes[1:])
    assert len(old_pairs(data.pairs, taught, data.tokenizer)) == sizes[0], "what people wrote"
    assert data.tokenizer.same_vocabularies(load_bundle(teachers[0], CPU).tokenizer)
    pairs = TrainingPairs(taught, data.tokenizer, data.pairs, max_pairs=BUFFER_PAIRS)
    for epoch in range(2):  # each pair, and of each teacher one half or the other
        of_epoch = pairs.load((epoch, 0))
        counts = np.bincount(data.pairs.line_N["corpus"][of_epoch.row_N])
        assert counts.tolist() == pytest.approx([sizes[0], sizes[1] / 2, sizes[2] / 2], abs=1)
        assert not (of_epoch.source.ids == BOS).any()


@pytest.mark.parametrize("leaks", ["drop", "keep"])
def test_a_source_that_dev_or_test_has_is_not_trained_on(
    leaks: str, config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = config.data.model_copy(update={"leaks": leaks})
    splits = load_splits(data)
    source = splits.test[0].sources[0].upper()
    monkeypatch.setattr(synthetic, "_made", lambda *given: [[source] * len(given[-1])])
    found = synthetic_pairs(splits, config.model_copy(update={"data": data}), Run(tmp_path))
    assert {pair.source for pair in found} == (set() if leaks == "drop" else {source})


@pytest.mark.parametrize("leaks", ["drop", "keep"])
def test_what_a_teacher_makes_of_dev_and_test_is_left_out(
    leaks: str, taught: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = taught.data.model_copy(update={"leaks": leaks})
    splits = load_splits(data)
    said = splits.test[0].references[0][0].upper()

    def made(*given: Any) -> list[list[str]]:
        texts = given[-1]
        return [["", *[said] * (len(texts) - 2), "Rien."], [said] * len(texts)]

    monkeypatch.setattr(synthetic, "_made", made)
    found = synthetic_pairs(splits, taught.model_copy(update={"data": data}), Run(tmp_path))
    assert {pair.target for pair in found} == ({"Rien."} if leaks == "drop" else {said, "Rien."})


def test_a_trial_needs_no_teacher(taught: Config, teachers: list[Path], tmp_path: Path) -> None:
    with_none = taught.data.model_copy(update={"teachers": [str(tmp_path)] * 2})
    config = taught.model_copy(update={"data": with_none})
    alone = taught.model_copy(update={"data": taught.data.model_copy(update={"teachers": []})})
    trials = [try_updates(each, load_splits(each.data)) for each in (config, alone)]
    assert trials[0].updates == pytest.approx(2 * trials[1].updates, rel=0.2)


@pytest.mark.parametrize("of", ["back_translation", "teaching"])
def test_a_run_with_synthetic_pairs_goes_on_to_the_same_bits(
    of: str, config: Config, taught: Config, tmp_path: Path
) -> None:
    config = config if of == "back_translation" else taught
    constant = config.training.model_copy(update={"schedule": "constant", "batch_tokens": 400})
    config = config.model_copy(update={"training": constant})
    shorter = constant.model_copy(update={"max_epochs": 1})
    train(config, tmp_path / "whole")
    train(config.model_copy(update={"training": shorter}), tmp_path / "parts")
    shutil.rmtree(Run(tmp_path / "parts").data)  # it is prepared again, and nothing made again
    train(config, tmp_path / "parts")
    whole, parts = (load_bundle(tmp_path / name, CPU) for name in ("whole", "parts"))
    assert whole.provenance[of]["training_pairs"] > 0
    for name, weight in named_tensors(whole.model).items():
        assert torch.equal(named_tensors(parts.model)[name], weight)


def test_tokens_are_drawn_as_often_as_they_are_expected() -> None:
    probability_N = np.array([0.5, 0.3, 0.15, 0.05])

    class Fixed:
        device_type, start = "none", None

        def step(self, last_id_R: Ints, state: None, count: int) -> tuple[Floats, Ints, None]:
            assert count >= DRAWN_FROM
            rows = (len(last_id_R), 1)
            return np.tile(np.log(probability_N), rows), np.tile([EOS, 20, 21, 22], rows), state

    def drawn(seed: int) -> Ints:
        """Return what a greedy search takes: the tokens of the largest sums."""
        engine: Any = Fixed()
        log_prob_RN, id_RN, _ = Sampling(engine, seed).step(np.zeros(20_000, np.int64), None, 1)
        return np.take_along_axis(id_RN, log_prob_RN.argmax(axis=1)[:, None], 1)

    _, counts = np.unique(drawn(1), return_counts=True)  # EOS is the smallest
    np.testing.assert_allclose(counts / 20_000, probability_N, atol=0.012)  # over three deviations
    np.testing.assert_array_equal(drawn(1), drawn(1))
    assert (drawn(1) != drawn(2)).any()
