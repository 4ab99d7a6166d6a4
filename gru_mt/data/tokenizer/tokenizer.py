"""From text to ids and back: by SentencePiece subwords, which lose nothing, or by words.

A tokenizer is trained on the training split alone, and its files are part of the bundle.
"""

import io
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self, TypeVar

import sentencepiece

from gru_mt.data.text.normalize import clean, is_word
from gru_mt.data.text.translation_memory import TranslationMemory
from gru_mt.data.text.truecase import Truecaser
from gru_mt.data.tokenizer.special import (
    BOS,
    EOS,
    FIRST_OTHER,
    MOST_TOKENS,
    PAD,
    PLACEHOLDER_IDS,
    PLACEHOLDER_TOKENS,
    SPECIALS,
    UNK,
)
from gru_mt.data.tokenizer.subword_sampling import (
    SPACE,
    WORDS,
    Cut,
    bpe_segmenter,
    unigram_segmenter,
)
from gru_mt.data.tokenizer.words import Words
from gru_mt.errors import UserError, short_repr, short_text

if TYPE_CHECKING:
    from gru_mt.config.schema import TokenizerConfig

_ESCAPE = "\ue000"  # a private-use character: with a 1 it stands for SPACE, with a 0 for itself
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
MAX_BYTES = 50_000_000  # of a tokenizer's file; a million subwords take two thirds of it
_LEAST_ROOM = 256  # pieces beside _FIRST, if not every character is one
_JOINT_FILE = "tokenizer.model"
_SIDE_FILES = ("tokenizer.source.model", "tokenizer.target.model")
_TRUECASER_FILE = "tokenizer.lexicon.txt"
_MEMORY_FILE = "tokenizer.memory.tsv"
_FIRST = [*SPECIALS, *PLACEHOLDER_TOKENS, *(f"<0x{byte:02X}>" for byte in range(256))]
_FIRST_BYTE = _FIRST.index("<0x00>")
_PRIVATE_BYTE = _FIRST.index("<0xEE>")  # the first byte of every placeholder's character


