"""A configuration cannot exist invalid, and its errors name the field and the fix."""

import os
import random
import sys
from itertools import pairwise, product
from pathlib import Path

import pytest
from pydantic import ValidationError

from gru_mt.config.data import CorpusConfig, EvaluationSetConfig
from gru_mt.config.load import load_config, parse_config
from gru_mt.config.schema import Config
from gru_mt.config.yaml_text import dump_config
from gru_mt.errors import UserError

PHRASEBOOK = "data: {corpus: phrasebook}\n"


def parse(text: str, *overrides: str) -> Config:
    return parse_config(text, where="a.yaml", overrides=overrides)


def error_lines(text: str, *overrides: str) -> list[str]:
    with pytest.raises(UserError) as caught:
        parse(text, *overrides)
    return str(caught.value).splitlines()


def error_line(text: str, *overrides: str) -> str:
    (line,) = error_lines(text, *overrides)
    return line


# What is taken


def test_a_file_states_only_what_differs_from_the_defaults() -> None:
    config = parse(PHRASEBOOK + "training: {max_epochs: 3}\nmodel:\n  # cell: lstm\n")
    assert config.data.corpus == [CorpusConfig(path=["phrasebook"])]
    assert config.training.max_epochs == 3
    assert config.training.seed == Config(data=config.data).training.seed
    assert config.model == Config(data=config.data).model
    with pytest.raises(ValidationError, match="frozen"):
        config.training.seed = 2


@pytest.mark.parametrize(
    ("text", "number"),
    [("1e-4", 1e-4), ("1E-4", 1e-4), ("1.0e-4", 1e-4), ("+1e-04", 1e-4), ("2.5e1", 25), ("1e0", 1)],
)
def test_a_number_with_an_exponent_is_a_number(text: str, number: float) -> None:
    in_file = parse(PHRASEBOOK + f"training: {{learning_rate: {text}}}")
    on_command_line = parse(PHRASEBOOK, f"training.learning_rate={text}")
    assert in_file.training.learning_rate == on_command_line.training.learning_rate == number


NAMES = ["1e-4.txt", "e4", "2024-01-31", "2001-12-14 21:59:43", "=", "<<"]


@pytest.mark.parametrize("name", NAMES)
def test_what_yaml_may_call_a_number_a_date_or_a_merge_is_a_word(name: str) -> None:
    config = parse(f"data: {{corpus: {name}}}")
    assert config.data.corpus == [CorpusConfig(path=[name])]
    assert parse(dump_config(config)) == config


def test_several_corpora_and_own_sets_may_be_names_or_sections() -> None:
    data = parse(
        "data: {corpus: [fra-eng, {path: a.tsv, weight: 3, part: train}], dev: d.tsv,"
        " test: [{path: [t.en, t.fr, t2.fr], name: t}]}"
    ).data
    assert data.corpus == [
        CorpusConfig(path=["fra-eng"]),
        CorpusConfig(path=["a.tsv"], weight=3, part="train"),
    ]
    assert data.dev == [EvaluationSetConfig(path=["d.tsv"])]
    assert data.test == [EvaluationSetConfig(path=["t.en", "t.fr", "t2.fr"], name="t")]


def test_an_override_wins_over_the_file_and_the_last_one_wins() -> None:
    text = PHRASEBOOK + "training: {seed: 1, max_epochs: 2}\n"
    training = parse(text, "training.seed=5", "training.seed=6", "training.device=cpu").training
    assert (training.seed, training.max_epochs, training.device) == (6, 2, "cpu")
    assert parse(PHRASEBOOK, "data.corpus=a=b.txt").data.corpus == [CorpusConfig(path=["a=b.txt"])]
    files = parse(PHRASEBOOK, "data.corpus.path=[a, b]", "data.corpus.weight=2").data.corpus
    assert files == [CorpusConfig(path=["a", "b"], weight=2)]
    data = parse("data: {corpus: a.tsv, dev: d.tsv}", "data.corpus.limit=2", "data.dev.name=x").data
    assert data.corpus == [CorpusConfig(path=["a.tsv"], limit=2)]
    assert data.dev == [EvaluationSetConfig(path=["d.tsv"], name="x")]
    assert load_config({"data": {"corpus": Path("a.tsv")}}).data.corpus[0].path == ["a.tsv"]


