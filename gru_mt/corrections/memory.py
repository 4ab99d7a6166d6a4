"""Corrections at once: a sentence that people have corrected is answered, and not translated.

Case, spaces, the final mark and the frame make no other sentence; they are those of the sentence
that is answered. What is copied, numbers and unknown names are variables: the correction of "Room
12" answers "Room 15". Where a correction does not copy one, it holds for that one alone.
"""

import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Self

from gru_mt.corrections.store import Correction, corrections_file, read_corrections
from gru_mt.data.text.normalize import in_word, is_all_caps
from gru_mt.data.text.placeholders import Span, disjoint, mask
from gru_mt.data.text.translation_memory import TranslationMemory, final_mark, parts, text_key
from gru_mt.data.tokenizer.special import PLACEHOLDER
from gru_mt.errors import UserError
from gru_mt.inference.preprocessing.reader import Reader
from gru_mt.inference.preprocessing.sentence import Case, Sentence, first_letter
from gru_mt.storage import file_stamp

Key = tuple[str, ...]  # of sentences in a row
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Entry:
    """A correction whose source was read as sentences."""

    sentences: Sequence[Sentence]
    target: str  # masked; without its frame, unless it is one of its own
    order: Sequence[int]  # the placeholders of `sentences` that the tokens in `target` stand for
    is_framed: bool  # whether the frame of `sentences` is not that of `target`

    @classmethod
    def of(cls, correction: Correction, reader: Reader) -> Self:
        sentences = [one.with_numbers() for one in reader.sentences(correction.source)]
        target = correction.target
        before, after = sentences[0].before, sentences[-1].after
        is_framed = not (target.startswith(before) and target.endswith(after))
        if not is_framed:
            target = target[len(before) : len(target) - len(after)]
        copied = _placeholders(sentences)
        if not any(map(str.isalpha, "".join(_key(sentences, framed=False)))):
            copied = []  # "A4" -> "DIN A4" says nothing of A5
        spans = disjoint(
            Span(*match.span(), text)
            for text in dict.fromkeys(copied)
            for match in re.finditer(_as_word(text), target)
        )
        found = [span.text for span in spans]
        spans = [span for span in spans if found.count(span.text) == copied.count(span.text)]
        places = {text: [n for n, one in enumerate(copied) if one == text] for text in found}
        order = [places[span.text].pop(0) for span in spans]
        return cls(sentences, mask(target, spans).text, order, is_framed)

    @cached_property
    def key(self) -> Key:
        return _key(self.sentences, framed=self.is_framed)

    def fit(self, sentences: Sequence[Sentence]) -> tuple[bool, ...]:
        """Return how well it fits sentences of its key; () where it says nothing of them."""
        pairs = zip(_placeholders(self.sentences), _placeholders(sentences), strict=True)
        is_same = [ours.casefold() == theirs.casefold() for ours, theirs in pairs]
        if not all(same or n in self.order for n, same in enumerate(is_same)):
            return ()
        ours, theirs = ([one.typed for one in each] for each in (self.sentences, sentences))
        return all(is_same), final_mark(ours[-1]) == final_mark(theirs[-1]), ours == theirs

    def text_for(self, sentences: Sequence[Sentence], memory: TranslationMemory) -> str:
        """Return its translation of sentences that it fits, with their case, mark and frame."""
        text, mark = self.target, final_mark(sentences[-1].typed)
        if mark != final_mark(self.sentences[-1].typed) and not self.is_framed:
            opening, body, _ = parts(text)
            first, closing = memory.around(mark)
            text = (first if len(sentences) == 1 else opening) + body + closing
        ours, theirs = (_case(each) for each in (self.sentences, sentences))
        first_at = first_letter(text)
        if theirs == "capitals" != ours:
            text = text.upper()
        elif ours == "capitals" != theirs and is_all_caps(text):
            text = text.lower()
        if theirs == "capital" != ours and not PLACEHOLDER.search(text[:first_at]):
            text = text[:first_at] + text[first_at : first_at + 1].upper() + text[first_at + 1 :]
        copied = [
            known if known.casefold() == typed.casefold() and theirs != "capitals" else typed
            for known, typed in zip(*map(_placeholders, (self.sentences, sentences)), strict=True)
        ]
        left = iter(self.order)
        text = PLACEHOLDER.sub(lambda _: copied[next(left)], text)
        return text if self.is_framed else f"{sentences[0].before}{text}{sentences[-1].after}"


