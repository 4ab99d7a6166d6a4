"""Configuration: typed sections that cannot exist invalid.

The text below a field says what it means. `gru-mt config`, the JSON Schema and configs/README.md
show it, so it is written for users.
"""

import codecs
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    model_validator,
)

from gru_mt.decoding import Decoding
from gru_mt.errors import escape, short_repr


def _without_controls(text: str) -> str:
    if escape(text) != text or "\n" in text:
        raise ValueError(f"must have no control characters, got {short_repr(text)}")
    return text


def known_encoding(name: str) -> str:
    """Return an encoding's name, of UTF-8 always the same; ValueError if Python has no such."""
    try:
        "a".encode(name)  # LookupError for one of bytes, such as "hex"
        known = codecs.lookup(name).name
    except (LookupError, ValueError):
        raise ValueError(f"is no encoding that Python knows, got {short_repr(name)}") from None
    return "utf-8" if known in ("utf-8", "utf-8-sig") else name


# The bounds are far beyond what anybody trains with. Within them no sum or product overflows.
Text = Annotated[str, Field(min_length=1, max_length=4_096), AfterValidator(_without_controls)]
Language = Annotated[str, Field(pattern=r"^[\w .-]{1,40}$")]  # a part of file names
Count = Annotated[int, Field(gt=0, le=1_000_000_000)]
CountOrZero = Annotated[int, Field(ge=0, le=1_000_000_000)]
Size = Annotated[int, Field(gt=0, le=16_384)]
Layers = Annotated[int, Field(gt=0, le=32)]
Rate = Annotated[float, Field(gt=0, le=1_000)]
RateOrZero = Annotated[float, Field(ge=0, le=1_000)]
Positive = Annotated[float, Field(ge=1e-6, le=1e9)]
Share = Annotated[float, Field(ge=0, le=1)]
Fraction = Annotated[float, Field(ge=0, lt=1)]
Auto = Literal["auto"]


class Section(BaseModel):
    """A frozen group of fields; an unknown key or a value of another type is an error."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        strict=True,
        allow_inf_nan=False,
        use_attribute_docstrings=True,
    )


def _listed(value: Any) -> Any:
    """Return a single value as a list of one."""
    return value if isinstance(value, list) else [value]


def _named(value: Any) -> Any:
    """Return a corpus or several, each as a section: "fra-eng" -> [{"path": "fra-eng"}]."""
    return [{"path": each} if isinstance(each, str) else each for each in _listed(value)]


_Files = Annotated[list[Text], Field(min_length=1, max_length=2)]
Paths = Annotated[_Files, BeforeValidator(_listed, json_schema_input_type=Text | _Files)]
_SetFiles = Annotated[list[Text], Field(min_length=1, max_length=100)]
SetPaths = Annotated[_SetFiles, BeforeValidator(_listed, json_schema_input_type=Text | _SetFiles)]
Columns = Annotated[list[Annotated[int, Field(ge=1, le=10_000)]], Field(min_length=1, max_length=2)]
Encoding = Annotated[str, Field(min_length=1, max_length=40), AfterValidator(known_encoding)]
Delimiter = Annotated[str, Field(pattern=r'^[^"\\\r\n]{1,5}$')]


class FilesConfig(Section):
    """Where sentence pairs are, and how they are read."""

    path: Paths
    """A table, or parallel files in the order of data.languages."""
    columns: Columns | None = None
    """Columns of a table that have the first and the second of data.languages, counted from 1. null
    is those that a header names, else those that hold text; three of text are two sides and an
    attribution. Text with side: target has one."""
    delimiter: Delimiter | None = None
    """What stands between the columns of a table. null is a tab, and in .csv the mark that gives
    nearly all lines as many columns."""
    encoding: Encoding | None = None
    """How the files have their letters as bytes: any encoding that Python knows. null is UTF-8, or
    what XML declares."""
    name: Annotated[Text, Field(max_length=80, pattern=r"^[^/\\]+$")] | None = None
    """Its name in messages and scores; null is the file's name without its ending."""

    @property
    def sides(self) -> int:
        """How many languages are in it."""
        return 2

    @model_validator(mode="after")
    def _each_side_has_a_column(self) -> Self:
        if self.columns and len(self.columns) != self.sides:
            raise ValueError(
                f"columns {self.columns} must be {self.sides}: one for each language that is read"
            )
        return self