@pytest.mark.parametrize(
    "text",
    [
        "data: {corpus: 'Données: été.txt', languages: ['no', 'fr'], source: 'no'}",
        "data: {corpus: {path: ['a', '#b']}, source: fr, target: en}",
        PHRASEBOOK + "training: {learning_rate: 1e-5, max_steps: 3, device: 'cuda:1'}",
        "data: {corpus: tRue, source: 'TRUE', target: fAlse, languages: ['TRUE', fAlse]}",
    ],
)
def test_the_written_config_has_every_value_and_reads_back_as_the_same(text: str) -> None:
    config = parse(text)
    written = dump_config(config)
    assert parse(written) == config
    for section, values in config.model_dump().items():
        assert all(f"  {name}:" in written for name in [*values]), section


# Mistakes


def test_all_mistakes_are_reported_at_once_each_on_its_own_line() -> None:
    text = """
        data: {corpus: phrasebook, max_wrods: 9}
        model: {dropout: 1.5}
        training: {seed: one, max_epochs: 0}
        decodng: {beam_size: 4}
    """
    assert sorted(error_lines(text)) == [
        "a.yaml: data.max_wrods is unknown; did you mean data.max_words?",
        "a.yaml: decodng is unknown; did you mean decoding?",
        "a.yaml: model.dropout must be less than 1, got 1.5",
        "a.yaml: training.max_epochs must be greater than 0, got 0",
        "a.yaml: training.seed must be a valid integer, got 'one'",
    ]
    lines = error_lines("".join(f"k{number}: 1\n" for number in range(1_299)))
    assert len(lines) == 21
    assert lines[0].startswith("a.yaml: data is missing")
    assert lines[1].startswith("a.yaml: k0 is unknown")
    assert lines[-1] == "a.yaml: and 1,280 more"


