"""Text in, text out: in order, whatever the batch, and scored as the model scores it."""

import json
import multiprocessing
import random
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest
import torch

from gru_mt.config import ModelConfig, TokenizerConfig
from gru_mt.data.special import BOS, EOS, PAD, UNK
from gru_mt.data.tokenizer import Tokenizer, train_tokenizer
from gru_mt.data.words import Words
from gru_mt.decoding import Decoding
from gru_mt.errors import UserError
from gru_mt.inference import translator as translator_module
from gru_mt.inference.torch_engine import TorchEngine
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
    return train_tokenizer(config, texts, texts, warn=lambda _: None)


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
    sources = [*sentences(68), "", " \t"]
    random.Random(1).shuffle(sources)

    def translate(sources: list[str], batch_size: int) -> list[str]:
        translations = translator.translate(
            sources, decoding=Decoding(beam_size), batch_size=batch_size
        )
        assert [translation.source for translation in translations] == sources
        return [translation.text for translation in translations]

    texts = translate(sources, 64)
    assert len(set(texts)) > 30, "a model that says always the same proves nothing"
    assert translate(sources, 7) == texts
    assert translate(sources, 1) == texts
    order = random.Random(2).sample(range(70), 70)
    assert translate([sources[place] for place in order], 7) == [texts[place] for place in order]


@pytest.mark.parametrize("blank", ["", "  ", "\t", "\u2028", "\u00a0\u202f", "\r\n"])
def test_blank_stays_blank_between_its_neighbours(blank: str) -> None:
    first, middle, last = build().translate(["the cat", blank, "a dog"], attention=True)
    assert (middle.text, middle.source, middle.source_tokens) == ("", blank, [])
    assert [candidate.attention for candidate in middle.candidates] == [[]]
    assert first.text
    assert last.text


def test_no_sentences_give_no_translations() -> None:
    assert build().translate([]) == []


def test_a_string_gives_its_one_translation() -> None:
    translator = build()
    assert (
        translator.translate("the cat", n_best=2) == translator.translate(["the cat"], n_best=2)[0]
    )
    assert translator.translate("").text == ""


@pytest.mark.parametrize("kind", ["unigram", "word"])
def test_whitespace_is_cleaned_before_translation(kind: Literal["unigram", "word"]) -> None:
    plain, odd = build(kind).translate(["the cat sees", " the\u00a0cat \t sees\n"])
    assert odd.candidates == plain.candidates


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
    for translation in build(eos_bias=1.0).translate(sentences(20), decoding=Decoding(6), n_best=5):
        assert len(translation.candidates) == 5
        scores = [candidate.score for candidate in translation.candidates]
        assert scores == sorted(scores, reverse=True)
        assert len({tuple(candidate.tokens) for candidate in translation.candidates}) == 5
        assert translation.text == translation.candidates[0].text


def test_how_many_candidates_does_not_change_the_first_of_them() -> None:
    translator, sources = build(), sentences(10)
    for two, four in zip(
        translator.translate(sources, decoding=Decoding(4), n_best=2),
        translator.translate(sources, decoding=Decoding(4), n_best=4),
        strict=True,
    ):
        assert two.candidates == four.candidates[:2]


def test_where_only_the_best_is_wanted_the_search_gives_up_what_lies_too_far_below(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    translator, sources = build(), sentences(10)
    all_found = [
        each.text for each in translator.translate(sources, decoding=Decoding(4), n_best=2)
    ]
    monkeypatch.setattr(translator_module, "PRUNING_MARGIN", 1e9)
    assert [each.text for each in translator.translate(sources, decoding=Decoding(4))] == all_found
    monkeypatch.setattr(translator_module, "PRUNING_MARGIN", 0.0)
    greedy = [each.text for each in translator.translate(sources, decoding=Decoding(1))]
    assert [each.text for each in translator.translate(sources, decoding=Decoding(4))] == greedy


@pytest.mark.parametrize("default", [None, Decoding(beam_size=2)])
def test_a_beam_too_small_for_the_candidates_is_refused(default: Decoding | None) -> None:
    translator = build(decoding=default)
    with pytest.raises(UserError, match=r"^3 translations need a beam of at least 3") as caught:
        translator.translate(["a"], decoding=None if default else Decoding(2), n_best=3)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["n_best", "batch_size"])
