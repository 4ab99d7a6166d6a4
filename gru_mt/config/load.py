"""Configurations read from YAML files and `--set`.

A file states only what differs from the defaults. All of its mistakes are reported at once, each on
its own line, with the nearest known name where a key is unknown.
"""

import difflib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import fields
from itertools import accumulate, islice
from pathlib import Path
from typing import Any, get_args

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from gru_mt.config.decoding import Decoding
from gru_mt.config.fields import Section
from gru_mt.config.recipes import find_recipe, list_recipes
from gru_mt.config.schema import Config
from gru_mt.config.yaml_text import parse_yaml
from gru_mt.errors import UserError, as_path, as_texts, short_repr, short_text

_MAX_BYTES = 200_000  # of a file: a hundred times the longest that we ship
_OF_A_CORPUS = "; gru-mt init writes a configuration for a corpus"
_MAX_MESSAGES = 20
_FILES = ("data.corpus.", "data.dev.", "data.test.")  # sections that may be written as their path


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
            value = section.get(part)
            if not isinstance(value, dict | str | None):
                kind = "a list" if isinstance(value, list) else short_repr(value)
                raise UserError(
                    f"--set {short_text(override)}: {part} is {kind}; set it as a whole"
                )
            if not isinstance(value, dict):  # absent, or text: data.corpus: fra-eng
                is_path = isinstance(value, str) and name.startswith(_FILES)
                section[part] = {"path": value} if is_path else {}
            section = section[part]
        try:
            section[key] = parse_yaml(text)
        except ValueError as error:
            raise UserError(
                f"--set {short_text(override)}: {str(error).partition(': ')[2]}"
            ) from None
        names.add(name)
    return names


def _names(annotation: Any, prefix: str = "") -> Iterator[str]:
    """Yield the full name of each key in the sections that a field may hold, without list numbers.

    The field may hold a section, or a list or a union of them.
    """
    inner: dict[str, Any] = {}
    if annotation is Decoding:
        inner = {field.name: field.type for field in fields(Decoding)}
    elif isinstance(annotation, type) and issubclass(annotation, Section):
        inner = {name: field.annotation for name, field in annotation.model_fields.items()}
    for part in get_args(annotation):
        yield from _names(part, prefix)
    for name, kind in inner.items():
        yield f"{prefix}{name}"
        yield from _names(kind, f"{prefix}{name}.")


def _suggestion(path: tuple[str, ...]) -> str:
    names = [*_names(Config)]
    section = ".".join(part for part in path[:-1] if not part.isdecimal())  # an index of a list
    beside = [name.rpartition(".")[2] for name in names if name.rpartition(".")[0] == section]
    if near := difflib.get_close_matches(path[-1], beside, n=1):
        return f"did you mean {'.'.join((*path[:-1], near[0]))}?"
    if elsewhere := [name for name in names if name.split(".")[1:] == [path[-1]]]:
        return f"did you mean {elsewhere[0]}?"
    return f"known here: {', '.join('.'.join((*path[:-1], name)) for name in beside)}"


def _written(location: Sequence[int | str], values: Any) -> tuple[str, ...]:
    """Return the path of a field without the list numbers that `values` does not write.

    A corpus may stand alone, without a list: then `data.corpus.0.path.0` is `data.corpus`.
    """
    path: list[str] = []
    for part in location:
        if part == 0 and not isinstance(values, list) and path:
            continue
        if part == "path" and isinstance(values, str):
            continue
        if part in ("constrained-int", "literal['auto']") and len(path) == 2:  # either of a union
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


def load_config(source: str | Path | Mapping[str, Any], overrides: Iterable[str] = ()) -> Config:
    """Return a configuration: what a YAML file, or a dict, says of it, and the defaults.

    Args:
        source: The path of a YAML file; or the name of a recipe, such as "fra-eng", where no file
            has that name; or a dict of sections, such as {"data": {"corpus": ...}}.
        overrides: Texts "section.key=value", which replace what the source says.

    Raises:
        UserError: If the file cannot be read, or the configuration is invalid. The message has a
            line for each of the first twenty mistakes.

    Example:
        >>> from gru_mt import load_config
        >>> config = load_config("small.yaml", ["training.seed=7"])
        >>> config.training.seed, config.model.cell
        (7, 'gru')
        >>> load_config({"data": {"corpus": "pairs.tsv"}, "model": {"cell": "lstm"}}).model.cell
        'lstm'
    """
    overrides = as_texts(overrides, "overrides")
    if isinstance(source, Mapping):
        return _checked(deepcopy(dict(source)), "configuration", overrides)
    path = as_path(source, "the configuration")
    where = short_text(str(path))
    if recipe := find_recipe(str(path)):
        is_there = path.is_file() or (path / "config.yaml").is_file()
        path = path if is_there else recipe
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES + 1)  # no more: /dev/zero has no end
        if len(content) > _MAX_BYTES:
            raise UserError(
                f"{where}: more than {_MAX_BYTES:,} bytes, too long for a configuration"
                f"{_OF_A_CORPUS}"
            )
        text = content.decode()
    except OSError as error:
        near = difflib.get_close_matches(path.stem, [one.name for one in list_recipes()], n=1)
        is_missing = isinstance(error, FileNotFoundError)
        hint = f"; did you mean the recipe {near[0]}?" if near and is_missing else ""
        with suppress(OSError):  # the name is too long
            if path.is_dir():
                is_run = (path / "config.yaml").is_file()
                hint = f"; go on with --run {where}" if is_run else _OF_A_CORPUS
            elif Path(f"{path}.yaml").is_file():
                hint = f"; did you mean {where}.yaml?"
        raise UserError(f"{where}: cannot be read: {error.strerror}{hint}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{where}: not UTF-8 at byte {error.start}") from None
    return parse_config(text, where=where, overrides=overrides)


def parse_config(text: str, *, where: str, overrides: Iterable[str] = ()) -> Config:
    """Return the configuration in `text`; see `load_config`. Messages name the text as `where`."""
    try:
        values = parse_yaml(text) or {}
    except ValueError as error:
        raise UserError(f"{where}:{error}") from None
    if not isinstance(values, dict):
        raise UserError(
            f"{where}: expected sections such as 'data:', got {short_repr(values)}{_OF_A_CORPUS}"
        )
    return _checked(values, where, overrides)


def _checked(values: dict[str, Any], where: str, overrides: Iterable[str]) -> Config:
    """Return `values`, which are changed, as a configuration; UserError with a line a mistake."""
    overridden = _apply_overrides(values, overrides)
    # A section reads as null if all its lines are commented out. Its defaults are meant.
    values = {key: {} if value is None else value for key, value in values.items()}
    try:
        return Config.model_validate(values)
    except ValidationError as error:
        items: dict[tuple[str, ...], ErrorDetails] = {}  # the first of each field
        for item in error.errors():
            items.setdefault(_written(item["loc"], values), item)
        lines = []
        for path, item in islice(items.items(), _MAX_MESSAGES):
            is_set = not overridden.isdisjoint(accumulate(path, "{}.{}".format))
            lines.append(f"{'--set' if is_set else f'{where}:'} {_explain(path, item)}")
        if more := len(items) - len(lines):
            lines.append(f"{where}: and {more:,} more")
        raise UserError("\n".join(lines)) from None
