"""How much of its quality a translator retains on text as people really write it.

The sources of a set are perturbed by fixed rules and seeds, which are not those of training, and
translated again. The same sentences, translated as they are, are scored in the same way: see `Row`.
"""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, product
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.data.text.glossary import Glossary
from gru_mt.evaluation.hypotheses import model_digest, run_of
from gru_mt.evaluation.robustness.cases import (
    ITEMS,
    NAMES,
    Case,
    add_items,
    add_numbers,
    glossary_terms,
    rename,
    with_terms,
)
from gru_mt.evaluation.robustness.markup import (
    add_frame,
    add_markdown,
    add_tags,
    nest_tags,
)
from gru_mt.evaluation.robustness.perturbations import PERTURBATIONS, has_final_mark
from gru_mt.evaluation.score import corpus_bleu
from gru_mt.run import Run
from gru_mt.storage import read_checksummed_json, write_checksummed_json

# Sentences of a row, at most, spread evenly over the set. With these a set of 2,300 sentences takes
# about a minute: 30,000 translations.
ALL = 2_500  # plain, capitals, final mark, typo: what a user meets most
MANY = 1_000  # the other rows that are scored by BLEU, glossary, names and frames
SOME = 250  # of the kinds of items and of markup
TERMS = 100  # of the glossary
JOINED = (2, 4, 8)  # sentences on a line

_T = TypeVar("_T")
Translate = Callable[..., Sequence[Any]]  # Translator.translate, with `split` and `glossary`


@dataclass(frozen=True, slots=True)
class Row:
    """What was retained under one perturbation.

    `retained` is in %: of the BLEU of the same sentences as they were, or how many translations had
    exactly what they should. It is None where the BLEU of the plain sentences is 0.
    """

    name: str
    sentences: int  # lines, where several sentences are on one
    retained: float | None
    bleu: float | None = None
    plain_bleu: float | None = None

    def __str__(self) -> str:
        bleu, plain = (
            " " * 6 if score is None else f"{score:6.1f}" for score in (self.bleu, self.plain_bleu)
        )
        # Rounded down: 100.0 % is all.
        share = self.retained
        retained = "   none" if share is None else f"{math.floor(share * 10) / 10:5.1f} %"
        return f"{self.name:<34}{self.sentences:>9,}  {bleu}  {plain}  {retained}"

    def to_json(self) -> dict[str, Any]:
        """Return the row as JSON values."""
        values = asdict(self)
        return {"kept" if name == "retained" else name: values[name] for name in values}


@dataclass(frozen=True, slots=True)
class RobustnessReport:
    """The rows that a set has sentences for; `str` gives them as a table."""

    rows: tuple[Row, ...]

    def __str__(self) -> str:
        head = f"{'perturbation':<34}{'sentences':>9}    BLEU   plain retained"
        return "\n".join([head, *map(str, self.rows)])

    def to_json(self) -> dict[str, Any]:
        """Return the rows by name as JSON values."""
        rows = [row.to_json() for row in self.rows]
        return {row.pop("name"): row for row in rows}


def write_robustness(folder: Path, split: str, reports: Sequence[RobustnessReport]) -> None:
    """Write the tables of a split's sets into the run that `folder` is, or is the bundle of.

    Nothing is written where `folder` is neither.
    """
    if run := run_of(folder, split):
        tables = [[row.to_json() for row in report.rows] for report in reports]
        values = {"tables": tables, "model": model_digest(run)}
        write_checksummed_json(run.robustness(split), values)


def read_robustness(run: Run, split: str) -> list[RobustnessReport]:
    """Return the tables that a run keeps of its sets; none where it has none of its weights.

    Raises UserError where the file is damaged.
    """
    if not run.robustness(split).is_file():
        return []
    values = read_checksummed_json(run.robustness(split))
    if values["model"] != model_digest(run):
        return []
    for row in chain(*values["tables"]):
        row["retained"] = row.pop("kept")
    return [RobustnessReport(tuple(Row(**row) for row in rows)) for rows in values["tables"]]


def measure(
    translate: Translate,
    evaluation_set: EvaluationSet,
    *,
    tokenizer: str = "13a",
    say: Callable[[str], None] = lambda _: None,
) -> RobustnessReport:
    """Return what a translator retains on the perturbed sources of a set.

    `translate` takes sources, and perhaps `split=False` or a `glossary`; `say` gets the names of
    the rows; `tokenizer` is BLEU's: see `resolve_bleu_tokenizer`. A row without sentences is left
    out: a script without case has no capitals. Raises UserError for a set without sentences.
    """
    pairs = _spread([*zip(evaluation_set.sources, evaluation_set.references, strict=True)], ALL)
    sources, references = [source for source, _ in pairs], [texts for _, texts in pairs]
    say(f"plain: {len(sources):,} sentences")
    plain = [translation.text for translation in translate(sources)]
    bleu = corpus_bleu(plain, references, tokenizer=tokenizer)
    test = _Test([*map(_Sentence, sources, references, plain)], translate, tokenizer, say)
    rows = [*test.perturbed(), *test.joined(), *test.checked()]
    return RobustnessReport((Row("plain", len(plain), 100.0, bleu, bleu), *filter(None, rows)))


