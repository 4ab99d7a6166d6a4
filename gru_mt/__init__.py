"""gru-mt: train a GRU translator on sentence pairs, measure it honestly, translate with it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gru_mt.config.load import load_config
    from gru_mt.data.text.glossary import Glossary
    from gru_mt.errors import UserError
    from gru_mt.evaluation.evaluate import evaluate
    from gru_mt.inference.translator import Translator
    from gru_mt.training.trainer import train

    __version__: str

__all__ = ["Glossary", "Translator", "UserError", "__version__", "evaluate", "load_config", "train"]

_MODULES = {
    "Glossary": "data.text.glossary",
    "Translator": "inference.translator",
    "UserError": "errors",
    "evaluate": "evaluation.evaluate",
    "load_config": "config.load",
    "train": "training.trainer",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name == "__version__":
        from importlib.metadata import version

        return version("gru-mt")
    if name in _MODULES:
        return getattr(import_module(f"gru_mt.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the public names too, which are no globals before they are first used."""
    return sorted({*globals(), *__all__})
