"""A cell as a notebook writes it, and ours with its weights: what is the largest difference?

Shapes: B batch, T time, I input features, H hidden units.
"""

import torch
from notebook_weights import from_matrices
from torch import Tensor, nn

from gru_mt.model.recurrent import Layer

SIZE_B, SIZE_T, SIZE_I, SIZE_H = 16, 50, 32, 64


class NotebookGRU(nn.Module):
    """A GRU as in many notebooks: matrices W, U and b for each gate, and a loop over time."""

    def __init__(self) -> None:
        super().__init__()

        def drawn(*shape: int) -> nn.Parameter:
            return nn.Parameter(torch.randn(shape) * 0.2)

        self.W_r, self.W_z, self.W_h = (drawn(SIZE_I, SIZE_H) for _ in range(3))
        self.U_r, self.U_z, self.U_h = (drawn(SIZE_H, SIZE_H) for _ in range(3))
        self.b_r, self.b_z, self.b_h = (drawn(SIZE_H) for _ in range(3))

    def forward(self, x_BTI: Tensor) -> Tensor:
        """Return output_BTH."""
        h = x_BTI.new_zeros(len(x_BTI), SIZE_H)
        outputs = []
        for x in x_BTI.unbind(dim=1):
            r = torch.sigmoid(x @ self.W_r + h @ self.U_r + self.b_r)
            z = torch.sigmoid(x @ self.W_z + h @ self.U_z + self.b_z)
            new = torch.tanh(x @ self.W_h + (r * h) @ self.U_h + self.b_h)
            h = z * h + (1 - z) * new
            outputs.append(h)
        return torch.stack(outputs, dim=1)


def largest_difference(one: Tensor, other: Tensor) -> float:
    return (one - other).abs().max().item()


@torch.no_grad()
def main() -> None:
    torch.manual_seed(1)
    torch.set_default_dtype(torch.float64)
    theirs = NotebookGRU()
    gates = [
        (theirs.W_r, theirs.U_r, theirs.b_r),
        (theirs.W_z, theirs.U_z, theirs.b_z),
        (theirs.W_h, theirs.U_h, theirs.b_h),
    ]
    x_BTI = torch.randn(SIZE_B, SIZE_T, SIZE_I)
    for kind in ("gru_reset_before", "gru"):
        ours = Layer(kind, SIZE_I, SIZE_H)
        ours.cell.load_state_dict(from_matrices(gates))
        output_BTH, _ = ours(x_BTI)
        print(f"{kind}: {largest_difference(output_BTH, theirs(x_BTI)):.1e}")


if __name__ == "__main__":
    main()
