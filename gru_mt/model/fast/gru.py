"""The GRU over a whole sequence: all steps are one operation with a gradient of its own.

torch's own adds up the gradient of the recurrent weights step by step. Here it is one product over
all steps. Shapes: T time, B batch, H hidden units, G = 3 H rows of stacked gates.
"""

from typing import Any

import torch
from torch import Tensor

from gru_mt.model.fast.product import sum_of_outer_products


class _GRU(torch.autograd.Function):
    """The equations of `cells.GRU`, with input = W x + b_input and a = U h + b_state:

    r, z = sigma(input + a), n = tanh(input + r * a), h' = n + z * (h - n).
    """

    @staticmethod
    def forward(
        ctx: Any, input_TBG: Tensor, start_BH: Tensor, weight_GH: Tensor, bias_G: Tensor
    ) -> Tensor:
        size_T, size_B, size_G = input_TBG.shape
        size_H = size_G // 3
        state_TBH = input_TBG.new_empty(1 + size_T, size_B, size_H)  # state 0 is the start
        state_TBH[0] = start_BH
        recurrent_TBG = torch.empty_like(input_TBG)
        gate_TBX = input_TBG.new_empty(size_T, size_B, 2 * size_H)  # r and z
        new_TBH = input_TBG.new_empty(size_T, size_B, size_H)
        for t in range(size_T):
            torch.addmm(bias_G, state_TBH[t], weight_GH.t(), out=recurrent_TBG[t])
            input_BX, input_BH = input_TBG[t].tensor_split([2 * size_H], dim=1)
            recurrent_BX, recurrent_BH = recurrent_TBG[t].tensor_split([2 * size_H], dim=1)
            torch.add(input_BX, recurrent_BX, out=gate_TBX[t]).sigmoid_()
            reset_BH, update_BH = gate_TBX[t].chunk(2, dim=1)
            torch.addcmul(input_BH, reset_BH, recurrent_BH, out=new_TBH[t]).tanh_()
            torch.lerp(new_TBH[t], state_TBH[t], update_BH, out=state_TBH[t + 1])
        ctx.save_for_backward(state_TBH, recurrent_TBG, gate_TBX, new_TBH, weight_GH)
        return state_TBH[1:]

    @staticmethod
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        state_TBH, recurrent_TBG, gate_TBX, new_TBH, weight_GH = ctx.saved_tensors
        size_T, size_B, size_H = new_TBH.shape
        reset_TBH, update_TBH = gate_TBX.chunk(2, dim=2)
        # Local derivatives of h' by each gate's a. The derivative by the candidate's input is
        # (1 - z) (1 - n^2); r times this is the derivative by the candidate's a.
        local_TBGH = recurrent_TBG.new_empty(size_T, size_B, 3, size_H)
        local_reset_TBH, local_update_TBH, local_new_TBH = local_TBGH.unbind(dim=2)
        share_TBH = 1 - update_TBH
        local_input_TBH = share_TBH.addcmul(share_TBH, new_TBH.square(), value=-1)
        torch.mul(local_input_TBH, reset_TBH, out=local_new_TBH)
        torch.addcmul(local_new_TBH, local_new_TBH, reset_TBH, value=-1, out=local_reset_TBH)
        local_reset_TBH.mul_(recurrent_TBG[..., 2 * size_H :])
        torch.mul((state_TBH[:-1] - new_TBH).mul_(update_TBH), share_TBH, out=local_update_TBH)

        grad_TBG = local_TBGH.view(size_T, size_B, 3 * size_H)  # the loop makes them gradients
        grad_TBH = torch.empty_like(state_TBH)  # gradient 0 is that of the start
        grad_TBH[size_T] = outer[0][size_T - 1]
        for t in reversed(range(size_T)):
            local_TBGH[t].mul_(grad_TBH[t + 1][:, None])
            if t:
                torch.addcmul(outer[0][t - 1], grad_TBH[t + 1], update_TBH[t], out=grad_TBH[t])
            else:
                torch.mul(grad_TBH[1], update_TBH[0], out=grad_TBH[0])
            grad_TBH[t].addmm_(grad_TBG[t], weight_GH)
        grad_NG = grad_TBG.flatten(0, 1)
        weight_grad_GH = sum_of_outer_products(grad_NG, state_TBH[:-1].flatten(0, 1))
        bias_grad_G = grad_NG.sum(dim=0)
        # The gradients of the input and of a differ only in the candidate.
        torch.mul(grad_TBH[1:], local_input_TBH, out=grad_TBG[..., 2 * size_H :])
        return grad_TBG, grad_TBH[0], weight_grad_GH, bias_grad_G


def gru(input_TBG: Tensor, start_BH: Tensor, weight_GH: Tensor, bias_G: Tensor | None) -> Tensor:
    """Return state_TBH after each step, from projected inputs and recurrent weights and bias."""
    kind = input_TBG.dtype  # under autocast, the type of the projection
    bias_G = weight_GH.new_zeros(len(weight_GH)) if bias_G is None else bias_G
    state_TBH: Tensor = _GRU.apply(  # type: ignore[no-untyped-call]
        input_TBG, start_BH.to(kind), weight_GH.to(kind), bias_G.to(kind)
    )
    return state_TBH
