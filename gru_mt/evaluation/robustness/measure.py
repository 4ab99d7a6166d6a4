"""How much of its quality a translator keeps on what people really write.

A test set is rewritten by fixed rules and seeds, which are not those of training, and translated
again. The same sentences, translated as they are, are scored in the same way: see `Row`.
"""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any, Protocol, TypeVar

from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.data.text.glossary import Glossary
from gru_mt.evaluation.hypotheses import model_digest, run_of
from gru_mt.evaluation.robustness.cases import (
    ITEMS,
    add_items,
    add_numbers,
    glossary_terms,
    rename,
    with_terms,
)
from gru_mt.evaluation.robustness.markup import add_frame, add_markdown, add_tags, nest_tags
from gru_mt.evaluation.robustness.perturbations import REWRITINGS, has_final_mark
from gru_mt.evaluation.score import corpus_bleu
from gru_mt.run import Run
from gru_mt.storage import read_checksummed_json, write_checksummed_json

# Sentences of a row, at most, spread evenly over the set. With these a set of 2,300 sentences takes
# about a minute: 30,000 translations.
ALL = 2_500  # plain, capitals, final mark, typo: what a user meets most
MANY = 1_000  # the other rows that are scored by BLEU, glossary, names and frames
SOME = 250  # of each kind of item and of markup
TERMS = 100  # of the glossary
JOINED = (2, 4, 8)  # sentences on a line

_T = TypeVar("_T")


class Translated(Protocol):
    """What is read of a translation."""

    @property
    def text(self) -> str: ...


class Translate(Protocol):
    """Translates sources, in order."""

    def __call__(
        self, sources: Sequence[str], *, split: bool = True, glossary: Glossary | None = None
    ) -> Sequence[Translated]: ...


class Checked(Protocol):
    """A source, and whether a translation of it has what is wanted."""

    @property
    def source(self) -> str: ...

    def holds(self, translation: str) -> bool: ...


@dataclass(frozen=True, slots=True)
class Row:
    """What was kept of one way of writing.

    `kept` is in %: of the BLEU of the same sentences as they were, or how many translations had
    exactly what they should. It is None where the BLEU of the plain sentences is 0.
    """

    name: str
    sentences: int  # lines, where several sentences are on one
    kept: float | None
    bleu: float | None = None
    plain_bleu: float | None = None

    def __str__(self) -> str:
        scores = [
            " " * 6 if each is None else f"{each:6.1f}" for each in (self.bleu, self.plain_bleu)
        ]
        # Rounded down: 100.0 % is all.
        kept = "   none" if self.kept is None else f"{math.floor(self.kept * 10) / 10:5.1f} %"
        return f"{self.name:<34}{self.sentences:>9,}  {'  '.join(scores)}  {kept}"


@dataclass(frozen=True, slots=True)
class RobustnessReport:
    """The rows that a set has sentences for."""

    rows: tuple[Row, ...]

    def lines(self) -> list[str]:
        """Return a table for people."""
        head = f"{'how it is written':<34}{'sentences':>9}    BLEU   plain     kept"
        return [head, *map(str, self.rows)]

    def to_json(self) -> dict[str, Any]:
        """Return the rows by name as JSON values."""
        rows = {row.name: asdict(row) for row in self.rows}
        for row in rows.values():
            del row["name"]
        return rows


def write_robustness(folder: Path, part: str, reports: Sequence[RobustnessReport]) -> None:
    """Write the tables of a part's sets into the run that `folder` is, or is the bundle of.

    Nothing is written where `folder` is neither.
    """
    if run := run_of(folder, part):
        tables = [[asdict(row) for row in report.rows] for report in reports]
        write_checksummed_json(run.robustness(part), {"tables": tables, "model": model_digest(run)})


def read_robustness(run: Run, part: str) -> list[RobustnessReport]:
    """Return the tables that a run keeps of its sets; none where it has none of its weights.

    Raises UserError where the file is damaged.
    """
    if not run.robustness(part).is_file():
        return []
    kept = read_checksummed_json(run.robustness(part))
    if kept["model"] != model_digest(run):
        return []
    return [RobustnessReport(tuple(Row(**row) for row in rows)) for rows in kept["tables"]]


def measure(
    translate: Translate,
    evaluation_set: EvaluationSet,
    *,
    tokenizer: str = "13a",
    say: Callable[[str], None] = lambda _: None,
) -> RobustnessReport:
    """Return what a translator keeps on the rewritten sources of a set; `say` gets each row's name.

    `tokenizer` is BLEU's; see `resolve_bleu_tokenizer`. A row without sentences is left out: a
    script without case has no capitals. Raises UserError for a set without sentences.
    """
    chosen = _spread(range(len(evaluation_set.sources)), ALL)
    sources = [evaluation_set.sources[index] for index in chosen]
    references = [evaluation_set.references[index] for index in chosen]
    say(f"plain: {len(sources):,} sentences")
    translations = translate(sources)
    plain = [translation.text for translation in translations]
    bleu = corpus_bleu(plain, references, tokenizer=tokenizer)
    rows = _Rows(translate, sources, references, plain, tokenizer, say)
    found = (
        row
        for row in (*rows.rewritten(), *rows.joined(), *rows.items(), *rows.markup(), *rows.terms())
        if row
    )
    return RobustnessReport((Row("plain", len(plain), 100.0, bleu, bleu), *found))


