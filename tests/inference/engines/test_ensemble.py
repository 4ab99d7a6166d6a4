"""Several models as one: the mean of their distributions, whatever engines they run on."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from gru_mt.bundle import Bundle, build_model, load_bundle, save_bundle
from gru_mt.data.tokenizer.special import BOS, EOS, FIRST_OTHER, PAD, UNK
from gru_mt.data.tokenizer.tokenizer import Tokenizer
from gru_mt.errors import UserError
from gru_mt.inference.engines.ensemble import Ensemble
from gru_mt.inference.engines.torch_engine import TorchEngine
from gru_mt.inference.translator import Translator
from tests.conftest import Configure
from tests.data.tokenizer.trained import learn

CPU = torch.device("cpu")
LINES = ["we see two dog.", "you want one hat a@b.org.", "HOW ARE YOU?", "", "they"] * 3


@pytest.fixture(scope="module")
def tokenizer(small_config: Configure, small_corpus: Path) -> Tokenizer:
    lines = (line.split("\t") for line in small_corpus.read_text().splitlines())
    sources, targets = zip(*lines, strict=True)
    return learn(small_config().tokenizer, sources, targets)[0]


@pytest.fixture(scope="module")
def models(
    small_config: Configure, tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory
) -> list[Path]:
    """Return bundles of random weights: of one vocabulary, but of other cells, sizes and layers."""
    folders = [tmp_path_factory.mktemp(f"model-{number}") / "bundle" for number in range(3)]
    for seed, overrides in enumerate(
        ([], ["model.cell=lstm"], ["model.encoder_size=4", "model.decoder_size=8",
                                    "model.decoder_layers=2"])
    ):  # fmt: skip
        config = small_config("decoding.beam_size=4", *overrides)
        torch.manual_seed(seed)
        model = build_model(config, tokenizer)
        with torch.no_grad():
            for weight in model.parameters():
                weight.mul_(3)  # else all tokens are about as likely
        save_bundle(folders[seed], Bundle(model, tokenizer, config, {}), {"step": 1})
    return folders


def test_the_next_token_has_the_mean_probability_of_the_models(
    models: list[Path], tokenizer: Tokenizer
) -> None:
    loaded = [load_bundle(folder, CPU).model for folder in models]
    engine = Ensemble([TorchEngine(model) for model in loaded], tokenizer.target.size)
    source_BS, length_B = np.array([[9, 20, 21, EOS], [30, EOS, PAD, PAD]]), np.array([4, 2])
    target_in_BT = np.array([[BOS, 25], [BOS, 31]])
    expected = []
    for model in loaded:  # teacher forced, in float64
        source, length, target = map(torch.from_numpy, (source_BS, length_B, target_in_BT))
        model = model.double()
        logits_BTV = model.decode(target, model.encode(source, length)).detach()
        logits_BTV[:, :, [PAD, UNK, BOS]] = -math.inf
        expected.append(logits_BTV[:, -1].softmax(-1).numpy())
        model.float()
    mean_BV = np.mean(expected, axis=0)
    state = engine.start(source_BS, length_B)
    _, _, state = engine.step(target_in_BT[:, 0], state, 3)
    log_prob_RN, id_RN, _ = engine.step(target_in_BT[:, 1], state, 4)
    assert id_RN.shape == (2, FIRST_OTHER - EOS + 4)
    np.testing.assert_allclose(
        np.exp(log_prob_RN), np.take_along_axis(mean_BV, id_RN, axis=1), rtol=1e-4
    )
    assert id_RN[:, : FIRST_OTHER - EOS].tolist() == [[*range(EOS, FIRST_OTHER)]] * 2
    likeliest = FIRST_OTHER + np.argsort(-mean_BV[:, FIRST_OTHER:], axis=1)[:, :4]
    assert np.sort(id_RN[:, FIRST_OTHER - EOS :]).tolist() == np.sort(likeliest).tolist()


def test_a_model_averaged_with_itself_translates_as_alone(models: list[Path]) -> None:
    expected = [each.text for each in Translator.load(models[0]).translate(LINES)]
    for folders in (models[:1], models[:1] * 2):
        found = Translator.averaging(folders).translate(LINES)
        assert [each.text for each in found] == expected


def test_batches_change_nothing_and_placeholders_are_copied(models: list[Path]) -> None:
    translator = Translator.averaging(models)
    together = translator.translate(LINES)
    alone = translator.translate(LINES, batch_size=1)
    assert [*map(str, alone)] == [*map(str, together)]
    for line, found in zip(LINES, together, strict=True):
        assert found.text.count("a@b.org") == line.count("a@b.org")
        assert found.confidence is None
    shown = translator.translate(LINES[0], attention=True).sentences[0].candidates[0]
    np.testing.assert_allclose(np.array(shown.attention).sum(axis=1), 1, rtol=1e-5)


def test_models_of_other_vocabularies_or_languages_are_refused(
    models: list[Path], small_config: Configure, tokenizer: Tokenizer, tmp_path: Path
) -> None:
    bundle = load_bundle(models[0], CPU)
    other = learn(small_config().tokenizer, ["another text"] * 3, ["un autre"] * 3)[0]
    config = small_config("data.languages=[en, de]", "data.target=de")
    random = build_model(small_config(), other)
    for name, changed in (
        ("vocabulary", replace(bundle, tokenizer=other, model=random)),
        ("language", replace(bundle, config=config)),
    ):
        save_bundle(tmp_path / name, changed, {"step": 1})
        with pytest.raises(UserError, match=f"{name}: another vocabulary or other languages than"):
            Translator.averaging([models[0], tmp_path / name])
