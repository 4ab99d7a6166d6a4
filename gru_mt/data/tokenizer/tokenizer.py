"""From text to ids and back: by SentencePiece subwords, which lose nothing, or by words.

A tokenizer is trained on the training split alone, and its files are part of the model folder.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self, TypeVar

from gru_mt.data.text.translation_memory import TranslationMemory
from gru_mt.data.text.truecase import Truecaser
from gru_mt.data.tokenizer.sentencepiece import Subwords
from gru_mt.data.tokenizer.words import Words
from gru_mt.errors import UserError
from gru_mt.storage import read_bytes

if TYPE_CHECKING:
    from gru_mt.config.schema import TokenizerConfig
    from gru_mt.data.types import Example

MAX_BYTES = 50_000_000  # of a tokenizer's file; a million subwords take two thirds of it
_JOINT_FILE = "tokenizer.model"
_SIDE_FILES = ("tokenizer.source.model", "tokenizer.target.model")
_TRUECASER_FILE = "tokenizer.lexicon.txt"
_MEMORY_FILE = "tokenizer.memory.tsv"

Vocabulary = Subwords | Words
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """The vocabularies of source and target; both are the same object if they are joint."""

    ALL_FILES: ClassVar = (_JOINT_FILE, *_SIDE_FILES, _TRUECASER_FILE, _MEMORY_FILE)

    source: Vocabulary
    target: Vocabulary
    truecaser: Truecaser  # the words of the source
    memory: TranslationMemory  # the short texts of the source, with their translations

    @property
    def joint(self) -> bool:
        return self.source is self.target

    def same_vocabularies(self, other: "Tokenizer") -> bool:
        """Return whether a token has the same number in both; they may know other words."""
        sides = [(each.source.to_bytes(), each.target.to_bytes()) for each in (self, other)]
        return sides[0] == sides[1]

    def files(self) -> dict[str, bytes]:
        """Return the content of each file that `load` reads, by the file's name."""
        sides = {_JOINT_FILE: self.source}
        if not self.joint:
            sides = dict(zip(_SIDE_FILES, (self.source, self.target), strict=True))
        parts = {**sides, _TRUECASER_FILE: self.truecaser, _MEMORY_FILE: self.memory}
        return {name: part.to_bytes() for name, part in parts.items()}

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Return the tokenizer whose files are in `folder`. A file's first bytes tell its kind.

        Raises UserError that names the file which is missing or is no tokenizer.
        """
        names = _SIDE_FILES if (folder / _SIDE_FILES[0]).exists() else (_JOINT_FILE,)
        sides = [_read(folder / name, _vocabulary) for name in names]
        truecaser = _read(folder / _TRUECASER_FILE, Truecaser.from_bytes)
        memory = _read(folder / _MEMORY_FILE, TranslationMemory.from_bytes)
        return cls(sides[0], sides[-1], truecaser, memory)


def _vocabulary(data: bytes) -> Vocabulary:
    return Words.from_bytes(data) if data.startswith(b"<pad>") else Subwords(data)


def _read(path: Path, parse: Callable[[bytes], T]) -> T:
    try:
        return parse(read_bytes(path, most_bytes=MAX_BYTES))
    except ValueError as error:
        raise UserError(f"{path}: not a tokenizer of gru-mt: {error}") from None


def learn_tokenizer(
    config: "TokenizerConfig", known: Tokenizer | None, written: int, pairs: list["Example"]
) -> tuple[Tokenizer, list[str]]:
    """Return a tokenizer of cleaned pairs of the training split, and warnings.

    People wrote the first `written` pairs; the truecaser and the memory are theirs. Of a `known`
    tokenizer only these learn. Empties `pairs`, as SentencePiece wants the memory. Warnings tell
    where a vocabulary is smaller than `config` allows, or lacks characters. Raises UserError where
    `config` asks for too small a vocabulary or too high a frequency.
    """
    sources, targets = [pair.source for pair in pairs], [pair.target for pair in pairs]
    pairs.clear()
    warnings: list[str] = []
    truecaser = Truecaser.learn(sources[:written], targets[:written])
    memory = TranslationMemory.learn(sources[:written], targets[:written])
    if known is not None:
        truecaser, memory = known.truecaser.extended(truecaser), memory.extended(known.memory)
        return replace(known, truecaser=truecaser, memory=memory), warnings
    size = config.vocabulary_size

    def train(texts: Sequence[str], spaced: Sequence[str], where: str) -> Vocabulary:
        side: Vocabulary
        if config.kind in ("word", "space"):
            least = config.min_frequency
            side = Words.train(texts, spaced, kind=config.kind, size=size, min_frequency=least)
        else:
            side = Subwords.train(texts, kind=config.kind, size=size, warn=warnings.append)
        if (used := side.size) < size:
            used_instead = f"the {where} side gives {used}, which is used"
            warnings.append(f"tokenizer.vocabulary_size {size}: {used_instead}")
        return side

    sources = [*map(truecaser.truecased, sources)]
    if config.joint:
        source = target = train([*sources, *targets], targets, "training")
    else:
        source, target = train(sources, sources, "source"), train(targets, targets, "target")
    return Tokenizer(source, target, truecaser, memory), warnings