def _spread(values: Sequence[_T], most: int) -> list[_T]:
    """Return up to `most` of the values, evenly spread: of 0 to 5 at most 3 -> [0, 2, 4]."""
    count = min(most, len(values))
    return [values[number * len(values) // count] for number in range(count)]


@dataclass(frozen=True, slots=True)
class _Rows:
    """Yields the rows of a set, or None for one without sentences."""

    translate: Translate
    sources: Sequence[str]
    references: Sequence[Sequence[str]]
    plain: Sequence[str]  # the translations of the sources
    tokenizer: str
    say: Callable[[str], None]

    def rewritten(self) -> Iterator[Row | None]:
        """Yield a row for each way of rewriting: of the sentences that it changes."""
        for way in REWRITINGS:
            texts = [way.rewrite(text, rng) for text, rng in self._seeded(way.name)]
            changed = [at for at, text in enumerate(texts) if text != self.sources[at]]
            chosen = _spread(changed, ALL if way.everywhere else MANY)
            yield self._bleu_row(
                way.name,
                [texts[at] for at in chosen],
                [list(map(way.expected, self.references[at])) for at in chosen],
                [way.expected(self.plain[at]) for at in chosen],
                compared=way.compared,
            )

    def joined(self) -> Iterator[Row | None]:
        """Yield the rows of several sentences on a line; all sentences have a final mark."""
        marked = [at for at, text in enumerate(self.sources) if has_final_mark(text)]
        for split, count in product((True, False), JOINED):
            groups = [marked[at : at + count] for at in range(0, len(marked) - count + 1, count)]
            chosen = _spread(groups, MANY // count)
            yield self._bleu_row(
                f"{count} sentences on a line{'' if split else ', not split'}",
                [" ".join(self.sources[at] for at in group) for group in chosen],
                [_join_references([self.references[at] for at in group]) for group in chosen],
                [" ".join(self.plain[at] for at in group) for group in chosen],
                split=split,
            )

    def items(self) -> Iterator[Row | None]:
        """Yield the rows of items and numbers, which must come out unchanged."""
        for kind in ITEMS:
            cases = [add_items(text, [kind], rng) for text, rng in self._seeded(kind)]
            yield self._count_row(kind, cases, most=SOME)
        seeded = self._seeded("three")
        cases = [add_items(text, rng.sample(list(ITEMS), 3), rng) for text, rng in seeded]
        yield self._count_row("three items", cases, most=SOME)
        numbers = [add_numbers(text, rng) for text, rng in self._seeded("numbers")]
        yield self._count_row("signed and joined numbers", numbers, most=SOME)

    def markup(self) -> Iterator[Row | None]:
        """Yield the rows of frames, tags and Markdown."""
        pairs = zip(self._seeded("frames"), self.plain, strict=True)
        framed = [add_frame(text, plain, rng) for (text, rng), plain in pairs]
        yield self._count_row("a frame around it", framed, most=MANY)
        tagged = [add_tags(text, rng) for text, rng in self._seeded("tags")]
        yield self._count_row("<b>tags</b> around a word", tagged, most=SOME)
        nested = [nest_tags(text, rng) for text, rng in self._seeded("nested")]
        yield self._count_row("tags that nest", nested, most=SOME)
        marked = [add_markdown(text, rng) for text, rng in self._seeded("markdown")]
        yield self._count_row("Markdown", marked, most=SOME)

    def terms(self) -> Iterator[Row | None]:
        """Yield the rows of glossary terms and names."""
        terms = glossary_terms(self.sources, TERMS, random.Random("real/glossary"))
        cases = [with_terms(text, terms) for text in self.sources]
        yield self._count_row("glossary terms", cases, most=MANY, glossary=Glossary.of(terms))
        seeded = self._seeded("names")
        cases = [
            rename(text, references, rng)
            for (text, rng), references in zip(seeded, self.references, strict=True)
        ]
        yield self._count_row("a name never seen", cases, most=MANY)
        cases = [case for case in cases if case and case.source.startswith(tuple(case.wanted))]
        yield self._count_row("a name never seen, first", cases, most=MANY)

    def _seeded(self, name: str) -> Iterator[tuple[str, random.Random]]:
        """Yield each source with its randomness for a row. Training's seeds are numbers."""
        for at, text in enumerate(self.sources):
            yield text, random.Random(f"real/{name}/{at}")

    def _bleu_row(
        self,
        name: str,
        sources: Sequence[str],
        references: Sequence[Sequence[str]],
        plain: Sequence[str],
        *,
        split: bool = True,
        compared: Callable[[str], str] = str,
    ) -> Row | None:
        if not sources:
            return None
        self.say(f"{name}: {len(sources):,} lines")
        hypotheses = [compared(each.text) for each in self.translate(sources, split=split)]
        bleu, plain_bleu = (
            corpus_bleu(texts, references, tokenizer=self.tokenizer)
            for texts in (hypotheses, plain)
        )
        kept = 100 * bleu / plain_bleu if plain_bleu else None
        return Row(name, len(sources), kept, bleu, plain_bleu)

    def _count_row(
        self,
        name: str,
        cases: Sequence[Checked | None],
        *,
        most: int,
        glossary: Glossary | None = None,
    ) -> Row | None:
        chosen = _spread([case for case in cases if case], most)
        if not chosen:
            return None
        self.say(f"{name}: {len(chosen):,} lines")
        translations = self.translate([case.source for case in chosen], glossary=glossary)
        held = sum(case.holds(each.text) for case, each in zip(chosen, translations, strict=True))
        return Row(name, len(chosen), 100 * held / len(chosen))


def _join_references(of_sentences: Sequence[Sequence[str]]) -> list[str]:
    """Return references of a line: the first of each sentence, then the second, and so on.

    Where a sentence has no more, its first: [[a, b], [c]] -> ["a c", "b c"].
    """
    filled = [
        [row[at] if at < len(row) else row[0] for row in of_sentences]
        for at in range(max(map(len, of_sentences)))
    ]
    return [" ".join(row) for row in filled]
