"""Attacks on what gru-mt reads: configurations, corpora, sentences, made at random."""

import gzip
import io
import json
import os
import random
import signal
import traceback
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from torturing import (
    HIDDEN,
    Campaign,
    Ended,
    Failed,
    Place,
    gru_mt,
    judge,
    judge_message,
    last_words,
    limit_memory,
)

from gru_mt.config import Config, DataConfig, ParallelFiles, TokenizerConfig
from gru_mt.config_file import dump_config, load_config
from gru_mt.data.corpus import load_corpus
from gru_mt.data.split import split_corpus
from gru_mt.data.tokenizer import train_tokenizer
from gru_mt.errors import UserError, quoted

CONFIG_S, CORPUS_S = 5, 20  # what reading one may take
CONFIGS = Path(__file__).parents[1] / "configs"
EXTREMES = ["0", "1", "2", "-1", "1e-300", "1e300", "0.999999", str(2**31), str(2**63), str(10**30)]
ODD = [
    "", "~", "true", "no", "[]", "{}", "[[]]", "{a: 1}", "-1", "0", "1e999", ".inf", ".nan",
    "1" * 5000, "0x_", "0b", "1:2:3", "2001-99-99", "2001-12-14t21:59:43.10-99:99",
    "!!map [a]", "!!timestamp x", "!!python/object:os.system x", "!!binary =", "!!set [a]",
    "!!omap [a]", "!!pairs x", "!!float x", "!!int x", "!!bool x", "!!null x", "!!str [a]",
    "!!seq {a: 1}", "!!merge x", "!!value x", "!x y", "!<tag:a> b", "&a [*a]", "*a", "&a b",
    "'\x1b[2J'", '"\\x1b[2J"', '"\\ud800"', "\u202e", "\u2028", "\x85", "\ufeff", "\x00", "\x7f",
    "|", ">", "%", "@", "`", "? a", "- a", "=", "# a", "---", "...", "---\n---", "a: b: c",
    "<<: {a: 1}", "<<: [a]", "<<: x", "{[a]: b}", "{{}: 1}", "? [a]\n: b", "é" * 100,
    "x" * 20_000, "[" * 2000, "{a: " * 500, "- " * 500,
]  # fmt: skip
SIGNS = [
    *"\t\n\r :,-#&*!|>%@`'\"[]{}?=~.0aZé中", "\x00", "\x1b", "\x7f", "\x85", "\xa0", "\u2028",
    "\u202e", "\ufeff", "\U0001f600", "\u0301", "\x0b", "\x0c", "\x1c", "\u061c", "\u2066",
]  # fmt: skip


class Overtime(BaseException):
    """It takes too long; nothing that is attacked catches this."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise Failed where what is entered takes longer."""

    def end(number: int, frame: FrameType | None) -> None:
        raise Overtime

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except Overtime:
        raise Failed(f"takes more than {seconds} s") from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def user_errors(seconds: float) -> Iterator[None]:
    """Judge what is entered: it returns in time, or raises UserError with fitting words."""
    limit_memory()
    try:
        with at_most(seconds):
            yield
    except UserError as error:
        judge_message(str(error))
    except (Failed, KeyboardInterrupt):
        raise
    except Exception as error:
        raise Failed(last_words("".join(traceback.format_exception(error)))) from None


# Configurations


def configs(place: Place) -> Campaign:
    """Return the campaign of configurations: read, and a fiftieth of them trained with."""
    seeds = [path.read_text(encoding="utf-8") for path in sorted(CONFIGS.glob("*.yaml"))]
    seeds += [dump_config(load_config(CONFIGS / "r1.yaml")), "", "data: {corpus: a.tsv}\n"]
    fields = [
        f"{section}.{name}"
        for section, field in Config.model_fields.items()
        for name in field.annotation.model_fields  # type: ignore[union-attr]
        if section != "data"
    ]
    base = place.config

    def trial(index: int, rng: random.Random, folder: Path) -> None:
        if index % 50 == 49:
            _train(place, base, fields, rng, folder)
            return
        text, overrides = mutated(rng, rng.choice(seeds)), []
        while rng.random() < 0.3:
            name = rng.choice([*fields, "data", "training", "a.b", "", ".", "data.corpus.source"])
            overrides.append(altered(rng, f"{name}={rng.choice(ODD)}"))
        path = folder / "a.yaml"
        path.write_bytes(encoded(rng, text))
        with user_errors(CONFIG_S):
            config = load_config(path, overrides)
            if not isinstance(config, Config):
                raise Failed(f"{config!r} instead of a configuration")

    return Campaign(max(1, round(2500 * place.times)), trial)


