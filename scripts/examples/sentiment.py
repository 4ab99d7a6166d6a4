"""Praise or blame? A GRU reads a made-up review; the baseline knows its words, not their order.

"not dull" is praise, and "although" takes back. Shapes: B batch, T words, H hidden units.
"""

import argparse
from random import Random

import torch
from torch import Tensor, nn

from gru_mt.model.recurrent import Recurrent

GOOD = ["good", "great", "funny", "moving", "clever", "charming", "wonderful", "gripping"]
BAD = ["bad", "awful", "dull", "boring", "clumsy", "tedious", "terrible", "predictable"]
PARTS = ["the film", "the plot", "the acting", "the music", "the ending", "the dialogue"]
AS_SAID, TURNED = ["was", "was very", "was quite"], ["was not", "was never", "was hardly"]
WHOLE = ["{1}", "{1} , although {0}", "although {0} , {1}", "{0} at first , but {1}"]


def review(rng: Random) -> tuple[list[str], float]:
    """Return the words of a review, and 1 for praise or 0 for blame."""
    clauses, praise = list[str](), False
    for _ in range(2):
        good, turned = rng.random() < 0.5, rng.random() < 0.5
        words = PARTS, TURNED if turned else AS_SAID, GOOD if good else BAD
        clauses.append(" ".join(map(rng.choice, words)))
        praise = good != turned
    return rng.choice(WHOLE).format(*clauses).split(), float(praise)


class Reader(nn.Module):
    """From words to one logit of praise: by a GRU, or by the sum of the words' embeddings."""

    def __init__(self, *, in_order: bool, size: int = 32) -> None:
        super().__init__()
        self.embedding = nn.Embedding(64, size, padding_idx=0)
        self.layer = Recurrent("gru", size, size) if in_order else None
        self.head = nn.Linear(size, 1)

    def forward(self, word_BT: Tensor) -> Tensor:
        """Return logit_B."""
        read_BTH, length_B = self.embedding(word_BT), (word_BT > 0).sum(dim=1)
        last_BH = self.layer(read_BTH, length_B)[1][-1] if self.layer else read_BTH.sum(dim=1)
        logit_B: Tensor = self.head(last_BH)[:, 0]
        return logit_B


def accuracy(model: Reader, steps: int) -> float:
    """Train for some steps of 64 reviews; return the share of 2,000 others that is right."""
    rng, ids = Random(1), dict[str, int]()

    def batch(size: int) -> tuple[Tensor, Tensor]:
        texts, labels = zip(*(review(rng) for _ in range(size)), strict=True)
        rows = [torch.tensor([ids.setdefault(w, len(ids) + 1) for w in text]) for text in texts]
        return nn.utils.rnn.pad_sequence(rows, batch_first=True), torch.tensor(labels)

    adam = torch.optim.Adam(model.parameters(), lr=1e-2)
    for _ in range(steps):
        word_BT, label_B = batch(64)
        adam.zero_grad()
        nn.functional.binary_cross_entropy_with_logits(model(word_BT), label_B).backward()
        adam.step()
    word_BT, label_B = batch(2_000)
    return float(((model(word_BT) > 0) == label_B.bool()).float().mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=300)
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # on tensors this small more threads only wait for each other
    torch.manual_seed(1)
    ours, words = Reader(in_order=True), Reader(in_order=False)
    print(f"accuracy on 2,000 other reviews: {accuracy(ours, arguments.steps):.3f}")
    print(f"by the words without their order: {accuracy(words, arguments.steps):.3f}")


if __name__ == "__main__":
    main()
