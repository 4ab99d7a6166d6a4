"""Subwords: exact text, true sizes, sampling by a seed."""

from concurrent.futures import ThreadPoolExecutor
from itertools import chain, permutations

import pytest
import sentencepiece

from gru_mt.data.text.normalize import clean
from gru_mt.data.tokenizer.sentencepiece import Subwords
from gru_mt.data.tokenizer.special import PLACEHOLDER_TOKENS, UNK
from gru_mt.data.tokenizer.tokenizer import Vocabulary
from gru_mt.errors import UserError
from tests.data.tokenizer.trained import (
    SOURCES,
    STRANGE,
    SUBWORDS,
    Kind,
    refuse,
    round_trip,
    sentencepiece_model,
    train,
)

CLEAN = [clean(text) for text in STRANGE]

# Exact text


@pytest.mark.parametrize(
    ("kind", "step"),
    [
        *((kind, 256 * 31) for kind in SUBWORDS),
        pytest.param("unigram", 256, marks=pytest.mark.slow),
    ],
)
def test_any_text_comes_back_cleaned(kind: Kind, step: int) -> None:
    assert round_trip(train(kind).target, STRANGE) == CLEAN
    strange = train(kind, sources=[*SOURCES, *(text[:99] for text in CLEAN)]).source
    assert round_trip(strange, STRANGE) == CLEAN
    # Of Unicode each 31st row of 256 characters, or every character.
    codes = [*range(0x20, 0x7F), *range(0xA0, 0xD800), *range(0xE000, 0x110000)]
    starts = range(0, len(codes), step)
    texts = ["".join(map(chr, codes[start : start + 256])) for start in starts]
    assert round_trip(train(kind).target, texts) == [clean(text) for text in texts]
    processor = sentencepiece.SentencePieceProcessor(model_proto=strange.to_bytes())
    assert processor.encode(SOURCES) == strange.encode_all(SOURCES)


def test_bytes_never_spell_a_placeholder_nor_a_control_character() -> None:
    side = train("unigram").target
    assert side.decode(side.encode("a\x1b[2Jb\x00")) == "a [2Jb"
    zero = side.pieces(range(side.size)).index("<0x00>")
    spelled = [zero + byte for byte in PLACEHOLDER_TOKENS[0].encode()]
    text = side.decode([side.encode(PLACEHOLDER_TOKENS[0])[-1], *spelled])
    assert text.count(PLACEHOLDER_TOKENS[0]) == 1


def test_words_and_their_counts_give_the_pieces_of_their_texts() -> None:
    ours = Subwords.train(SOURCES, kind="bpe", size=330, warn=refuse)
    model = sentencepiece_model(
        model_type="bpe",
        vocab_size=330,
        byte_fallback=True,
        normalization_rule_name="identity",
        user_defined_symbols=[*PLACEHOLDER_TOKENS, "<pad>"],
    )
    texts = sentencepiece.SentencePieceProcessor(model_proto=model)
    pieces = {texts.id_to_piece(id_) for id_ in range(texts.get_piece_size())}
    assert pieces == {*ours.pieces(range(ours.size))}


def test_a_frequent_word_is_a_piece_though_a_space_always_follows_it() -> None:
    words = ["abcdefgh", "ijklmnop", "qrstuvwx", "yzabcxyz"]
    texts = [f"{' '.join(order)} ." for order in permutations(words)]  # as tokenizers leave them
    side = Subwords.train(texts, kind="unigram", size=400, warn=refuse)
    assert {*side.pieces(range(side.size))} > {f"▁{word}" for word in words}


# Sizes


@pytest.mark.parametrize("kind", SUBWORDS)
def test_a_size_below_the_characters_and_bytes_is_the_users_mistake(kind: Kind) -> None:
    texts = ["ab", "ba c"]  # a, b, c and the space, beside 256 bytes and 12 special tokens
    with pytest.raises(UserError, match=r"^tokenizer\.vocabulary_size 271 .* 272 or more") as error:
        train(kind, size=271, sources=texts, targets=[])
    assert "\n" not in str(error.value)
    assert train(kind, size=272, sources=texts, targets=[]).source.size == 272
    many = ["".join(chr(0x4E00 + n) for n in range(400))]  # room for 256 pieces is the least
    with pytest.raises(UserError, match=r"vocabulary_size 523 is too small: set it to 524 or more"):
        train(kind, size=523, sources=many, targets=[])


@pytest.mark.parametrize("kind", SUBWORDS)
def test_rare_characters_of_many_are_written_in_bytes_and_come_back(kind: Kind) -> None:
    # 1,200 characters, character n in n // 240 + 1 places: from 960 on in five places.
    characters = [chr(0x4E00 + n) for n in range(1_200)]
    texts = ["".join(characters[n * 240 :]) for n in range(5)]
    warnings: list[str] = []
    side = train(kind, size=600, sources=texts, targets=[], warn=warnings.append).source
    assert side.size <= 600
    # Of the room of 332 beside 268 tokens a character has all, or half, and one is the space.
    kept = {"char": 331}.get(kind, 165)
    assert warnings[0] == (
        f"tokenizer.vocabulary_size 600: {1_200 - kept:,} of 1,201 characters are rare and "
        "written in bytes; from 1469 on none is"
    )
    known = {piece for piece in side.pieces(range(268, side.size)) if piece in {*characters}}
    frequent = characters[960:] + characters[720:811]
    assert known == {*frequent[:kept]}
    assert round_trip(side, [*texts, "x一y 龥z"]) == [*texts, "x一y 龥z"]
    assert not {UNK} & {*chain.from_iterable(side.encode_all(texts))}
    counted = [*texts, "7", *[characters[-1]] * 14]  # 7 is rare, and 14 words are 7 in a row of two
    assert round_trip(train(kind, size=600, sources=counted, targets=[]).source, ["7"]) == ["7"]


# Sampling


@pytest.fixture(scope="module", params=["unigram", "bpe"])
def sampler(request: pytest.FixtureRequest) -> Vocabulary:
    return train(request.param, size=400).source


def test_a_seed_draws_the_same_pieces_whatever_else_is_drawn(sampler: Vocabulary) -> None:
    def sample(seed: int) -> list[list[int]]:
        return sampler.encode_all(SOURCES, sampling=0.2, seed=seed)

    seeds = [0, 1, 2, 2**32 - 1, 2**70] * 4
    first = {seed: sample(seed) for seed in seeds}
    sampler.encode_all(SOURCES, sampling=0.5, seed=7)
    with ThreadPoolExecutor(8) as pool:
        assert [*pool.map(sample, seeds)] == [first[seed] for seed in seeds]
    assert first[1] != first[2]
    assert sampler.encode_all(SOURCES) not in first.values()
    drawn = sampler.encode_all(SOURCES[:1] * 20, sampling=0.2, seed=1)
    assert len({tuple(ids) for ids in drawn}) > 1, "equal texts are segmented in several ways"
    spelled = sampler.encode_all(CLEAN, sampling=0.3, seed=1)
    assert [sampler.decode(ids) for ids in spelled] == CLEAN


@pytest.mark.parametrize(("kind", "finer", "coarser"), [("unigram", 0.1, 0.9), ("bpe", 0.9, 0.1)])
def test_sampling_is_the_unigram_exponent_and_the_bpe_dropout(
    kind: Kind, finer: float, coarser: float
) -> None:
    side = train(kind, size=400).source
    fine, coarse = (
        sum(map(len, side.encode_all(SOURCES, sampling=sampling, seed=1)))
        for sampling in (finer, coarser)
    )
    assert fine > coarse