def _train(place: Place, base: str, fields: list[str], rng: random.Random, folder: Path) -> None:
    """Train a little with odd values, and translate."""
    values = [f"{rng.choice(fields)}={rng.choice(EXTREMES)}" for _ in range(rng.randint(1, 3))]
    options = [f"--set={value}" for value in values if "max_steps" not in value]
    try:
        judge(gru_mt(*place.train("--set=training.max_steps=3", *options), folder=folder))
        judge(gru_mt("translate", "--model", "run", "I see cats.", folder=folder))
    except Failed as failure:
        raise Failed(f"{' '.join(options)}: {failure}") from None


def altered(rng: random.Random, text: str) -> str:
    """Return `text` with a character or a stretch removed, repeated, replaced or put in."""
    at = rng.randrange(len(text) + 1)
    end = min(len(text), at + rng.choice([0, 1, 1, rng.randrange(40)]))
    new = rng.choice(["", text[at:end] * 2, rng.choice(SIGNS), rng.choice(ODD)])
    return text[:at] + new + text[end:]


def mutated(rng: random.Random, text: str) -> str:
    """Return a configuration with a few changes."""
    if rng.random() < 0.03:
        return _bomb(rng)
    for _ in range(rng.randint(1, 4)):
        lines = text.split("\n")
        at = rng.randrange(len(lines))
        key, colon, _ = lines[at].partition(":")
        match rng.randrange(6):
            case 0 if colon:
                lines[at] = f"{key}: {rng.choice(ODD)}"
            case 1 if colon:
                lines[at] = lines[at].replace(key.strip() or key, altered(rng, key.strip()), 1)
            case 2:
                lines.insert(at, rng.choice([rng.choice(ODD), lines[at], f"  {lines[at]}"]))
            case 3:
                del lines[at]
            case _:
                lines = altered(rng, text).split("\n")
        text = "\n".join(lines)
    return text


def _bomb(rng: random.Random) -> str:
    """Return a short text that says much: aliases of aliases, or deep nesting."""
    depth = rng.randint(1, 10)
    match rng.randrange(4):
        case 0:
            lines = [f"a0: &a0 [{', '.join(['x'] * 10)}]"]
            lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, depth)]
            return "\n".join([*lines, f"data: *a{depth - 1}"])
        case 1:
            lines = ["m0: &m0 {a: 1}"]
            lines += [
                f"m{n}: &m{n} {{<<: [{', '.join([f'*m{n - 1}'] * 9)}]}}" for n in range(1, depth)
            ]
            return "\n".join(lines)
        case 2:
            return rng.choice(["[", "{a: ", "- ", "? ", "!!seq [", "&a ["]) * 10 ** rng.randint(
                1, 5
            )
    return "\n".join(" " * n + "a:" for n in range(10 ** rng.randint(1, 3)))


def encoded(rng: random.Random, text: str) -> bytes:
    """Return `text` as bytes, seldom not as UTF-8."""
    data = text.encode("utf-8", "replace")
    if rng.random() < 0.9:
        return data
    at = rng.randrange(len(data) + 1)
    return rng.choice(
        [
            text.encode("utf-16"),
            b"\xef\xbb\xbf" + data,
            data[:at] + rng.randbytes(3) + data[at:],
            data[:at] + b"\x00" + data[at:],
            data[:at],
            rng.randbytes(at % 100),
        ]
    )


# Corpora


def corpora(place: Place) -> Campaign:
    """Return the campaign of corpora: read, split, a tokenizer trained on them."""
    config = Path(place.config).read_text()

    def trial(index: int, rng: random.Random, folder: Path) -> None:
        if index % 20 == 19:
            _odd_file(config, rng, folder)
            return
        os.chdir(folder)
        table = rng.random() < 0.7
        corpus: str | ParallelFiles
        if table:
            corpus = written(rng, lines_of_pairs(rng), folder)
        else:
            source, target = (written(rng, lines_of_text(rng), folder) for _ in range(2))
            if rng.random() < 0.5:
                target = source
            corpus = ParallelFiles(source=source, target=target)
        words = rng.choice([1, 5, 200, 10**9])
        data = DataConfig(corpus=corpus, max_words=words, max_ratio=rng.choice([1.01, 9.0, 1e300]))
        with user_errors(CORPUS_S):
            _read(data, rng)

    return Campaign(max(1, round(600 * place.times)), trial)


