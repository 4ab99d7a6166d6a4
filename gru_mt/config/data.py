"""The section `data` of a configuration: corpora, evaluation sets, and what is done to pairs."""

from pathlib import PurePath
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from gru_mt.config.fields import (
    Columns,
    Count,
    Delimiter,
    Encoding,
    Language,
    Paths,
    Section,
    SetPaths,
    Share,
    Text,
    as_list,
)


def _named(value: Any) -> Any:
    """Return a corpus or several, each as a section: "fra-eng" -> [{"path": "fra-eng"}]."""
    is_path = (str, PurePath)
    return [{"path": str(one)} if isinstance(one, is_path) else one for one in as_list(value)]


class FilesConfig(Section):
    """Where sentence pairs are, and how they are read."""

    path: Paths
    """A table, or parallel files in the order of data.languages."""
    columns: Columns | None = None
    """Columns of a table that have the first and the second of data.languages, counted from 1. null
    is those that a header names, else those that hold text; three of text are two sides and an
    attribution. Text with side: target has one."""
    delimiter: Delimiter | None = None
    """What stands between the columns of a table. null is a tab, or three bars where nearly all
    lines have them, and in .csv the mark that gives nearly all lines as many columns."""
    encoding: Encoding | None = None
    """How the files have their letters as bytes: any encoding that Python knows. null is UTF-8,
    UTF-16 where it looks so, or what XML declares."""
    name: Annotated[Text, Field(max_length=80, pattern=r"^[^/\\]+$")] | None = None
    """Its name in messages and scores; null is the file's name without its ending."""

    @model_validator(mode="after")
    def _each_side_has_a_column(self) -> Self:
        sides = 1 if getattr(self, "side", None) else 2
        if self.columns and len(self.columns) != sides:
            raise ValueError(
                f"columns {self.columns} must be {sides}: one for each language that is read"
            )
        return self


class CorpusConfig(FilesConfig):
    """Sentence pairs, and what they are for."""

    path: Paths
    """A corpus that is built in (fra-eng, phrasebook), a table, a folder or a pattern of files
    (news/*.tsv); or two parallel files, or two of JSON with the same names (en.json, fr.json), in
    the order of data.languages."""
    weight: Annotated[float, Field(gt=0, le=1_000)] = 1.0
    """How often an epoch sees each pair. A fraction takes that share of the pairs, others in each
    epoch."""
    part: Literal["split", "train"] = "split"
    """Whether the corpus is split into train, dev and test, or trains as a whole."""
    side: Literal["target"] | None = None
    """null for sentence pairs. target for text in data.target alone, a sentence a line: the model
    of data.back_translate makes the sources, and all of it is trained on."""
    limit: Count | None = None
    """Training pairs of it, at most: drawn at random, the same at every run. null is no limit.
    Dev and test stay whole, so that scores of several limits can be compared."""

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


_Teachers = Annotated[list[Text], Field(max_length=100)]
Teachers = Annotated[_Teachers, BeforeValidator(as_list, json_schema_input_type=Text | _Teachers)]
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
    """A letter of a source word swapped, dropped, doubled or hit beside its key. Translating
    mends typos too; this lifts 91.6 to 92.4 % of BLEU."""
    apostrophes: Share = 0.2
    """Source without its apostrophes, or with others. Text without them kept 97.0 % of BLEU where
    this was drawn for 8 %, and 98.2 % where it is for 20 % and Im is read as I'm."""
    commas: Share = 0.25
    """Source without its commas. Such text kept 74 % of BLEU without this, 86 % with it."""
    marks: Share = 0.06
    """Marks as people type them: other quotes, spaces before marks, several."""
    join: Share = 0.1
    """A pair and one to seven others, as one. On a line that is not split, two and eight sentences
    kept 47 and 2 % of BLEU after 500 updates without augmentation, 87 and 39 % with it."""
    names: Share = 0.5
    """Names that stand on both sides become others that begin alike (so never d'Paul),
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
    """Sets that every validation scores, beside the dev splits of split corpora: a table, the
    keys below, or a list of such. The first decides which weights are kept."""
    test: EvaluationSets = []
    """Sets that `gru-mt eval` scores, beside the test splits of split corpora."""
    leaks: Literal["drop", "keep"] = "drop"
    """What happens to training pairs that share a sentence with dev or test, but for case and
    punctuation."""
    back_translate: Text | None = None
    """A run, or a model folder, that translates from data.target into data.source: it makes the
    sources of corpora with side: target, by sampling."""
    teachers: Teachers = []
    """Runs, or model folders, of the same direction: each translates the sources of the training
    split, and an epoch sees each pair, and each source once more with one of the translations."""
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
    def weights(self) -> list[float]:
        """How often an epoch sees each pair of each corpus, and then of each teacher."""
        return [corpus.weight for corpus in self.corpus] + [
            1 / len(self.teachers) for _ in self.teachers
        ]

    def is_back_translated(self, corpus: int) -> bool:
        """Return whether a model made the sources of a corpus; one past the last is a teacher's."""
        return corpus < len(self.corpus) and self.corpus[corpus].side is not None

    @property
    def reversed(self) -> bool:
        """Whether translation goes from the corpus's second side to its first."""
        return self.source == self.languages[1]