def _spread(values: Sequence[_T], most: int) -> list[_T]:
    """Return up to `most` of the values, evenly spread: of 0 to 5 at most 3 -> [0, 2, 4]."""
    count = min(most, len(values))
    return [values[number * len(values) // count] for number in range(count)]


class _Sentence(NamedTuple):
    source: str
    references: Sequence[str]
    plain: str  # the translation of the source


@dataclass(frozen=True, slots=True)
class _Test:
    """Yields the rows of a set's sentences, or None for one without sentences."""

    sentences: Sequence[_Sentence]
    translate: Translate
    tokenizer: str
    say: Callable[[str], None]

    def perturbed(self) -> Iterator[Row | None]:
        """Yield a row for each perturbation: of the sentences that it changes."""
        for way in PERTURBATIONS:
            texts = [way.apply(one.source, rng) for one, rng in self._seeded(way.name)]
            pairs = zip(texts, self.sentences, strict=True)
            changed = [
                _Sentence(text, [*map(way.expected, one.references)], way.expected(one.plain))
                for text, one in pairs
                if text != one.source
            ]
            most = ALL if way.everywhere else MANY
            yield self._bleu_row(way.name, _spread(changed, most), compared=way.compared)

    def joined(self) -> Iterator[Row | None]:
        """Yield the rows of several sentences on a line; all sentences have a final mark."""
        marked = [one for one in self.sentences if has_final_mark(one.source)]
        for split, count in product((True, False), JOINED):
            ends = range(count, len(marked) + 1, count)
            groups = [_join(marked[end - count : end]) for end in ends]
            name = f"{count} sentences on a line{'' if split else ', not split'}"
            yield self._bleu_row(name, _spread(groups, MANY // count), split=split)

    def checked(self) -> Iterator[Row | None]:
        """Yield the rows of what a translation must have: items, markup, glossary terms, names."""
        for kind in ITEMS:
            cases = [add_items(one.source, [kind], rng) for one, rng in self._seeded(kind)]
            yield self._count_row(kind, cases, SOME)
        kinds = list(ITEMS)
        three = [
            add_items(one.source, rng.sample(kinds, 3), rng) for one, rng in self._seeded("three")
        ]
        yield self._count_row("three items", three, SOME)
        numbers = [add_numbers(one.source, rng) for one, rng in self._seeded("numbers")]
        yield self._count_row("signed and joined numbers", numbers, SOME)
        framed = [add_frame(one.source, one.plain, rng) for one, rng in self._seeded("frames")]
        yield self._count_row("a frame around it", framed, MANY)
        tagged = [add_tags(one.source, rng) for one, rng in self._seeded("tags")]
        yield self._count_row("<b>tags</b> around a word", tagged, SOME)
        nested = [nest_tags(one.source, rng) for one, rng in self._seeded("nested")]
        yield self._count_row("tags that nest", nested, SOME)
        marked = [add_markdown(one.source, rng) for one, rng in self._seeded("markdown")]
        yield self._count_row("Markdown", marked, SOME)
        sources = [one.source for one in self.sentences]
        terms = glossary_terms(sources, TERMS, random.Random("real/glossary"))
        wanted = [with_terms(source, terms) for source in sources]
        yield self._count_row("glossary terms", wanted, MANY, glossary=Glossary.of(terms))
        renamed = [rename(one.source, one.references, rng) for one, rng in self._seeded("names")]
        yield self._count_row("a name never seen", renamed, MANY)
        first = [case for case in renamed if case and case.source.startswith(NAMES)]
        yield self._count_row("a name never seen, first", first, MANY)

    def _seeded(self, name: str) -> Iterator[tuple[_Sentence, random.Random]]:
        """Yield the sentences with their randomness for a row. Training's seeds are numbers."""
        for index, sentence in enumerate(self.sentences):
            yield sentence, random.Random(f"real/{name}/{index}")

    def _bleu_row(
        self,
        name: str,
        sentences: Sequence[_Sentence],
        *,
        split: bool = True,
        compared: Callable[[str], str] = str,
    ) -> Row | None:
        if not sentences:
            return None
        sources, references, plain = map(list, zip(*sentences, strict=True))
        self.say(f"{name}: {len(sources):,} lines")
        translations = self.translate(sources, split=split)
        hypotheses = [compared(translation.text) for translation in translations]
        bleu = corpus_bleu(hypotheses, references, tokenizer=self.tokenizer)
        plain_bleu = corpus_bleu(plain, references, tokenizer=self.tokenizer)
        retained = 100 * bleu / plain_bleu if plain_bleu else None
        return Row(name, len(sources), retained, bleu, plain_bleu)

    def _count_row(
        self,
        name: str,
        cases: Sequence[Case | None],
        most: int,
        glossary: Glossary | None = None,
    ) -> Row | None:
        chosen = _spread([case for case in cases if case], most)
        if not chosen:
            return None
        self.say(f"{name}: {len(chosen):,} lines")
        translations = self.translate([case.source for case in chosen], glossary=glossary)
        pairs = zip(chosen, translations, strict=True)
        held = sum(case.holds(translation.text) for case, translation in pairs)
        return Row(name, len(chosen), 100 * held / len(chosen))


def _join(sentences: Sequence[_Sentence]) -> _Sentence:
    """Return sentences on a line.

    Its references have the first of each sentence, then the second, and so on; where a sentence has
    no more, its first: [[a, b], [c]] -> ["a c", "b c"].
    """
    references = [
        " ".join(
            one.references[index] if index < len(one.references) else one.references[0]
            for one in sentences
        )
        for index in range(max(len(one.references) for one in sentences))
    ]
    source = " ".join(one.source for one in sentences)
    return _Sentence(source, references, " ".join(one.plain for one in sentences))
