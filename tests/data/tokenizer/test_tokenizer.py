"""Subwords and words behind one interface: exact text, fixed ids, true sizes, files that load."""

import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from gru_mt.data.text import truecase
from gru_mt.data.text.normalize import clean
from gru_mt.data.text.truecase import Truecaser
from gru_mt.data.tokenizer import tokenizer as tokenizer_module
from gru_mt.data.tokenizer.sentencepiece import Subwords
from gru_mt.data.tokenizer.special import BOS, EOS, PAD, PLACEHOLDER_TOKENS, UNK
from gru_mt.data.tokenizer.tokenizer import Tokenizer, Vocabulary
from gru_mt.data.tokenizer.words import Words
from gru_mt.errors import UserError
from tests.data.tokenizer.trained import (
    KINDS,
    SOURCES,
    STRANGE,
    SUBWORDS,
    TARGETS,
    Kind,
    refuse,
    round_trip,
    save,
    sentencepiece_model,
    train,
    trained,
)

# Ids


@pytest.mark.parametrize("kind", KINDS)
def test_ids_are_those_of_special_tokens_and_of_pieces_that_spell_the_text(kind: Kind) -> None:
    side = train(kind).source
    assert (PAD, UNK, BOS, EOS) == (0, 1, 2, 3)
    assert side.pieces([PAD, UNK, BOS, EOS]) == ["<pad>", "<unk>", "<s>", "</s>"]
    assert "".join(side.pieces(side.encode("the cat sees"))).replace("▁", "") == "thecatsees"
    assert [side.encode(text) for text in SOURCES] == side.encode_all(SOURCES)
    assert (side.encode_all([]), side.encode("")) == ([], [])
    if kind != "word":  # no text gives a special id
        ids = side.encode_all([*STRANGE, *SOURCES, "<pad><unk><s></s>"])
        assert min(index for row in ids for index in row) > EOS


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


@pytest.mark.parametrize("kind", KINDS)
def test_a_size_that_the_corpus_cannot_give_is_lowered_with_a_warning(kind: Kind) -> None:
    warnings: list[str] = []
    used = train(kind, size=9_000, warn=warnings.append).source.size
    separate = train(kind, size=9_000, joint=False, warn=warnings.append)
    sizes = {"training": used, "source": separate.source.size, "target": separate.target.size}
    assert warnings == [
        f"tokenizer.vocabulary_size 9000: the {name} side gives {size}, which is used"
        for name, size in sizes.items()
    ]
    assert max(sizes.values()) < 9_000
    if kind in ("unigram", "bpe"):
        assert train(kind, size=300, warn=refuse).source.size == 300


def test_a_character_vocabulary_is_special_tokens_bytes_and_characters() -> None:
    assert train("char", sources=["abc ab"], targets=["cd"]).source.size == 4 + 8 + 256 + 5


@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_one_pair_is_enough_to_train_on(kind: Kind, joint: bool) -> None:
    tokenizer = train(kind, joint=joint, sources=["Go."], targets=["Va !"])
    assert UNK not in tokenizer.source.encode("Go.")
    assert round_trip(tokenizer.target, ["Va !"]) == ["va !" if kind == "word" else "Va !"]


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
def test_joint_sides_share_a_vocabulary_and_separate_ones_know_their_language(kind: Kind) -> None:
    joint = train(kind, sources=["abc abc"], targets=["xyz xyz"])
    assert joint.joint
    assert joint.source is joint.target
    assert letters(joint.source) == {*"abcxyz"}
    separate = train(kind, joint=False, sources=["abc abc"], targets=["xyz xyz"])
    assert not separate.joint
    assert (letters(separate.source), letters(separate.target)) == ({*"abc"}, {*"xyz"})


def test_joint_words_are_written_with_the_spaces_of_the_target_side() -> None:
    target = train("word").target
    assert round_trip(target, TARGETS) == [text.lower() for text in TARGETS]
    assert target.decode(target.encode("Chat?")) == "chat ?"


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
