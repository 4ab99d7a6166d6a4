"""How well a model translates the dev part.

Shapes: B batch.
"""

import torch

from gru_mt.config import Config
from gru_mt.data.batching import EncodedPairs
from gru_mt.evaluation.score import bleu_tokenizer, corpus_bleu
from gru_mt.inference.search import Decoding
from gru_mt.inference.torch_engine import TorchEngine
from gru_mt.inference.translator import Translator
from gru_mt.model.loss import forced_loss
from gru_mt.model.seq2seq import Seq2Seq
from gru_mt.training.preparation import TrainingData


def measure(
    model: Seq2Seq, data: TrainingData, config: Config, device: torch.device
) -> tuple[float, float]:
    """Return BLEU, greedy and against all references, and the loss on dev; see `mean_loss`."""
    decoding = Decoding(**config.decoding.model_dump())
    translator = Translator(TorchEngine(model), data.tokenizer, decoding)
    translations = translator.translate(data.dev.sources, beam_size=1)
    tokenizer = bleu_tokenizer(config.data.target, config.evaluation.bleu_tokenizer)
    texts = [each.text for each in translations]
    bleu = corpus_bleu(texts, data.dev.references, tokenizer=tokenizer)
    return bleu, mean_loss(model, data.dev_pairs, config.training.batch_tokens, device)


@torch.no_grad()
def mean_loss(
    model: Seq2Seq, pairs: EncodedPairs, batch_tokens: int, device: torch.device
) -> float:
    """Return the cross-entropy under teacher forcing, unsmoothed, in nats a target token."""
    loss, tokens = 0.0, 0
    for row_B in pairs.plan(batch_tokens=batch_tokens, seed=0, epoch=0):
        loss += forced_loss(model, pairs.batch(row_B).to(device)).item()
        tokens += pairs.target_tokens(row_B)
    return loss / tokens
