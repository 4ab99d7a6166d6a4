"""Subwords and words behind one interface: exact text, fixed ids, true sizes, files that load."""

import io
import random
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import chain, zip_longest
from pathlib import Path
from typing import Any, Literal

import pytest
import sentencepiece

from gru_mt.config.schema import TokenizerConfig
from gru_mt.data.text import truecase
from gru_mt.data.text.normalize import clean
from gru_mt.data.text.truecase import Truecaser
from gru_mt.data.tokenizer import tokenizer as tokenizer_module
from gru_mt.data.tokenizer.sentencepiece import Subwords
from gru_mt.data.tokenizer.special import BOS, EOS, PAD, PLACEHOLDER_TOKENS, UNK
from gru_mt.data.tokenizer.tokenizer import Tokenizer, Vocabulary, train_tokenizer
from gru_mt.data.tokenizer.words import Words
from gru_mt.errors import UserError
from tests.page.strings import corpus_pairs

Kind = Literal["unigram", "bpe", "char", "word"]
SUBWORDS: tuple[Kind, ...] = ("unigram", "bpe", "char")
KINDS: tuple[Kind, ...] = (*SUBWORDS, "word")

NOUNS = [("cat", "chat"), ("dog", "chien"), ("horse", "cheval"), ("bird", "oiseau")]
VERBS = [("sees", "voit"), ("hears", "entend"), ("follows", "suit"), ("finds", "trouve")]
PAIRS = [
    (f"The {a} {verb} the {b}, doesn't it?", f"Le {c} {verbe} le {d}, n'est-ce pas ?")
    for a, c in NOUNS
    for verb, verbe in VERBS
    for b, d in NOUNS
]
SOURCES, TARGETS = ([*side] for side in zip(*PAIRS, strict=True))
STRANGE = [
    "Emoji 😀👩‍👩‍👧‍👦🇫🇷 and 中文字",
    "مرحبا بالعالم",
    "e\u0301 is not é, nor Ａ A, ﬁ fi or Ⅳ IV",
    "0123456789 3,14 ½ ٣",
    "▁",
    "▁▁ a▁b ▁ c▁",
    "\ue000 \ue0000 \ue0001 \ue000▁1",
    "<pad> <unk> <s> </s> <0x41> ⁇ ▅",
    "\u200b\u00ad\ufeff\ufffd\uffff\U0010ffff",
    "  several\u00a0spaces\u202f\tand\nlines \u2028 ",
    "z" * 10_000,
    "",
]


def refuse(warning: str) -> None:
    pytest.fail(f"unexpected warning: {warning}")


def ignore(warning: str) -> None:
    del warning


def train(
    kind: Kind,
    *,
    size: int = 1_000,
    joint: bool = True,
    warn: Callable[[str], None] = ignore,
    sources: list[str] = SOURCES,
    targets: list[str] = TARGETS,
) -> Tokenizer:
    tokenizer, warnings = trained(kind, size, joint, tuple(sources), tuple(targets))
    for warning in warnings:
        warn(warning)
    return tokenizer


@cache  # many tests read the same one
def trained(
    kind: Kind, size: int, joint: bool, sources: tuple[str, ...], targets: tuple[str, ...]
) -> tuple[Tokenizer, list[str]]:
    """Return a tokenizer and its warnings."""
    config = TokenizerConfig(kind=kind, vocabulary_size=size, joint=joint, min_frequency=1)
    pairs = [*zip_longest(sources, targets, fillvalue="")]  # an empty text adds nothing
    warnings: list[str] = []
    sides = [source for source, _ in pairs], [target for _, target in pairs]
    return train_tokenizer(config, *sides, warn=warnings.append), warnings


def save(tokenizer: Tokenizer, folder: Path) -> None:
    for name, data in tokenizer.files().items():
        (folder / name).write_bytes(data)


def round_trip(side: Vocabulary, texts: list[str]) -> list[str]:
    return [side.decode(ids) for ids in side.encode_all(texts)]


# Exact text