class Subwords:
    """A SentencePiece model with byte fallback: every cleaned text comes back as it was."""

    def __init__(self, model: bytes) -> None:
        """Take a model that `train` made; raises ValueError for anything else."""
        # Each piece has one or two bytes of this value; SentencePiece has no limit of its own.
        if model.count(b"\n") > 4 * MOST_TOKENS:
            raise ValueError(f"it has more than {MOST_TOKENS:,} pieces")
        self._model = model
        self._processor = sentencepiece.SentencePieceProcessor()
        try:
            self._processor.LoadFromSerializedProto(model)
            pieces = self.pieces(range(self.size))
        except (RuntimeError, IndexError, UnicodeDecodeError):
            raise ValueError("it is not a SentencePiece model, or it is damaged") from None
        if pieces[: len(_FIRST)] != _FIRST:
            raise ValueError(
                f"its ids must begin with {', '.join(SPECIALS)}, "
                f"{len(PLACEHOLDER_TOKENS)} placeholder tokens and the 256 bytes; an older model "
                "must be trained again"
            )
        for piece in pieces:
            if not is_word(piece):
                raise ValueError(f"its piece {short_repr(piece)} is none of a cleaned text")
        placeholders = zip(PLACEHOLDER_TOKENS, PLACEHOLDER_IDS, strict=True)
        others = ((piece, id_) for id_, piece in enumerate(pieces) if id_ >= len(_FIRST))
        self._ids = dict([*placeholders, *others])
        self._cuts: dict[float, Cut] = {}

    @classmethod
    def train(
        cls, texts: Sequence[str], *, kind: str, size: int, warn: Callable[[str], None]
    ) -> Self:
        """Return a model of `size` pieces, or of fewer where `texts` do not give as many.

        The same texts give the same bytes. What `_rare_characters` finds is written in bytes, and
        it raises the same UserError.
        """
        rare = _rare_characters(texts, kind=kind, size=size, warn=warn)
        blank = dict.fromkeys(map(ord, rare), " ")
        model = io.BytesIO()
        try:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=(text.translate(blank) if blank else text for text in texts),
                model_writer=model,
                model_type=kind,
                vocab_size=size,
                hard_vocab_limit=False,  # a corpus that gives fewer pieces is no error
                pad_id=PAD,
                unk_id=UNK,
                bos_id=BOS,
                eos_id=EOS,
                normalization_rule_name="identity",
                character_coverage=1.0,
                user_defined_symbols=[*PLACEHOLDER_TOKENS],
                split_digits=True,
                byte_fallback=True,
                max_sentence_length=1 << 24,  # bytes; longer ones would be left out silently
                num_threads=2,  # fixed, as it changes the result: each thread rounds its own sums
                minloglevel=2,  # errors only
            )
        except RuntimeError as error:  # texts of U+2581 or U+2585 alone, a word of 300,000 letters
            raise UserError(
                f"data.corpus: SentencePiece cannot learn a tokenizer of kind {kind} from the "
                f"training side: {short_text(error)}"
            ) from error
        return cls(model.getvalue())

    def __reduce__(self) -> tuple[object, ...]:
        return Subwords, (self._model,)

    def to_bytes(self) -> bytes:
        """Return the model as SentencePiece's own tools read it."""
        return self._model

    @property
    def size(self) -> int:
        return int(self._processor.get_piece_size())

    def encode(self, text: str) -> list[int]:
        """Return the ids of `text` without BOS and EOS."""
        return self.encode_all([text])[0]

    def encode_all(
        self, texts: Sequence[str], *, sampling: float = 0.0, seed: int = 0
    ) -> list[list[int]]:
        """Return the ids of each text without BOS and EOS.

        With `sampling` the pieces are drawn at random, as `seed` decides: see `unigram_segmenter`,
        where it is the exponent, and `bpe_segmenter`, where it is the dropout.
        """
        escaped = [_escape(text) for text in texts]
        if not sampling:  # one by one: for a list SentencePiece starts new threads
            return [self._processor.encode(text) for text in escaped]
        if sampling not in self._cuts:
            self._cuts[sampling] = self._cut(sampling)
        rng, cut = random.Random(seed), self._cuts[sampling]
        return [
            [
                id_
                for word in WORDS.findall(f"{SPACE}{text.replace(' ', SPACE)}" if text else "")
                for piece in cut(word, rng)
                for id_ in self._ids_of(piece)
            ]
            for text in escaped
        ]

    def _cut(self, sampling: float) -> Cut:
        all_scores = self.scores()
        scores = {piece: all_scores[id_] for piece, id_ in self._ids.items()}
        is_bpe = all(score.is_integer() for score in scores.values())  # else they are logarithms
        return (bpe_segmenter if is_bpe else unigram_segmenter)(scores, sampling)

    def _ids_of(self, piece: str) -> list[int]:
        """Return the id of a piece; of a character that is none, those of its bytes."""
        if piece in self._ids:
            return [self._ids[piece]]
        return [_FIRST_BYTE + byte for byte in piece.encode()]

    def pieces(self, ids: Sequence[int]) -> list[str]:
        """Return the piece of each id; U+2581 in a piece stands for a space."""
        pieces: list[str] = self._processor.id_to_piece(list(ids))
        return pieces

    def scores(self) -> list[float]:
        """Return the score of each piece, in the order of ids; 0 of what is no piece of text."""
        return [self._processor.get_score(id_) for id_ in range(self.size)]

    def decode(self, ids: Sequence[int]) -> str:
        """Return one line of cleaned text for any ids, with control characters as spaces.

        Bytes that are not UTF-8 become U+FFFD, and so do those that spell a placeholder's
        character. PAD, BOS and EOS are left out.
        """
        text = self._processor.decode(list(ids))
        if sum(map(text.count, PLACEHOLDER_TOKENS)) != sum(id_ in PLACEHOLDER_IDS for id_ in ids):
            text = self._processor.decode([id_ for id_ in ids if id_ != _PRIVATE_BYTE])
        text = _unescape(text)
        return clean(_CONTROL.sub(" ", text))