MISTAKES = [
    # Unknown keys
    ("training: {learning_rte: 1}",
     "training.learning_rte is unknown; did you mean training.learning_rate?"),
    ("trainig: {seed: 1}", "trainig is unknown; did you mean training?"),
    ("training: {beam_size: 3}", "training.beam_size is unknown; did you mean decoding.beam_size?"),
    ("seed: 3", "seed is unknown; did you mean training.seed?"),
    ("decoding: {xyzzy: 1}", "decoding.xyzzy is unknown; known here: decoding.beam_size, "),
    *((f"{key}: 3", f"{name} is unknown; known here: data, ") for key, name in {
        "null": "None", ".nan": "nan", "true": "1", "''": "''", '"a\\nb"': r"'a\nb'"}.items()),
    # Values of another type, or out of range
    ("tokenizer: {vocabulary_size: 15}", "tokenizer.vocabulary_size must be greater than or"),
    ("tokenizer: {kind: bep}", "tokenizer.kind must be 'unigram', 'bpe', 'char', 'word' or "),
    ("tokenizer: {joint: 1}", "tokenizer.joint must be a valid boolean, got 1"),
    ("model: {dropout: -0.1}", "model.dropout must be greater than or equal to 0, got -0.1"),
    ("model: {dropout: 1}", "model.dropout must be less than 1, got 1"),
    ("training: {learning_rate: .nan}", "training.learning_rate must be a finite number"),
    ("training: {max_epochs: true}", "training.max_epochs must be a valid integer, got True"),
    ("training: {adam_betas: [0.9]}", "training.adam_betas list should have at least 2 items"),
    ("training: {adam_betas: [0.9, 1]}", "training.adam_betas.1 must be less than 1, got 1"),
    ('training: {seed: "\\u202e"}', r"training.seed must be a valid integer, got '\u202e'"),
    ("training: 3", "training must be a section, with lines 'key: value' under it, got 3"),
    *((f"training: {{batch_tokens: {value}}}", "training.batch_tokens must be ")
      for value in ("x", "0")),
    ("decoding: {length_penalty: -1}", "decoding.length_penalty must be greater than or"),
    # Keys that exclude each other
    ("model: {context: repeat}",
     "model: context repeat is a model without attention, got attention dot; set"),
    ("model: {output: untied}",
     "model: output untied reads the decoder's state alone, got attention dot; set attenti"),
    ("model: {context: repeat, attention: none, decoder_size: 64}",
     "model: context repeat needs decoder_size 64 to be the encoder's 512 (encoder_size, tw"),
    ("model: {bidirectional: false}",
     "model: attention dot needs decoder_size 512 to be the encoder's 256 (encoder_size);"),
    ("tokenizer: {kind: char, sampling: 0.1}",
     "tokenizer: sampling 0.1 needs kind unigram or bpe, not char"),
    ("training: {learning_rate: 0.5, final_learning_rate: 1.0}",
     "training: final_learning_rate 1.0 must not pass learning_rate 0.5"),
]  # fmt: skip
NO_CORPUS = "is missing; name a corpus, such as data.corpus: fra-eng, phrasebook or a file"
MISTAKES_OF_DATA = [
    ("", f"data {NO_CORPUS}"),
    ("data:", f"data.corpus {NO_CORPUS}"),
    ("data: {max_words: 9}", f"data.corpus {NO_CORPUS}"),
    ("data: 3", "data must be a section"),
    ("data: {corpus: x, source: fr}",
     "data: source 'fr' and target 'fr' must be the two of languages ['en', 'fr']"),
    ("data: {corpus: x, languages: [en, en], target: en}",
     "data: languages ['en', 'en'] must be two different ones"),
    ("data: {corpus: x, languages: [en]}", "data.languages list should have at least 2 items"),
    ("data: {corpus: x, languages: [en, ../fr]}", "data.languages.1 string should match pattern"),
    # A corpus by what was written
    ("data: {corpus: {weight: 2}}", "data.corpus.path is missing"),
    ("data: {corpus: {path: a, wieght: 2}}",
     "data.corpus.wieght is unknown; did you mean data.corpus.weight?"),
    ("data: {corpus: {path: 1}}", "data.corpus.path must be a valid string, got 1"),
    ("data: {corpus: [a, {path: [b, 1]}]}", "data.corpus.1.path.1 must be a valid string, got 1"),
    ("data: {corpus: [a, {path: b, part: dev}]}",
     "data.corpus.1.part must be 'split' or 'train', got 'dev'"),
    ("data: {corpus: 3}", "data.corpus must be a section, with lines 'key: value' under it, got 3"),
    ("data: {corpus: ''}", "data.corpus string should have at least 1 character"),
    (r'data: {corpus: "a\0b"}', r"data.corpus: must have no control characters, got 'a\x00b'"),
    (r'data: {corpus: "a\nb"}', r"data.corpus: must have no control characters, got 'a\nb'"),
    (r'data: {corpus: {path: ["\e", b]}}', "data.corpus.path.0: must have no control characters"),
    (r'data: {corpus: "\ud800"}', "data.corpus must be a valid string, unable to parse"),
    ("data: {corpus: {path: x, name: a/b}}", "data.corpus.name string should match pattern"),
    # Text without translations
    ("data: {corpus: [p.tsv, {path: a.fr, side: target}]}",
     "data: a corpus with side: target needs back_translate, a run that"),
    ("data: {corpus: p.tsv, back_translate: runs/back}",
     "data: back_translate 'runs/back' has no corpus with side: target"),
    ("data: {corpus: {path: [a.en, a.fr], side: target}, back_translate: b}",
     "data.corpus: side target is text of one language: path must be one file"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [*((PHRASEBOOK + section, message) for section, message in MISTAKES), *MISTAKES_OF_DATA],
)
def test_a_mistake_is_named_with_what_may_be_instead(text: str, message: str) -> None:
    line = error_line(text)
    assert line.startswith(f"a.yaml: {message}")
    assert "batch_tokens" not in text or " or auto, got " in line


DEEP = "nested deeper than 20 levels"
UNUSED = "are not used in configurations; quote a text that begins with"
BILLION = "".join(f"{b}: &{b} [{f'*{a}, ' * 9}]\n" for a, b in pairwise("abcdefghi"))  # of laughs


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("data: {corpus: x}\ntraining: [1", "2: "),
        ("data:\n\tcorpus: x", "2: "),
        ("data: {corpus: x}\n\n\n- 1", "4: "),
        ("data: \x00", "1: "),
        ("? []\n: 1", "1: found unhashable key"),
        ("data:\n  corpus: x\n  corpus: y", "3: key 'corpus' stands twice"),
        ("[" * 3_000, f"1: {DEEP}"),
        ("{a: " * 21, f"1: {DEEP}"),
        ("- " * 21, f"1: {DEEP}"),
        ("".join(f"{' ' * depth}a:\n" for depth in range(2_000)), f"21: {DEEP}"),
        ("data: !!python/object:os.system x", f"1: tags {UNUSED} !"),
        ("a:\n  - !!timestamp x", f"2: tags {UNUSED} !"),
        (f"a: &a [x]\n{BILLION}", f"1: anchors {UNUSED} &"),
        ("data: {corpus: *.tsv}", f"1: aliases {UNUSED} *"),
        (f"%YAML 1.{'9' * 5_000}\n---\n", "1: directives are not used in configurations"),
        ('data:\n  corpus: "\\UFFFFFFFF"', "2: an escape names no character"),
        ('data:\n  corpus: "\\U00110000"', "2: an escape names no character"),
        ("a: 1\nb: 0x_\nc: 3", "2: '0x_' is no number that can be read"),
        ("a: 1\n---\nb: 2", "2: found another document"),
        ("\n\na: \x1b", "3: unacceptable character #x001b: special characters are not allowed"),
        *((f"{PHRASEBOOK}training:\n  seed: {number}", f"3: '{number[:30]}")
          for number in ("9" * 5_000, "0x" + "f" * 5_000)),
    ],
)  # fmt: skip
def test_what_is_no_yaml_or_no_configuration_needs_is_named_by_its_line(
    text: str, message: str
) -> None:
    line = error_line(text)
    assert line.startswith(f"a.yaml:{message.replace(': ', ': not YAML: ', 1)}")
    assert len(line) < 150


