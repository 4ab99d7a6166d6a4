"""Write scripts/examples/API.md from the docstrings of public names: python scripts/api_page.py."""

import inspect
import re
from pathlib import Path
from textwrap import dedent, wrap
from typing import Any

import gru_mt

PAGE = Path(__file__).parent / "examples" / "API.md"
ORDER = {
    "load_config": [],
    "Config": [],
    "train": [],
    "Translator": ["load", "averaging", "translate", "translate_iterable"],
    "Translation": ["text", "texts", "confidence", "warnings", "to_json"],
    "Glossary": ["of", "read"],
    "translate_document": [],
    "evaluate": [],
    "compare": [],
    "export": [],
    "UserError": [],
}
SECTIONS = ("Args", "Returns", "Raises", "Example")


def api_page() -> str:
    """Return the page: each public name with its signature and its docstring."""
    doc = inspect.getdoc(gru_mt)
    parts = ["# The Python API", (doc or "").split("\n", 2)[2]]
    for name, members in ORDER.items():
        public = getattr(gru_mt, name)
        parts += [f"## {name}", _entry(name, public)]
        for member in members:
            parts += [f"### {name}.{member}", _entry(f"{name}.{member}", getattr(public, member))]
    return "\n\n".join(parts) + "\n"


def _entry(name: str, public: Any) -> str:
    """Return signature, text and sections of a function, a method, a property or a class."""
    lines = []
    if inspect.isroutine(public):
        plain = [
            parameter.replace(annotation=inspect.Parameter.empty)
            for parameter in inspect.signature(public).parameters.values()
            if parameter.name != "self"
        ]
        call = wrap(f"{name}{inspect.Signature(plain)}", 100, subsequent_indent="    ")
        lines = ["```python", *call, "```", ""]
    doc = inspect.getdoc(public) or ""
    text, *rest = re.split(rf"^({'|'.join(SECTIONS)}):\n", doc, flags=re.MULTILINE)
    lines.append(text.strip())
    for section, body in zip(rest[::2], rest[1::2], strict=True):
        lines += ["", f"**{section}**", "", _section(section, dedent(body).strip())]
    return "\n".join(lines)


def _section(section: str, body: str) -> str:
    if section == "Example":
        return f"```pycon\n{body}\n```"
    if section == "Returns":
        return body
    return re.sub(r"^([\w*]+): ", r"- `\1`: ", body, flags=re.MULTILINE).replace("\n    ", "\n  ")


if __name__ == "__main__":
    PAGE.write_text(api_page(), encoding="utf-8")
