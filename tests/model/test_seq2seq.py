"""The model: training and search compute the same, ignore padding, and drop out only if asked."""

import math
from typing import Any, get_args

import pytest
import torch
from torch import Tensor, nn

from gru_mt.config.schema import ModelConfig
from gru_mt.data.tokenizer.special import BOS, EOS, FIRST_OTHER, PAD, UNK
from gru_mt.model.attention import Kind
from gru_mt.model.cells import CELLS
from gru_mt.model.decoder_step import Incremental
from gru_mt.model.loss import token_loss
from gru_mt.model.seq2seq import Seq2Seq
from tests.model.tensors import randomise

pytestmark = pytest.mark.usefixtures("both_ways")

ATTENTIONS = get_args(Kind)
SOURCE = torch.tensor([[4, 5, 6, EOS], [7, EOS, PAD, PAD], [8, 9, EOS, PAD]])
SOURCE_LENGTH = torch.tensor([4, 2, 3])
REAL_BS = torch.arange(4) < SOURCE_LENGTH[:, None]
TARGET_IN = torch.tensor([[BOS, 10, 11, PAD], [BOS, 12, 13, 14], [BOS, PAD, PAD, PAD]])
TARGET_OUT = torch.tensor([[10, 11, EOS, PAD], [12, 13, 14, EOS], [EOS, PAD, PAD, PAD]])


def build(
    attention: str = "dot", decoder_layers: int = 1, *, joint: bool = True, **more: Any
) -> Any:
    """Return a tiny model in float64 with random parameters, biases too."""
    sizes = {"embedding_size": 6, "encoder_size": 4, "decoder_size": 8, "dropout": 0.5}
    settings = {"attention": attention, "decoder_layers": decoder_layers}
    config = ModelConfig.model_validate(sizes | settings | more)
    return randomise(Seq2Seq(config, source_size=20, target_size=20, joint=joint))


def generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def logits(model: Seq2Seq, rng: torch.Generator | None = None) -> Tensor:
    return model.decode(TARGET_IN, model.encode(SOURCE, SOURCE_LENGTH, rng), rng)


def assert_same(first: object, second: object) -> None:
    torch.testing.assert_close(first, second, rtol=0, atol=1e-10)


def log_probs(decoder: Incremental, readout_RE: Tensor) -> Tensor:
    """Return the log-probability of every id, minus infinity where `likeliest` does not give it."""
    size = len(decoder.model.output_bias_V)
    log_prob_RN, id_RN = decoder.likeliest(readout_RE, size - FIRST_OTHER)
    nothing_RV = log_prob_RN.new_full((len(readout_RE), size), -torch.inf)
    return nothing_RV.scatter(1, id_RN, log_prob_RN)


def without_never(logits_V: Tensor) -> Tensor:
    """Return the log-probability of every id, without those that no translation contains."""
    never = torch.tensor([PAD, UNK, BOS])
    return logits_V.index_fill(-1, never, -torch.inf).log_softmax(dim=-1)


def assert_steps_give(model: Seq2Seq, expected_BTV: Tensor, weight_BTS: Tensor) -> None:
    """Check that steps over TARGET_IN, with two hypotheses a source, give these."""
    start, decoder = model.encode(SOURCE, SOURCE_LENGTH), Incremental(model)
    row_AK, position_R = torch.arange(6).view(3, 2), torch.arange(6)
    state_LRZ, sources = start.state_LBZ.repeat_interleave(2, dim=1), decoder.remember(start)
    for t, last_id_B in enumerate(TARGET_IN.unbind(1)):
        readout_RE, state_LRZ, weight_RS = decoder(
            last_id_B.repeat_interleave(2), state_LRZ, sources, row_AK, position_R
        )
        for k in range(2):
            assert_same(log_probs(decoder, readout_RE[k::2]), without_never(expected_BTV[:, t]))
            if model.attention.context_size:
                assert_same(weight_RS[k::2], weight_BTS[:, t])


# One arithmetic