class CorpusConfig(FilesConfig):
    """Sentence pairs, and what they are for."""

    path: Paths
    """A corpus that is built in (fra-eng, phrasebook), a table, a folder or a pattern of files
    (shards/*.tsv); or two parallel files in the order of data.languages."""
    weight: Annotated[float, Field(gt=0, le=1_000)] = 1.0
    """How often an epoch sees each pair. A fraction takes that share of the pairs, others in each
    epoch."""
    part: Literal["split", "train"] = "split"
    """Whether the corpus is split into train, dev and test, or trains as a whole."""
    side: Literal["target"] | None = None
    """null for sentence pairs. target for text in data.target alone, a sentence a line: the model
    of data.back_translate makes the sources, and all of it is trained on."""
    limit: Count | None = None
    """Training pairs of it, at most; more are drawn from, the same at every run. null is no limit.
    Dev and test stay whole, so that scores of several limits can be compared."""

    @property
    def sides(self) -> int:
        """How many languages are in it."""
        return 1 if self.side else 2

    @model_validator(mode="after")
    def _one_side_is_one_file(self) -> Self:
        if self.side and len(self.path) > 1:
            raise ValueError(f"side {self.side} is text of one language: path must be one file")
        return self


class EvaluationSetConfig(FilesConfig):
    """Sentences with references that nobody trains on. Their lines stay as they are."""

    path: SetPaths
    """A table, or parallel files: one in the first of data.languages, then one or more in the
    second."""


_Corpora = Annotated[list[Text | CorpusConfig], Field(min_length=1, max_length=1_000)]
Corpora = Annotated[
    list[CorpusConfig],
    Field(min_length=1, max_length=1_000),
    BeforeValidator(_named, json_schema_input_type=Text | CorpusConfig | _Corpora),
]
_Sets = Annotated[list[Text | EvaluationSetConfig], Field(max_length=100)]
EvaluationSets = Annotated[
    list[EvaluationSetConfig],
    Field(max_length=100),
    BeforeValidator(_named, json_schema_input_type=Text | EvaluationSetConfig | _Sets),
]


class AugmentConfig(Section):
    """Shares of the training pairs that each epoch rewrites; each kind is drawn by itself."""

    no_mark: Share = 0.08
    """Both sides without their final mark. Without augmentation such text kept 69 % of BLEU, with
    it 99 %."""
    typos: Share = 0.1
    """A letter of a source word swapped, dropped, doubled or hit beside its key. Beside what
    translating mends, it is worth a point: 91.6 and 92.4 % of BLEU."""
    apostrophes: Share = 0.2
    """Source without its apostrophes, or with others. Text without them kept 97.0 % of BLEU where
    this was drawn for 8 %, and 98.2 % where it is for 20 % and I'm is known in Im."""
    marks: Share = 0.06
    """Marks as people type them: other quotes, spaces before marks, several."""
    join: Share = 0.1
    """A pair and one to seven others, as one. On a line that is not split, two and eight sentences
    kept 47 and 2 % of BLEU after 500 updates without augmentation, 87 and 39 % with it."""
    names: Share = 0.5
    """Names that stand on both sides become others that begin alike (d'Anne is not d'Paul),
    made-up ones or placeholders, where a pair has any."""
    numbers: Share = 0.5
    """Numbers of one or two digits that stand on both sides become others, where a pair has any."""
    items: Share = 0.08
    """One to three placeholders, numbers or made-up names are put into both sides. Without
    augmentation, tags around a word came out in order in 90 %, with it in 95 %."""
    words: bool = True
    """Whether pairs of single words and of short phrases are added, which are found by counting
    where words meet."""


class DataConfig(Section):
    corpus: Corpora
    """Sentence pairs: a name (fra-eng, phrasebook), a file, the keys below, or a list of such."""
    dev: EvaluationSets = []
    """Sets that every validation scores, beside the dev splits of split corpora: a table, the keys
    of a corpus but weight and part, or a list of such. The first decides which weights are kept."""
    test: EvaluationSets = []
    """Sets that `gru-mt eval` scores, beside the test splits of split corpora."""
    leaks: Literal["drop", "keep"] = "drop"
    """What happens to training pairs that share a sentence with dev or test, but for case and
    punctuation."""
    back_translate: Text | None = None
    """A run, or a bundle, that translates from data.target into data.source: it makes the sources
    of corpora with side: target, by sampling."""
    languages: Annotated[list[Language], Field(min_length=2, max_length=2)] = ["en", "fr"]
    """Languages of the corpus's first and second side. The split into train, dev and test depends
    on this order, not on the direction of translation."""
    source: Language = "en"
    """Language to translate from."""
    target: Language = "fr"
    """Language to translate into."""
    max_words: Count = 200
    """Words of a side, at most; a pair with a longer side is dropped. A letter of a script without
    spaces (Chinese, Japanese, Thai and others) is a word, and so are 25 characters of any."""
    max_ratio: Annotated[float, Field(gt=1, le=1e9)] = 9.0
    """Longer side of a pair over its shorter side, in words, at most. Other pairs are dropped."""
    allow_dropped: Share = 0.2
    """Share of a corpus's lines that may be dropped; where more are, training does not begin."""
    filters: list[Literal["copies", "digits", "near_duplicates", "scripts"]] = []
    """Pairs to drop that are seldom translations: the same text on both sides, other numbers on
    both sides, all but case and punctuation as in a pair before, a side mostly in another script
    than its language has."""
    augment: AugmentConfig | None = AugmentConfig()
    """Rewriting of training pairs into what people type; null leaves them as they are."""

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

    @model_validator(mode="after")
    def _text_of_one_side_has_a_model(self) -> Self:
        one_sided = any(corpus.side for corpus in self.corpus)
        if one_sided and self.back_translate is None:
            raise ValueError(
                "a corpus with side: target needs back_translate, a run that translates from "
                f"{self.target} into {self.source}"
            )
        if self.back_translate is not None and not one_sided:
            raise ValueError(
                f"back_translate {self.back_translate!r} has no corpus with side: target to read"
            )
        return self

    @property
    def reversed(self) -> bool:
        """Whether translation goes from the corpus's second side to its first."""
        return self.source == self.languages[1]


