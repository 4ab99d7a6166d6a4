"""Subwords of SentencePiece with byte fallback: every cleaned text comes back as it was."""

import io
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Self

import sentencepiece

from gru_mt.data.text.normalize import clean, is_word
from gru_mt.data.tokenizer import special
from gru_mt.data.tokenizer.special import PLACEHOLDER_IDS, PLACEHOLDER_TOKENS, SPECIALS
from gru_mt.data.tokenizer.subword_sampling import (
    SPACE,
    WORDS,
    Segmenter,
    bpe_segmenter,
    unigram_segmenter,
)
from gru_mt.errors import UserError, short_repr, short_text

_ESCAPE = "\ue000"  # a private-use character: with a 1 it stands for SPACE, with a 0 for itself
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_LEAST_ROOM = 256  # pieces beside _FIRST, if not every character is one
_FIRST = [*SPECIALS, *PLACEHOLDER_TOKENS, *(f"<0x{byte:02X}>" for byte in range(256))]
_FIRST_BYTE = _FIRST.index("<0x00>")
_PRIVATE_BYTE = _FIRST.index("<0xEE>")  # the first byte of every placeholder token


class Subwords:
    """A SentencePiece model and its vocabulary."""

    def __init__(self, model: bytes) -> None:
        """Take a model that `train` made; raises ValueError for anything else."""
        # Each piece has one or two bytes of this value; SentencePiece has no limit of its own.
        if model.count(b"\n") > 4 * special.MOST_TOKENS:
            raise ValueError(f"it has more than {special.MOST_TOKENS:,} pieces")
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
        if odd := [piece for piece in pieces if not is_word(piece)]:
            raise ValueError(f"its piece {short_repr(odd[0])} is none of a cleaned text")
        of_text = [*PLACEHOLDER_IDS, *range(len(_FIRST), len(pieces))]
        self._ids = {pieces[id_]: id_ for id_ in of_text}
        self._segmenters: dict[float, Segmenter] = {}

    @classmethod
    def train(
        cls, texts: Sequence[str], *, kind: str, size: int, warn: Callable[[str], None]
    ) -> Self:
        """Return a model of `size` pieces, or of fewer where `texts` do not give as many.

        The same texts give the same bytes. `warn` gets a line where `size` has no room for rare
        characters, which are written in bytes then. Raises UserError where it has room for few.
        """
        words = Counter(chain.from_iterable(text.split(" ") for text in texts))
        blank = dict.fromkeys(map(ord, _rare_characters(words, kind, size, warn)), " ")
        model = io.BytesIO()
        try:
            sentencepiece.SentencePieceTrainer.train(
                sentence_iterator=_rows(words, blank),
                input_format="tsv",
                model_writer=model,
                model_type=kind,
                vocab_size=size,
                hard_vocab_limit=False,  # a corpus that gives fewer pieces is no error
                pad_id=special.PAD,
                unk_id=special.UNK,
                bos_id=special.BOS,
                eos_id=special.EOS,
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
        texts = [
            text.replace(_ESCAPE, f"{_ESCAPE}0").replace(SPACE, f"{_ESCAPE}1") for text in texts
        ]
        if not sampling:  # one by one: for a list SentencePiece starts new threads
            return [self._processor.encode(text) for text in texts]
        if sampling not in self._segmenters:
            score_V = self.scores()
            scores = {piece: score_V[id_] for piece, id_ in self._ids.items()}
            is_bpe = all(score.is_integer() for score in scores.values())  # else logarithms
            make = bpe_segmenter if is_bpe else unigram_segmenter
            self._segmenters[sampling] = make(scores, sampling)
        rng, segmenter = random.Random(seed), self._segmenters[sampling]
        rows = []
        for text in texts:
            words = WORDS.findall(f"{SPACE}{text.replace(' ', SPACE)}" if text else "")
            pieces = (piece for word in words for piece in segmenter(word, rng))
            rows.append([id_ for piece in pieces for id_ in self._ids_of(piece)])
        return rows

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
        text = text.replace(f"{_ESCAPE}1", SPACE).replace(f"{_ESCAPE}0", _ESCAPE)
        return clean(_CONTROL.sub(" ", text))


def _rows(words: Counter[str], blank: dict[int, str]) -> Iterator[str]:
    """Yield each word with its count; characters of `blank` are spaces.

    No piece goes past a space, and texts would take more memory.
    A word stands twice in its row, with half of its count. SentencePiece takes the nodes of a
    suffix tree as candidates for pieces, and a word is one only where different characters follow
    it: here a space and the end. In tokenized text a space always follows.
    """
    for word, count in words.items():
        text = word.translate(blank)  # and not the count: its digits may be rare
        if word and count > 1:
            yield f"{text} {text}\t{count // 2}"
        if word and count % 2:
            yield f"{text}\t1"


def _rare_characters(words: Counter[str], kind: str, size: int, warn: Callable[[str], None]) -> str:
    """Return the characters for which a vocabulary has no room: they have half, or all of char."""
    characters = {SPACE, *"".join(words)} - set(PLACEHOLDER_TOKENS)
    minimum, room = len(_FIRST) + len(characters), size - len(_FIRST)
    if size >= minimum:
        return ""
    if room < _LEAST_ROOM:
        raise UserError(
            f"tokenizer.vocabulary_size {size} is too small: set it to "
            f"{min(minimum, len(_FIRST) + _LEAST_ROOM)} or more, for {len(characters)} characters, "
            f"256 bytes and {special.FIRST_OTHER} special tokens"
        )
    counts: Counter[str] = Counter()
    for word, count in words.items():
        for character in word:
            counts[character] += count
    counts[SPACE] = counts.total()  # it stands for each space
    frequent_first = sorted(characters, key=lambda character: (-counts[character], character))
    rare = frequent_first[room if kind == "char" else room // 2 :]
    warn(
        f"tokenizer.vocabulary_size {size}: {len(rare):,} of {len(characters):,} characters are "
        f"rare and written in bytes; from {minimum} on none is"
    )
    return "".join(rare)
