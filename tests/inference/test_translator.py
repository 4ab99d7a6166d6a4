"""Text in, text out: in order, whatever the batch, and scored as the model scores it."""

import json
import math
import multiprocessing
import random
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any, Literal

import pytest
import torch

from gru_mt.config.decoding import Decoding
from gru_mt.config.schema import ModelConfig, TokenizerConfig
from gru_mt.data.text.glossary import Glossary
from gru_mt.data.text.translation_memory import TranslationMemory
from gru_mt.data.tokenizer.special import BOS, EOS, PAD, PLACEHOLDER_TOKENS, UNK
from gru_mt.data.tokenizer.tokenizer import Tokenizer, train_tokenizer
from gru_mt.data.tokenizer.words import Words
from gru_mt.errors import UserError
from gru_mt.inference import sentence_translator
from gru_mt.inference.confidence import Calibration
from gru_mt.inference.engines.torch_engine import TorchEngine
from gru_mt.inference.translation import SentenceTranslation, Translation
from gru_mt.inference.translator import Translator
from gru_mt.model.seq2seq import Seq2Seq

WORDS = ["the", "cat", "dog", "bird", "sees", "hears", "finds", "a", "man", "child", ",", "and"]
Attention = Literal["dot", "general", "additive", "none"]


def sentences(count: int, *, seed: int = 0) -> list[str]:
    """Return random sentences of 1 to 12 words."""
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=rng.randint(1, 12))) for _ in range(count)]


@cache
def tokenizer(kind: Literal["unigram", "word"]) -> Tokenizer:
    texts = sentences(300, seed=1)
    config = TokenizerConfig(kind=kind, vocabulary_size=300, min_frequency=1)
    words = train_tokenizer(config, texts, texts, warn=lambda _: None)
    return replace(words, memory=TranslationMemory.learn([], []))  # so the model is asked


def build(
    kind: Literal["unigram", "word"] = "word",
    *,
    attention: Attention = "dot",
    eos_bias: float = 0.0,
    decoding: Decoding | None = None,
) -> Translator:
    """Return a translator whose random model writes what its source suggests to it."""
    words = tokenizer(kind)
    config = ModelConfig(embedding_size=8, encoder_size=4, decoder_size=8, attention=attention)
    model = Seq2Seq(
        config, source_size=words.source.size, target_size=words.target.size, joint=True
    )
    rng = torch.Generator().manual_seed(2)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.7, generator=rng)
    with torch.no_grad():
        model.output_bias_V[EOS] += eos_bias
    settings = decoding or Decoding()
    return Translator(TorchEngine(model), words, settings)


def only(translation: Translation) -> SentenceTranslation:
    (sentence,) = translation.sentences
    return sentence


def model_of(translator: Translator) -> Seq2Seq:
    assert isinstance(translator.engine, TorchEngine)
    return translator.engine.model


# Company and order


@pytest.mark.parametrize("kind", ["unigram", "word"])
@pytest.mark.parametrize("beam_size", [1, 4])
def test_neither_batch_size_nor_order_changes_a_translation(
    kind: Literal["unigram", "word"], beam_size: int
) -> None:
    translator = build(kind)
    sources = [*sentences(38), "", " \t"]
    random.Random(1).shuffle(sources)

    def translate(sources: list[str], batch_size: int) -> list[str]:
        translations = translator.translate(sources, beam_size=beam_size, batch_size=batch_size)
        assert [translation.source for translation in translations] == sources
        return [translation.text for translation in translations]

    texts = translate(sources, 64)
    assert len(set(texts)) > 18, "a model that says always the same proves nothing"
    assert translate(sources, 7) == texts
    assert translate(sources, 1) == texts
    order = random.Random(2).sample(range(40), 40)
    assert translate([sources[place] for place in order], 7) == [texts[place] for place in order]


@pytest.mark.parametrize("kind", ["unigram", "word"])
def test_whitespace_is_cleaned_before_translation(kind: Literal["unigram", "word"]) -> None:
    plain, odd = build(kind).translate(["the cat sees", " the\u00a0cat \t sees\n"])
    assert only(odd).candidates[0].tokens == only(plain).candidates[0].tokens
    assert odd.text == f" {plain.text}", "an indentation stays"


@pytest.mark.parametrize("kind", ["unigram", "word"])
@pytest.mark.parametrize("source", ["\udc80", "the \ud83d cat", "\x00", "\ufeffthe cat", "漢字 😀"])
def test_any_text_has_a_translation_of_one_line(
    kind: Literal["unigram", "word"], source: str
) -> None:
    (translation,) = build(kind).translate([source])
    assert translation.source == source
    assert len(translation.text.splitlines()) == 1