def test_numbers_are_decimal_and_no_times() -> None:
    config = parse_config(f"{PHRASEBOOK}training:\n  max_epochs: 010\n  seed: 0x10", where="a")
    assert (config.training.max_epochs, config.training.seed) == (10, 16)
    with pytest.raises(UserError, match=r"a: training.minutes .*got '1:30'"):
        parse_config(f"{PHRASEBOOK}training:\n  minutes: 1:30", where="a")


@pytest.mark.parametrize(
    "text",
    [
        "x" * 150_000,
        f"data: {{corpus: x, source: {'x' * 9_000}}}",
        f"{PHRASEBOOK}? {'x' * 150_000}\n: 3",
        f"{PHRASEBOOK}training: {{seed: {[list(range(50))] * 50}}}",
        f"{PHRASEBOOK}x: 1\n? {'x' * 2_000}\n: 1\n? {'x' * 2_000}\n: 1",
    ],
)
def test_a_message_quotes_little_of_what_is_long(text: str) -> None:
    assert len(error_line(text)) < 250


def test_a_mistake_in_an_override_is_named_and_it_is_as_bounded_as_a_file() -> None:
    for override in ("training.seed", "=3", "training..seed=3", ".seed=3"):
        line = error_line(PHRASEBOOK, override)
        assert line == f"--set {override}: expected section.key=value"
    assert error_line(PHRASEBOOK, "training.sed=3").endswith("did you mean training.seed?")
    line = error_line(PHRASEBOOK, "training.seed=x")
    assert line == "--set training.seed must be a valid integer, got 'x'"
    line = error_line(PHRASEBOOK + "training: 3", "training.seed=1")
    assert line == "--set training.seed=1: training is 3; set it as a whole"
    line = error_line(PHRASEBOOK, "training.adam_betas=[0.9, 1]")
    assert line == "--set training.adam_betas.1 must be less than 1, got 1"
    for value in ("[1", "[" * 3_000, "!!timestamp x", "&a 1", '"\\UFFFFFFFF"', "9" * 5_000):
        line = error_line(PHRASEBOOK, f"training.seed={value}")
        assert line.startswith("--set ")
        assert ": not YAML: " in line
        assert len(line) < 300
    assert error_line(PHRASEBOOK, "training.\x1b[31m").startswith(r"--set 'training.\x1b[31m': exp")
    assert error_line(PHRASEBOOK, "training." * 9_000 + "seed=1").startswith("a.yaml: training.tr")


