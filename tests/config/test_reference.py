"""Every key is explained, and the JSON Schema takes what the program takes."""

import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

from gru_mt.config.load import load_config, parse_config
from gru_mt.config.reference import described_sections, json_schema, page
from gru_mt.config.schema import Config
from gru_mt.config.yaml_text import compare_config
from gru_mt.errors import UserError

CONFIGS = sorted((Path(__file__).parents[2] / "configs").glob("*.yaml"))
PHRASEBOOK = "data: {corpus: phrasebook}\n"
SCHEMA = json_schema()
KEYS = {
    f"{section}.{key.name}": key
    for section, (_, keys) in described_sections().items()
    for key in keys
}
TYPES: dict[str, list[type]] = {
    "object": [dict],
    "array": [list],
    "string": [str],
    "integer": [int],
    "number": [int, float],
    "boolean": [bool],
    "null": [type(None)],
}
COMMENTS = {"$defs", "$schema", "title", "description", "default"}  # they forbid nothing


def accepts(schema: dict[str, Any], value: Any) -> bool:
    """Return whether `value` is valid, for the words of JSON Schema that ours has."""
    kind = schema.get("type", "")
    if kind and type(value) not in TYPES[kind]:
        return False
    checks: dict[str, Any] = {
        "type": lambda _: True,  # as was checked: what follows needs it
        "$ref": lambda name: accepts(SCHEMA["$defs"][name.removeprefix("#/$defs/")], value),
        "anyOf": lambda inner: any(accepts(each, value) for each in inner),
        "const": lambda only: value == only,
        "enum": lambda words: value in words,
        "properties": lambda inner: all(
            accepts(each, value[name]) for name, each in inner.items() if name in value
        ),
        "required": lambda names: set(names) <= value.keys(),
        "additionalProperties": lambda _: value.keys() <= schema["properties"].keys(),
        "items": lambda inner: all(accepts(inner, each) for each in value),
        "minItems": lambda least: len(value) >= least,
        "maxItems": lambda most: len(value) <= most,
        "minLength": lambda least: len(value) >= least,
        "maxLength": lambda most: len(value) <= most,
        "pattern": lambda pattern: re.search(pattern, value) is not None,
        "minimum": lambda least: value >= least,
        "exclusiveMinimum": lambda least: value > least,
        "maximum": lambda most: value <= most,
        "exclusiveMaximum": lambda most: value < most,
    }
    return all(checks[word](rule) for word, rule in schema.items() if word not in COMMENTS)


def with_value(name: str, value: Any) -> dict[str, Any]:
    """Return a configuration of the phrasebook with one more value."""
    *sections, key = name.split(".")
    corpus = {"path": "phrasebook"} if sections == ["data", "corpus"] else "phrasebook"
    values: dict[str, Any] = {"data": {"corpus": corpus}}
    inner = values
    for section in sections:
        inner = inner.setdefault(section, {})
    inner[key] = value
    return values


def test_the_schema_is_of_the_draft_that_it_names() -> None:
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    sections = [SCHEMA, *SCHEMA["$defs"].values()]
    assert all(section["additionalProperties"] is False for section in sections)


class Yaml12(yaml.SafeLoader):
    """YAML 1.2, as editors read it: 2e-4 is a number there, and 4_000 is text."""


Yaml12.yaml_implicit_resolvers = {}
for _tag, _pattern in {
    "null": "null|~|",
    "bool": "true|false",
    "int": "[-+]?[0-9]+",
    "float": r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?",
}.items():
    Yaml12.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"({_pattern})$"), None)


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_the_schema_accepts_each_file_and_all_of_its_values(path: Path) -> None:
    for text in (path.read_text(encoding="utf-8"), compare_config(load_config(path))):
        assert accepts(SCHEMA, yaml.load(text, Loader=Yaml12))


TRIED = ["null", "true", "-1", "0", "1", "2.5", "10000000000", "auto", "cosine", "''", "[en]",
         "[1, 2]", "{path: [a, b]}", "{source: a}", "[]", "[a, {path: b}]"]  # fmt: skip
# What depends on several keys, or on Python's list of encodings, and is beyond the schema.
TOGETHER = {"model.decoder_size", "model.encoder_size", "model.bidirectional", "model.context",
            "tokenizer.sampling", "data.back_translate", "data.source", "data.target",
            "data.languages", "data.corpus.encoding", "training.learning_rate",
            "training.final_learning_rate"}  # fmt: skip


@pytest.mark.parametrize("section", Config.model_fields)
def test_the_schema_and_the_program_agree_on_every_key(section: str) -> None:
    names = [name for name in KEYS if name.startswith(f"{section}.") and name not in TOGETHER]
    for name, text in product(names, TRIED):
        try:
            overrides = [f"{name}={text}"]
            if name.startswith("data.corpus."):
                overrides.insert(0, "data.corpus.path=phrasebook")
            parse_config(PHRASEBOOK, where="a", overrides=overrides)
            good = True
        except UserError:
            good = False
        assert accepts(SCHEMA, with_value(name, yaml.safe_load(text))) == good, f"{name}={text}"


def test_a_section_with_nothing_under_it_is_no_mistake_but_for_the_corpus() -> None:
    for section in Config.model_fields:
        assert accepts(SCHEMA, with_value("data.corpus", "a") | {section: None}) == (
            section != "data"
        )


def test_the_page_is_a_configuration_of_all_defaults() -> None:
    text = page()
    config = parse_config(text, where="page", overrides=["data.corpus=phrasebook"])
    assert config == parse_config(PHRASEBOOK, where="a")
    assert yaml.safe_load(text).keys() == Config.model_fields.keys()
    assert max(map(len, text.splitlines())) <= 84


TEXT = "[a, {path: b, side: target}], back_translate: c"  # no corpora without the other key


@pytest.mark.parametrize("corpus", ["a b", "'#a'", "'x: y'", "{path: ['- a', b]}", TEXT])
@pytest.mark.parametrize("device", ["'#1'", f"'{'a ' * 90}'", f"'{'é' * 90}: '"])
def test_with_its_marks_it_reads_back_as_the_same(corpus: str, device: str) -> None:
    text = f"data: {{corpus: {corpus}, languages: [de, en], source: de, target: en}}\n"
    config = parse_config(text + f"training: {{device: {device}}}", where="a")
    assert parse_config(compare_config(config), where="b") == config
