"""Which tokenizer BLEU takes for a language."""

from typing import get_args

import pytest

from gru_mt.config.schema import EvaluationConfig
from gru_mt.errors import UserError
from gru_mt.evaluation import bleu_tokenizer as module
from gru_mt.evaluation.bleu_tokenizer import TOKENIZERS, resolve_bleu_tokenizer


@pytest.mark.parametrize(
    ("languages", "expected"),
    [
        ("zh zh-CN zho ZH-tw cmn yue_Hant Chinese", "zh"),
        ("ja JA jpn_Jpan ko kor_Hang", "char"),  # MeCab is not installed
        ("th lo km my bo tha_Thai mya_Mymr bod Thai", "char"),
        ("fr en de vi jv jav zu kok kmr tl tibet", "13a"),
    ],
)
def test_the_tokenizer_follows_the_target_language(
    languages: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    found = {language: resolve_bleu_tokenizer(language, "auto") for language in languages.split()}
    assert found == dict.fromkeys(languages.split(), expected)


JAPANESE, CHINESE = "私は東京に住んでいます。", "我住在北京，在IBM工作。"


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("cn", CHINESE, "zh"),
        ("jp", JAPANESE, "ja-mecab"),
        ("siamese", "ฉันอยู่ที่กรุงเทพ", "char"),
        ("xx", "Я живу в Москве, 我.", "13a"),
        ("zh", JAPANESE, "zh"),  # where the language is known, that decides
    ],
)
def test_the_tokenizer_follows_the_script_where_the_language_is_unknown(
    language: str, text: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "find_spec", lambda _: True)
    references = [["1", text], [text]]
    assert resolve_bleu_tokenizer(language, "auto", references) == expected
    assert resolve_bleu_tokenizer(language, "13a", references) == "13a"


def test_the_tokenizer_can_be_set_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda name: name in ("MeCab", "ipadic"))
    assert resolve_bleu_tokenizer("ja", "auto") == "ja-mecab"
    assert resolve_bleu_tokenizer("fr", "ja-mecab") == "ja-mecab"
    assert resolve_bleu_tokenizer("zh", "intl") == "intl"
    with pytest.raises(UserError, match=r"ko-mecab is not installed: .* 'sacrebleu\[ko\]'$"):
        resolve_bleu_tokenizer("ko", "ko-mecab")
    with pytest.raises(UserError, match=r"no BLEU tokenizer 'spm'; there are auto, 13a, intl, zh,"):
        resolve_bleu_tokenizer("zh", "spm")
    in_config = get_args(EvaluationConfig.model_fields["bleu_tokenizer"].annotation)
    assert in_config == ("auto", *TOKENIZERS)
