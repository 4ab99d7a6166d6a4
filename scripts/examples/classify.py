"""English or French? A GRU reads the first letters; its last state becomes one logit.

Shapes: B batch, T letters, E embedding, H hidden units.
"""

import argparse

import torch
import zstandard
from torch import Tensor, nn

from gru_mt.data.corpus.load import PHRASEBOOK
from gru_mt.model.recurrent import Recurrent


class Classifier(nn.Module):
    """From letters to one logit of "French"."""

    def __init__(self, letters: int, size: int = 32) -> None:
        super().__init__()
        self.embedding = nn.Embedding(letters, size)
        self.layer = Recurrent("gru", size, size)
        self.head = nn.Linear(size, 1)

    def forward(self, letter_BT: Tensor, length_B: Tensor) -> Tensor:
        """Return logit_B."""
        _, last_KBH = self.layer(self.embedding(letter_BT), length_B)
        logit_B: Tensor = self.head(last_KBH[-1])[:, 0]
        return logit_B


def pad(texts: list[str], number: dict[str, int]) -> tuple[Tensor, Tensor]:
    """Return letter_BT, zeros behind the end, and length_B."""
    rows = [torch.tensor([number.get(letter, 0) for letter in text]) for text in texts]
    return nn.utils.rnn.pad_sequence(rows, batch_first=True), torch.tensor([*map(len, texts)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--letters", type=int, default=12, help="how many of each sentence to read")
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # on tensors this small more threads only wait for each other
    torch.manual_seed(1)
    with zstandard.open(PHRASEBOOK, "rt", encoding="utf-8") as file:
        pairs = [line.rstrip("\n").split("\t") for line in file]
    # Each beginning once, so that none is in both parts.
    texts = sorted({(side[: arguments.letters].lower(), float(french))
                    for pair in pairs for french, side in enumerate(pair)})  # fmt: skip
    texts = [texts[index] for index in torch.randperm(len(texts)).tolist()]
    train, test = texts[2_000:], texts[:2_000]
    number = {letter: n for n, letter in enumerate(sorted(set("".join(t for t, _ in train))), 1)}
    model = Classifier(len(number) + 1)
    adam = torch.optim.Adam(model.parameters(), lr=5e-3)
    for step in range(arguments.steps):
        batch = [train[(64 * step + n) % len(train)] for n in range(64)]
        logit_B = model(*pad([text for text, _ in batch], number))
        label_B = torch.tensor([label for _, label in batch])
        adam.zero_grad()
        nn.functional.binary_cross_entropy_with_logits(logit_B, label_B).backward()
        adam.step()
    with torch.inference_mode():
        french_B = model(*pad([text for text, _ in test], number)) > 0
    label_B = torch.tensor([label for _, label in test])
    share = label_B.mean().item()
    print(f"accuracy on {len(test):,} unseen beginnings: "
          f"{(french_B == label_B.bool()).float().mean():.3f}")  # fmt: skip
    print(f"always the same answer: {max(share, 1 - share):.3f}")


if __name__ == "__main__":
    main()
