"""Configurations read from YAML and `--set`, and written.

A file states only what differs from the defaults. All of its mistakes are reported at once, each on
its own line, with the nearest known name where a key is unknown.
"""

import difflib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import yaml
from pydantic import ValidationError

from gru_mt.config import Config, Section
from gru_mt.errors import UserError


class _Loader(yaml.SafeLoader):
    """YAML as people mean it: 1e-4 is a number, `no` a word, and no key stands twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise yaml.MarkedYAMLError(
                        problem=f"key {key.value!r} stands twice", problem_mark=key.start_mark
                    )
                seen.add(key.value)
        return super().construct_mapping(node, deep)


class _Dumper(yaml.SafeDumper):
    """Quotes what `_Loader` would read as something else than a string."""


_BOOL, _FLOAT = "tag:yaml.org,2002:bool", "tag:yaml.org,2002:float"
_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != _BOOL]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(_BOOL, re.compile("(true|false)$", re.IGNORECASE), list("tTfF"))
for _yaml in (_Loader, _Dumper):
    _yaml.add_implicit_resolver(
        _FLOAT, re.compile(r"[-+]?[0-9][0-9_]*(\.[0-9]*)?[eE][-+]?[0-9]+$"), list("-+0123456789")
    )


def _parse_yaml(text: str) -> Any:
    """Return what `text` says; raises ValueError, beginning with the line, where it is no YAML."""
    try:
        return yaml.load(text, Loader=_Loader)  # a SafeLoader: it makes no objects
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ValueError(f"{line}: not YAML: {error.problem}") from None
    except yaml.YAMLError as error:
        raise ValueError(f"1: not YAML: {str(error).splitlines()[0]}") from None


def _apply_overrides(values: dict[str, Any], overrides: Iterable[str]) -> set[str]:
    """Put `section.key=value` overrides into `values`; return the names that they set."""
    names = set()
    for override in overrides:
        name, equals, text = override.partition("=")
        if not equals or not all(name.split(".")):
            raise UserError(f"--set {override}: expected section.key=value")
        *sections, key = name.split(".")
        section = values
        for part in sections:
            if not isinstance(section.get(part), dict):  # absent, or data.corpus: fra-eng
                section[part] = {}
            section = section[part]
        try:
            section[key] = _parse_yaml(text)
        except ValueError as error:
            raise UserError(f"--set {override}: {str(error).partition(': ')[2]}") from None
        names.add(name)
    return names


def _submodels(annotation: Any) -> list[type[Section]]:
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return [annotation]
    if get_origin(annotation) in (Union, UnionType, Annotated):
        return [model for part in get_args(annotation) for model in _submodels(part)]
    return []


def _known_names(path: tuple[str, ...]) -> list[str]:
    """Return the full names of the fields that stand beside the one at `path`."""
    models: list[type[Section]] = [Config]
    for part in path[:-1]:
        models = [
            submodel
            for model in models
            if part in model.model_fields
            for submodel in _submodels(model.model_fields[part].annotation)
        ]
    return [".".join((*path[:-1], name)) for model in models for name in model.model_fields]


def _suggestion(path: tuple[str, ...]) -> str:
    beside = _known_names(path)
    everywhere = [name for section in Config.model_fields for name in _known_names((section, ""))]
    near = difflib.get_close_matches(path[-1], [name.split(".")[-1] for name in beside], n=1)
    if near:
        return f"did you mean {'.'.join((*path[:-1], near[0]))}?"
    if elsewhere := [name for name in everywhere if name.split(".")[-1] == path[-1]]:
        return f"did you mean {elsewhere[0]}?"
    return f"known here: {', '.join(beside)}"


def _explain(error: ValidationError) -> dict[str, str]:
    """Return what is wrong with each field, by its full name."""
    messages: dict[str, str] = {}
    for item in error.errors():
        path = tuple(str(part) for part in item["loc"])
        value = item.get("input")
        if path[:2] == ("data", "corpus") and len(path) > 2:  # pydantic names the union's branch
            meant = "ParallelFiles" if isinstance(value, Mapping) or len(path) > 3 else path[2]
            if path[2] != meant:
                continue
            path = path[:2] + path[3:]
        name = ".".join(path)
        if item["type"] == "extra_forbidden":
            message = f" is unknown; {_suggestion(path)}"
        elif item["type"] == "missing":
            message = " is missing"
            if name in ("data", "data.corpus"):
                message += "; name a corpus, such as data.corpus: fra-eng, phrasebook or a file"
        elif item["type"] == "model_type":
            message = f" must be a section, with lines 'key: value' under it, got {value!r}"
        elif item["type"] == "value_error":
            message = f": {item['ctx']['error']}"
        else:
            rule = item["msg"].replace("Input should be", "must be", 1)
            message = f" {rule[0].lower() + rule[1:]}, got {value!r}"
        messages.setdefault(name, message)
    return messages


def parse_config(text: str, *, where: str, overrides: Iterable[str] = ()) -> Config:
    """Return the configuration in `text`, with `section.key=value` overrides applied.

    Raises UserError with one line for each mistake, all at once; `where` names the file in them.
    """
    try:
        values = _parse_yaml(text) or {}
    except ValueError as error:
        raise UserError(f"{where}:{error}") from None
    if not isinstance(values, dict):
        raise UserError(f"{where}: expected sections such as 'data:', got {values!r}")
    overridden = _apply_overrides(values, overrides)
    # A section whose every line is commented out reads as null: its defaults are meant.
    values = {key: {} if value is None else value for key, value in values.items()}
    try:
        return Config.model_validate(values)
    except ValidationError as error:
        lines = [
            f"{'--set' if name in overridden else f'{where}:'} {name}{message}"
            for name, message in _explain(error).items()
        ]
        raise UserError("\n".join(lines)) from None


def load_config(path: Path, overrides: Iterable[str] = ()) -> Config:
    """Return the configuration in the file at `path`; see `parse_config`.

    >>> from pathlib import Path
    >>> from gru_mt import load_config
    >>> config = load_config(Path("small.yaml"), ["training.seed=7"])
    >>> config.training.seed, config.model.cell
    (7, 'gru')
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 at byte {error.start}") from None
    return parse_config(text, where=str(path), overrides=overrides)


def dump_config(config: Config) -> str:
    """Return every resolved value as YAML that `load_config` reads back."""
    return yaml.dump(config.model_dump(), Dumper=_Dumper, sort_keys=False, allow_unicode=True)
