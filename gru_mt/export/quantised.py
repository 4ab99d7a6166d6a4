"""Weights as 8-bit integers, with a scale for each output.

Shapes: I input features, O output features.
"""

import numpy as np
from numpy.typing import NDArray

# x86 processors without VNNI sum two products in 16 signed bits. Weights of at most 64 keep that
# sum in range, since 2 * 255 * 64 < 2**15.
LARGEST = 64


def quantised(weight_IO: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return s8_IO and scale_O: s8_IO * scale_O is near weight_IO."""
    scale_O = np.maximum(np.abs(weight_IO).max(axis=0) / LARGEST, np.float32(1e-30))
    return np.rint(weight_IO / scale_O).astype(np.int8), scale_O