class CorrectionMemory:
    """The corrections of a run, as they are now: while they are used, others may come."""

    def __init__(self, folder: Path) -> None:
        """Take the folder of a run, or of its model or export; there may be none yet."""
        self._folder, self._file = folder, corrections_file(folder)
        self._stamp: tuple[int, int, int] | None = None  # of the file as it was read
        self._entries: dict[Correction, _Entry] = {}  # the newest first
        self._by_key: dict[Key, list[_Entry]] = {}
        self._lengths: list[int] = []  # of keys, the longest first

    def refresh(self, reader: Reader) -> bool:
        """Read the corrections if their file has changed; return whether there are any.

        Raises UserError where it is damaged. Where it was not before, the log says so once, and the
        corrections that were read stay.
        """
        stamp, before = file_stamp(self._file), self._stamp
        if stamp != before:
            try:
                newest_first = read_corrections(self._folder)[::-1]
            except UserError as error:
                if before is None:
                    raise
                log.error(f"{error}; until then those that were read before are used")
                newest_first = [*self._entries]
            known = self._entries
            self._entries = {one: known.get(one) or _Entry.of(one, reader) for one in newest_first}
            by_key: dict[Key, list[_Entry]] = {}
            for entry in self._entries.values():
                by_key.setdefault(entry.key, []).append(entry)
            self._by_key, self._stamp = by_key, stamp
            self._lengths = sorted({*map(len, by_key)}, reverse=True)
        return bool(self._by_key)

    def correct(
        self, sentences: Sequence[Sentence], memory: TranslationMemory
    ) -> Iterator[Sentence]:
        """Yield the sentences of a line; those that were corrected together are one.

        `memory` tells how final marks are written in the target language.
        """
        read = [sentence.with_numbers() for sentence in sentences]
        start = 0
        while start < len(read):
            ends = (start + length for length in self._lengths if start + length <= len(read))
            fitting = ((end, self._find(read[start:end])) for end in ends)
            end, entry = next((found for found in fitting if found[1]), (start + 1, None))
            *others, last = sentences[start:end]
            if entry:
                source = "".join(one.source + one.gap for one in others) + last.source
                correction = entry.text_for(read[start:end], memory)
                last = replace(last, source=source, correction=correction)
            yield last
            start = end

    def _find(self, sentences: Sequence[Sentence]) -> _Entry | None:
        """Return the entry that fits best, of those that fit as well the newest."""
        for framed in (True, False):
            entries = self._by_key.get(_key(sentences, framed=framed), [])
            best = max(entries, key=lambda entry: entry.fit(sentences), default=None)
            if best and best.fit(sentences):
                return best
        return None


def _as_word(text: str) -> str:
    """Return a pattern of a text that is no part of a longer word or number."""
    before, after = (r"\b" if in_word(end) else "" for end in (text[:1], text[-1:]))
    return f"{before}{re.escape(text)}{after}"


def _case(sentences: Sequence[Sentence]) -> Case:
    """Return the case of the first of sentences; capitals are those of all."""
    cases = {one.case for one in sentences}
    return (
        sentences[0].case if cases == {"capitals"} or sentences[0].case != "capitals" else "model"
    )


def _placeholders(sentences: Sequence[Sentence]) -> list[str]:
    return [text for sentence in sentences for text in sentence.placeholders]


def _key(sentences: Sequence[Sentence], *, framed: bool) -> Key:
    """Return what sentences share that are the same but for case and such; with `framed` the frame
    around them is a part of it, as what stands between them always is.
    """
    last = len(sentences) - 1
    return tuple(
        (one.before if n or framed else "")
        + text_key(one.text)
        + (one.after if n < last or framed else "")
        for n, one in enumerate(sentences)
    )
