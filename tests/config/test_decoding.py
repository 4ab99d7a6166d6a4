"""The settings of decoding: one statement of ranges, for every way to give them."""

import math
from typing import Any

import numpy as np
import pytest

from gru_mt.config.decoding import Decoding


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("beam_size", [0, -1, 1_001, 10**40, 2.0, True, "5", None]),
        ("max_source_tokens", [0, -1, 2.5, True, "256", None]),
        ("length_penalty", [-0.1, 10.1, 1e300, math.nan, math.inf, True, "1", None]),
    ],
)
def test_settings_of_another_type_or_out_of_range_are_refused(
    name: str, values: list[object]
) -> None:
    for value in values:
        settings: Any = {"beam_size": 5, "length_penalty": 1.0, "max_source_tokens": 256}
        with pytest.raises(ValueError, match=rf"^{name} must be a .*, got ") as caught:
            Decoding(**settings | {name: value})
        assert len(str(caught.value)) < 150


def test_what_is_given_overrides_and_what_is_none_does_not() -> None:
    in_range: Any = ((1, 0), (1_000, 10), (np.int64(5), np.float32(1)))
    for beam_size, length_penalty in in_range:
        assert Decoding().overridden(beam_size=beam_size, length_penalty=length_penalty)
    decoding = Decoding(3, 0.5, max_source_tokens=9)
    assert decoding.overridden(beam_size=1, length_penalty=None) == Decoding(1, 0.5, 9)
    assert decoding.overridden(length_penalty=0) == Decoding(3, 0, 9), "0 is given"
    assert decoding.overridden() == decoding
    with pytest.raises(ValueError, match=r"^beam_size must be a .*, got "):
        decoding.overridden(beam_size=0)
