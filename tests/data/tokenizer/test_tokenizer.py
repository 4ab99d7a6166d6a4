"""Subwords and words behind one interface: fixed ids, true sizes, files that load."""

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
    side = train(kind, sources=[*SOURCES, "\ue010\ue011 \ue010 x\ue010"]).source
    assert (PAD, UNK, BOS, EOS) == (0, 1, 2, 3)
    assert side.pieces(range(12)) == ["<pad>", "<unk>", "<s>", "</s>", *PLACEHOLDER_TOKENS]
    assert "".join(side.pieces(side.encode("the cat sees"))).replace("▁", "") == "thecatsees"
    assert [side.encode(text) for text in SOURCES] == side.encode_all(SOURCES)
    assert (side.encode_all([]), side.encode("")) == ([], [])
    text = "the\ue017 \ue010\ue011, \ue016"  # a placeholder is one token wherever it stands
    assert [index for index in side.encode(text) if 4 <= index < 12] == [11, 4, 5, 10]
    if kind != "word":  # no text gives a special id
        ids = side.encode_all([*STRANGE, *SOURCES, "<pad><unk><s></s>"])
        assert min(index for row in ids for index in row) > EOS


@pytest.mark.parametrize("kind", KINDS)
def test_any_ids_decode_to_one_clean_line(kind: Kind) -> None:
    side = train(kind).target
    rng = random.Random(1)
    rows = [  # specials and control bytes; bytes that are no UTF-8; all
        rng.choices(range(min(top, side.size)), k=rng.randrange(12))
        for top in [16, 268, side.size] * 1_000
    ]
    if kind != "word":
        rows += [[12 + byte for byte in f"a{line_break}b".encode()] for line_break in "\n\x0b\x85"]
    for text in map(side.decode, rows):
        assert text == clean(text)
        assert not any(ord(character) < 32 for character in text)


# Training


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
    side = train("char", sources=["abc ab"], targets=["c" + "ж" * 5_000]).source  # a long sentence
    assert side.size == 4 + 8 + 256 + 5
    assert side.pieces(side.encode("ж")) == ["▁", "ж"]


@pytest.mark.parametrize("kind", SUBWORDS)
@pytest.mark.parametrize("mark", ["\u2581", "\u2585"])  # its space; a mark whose lines it skips
def test_texts_that_sentencepiece_cannot_learn_from_are_the_users_mistake(
    kind: Kind, mark: str
) -> None:
    with pytest.raises(UserError, match=rf"^data\.corpus: .* kind {kind} from the training side"):
        train(kind, sources=[mark, f"{mark} {mark}"], targets=[mark])
    texts = [mark, "a"]  # one other text is enough
    assert round_trip(train(kind, sources=texts, targets=texts).source, texts) == texts


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_texts_give_the_same_bytes_and_print_nothing(
    kind: Kind, capfd: pytest.CaptureFixture[str]
) -> None:
    again, _ = trained.__wrapped__(kind, 1_000, True, tuple(SOURCES), tuple(TARGETS))
    assert again.files() == train(kind).files()
    assert capfd.readouterr() == ("", "")


def letters(side: Vocabulary) -> set[str]:
    pieces = side.pieces(range(12, side.size))
    return {*"".join(piece for piece in pieces if not piece.startswith("<0x"))} - {"▁"}


@pytest.mark.parametrize("kind", KINDS)
def test_joint_sides_share_a_vocabulary_and_separate_ones_know_their_language(kind: Kind) -> None:
    joint = train(kind, sources=["abc abc"], targets=["xyz xyz"])  # one pair is enough
    assert joint.joint
    assert joint.source is joint.target
    assert letters(joint.source) == {*"abcxyz"}
    assert UNK not in joint.source.encode("abc xyz")
    separate = train(kind, joint=False, sources=["abc abc"], targets=["xyz xyz"])
    assert not separate.joint
    assert (letters(separate.source), letters(separate.target)) == ({*"abc"}, {*"xyz"})


# Files


@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_tokenizer_loads_as_it_was(kind: Kind, joint: bool, tmp_path: Path) -> None:
    saved = train(kind, joint=joint)
    save(saved, tmp_path)
    sides = ["tokenizer.model"] if joint else ["tokenizer.source.model", "tokenizer.target.model"]
    assert [*saved.files()] == [*sides, "tokenizer.lexicon.txt", "tokenizer.memory.tsv"]
    assert {*saved.files()} < {*Tokenizer.ALL_FILES}
    loaded = Tokenizer.load(tmp_path)
    assert loaded.joint == joint
    assert loaded.files() == saved.files()
    for before, after in ((saved.source, loaded.source), (saved.target, loaded.target)):
        assert after.encode_all(TARGETS) == before.encode_all(TARGETS)
        assert round_trip(after, TARGETS) == round_trip(before, TARGETS)


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "half": lambda model: model[: len(model) // 2],
    "scrambled": lambda model: random.Random(1).randbytes(len(model)),
    "foreign": lambda _: sentencepiece_model(),
    "without bytes": lambda _: sentencepiece_model(pad_id=PAD, unk_id=UNK, bos_id=BOS, eos_id=EOS),
    "a piece that is no text": lambda model: (
        model.replace(b"\n\x01o\x15", b"\n\x01\x1b\x15") + b"\xff"
    ),
    "words, cut off": lambda _: b"<pad>\n<unk>\n<s>\n</s>\nwor",
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
@pytest.mark.parametrize("name", Tokenizer.ALL_FILES)
def test_a_damaged_file_is_named(
    damage: Callable[[bytes], bytes], name: str, tmp_path: Path
) -> None:
    save(train("unigram", joint="source" not in name and "target" not in name), tmp_path)
    path = tmp_path / name
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(UserError, match=f"^{path}: not a tokenizer of gru-mt: ") as error:
        Tokenizer.load(tmp_path)
    assert str(error.value).isprintable()


def test_a_missing_or_huge_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tokenizer.model").mkdir()
    with pytest.raises(UserError, match=r"tokenizer\.model: cannot be read: Is a directory"):
        Tokenizer.load(tmp_path)
    save(train("char", joint=False), tmp_path)
    Tokenizer.load(tmp_path)
    size = max(path.stat().st_size for path in tmp_path.glob("*.model"))
    monkeypatch.setattr(tokenizer_module, "MAX_BYTES", size - 1)
    with pytest.raises(UserError, match=rf"\.model: more than {size - 1:,} bytes"):
        Tokenizer.load(tmp_path)
    monkeypatch.undo()
    for name in ("tokenizer.memory.tsv", "tokenizer.lexicon.txt", "tokenizer.target.model"):
        (tmp_path / name).unlink()
        with pytest.raises(UserError, match=rf"{re.escape(name)}: cannot be read: No such file"):
            Tokenizer.load(tmp_path)


def test_more_tokens_or_longer_words_than_there_may_be_are_not_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for parse in (Words.from_bytes, Truecaser.from_bytes):
        with pytest.raises(ValueError, match="more than 1,000,000 lines"):
            parse(b"a\n" * 1_000_001)
    with pytest.raises(ValueError, match="more than 1,000,000 pieces"):
        Subwords(b"\n\x00" * 4_000_001)
    monkeypatch.setattr(truecase, "LONGEST_WORD", 10)
    word, longest = "a" * 11, "a" * 10
    with pytest.raises(ValueError, match="11 letters, more than 10"):
        Truecaser.from_bytes(f"# gru-mt lexicon: names copied\n{word}\n".encode())
    learned = Truecaser.learn([f"{word} {longest}"], ["x"])
    assert [each in learned for each in (word, longest)] == [False, True]
