"""Configuration: typed sections that cannot exist invalid, with the default of every field."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from gru_mt.decoding import Decoding
from gru_mt.errors import printable, quoted


def _without_controls(text: str) -> str:
    if printable(text) != text or "\n" in text:
        raise ValueError(f"must have no control characters, got {quoted(text)}")
    return text


# The bounds are far from what anybody trains with, and no sum or product within them overflows.
Text = Annotated[str, Field(min_length=1, max_length=4_096), AfterValidator(_without_controls)]
Language = Annotated[str, Field(pattern=r"^[\w .-]{1,40}$")]  # a part of file names
Count = Annotated[int, Field(gt=0, le=1_000_000_000)]
CountOrZero = Annotated[int, Field(ge=0, le=1_000_000_000)]
Size = Annotated[int, Field(gt=0, le=16_384)]
Layers = Annotated[int, Field(gt=0, le=32)]
Rate = Annotated[float, Field(gt=0, le=1_000)]
Positive = Annotated[float, Field(ge=1e-6, le=1e9)]
Fraction = Annotated[float, Field(ge=0, lt=1)]
Auto = Literal["auto"]


class Section(BaseModel):
    """A frozen group of fields; an unknown key or a value of another type is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class ParallelFiles(Section):
    """Two files whose lines belong together; the names are the languages' roles in translation."""

    source: Text
    target: Text


class DataConfig(Section):
    corpus: Text | ParallelFiles  # "fra-eng", "phrasebook", a file, or two parallel files
    languages: Annotated[list[Language], Field(min_length=2, max_length=2)] = ["en", "fr"]
    """The corpus's first and second side; the split depends on this order alone."""
    source: Language = "en"
    target: Language = "fr"
    max_words: Count = 200
    """A pair with a longer side is dropped, and counted. A letter of a script without spaces is a
    word, and so are 25 characters of any."""
    max_ratio: Annotated[float, Field(gt=1, le=1e9)] = 9.0  # longer side's words to the shorter's

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
    vocabulary_size: Annotated[int, Field(ge=8, le=1_000_000)] = 4_000  # lowered for a small corpus
    joint: bool = True  # one vocabulary for both sides
    sampling: Fraction = 0.0  # subword sampling on the training side: unigram alpha, BPE dropout
    min_frequency: Count = 2  # `word` only: rarer words become the unknown token

    @model_validator(mode="after")
    def _sampling_needs_subwords(self) -> Self:
        if self.sampling and self.kind not in ("unigram", "bpe"):
            raise ValueError(f"sampling {self.sampling} needs kind unigram or bpe, not {self.kind}")
        return self


Cell = Literal["rnn", "rnn_relu", "gru_update", "gru_reset_before", "gru", "lstm"]


class ModelConfig(Section):
    cell: Cell = "gru"
    embedding_size: Size = 256
    encoder_size: Size = 256  # hidden units in each of the encoder's directions
    decoder_size: Size = 512
    encoder_layers: Layers = 1
    decoder_layers: Layers = 1  # attention follows the first; the others read its context
    bidirectional: bool = True  # the encoder
    attention: Literal["dot", "general", "additive", "none"] = "dot"
    context: Literal["none", "repeat"] = "none"  # repeat: the source's last state in every input
    recurrent_init: Literal["orthogonal", "xavier", "zeros"] = "orthogonal"
    dropout: Fraction = 0.2  # locked: one mask a sequence, and one a word of a batch for embeddings

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
    seed: Annotated[int, Field(ge=0, lt=2**63)] = 1
    device: Text = "auto"  # cuda where it works, else cpu; or a device of this machine
    precision: Literal["auto", "fp32", "bf16", "fp16"] = "auto"
    max_epochs: Count = 10
    max_steps: Count | None = None  # optimizer updates, where they end before the epochs do
    batch_tokens: Count | Auto = "auto"
    """Padded target tokens of a microbatch, not sentences; auto: by the size of the corpus."""
    batch_sentences: Count | None = None  # a microbatch has no more pairs than this
    cut_tokens: Count | None = None  # a longer side loses its end, as in tutorials
    accumulation: Count = 1  # microbatches an update
    learning_rate: Rate = 2e-3  # the peak
    embedding_rate: Rate = 8.0  # of embeddings: so many times learning_rate
    floor: Annotated[float, Field(ge=0)] = 0.0  # the last update's learning rate
    schedule: Literal["cosine", "linear", "constant"] = "cosine"
    warmup_steps: CountOrZero | Auto = "auto"  # optimizer updates; auto: by those planned
    weight_decay: Annotated[float, Field(ge=0, le=1_000)] = 0.0
    label_smoothing: Fraction = 0.1
    max_grad_norm: Positive = 1.0  # L2 norm of the whole gradient, after unscaling
    averaging: Fraction = 0.999  # decay of the exponential moving average; 0: the last weights
    validate_steps: Count | None = None  # optimizer updates; none: after each epoch
    patience: Count | None = None  # validations without a better BLEU before stopping
    checkpoint_minutes: Positive = 5.0
    log_steps: Count = 50  # optimizer updates between lines of metrics

    @model_validator(mode="after")
    def _floor_is_below_the_peak(self) -> Self:
        if self.floor > self.learning_rate:
            raise ValueError(f"floor {self.floor} must not pass learning_rate {self.learning_rate}")
        return self


class FittedTraining(TrainingConfig):
    """The same with every `auto` chosen: what a run trains with."""

    batch_tokens: Count
    warmup_steps: CountOrZero


class EvaluationConfig(Section):
    bleu_tokenizer: Literal["auto", "13a", "intl", "zh", "ja-mecab", "ko-mecab", "char", "none"] = (
        "auto"  # what fits data.target; else one of sacreBLEU's
    )


class Config(Section):
    """Everything that decides what a run does."""

    data: DataConfig
    tokenizer: TokenizerConfig = TokenizerConfig()
    model: ModelConfig = ModelConfig()
    training: TrainingConfig = TrainingConfig()
    decoding: Decoding = Decoding()
    evaluation: EvaluationConfig = EvaluationConfig()


class FittedConfig(Config):
    """The same with every `auto` chosen: what a run keeps."""

    training: FittedTraining

    @classmethod
    def of(cls, config: Config, training: FittedTraining) -> Self:
        """Return `config` with `training` in its place."""
        return cls.model_validate(config.model_dump() | {"training": training.model_dump()})