def _rare_characters(
    texts: Sequence[str], *, kind: str, size: int, warn: Callable[[str], None]
) -> str:
    """Return the characters for which a vocabulary of `size` has no room, "" if it has for all.

    The most frequent ones have half the room beside _FIRST, or all of kind char; the other half is
    for pieces of several characters. `warn` gets a line if there are any. Raises UserError where
    the room is small, too.
    """
    characters = {SPACE, *"".join(texts)} - {" ", *PLACEHOLDER_TOKENS}
    minimum, room = len(_FIRST) + len(characters), size - len(_FIRST)
    if size >= minimum:
        return ""
    if room < _LEAST_ROOM:
        least = min(minimum, len(_FIRST) + _LEAST_ROOM)
        raise UserError(
            f"tokenizer.vocabulary_size {size} is too small: set it to {least} or more, for "
            f"{len(characters)} characters, 256 bytes and {FIRST_OTHER} special tokens"
        )
    counts = Counter("".join(texts))
    counts[SPACE] = counts.total()  # it stands for each space
    frequent_first = sorted(characters, key=lambda character: (-counts[character], character))
    rare = frequent_first[room if kind == "char" else room // 2 :]
    warn(
        f"tokenizer.vocabulary_size {size}: {len(rare):,} of {len(characters):,} characters are "
        f"rare and written in bytes; from {minimum} on none is"
    )
    return "".join(rare)


def _escape(text: str) -> str:
    return text.replace(_ESCAPE, f"{_ESCAPE}0").replace(SPACE, f"{_ESCAPE}1")


def _unescape(text: str) -> str:
    return text.replace(f"{_ESCAPE}1", SPACE).replace(f"{_ESCAPE}0", _ESCAPE)


Vocabulary = Subwords | Words
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """The vocabularies of source and target; both are the same object if they are joint."""

    ALL_FILES: ClassVar = (  # names that `files` may give
        *(_JOINT_FILE, *_SIDE_FILES),
        *(_TRUECASER_FILE, _MEMORY_FILE),
    )

    source: Vocabulary
    target: Vocabulary
    truecaser: Truecaser  # the words of the source
    memory: TranslationMemory  # the short texts of the source, with their translations

    @property
    def joint(self) -> bool:
        return self.source is self.target

    def same_vocabularies(self, other: "Tokenizer") -> bool:
        """Return whether a token has the same number in both; they may know other words."""
        return (self.source.to_bytes(), self.target.to_bytes()) == (
            other.source.to_bytes(),
            other.target.to_bytes(),
        )

    def files(self) -> dict[str, bytes]:
        """Return the content of each file that `load` reads, by the file's name."""
        names = (_JOINT_FILE,) if self.joint else _SIDE_FILES
        sides = zip(names, (self.source, self.target), strict=False)  # a joint one is the source's
        return {
            **{name: side.to_bytes() for name, side in sides},
            _TRUECASER_FILE: self.truecaser.to_bytes(),
            _MEMORY_FILE: self.memory.to_bytes(),
        }

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
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise ValueError(f"it has more than {MAX_BYTES:,} bytes")
        return parse(data)
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise UserError(f"{path}: not a tokenizer of gru-mt: {error}") from None


def train_tokenizer(
    config: "TokenizerConfig",
    sources: Sequence[str],
    targets: Sequence[str],
    *,
    written: int | None = None,
    warn: Callable[[str], None],
) -> Tokenizer:
    """Return a tokenizer trained on the cleaned texts of the training split.

    People wrote the first `written` pairs, or all; the truecaser and the memory are theirs.

    `warn` gets a line where a vocabulary is smaller than `config` allows, or lacks characters.
    Raises UserError where `config` asks for too small a vocabulary or too high a frequency.
    """

    def train(texts: Sequence[str], written: Sequence[str], where: str) -> Vocabulary:
        size = config.vocabulary_size
        side: Vocabulary
        if config.kind in ("word", "space"):
            side = Words.train(
                texts, written, kind=config.kind, size=size, min_frequency=config.min_frequency
            )
        else:
            side = Subwords.train(texts, kind=config.kind, size=size, warn=warn)
        if side.size < size:
            warn(f"tokenizer.vocabulary_size {size}: {where} gives {side.size}, which is used")
        return side

    truecaser = Truecaser.learn(sources[:written], targets[:written])
    memory = TranslationMemory.learn(sources[:written], targets[:written])
    sources = [*map(truecaser.truecased, sources)]
    if config.joint:
        both = train([*sources, *targets], targets, "the training side")
        return Tokenizer(both, both, truecaser, memory)
    return Tokenizer(
        train(sources, sources, "the source side"),
        train(targets, targets, "the target side"),
        truecaser,
        memory,
    )
