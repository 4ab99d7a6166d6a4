"""Nested values by full names."""

from typing import Any


def flat(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return the leaves of nested `values` by full name: {"a": [{"b": 1}]} -> {"a.0.b": 1}."""
    found: dict[str, Any] = {}
    for key, value in values.items():
        if isinstance(value, dict):
            found |= flat(value, f"{prefix}{key}.")
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            found |= flat({str(place): each for place, each in enumerate(value)}, f"{prefix}{key}.")
        else:
            found[f"{prefix}{key}"] = value
    return found