def written_out(model: Any) -> tuple[Tensor, Tensor]:
    """Return logits_BTV and attention's weight_BTS over TARGET_IN, by the model's equations."""
    state_BSC, last_KBH = model.encoder(2 * model.source_embedding.weight[SOURCE], SOURCE_LENGTH)
    last_BC = torch.cat([*last_KBH[-model.encoder.directions :]], dim=1)
    read_BTX = 2 * model.target_embedding.weight[TARGET_IN]
    if model.bridge is None:
        starts = [nn.functional.pad(last_BC, (0, model.decoder_state_size - last_BC.shape[1]))] * 2
        read_BTX = torch.cat([read_BTX, last_BC[:, None].expand(-1, 4, -1)], dim=2)
    else:
        start_BX = torch.tanh(last_BC @ model.bridge.weight.T + model.bridge.bias)
        starts = [*start_BX.chunk(len(model.decoder), dim=1)]
    below, *above = model.decoder
    state_BTH, _ = below(read_BTX, starts[0])
    memory = model.attention.remember(state_BSC, REAL_BS)
    context_BTC, weight_BTS = model.attention(state_BTH, memory)
    for layer, start_BZ in zip(above, starts[1:], strict=False):
        above_BTH, _ = layer(torch.cat([state_BTH, context_BTC], dim=2), start_BZ)
        state_BTH = state_BTH + above_BTH
    read_BTX, weight_VX = torch.cat([state_BTH, context_BTC], dim=2), model.output_weight
    if model.readout is not None:
        read_BTX = torch.tanh(read_BTX @ model.readout.weight.T + model.readout.bias)
    return read_BTX @ weight_VX.T + model.output_bias_V, weight_BTS


UNTIED: dict[str, Any] = {"attention": "none", "output": "untied"}
REPEATED: dict[str, Any] = {"attention": "none", "context": "repeat"}
NARROW: dict[str, Any] = {"bidirectional": False, "decoder_size": 4}


@pytest.mark.parametrize("settings", [
    *({"attention": kind, "decoder_layers": layers, "encoder_layers": 2, "joint": layers == 1}
      for kind in ATTENTIONS for layers in (1, 3)),
    *(more | {"cell": cell} for cell in CELLS for more in ({"decoder_layers": 2}, REPEATED)),
    REPEATED | NARROW, REPEATED | UNTIED | {"decoder_layers": 2}, UNTIED, UNTIED | {"joint": False},
])  # fmt: skip
def test_teacher_forcing_and_a_chain_of_steps_are_the_models_equations(
    settings: dict[str, Any],
) -> None:
    model = build(**settings)
    assert (model.source_embedding is model.target_embedding) == settings.get("joint", True)
    expected_BTV, weight_BTS = written_out(model)
    assert_same(logits(model), expected_BTV)
    assert_steps_give(model, expected_BTV, weight_BTS)


# Padding


@pytest.mark.parametrize("attention", ATTENTIONS)
def test_padding_changes_neither_logits_nor_loss_nor_gradients(attention: str) -> None:
    model = build(attention, 2, encoder_layers=2)
    parameters = [*model.parameters()]

    def results(source_BS: Tensor, target_in_BT: Tensor, target_out_BT: Tensor) -> list[Tensor]:
        logits_BTV = model.decode(target_in_BT, model.encode(source_BS, SOURCE_LENGTH))
        real_RV = logits_BTV[target_out_BT != PAD]
        loss = token_loss(logits_BTV.flatten(0, 1), target_out_BT.flatten(), label_smoothing=0.1)
        return [real_RV, loss, *torch.autograd.grad(loss, parameters)]

    longer_BS = nn.functional.pad(SOURCE, (0, 3))
    longer_BS[torch.arange(7) >= SOURCE_LENGTH[:, None]] = 15  # other ids, which are read nowhere
    longer_in_BT = nn.functional.pad(TARGET_IN, (0, 2))
    longer_out_BT = nn.functional.pad(TARGET_OUT, (0, 2), value=PAD)
    longer_in_BT[longer_out_BT == PAD] = 16

    plain = results(SOURCE, TARGET_IN, TARGET_OUT)
    assert_same(results(longer_BS, TARGET_IN, TARGET_OUT), plain)
    assert_same(results(SOURCE, longer_in_BT, longer_out_BT), plain)


# Embeddings


def test_separate_vocabularies_have_embeddings_of_their_own_sizes() -> None:
    config = ModelConfig(embedding_size=64, attention="none", output="untied")
    model = Seq2Seq(config, source_size=500, target_size=700, joint=False)
    assert logits(model).shape == (3, 4, 700)
    for embedding, size in ((model.source_embedding, 500), (model.target_embedding, 700)):
        scaled_VE = model.embed(embedding, torch.arange(size))
        assert scaled_VE.shape == (size, 64)
        assert scaled_VE.std().item() == pytest.approx(1, abs=0.02)  # of an untied output, as torch
    tied = build(joint=False)
    assert tied.output_weight is tied.target_embedding.weight


# A step for inference


