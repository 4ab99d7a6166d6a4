"""Sentences that a report shows: where a translation differs, other candidates, attention."""

import difflib
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from pydantic import TypeAdapter

from gru_mt.data.text.normalize import SPACELESS, in_word
from gru_mt.data.tokenizer.subword_sampling import SPACE
from gru_mt.errors import UserError
from gru_mt.evaluation.hypotheses import Hypotheses
from gru_mt.inference.translation import SentenceTranslation
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


def samples_of(
    run: Run, split: str, sets: Sequence[Hypotheses], chrfs: Sequence[Sequence[float]]
) -> list[Samples]:
    """Return the sentences that are shown of the sets that a run keeps hypotheses of.

    The run keeps them too, because loading torch takes long.
    """
    path, digest = run.samples(split), file_digest(run.hypotheses(split))
    if path.is_file():
        values = read_checksummed_json(path)
        if values["hypotheses"] == digest:
            return _SETS.validate_python(values["sets"])
    translator = replace(Translator.load(run.folder), corrections=None)
    found = [sample(*each, translator) for each in zip(sets, chrfs, strict=True)]
    values = {"hypotheses": digest, "sets": _SETS.dump_python(found, mode="json")}
    write_checksummed_json(path, values)
    return found


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
    several = translator.translate(sources, n_best=min(N_BEST, translator.decoding.beam_size))
    # Attention is read for the best candidate alone: it takes longer than the search for all.
    try:
        attentive = translator.translate(sources, attention=True)
    except UserError:  # the model has none
        attentive = several
    shown = {}
    for row, attended, candidates in zip(rows, attentive, several, strict=True):
        text = hypotheses.texts[row]
        references = best_references(text, hypotheses.set.references[row])
        one = candidates.sentences[0] if len(candidates.sentences) == 1 else None
        shown[row] = Sample(
            row + 1,
            hypotheses.set.sources[row],
            differences(text, references[0]),
            [differences(reference, text) for reference in references],
            chrf[row],
            hypotheses.confidences[row],
            hypotheses.warnings[row],
            [(found.text, found.score) for found in one.candidates] if one else [],
            [*filter(None, map(heat, attended.sentences))],
        )
    return Samples(*([shown[row] for row in group] for group in (worst, best, drawn)))


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


def heat(sentence: SentenceTranslation) -> Heat | None:
    """Return attention by words: summed over a source word's tokens, averaged over a target's.

    It is that of the first candidate, and None where there is none.
    """
    candidate = sentence.candidates[0]
    if not candidate.attention:
        return None
    columns, rows = joined([*sentence.source_tokens, END]), joined([*candidate.tokens, END])
    found = []
    for word, place in rows:
        read = [[sum(row[part]) for _, part in columns] for row in candidate.attention[place]]
        means = [round(sum(column) / len(read), 4) for column in zip(*read, strict=True)]
        found.append((word, means))
    return Heat([word for word, _ in columns], found)


def joined(tokens: Sequence[str]) -> list[tuple[str, slice]]:
    """Return words with the places of their tokens: "▁un", "able", "." -> "unable" 0:2, "." 2:3.

    A letter of a script without spaces is a word of its own with its token. Where no token begins
    with a space, each token is a word.
    """
    has_spaces = any(token.startswith(SPACE) for token in tokens)
    starts = [
        index
        for index, token in enumerate(tokens)
        if index == 0 or not has_spaces or not _goes_on(tokens[index - 1], token)
    ]
    places = map(slice, starts, [*starts[1:], len(tokens)])
    return [("".join(tokens[at]).replace(SPACE, " ").strip() or "␣", at) for at in places]


def _goes_on(before: str, token: str) -> bool:
    """Return whether a token goes on with the word of the one before it."""
    joins = in_word(token[:1]) or token[:1] in "'’"
    left = in_word(before[-1:]) or before[-1:] in "'’" or before == SPACE
    return joins and left and not SPACELESS.search(before + token)
