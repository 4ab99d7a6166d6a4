"""Configuration: typed sections that cannot exist invalid, read from YAML and `--set`.

A file states only what differs from the defaults below. All of its mistakes are reported at
once, each on its own line, with the nearest known name where a key is unknown.
"""

import difflib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Self, Union, get_args, get_origin

import yaml
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    ValidationError,
    model_validator,
)

from gru_mt.errors import UserError

Text = Annotated[str, Field(min_length=1)]
Fraction = Annotated[float, Field(ge=0, lt=1)]


class Section(BaseModel):
    """A frozen group of fields; an unknown key or a value of another type is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class ParallelFiles(Section):
    """Two files whose lines belong together; the names are the languages' roles in translation."""

    source: Text
    target: Text


class DataConfig(Section):
    corpus: Text | ParallelFiles  # "fra-eng", "phrasebook", a file, or two parallel files
    languages: Annotated[list[Text], Field(min_length=2, max_length=2)] = ["en", "fr"]
    """The corpus's first and second side; the split depends on this order alone."""
    source: str = "en"
    target: str = "fr"
    max_words: PositiveInt = 200  # a pair with a longer side is dropped, and counted
    max_ratio: Annotated[float, Field(gt=1)] = 9.0  # words of the longer side to the shorter

    @model_validator(mode="after")
    def _directions_are_the_corpus_languages(self) -> Self:
        if self.languages[0] == self.languages[1]:
            raise ValueError(f"languages {self.languages} must be two different ones")
        if sorted((self.source, self.target)) != sorted(self.languages):
            raise ValueError(
                f"source {self.source!r} and target {self.target!r} must be the two of "
                f"languages {self.languages}"
            )
        return self

    @property
    def reversed(self) -> bool:
        """Whether translation goes from the corpus's second side to its first."""
        return self.source == self.languages[1]


class TokenizerConfig(Section):
    kind: Literal["unigram", "bpe", "char", "word"] = "unigram"
    vocabulary_size: Annotated[int, Field(ge=8)] = 4_000  # lowered where the corpus is too small
    joint: bool = True  # one vocabulary for both sides
    sampling: Fraction = 0.0  # subword sampling on the training side: unigram alpha, BPE dropout
    min_frequency: PositiveInt = 2  # `word` only: rarer words become the unknown token

    @model_validator(mode="after")
    def _sampling_needs_subwords(self) -> Self:
        if self.sampling and self.kind not in ("unigram", "bpe"):
            raise ValueError(f"sampling {self.sampling} needs kind unigram or bpe, not {self.kind}")
        return self


Cell = Literal["rnn", "rnn_relu", "gru_update", "gru_reset_before", "gru", "lstm"]


class ModelConfig(Section):
    cell: Cell = "gru"
    embedding_size: PositiveInt = 256
    encoder_size: PositiveInt = 256  # hidden units in each of the encoder's directions
    decoder_size: PositiveInt = 512
    encoder_layers: PositiveInt = 1
    decoder_layers: PositiveInt = 1  # attention follows the first; the others read its context
    bidirectional: bool = True  # the encoder
    attention: Literal["dot", "general", "additive", "none"] = "dot"
    context: Literal["none", "repeat"] = "none"  # repeat: the source's last state in every input
    recurrent_init: Literal["orthogonal", "xavier", "zeros"] = "orthogonal"
    dropout: Fraction = 0.2  # locked: one mask a sequence

    @property
    def source_size(self) -> int:
        """Features of an encoder state: those of all its directions."""
        return self.encoder_size * (2 if self.bidirectional else 1)

    @model_validator(mode="after")
    def _sizes_meet(self) -> Self:
        if self.context == "repeat" and self.attention != "none":
            raise ValueError(
                f"context repeat is a model without attention, got attention {self.attention}; "
                "set attention none"
            )
        if self.source_size == self.decoder_size:
            return self
        sizes = (
            f"decoder_size {self.decoder_size} to be the encoder's {self.source_size} (encoder_size"
            f"{', twice: bidirectional' if self.bidirectional else ''})"
        )
        if self.attention == "dot":
            raise ValueError(f"attention dot needs {sizes}; or take attention general")
        if self.context == "repeat":
            raise ValueError(f"context repeat needs {sizes}: the decoder starts with its state")
        return self


class TrainingConfig(Section):
    seed: NonNegativeInt = 1
    device: str = "auto"  # cuda where there is one, else cpu; or any torch device
    precision: Literal["auto", "fp32", "bf16", "fp16"] = "auto"
    max_epochs: PositiveInt = 10
    max_steps: PositiveInt | None = None  # optimizer updates, where they end before the epochs do
    batch_tokens: PositiveInt = 2_048  # padded target tokens of a microbatch, not sentences
    batch_sentences: PositiveInt | None = None  # a microbatch has no more pairs than this
    cut_tokens: PositiveInt | None = None  # a longer side loses its end, as in tutorials
    accumulation: PositiveInt = 1  # microbatches an update
    learning_rate: PositiveFloat = 2e-3  # the peak
    embedding_rate: PositiveFloat = 8.0  # of embeddings: so many times learning_rate
    floor: Annotated[float, Field(ge=0)] = 0.0  # the last update's learning rate
    schedule: Literal["cosine", "linear", "constant"] = "cosine"
    warmup_steps: NonNegativeInt = 200  # optimizer updates
    weight_decay: Annotated[float, Field(ge=0)] = 0.0
    label_smoothing: Fraction = 0.1
    max_grad_norm: PositiveFloat = 1.0  # L2 norm of the whole gradient, after unscaling
    averaging: Fraction = 0.999  # decay of the exponential moving average; 0: the last weights
    validate_steps: PositiveInt | None = None  # optimizer updates; none: after each epoch
    patience: PositiveInt | None = None  # validations without a better BLEU before stopping
    checkpoint_minutes: PositiveFloat = 5.0
    log_steps: PositiveInt = 50  # optimizer updates between lines of metrics

    @model_validator(mode="after")
    def _floor_is_below_the_peak(self) -> Self:
        if self.floor > self.learning_rate:
            raise ValueError(f"floor {self.floor} must not pass learning_rate {self.learning_rate}")
        return self


class DecodingConfig(Section):
    beam_size: PositiveInt = 5
    length_penalty: Annotated[float, Field(ge=0)] = 1.0  # score = log-probability / length ** this
    max_source_tokens: PositiveInt = 256  # a longer sentence is cut, with a warning


class Config(Section):
    """Everything that decides what a run does."""

    data: DataConfig
    tokenizer: TokenizerConfig = TokenizerConfig()
    model: ModelConfig = ModelConfig()
    training: TrainingConfig = TrainingConfig()
    decoding: DecodingConfig = DecodingConfig()

    def to_yaml(self) -> str:
        """Return every resolved value as YAML that `load_config` reads back."""
        return yaml.dump(self.model_dump(), Dumper=_Dumper, sort_keys=False, allow_unicode=True)


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
    """Return the configuration in the file at `path`; see `parse_config`."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 at byte {error.start}") from None
    return parse_config(text, where=str(path), overrides=overrides)