# Search


def test_candidates_are_sorted_and_distinct() -> None:
    for translation in build(eos_bias=1.0).translate(sentences(20), beam_size=6, n_best=5):
        candidates = only(translation).candidates
        assert len(candidates) == 5
        scores = [candidate.score for candidate in candidates]
        assert scores == sorted(scores, reverse=True)
        assert len({tuple(candidate.tokens) for candidate in candidates}) == 5
        assert translation.text == candidates[0].text
        assert translation.texts == [candidate.text for candidate in candidates]


def test_how_many_candidates_does_not_change_the_first_of_them() -> None:
    translator, sources = build(), sentences(10)
    for two, four in zip(
        translator.translate(sources, beam_size=4, n_best=2),
        translator.translate(sources, beam_size=4, n_best=4),
        strict=True,
    ):
        assert only(two).candidates == only(four).candidates[:2]


def test_where_only_the_best_is_wanted_the_search_gives_up_what_lies_too_far_below(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    translator, sources = build(), sentences(10)
    all_found = [each.text for each in translator.translate(sources, beam_size=4, n_best=2)]
    monkeypatch.setattr(sentence_translator, "MARGIN", 1e9)
    monkeypatch.setattr(sentence_translator, "WIDEST_MARGIN", 1e9)
    assert [each.text for each in translator.translate(sources, beam_size=4)] == all_found
    monkeypatch.setattr(sentence_translator, "WIDEST_MARGIN", 0.0)
    greedy = [each.text for each in translator.translate(sources, beam_size=1)]
    assert [each.text for each in translator.translate(sources, beam_size=4)] == greedy


@pytest.mark.parametrize("default", [None, Decoding(beam_size=2)])
def test_a_beam_too_small_for_the_candidates_is_refused(default: Decoding | None) -> None:
    translator = build(decoding=default)
    with pytest.raises(UserError, match=r"^3 translations need a beam of at least 3") as caught:
        translator.translate(["a"], beam_size=None if default else 2, n_best=3)
    assert "\n" not in str(caught.value)


def test_decoding_defaults_to_the_configuration() -> None:
    sources = sentences(20)
    configured = build(decoding=Decoding(beam_size=3, length_penalty=0.0), eos_bias=1.0)
    translator = build(eos_bias=1.0)
    named = translator.translate(sources, beam_size=3, length_penalty=0.0)
    assert configured.translate(sources) == named
    assert translator.translate(sources) != named


@pytest.mark.parametrize("length_penalty", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("beam_size", [1, 4])
def test_the_score_is_the_teacher_forced_log_probability_by_length(
    length_penalty: float, beam_size: int
) -> None:
    translator = build(eos_bias=8.0)
    words = translator.tokenizer.source
    assert isinstance(words, Words)
    model = model_of(translator)
    for translation in translator.translate(
        sentences(20), beam_size=beam_size, length_penalty=length_penalty, n_best=beam_size
    ):
        source = [*words.encode(translation.source), EOS]
        start = model.encode(torch.tensor([source]), torch.tensor([len(source)]))
        for candidate in only(translation).candidates:
            ids = [words.tokens.index(token) for token in candidate.tokens]
            assert len(ids) < 12, "the bias ends each before its limit, with <eos>"
            logits_TV = model.decode(torch.tensor([[BOS, *ids]]), start)[0].detach().double()
            logits_TV[:, [PAD, UNK, BOS]] = -torch.inf  # what is never written
            log_prob_TV = logits_TV.log_softmax(dim=1)
            path = [*ids, EOS]
            total = log_prob_TV[torch.arange(len(path)), path].sum().item()
            assert candidate.score == pytest.approx(total / len(path) ** length_penalty, rel=1e-4)


@pytest.mark.parametrize("beam_size", [1, 4])
def test_padding_unknown_and_start_are_never_written(beam_size: int) -> None:
    translator = build()
    model = model_of(translator)
    with torch.no_grad():
        model.output_bias_V[[PAD, UNK, BOS]] = 100.0
    translator = Translator(TorchEngine(model), translator.tokenizer, translator.decoding)
    for translation in translator.translate(sentences(5), beam_size=beam_size, n_best=beam_size):
        for candidate in only(translation).candidates:
            assert not {"<pad>", "<unk>", "<s>", "</s>"} & {*candidate.tokens}
            assert candidate.score > -10, "they take no share of the probability either"


def test_a_model_that_never_ends_is_stopped() -> None:
    for translation in build(eos_bias=-1_000.0).translate(["a", "a cat sees a dog", ""]):
        words = len(translation.source.split())  # <eos> is none of them
        tokens = only(translation).candidates[0].tokens if words else []
        assert len(tokens) == (2 * words + 10 if words else 0)


# Long sources


def test_a_sentence_too_long_is_translated_in_parts_and_it_is_said() -> None:
    translator = build(decoding=Decoding(max_source_tokens=8))
    words = ["the", "cat", "sees", "a", "dog", "and", "a", "bird", "and", "a", "man"]
    long, short = translator.translate([" ".join(words), " ".join(words[:8])], attention=True)
    assert len(long.sentences) > 1
    assert only(short).warnings == translator.translate(" ".join(words[:8])).warnings
    assert "split" in long.warnings
    assert "split" not in short.warnings
    assert [word for each in long.sentences for word in each.source_tokens] == words
    assert "".join(each.source + each.gap for each in long.sentences) == " ".join(words)
    assert all("split" in each.warnings for each in long.sentences)


def test_no_placeholder_is_lost_where_a_sentence_is_translated_in_parts() -> None:
    translator = build(decoding=Decoding(max_source_tokens=8))
    line = " ".join(f"the cat sees x{number}@y.org," for number in range(100, 140))
    translation = translator.translate(line)
    assert len(translation.sentences) >= 10
    for number in range(100, 140):
        assert translation.text.count(f"x{number}@y.org") == 1


@pytest.mark.parametrize("kind", ["unigram", "word"])
def test_a_word_of_any_length_is_cut_too(kind: Literal["unigram", "word"]) -> None:
    word = "acatseesthedog" * 200
    translator = build(kind, decoding=Decoding(max_source_tokens=50))
    translation = translator.translate(f"{word} {word}")
    if kind == "unigram":  # as words they are two
        assert all(len(each.source_tokens) <= 50 for each in translation.sentences)
        assert len(translation.sentences) > 50
    assert "".join(each.source + each.gap for each in translation.sentences) == f"{word} {word}"
    assert translation.text


# Lines of several sentences, placeholders, capitals


ITEMS = ["a@b.org", "555-1234", "http://x.org/a?b=1", "`code x`", "😀", "#tag", "98765", "\ue013"]


def lines_with_placeholders(count: int, *, seed: int = 3) -> list[str]:
    """Return lines of 1 to 4 sentences, with up to 11 placeholders each, some the same."""
    rng = random.Random(seed)

    def sentence() -> str:
        parts = rng.choices(WORDS, k=rng.randint(0, 6)) + rng.choices(ITEMS, k=rng.randint(0, 3))
        rng.shuffle(parts)
        return " ".join(parts)

    return [". ".join(sentence() for _ in range(rng.randint(1, 4))) for _ in range(count)]


def count_items(text: str) -> list[int]:
    return [text.count(item) for item in ITEMS]


@pytest.mark.parametrize("kind", ["unigram", "word"])
@pytest.mark.parametrize("beam_size", [1, 5])
def test_every_placeholder_comes_out_exactly_as_often_as_it_stands_in_its_line(
    kind: Literal["unigram", "word"], beam_size: int
) -> None:
    sources = lines_with_placeholders(40)
    assert max(sum(count_items(source)) for source in sources) > 8
    translator = build(kind, decoding=Decoding(beam_size))
    for split in (True, False):
        for n_best in {1, min(3, beam_size)}:
            translations = translator.translate(sources, n_best=n_best, split=split)
            assert [each.source for each in translations] == sources
            for source, translation in zip(sources, translations, strict=True):
                assert len(translation.sentences) == 1 or split
                assert len(translation.texts) <= n_best
                for text in translation.texts:
                    assert count_items(text) == count_items(source)
                    assert len(text.splitlines()) <= 1


@pytest.mark.parametrize("n_best", [1, 3])
def test_the_batch_size_changes_nothing_of_lines_of_several_sentences(n_best: int) -> None:
    translator, sources = build(), [*lines_with_placeholders(20), "", "THE CAT. a dog", "10"]

    def found(batch_size: int) -> list[Any]:
        translations = translator.translate(sources, n_best=n_best, batch_size=batch_size)
        return [
            (each.texts, each.warnings, [
                [candidate.tokens for candidate in sentence.candidates]
                for sentence in each.sentences
            ])
            for each in translations
        ]  # fmt: skip

    one = found(1)
    assert len(one) == len(sources)
    assert found(7) == found(64) == one


def test_a_line_is_translated_sentence_by_sentence_and_keeps_its_spaces() -> None:
    translator = build()
    translation = translator.translate("  10!  the cat sees.\u00a0A dog\u00a0hears! ")
    first, second = (translator.translate(each).text for each in ("the cat sees.", "A dog hears!"))
    assert translation.text == f"  10!  {first}\u00a0{second}"
    assert [each.source for each in translation.sentences] == [
        "  10!", "the cat sees.", "A dog\u00a0hears!"
    ]  # fmt: skip
    whole = translator.translate("the cat sees. A dog hears!", split=False)
    assert only(whole).source == "the cat sees. A dog hears!"


def test_the_kth_text_joins_the_kth_candidates_or_the_last() -> None:
    translation = build(eos_bias=1.0).translate("a@b.org! the cat sees a dog. the man.", n_best=3)
    copied, first, second = translation.sentences
    assert [len(each.candidates) for each in (copied, first, second)] == [1, 3, 3]
    assert translation.texts == [
        f"a@b.org! {first.candidates[k].text} {second.candidates[k].text}" for k in range(3)
    ]


@pytest.mark.parametrize(
    "source", ["10", "555-1234.", "a@b.org, c@d.org!", "😀 😀", "?!", "\ue011"]
)
def test_a_sentence_without_letters_is_copied_and_not_searched(source: str) -> None:
    def refuse(*_: object) -> None:
        pytest.fail("there is nothing to translate")

    translator = build()
    translator.engine.start = refuse  # type: ignore[method-assign, assignment]
    (translation,) = translator.translate([source], attention=True)
    assert translation.text == source
    assert (translation.confidence, translation.warnings) == (None, ())
    assert only(translation).candidates[0].attention == []


# Short texts of the training split


def remembering(*pairs: tuple[str, str]) -> Translator:
    """Return `build()` with a memory of some pairs."""
    translator = build()
    memory = TranslationMemory.learn(*zip(*pairs, strict=True))
    return replace(translator, tokenizer=replace(translator.tokenizer, memory=memory))


def test_a_text_of_the_memory_is_not_given_to_the_model() -> None:
    translator = remembering(("Hello!", "Bonjour !"), ("Hello!", "Salut !"), ("A cat.", "Chat."))
    line = "Hello! the cat sees a dog. a cat"
    first, second, third = translator.translate(line, n_best=3, attention=True).sentences
    assert [each.text for each in first.candidates] == ["Bonjour !", "Salut !"]
    assert [each.text for each in third.candidates] == ["chat"]
    assert [(each.score, each.tokens, each.attention) for each in third.candidates] == [(0, [], [])]
    assert (third.source, third.source_tokens, third.warnings) == ("a cat", [], ())
    alone = only(build().translate("the cat sees a dog.", n_best=3, attention=True))
    assert replace(second, gap="") == alone
    assert translator.translate(line).text == f"Bonjour ! {second.candidates[0].text} chat"


def test_the_kth_text_has_the_memorys_kth_translation_or_its_last() -> None:
    translator = remembering(("Hello!", "Bonjour !"), ("Hello!", "Salut !"))
    texts = translator.translate("Hello! the cat sees a dog.", n_best=3).texts
    assert [text.split(" ! ")[0] for text in texts] == ["Bonjour", "Salut", "Salut"]
    assert translator.translate("hello", n_best=1).texts == ["bonjour"]


def test_a_known_text_is_sure_where_the_model_is_calibrated() -> None:
    translator = remembering(("Hello!", "Bonjour !"))
    assert translator.translate("Hello").confidence is None
    sure = replace(translator, calibration=Calibration((0.0,) * 7))
    assert (sure.translate("Hello").confidence, sure.translate("the cat").confidence) == (1.0, 0.5)


def test_texts_with_placeholders_and_terms_of_a_glossary_are_the_models() -> None:
    translator = remembering(("A cat.", "Chat."), ("See 12.", "Voir 12."))
    assert translator.translate("a cat").text == "chat"
    assert "MINOU" in translator.translate("a cat", glossary={"cat": "MINOU"}).text
    assert "a@b.org" in translator.translate("a cat a@b.org").text
    assert translator.translate("see 12").text == "voir 12"


@pytest.mark.parametrize("kind", ["unigram", "word"])
def test_a_sentence_in_capitals_gives_capitals_but_for_its_placeholders(
    kind: Literal["unigram", "word"],
) -> None:
    translator = build(kind)
    for source in sentences(20, seed=4):
        loud = translator.translate(f"THE {source.upper()} x@y.org").text
        assert loud.replace("x@y.org", "") == loud.replace("x@y.org", "").upper()
        assert loud.count("x@y.org") == 1
        expected = translator.translate(f"the {source} x@y.org").text.upper()
        assert loud == expected.replace("X@Y.ORG", "x@y.org")


def test_terms_of_a_glossary_come_out_once_for_each_time_they_stand_there() -> None:
    glossary = Glossary.of({"cat": "le CHAT-x", "dog sees": "qq ww"})
    translator = build()
    for source in ["the cat and the Cat. a dog  sees a cat!", "A DOG SEES THE CAT", "cat"] * 2:
        for beam_size in (1, 5):
            for split in (True, False):
                found = translator.translate(
                    source, beam_size=beam_size, glossary=glossary, split=split
                )
                low, text = source.lower(), found.text.lower()  # in capitals where the source is
                assert text.count("le chat-x") == low.count("cat")
                assert text.count("qq ww") == low.replace("  ", " ").count("dog sees")
                assert found.text.isupper() == source.isupper()
    assert translator.translate("cat", glossary=glossary).text == "le CHAT-x"


def test_tokens_show_placeholders_and_not_what_stands_for_them() -> None:
    values = build().translate("the cat a@b.org sees 555-1234", n_best=2).to_json()
    (sentence,) = values["sentences"]
    assert sentence["source_tokens"] == ["the", "cat", "a@b.org", "sees", "555-1234"]
    for translation in sentence["translations"]:
        placeholders = [token for token in translation["tokens"] if token not in WORDS]
        assert sorted(placeholders) == ["555-1234", "a@b.org"]
    assert not {*PLACEHOLDER_TOKENS} & {*json.dumps(values, ensure_ascii=False)}


# Warnings and confidence


def test_what_is_odd_about_a_sentence_is_said() -> None:
    assert "limit" in build(eos_bias=-1_000.0).translate("the cat").warnings
    ends = build(eos_bias=1_000.0)
    assert ends.translate("the cat").warnings == ()
    assert ends.translate("wir sehen zwei Hunde").warnings == ("language",)
    repeats = build(eos_bias=-1_000.0)
    with torch.no_grad():
        model_of(repeats).output_bias_V[repeats.tokenizer.target.encode("bird")] += 1_000
    repeats = Translator(TorchEngine(model_of(repeats)), repeats.tokenizer, repeats.decoding)
    assert repeats.translate("the cat").warnings == ("limit", "repetition")
    assert repeats.translate("the cat. wir sehen").warnings == ("limit", "repetition", "language")


def test_a_placeholder_that_repeats_itself_is_no_repetition() -> None:
    translation = build(eos_bias=1_000.0).translate("the cat 1 000 000 000")
    assert "1 000 000 000" in translation.text
    assert translation.warnings == ()


def test_confidence_is_that_of_the_least_certain_sentence() -> None:
    translator = build(decoding=Decoding(length_penalty=1.0))
    assert translator.translate("10! the cat. a dog.").confidence is None
    translator.calibration = Calibration((1.0, 0.1, 0.0, 0.0, 0.0, 0.0, 2.0))
    translation = translator.translate("a@b.org! the cat sees! the dog and a bird.")
    copied, first, last = translation.sentences
    assert copied.confidence == 1
    for sentence in (first, last):
        logit = sentence.features[0] + 0.1 * sentence.features[1] + 2
        assert sentence.confidence == pytest.approx(1 / (1 + math.exp(-logit)))
    assert first.confidence is not None
    assert last.confidence is not None
    assert translation.confidence == min(first.confidence, last.confidence)
    assert translation.to_json()["confidence"] == round(translation.confidence, 3)
    assert translator.translate("").confidence is None
    best = first.candidates[0]
    assert first.features[0] == pytest.approx(best.score), "the mean of its tokens"


@pytest.mark.parametrize(
    "source", ["wir sehen zwei Hunde", "СПАСИБО БОЛЬШОЕ", "Спасибо Большое", "我明白"]
)
def test_what_is_in_another_language_has_hardly_any_confidence(source: str) -> None:
    sure = replace(build(), calibration=Calibration((0.0,) * 6 + (9.0,)))
    translation = sure.translate(source)
    assert translation.confidence == 0.2
    assert "language" in translation.warnings
    assert sure.translate("the cat sees a dog").confidence == pytest.approx(0.9999, abs=1e-4)


def test_a_sentence_in_parts_has_hardly_any_confidence() -> None:
    short = build(decoding=Decoding(max_source_tokens=8))
    sure = replace(short, calibration=Calibration((0.0,) * 6 + (9.0,)))
    translation = sure.translate("the cat sees a dog and a bird and the man")
    assert [each.confidence for each in translation.sentences] == [0.2] * len(translation.sentences)


# Messages


def test_the_arms_of_a_message_are_translated_and_its_syntax_stays() -> None:
    translator = build()
    line = "the cat {n, plural, offset:1 =0 {a dog} one {# bird} other {the {g, select, x {man}}}}!"
    text = translator.translate(line).text
    alone = [translator.translate(each).text for each in ("a dog", "# bird", "man")]
    assert all(map(str.strip, alone))
    assert f"{{n, plural, offset:1 =0 {{{alone[0]}}} one {{{alone[1]}}} other {{" in text
    assert f"{{g, select, x {{{alone[2]}}}}}" in text
    assert text.count("{") == line.count("{")


# Attention and JSON


@pytest.mark.parametrize("attention", ["dot", "general", "additive"])
@pytest.mark.parametrize("beam_size", [1, 3])
def test_attention_has_a_distribution_over_the_source_for_each_token_and_the_end(
    attention: Attention, beam_size: int
) -> None:
    translations = build(attention=attention, eos_bias=1.0).translate(
        sentences(12), beam_size=beam_size, n_best=beam_size, attention=True
    )
    for translation in translations:
        for candidate in only(translation).candidates:
            assert candidate.attention is not None
            assert len(candidate.attention) == len(candidate.tokens) + 1
            for weights in candidate.attention:
                assert len(weights) == len(only(translation).source_tokens) + 1
                assert sum(weights) == pytest.approx(1.0, abs=1e-5)
                assert min(weights) > 0


def test_a_model_without_attention_has_none_to_show() -> None:
    with pytest.raises(UserError, match="no attention to show"):
        build(attention="none").translate(["the cat"], attention=True)


def test_attention_is_that_of_the_sentence_alone() -> None:
    translator, sources = build(), sentences(12)
    together = translator.translate(sources, attention=True)
    for source, translation in zip(sources, together, strict=True):
        (alone,) = translator.translate([source], attention=True)
        ours, theirs = (only(each).candidates[0].attention for each in (alone, translation))
        assert ours is not None
        assert theirs is not None
        torch.testing.assert_close(torch.tensor(ours), torch.tensor(theirs))


def test_json_has_attention_only_where_it_was_asked_for() -> None:
    translator = build()
    with_weights, without = (
        translator.translate(["the cat"], n_best=2, attention=asked)[0] for asked in (True, False)
    )
    values = json.loads(json.dumps(without.to_json()))
    assert values.keys() == {"source", "text", "confidence", "warnings", "sentences"}
    assert (values["source"], values["text"]) == ("the cat", without.text)
    (sentence,) = values["sentences"]
    assert sentence["source"] == "the cat"
    assert sentence["source_tokens"] == ["the", "cat"]
    assert [each["text"] for each in sentence["translations"]] == without.texts
    for translation in sentence["translations"]:
        assert translation.keys() == {"text", "score", "tokens"}
    for translation in with_weights.to_json()["sentences"][0]["translations"]:
        assert translation.keys() == {"text", "score", "tokens", "attention"}


# Processes


def forked(work: Callable[[], list[str]]) -> list[str]:
    """Return what `work` gives in a process forked from this one; fails where that hangs."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=lambda: there.send(work()))
    process.start()
    there.close()
    try:
        assert here.poll(60), "the process hangs"
        result: list[str] = here.recv()
    finally:
        process.kill()
        process.join()
    return result


NO_FORK = pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")


@NO_FORK
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")  # as of Python 3.12
def test_a_process_forked_after_a_translation_translates_too() -> None:
    translator, sources = build(), sentences(10)
    threads = torch.get_num_threads()

    def work() -> list[str]:
        torch.ones(1 << 20).add(1)  # large enough for all threads
        return [translation.text for translation in translator.translate(sources)]

    torch.set_num_threads(2)
    try:
        expected = work()
        assert forked(work) == expected
        assert work() == expected
    finally:
        torch.set_num_threads(threads)
