"""Text in, text out: in order, whatever the batch, and scored as the model scores it."""

import json
import math
import multiprocessing
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest
import torch

from gru_mt.config.decoding import Decoding
from gru_mt.config.schema import ModelConfig, TokenizerConfig
from gru_mt.data.dataset.store import Ints
from gru_mt.data.text.terms.glossary import Glossary
from gru_mt.data.text.translation_memory import TranslationMemory
from gru_mt.data.tokenizer.special import EOS, PLACEHOLDER_TOKENS
from gru_mt.data.tokenizer.tokenizer import Tokenizer
from gru_mt.errors import UserError
from gru_mt.inference import sentence_translator
from gru_mt.inference.confidence import Calibration
from gru_mt.inference.engines.torch_engine import TorchEngine
from gru_mt.inference.translation import Languages, SentenceTranslation, Translation
from gru_mt.inference.translator import Keywords, Translator
from gru_mt.model.seq2seq import Seq2Seq
from tests.data.tokenizer.trained import learn

WORDS = ["the", "cat", "dog", "bird", "sees", "hears", "finds", "a", "man", "child", ",", "and"]
Kind = Literal["unigram", "word"]
Attention = Literal["dot", "general", "additive", "none"]


def sentences(count: int, *, seed: int = 0) -> list[str]:
    """Return random sentences of 1 to 12 words."""
    rng = random.Random(seed)
    return [" ".join(rng.choices(WORDS, k=rng.randint(1, 12))) for _ in range(count)]


@cache
def tokenizer(kind: Kind) -> Tokenizer:
    texts = sentences(300, seed=1)
    config = TokenizerConfig(kind=kind, vocabulary_size=300, min_frequency=1)
    words = learn(config, texts, texts)[0]
    return replace(words, memory=TranslationMemory.learn([], []))  # so the model is asked


def build(
    kind: Kind = "word",
    *,
    attention: Attention = "dot",
    bias: dict[int, float] | None = None,
    decoding: Decoding | None = None,
) -> Translator:
    """Return a translator whose random model writes what its source suggests to it."""
    words = tokenizer(kind)
    config = ModelConfig(embedding_size=8, encoder_size=4, decoder_size=8, attention=attention)
    sizes = {"source_size": words.source.size, "target_size": words.target.size}
    model = Seq2Seq(config, **sizes, joint=True)
    rng = torch.Generator().manual_seed(2)
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, std=0.7, generator=rng)
    with torch.no_grad():
        for id_, more in (bias or {}).items():
            model.output_bias_V[id_] += more
    return Translator(TorchEngine(model), words, decoding or Decoding())


def only(translation: Translation) -> SentenceTranslation:
    (sentence,) = translation.sentences
    return sentence


# Company and order


ITEMS = ["a@b.org", "555-1234", "http://x.org/a?b=1", "`code x`", "😀", "#tag", "98765", "\ue013"]


def lines_with_placeholders(count: int) -> list[str]:
    """Return lines of 1 to 4 sentences, with up to 11 placeholders each, some the same."""
    rng = random.Random(3)

    def sentence() -> str:
        parts = rng.choices(WORDS, k=rng.randint(0, 6)) + rng.choices(ITEMS, k=rng.randint(0, 3))
        rng.shuffle(parts)
        return " ".join(parts)

    return [". ".join(sentence() for _ in range(rng.randint(1, 4))) for _ in range(count)]


@pytest.mark.parametrize(("kind", "beam_size", "n_best"), [("unigram", 4, 1), ("word", 4, 3)])
def test_neither_batch_size_nor_order_changes_a_translation(
    kind: Kind, beam_size: int, n_best: int
) -> None:
    translator = build(kind)
    sources = [*sentences(7), *lines_with_placeholders(3), "", " \t", "THE CAT. a dog", "10"]
    random.Random(1).shuffle(sources)

    def translate(sources: list[str], batch_size: int) -> list[tuple[list[str], tuple[str, ...]]]:
        found = translator.translate(
            sources, beam_size=beam_size, n_best=n_best, batch_size=batch_size
        )
        assert [translation.source for translation in found] == sources
        return [(translation.texts, translation.warnings) for translation in found]

    expected = translate(sources, 64)
    assert len({texts[0] for texts, _ in expected}) > 8, "always the same text proves nothing"
    assert translate(sources, 1) == expected
    assert translate(sources[::-1], 7) == expected[::-1]