@pytest.mark.parametrize("number", ["1e300", "1" + "0" * 40])
def test_every_number_has_an_upper_bound(number: str) -> None:
    for section, group in parse(PHRASEBOOK).model_dump().items():
        for name in group:
            assert section in error_line(PHRASEBOOK, f"{section}.{name}={number}"), name


def test_any_text_is_a_configuration_or_the_users_mistake() -> None:
    rng = random.Random(0)
    pieces = [
        *("data:", "corpus: x", "training:", "seed: 1", "- ", "? ", ": ", "[", "]", "{", "}", ", "),
        *("<<: ", "=", "|", ">", "'", '"', "\t", "\r", "\x85", "\0", "\ufeff", "\ud800", "%", "@"),
        *("!!set ", "!", "&a ", "*a", "---", "...", "#", r'"\e"', ".nan", "1e999", "0x_", "1:30"),
        *("\n", "\n  ", "\n    ") * 6,
    ]
    read = 0
    for _ in range(250):
        text = "".join(rng.choices(pieces, k=rng.randrange(1, 30)))
        section, piece = rng.choice(["data: {corpus: x", PHRASEBOOK]), rng.choice(pieces)
        for attempt, overrides in product((text, section + text), ([], [f"training.seed={piece}"])):
            try:
                config = parse(attempt, *overrides)
            except UserError as error:
                message = str(error)
            else:
                message, read = "", read + 1
                assert parse(dump_config(config)) == config
            assert all(line.isprintable() for line in message.split("\n"))
    assert read


# Files


def test_a_file_is_utf8_with_or_without_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "été.yaml"
    for encoding in ("utf-8", "utf-8-sig"):
        path.write_text("data: {corpus: forêt.txt}", encoding=encoding)
        config = load_config(path, ["training.seed=9"])
        assert (config.data.corpus[0].path, config.training.seed) == (["forêt.txt"], 9)
    path.write_text("data: {corpus: forêt.txt}", encoding="latin-1")
    with pytest.raises(UserError, match=r"été\.yaml: not UTF-8 at byte 18"):
        load_config(path)


@pytest.mark.parametrize("lines", [1, 20_000])
def test_a_corpus_in_place_of_a_configuration_brings_init(tmp_path: Path, lines: int) -> None:
    (tmp_path / "pairs.csv").write_text("hello;bonjour\n" * lines)
    for path in (tmp_path / "pairs.csv", tmp_path):
        with pytest.raises(UserError, match=r"; gru-mt init writes a configuration for a corpus$"):
            load_config(path)


def test_no_more_is_read_than_a_configuration_needs(tmp_path: Path) -> None:
    path = tmp_path / "long.yaml"
    path.write_text(PHRASEBOOK + "#" * (200_000 - len(PHRASEBOOK)))
    assert load_config(path).data.corpus[0].path == ["phrasebook"]
    with path.open("a") as file:
        file.write("#")
    cut = tmp_path / "cut.yaml"
    cut.write_text("é" * 100_001)  # the last byte that is read is half of a letter
    for too_long in filter(Path.exists, (path, cut, Path("/dev/zero"))):
        with pytest.raises(UserError, match=r": more than 200,000 bytes, too long for a conf"):
            load_config(too_long)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such pipes")
def test_a_pipe_can_hold_a_configuration() -> None:
    reader, writer = os.pipe()
    os.write(writer, PHRASEBOOK.encode())
    os.close(writer)
    assert load_config(Path(f"/dev/fd/{reader}")) == parse(PHRASEBOOK)
    os.close(reader)


def test_a_recipe_is_found_beside_a_folder_of_its_name_unless_that_is_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("quickstart").mkdir()
    assert load_config("quickstart").data.corpus
    Path("quickstart/config.yaml").touch()
    with pytest.raises(UserError, match="Is a directory; go on with --run quickstart"):
        load_config("quickstart")


ODD_NAMES = ["absent.yaml", "x" * 5_000, "x/" * 5_000, "a\nb", "\x1b[31m", "\udcff"]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_a_file_that_is_absent_or_whose_name_cannot_be_one_is_a_short_line(name: str) -> None:
    with pytest.raises(UserError, match=r"^.{1,90}: cannot be read: .{5,40}$") as caught:
        load_config(Path(name))
    assert str(caught.value).isprintable()