class TokenizerConfig(Section):
    kind: Literal["unigram", "bpe", "char", "word", "space"] = "unigram"
    """Kind of tokens: subwords (unigram and bpe), characters (char), or lower-case words: with
    marks and elisions apart (word), or cut at spaces and final marks as in tutorials (space)."""
    vocabulary_size: Annotated[int, Field(ge=16, le=1_000_000)] = 4_000
    """Tokens of the vocabulary, or of each of two, at most. A small corpus gives fewer, with a
    warning; of more characters than have room, rare ones are written in bytes."""
    joint: bool = True
    """Whether both languages share one vocabulary."""
    sampling: Fraction = 0.0
    """Random cutting of training sentences, new in each epoch: the smoothing exponent of unigram,
    or the share of merges that bpe drops. 0 turns it off; other kinds need 0."""
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
    """A run, or a bundle, whose weights, tokenizer and model training begins with; null begins
    afresh. `gru-mt train --from` sets it."""
    device: Text = "auto"
    """Device to train on: cpu, cuda, or cuda:1 for the second GPU. auto is cuda where it works,
    else cpu."""
    precision: Literal["auto", "fp32", "bf16", "fp16"] = "auto"
    """Numbers to compute in; weights stay in fp32. auto is bf16 where the hardware has it, else
    fp16 on CUDA, else fp32."""
    max_epochs: Count = 10
    """Passes over the training split."""
    max_steps: Count | None = None
    """Optimizer updates after which training ends before its epochs do; null is no limit."""
    batch_tokens: Count | Auto = "auto"
    """Padded target tokens of a microbatch, at most. auto is chosen by the size of the corpus."""
    batch_sentences: Count | None = None
    """Sentence pairs of a microbatch, at most; null is no limit."""
    cut_tokens: Count | None = None
    """Tokens of a training sentence, at most, its end mark included; a longer one loses its end.
    null cuts nothing."""
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
    tensorboard. Needs pip install 'gru-mt[tensorboard]'."""

    @model_validator(mode="before")
    @classmethod
    def _rename(cls, values: Any) -> Any:
        """Read `floor`, the name of final_learning_rate in runs and bundles of version 0.1."""
        if isinstance(values, dict) and "floor" in values:
            values = {"final_learning_rate": values["floor"]} | values
            del values["floor"]
        return values

    @model_validator(mode="after")
    def _rate_falls(self) -> Self:
        if self.final_learning_rate > self.learning_rate:
            raise ValueError(
                f"final_learning_rate {self.final_learning_rate} must not pass learning_rate "
                f"{self.learning_rate}"
            )
        return self


class ResolvedTraining(TrainingConfig):
    """What a run trains with: batch_tokens and warmup_steps are numbers, not `auto`."""

    batch_tokens: Count
    warmup_steps: CountOrZero


class EvaluationConfig(Section):
    bleu_tokenizer: Literal["auto", "13a", "intl", "zh", "ja-mecab", "ko-mecab", "char", "none"] = (
        "auto"
    )
    """How BLEU divides text into words, by sacreBLEU's names. auto fits data.target, or else the
    script."""


class Config(Section):
    """Everything that decides what a run does."""

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

    @classmethod
    def of(cls, config: Config, training: ResolvedTraining) -> Self:
        """Return `config` with `training` in its place."""
        return cls.model_validate(config.model_dump() | {"training": training.model_dump()})
