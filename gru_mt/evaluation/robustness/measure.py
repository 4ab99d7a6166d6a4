"""How much of its quality a translator retains on text as people really write it.

The sources of a set are perturbed by fixed rules and seeds, which are not those of training, and
translated again. The same sentences, translated as they are, are scored in the same way: see `Row`.
"""

import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain, product
from pathlib import Path
from typing import Any, TypeVar

from gru_mt.data.evaluation_set import EvaluationSet
from gru_mt.data.text.terms.glossary import Glossary
from gru_mt.evaluation.hypotheses import model_digest, run_of
from gru_mt.evaluation.robustness import cases, markup
from gru_mt.evaluation.robustness.cases import ITEMS, Case, Sentence
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
        scores = (self.bleu, self.plain_bleu)
        bleu, plain = (" " * 6 if score is None else f"{score:6.1f}" for score in scores)
        retained = "   none"
        if self.retained is not None:  # rounded down: 100.0 % is all
            retained = f"{math.floor(self.retained * 10) / 10:5.1f} %"
        return f"{self.name:<34}{self.sentences:>9,}  {bleu}  {plain}  {retained}"


@dataclass(frozen=True, slots=True)
class RobustnessReport:
    """The rows that a set has sentences for; `str` gives them as a table."""

    rows: tuple[Row, ...]

    def __str__(self) -> str:
        head = f"{'perturbation':<34}{'sentences':>9}    BLEU   plain retained"
        return "\n".join([head, *map(str, self.rows)])

    def to_json(self) -> dict[str, Any]:
        """Return the rows by name as JSON values."""
        rows = [asdict(row) for row in self.rows]
        return {
            row.pop("name"): {"sentences": row.pop("sentences"), "kept": row.pop("retained")} | row
            for row in rows
        }


def write_robustness(folder: Path, split: str, reports: Sequence[RobustnessReport]) -> None:
    """Write the tables of a split's sets into the run that `folder` is or is the bundle of."""
    if run := run_of(folder, split):
        sets = [report.to_json().items() for report in reports]
        tables = [[{"name": name} | values for name, values in rows] for rows in sets]
        values = {"tables": tables, "model": model_digest(run)}
        write_checksummed_json(run.robustness(split), values)


def read_robustness(run: Run, split: str) -> list[RobustnessReport]:
    """Return the tables that a run keeps of its sets; none where it has none of its weights."""
    if not run.robustness(split).is_file():
        return []
    values = read_checksummed_json(run.robustness(split))
    if values["model"] != model_digest(run):
        return []
    return [
        RobustnessReport(tuple(Row(retained=row.pop("kept"), **row) for row in rows))
        for rows in values["tables"]
    ]


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
    bleu_of = partial(corpus_bleu, tokenizer=tokenizer)

    def translated(name: str, sources: list[str], **options: Any) -> list[str]:
        say(f"{name}: {len(sources):,} {'sentences' if name == 'plain' else 'lines'}")
        return [translation.text for translation in translate(sources, **options)]

    sources = _spread(evaluation_set.sources, ALL)
    references: Sequence[Sequence[str]] = _spread(evaluation_set.references, ALL)
    plain = translated("plain", sources)
    bleu = bleu_of(plain, references)
    rows = [Row("plain", len(plain), 100.0, bleu, bleu)]
    sentences = [*map(Sentence, sources, references, plain)]
    for name, lines, compared, split in chain(_perturbed(sentences), _joined(sentences)):
        if lines:
            sources, references, plain = map(list, zip(*lines, strict=True))
            texts = [*map(compared, translated(name, sources, split=split))]
            bleu, plain_bleu = bleu_of(texts, references), bleu_of(plain, references)
            retained = 100 * (bleu / plain_bleu) if plain_bleu else None
            rows.append(Row(name, len(lines), retained, bleu, plain_bleu))
    for name, found, most, glossary in _checked(sentences):
        if chosen := _spread([case for case in found if case], most):
            texts = translated(name, [case.source for case in chosen], glossary=glossary)
            held = sum(case.holds(text) for case, text in zip(chosen, texts, strict=True))
            rows.append(Row(name, len(chosen), 100 * held / len(chosen)))
    return RobustnessReport(tuple(rows))


