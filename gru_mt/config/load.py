"""Configurations read from YAML and `--set`, and written.

A file states only what differs from the defaults. All of its mistakes are reported at once, each on
its own line, with the nearest known name where a key is unknown.
"""

import difflib
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from itertools import islice
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, NoReturn, Union, get_args, get_origin

import yaml
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from gru_mt.config.schema import Config, Section
from gru_mt.decoding import Decoding
from gru_mt.errors import UserError, as_path, as_texts, short_repr, short_text

_MAX_BYTES = 200_000  # of a file: a hundred times the longest that we ship
_MAX_DEPTH = 20  # levels of nesting; a configuration has three
_MAX_MESSAGES = 20


class _Loader(yaml.SafeLoader):
    """Reads only the YAML that configurations need, so that no file is slow to read or nests deep.

    1e-4 is a number, `no` and 2024-01-31 are texts, and a key that stands twice is an error.
    """

    def fetch_more_tokens(self) -> None:
        try:
            super().fetch_more_tokens()
        except (ValueError, OverflowError):
            self._refuse("an escape names no character")
        if len(self.indents) + self.flow_level > _MAX_DEPTH:
            self._refuse(f"nested deeper than {_MAX_DEPTH} levels")

    def fetch_tag(self) -> None:
        self._refuse("tags are not used in configurations; quote a text that begins with !")

    def fetch_anchor(self) -> None:
        self._refuse("anchors are not used in configurations; quote a text that begins with &")

    def fetch_alias(self) -> None:
        self._refuse("aliases are not used in configurations; quote a text that begins with *")

    def fetch_directive(self) -> None:
        self._refuse("directives are not used in configurations")

    def _refuse(self, problem: str) -> NoReturn:
        raise yaml.MarkedYAMLError(problem=problem, problem_mark=self.get_mark()) from None

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            value = super().construct_object(node, deep)
            if isinstance(value, int):
                str(value)  # raises past Python's limit of digits: no message could show it
        except (ValueError, OverflowError):
            raise yaml.MarkedYAMLError(
                problem=f"{short_repr(node.value)} is no number that can be read",
                problem_mark=node.start_mark,
            ) from None
        return value

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise yaml.MarkedYAMLError(
                        problem=f"key {short_repr(key.value)} stands twice",
                        problem_mark=key.start_mark,
                    )
                seen.add(key.value)
        return super().construct_mapping(node, deep)


class _Dumper(yaml.SafeDumper):
    """Quotes a text that `_Loader` would read as something else."""


