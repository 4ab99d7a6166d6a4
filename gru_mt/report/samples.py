"""Sentences that a report shows: where a translation differs, other candidates, attention."""

import difflib
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pydantic import TypeAdapter

from gru_mt.data.text.normalize import SPACELESS, in_word
from gru_mt.data.tokenizer.subword_sampling import SPACE
from gru_mt.evaluation.hypotheses import Hypotheses
from gru_mt.inference.translation import Candidate, SentenceTranslation, Translation
from gru_mt.inference.translator import Translator
from gru_mt.report.failures import best_references
from gru_mt.run import Run
from gru_mt.storage import file_digest, read_checksummed_json, write_checksummed_json

SAMPLES = 20  # worst ones, best ones, and random ones
N_BEST = 5
END = "<eos>"
_MARKS = re.escape(".,;:!?…'’\"“”„«»()[]¿¡-—–،؛؟।")
_PART = re.compile(  # a gap, a letter of a script without spaces, a word, a mark
    rf"\s+|{SPACELESS.pattern}|(?:(?!{SPACELESS.pattern})[^\s{_MARKS}])+|."
)


class Piece(NamedTuple):
    """A piece of a text, and whether it is not in the text that is compared with."""

    text: str
    differs: bool


@dataclass(frozen=True, slots=True)
class Heat:
    """Attention between words: what each word of the translation read of the source, 0 to 1."""

    source: list[str]
    rows: list[tuple[str, list[float]]]  # a target word, and its weights over source words


@dataclass(frozen=True, slots=True)
class Sample:
    """A sentence of a set, its translation, and how the model came to it."""

    number: int  # in the set, from 1
    source: str
    translation: list[Piece]  # against the reference that fits best
    references: list[list[Piece]]  # that one first, against the translation
    chrf: float
    confidence: float | None
    warnings: list[str]
    others: list[tuple[str, float]]  # the candidates of a line of one sentence, with their scores
    attention: list[Heat]  # of each sentence of the line


@dataclass(frozen=True, slots=True)
class Samples:
    """The sentences of a set that are shown."""

    worst: list[Sample]
    best: list[Sample]
    random: list[Sample]


_SETS = TypeAdapter(list[Samples])


def read_samples(run: Run, split: str) -> list[Samples]:
    """Return the samples that a run keeps of its hypotheses of a split, or none."""
    path = run.samples(split)
    if not path.is_file():
        return []
    values = read_checksummed_json(path)
    if values["hypotheses"] != file_digest(run.hypotheses(split)):
        return []
    return _SETS.validate_python(values["sets"])


def write_samples(run: Run, split: str, sets: list[Samples]) -> None:
    """Write the samples of a split's sets, of the hypotheses that the run keeps now."""
    digest = file_digest(run.hypotheses(split))
    values = {"hypotheses": digest, "sets": _SETS.dump_python(sets, mode="json")}
    write_checksummed_json(run.samples(split), values)


def sample(hypotheses: Hypotheses, chrf: Sequence[float], translator: Translator) -> Samples:
    """Return the worst and the best sentences by `chrf`, and random ones, always the same.

    Of the many that are perfect the longest are shown. `translator` is the one that translated.
    """
    lengths = [len(source) for source in hypotheses.set.sources]
    numbers = range(len(chrf))
    worst = sorted(numbers, key=lambda row: (chrf[row], -lengths[row]))[:SAMPLES]
    best = sorted(numbers, key=lambda row: (-chrf[row], -lengths[row]))[:SAMPLES]
    drawn = sorted(random.Random(0).sample(numbers, min(SAMPLES, len(numbers))))
    rows = [*dict.fromkeys([*worst, *best, *drawn])]
    sources = [hypotheses.set.sources[row] for row in rows]
    # Attention is read for the best candidate alone: it takes longer than the search for all.
    attentive = translator.translate(sources, attention=True)
    several = translator.translate(sources, n_best=min(N_BEST, translator.decoding.beam_size))
    shown = {
        row: _sample(hypotheses, row, chrf[row], best, others)
        for row, best, others in zip(rows, attentive, several, strict=True)
    }
    return Samples(*([shown[row] for row in group] for group in (worst, best, drawn)))


def _sample(
    hypotheses: Hypotheses, row: int, chrf: float, best: Translation, others: Translation
) -> Sample:
    text = hypotheses.texts[row]
    references = best_references(text, hypotheses.set.references[row])
    one = others.sentences[0] if len(others.sentences) == 1 else None
    return Sample(
        row + 1,
        hypotheses.set.sources[row],
        differences(text, references[0]),
        [differences(reference, text) for reference in references],
        chrf,
        hypotheses.confidences[row],
        hypotheses.warnings[row],
        [(found.text, found.score) for found in one.candidates] if one else [],
        [heat(one, one.candidates[0]) for one in best.sentences if one.source_tokens],
    )


def differences(text: str, other: str) -> list[Piece]:
    """Return `text` in pieces: what `other` has in the same order too, and what it has not.

    It goes by words and marks, whatever their case. differences("A dog.", "A big dog.") -> all the
    same; differences("A big dog.", "A dog.") -> "A ", big differs, " dog.".
    """
    words, others = _PART.findall(text), _PART.findall(other)
    matcher = difflib.SequenceMatcher(
        None, [word.lower() for word in words], [word.lower() for word in others], autojunk=False
    )
    pieces = []
    for tag, start, end, _, _ in matcher.get_opcodes():
        if piece := "".join(words[start:end]):
            pieces.append(Piece(piece, tag != "equal" and not piece.isspace()))
    return pieces


def heat(sentence: SentenceTranslation, candidate: Candidate) -> Heat:
    """Return attention by words: summed over a source word's tokens, averaged over a target's."""
    assert candidate.attention is not None, "it was asked for"
    source, target = [*sentence.source_tokens, END], [*candidate.tokens, END]
    columns, rows = word_ends(source), word_ends(target)
    weights = []
    for first, last in rows:
        read = [
            [sum(row[start:end]) for start, end in columns]
            for row in candidate.attention[first:last]
        ]
        means = (sum(column) / len(read) for column in zip(*read, strict=True))
        weights.append([round(mean, 4) for mean in means])
    return Heat(_words(source, columns), [*zip(_words(target, rows), weights, strict=True)])


def word_ends(tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Return where each word's tokens begin and end: "▁un", "able", "." -> (0, 2) and (2, 3).

    A letter of a script without spaces is a word of its own with its token. Where no token begins
    with a space, each token is a word.
    """
    pieces = any(token.startswith(SPACE) for token in tokens)
    starts = [
        index
        for index, token in enumerate(tokens)
        if index == 0 or not pieces or not _goes_on(tokens[index - 1], token)
    ]
    return [*zip(starts, [*starts[1:], len(tokens)], strict=True)]


def _goes_on(before: str, token: str) -> bool:
    """Return whether a token goes on with the word of the one before it."""
    joins = in_word(token[:1]) or token[:1] in "'’"
    left = in_word(before[-1:]) or before[-1:] in "'’" or before == SPACE
    return joins and left and not SPACELESS.search(before + token)


def _words(tokens: Sequence[str], ends: Sequence[tuple[int, int]]) -> list[str]:
    joined = ("".join(tokens[start:end]) for start, end in ends)
    return [word.replace(SPACE, " ").strip() or "␣" for word in joined]
