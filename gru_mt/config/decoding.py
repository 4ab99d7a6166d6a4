"""How to search for a translation: only this module states the settings, their ranges and defaults.

The configuration has them as its section `decoding`, an export keeps them, and `translate` and
`eval` override them. No pydantic here: an export is loaded without it.
"""

import math
from dataclasses import dataclass, field, fields, replace
from numbers import Integral, Real
from typing import Any, ClassVar, Self

from gru_mt.errors import UserValueError, short_repr


def _setting(default: Any, least: float, most: float, description: str) -> Any:
    """Return a field whose metadata has range and description, named as pydantic reads them."""
    limits = {"ge": least, "le": most, "strict": True, "description": description}
    return field(default=default, metadata=limits)


def check_number(
    name: str, value: Any, least: float, most: float = math.inf, *, whole: bool = True
) -> None:
    """Raise UserValueError where `value` is no number, or no whole one, from `least` to `most`."""
    kind: Any = Integral if whole else Real
    if not isinstance(value, kind) or isinstance(value, bool) or not least <= value <= most:
        limits = f"from {least:,} to {most:,}" if most < math.inf else f"of at least {least:,}"
        named = "whole number" if whole else "number"
        raise UserValueError(f"{name} must be a {named} {limits}, got {short_repr(value)}")


@dataclass(frozen=True, slots=True)
class Decoding:
    """How to search; raises UserError where a value is of another type or out of its range."""

    __pydantic_config__: ClassVar = {"extra": "forbid"}  # as sections of a configuration do

    beam_size: int = _setting(5, 1, 1_000, "Hypotheses that a search keeps; 1 is greedy search.")
    length_penalty: float = _setting(
        1.0, 0, 10, "Exponent p: hypotheses are ranked by log-probability / length ** p."
    )
    max_source_tokens: int = _setting(
        256,
        1,
        1_000_000_000,
        "Tokens of a source sentence, at most; a longer one is translated in parts.",
    )

    def __post_init__(self) -> None:
        for setting in fields(self):
            limits = (setting.metadata["ge"], setting.metadata["le"])
            check_number(
                setting.name, getattr(self, setting.name), *limits, whole=setting.type is int
            )

    def overridden(self, **given: float | None) -> Self:
        """Return these settings, but with the values of `given` that are not None.

        Decoding().overridden(beam_size=1, length_penalty=None) changes the beam alone.
        """
        changes: dict[str, Any] = {
            name: value for name, value in given.items() if value is not None
        }
        return replace(self, **changes)
