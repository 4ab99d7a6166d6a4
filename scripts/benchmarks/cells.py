"""A recurrent cell by itself: what it remembers, and how long a layer of it takes.

Shapes: B batch, T time, H hidden units, N letters to copy, V letters there are.
"""

import statistics
import time
from collections.abc import Callable

import torch
from torch import Tensor, nn

from gru_mt.model.cells import CELLS
from gru_mt.model.device import resolve_precision
from gru_mt.model.fast import keep_memory
from gru_mt.model.recurrent import Layer, Recurrent

LETTERS, COPIED = 8, 8  # letters there are, and of a text; two more stand for "wait" and "now"
UNITS, UPDATES, BATCH, TESTED = 128, 1_000, 32, 1_000
RATE = 3e-3
GATES_OPEN = 4.0  # bias of the gate that keeps the state
COPIERS = [*CELLS, "gru open", "lstm open"]  # the last two begin with that bias

ROWS, STEPS = 200, 10  # as in an update of R1
TIMED = 40
TORCH = {"torch.nn.GRU": nn.GRU, "torch.nn.LSTM": nn.LSTM}
LAYERS = [*CELLS, *TORCH]


class Copier(nn.Module):
    """Reads letters and predicts one at each step."""

    def __init__(self, name: str) -> None:
        super().__init__()
        kind, *opened = name.split()
        self.embedding = nn.Embedding(LETTERS + 2, UNITS)
        self.layer = Recurrent(kind, UNITS, UNITS)
        self.head = nn.Linear(UNITS, LETTERS)
        if opened:
            bias = self.layer.get_parameter("layers.0.cell.bias_hh")
            nn.init.constant_(bias[UNITS : 2 * UNITS], GATES_OPEN)

    def forward(self, letter_BT: Tensor) -> Tensor:
        """Return logits_BNV of the last steps."""
        output_BTH, _ = self.layer(self.embedding(letter_BT))
        logits_BNV: Tensor = self.head(output_BTH[:, -COPIED:])
        return logits_BNV


def texts(size: int, distance: int, rng: torch.Generator) -> tuple[Tensor, Tensor]:
    """Return letter_BT, which asks for its first letters after a gap, and these, letter_BN.

    The task is that of Hochreiter and Schmidhuber 1997 in the form of Arjovsky et al. 2016, arXiv
    1511.06464: letters, `distance` steps to wait, and a step for each letter to be said.
    """
    letter_BN = torch.randint(LETTERS, (size, COPIED), generator=rng)
    wait_BT = torch.full((size, distance), LETTERS)
    now_BN = torch.full((size, COPIED), LETTERS + 1)
    return torch.cat([letter_BN, wait_BT, now_BN], dim=1), letter_BN


def copied(name: str, distance: int, seed: int) -> float:
    """Train a cell of COPIERS on the task; return the share of letters that are right, 0 to 1."""
    torch.set_num_threads(1)  # on tensors this small more threads only wait for each other
    torch.set_flush_denormal(True)  # a vanishing gradient takes ten times as long otherwise
    torch.manual_seed(seed)
    rng = torch.Generator().manual_seed(seed)
    model = Copier(name)
    adam = torch.optim.Adam(model.parameters(), lr=RATE)
    for _ in range(UPDATES):
        letter_BT, letter_BN = texts(BATCH, distance, rng)
        loss = nn.functional.cross_entropy(model(letter_BT).flatten(0, 1), letter_BN.flatten())
        adam.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adam.step()
    letter_BT, letter_BN = texts(TESTED, distance, rng)
    with torch.inference_mode():
        return float((model(letter_BT).argmax(dim=2) == letter_BN).float().mean())


def layer_ms(units: int, seed: int) -> dict[str, dict[str, float]]:
    """Return the milliseconds of a layer of each cell over ROWS texts of STEPS words, in turns.

    "training" is forward and backward in the precision that training has here, "inference" is
    forward in fp32. Layers of torch stand beside ours.
    """
    torch.manual_seed(seed)
    keep_memory()
    precision = resolve_precision("auto", torch.device("cpu"))
    layers: dict[str, Callable[[Tensor], tuple[Tensor, Tensor]]] = {
        **{kind: Layer(kind, units, units) for kind in CELLS},
        **{name: kind(units, units, batch_first=True) for name, kind in TORCH.items()},
    }
    x_BTH = torch.randn(ROWS, STEPS, units, requires_grad=True)

    def training(layer: Callable[[Tensor], tuple[Tensor, Tensor]]) -> None:
        with torch.autocast("cpu", precision, enabled=precision != torch.float32):
            output_BTH, _ = layer(x_BTH)
        output_BTH.sum().backward()

    def inference(layer: Callable[[Tensor], tuple[Tensor, Tensor]]) -> None:
        with torch.inference_mode():
            layer(x_BTH)

    found: dict[str, dict[str, float]] = {name: {} for name in layers}
    for work in (training, inference):
        times_ms: dict[str, list[float]] = {name: [] for name in layers}
        for _ in range(TIMED):
            for name, layer in layers.items():
                started_s = time.perf_counter()
                work(layer)
                times_ms[name].append((time.perf_counter() - started_s) * 1e3)
        for name, values in times_ms.items():
            found[name][work.__name__] = statistics.median(values)
    return found
