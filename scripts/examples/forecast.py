"""What comes next? A GRU reads a noisy sum of sines and predicts each next value.

Shapes: B series, T steps, H hidden units.
"""

import argparse

import torch
from torch import Tensor, nn

from gru_mt.model.recurrent import Recurrent

NOISE = 0.1  # standard deviation, and so the least error that a forecast can have


def series(count: int, steps: int) -> Tensor:
    """Return value_BT: three sines of random period and phase, and noise."""
    time_T = torch.arange(steps)
    period_B31 = 8 + 40 * torch.rand(count, 3, 1)
    phase_B31 = 2 * torch.pi * torch.rand(count, 3, 1)
    wave_BT = torch.sin(2 * torch.pi * time_T / period_B31 + phase_B31).sum(dim=1)
    return wave_BT + NOISE * torch.randn(count, steps)


class Forecaster(nn.Module):
    """From the values so far to the next one, predicted as a change of the last."""

    def __init__(self, size: int = 64) -> None:
        super().__init__()
        self.layers = Recurrent("gru", 1, size, layers=2)
        self.head = nn.Linear(size, 1)

    def forward(self, value_BT: Tensor) -> Tensor:
        """Return next_BT, the forecast after each step."""
        output_BTH, _ = self.layers(value_BT[:, :, None])
        next_BT: Tensor = value_BT + self.head(output_BTH)[:, :, 0]
        return next_BT


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=600)
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # on tensors this small more threads only wait for each other
    torch.manual_seed(1)
    model = Forecaster()
    adam = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(arguments.steps):
        value_BT = series(32, 101)
        loss = nn.functional.mse_loss(model(value_BT[:, :-1]), value_BT[:, 1:])
        adam.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        adam.step()
    value_BT = series(500, 101)
    with torch.inference_mode():
        forecast_BT = model(value_BT[:, :-1])
    late = slice(50, None)  # once the values before can tell what the sines are
    ours, last = (
        (guess_BT - value_BT[:, 1:])[:, late].square().mean().sqrt().item()
        for guess_BT in (forecast_BT, value_BT[:, :-1])
    )
    print(f"root mean squared error on 500 unseen series: {ours:.3f}")
    print(f"the last value again: {last:.3f}")


if __name__ == "__main__":
    main()