def test_threads_translate_batches_to_the_same_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    translator, sources, started = build("unigram"), sentences(40), set()
    expected = [*map(str, translator.translate(sources))]
    start = translator.engine.start

    def start_in_thread(source_BS: Ints, length_B: Ints) -> Any:
        started.add((threading.get_ident(), len(length_B)))
        return start(source_BS, length_B)

    monkeypatch.setattr(translator.engine, "start", start_in_thread)
    assert [*map(str, replace(translator, threads=2).translate(sources))] == expected
    assert {size for _, size in started} == {10}
    assert threading.get_ident() not in dict(started)
    monkeypatch.setattr(translator.engine, "start", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        replace(translator, threads=2).translate(sources)


# Search


def test_candidates_are_sorted_and_distinct_and_more_of_them_change_none() -> None:
    translator, sources = build(bias={EOS: 1.0}), sentences(20)
    fewer = translator.translate(sources, beam_size=6, n_best=2)
    for two, five in zip(fewer, translator.translate(sources, beam_size=6, n_best=5), strict=True):
        candidates = only(five).candidates
        scores = [candidate.score for candidate in candidates]
        assert scores == sorted(scores, reverse=True)
        assert len({tuple(candidate.tokens) for candidate in candidates}) == 5
        assert five.texts == [candidate.text for candidate in candidates]
        assert only(two).candidates == candidates[:2]


def test_where_only_the_best_is_wanted_the_search_gives_up_what_lies_too_far_below(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    translator, sources = build(), sentences(10)

    def texts(beam_size: int, n_best: int = 1) -> list[str]:
        return [*map(str, translator.translate(sources, beam_size=beam_size, n_best=n_best))]

    monkeypatch.setattr(sentence_translator, "MARGIN", 1e9)
    monkeypatch.setattr(sentence_translator, "WIDEST_MARGIN", 1e9)
    assert texts(4) == texts(4, n_best=2)
    monkeypatch.setattr(sentence_translator, "WIDEST_MARGIN", 0.0)
    assert texts(4) == texts(1)


def test_decoding_defaults_to_the_configuration() -> None:
    sources, bias = sentences(20), {EOS: 1.0}
    configured = build(decoding=Decoding(beam_size=3, length_penalty=0.0), bias=bias)
    named = build(bias=bias).translate(sources, beam_size=3, length_penalty=0.0)
    assert configured.translate(sources) == named
    assert build(bias=bias).translate(sources) != named
    too_many: list[Keywords] = [{"n_best": 4}, {"beam_size": 2, "n_best": 4}]
    for keywords in too_many:
        with pytest.raises(UserError, match=r"^4 translations need a beam of at least 4: \d$"):
            configured.translate(["a"], **keywords)


def test_a_model_that_never_ends_is_stopped() -> None:
    for translation in build(bias={EOS: -1_000.0}).translate(["a", "a cat sees a dog"]):
        words = len(translation.source.split())  # <eos> is none of them
        assert len(only(translation).candidates[0].tokens) == 2 * words + 10


# Long sources


def test_a_sentence_too_long_is_translated_in_parts_and_it_is_said() -> None:
    translator = replace(
        build(decoding=Decoding(max_source_tokens=8)), calibration=Calibration((0.0,) * 6 + (9.0,))
    )
    words = ["the", "cat", "sees", "a", "dog", "and", "a", "bird", "and", "a", "man"]
    long, short = translator.translate([" ".join(words), " ".join(words[:8])])
    assert "split" not in only(short).warnings
    assert len(long.sentences) > 1
    assert all("split" in each.warnings for each in long.sentences)
    assert {each.confidence for each in long.sentences} == {0.2}
    assert [word for each in long.sentences for word in each.source_tokens] == words
    assert "".join(each.source + each.gap for each in long.sentences) == " ".join(words)
    line = " ".join(f"the cat sees x{number}@y.org," for number in range(100, 140))
    text = translator.translate(line).text
    assert all(text.count(f"x{number}@y.org") == 1 for number in range(100, 140))


# Lines of several sentences, placeholders, capitals


@pytest.mark.parametrize(("kind", "beam_size"), [("word", 1), ("unigram", 5)])
def test_every_placeholder_comes_out_exactly_as_often_as_it_stands_in_its_line(
    kind: Kind, beam_size: int
) -> None:
    sources, translator = lines_with_placeholders(20), build(kind, decoding=Decoding(beam_size))
    for split in (True, False):
        for found in translator.translate(sources, n_best=min(3, beam_size), split=split):
            assert len(found.sentences) == 1 or split
            for text in found.texts:
                assert [*map(text.count, ITEMS)] == [*map(found.source.count, ITEMS)]
                assert len(text.splitlines()) <= 1


def test_a_sentence_without_letters_is_copied_and_not_searched() -> None:
    def refuse(*_: object) -> None:
        pytest.fail("there is nothing to translate")

    translator = build()
    translator.engine.start = refuse  # type: ignore[method-assign, assignment]
    for source in ["10", "555-1234.", "a@b.org, c@d.org!", "😀 😀", "?!", "\ue011"]:
        translation = translator.translate(source, attention=True)
        assert (translation.text, translation.warnings) == (source, ())
        assert translation.confidence is None
        assert only(translation).candidates[0].attention == []


def test_a_text_of_the_memory_is_not_given_to_the_model() -> None:
    pairs = [("Hello!", "Bonjour !"), ("Hello!", "Salut !"), ("A cat.", "Chat."), ("7.", "Sept.")]
    memory, alone = TranslationMemory.learn(*zip(*pairs, strict=True)), build()
    translator = replace(alone, tokenizer=replace(alone.tokenizer, memory=memory))
    line = "Hello! the cat sees a dog. a cat"
    translation = translator.translate(line, n_best=3, attention=True)
    first, second, third = translation.sentences
    assert [each.text for each in first.candidates] == ["Bonjour !", "Salut !"]
    assert [(each.text, each.score, each.tokens, each.attention) for each in third.candidates] == [
        ("chat", 0, [], [])
    ]
    assert (third.source, third.source_tokens, third.warnings) == ("a cat", [], ())
    by_model = only(alone.translate("the cat sees a dog.", n_best=3, attention=True))
    assert replace(second, gap="") == by_model
    assert translation.texts == [  # the k-th joins the k-th candidates, or the last
        f"{known} {text.text} chat"
        for known, text in zip(["Bonjour !", "Salut !", "Salut !"], second.candidates, strict=True)
    ]
    assert translator.translate("hello", n_best=1).texts == ["bonjour"]
    assert "MINOU" in translator.translate("a cat", glossary={"cat": "MINOU"}).text
    assert "a@b.org" in translator.translate("a cat a@b.org").text
    sure = replace(translator, calibration=Calibration((0.0,) * 7))
    assert (sure.translate("Hello").confidence, sure.translate("the cat").confidence) == (1.0, 0.5)


def test_terms_of_a_glossary_come_out_once_for_each_time_they_stand_there() -> None:
    glossary = Glossary.of({"cat": "le CHAT-x", "dog sees": "qq ww"})
    translator = build()
    for source in ["the cat and the Cat. a dog  sees a cat!", "A DOG SEES THE CAT", "cat"]:
        for split in (True, False):
            found = translator.translate(source, glossary=glossary, split=split)
            low, text = source.lower(), found.text.lower()  # in capitals where the source is
            assert text.count("le chat-x") == low.count("cat")
            assert text.count("qq ww") == low.replace("  ", " ").count("dog sees")
            assert found.text.isupper() == source.isupper()
    assert translator.translate("cat", glossary=glossary).text == "le CHAT-x"


def test_dates_are_in_the_words_of_the_target_language() -> None:
    translator = replace(build(), languages=Languages("en", "French"))
    for split in (True, False):
        assert "le 5 mai 2001" in translator.translate("the cat on May 5, 2001 a", split=split).text
    glossary = Glossary.of({"May 5": "M-5", "on May 5, 2001, I": "X"})  # the longest one
    assert "M-5" in translator.translate("the cat May 5", glossary=glossary).text
    assert "X" in translator.translate("On May 5, 2001, I see", glossary=glossary).text


def test_tokens_show_placeholders_and_not_what_stands_for_them() -> None:
    values = build().translate("the cat a@b.org sees 555-1234", n_best=2).to_json()
    (sentence,) = values["sentences"]
    assert sentence["source_tokens"] == ["the", "cat", "a@b.org", "sees", "555-1234"]
    for translation in sentence["translations"]:
        placeholders = [token for token in translation["tokens"] if token not in WORDS]
        assert sorted(placeholders) == ["555-1234", "a@b.org"]
    assert not {*PLACEHOLDER_TOKENS} & {*json.dumps(values, ensure_ascii=False)}


def test_marks_that_the_model_loses_are_copied() -> None:
    text = build(bias={EOS: 1_000.0}).translate('the cat; (sees) a "dog" finds').text
    assert [text.count(mark) for mark in '()";'] == [1, 1, 2, 1]


def test_clauses_between_lost_marks_are_translated_alone() -> None:
    translator = build(bias={EOS: 1_000.0})
    clauses = ["the cat sees a@b.org", "a dog finds 555-1234"]
    line = "; ".join(clauses)
    (sentence,) = translator.translate(line).sentences
    alone = [translator.translate(text).sentences[0] for text in clauses]
    assert sentence.candidates[0].text == "; ".join(one.candidates[0].text for one in alone)
    assert sentence.source_tokens == [*alone[0].source_tokens, ";", *alone[1].source_tokens]
    assert sentence.source == line
    for options in ({"n_best": 2}, {"attention": True}):
        (whole,) = translator.translate(line, **options).sentences
        assert ";" in whole.source_tokens


# Warnings and confidence


def test_what_is_odd_about_a_sentence_is_said() -> None:
    ends = build(bias={EOS: 1_000.0})
    assert ends.translate("the cat").warnings == ()
    assert ends.translate("wir sehen zwei Hunde").warnings == ("under-translated", "language")
    numbers = ends.translate("the cat 1 000 000 000")
    assert "1 000 000 000" in numbers.text
    assert numbers.warnings == (), "a placeholder that repeats itself is no repetition"
    (bird,) = tokenizer("word").target.encode("bird")
    repeats = build(bias={EOS: -1_000.0, bird: 1_000.0})
    assert repeats.translate("the cat").warnings == ("limit", "repetition")
    assert repeats.translate("the cat. wir sehen").warnings == ("limit", "repetition", "language")


def test_confidence_is_that_of_the_least_certain_sentence() -> None:
    translator = build(decoding=Decoding(length_penalty=1.0))
    assert translator.translate("10! the cat. a dog.").confidence is None
    translator.calibration = Calibration((1.0, 0.1, 0.0, 0.0, 0.0, 0.0, 2.0))
    translation = translator.translate("a@b.org! the cat sees! the dog and a bird.")
    copied, *others = translation.sentences
    assert copied.confidence == 1
    for sentence in others:
        logit = sentence.features[0] + 0.1 * sentence.features[1] + 2
        assert sentence.confidence == pytest.approx(1 / (1 + math.exp(-logit)))
        best = sentence.candidates[0]
        assert sentence.features[0] == pytest.approx(best.score), "the mean of its tokens"
    assert translation.confidence == min(each.confidence or 0 for each in others)
    assert translation.to_json()["confidence"] == round(translation.confidence, 3)
    assert translator.translate("").confidence is None


@pytest.mark.parametrize("source", ["wir sehen zwei Hunde", "СПАСИБО БОЛЬШОЕ", "我明白"])
def test_what_is_in_another_language_has_hardly_any_confidence(source: str) -> None:
    sure = replace(build(), calibration=Calibration((0.0,) * 6 + (9.0,)))
    translation = sure.translate(source)
    assert translation.confidence == 0.2
    assert "language" in translation.warnings
    assert sure.translate("the cat sees a dog").confidence == pytest.approx(0.9999, abs=1e-4)


def test_the_arms_of_a_message_are_translated_and_its_syntax_stays() -> None:
    translator = build()
    line = "the cat {n, plural, offset:1 =0 {a dog} one {# bird} other {the {g, select, x {man}}}}!"
    text = translator.translate(line).text
    alone = [translator.translate(each).text for each in ("a dog", "# bird", "man")]
    assert all(map(str.strip, alone))
    assert f"{{n, plural, offset:1 =0 {{{alone[0]}}} one {{{alone[1]}}} other {{" in text
    assert f"{{g, select, x {{{alone[2]}}}}}" in text
    assert text.count("{") == line.count("{")
    for within in ("a dog\u2011", "\u200fa dog", "a dog "):  # signs that the line is read without
        text = translator.translate(f"the {{n, plural, other {{{within}}}}}cat").text
        plain = within.replace("\u2011", "-").replace("\u200f", "")
        spaces = plain[len(plain.rstrip()) :]
        assert f"other {{{translator.translate(plain).text}{spaces}}}}}" in text


def test_several_quotations_are_translated_one_by_one_where_their_marks_are_lost() -> None:
    translator = build()
    text = translator.translate('the cat "a dog" sees "two birds"!').text
    for inside in ("a dog", "two birds"):
        assert f'"{translator.translate(inside).text}"' in text
    found = translator.translate('the cat "a dog" sees "two birds"!', attention=True)
    assert found.text.count('"') == 4, "as placeholders of their own"


# Attention and JSON


@pytest.mark.parametrize("attention", ["dot", "general", "additive"])
def test_attention_is_a_distribution_for_each_token_and_the_end_and_that_of_the_sentence_alone(
    attention: Attention,
) -> None:
    translator, sources = build(attention=attention, bias={EOS: 1.0}), sentences(3)
    for together in translator.translate(sources, beam_size=3, n_best=3, attention=True):
        alone = translator.translate(together.source, beam_size=3, n_best=3, attention=True)
        for candidate, other in zip(only(together).candidates, only(alone).candidates, strict=True):
            weight_TS = torch.tensor(candidate.attention)
            tokens = len(candidate.tokens) + 1, len(only(together).source_tokens) + 1
            assert weight_TS.shape == tokens
            assert weight_TS.min() > 0
            torch.testing.assert_close(weight_TS.sum(dim=1), torch.ones(tokens[0]))
            torch.testing.assert_close(weight_TS, torch.tensor(other.attention))


def test_a_model_without_attention_has_none_to_show() -> None:
    with pytest.raises(UserError, match="no attention to show"):
        build(attention="none").translate(["the cat"], attention=True)


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


@pytest.mark.slow
def test_loading_and_translating_import_neither_the_compiler_nor_sympy(workplace: Path) -> None:
    run = str(workplace / "runs" / "small")
    code = (
        f"import sys, gru_mt; gru_mt.Translator.load({run!r}).translate('a'); print(*sys.modules)"
    )
    names = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    assert {"torch._dynamo", "sympy"} & {*names.decode().split()} == set(), "they take seconds"