def _read(data: DataConfig, rng: random.Random) -> None:
    corpus = load_corpus(data)
    report = corpus.report
    if report.read != report.kept + sum(dropped.count for dropped in report.dropped.values()):
        raise Failed(f"{report.read} lines read are not all kept or dropped")
    if report.kept != len(corpus.pairs):
        raise Failed(f"{report.kept} pairs kept, but there are {len(corpus.pairs)}")
    split = split_corpus(corpus, data)
    parts = [*split.train, *split.dev, *split.test]
    if sorted(pair.line for pair in parts) != sorted(pair.line for pair in corpus.pairs):
        raise Failed("the parts are not the corpus")
    for pair in parts:
        if any(sign in side for side in pair[:2] for sign in "\n\r\t\x00\x1b"):
            raise Failed(f"a pair holds control characters: {quoted(pair)}")
    if not split.train:
        return
    sources, targets = [[pair[side] for pair in split.train] for side in (0, 1)]
    config = TokenizerConfig(
        kind=rng.choice(["unigram", "bpe", "char", "word"]),
        vocabulary_size=rng.choice([8, 20, 300, 4000]),
        joint=rng.random() < 0.5,
    )
    tokenizer = train_tokenizer(config, sources, targets, warn=judge_message)
    ids = tokenizer.source.encode_all(sources)
    if max(map(max, filter(None, ids)), default=0) >= tokenizer.source.size:
        raise Failed("an id past the vocabulary")


def lines_of_text(rng: random.Random) -> bytes:
    """Return lines of words, of odd signs and of bytes that are not UTF-8."""
    words = [rng.choice([*SIGNS, "cat", "house", "日本語", "مرحبا", "a" * 300]) for _ in range(6)]
    words += ["the", "dog", "sees", "word" * rng.choice([1, 1, 1000])]
    lines = []
    for _ in range(rng.choice([0, 1, 5, 100, 1000])):
        text = " ".join(rng.choices(words, k=rng.randint(0, 12))).replace("\n", "")
        line = text.encode("utf-8", "replace")
        if rng.random() < 0.02:
            line += rng.randbytes(5)
        lines.append(line)
    if rng.random() < 0.02:
        lines.append(b"x" * 300_000)
    if rng.random() < 0.02:
        lines.append(b"x " * 100_000)
    end = rng.choice([b"\n", b"\n", b"\n", b"\r\n", b"\r"])
    return rng.choice([b"", b"", b"\xef\xbb\xbf"]) + end.join(lines) + rng.choice([b"", end])


def lines_of_pairs(rng: random.Random) -> bytes:
    """Return lines with mostly one tab."""
    lines = lines_of_text(rng).split(b"\n")
    tabs = rng.choices([0, 1, 2, 3], [0.05, 0.8, 0.1, 0.05], k=len(lines))
    return b"\n".join(
        b"\t".join([line.replace(b"\t", b""), *(rng.choice(lines) for _ in range(number))])
        for line, number in zip(lines, tabs, strict=True)
    )


def written(rng: random.Random, content: bytes, folder: Path) -> str:
    """Write a corpus, packed or not, perhaps damaged, under some name; return the name."""
    stem = rng.choice(
        ["a", "a b", "é中", "-a", "a'\"$", "\x1b[2J", "a\nb", ".a", "x" * 200, "\u202e"]
    )
    match rng.randrange(6):
        case 0:
            ending, content = ".gz", gzip.compress(content)
        case 1:
            ending, content = ".zip", _zipped(rng, content)
        case _:
            ending = rng.choice([".tsv", ".txt", "", ".TSV"])
    if ending in (".gz", ".zip") and rng.random() < 0.5:
        at = rng.randrange(len(content) + 1)
        content = content[:at] + rng.choice([b"", rng.randbytes(1) + content[at + 1 :]])
    name = f"{stem}-{rng.randrange(100)}{ending}"
    (folder / name).write_bytes(content)
    return name


