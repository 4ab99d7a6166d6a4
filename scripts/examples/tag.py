"""Which letters are capital, and which mark ends it? A GRU reads a sentence in both directions."""

import argparse

import torch
import zstandard
from torch import Tensor, nn

from gru_mt.data.corpus.load import PHRASEBOOK
from gru_mt.model.recurrent import Recurrent

TAGS = ["", "capital", ".", "?", "!"]  # a mark is the tag of the letter before it


class Tagger(nn.Module):
    """From letters to a logit of each tag for each letter."""

    def __init__(self, size: int = 48) -> None:
        super().__init__()
        self.embedding = nn.Embedding(128, size)
        self.layer = Recurrent("gru", size, size, bidirectional=True)
        self.head = nn.Linear(self.layer.output_size, len(TAGS))

    def forward(self, letter_BT: Tensor) -> Tensor:
        """Return logits_BTL, for L tags."""
        output, _ = self.layer(self.embedding(letter_BT), (letter_BT > 0).sum(dim=1))
        logits_BTL: Tensor = self.head(output)
        return logits_BTL


def tagged(text: str) -> tuple[list[int], list[int]]:
    """Return the letters of a text without capitals and marks, and the tag of each."""
    letters, tags = list[int](), list[int]()
    for letter in text:
        if letter in TAGS:
            tags[-1] = TAGS.index(letter)
        else:
            letters.append(ord(letter.lower()))
            tags.append(TAGS.index("capital") if letter.isupper() else 0)
    return letters, tags


def pad(rows: tuple[list[int], ...]) -> Tensor:
    return nn.utils.rnn.pad_sequence([torch.tensor(row) for row in rows], batch_first=True)


def f1(guess_BT: Tensor, tag_BT: Tensor) -> list[float]:
    """Return the harmonic mean of precision and recall of each tag."""
    pairs = [(guess_BT == tag, tag_BT == tag) for tag in range(1, len(TAGS))]
    return [(2 * (one & other).sum() / (one.sum() + other.sum())).item() for one, other in pairs]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=300)
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # on tensors this small more threads only wait for each other
    torch.manual_seed(1)
    with zstandard.open(PHRASEBOOK, "rt", encoding="utf-8") as file:
        rows = [tagged(line.split("\t")[0]) for line in file]
    model = Tagger()
    adam = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(arguments.steps):
        first = 1_000 + 32 * step % (len(rows) - 1_032)
        letter_BT, tag_BT = map(pad, zip(*rows[first : first + 32], strict=True))
        adam.zero_grad()
        logits_NL, tag_N = model(letter_BT)[letter_BT > 0], tag_BT[letter_BT > 0]
        nn.functional.cross_entropy(logits_NL, tag_N).backward()
        adam.step()
    letter_BT, tag_BT = map(pad, zip(*rows[:1_000], strict=True))
    guess_BT = model(letter_BT).argmax(dim=2) * (letter_BT > 0)
    plain_BT = torch.zeros_like(tag_BT)
    plain_BT[:, 0] = TAGS.index("capital")
    plain_BT[range(1_000), (letter_BT > 0).sum(dim=1) - 1] = TAGS.index(".")
    ours, plain = f1(guess_BT, tag_BT), f1(plain_BT, tag_BT)
    print(*(f"{tag} {one:.2f}" for tag, one in zip(TAGS[1:], ours, strict=True)), sep=", ")
    print(f"mean F1 of the tags in 1,000 unseen sentences: {sum(ours) / len(ours):.3f}")
    print(f"a capital first and a full stop last: {sum(plain) / len(plain):.3f}")


if __name__ == "__main__":
    main()
