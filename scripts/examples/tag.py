"""Which letters are capital? A GRU in both directions restores a lower-cased sentence's case.

Shapes: B batch, T letters, E embedding, C output features of both directions.
"""

import argparse

import torch
from torch import Tensor, nn

from gru_mt.data.corpora.phrasebook.sentences import generate
from gru_mt.model.recurrent import Recurrent


class Tagger(nn.Module):
    """From letters to a logit of "capital" for each."""

    def __init__(self, letters: int, size: int = 48) -> None:
        super().__init__()
        self.embedding = nn.Embedding(letters, size)
        self.layer = Recurrent("gru", size, size, bidirectional=True)
        self.head = nn.Linear(self.layer.output_size, 1)

    def forward(self, letter_BT: Tensor, length_B: Tensor) -> Tensor:
        """Return logit_BT."""
        output_BTC, _ = self.layer(self.embedding(letter_BT), length_B)
        logit_BT: Tensor = self.head(output_BTC)[:, :, 0]
        return logit_BT


def pad(rows: list[list[int]]) -> Tensor:
    return nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True)


def f1(guess: Tensor, truth: Tensor) -> float:
    """Return the harmonic mean of precision and recall."""
    return (2 * (guess & truth).sum() / (guess.sum() + truth.sum())).item()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=300)
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # on tensors this small more threads only wait for each other
    torch.manual_seed(1)
    texts = sorted({pair[0] for pair in generate()})
    texts = [texts[place] for place in torch.randperm(len(texts)).tolist()]
    number = {letter: n for n, letter in enumerate(sorted(set("".join(texts).lower())), 1)}
    letters = [[number[letter] for letter in text.lower()] for text in texts]
    capitals = [[int(letter.isupper()) for letter in text] for text in texts]
    model = Tagger(len(number) + 1)
    adam = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(arguments.steps):
        rows = [1_000 + (32 * step + n) % (len(texts) - 1_000) for n in range(32)]
        letter_BT, capital_BT = (pad([side[row] for row in rows]) for side in (letters, capitals))
        real_BT = letter_BT > 0
        logit_BT = model(letter_BT, real_BT.sum(dim=1))
        adam.zero_grad()
        nn.functional.binary_cross_entropy_with_logits(
            logit_BT[real_BT], capital_BT[real_BT].float()
        ).backward()
        adam.step()
    letter_BT, capital_BT = pad(letters[:1_000]), pad(capitals[:1_000]).bool()
    with torch.inference_mode():
        guess_BT = (model(letter_BT, (letter_BT > 0).sum(dim=1)) > 0) & (letter_BT > 0)
    first_BT = torch.zeros_like(capital_BT)
    first_BT[:, 0] = True
    print(f"F1 of capitals in 1,000 unseen sentences: {f1(guess_BT, capital_BT):.3f}")
    print(f"the first letter of each alone: {f1(first_BT, capital_BT):.3f}")


if __name__ == "__main__":
    main()
