"""Every key of a configuration with its default, range and meaning: for people and for editors."""

import textwrap
from dataclasses import dataclass
from typing import Any

from gru_mt.config.schema import Config
from gru_mt.config.yaml_text import yaml_inline

_KINDS = {"integer": "whole number", "string": "text", "boolean": "true or false"}
_BOUNDS = {
    "minimum": "at least",
    "exclusiveMinimum": "above",
    "maximum": "at most",
    "exclusiveMaximum": "below",
}


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a section, in words."""

    name: str  # with the name of the section within a section that it is of: augment.lower
    default: str  # as YAML has it; "required" where there is none, "" for a section of keys
    values: str  # type and range
    meaning: str


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a configuration file."""
    schema = Config.model_json_schema()
    for name, section in schema["properties"].items():
        if name not in schema["required"]:  # a section with nothing under it has its defaults
            section["anyOf"] = [{"$ref": section.pop("$ref")}, {"type": "null"}]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | schema


def described_sections() -> dict[str, tuple[str, list[Key]]]:
    """Return the meaning of each section and its keys, in the order of the code."""
    schema = Config.model_json_schema()
    sections = _inlined(schema["properties"], schema["$defs"])
    return {
        name: (
            _one_line(section["description"]),
            [key for inner, field in section["properties"].items() for key in _keys(inner, field)],
        )
        for name, section in sections.items()
    }


def _inlined(schema: Any, named: dict[str, Any]) -> Any:
    """Return a schema that has in place of each `$ref` what this names."""
    if isinstance(schema, list):
        return [_inlined(each, named) for each in schema]
    if not isinstance(schema, dict):
        return schema
    whole = named.get(schema.get("$ref", "").rpartition("/")[2], {}) | schema
    return {key: _inlined(value, named) for key, value in whole.items()}


def _keys(name: str, field: dict[str, Any]) -> list[Key]:
    """Return a key; after the corpus and a key whose default is a section, their keys too."""
    if name != "corpus" and not isinstance(field.get("default"), dict):
        return [_key(name, field)]
    [section] = (kind for kind in field["anyOf"] if "properties" in kind)
    others = "text, or a list of both," if name == "corpus" else "null"
    return [
        Key(name, "", f"{others} or the keys below it", _one_line(field["description"])),
        *(_key(f"{name}.{key}", value) for key, value in section["properties"].items()),
    ]


def page() -> str:
    """Return every key with its default as YAML, with range and meaning as comments."""
    lines = []
    for section, (meaning, keys) in described_sections().items():
        lines += ["", f"{section}:  # {meaning}"]
        for key in keys:
            outer, _, name = key.name.rpartition(".")
            deep = "    " if outer else "  "
            line = f"{deep}{name}: {key.default}".rstrip()
            fits = len(line + key.values) < 80
            lines.append(f"{line}  # {key.values}" if fits else line)
            indent = f"{deep}    # "  # deeper than a key, so that the eye finds the keys
            for text in (key.meaning,) if fits else (key.values, key.meaning):
                lines += textwrap.wrap(text, 80, initial_indent=indent, subsequent_indent=indent)
    return "\n".join(lines[1:])


def _key(name: str, field: dict[str, Any]) -> Key:
    default = yaml_inline(field["default"]) if "default" in field else "required"
    return Key(name, default, _values(field), _one_line(field["description"]))


def _values(schema: dict[str, Any]) -> str:
    """Return, in words, the values that a schema allows: "whole number above 0, at most 32"."""
    if "anyOf" in schema:
        kinds = map(_values, schema["anyOf"])
        return " or ".join(sorted(kinds, key=len))  # null before a number and its bounds
    if "const" in schema:
        return str(schema["const"])
    if "enum" in schema:
        *others, last = schema["enum"]
        return f"{', '.join(others)} or {last}"
    if "properties" in schema:
        return f"a section of {' and '.join(schema['properties'])}"
    kind = str(schema["type"])
    if kind == "array":
        inner, least = schema["items"], schema.get("minItems", 0)
        if "enum" in inner:
            return f"list of {_values(inner)}"
        kind = {"integer": "whole numbers", "string": "texts"}.get(inner.get("type", ""), "such")
        return f"list of {f'{least} ' if least == schema.get('maxItems') else ''}{kind}"
    bounds = [
        f"{word} {f'{schema[name]:,}'.removesuffix('.0')}"
        for name, word in _BOUNDS.items()
        if name in schema
    ]
    return " ".join([_KINDS.get(kind, kind), ", ".join(bounds)]).rstrip()


def _one_line(text: str) -> str:
    return " ".join(text.split())