def _spread(values: Sequence[_T], most: int) -> list[_T]:
    """Return up to `most` of the values, evenly spread: of 0 to 5 at most 3 -> [0, 2, 4]."""
    count = min(most, len(values))
    return [values[number * len(values) // count] for number in range(count)]


def _seeded(name: str, sentences: Sequence[Sentence]) -> Iterator[tuple[Sentence, random.Random]]:
    """Yield sentences with their randomness for a row. Training's seeds are numbers."""
    for index, sentence in enumerate(sentences):
        yield sentence, random.Random(f"real/{name}/{index}")


# The name of a row scored by BLEU, its lines, what is done to their translations, and `split`.
_Lines = tuple[str, list[Sentence], Callable[[str], str], bool]


def _perturbed(sentences: Sequence[Sentence]) -> Iterator[_Lines]:
    for way in PERTURBATIONS:
        changed = [
            Sentence(text, [*map(way.expected, one.references)], way.expected(one.plain))
            for one, rng in _seeded(way.name, sentences)
            if (text := way.apply(one.source, rng)) != one.source
        ]
        yield way.name, _spread(changed, ALL if way.everywhere else MANY), way.compared, True


def _joined(sentences: Sequence[Sentence]) -> Iterator[_Lines]:
    """Yield several sentences on a line, all with a final mark."""
    marked = [one for one in sentences if has_final_mark(one.source)]
    for split, count in product((True, False), JOINED):
        lines = [_join(marked[end - count : end]) for end in range(count, len(marked) + 1, count)]
        name = f"{count} sentences on a line{'' if split else ', not split'}"
        yield name, _spread(lines, MANY // count), str, split


def _join(sentences: Sequence[Sentence]) -> Sentence:
    """Return sentences on a line, and their references, the first of each, then the second.

    Where a sentence has no more, its first stands again: [[a, b], [c]] -> ["a c", "b c"].
    """
    sources, references, plain = zip(*sentences, strict=True)
    joined = [
        " ".join(texts[row] if row < len(texts) else texts[0] for texts in references)
        for row in range(max(map(len, references)))
    ]
    return Sentence(" ".join(sources), joined, " ".join(plain))


def _checked(
    sentences: Sequence[Sentence],
) -> Iterator[tuple[str, Iterable[Case | None], int, Glossary | None]]:
    """Yield for each row its cases, None where a sentence has none, and how many are taken."""

    def three_items(one: Sentence, rng: random.Random) -> Case | None:
        return cases.add_items(one, rng, rng.sample([*ITEMS], 3))

    makers: list[tuple[str, str, Callable[[Sentence, random.Random], Case | None], int]] = [
        *((kind, kind, partial(cases.add_items, kinds=[kind]), SOME) for kind in ITEMS),
        ("three items", "three", three_items, SOME),
        ("signed and joined numbers", "numbers", cases.add_numbers, SOME),
        ("a frame around it", "frames", markup.add_frame, MANY),
        ("<b>tags</b> around a word", "tags", markup.add_tags, SOME),
        ("tags that nest", "nested", markup.nest_tags, SOME),
        ("Markdown", "markdown", markup.add_markdown, SOME),
    ]
    for name, seed, make, most in makers:
        yield name, [make(one, rng) for one, rng in _seeded(seed, sentences)], most, None
    sources = [one.source for one in sentences]
    terms = cases.glossary_terms(sources, TERMS, random.Random("real/glossary"))
    with_terms = [cases.with_terms(source, terms) for source in sources]
    yield "glossary terms", with_terms, MANY, Glossary.of(terms)
    renamed = [cases.rename(one, rng) for one, rng in _seeded("names", sentences)]
    yield "a name never seen", renamed, MANY, None
    first = [case for case in renamed if case and case.source.startswith(cases.NAMES)]
    yield "a name never seen, first", first, MANY, None
