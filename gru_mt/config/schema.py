"""Configuration: typed sections that cannot exist invalid.

The text below a field says what it means. `gru-mt config`, the JSON Schema and configs/README.md
show it, so it is written for users.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from gru_mt.config.data import DataConfig
from gru_mt.config.decoding import Decoding
from gru_mt.config.fields import (
    Auto,
    Count,
    CountOrZero,
    Fraction,
    Layers,
    Positive,
    Rate,
    RateOrZero,
    Section,
    Size,
    Text,
)


class TokenizerConfig(Section):
    kind: Literal["unigram", "bpe", "char", "word", "space"] = "unigram"
    """Kind of tokens: subwords (unigram and bpe), characters (char), or lower-case words: with
    marks and elisions apart (word), or split at spaces and final marks as in tutorials (space)."""
    vocabulary_size: Annotated[int, Field(ge=16, le=1_000_000)] = 4_000
    """Tokens of the vocabulary, or of each of two, at most. A small corpus gives fewer, with a
    warning; of more characters than have room, rare ones are written in bytes."""
    joint: bool = True
    """Whether both languages share one vocabulary."""
    sampling: Fraction = 0.0
    """Random segmentation of training sentences, new in each epoch: the smoothing exponent of
    unigram, or the share of merges that bpe drops. 0 turns it off; other kinds need 0."""
    min_frequency: Count = 2
    """Rarer words of the training split are left out of the vocabulary. For words alone."""

    @model_validator(mode="after")
    def _sampling_needs_subwords(self) -> Self:
        if self.sampling and self.kind not in ("unigram", "bpe"):
            raise ValueError(f"sampling {self.sampling} needs kind unigram or bpe, not {self.kind}")
        return self


Cell = Literal["rnn", "rnn_relu", "gru_update", "gru_reset_before", "gru", "lstm"]


class ModelConfig(Section):
    cell: Cell = "gru"
    """Recurrent cell of encoder and decoder. gru is that of cuDNN and torch, gru_reset_before that
    of Cho et al. 2014; gru_update has an update gate alone."""
    embedding_size: Size = 256
    """Features of a token's embedding."""
    encoder_size: Size = 256
    """Hidden units of an encoder layer, in each of its directions."""
    decoder_size: Size = 512
    """Hidden units of a decoder layer. Attention dot and context repeat need as many as the
    encoder's directions have together."""
    encoder_layers: Layers = 1
    """Layers of the encoder."""
    decoder_layers: Layers = 1
    """Layers of the decoder. Attention follows the first; the others read what it found."""
    bidirectional: bool = True
    """Whether the encoder reads each sentence backwards too."""
    attention: Literal["dot", "general", "additive", "none"] = "dot"
    """How a decoder state is compared with the encoder's states: dot and general are those of Luong
    et al. 2015, additive is that of Bahdanau et al. 2015, none is no attention."""
    context: Literal["none", "repeat"] = "none"
    """What each input of the decoder gets besides a token: repeat adds the encoder's last state,
    and needs attention none."""
    output: Literal["tied", "untied"] = "tied"
    """What scores the next token: tied reads a projected state by the target embedding, untied is a
    matrix of its own over the decoder's state, and needs attention none."""
    recurrent_init: Literal["orthogonal", "xavier", "zeros"] = "orthogonal"
    """First values of the matrices that a cell multiplies its state with."""
    dropout: Fraction = 0.2
    """Share of features that training sets to zero: the same ones at every step of a sentence, and
    of a token's embedding the same ones at all its places in a batch."""
    may_shrink: bool = False
    """Whether `training.minutes` may take a smaller model where it leaves this one few updates: a
    decoder of one layer, and three quarters of the hidden units."""

    @property
    def source_size(self) -> int:
        """Features of an encoder state: those of all its directions."""
        return self.encoder_size * (2 if self.bidirectional else 1)

    def smaller(self) -> "ModelConfig":
        """Return the model that `may_shrink` allows."""
        units = max(1, self.encoder_size * 3 // 4)
        sizes = {
            "encoder_size": units,
            "decoder_size": max(1, self.decoder_size * units // self.encoder_size),
            "decoder_layers": 1,
        }
        return ModelConfig.model_validate(self.model_dump() | sizes)

    @model_validator(mode="after")
    def _sizes_meet(self) -> Self:
        if self.context == "repeat" and self.attention != "none":
            raise ValueError(
                f"context repeat is a model without attention, got attention {self.attention}; "
                "set attention none"
            )
        if self.output == "untied" and self.attention != "none":
            raise ValueError(
                f"output untied reads the decoder's state alone, got attention {self.attention}; "
                "set attention none, or output tied"
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
    """Seed of all that is random: first weights, order of batches, dropout, sampling."""
    start: Text | None = None
    """A run, a model folder, an archive or hf:owner/name, whose weights, tokenizer and model
    training begins with; null begins afresh. `gru-mt train --from` sets it."""
    device: Text = "auto"
    """Device to train on: cpu, cuda, or cuda:1 for the second GPU. auto is cuda where it works,
    else cpu."""
    precision: Literal["auto", "fp32", "bf16", "fp16"] = "auto"
    """Numbers to compute in; weights stay in fp32. auto is bf16 where the hardware has it, else
    fp16 on CUDA, else fp32."""
    minutes: Positive | None = None
    """Minutes that a run may take here, preparation and validations included: as it starts it times
    a few updates, and sets by that what is auto, max_epochs and max_steps, whatever is written for
    these two. A small corpus takes less, as more epochs would not help; null plans nothing."""
    max_epochs: Count = 10
    """Passes over the training split."""
    max_steps: Count | None = None
    """Optimizer updates after which training ends before its epochs do; null is no limit."""
    batch_tokens: Count | Auto = "auto"
    """Padded target tokens of a microbatch, at most. auto is chosen by the size of the corpus, and
    with minutes by the updates that fit in."""
    batch_sentences: Count | None = None
    """Sentence pairs of a microbatch, at most; null is no limit."""
    cut_tokens: Count | None = None
    """Tokens of a training sentence, at most, its end mark included; a longer one loses its end.
    null truncates nothing."""
    accumulation: Count = 1
    """Microbatches of an optimizer update. With several processes they share these, so set it to a
    multiple of the processes."""
    reduce: Literal["ordered", "sum"] = "ordered"
    """How several processes add up gradients: ordered gives the same bits for any number of them,
    sum sends less where accumulation is more than the processes."""
    learning_rate: Rate = 2e-3
    """Peak of the learning rate, reached when warm-up ends."""
    embedding_rate: Rate = 8.0
    """Learning rate of embeddings, as a multiple of learning_rate."""
    final_learning_rate: RateOrZero = 0.0
    """Learning rate at the end of the run, at most learning_rate. Schedule constant ignores it."""
    schedule: Literal["cosine", "linear", "constant"] = "cosine"
    """How the learning rate goes from learning_rate to final_learning_rate; constant stays."""
    cosine_periods: Annotated[float, Field(gt=0, le=1_000_000)] = 0.5
    """Periods of the cosine after warm-up: 0.5 falls once, 1 falls and climbs again. For schedule
    cosine alone."""
    warmup_steps: CountOrZero | Auto = "auto"
    """Optimizer updates in which the learning rate rises to its peak. auto is an eighth of those
    planned, at most 200."""
    weight_decay: RateOrZero = 0.0
    """Weight decay of AdamW; biases have none."""
    adam_betas: Annotated[list[Fraction], Field(min_length=2, max_length=2)] = [0.9, 0.98]
    """Decays of AdamW's averages of the gradient and of its square."""
    label_smoothing: Fraction = 0.1
    """Share of each target's probability that is spread evenly over the vocabulary."""
    max_grad_norm: Positive = 1.0
    """L2 norm of the whole gradient, at most; a longer gradient is scaled down to it."""
    averaging: Fraction = 0.999
    """Decay of the moving average of the weights, which is validated and kept. 0 keeps the
    newest weights."""
    validate_steps: Count | None = None
    """Optimizer updates between validations on dev; null validates after each epoch."""
    patience: Count | None = None
    """Validations in a row without a better BLEU after which training stops; null is no limit."""
    checkpoint_minutes: Positive = 5.0
    """Minutes between checkpoints; each validation writes one too."""
    log_steps: Count = 50
    """Optimizer updates between lines of metrics.jsonl."""
    tensorboard: bool = False
    """Whether the figures of metrics.jsonl are also written for TensorBoard, into the run's folder
    tensorboard. Needs pip install "gru-mt[tensorboard]"."""

    @model_validator(mode="after")
    def _rate_falls(self) -> Self:
        if self.final_learning_rate > self.learning_rate:
            raise ValueError(
                f"final_learning_rate {self.final_learning_rate} must not pass learning_rate "
                f"{self.learning_rate}"
            )
        return self


class ResolvedTraining(TrainingConfig):
    """What a run trains with: numbers in place of `auto` and of `minutes`."""

    minutes: None = None
    batch_tokens: Count
    warmup_steps: CountOrZero


class EvaluationConfig(Section):
    bleu_tokenizer: Literal["auto", "13a", "intl", "zh", "ja-mecab", "ko-mecab", "char", "none"] = (
        "auto"
    )
    """How BLEU divides text into words, by sacreBLEU's names. auto fits data.target, or else the
    script; it is char for Japanese and Korean where MeCab is not installed."""


class Config(Section):
    """Everything that decides what a run does: sections of fields, checked and frozen.

    `load_config` makes one. `gru-mt config` explains each field.

    Example:
        >>> from gru_mt import load_config
        >>> config = load_config({"data": {"corpus": "pairs.tsv"}})
        >>> config.model.cell, config.decoding.beam_size, config.data.corpus[0].path
        ('gru', 5, ['pairs.tsv'])
    """

    data: DataConfig
    """The corpus and the direction of translation."""
    tokenizer: TokenizerConfig = TokenizerConfig()
    """How text becomes the tokens that the model reads and writes."""
    model: ModelConfig = ModelConfig()
    """The encoder, the decoder and the attention between them."""
    training: TrainingConfig = TrainingConfig()
    """Batches, learning rate, and when a run is validated, saved and ended."""
    decoding: Decoding = Decoding()
    """How a translation is searched for, unless a command says otherwise."""
    evaluation: EvaluationConfig = EvaluationConfig()
    """How translations are scored."""


class ResolvedConfig(Config):
    """The configuration that a run keeps, with `ResolvedTraining` as its training section."""

    training: ResolvedTraining
