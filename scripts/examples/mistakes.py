"""Six things that notes on recurrent networks get wrong, with a number for each."""

import torch
import zstandard
from notebook_weights import from_torch
from torch import Tensor, nn

from gru_mt.data.corpus.load import PHRASEBOOK
from gru_mt.model.cells import GRU, ResetBeforeGRU
from gru_mt.model.recurrent import Recurrent

SIZE_H = 32


class LetterModel(nn.Module):
    """Predicts each next letter of padded sentences."""

    def __init__(self, letters: int = 256) -> None:
        super().__init__()
        self.embedding = nn.Embedding(letters, SIZE_H)
        self.layer = Recurrent("gru", SIZE_H, SIZE_H)
        self.head = nn.Linear(SIZE_H, letters)

    def forward(self, texts: list[str]) -> tuple[Tensor, int]:
        """Return the loss summed over all letters but padding, and how many they are."""
        rows = [torch.tensor([*text.encode()]) for text in texts]
        letter_BT = nn.utils.rnn.pad_sequence(rows, batch_first=True)
        output_BTH, _ = self.layer(self.embedding(letter_BT[:, :-1]))
        logits_NV, next_N = self.head(output_BTH).flatten(0, 1), letter_BT[:, 1:].flatten()
        loss = nn.functional.cross_entropy(logits_NV, next_N, ignore_index=0, reduction="sum")
        return loss, int((next_N > 0).sum())

    def gradient(self, loss: Tensor) -> Tensor:
        parts = torch.autograd.grad(loss, [*self.parameters()], retain_graph=True)
        return nn.utils.parameters_to_vector(parts)


def states() -> None:
    before, after = ResetBeforeGRU(64, 64), GRU(64, 64)
    nn.init.normal_(before.weight_hh)
    after.load_state_dict(before.state_dict())
    x_and_h = torch.randn(1_000, 64), torch.rand(1_000, 64) * 2 - 1
    apart = (before(*x_and_h) - after(*x_and_h)).abs().max()
    print(f"reset after the product instead of before: a state differs by up to {apart:.1f}")
    x_BTI, length_B = torch.randn(64, 20, 8), torch.randint(1, 21, (64,))
    output_BTC, last_2BH = nn.GRU(8, SIZE_H, batch_first=True, bidirectional=True)(x_BTI)
    apart = (output_BTC[:, -1, SIZE_H:] - last_2BH[1]).abs().max()
    print(f"out[:, -1] of both directions: its backward half differs by up to {apart:.1f}")
    theirs, ours = nn.GRU(8, SIZE_H, batch_first=True), Recurrent("gru", 8, SIZE_H)
    weights = from_torch(theirs.state_dict()).items()
    ours.load_state_dict({f"layers.0.cell.{name}": value for name, value in weights})
    apart = (theirs(x_BTI)[1] - ours(x_BTI, length_B)[1]).abs().max()
    print(f"nn.GRU that reads padding: last states differ by up to {apart:.1f}")


def main() -> None:
    torch.set_num_threads(1)  # on tensors this small more threads only wait for each other
    torch.manual_seed(1)
    states()
    with zstandard.open(PHRASEBOOK, "rt", encoding="utf-8") as file:
        texts = sorted((line.split("\t")[0] for line in file), key=len)
    model, norms = LetterModel(), []
    adam = torch.optim.Adam(model.parameters(), lr=1e-2)
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(adam, T_max=50)  # updates of an epoch
    for update in range(100):
        loss, count = model(texts[update :: len(texts) // 64])
        adam.zero_grad()
        (loss / count).backward()
        norms.append(count * nn.utils.clip_grad_norm_(model.parameters(), 1.0).item())
        adam.step()
        cosine.step()
    cut, mean, [rate] = sum(norm > 1 for norm in norms), sum(norms) / 100, cosine.get_last_lr()
    print(f"clipping a summed loss at 1: {cut} of 100 gradients are cut, of mean norm {mean:.0f}")
    print(f"a cosine over an epoch, and another epoch: the rate is back at {rate:.3f}")
    (one, few), (other, many) = model(texts[:1]), model(texts[-1:])
    right, wrong = model.gradient(one + other), model.gradient(one / few + other / many)
    angle = nn.functional.cosine_similarity(right, wrong, dim=0)
    print(f"microbatches each divided by its own {few} and {many} tokens: cosine {angle:.2f}")


if __name__ == "__main__":
    main()