def _zipped(rng: random.Random, content: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(
        file, "w", rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
    ) as zipped:
        for name in rng.sample(
            ["a.txt", "_about.txt", ".b.txt", "c\x1b.tsv", "d.csv"], k=rng.randint(0, 3)
        ):
            zipped.writestr(name, content)
    return file.getvalue()


def _odd_file(config: str, rng: random.Random, folder: Path) -> None:
    """Give `gru-mt data` a corpus that is no file of text."""
    os.mkfifo(folder / "fifo")
    (folder / "folder").mkdir()
    (folder / "loop").symlink_to("loop")
    names = ["/dev/zero", "fifo", "folder", "loop", "/proc/self/mem", "a" * 5000, "/dev/null"]
    name = rng.choice([*names, "folder/a/b", "\x00", "a\x1bb", "fra-eng/", "~nobody-here/a", "a%"])
    path = folder / "odd.yaml"
    path.write_text(config.replace(config.split("corpus: ")[1].split("}")[0], json.dumps(name)))
    try:
        ended = gru_mt("data", "--config", "odd.yaml", "--out", "out", folder=folder, limit_s=20)
        judge(ended, code=2)
    except Failed as failure:
        raise Failed(f"corpus {quoted(name)}: {failure}") from None


# Sentences


def inputs(place: Place) -> Campaign:
    """Return the campaign of sentences to translate: as many lines out as in."""
    run = place.run

    def trial(index: int, rng: random.Random, folder: Path) -> None:
        data = b"" if rng.random() < 0.05 else lines_of_text(rng)[:20_000]
        options = search_options(rng)
        stdin, arguments = b"", []
        match rng.randrange(3):
            case 0:
                stdin = data
            case 1:
                (folder / "in").write_bytes(data)
                arguments = ["--input", "in"]
            case 2:
                parts = data.replace(b"\x00", b"").split(b"\n")[:20]
                data = b"\n".join(parts) + b"\n"
                arguments = ["--", *map(os.fsdecode, parts)]
        command = ("translate", "--model", str(run), *options, *arguments)
        try:
            _judge_lines(gru_mt(*command, folder=folder, stdin=stdin), data, options)
        except Failed as failure:
            raise Failed(f"{' '.join(options)} {quoted(arguments[:1])}: {failure}") from None

    return Campaign(max(1, round(320 * place.times)), trial)


def search_options(rng: random.Random) -> list[str]:
    """Return options of a search, most of them such as they should be."""
    options = {
        "--n-best": rng.choice(["1", "2", "3", "0", "-1", "9999999999", "x"]),
        "--beam": rng.choice(["1", "3", "7", "0", "-1", "100", "9999999999", "1e3"]),
        "--length-penalty": rng.choice(["0", "1", "2.5", "-1", "nan", "inf", "5000", "1e-300"]),
        "--batch-size": rng.choice(["1", "7", "0", "-1", "99999999999999999999"]),
    }
    chosen = [f"{name}={value}" for name, value in options.items() if rng.random() < 0.25]
    flags = rng.choice([[], ["--json"], ["--json", "--attention"], ["--attention"]])
    return [*chosen, *flags]


def _judge_lines(ended: Ended, data: bytes, options: list[str]) -> None:
    """Raise Failed unless `ended` refused, or printed what it should for each line of `data`."""
    if judge(ended).code:
        return
    data = data.removeprefix(b"\xef\xbb\xbf")
    count = data.count(b"\n") + (data[-1:] not in (b"", b"\n"))
    best = next((int(option[9:]) for option in options if option.startswith("--n-best=")), 1)
    if "--json" not in options:
        if (found := ended.out.count(b"\n")) != best * count:
            raise Failed(f"{count} lines in, {found} out")
        return
    lines = ended.out.decode().split("\n")[:-1]
    if len(lines) != count:
        raise Failed(f"{count} lines in, {len(lines)} out")
    for line in lines:
        if hidden := HIDDEN.search(line):
            raise Failed(f"{hidden[0]!r} in the JSON")
        try:
            value = json.loads(line)
        except ValueError as error:
            raise Failed(f"not JSON: {error}: {quoted(line)}") from None
        if not 1 <= len(value["translations"]) <= best:
            raise Failed(f"{len(value['translations'])} translations instead of {best}")