@pytest.mark.parametrize("count", [3_000, pytest.param(160_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", SUBWORDS)
def test_every_sentence_of_the_corpus_comes_back_exactly(
    kind: Kind, count: int, fra_eng_zip: Path
) -> None:
    sentences = [clean(text) for pair in corpus_pairs(fra_eng_zip, count) for text in pair]
    side = train(kind, size=2_000, sources=sentences[:2_000], targets=[]).target
    assert {*"".join(sentences)} - {*"".join(sentences[:2_000])}, (
        "characters never seen in training"
    )
    cleaned = [clean(text) for text in sentences]
    assert round_trip(side, cleaned) == cleaned


@pytest.mark.parametrize("kind", SUBWORDS)
def test_any_text_comes_back_cleaned(kind: Kind) -> None:
    assert round_trip(train(kind).target, STRANGE) == [clean(text) for text in STRANGE]


@pytest.mark.parametrize("kind", SUBWORDS)
def test_strange_text_in_training_changes_nothing(kind: Kind) -> None:
    side = train(kind, sources=[*SOURCES, *map(clean, STRANGE)]).source
    assert round_trip(side, STRANGE) == [clean(text) for text in STRANGE]


@pytest.mark.parametrize("kind", SUBWORDS)
def test_every_character_of_unicode_comes_back(kind: Kind) -> None:
    codes = [*range(0x20, 0x7F), *range(0xA0, 0xD800), *range(0xE000, 0x110000)]
    texts = ["".join(map(chr, codes[start : start + 256])) for start in range(0, len(codes), 256)]
    assert round_trip(train(kind).target, texts) == [clean(text) for text in texts]


def test_a_control_character_becomes_a_space() -> None:
    side = train("unigram").target
    assert side.decode(side.encode("a\x1b[2Jb\x00")) == "a [2Jb"


# Ids


@pytest.mark.parametrize("kind", KINDS)
def test_padding_unknown_begin_and_end_are_the_first_ids(kind: Kind) -> None:
    assert (PAD, UNK, BOS, EOS) == (0, 1, 2, 3)
    assert train(kind).source.pieces([PAD, UNK, BOS, EOS]) == ["<pad>", "<unk>", "<s>", "</s>"]


@pytest.mark.parametrize("kind", SUBWORDS)
def test_no_text_gives_a_special_id(kind: Kind) -> None:
    ids = train(kind).source.encode_all([*STRANGE, *SOURCES, "<pad><unk><s></s>"])
    assert min(index for row in ids for index in row) > EOS


@pytest.mark.parametrize("kind", KINDS)
def test_one_text_is_encoded_as_it_is_among_many(kind: Kind) -> None:
    side = train(kind).source
    assert [side.encode(text) for text in SOURCES] == side.encode_all(SOURCES)
    assert side.encode_all([]) == []
    assert side.encode("") == []


@pytest.mark.parametrize("kind", KINDS)
def test_pieces_of_a_text_spell_it(kind: Kind) -> None:
    side = train(kind).source
    spelled = "".join(side.pieces(side.encode("the cat sees")))
    assert spelled.replace("▁", "") == "thecatsees"


@pytest.mark.parametrize("kind", KINDS)
def test_any_ids_decode_to_one_clean_line(kind: Kind) -> None:
    side = train(kind).target
    rng = random.Random(1)
    for top in (16, 268, side.size):  # specials and control bytes; bytes that are no UTF-8; all
        for _ in range(1_000):
            ids = rng.choices(range(min(top, side.size)), k=rng.randrange(12))
            text = side.decode(ids)
            assert text == clean(text)
            assert not any(ord(character) < 32 for character in text)


def test_a_line_break_spelled_in_bytes_is_a_space() -> None:
    side = train("char").target
    for line_break in ("\n", "\r\n", "\x0b", "\x85", "\u2028"):
        spelled = [12 + byte for byte in f"a{line_break}b".encode()]
        assert side.decode([BOS, *spelled, EOS, PAD]) == "a b"


# Sizes


@pytest.mark.parametrize("kind", ["unigram", "bpe"])
def test_a_size_that_the_corpus_gives_is_kept_in_silence(kind: Kind) -> None:
    assert train(kind, size=300, warn=refuse).source.size == 300


@pytest.mark.parametrize("kind", KINDS)
def test_a_size_that_the_corpus_cannot_give_is_lowered_with_a_warning(kind: Kind) -> None:
    warnings: list[str] = []
    used = train(kind, size=9_000, warn=warnings.append).source.size
    assert used < 9_000
    assert warnings == [
        f"tokenizer.vocabulary_size 9000: the training side gives {used}, which is used"
    ]


def test_a_character_vocabulary_is_special_tokens_bytes_and_characters() -> None:
    assert train("char", sources=["abc ab"], targets=["cd"]).source.size == 4 + 8 + 256 + 5


@pytest.mark.parametrize("kind", KINDS)
def test_each_side_is_warned_of_by_its_name(kind: Kind) -> None:
    warnings: list[str] = []
    tokenizer = train(kind, size=9_000, joint=False, warn=warnings.append)
    assert warnings == [
        f"tokenizer.vocabulary_size 9000: the {name} side gives {side.size}, which is used"
        for name, side in (("source", tokenizer.source), ("target", tokenizer.target))
    ]


@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_one_pair_is_enough_to_train_on(kind: Kind, joint: bool) -> None:
    tokenizer = train(kind, joint=joint, sources=["Go."], targets=["Va !"])
    assert UNK not in tokenizer.source.encode("Go.")
    assert round_trip(tokenizer.target, ["Va !"]) == ["va !" if kind == "word" else "Va !"]


@pytest.mark.parametrize("kind", SUBWORDS)
def test_a_size_below_the_characters_and_bytes_is_the_users_mistake(kind: Kind) -> None:
    texts = ["ab", "ba c"]  # a, b, c and the space, beside 256 bytes and 12 special tokens
    with pytest.raises(UserError, match=r"^tokenizer\.vocabulary_size 271 .* 272 or more") as error:
        train(kind, size=271, sources=texts, targets=[])
    assert "\n" not in str(error.value)
    assert train(kind, size=272, sources=texts, targets=[]).source.size == 272


@pytest.mark.parametrize("kind", SUBWORDS)
def test_rare_characters_of_many_are_written_in_bytes_and_come_back(kind: Kind) -> None:
    # 5,000 characters, character n in n // 1000 + 1 places: from 4,000 on in five places.
    characters = [chr(0x4E00 + n) for n in range(5_000)]
    texts = ["".join(characters[n * 1_000 :]) for n in range(5)]
    warnings: list[str] = []
    side = train(kind, size=1_500, sources=texts, targets=[], warn=warnings.append).source
    assert side.size <= 1_500
    # Of the room of 1,232 beside 268 tokens a character has all, or half, and one is the space.
    kept = {"char": 1_231}.get(kind, 615)
    assert warnings[0] == (
        f"tokenizer.vocabulary_size 1500: {5_000 - kept:,} of 5,001 characters are rare and "
        "written in bytes; from 5269 on none is"
    )
    known = {piece for piece in side.pieces(range(268, side.size)) if piece in {*characters}}
    frequent = characters[4_000:] + (characters[3_000:3_231] if kind == "char" else [])
    assert known == {*frequent[:kept]}
    assert round_trip(side, [*texts, "x一y 龥z"]) == [*texts, "x一y 龥z"]
    assert not {UNK} & {*chain.from_iterable(side.encode_all(texts))}


@pytest.mark.parametrize("kind", SUBWORDS)
def test_a_small_size_has_no_characters_in_bytes(kind: Kind) -> None:
    texts = ["".join(chr(0x4E00 + n) for n in range(400))]
    with pytest.raises(UserError, match=r"vocabulary_size 523 is too small: set it to 524 or more"):
        train(kind, size=523, sources=texts, targets=[])
    assert train(kind, size=524, sources=texts, targets=[]).source.size <= 524


@pytest.mark.parametrize("kind", KINDS)
def test_a_placeholder_is_one_token_of_a_known_id_wherever_it_stands(kind: Kind) -> None:
    side = train(kind, sources=[*SOURCES, "\ue010\ue011 \ue010 x\ue010"]).source
    assert side.pieces(range(4, 12)) == [*PLACEHOLDER_TOKENS]
    text = "the\ue017 \ue010\ue011, \ue016"
    assert [index for index in side.encode(text) if 4 <= index < 12] == [11, 4, 5, 10]


def test_a_very_long_sentence_is_trained_on() -> None:
    side = train("char", sources=["a b", "ж" * 5_000], targets=[]).source
    assert side.pieces(side.encode("ж")) == ["▁", "ж"]


# Training


@pytest.mark.parametrize("kind", SUBWORDS)
@pytest.mark.parametrize("mark", ["\u2581", "\u2585"])  # its space; a mark whose lines it skips
def test_texts_that_sentencepiece_cannot_learn_from_are_the_users_mistake(
    kind: Kind, mark: str
) -> None:
    with pytest.raises(UserError, match=rf"^data\.corpus: .* kind {kind} from the training side"):
        train(kind, sources=[mark, f"{mark} {mark}"], targets=[mark])
    texts = [mark, "a"]  # one other text is enough
    side = train(kind, sources=texts, targets=texts).source
    assert round_trip(side, texts) == texts


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_texts_give_the_same_bytes(kind: Kind) -> None:
    again, _ = trained.__wrapped__(kind, 1_000, True, tuple(SOURCES), tuple(TARGETS))
    assert again.files() == train(kind).files()


def test_training_prints_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    trained.__wrapped__("unigram", 1_000, True, tuple(SOURCES), tuple(TARGETS))
    assert capfd.readouterr() == ("", "")


def letters(side: Vocabulary) -> set[str]:
    pieces = side.pieces(range(12, side.size))
    return {*"".join(piece for piece in pieces if not piece.startswith("<0x"))} - {"▁"}


@pytest.mark.parametrize("kind", KINDS)
def test_joint_sides_share_one_vocabulary_of_both_languages(kind: Kind) -> None:
    tokenizer = train(kind, sources=["abc abc"], targets=["xyz xyz"])
    assert tokenizer.joint
    assert tokenizer.source is tokenizer.target
    assert letters(tokenizer.source) == {*"abcxyz"}


@pytest.mark.parametrize("kind", KINDS)
def test_separate_sides_know_their_own_language_only(kind: Kind) -> None:
    tokenizer = train(kind, joint=False, sources=["abc abc"], targets=["xyz xyz"])
    assert not tokenizer.joint
    assert letters(tokenizer.source) == {*"abc"}
    assert letters(tokenizer.target) == {*"xyz"}


def test_joint_words_are_written_with_the_spaces_of_the_target_side() -> None:
    target = train("word").target
    assert round_trip(target, TARGETS) == [text.lower() for text in TARGETS]
    assert target.decode(target.encode("Chat?")) == "chat ?"


# Sampling


@pytest.fixture(scope="module", params=["unigram", "bpe"])
def sampler(request: pytest.FixtureRequest) -> Vocabulary:
    return train(request.param, size=400).source


def test_the_same_seed_draws_the_same_pieces(sampler: Vocabulary) -> None:
    first = sampler.encode_all(SOURCES, sampling=0.2, seed=1)
    assert sampler.encode_all(SOURCES, sampling=0.2, seed=1) == first
    assert sampler.encode_all(SOURCES, sampling=0.2, seed=2) != first
    assert sampler.encode_all(SOURCES) != first


def test_other_calls_between_do_not_change_what_a_seed_gives(sampler: Vocabulary) -> None:
    for seed in (0, 2**32 - 1, 2**70):
        first = sampler.encode_all(SOURCES, sampling=0.2, seed=seed)
        sampler.encode_all(SOURCES[:7], sampling=0.5, seed=7)
        sampler.encode_all(SOURCES)
        assert sampler.encode_all(SOURCES, sampling=0.2, seed=seed) == first


def test_calls_at_the_same_time_do_not_change_what_a_seed_gives(sampler: Vocabulary) -> None:
    def sample(seed: int) -> list[list[int]]:
        return sampler.encode_all(SOURCES, sampling=0.2, seed=seed)

    seeds = [*range(8)] * 8
    with ThreadPoolExecutor(8) as pool:
        assert [*pool.map(sample, seeds)] == [sample(seed) for seed in seeds]


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


def test_equal_texts_are_segmented_in_several_ways(sampler: Vocabulary) -> None:
    drawn = sampler.encode_all(SOURCES[:1] * 20, sampling=0.2, seed=1)
    assert len({tuple(ids) for ids in drawn}) > 1


def test_sampled_pieces_spell_the_same_text(sampler: Vocabulary) -> None:
    texts = [clean(text) for text in STRANGE] + SOURCES
    assert [sampler.decode(ids) for ids in sampler.encode_all(texts, sampling=0.3, seed=1)] == texts


# Files


@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_tokenizer_loads_as_it_was(kind: Kind, joint: bool, tmp_path: Path) -> None:
    saved = train(kind, joint=joint)
    save(saved, tmp_path)
    loaded = Tokenizer.load(tmp_path)
    assert loaded.joint == joint
    assert loaded.files() == saved.files()
    for before, after in ((saved.source, loaded.source), (saved.target, loaded.target)):
        ids = before.encode_all(TARGETS)
        assert after.encode_all(TARGETS) == ids
        assert after.size == before.size
        assert [after.decode(row) for row in ids] == [before.decode(row) for row in ids]


def test_the_files_are_named_after_the_sides() -> None:
    sides = ["tokenizer.source.model", "tokenizer.target.model"]
    learned = ["tokenizer.lexicon.txt", "tokenizer.memory.tsv"]
    assert [*train("bpe").files()] == ["tokenizer.model", *learned]
    assert [*train("bpe", joint=False).files()] == [*sides, *learned]
    assert {*Tokenizer.ALL_FILES} == {"tokenizer.model", *sides, *learned}


def test_a_subword_model_is_one_of_sentencepiece(tmp_path: Path) -> None:
    tokenizer = train("unigram")
    save(tokenizer, tmp_path)
    processor = sentencepiece.SentencePieceProcessor(model_file=str(tmp_path / "tokenizer.model"))
    assert processor.encode(SOURCES) == tokenizer.source.encode_all(SOURCES)


def sentencepiece_model(**options: Any) -> bytes:
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SOURCES),
        model_writer=model,
        vocab_size=30,
        minloglevel=2,
        **options,
    )
    return model.getvalue()


LETTER = b"\n\x01o\x15"  # how a model holds the piece "o": its length before, a tag behind
DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "text": lambda _: b"not a model\n",
    "zeros": lambda _: bytes(1_000),
    "half": lambda model: model[: len(model) // 2],
    "scrambled": lambda model: random.Random(1).randbytes(len(model)),
    "foreign": lambda _: sentencepiece_model(),
    "no byte 0x41": lambda model: model.replace(b"<0x41>", b"<0x4A>"),
    "a control character": lambda model: model.replace(LETTER, b"\n\x01\x1b\x15"),
    "a space": lambda model: model.replace(LETTER, b"\n\x01 \x15"),
    "a piece that is not UTF-8": lambda model: model.replace(LETTER, b"\n\x01\xff\x15"),
    "words with a control character": lambda _: b"<pad>\n<unk>\n<s>\n</s>\n\x1b[2J\n",
    "words, cut off": lambda _: b"<pad>\n<unk>\n<s>\n</s>\nwor",
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
@pytest.mark.parametrize("joint", [True, False])
def test_a_damaged_file_is_named(
    damage: Callable[[bytes], bytes], joint: bool, tmp_path: Path
) -> None:
    save(train("unigram", joint=joint), tmp_path)
    path = tmp_path / ("tokenizer.model" if joint else "tokenizer.target.model")
    damaged = damage(path.read_bytes())
    assert damaged != path.read_bytes()
    path.write_bytes(damaged)
    with pytest.raises(UserError) as error:
        Tokenizer.load(tmp_path)
    assert str(error.value).isprintable()
    assert str(error.value).startswith(f"{path}: not a tokenizer of gru-mt: ")
    assert "\n" not in str(error.value)


def test_a_huge_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(train("word"), tmp_path)
    size = max(path.stat().st_size for path in tmp_path.iterdir())
    monkeypatch.setattr(tokenizer_module, "MAX_BYTES", size)
    Tokenizer.load(tmp_path)
    monkeypatch.setattr(tokenizer_module, "MAX_BYTES", size - 1)
    with pytest.raises(UserError, match=rf"not a tokenizer of gru-mt: .* {size - 1:,} bytes"):
        Tokenizer.load(tmp_path)


def test_more_tokens_than_a_vocabulary_may_have_are_not_read() -> None:
    lines = b"a\n" * 1_000_001
    for parse in (Words.from_bytes, Truecaser.from_bytes):
        with pytest.raises(ValueError, match="more than 1,000,000 words"):
            parse(lines)
    with pytest.raises(ValueError, match="more than 1,000,000 pieces"):
        Subwords(b"\n\x00" * 4_000_001)


def test_a_huge_word_is_in_no_truecaser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(truecase, "LONGEST_WORD", 10)
    word, longest = "a" * 11, "a" * 10
    with pytest.raises(ValueError, match="11 letters, more than 10"):
        Truecaser.from_bytes(f"# gru-mt lexicon: names copied\n{word}\n".encode())
    learned = Truecaser.learn([f"{word} {longest}"], ["x"])
    assert longest in learned
    assert word not in Truecaser.from_bytes(learned.to_bytes())


def test_a_model_without_bytes_is_foreign() -> None:
    model = sentencepiece_model(pad_id=PAD, unk_id=UNK, bos_id=BOS, eos_id=EOS)
    with pytest.raises(ValueError, match="the 256 bytes"):
        Subwords(model)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"tokenizer\.model: cannot be read: No such file"):
        Tokenizer.load(tmp_path)
    (tmp_path / "tokenizer.model").mkdir()
    with pytest.raises(UserError, match=r"tokenizer\.model: cannot be read: Is a directory"):
        Tokenizer.load(tmp_path)
    save(train("char", joint=False), tmp_path)
    for name in ("tokenizer.memory.tsv", "tokenizer.lexicon.txt", "tokenizer.target.model"):
        (tmp_path / name).unlink()
        with pytest.raises(UserError, match=rf"{re.escape(name)}: cannot be read: No such file"):
            Tokenizer.load(tmp_path)


@pytest.mark.parametrize("damage", [b"", b"\xff\n", b"Tom\n", b"# gru-mt lexicon: names are"])
@pytest.mark.parametrize("name", ["tokenizer.lexicon.txt", "tokenizer.memory.tsv"])
def test_a_damaged_lexicon_or_memory_is_named(name: str, damage: bytes, tmp_path: Path) -> None:
    save(train("char"), tmp_path)
    path = tmp_path / name
    path.write_bytes(damage)
    with pytest.raises(UserError) as error:
        Tokenizer.load(tmp_path)
    assert str(error.value).startswith(f"{path}: not a tokenizer of gru-mt: ")


def test_bytes_never_spell_a_placeholder() -> None:
    vocabulary = Subwords.train(["abc"] * 20, kind="unigram", size=300, warn=refuse)
    placeholder = vocabulary.encode(PLACEHOLDER_TOKENS[0])[-1]
    zero = vocabulary.pieces(range(vocabulary.size)).index("<0x00>")
    spelled = [zero + byte for byte in PLACEHOLDER_TOKENS[0].encode()]
    text = vocabulary.decode([placeholder, *spelled])
    assert text.count(PLACEHOLDER_TOKENS[0]) == 1
