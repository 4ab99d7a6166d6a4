"""Text without translations: what is read of it, how its sources are made, stored and marked."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from gru_mt.bundle import load_bundle, named_tensors
from gru_mt.config.load import parse_config
from gru_mt.config.schema import Config
from gru_mt.data.dataset.store import Ints
from gru_mt.data.loader import BUFFER_PAIRS, TrainingPairs
from gru_mt.data.prepare import prepare
from gru_mt.data.tokenizer.special import BOS, EOS
from gru_mt.errors import UserError
from gru_mt.inference.search import Floats
from gru_mt.inference.translator import Translator
from gru_mt.run import Run
from gru_mt.training import back_translation
from gru_mt.training.back_translation import DRAWN_FROM, Sampling, back_translate
from gru_mt.training.resume import Start
from gru_mt.training.train import train
from tests.training.stored import examples
from tests.training.test_fine_tuning import CPU

Configure = Callable[..., Config]
TEXTS = [f"{verb} moi {number}." for verb in ("vois", "veux", "aime") for number in "abcdefg"]


@pytest.fixture(scope="module")
def back(tmp_path_factory: pytest.TempPathFactory, small_config: Configure) -> Path:
    """Return a run of a few updates that translates French to English."""
    folder = tmp_path_factory.mktemp("back") / "run"
    train(small_config("data.source=fr", "data.target=en"), folder)
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
    monkeypatch.setattr(back_translation, "CHUNK", 8)


def made(config: Config, folder: Path) -> list[str]:
    folder.mkdir(exist_ok=True)
    return back_translate(TEXTS, config, Run(folder))


def test_each_text_gets_a_source_and_a_run_keeps_them(
    config: Config, back: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = made(config, tmp_path / "a")
    assert len(first) == len(TEXTS)
    assert len({*first}) > 3
    known = {*load_bundle(back, CPU).tokenizer.target.pieces(range(12, 49))}
    assert {word for text in first for word in text.lower().replace(".", " . ").split()} <= known
    assert made(config, tmp_path / "b") == first  # the same seed draws the same
    monkeypatch.setattr(Translator, "load", None)
    assert made(config, tmp_path / "a") == first  # without the model


def test_a_run_that_was_stopped_makes_only_what_is_missing(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = made(config, tmp_path / "whole")
    path = Run(tmp_path / "whole").back_translations
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 1 + 3  # 8, 8 and 5 texts
    path.write_bytes(b"".join(lines[:2]) + lines[2][:9])  # the second chunk is cut off
    asked: list[int] = []
    translate = Translator.translate

    def counted(self: Translator, sources: Any, **options: Any) -> Any:
        asked.append(len(sources))
        return translate(self, sources, **options)

    monkeypatch.setattr(Translator, "translate", counted)
    assert made(config, tmp_path / "whole") == whole
    assert asked == [8, 5]
    assert path.read_bytes() == b"".join(lines)


def test_another_model_or_other_texts_make_all_anew(config: Config, tmp_path: Path) -> None:
    whole = made(config, tmp_path / "run")
    path = Run(tmp_path / "run").back_translations
    header, *chunks = path.read_text().splitlines(keepends=True)
    for key in ("model", "texts"):
        path.write_text(json.dumps(json.loads(header) | {key: "0"}) + "\n" + chunks[0])
        assert made(config, tmp_path / "run") == whole
        assert path.read_text() == header + "".join(chunks)


def test_a_model_of_the_wrong_direction_is_refused(config: Config, tmp_path: Path) -> None:
    turned = config.data.model_copy(update={"source": "fr", "target": "en"})
    with pytest.raises(UserError, match="translates fr to en; what makes the fr side of en text"):
        made(config.model_copy(update={"data": turned}), tmp_path / "run")
    missing = config.data.model_copy(update={"back_translate": str(tmp_path / "nothing")})
    with pytest.raises(UserError, match=r"data\.back_translate: .*nothing: neither a run"):
        made(config.model_copy(update={"data": missing}), tmp_path / "run")


def test_made_sources_are_tagged_and_their_words_are_not_known(
    config: Config, tmp_path: Path
) -> None:
    sources = [f"sampled word{number}" if number else "" for number in range(len(TEXTS))]
    run = Run(tmp_path)
    data = prepare(Start(config), run, synthetic_sources=sources)
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


def test_a_run_with_text_alone_goes_on_to_the_same_bits(config: Config, tmp_path: Path) -> None:
    constant = config.training.model_copy(update={"schedule": "constant"})
    config = config.model_copy(update={"training": constant})
    shorter = constant.model_copy(update={"max_epochs": 1})
    train(config, tmp_path / "whole")
    train(config.model_copy(update={"training": shorter}), tmp_path / "parts")
    train(config, tmp_path / "parts")
    whole, parts = (load_bundle(tmp_path / name, CPU) for name in ("whole", "parts"))
    assert whole.provenance["back_translation"]["training_pairs"] > 0
    for name, weight in named_tensors(whole.model).items():
        assert torch.equal(named_tensors(parts.model)[name], weight)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("{corpus: [p.tsv, {path: a.fr, side: target}]}", "needs back_translate, a run that"),
        ("{corpus: p.tsv, back_translate: runs/back}", "has no corpus with side: target"),
        ("{corpus: {path: [a.en, a.fr], side: target}, back_translate: b}", "path must be one"),
    ],
)
def test_what_does_not_fit_together_is_refused(data: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        parse_config(f"data: {data}", where="a")


def test_tokens_are_drawn_as_often_as_they_are_expected() -> None:
    probability_N = np.array([0.5, 0.3, 0.15, 0.05])

    class Fixed:
        device_type = "none"

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
