"""How far a translation can be trusted: the chance that it is right, and what is odd about it."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from gru_mt.data.text.normalize import IN_WORD, words
from gru_mt.data.text.truecase import Truecaser
from gru_mt.data.tokenizer.subword_sampling import SPACE
from gru_mt.errors import UserError, short_repr
from gru_mt.inference.preprocessing.sentence import Sentence
from gru_mt.inference.search import Floats, Hypothesis
from gru_mt.run import WEIGHTS

LOW = 0.25  # a smaller confidence is a warning
FOREIGN = 0.2  # the most confidence in what is unlike dev, of which calibration knows nothing
FEATURES = 6
KNOWN = 1 / 3  # share of known words; text with fewer is in another language
LEAST_ATTENTION = 0.1  # over all target tokens; a word with less may have been left out
_REPEATED = re.compile(  # three times in a row
    rf"(?<![{IN_WORD}])(\w.{{0,40}}?)(?:[\s,.;!?-]+\1){{2,}}(?![{IN_WORD}])"
)


@dataclass(frozen=True, slots=True)
class Calibration:
    """A logistic model of the chance that a translation's chrF is at least 50.

    `weights` has one for each of `features`, and the constant last.
    """

    weights: tuple[float, ...]

    @classmethod
    def of(cls, weights: Any, where: object = "here") -> Self | None:
        """Return the calibration of the list `weights`; None for None.

        Raises UserError, which names `where`, for anything else than FEATURES + 1 finite numbers.
        """
        if weights is None:
            return None
        is_list = isinstance(weights, list | tuple) and len(weights) == FEATURES + 1
        # The bounds keep a sum of products finite.
        if is_list and all(type(w) in (int, float) and -1e300 < w < 1e300 for w in weights):
            return cls(tuple(map(float, weights)))
        wanted = f"calibration must be {FEATURES + 1} numbers"
        raise UserError(f"{where}: damaged: {wanted}, got {short_repr(weights)}")

    @classmethod
    def of_bundle(cls, provenance: Mapping[str, Any]) -> Self | None:
        """Return the calibration of a bundle with this provenance; see `of`."""
        return cls.of(provenance["weights"].get("calibration"), WEIGHTS)

    def confidence(self, features: Sequence[float]) -> float:
        """Return the chance, from 0 to 1."""
        logit = sum(w * x for w, x in zip(self.weights, [*features, 1.0], strict=True))
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))


def features(
    source: str, source_tokens: int, hypothesis: Hypothesis, truecaser: Truecaser
) -> list[float]:
    """Return what tells good translations from bad ones.

    It is the mean and the lowest log-probability of a token, both lengths, how much of the source
    attention left out, and the share of its words, but for names, that were never seen.
    """
    target_tokens = len(hypothesis.ids) + hypothesis.ended
    read = hypothesis.coverage or [1.0]
    found = words(source)
    return [
        hypothesis.log_prob / target_tokens,
        max(hypothesis.lowest, -20.0),
        math.log(source_tokens),
        abs(math.log(target_tokens / source_tokens)),
        sum(1.0 - min(attention, 1.0) for attention in read) / len(read),
        sum(word not in truecaser and not word[0].isupper() for word in found) / max(1, len(found)),
    ]


def fitted(feature_NF: Floats, right_N: Floats, *, penalty: float = 1.0) -> Calibration:
    """Return the calibration that makes right_N, zeros and ones, likeliest.

    It is logistic regression (Platt 1999) by Newton's method, with an L2 penalty on the weights of
    the standardised features.
    """
    mean_F, scale_F = feature_NF.mean(axis=0), feature_NF.std(axis=0) + 1e-9
    input_NG = np.column_stack([(feature_NF - mean_F) / scale_F, np.ones(len(feature_NF))])
    penalty_G = np.full(input_NG.shape[1], penalty)
    penalty_G[-1] = 1e-9  # the constant is free
    weight_G = np.zeros(input_NG.shape[1])
    for _ in range(25):
        chance_N = 1 / (1 + np.exp(-np.clip(input_NG @ weight_G, -30, 30)))
        slope_G = input_NG.T @ (right_N - chance_N) - penalty_G * weight_G
        curve_GG = (input_NG.T * (chance_N * (1 - chance_N))) @ input_NG + np.diag(penalty_G)
        weight_G = weight_G + np.linalg.solve(curve_GG, slope_G)
    weight_F = weight_G[:-1] / scale_F
    return Calibration((*weight_F.tolist(), float(weight_G[-1] - weight_F @ mean_F)))


def warnings_of(
    sentence: Sentence,
    pieces: Sequence[str],
    text: str,
    hypothesis: Hypothesis,
    confidence: float | None,
    truecaser: Truecaser,
) -> tuple[str, ...]:
    """Return what is odd about the translation `text`; `pieces` of the source were read."""
    warnings = {
        "spelling": sentence.spelling_corrected,
        "split": sentence.is_part,
        "limit": not hypothesis.ended,
        "repetition": is_repetitive(text) and not is_repetitive(sentence.text),
        "under-translated": is_under_translated(pieces, hypothesis.coverage or [], truecaser),
        "language": is_foreign(sentence, truecaser),
        "low confidence": confidence is not None and confidence < LOW,
    }
    return tuple(name for name, holds in warnings.items() if holds)


def is_foreign(sentence: Sentence, truecaser: Truecaser) -> bool:
    """Return whether hardly a word of a sentence was ever seen."""
    found = words(sentence.typed)
    long = [word for word in found if len(word) > 1] or found
    return sum(word in truecaser for word in long) < KNOWN * len(long)


def is_repetitive(text: str) -> bool:
    """Return whether a text has a word or phrase three times in a row."""
    return _REPEATED.search(text) is not None


def is_under_translated(
    pieces: Sequence[str], coverage: Sequence[float], truecaser: Truecaser
) -> bool:
    """Return whether attention hardly touched a word, and it is none of the most common ones.

    A word begins with a piece that has a space before it. Where none has, each piece is a word.
    """
    has_spaces = any(piece.startswith(SPACE) for piece in pieces)
    read: list[tuple[str, float]] = []
    for piece, attention in zip(pieces, coverage, strict=False):  # <eos> has attention too
        goes_on = read and has_spaces and not piece.startswith(SPACE)
        word, before = read.pop() if goes_on else ("", 0.0)
        read.append((word + piece, before + attention))
    neglected = (words(word) for word, attention in read if attention < LEAST_ATTENTION)
    return any(parts and not any(map(truecaser.is_common, parts)) for parts in neglected)
