"""gru-mt: train a GRU translator on sentence pairs, measure it honestly, translate with it."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gru_mt.inference.translator import Translator

__all__ = ["Translator"]


def __getattr__(name: str) -> Any:
    """Import `Translator` when it is first asked for."""
    if name in __all__:
        from gru_mt.inference import translator

        return getattr(translator, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