def test_counts_below_one_are_refused(name: str) -> None:
    for value in (0, -1, 1.5):
        asked: Any = {name: value}
        with pytest.raises(ValueError, match=f"^{name} must be a .*, got "):
            build().translate(["a cat"], **asked)


def test_decoding_defaults_to_the_configuration() -> None:
    sources = sentences(20)
    configured = build(decoding=Decoding(beam_size=3, length_penalty=0.0), eos_bias=1.0)
    translator = build(eos_bias=1.0)
    named = translator.translate(sources, decoding=Decoding(3, length_penalty=0.0))
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
        sentences(20), decoding=Decoding(beam_size, length_penalty), n_best=beam_size
    ):
        source = [*words.encode(translation.source), EOS]
        start = model.encode(torch.tensor([source]), torch.tensor([len(source)]))
        for candidate in translation.candidates:
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
    for translation in translator.translate(
        sentences(5), decoding=Decoding(beam_size), n_best=beam_size
    ):
        for candidate in translation.candidates:
            assert not {"<pad>", "<unk>", "<s>", "</s>"} & {*candidate.tokens}
            assert candidate.score > -10, "they take no share of the probability either"


def test_a_model_that_never_ends_is_stopped() -> None:
    for translation in build(eos_bias=-1_000.0).translate(["a", "a cat sees a dog", ""]):
        words = len(translation.source.split())  # <eos> is none of them
        assert len(translation.candidates[0].tokens) == (2 * words + 10 if words else 0)


# Long sources


def test_a_source_too_long_is_cut_and_it_is_said() -> None:
    translator = build(decoding=Decoding(max_source_tokens=5))
    words = ["the", "cat", "sees", "a", "dog", "and", "a", "bird"]
    long, short = translator.translate([" ".join(words), " ".join(words[:5])], attention=True)
    assert (long.cut_tokens, short.cut_tokens) == (3, 0)
    assert long.source == " ".join(words)
    assert long.source_tokens == words[:5]
    assert long.candidates == short.candidates


@pytest.mark.parametrize("kind", ["unigram", "word"])
def test_a_word_of_any_length_is_cut_too(kind: Literal["unigram", "word"]) -> None:
    word = "acatseesthedog" * 25_000
    translator = build(kind, decoding=Decoding(max_source_tokens=5))
    translation = translator.translate(f"{word} {word}")
    if kind == "unigram":  # as words they are two
        assert len(translation.source_tokens) == 5
        assert translation.cut_tokens > 100_000
    assert translation.text


# Attention and JSON


@pytest.mark.parametrize("attention", ["dot", "general", "additive"])
@pytest.mark.parametrize("beam_size", [1, 3])
def test_attention_has_a_distribution_over_the_source_for_each_token_and_the_end(
    attention: Attention, beam_size: int
) -> None:
    translations = build(attention=attention, eos_bias=1.0).translate(
        sentences(12), decoding=Decoding(beam_size), n_best=beam_size, attention=True
    )
    for translation in translations:
        for candidate in translation.candidates:
            assert candidate.attention is not None
            assert len(candidate.attention) == len(candidate.tokens) + 1
            for weights in candidate.attention:
                assert len(weights) == len(translation.source_tokens) + 1
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
        ours, theirs = (each.candidates[0].attention for each in (alone, translation))
        assert ours is not None
        assert theirs is not None
        torch.testing.assert_close(torch.tensor(ours), torch.tensor(theirs))


def test_json_has_attention_only_where_it_was_asked_for() -> None:
    translator = build()
    with_weights, without = (
        translator.translate(["the cat"], n_best=2, attention=asked)[0] for asked in (True, False)
    )
    values = json.loads(json.dumps(without.to_json()))
    assert values["source"] == "the cat"
    assert values["source_tokens"] == ["the", "cat"]
    assert [each["text"] for each in values["translations"]] == [
        candidate.text for candidate in without.candidates
    ]
    for translation in values["translations"]:
        assert translation.keys() == {"text", "score", "tokens"}
    for translation in with_weights.to_json()["translations"]:
        assert translation.keys() == {"text", "score", "tokens", "attention"}


def test_loading_from_a_folder_without_a_bundle_names_it(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        Translator.load(tmp_path, device="cpu")
    assert str(caught.value).startswith(f"{tmp_path}: ")


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