def test_the_end_and_the_placeholders_come_first_then_the_likeliest_others() -> None:
    model = build()
    with torch.no_grad():
        model.output_bias_V[:] = torch.arange(20) * torch.tensor([1, -1]).repeat(10)
    readout_RE = torch.zeros(2, 6, dtype=torch.float64)
    log_prob_RN, id_RN = Incremental(model).likeliest(readout_RE, 3)
    assert id_RN[:, : FIRST_OTHER - EOS].tolist() == [[*range(EOS, FIRST_OTHER)]] * 2
    assert id_RN[:, FIRST_OTHER - EOS :].sort().values.tolist() == [[14, 16, 18]] * 2
    log_total = math.log(sum(math.exp(id_ if id_ % 2 == 0 else -id_) for id_ in range(EOS, 20)))
    log_probs_N = [(id_ if id_ % 2 == 0 else -id_) - log_total for id_ in id_RN[0].tolist()]
    assert log_prob_RN[0].tolist() == log_prob_RN[1].tolist() == pytest.approx(log_probs_N)
    # There are 8 others. More were asked for; minus infinity fills up.
    log_prob_RN, id_RN = Incremental(model).likeliest(readout_RE, 50)
    assert {*id_RN[0, log_prob_RN[0] > -torch.inf].tolist()} == {*range(EOS, 20)}
    assert (log_prob_RN[0] > -torch.inf).sum() == 9 + 8


@pytest.mark.parametrize("size", [FIRST_OTHER + 1, 31, 32, 33, 100])
@pytest.mark.parametrize("count", [1, 2, 5, 100])
def test_the_likeliest_are_found_by_blocks_as_among_all(size: int, count: int) -> None:
    sizes = {"embedding_size": 6, "encoder_size": 4, "decoder_size": 8}
    model = Seq2Seq(
        ModelConfig.model_validate(sizes), source_size=20, target_size=size, joint=False
    ).double()
    readout_RE = torch.randn(50, 6, dtype=torch.float64, generator=generator(size))
    expected_RV = without_never(readout_RE @ model.output_weight.T + model.output_bias_V)
    log_prob_RN, id_RN = Incremental(model).likeliest(readout_RE, count)
    assert_same(log_prob_RN, expected_RV.gather(1, id_RN))
    best_RO = expected_RV[:, FIRST_OTHER:].topk(min(count, size - FIRST_OTHER)).indices
    found_RO = id_RN[:, FIRST_OTHER - EOS :]
    assert torch.equal(found_RO.sort().values, (best_RO + FIRST_OTHER).sort().values)


# Dropout and precision


def test_both_halves_of_the_model_have_dropout_with_a_generator_alone() -> None:
    expected_BTV = logits(build("dot", 3, dropout=0.0), generator(1))
    model = build("dot", 3)
    for training in (True, False):
        assert torch.equal(logits(model.train(training)), expected_BTV)
    state = model.encode(SOURCE, SOURCE_LENGTH)
    noisy = model.encode(SOURCE, SOURCE_LENGTH, generator(1))
    for memory, drops in ((state.memory, False), (noisy.memory, True)):
        assert (memory.value_BSC[REAL_BS] == 0).any() == drops
    assert not torch.equal(model.decode(TARGET_IN, state, generator(1)), expected_BTV)


def test_a_word_loses_the_same_features_wherever_it_stands() -> None:
    model, read = build(), []

    def keep(_: nn.Module, inputs: tuple[Tensor, ...], named: dict[str, Any]) -> None:
        index_BS = named["index_BT"]
        read.append(inputs[0] if index_BS is None else inputs[0][index_BS])

    model.encoder.register_forward_pre_hook(keep, with_kwargs=True)
    model.encode(SOURCE, SOURCE_LENGTH, generator(1))
    (word_BSE,) = read
    last_BE = word_BSE[torch.arange(3), SOURCE_LENGTH - 1]  # <eos> in three sentences
    assert torch.equal(last_BE, last_BE[:1].expand(3, -1))
    dropped_SE = word_BSE[0] == 0  # of four words, each with its own mask
    assert dropped_SE.any()
    assert len(dropped_SE.unique(dim=0)) > 1
    whole_BSE = model.embed(model.source_embedding, SOURCE)
    assert_same(word_BSE[word_BSE != 0], 2 * whole_BSE[word_BSE != 0])


@pytest.mark.parametrize("attention", ATTENTIONS)
def test_bf16_autocast_trains_on_the_cpu(attention: str) -> None:
    model = build(attention, 2, encoder_layers=2).float()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        logits_BTV = logits(model)
        noisy_BTV = logits(model, generator(1))
    assert logits_BTV.dtype == torch.bfloat16
    # Eight bits of mantissa, and a few layers that each round.
    torch.testing.assert_close(logits_BTV.float(), logits(model), rtol=0.1, atol=0.1)

    loss = token_loss(noisy_BTV.float().flatten(0, 1), TARGET_OUT.flatten())
    gradients = torch.autograd.grad(loss, [*model.parameters()])
    assert all(gradient.isfinite().all() for gradient in gradients)
