"""gru-mt: train a GRU translator on sentence pairs, measure it honestly, translate with it.

Functions take a path as `str` or `Path`, and texts in any iterable. A mistake is a `UserError` with
one line. Messages go to the logger `gru_mt`. A name is imported when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gru_mt.config.load import load_config
    from gru_mt.config.schema import Config
    from gru_mt.data.text.terms.glossary import Glossary
    from gru_mt.documents.registry import translate_document
    from gru_mt.errors import UserError
    from gru_mt.evaluation.compare import compare
    from gru_mt.evaluation.evaluate import evaluate
    from gru_mt.inference.translation import Translation
    from gru_mt.inference.translator import Translator
    from gru_mt.onnx_export.write import export
    from gru_mt.training.train import train

__version__ = "0.1.0"
__all__ = [
    "Config", "Glossary", "Translation", "Translator", "UserError", "__version__",
    "compare", "evaluate", "export", "load_config", "train", "translate_document",
]  # fmt: skip

_MODULES = {
    "Config": "config.schema",
    "Glossary": "data.text.terms.glossary",
    "Translation": "inference.translation",
    "Translator": "inference.translator",
    "UserError": "errors",
    "compare": "evaluation.compare",
    "evaluate": "evaluation.evaluate",
    "export": "onnx_export.write",
    "load_config": "config.load",
    "train": "training.train",
    "translate_document": "documents.registry",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name in _MODULES:
        return getattr(import_module(f"gru_mt.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the public names too, which are no globals before they are first used."""
    return sorted({*globals(), *__all__})
