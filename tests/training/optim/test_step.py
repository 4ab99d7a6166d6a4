"""One update: what its microbatches share, and what they do not."""

import numpy as np
import torch

from gru_mt.config.schema import ModelConfig, TrainingConfig
from gru_mt.data.batching import make_batch
from gru_mt.data.dataset.ids import EncodedPairs, IdSequences
from gru_mt.data.dataset.store import Ints
from gru_mt.model.loss import forced_loss
from gru_mt.model.seq2seq import Seq2Seq
from gru_mt.training.optim.optimizer import Optimizer
from gru_mt.training.optim.step import TrainStep


def pairs_of(*targets: list[int]) -> EncodedPairs:
    """Return pairs whose sources are their targets."""
    return EncodedPairs(IdSequences.of(targets), IdSequences.of(targets))


def rows(*batches: list[int]) -> list[Ints]:
    return [np.array(batch) for batch in batches]


def make_update(optimizer: Optimizer) -> TrainStep:
    return TrainStep(optimizer, TrainingConfig(label_smoothing=0.0), torch.float32)


def make_optimizer() -> Optimizer:
    torch.manual_seed(1)
    config = ModelConfig(embedding_size=8, encoder_size=6, decoder_size=12, dropout=0.5)
    model = Seq2Seq(config, source_size=20, target_size=20, joint=True)
    return Optimizer(model, TrainingConfig(max_grad_norm=1e6), torch.float32)


def test_a_microbatch_has_its_dropout_whoever_computes_it_and_in_whatever_order() -> None:
    pairs = pairs_of([5, 6, 7], [8, 9], [10, 11, 12, 13], [14])
    microbatches = rows([0], [1, 2], [3])
    updated, alone = make_optimizer(), make_optimizer()
    stats = make_update(updated)(pairs, microbatches, learning_rate=0.0, seed=7, done=0)
    loss = torch.zeros(())
    for index in (2, 0, 1):
        rng = torch.Generator().manual_seed(7 + index)
        part = (
            forced_loss(alone.model, make_batch(pairs, microbatches[index]), rng) / 14
        )  # 4 + 3 + 5 + 2 tokens
        part.backward()
        loss += part.detach()
    gradients = [weight.grad for weight in alone.model.parameters() if weight.grad is not None]
    assert stats.tokens == 14
    torch.testing.assert_close(stats.loss, loss)
    torch.testing.assert_close(stats.grad_norm, torch.nn.utils.get_total_norm(gradients))


def test_microbatches_that_are_equal_have_other_dropout() -> None:
    pairs = pairs_of([5, 6, 7, 8, 9])
    losses = [
        make_update(make_optimizer())(
            pairs, rows([0]) * count, learning_rate=0.0, seed=7, done=0
        ).loss
        for count in (1, 2)
    ]
    assert losses[0] != losses[1]  # with the same masks the mean would be the same
