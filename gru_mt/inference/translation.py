"""What a translation is: a line, its sentences, and the candidates of each."""

from dataclasses import dataclass
from typing import Any

from gru_mt.data.text.normalize import SENTENCE_END, is_cased

_OPENING = "¿¡\"'“‘«([ \u00a0\u202f"  # may stand before the first word of a sentence
_ENDS = frozenset(f"{SENTENCE_END}»”\"')")


@dataclass(frozen=True, slots=True)
class Languages:
    """What a model translates from and into, and how BLEU splits its text into words."""

    source: str = ""  # it decides where sentences end
    target: str = ""
    bleu_tokenizer: str = "auto"  # a `setting` of `resolve_bleu_tokenizer`


@dataclass(frozen=True, slots=True)
class Candidate:
    """One translation of a sentence.

    The score is the log-probability in nats / length ** length_penalty; higher is better. Its sixth
    digit may change with the batch, because rounding depends on the shape of a product.
    """

    text: str
    score: float
    tokens: list[str]
    attention: list[list[float]] | None  # of each token and <eos>, over source tokens and <eos>

    def to_json(self) -> dict[str, Any]:
        values = {"text": self.text, "score": self.score, "tokens": self.tokens}
        return values if self.attention is None else values | {"attention": self.attention}


@dataclass(frozen=True, slots=True)
class SentenceTranslation:
    """A sentence of a line and its translations, best first."""

    source: str
    source_tokens: list[str]
    candidates: list[Candidate]
    gap: str = ""  # the spaces after the sentence in its line
    features: tuple[float, ...] = ()  # what the confidence follows from; see `confidence`
    confidence: float | None = None  # from 0 to 1; None where the model has no calibration
    warnings: tuple[str, ...] = ()  # see `confidence.warnings_of`
    is_corrected: bool = False  # whether people have corrected it: see `corrections`

    def to_json(self) -> dict[str, Any]:
        """Return the sentence and its translations as JSON values."""
        values = {
            "source": self.source,
            "source_tokens": self.source_tokens,
            "confidence": _rounded(self.confidence),
            "warnings": [*self.warnings],
            "translations": [candidate.to_json() for candidate in self.candidates],
        }
        return values | ({"corrected": True} if self.is_corrected else {})


@dataclass(frozen=True, slots=True)
class Translation:
    """A line and the translations of its sentences; a blank line has none.

    Example:
        >>> from gru_mt import Translator
        >>> translation = Translator.load("runs/small").translate("I see a dog. I see a cat.")
        >>> str(translation)
        'Je vois un chien. Je vois un chat.'
        >>> len(translation.sentences), translation.warnings
        (2, ())
    """

    source: str
    sentences: list[SentenceTranslation]

    def __str__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """The best translation, its sentences with the spaces that they had between them."""
        return self._line(0)

    @property
    def texts(self) -> list[str]:
        """The translations, best first: the k-th joins each sentence's k-th, or its last."""
        count = max((len(sentence.candidates) for sentence in self.sentences), default=1)
        return [self._line(k) for k in range(count)]

    def _line(self, k: int) -> str:
        """Join the k-th candidates by the gaps.

        Where the source has no space between two, as in Japanese, a word gets one before it.
        """
        line, gap = "", " "
        for sentence in self.sentences:
            text = sentence.candidates[: k + 1][-1].text
            if not gap and line[-1:] in _ENDS and is_cased(text.lstrip(_OPENING)[:1]):
                line += " "
            gap = sentence.gap
            line += text + gap
        return line

    @property
    def confidence(self) -> float | None:
        """The confidence of the least certain sentence; None where none has any."""
        known = (sentence.confidence for sentence in self.sentences)
        return min((confidence for confidence in known if confidence is not None), default=None)

    @property
    def warnings(self) -> tuple[str, ...]:
        """The warnings of all sentences, without repetition.

        They are spelling (typos were corrected), split (a sentence was too long), limit (the model
        did not end), repetition, under-translated (words have no translation), language (hardly a
        word was ever seen) and low confidence.
        """
        found = (warning for sentence in self.sentences for warning in sentence.warnings)
        return tuple(dict.fromkeys(found))

    def to_json(self) -> dict[str, Any]:
        """Return the line, its best translation and its sentences as JSON values."""
        return {
            "source": self.source,
            "text": self.text,
            "confidence": _rounded(self.confidence),
            "warnings": [*self.warnings],
            "sentences": [sentence.to_json() for sentence in self.sentences],
        }


def _rounded(confidence: float | None) -> float | None:
    return None if confidence is None else round(confidence, 3)