_NULL, _BOOL, _INT, _FLOAT = (
    f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float")
)
_Loader.yaml_implicit_resolvers = {  # without booleans, timestamps, merge keys and `=`
    first: [(tag, pattern) for tag, pattern in resolvers if tag in (_NULL, _INT, _FLOAT)]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(_BOOL, re.compile("(true|false)$", re.IGNORECASE), list("tTfF"))
for _yaml in (_Loader, _Dumper):
    _yaml.add_implicit_resolver(
        _FLOAT, re.compile(r"[-+]?[0-9][0-9_]*(\.[0-9]*)?[eE][-+]?[0-9]+$"), list("-+0123456789")
    )


def _parse_yaml(text: str) -> Any:
    """Return the value of `text`; raises ValueError "LINE: not YAML: REASON" if it is not YAML."""
    try:
        return yaml.load(text, Loader=_Loader)  # a SafeLoader: it makes no objects
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        problem = (error.problem or "").removeprefix("but ")  # yaml would put a context before it
        raise ValueError(f"{line}: not YAML: {problem}") from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise ValueError(f"{line}: not YAML: {str(error).splitlines()[0]}") from None


def _apply_overrides(values: dict[str, Any], overrides: Iterable[str]) -> set[str]:
    """Put `section.key=value` overrides into `values`; return the names that they set."""
    names = set()
    for override in overrides:
        name, equals, text = override.partition("=")
        if not equals or not all(name.split(".")):
            raise UserError(f"--set {short_text(override)}: expected section.key=value")
        *sections, key = name.split(".")
        section = values
        for part in sections:
            if isinstance(section.get(part), list):
                raise UserError(
                    f"--set {short_text(override)}: {part} is a list; set it as a whole"
                )
            if not isinstance(section.get(part), dict):  # absent, or text: data.corpus: fra-eng
                section[part] = {}
            section = section[part]
        try:
            section[key] = _parse_yaml(text)
        except ValueError as error:
            raise UserError(
                f"--set {short_text(override)}: {str(error).partition(': ')[2]}"
            ) from None
        names.add(name)
    return names


def _sections(annotation: Any) -> list[type]:
    """Return the types of sections that a field may hold: none, one, or several of a union."""
    if isinstance(annotation, type) and (issubclass(annotation, Section) or annotation is Decoding):
        return [annotation]
    if get_origin(annotation) in (Union, UnionType, Annotated, list):
        return [section for part in get_args(annotation) for section in _sections(part)]
    return []


def _fields(section: type) -> dict[str, Any]:
    """Return the type of each field of a section by its name."""
    if issubclass(section, Section):
        return {name: field.annotation for name, field in section.model_fields.items()}
    assert is_dataclass(section)
    return {field.name: field.type for field in fields(section)}


def _known_names(path: tuple[str, ...]) -> list[str]:
    """Return the full names of the fields in the same section as the one at `path`."""
    sections: list[type] = [Config]
    for part in path[:-1]:
        if part.isdecimal():  # a place in a list
            continue
        sections = [
            inner for section in sections for inner in _sections(_fields(section).get(part))
        ]
    return [".".join((*path[:-1], name)) for section in sections for name in _fields(section)]


def _suggestion(path: tuple[str, ...]) -> str:
    beside = _known_names(path)
    everywhere = [name for section in Config.model_fields for name in _known_names((section, ""))]
    near = difflib.get_close_matches(path[-1], [name.split(".")[-1] for name in beside], n=1)
    if near:
        return f"did you mean {'.'.join((*path[:-1], near[0]))}?"
    if elsewhere := [name for name in everywhere if name.split(".")[-1] == path[-1]]:
        return f"did you mean {elsewhere[0]}?"
    return f"known here: {', '.join(beside)}"


def _by_path(error: ValidationError, values: Any) -> dict[tuple[str, ...], ErrorDetails]:
    """Return the first error of each field, by the field's path in `values`."""
    items: dict[tuple[str, ...], ErrorDetails] = {}
    for item in error.errors():
        path = _written(item["loc"], values)
        if path[2:] in (("constrained-int",), ("placeholder['auto']",)):
            path = path[:2]
        items.setdefault(path, item)
    return items


def _written(location: Sequence[int | str], values: Any) -> tuple[str, ...]:
    """Return the path of a field without the places of lists that `values` does not write.

    A corpus may stand alone, without a list: then `data.corpus.0.path.0` is `data.corpus`.
    """
    path: list[str] = []
    for part in location:
        if part == 0 and not isinstance(values, list) and path:
            continue
        if part == "path" and isinstance(values, str):
            continue
        path.append(str(part))
        with suppress(KeyError, IndexError, TypeError):
            values = values[part]
    return tuple(path)


def _explain(path: tuple[str, ...], item: ErrorDetails) -> str:
    """Return what is wrong with the field at `path`, beginning with its full name."""
    name = ".".join(map(short_text, path))
    if item["type"] in ("extra_forbidden", "unexpected_keyword_argument", "invalid_key"):
        return f"{name} is unknown; {_suggestion(path)}"
    if item["type"] == "missing":
        hint = "; name a corpus, such as data.corpus: fra-eng, phrasebook or a file"
        return f"{name} is missing{hint if name in ('data', 'data.corpus') else ''}"
    value = short_repr(item["input"])
    if item["type"] in ("model_type", "dataclass_type"):
        return f"{name} must be a section, with lines 'key: value' under it, got {value}"
    if item["type"] == "value_error":
        return f"{name}: {item['ctx']['error']}"
    rule = item["msg"].replace("Input should be", "must be", 1)
    if item["loc"][-1] == "constrained-int":
        rule += " or auto"
    return f"{name} {rule[0].lower() + rule[1:]}, got {value}"


def parse_config(text: str, *, where: str, overrides: Iterable[str] = ()) -> Config:
    """Return the configuration in `text`, with `section.key=value` overrides applied.

    Raises UserError with a line for each of the first twenty mistakes. Each line names the file as
    `where`.
    """
    try:
        values = _parse_yaml(text) or {}
    except ValueError as error:
        raise UserError(f"{where}:{error}") from None
    if not isinstance(values, dict):
        raise UserError(f"{where}: expected sections such as 'data:', got {short_repr(values)}")
    overridden = _apply_overrides(values, overrides)
    # A section reads as null if all its lines are commented out. Its defaults are meant.
    values = {key: {} if value is None else value for key, value in values.items()}
    try:
        return Config.model_validate(values)
    except ValidationError as error:
        items = _by_path(error, values)
        lines = [
            f"{'--set' if '.'.join(path) in overridden else f'{where}:'} {_explain(path, item)}"
            for path, item in islice(items.items(), _MAX_MESSAGES)
        ]
        if more := len(items) - len(lines):
            lines.append(f"{where}: and {more:,} more")
        raise UserError("\n".join(lines)) from None


def load_config(path: str | Path, overrides: Iterable[str] = ()) -> Config:
    """Return the configuration in the file at `path`; see `parse_config`.

    Raises UserError as that does, and where the file cannot be read.

    >>> from gru_mt import load_config
    >>> config = load_config("small.yaml", ["training.seed=7"])
    >>> config.training.seed, config.model.cell
    (7, 'gru')
    """
    path, overrides = as_path(path, "the configuration"), as_texts(overrides, "overrides")
    where = short_text(str(path))
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES + 1)  # no more: /dev/zero has no end
        text = content.decode()
    except OSError as error:
        raise UserError(f"{where}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{where}: not UTF-8 at byte {error.start}") from None
    if len(content) > _MAX_BYTES:
        raise UserError(f"{where}: more than {_MAX_BYTES:,} bytes, too long for a configuration")
    return parse_config(text, where=where, overrides=overrides)


