"""The YAML of configurations, read and written.

It is a part of YAML: no file is slow to read or nests deep. 1e-4 is a number, `no` and 2024-01-31
are texts, and a key that stands twice is an error.
"""

import re
from collections.abc import Callable
from typing import Any, NoReturn

import yaml

from gru_mt.config.schema import Config
from gru_mt.errors import short_repr

_MAX_DEPTH = 20  # levels of nesting; a configuration has three
_UNFOLDED = 1_000_000  # columns: long texts stay on one line


def _unused(what: str, sign: str) -> Callable[["_Loader"], None]:
    """Return a method that fails at a token which configurations do not need."""
    fix = f"; quote a text that begins with {sign}" if sign else ""
    return lambda loader: loader.fail(f"{what} are not used in configurations{fix}")


class _Loader(yaml.SafeLoader):
    fetch_tag = _unused("tags", "!")
    fetch_anchor = _unused("anchors", "&")
    fetch_alias = _unused("aliases", "*")
    fetch_directive = _unused("directives", "")

    def fail(self, problem: str) -> NoReturn:
        raise yaml.MarkedYAMLError(problem=problem, problem_mark=self.get_mark()) from None

    def fetch_more_tokens(self) -> None:
        try:
            super().fetch_more_tokens()
        except (ValueError, OverflowError):
            self.fail("an escape names no character")
        if len(self.indents) + self.flow_level > _MAX_DEPTH:
            self.fail(f"nested deeper than {_MAX_DEPTH} levels")

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            value = super().construct_object(node, deep)
            if isinstance(value, int):
                str(value)  # raises past Python's limit of digits: no message could show it
        except (ValueError, OverflowError):
            problem = f"{short_repr(node.value)} is no number that can be read"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark) from None
        return value

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        node.value = re.sub("^([-+]?)0+(?=[0-9])", r"\1", node.value)  # 010 is ten, not eight
        return int(super().construct_yaml_int(node))

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    problem = f"key {short_repr(key.value)} stands twice"
                    raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
                seen.add(key.value)
        return super().construct_mapping(node, deep)


class _Dumper(yaml.SafeDumper):
    """Quotes a text that `_Loader` would read as something else."""


_NULL, _BOOL, _INT, _FLOAT = (
    f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float")
)
_Loader.yaml_implicit_resolvers = {  # without booleans, timestamps, merge keys, `=` and 1:30
    first: [(tag, pattern) for tag, pattern in resolvers if tag == _NULL]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver(
    _INT, re.compile("[-+]?([0-9][0-9_]*|0x[0-9a-fA-F_]+)$"), list("-+0123456789")
)
_Loader.add_implicit_resolver(
    _BOOL, re.compile("(true|True|TRUE|false|False|FALSE)$"), list("tTfF")
)
_Loader.add_constructor(_INT, _Loader.construct_yaml_int)
for _yaml in (_Loader, _Dumper):
    _yaml.add_implicit_resolver(
        _FLOAT,
        re.compile(r"[-+]?([0-9][0-9_]*(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$|[-+]?\.(inf|nan)$"),
        list("-+.0123456789"),
    )


def parse_yaml(text: str) -> Any:
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


def dump_config(config: Config) -> str:
    """Return every resolved value as YAML that `load_config` reads back."""
    return _dump(config.model_dump())


def short_config(config: Config) -> str:
    """Return what differs from the defaults as YAML; it reads back as the same configuration."""
    return _dump(config.model_dump(exclude_defaults=True))


def compare_config(config: Config) -> str:
    """Return every resolved value as YAML. A comment shows the default where a value differs."""
    found, lines = config.model_dump(), []
    defaults = Config.model_validate({"data": {"corpus": "phrasebook"}}).model_dump()
    defaults["data"]["corpus"] = found["data"]["corpus"]  # it has no default
    for section, values in found.items():
        lines.append(f"{section}:")
        for name, value in values.items():
            first, *more = _dump({name: value}, width=_UNFOLDED).rstrip("\n").split("\n")
            default = defaults[section][name]
            comment = "" if value == default else f"  # default {yaml_inline(default)}"
            lines += [f"  {first}{comment}", *(f"  {line}" for line in more)]
    return "\n".join(lines)


def yaml_inline(value: Any) -> str:
    """Return a value as it is written behind a key: None -> "null", ["en"] -> "[en]"."""
    return _dump([value], default_flow_style=True, width=_UNFOLDED).rstrip("\n")[1:-1]


def _dump(value: Any, **style: Any) -> str:
    text: str = yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, **style)
    return text