def dump_config(config: Config) -> str:
    """Return every resolved value as YAML that `load_config` reads back."""
    return yaml.dump(config.model_dump(), Dumper=_Dumper, sort_keys=False, allow_unicode=True)


def short_config(config: Config) -> str:
    """Return what differs from the defaults as YAML; it reads back as the same configuration."""
    values = config.model_dump(exclude_defaults=True)
    return yaml.dump(values, Dumper=_Dumper, sort_keys=False, allow_unicode=True)


def compare_config(config: Config) -> str:
    """Return every resolved value as YAML. A comment shows the default where a value differs."""
    defaults = Config.model_validate({"data": {"corpus": config.data.corpus}}).model_dump()
    lines = []
    for section, values in config.model_dump().items():
        lines.append(f"{section}:")
        for name, value in values.items():
            first, *more = _unfolded({name: value}).split("\n")
            default = defaults[section][name]
            comment = "" if value == default else f"  # default {yaml_inline(default)}"
            lines += [f"  {first}{comment}", *(f"  {line}" for line in more)]
    return "\n".join(lines)


def yaml_inline(value: Any) -> str:
    """Return a value as it is written behind a key: None -> "null", ["en"] -> "[en]"."""
    return _unfolded([value], flow=True)[1:-1]


def _unfolded(value: Any, *, flow: bool = False) -> str:
    """Return `value` as YAML whose long texts stay on one line."""
    text: str = yaml.dump(
        value,
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=flow,
        width=1_000_000,
    )
    return text.rstrip("\n")
