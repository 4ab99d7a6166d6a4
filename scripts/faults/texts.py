"""Corpora and sentences with anything in them."""

import bz2
import gzip
import io
import json
import lzma
import os
import random
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import zstandard

from faults.checks import HIDDEN, Ended, Failed, check, check_message, during, user_errors
from faults.commands import gru_mt, limit_memory
from faults.configs import SIGNS
from faults.workspace import Suite, Workspace
from gru_mt.config.data import DataConfig
from gru_mt.config.load import parse_config
from gru_mt.config.schema import TokenizerConfig
from gru_mt.data.corpus.load import load_corpora
from gru_mt.data.dataset.components import TRAIN
from gru_mt.data.splits import as_examples, split_of
from gru_mt.data.tokenizer.tokenizer import train_tokenizer
from gru_mt.errors import short_repr

LIMIT_S = 20.0  # what reading a corpus may take
FILES = [  # none is a text of pairs
    "/dev/zero", "fifo", "folder", "loop", "/proc/self/mem", "a" * 5000, "/dev/null", "folder/a/b",
    "\0", "a\x1bb", "fra-eng/", "~nobody/a", "%", "", "/dev/stdin", "/proc/self/pagemap",
]  # fmt: skip
STEMS = ["a", "a b", "é中", "-a", "a'\"$", "\x1b[2J", "a\nb", ".a", "x" * 200, "\u202e"]
MEMBERS = ["a.txt", "_about.txt", ".b.txt", "c\x1b.tsv", "d.csv", "e.jsonl", "f.tmx", "g.en"]
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.compress,
}
ENCODINGS = ["utf-8", "utf-16", "utf-16-le", "utf-32", "cp1252", "shift_jis", "gb18030", "utf-7"]


def corpora(workspace: Workspace) -> Suite:
    """Return the suite that reads and splits odd corpora, and trains tokenizers on them."""
    config = Path(workspace.config).read_text()

    def trial(index: int, rng: random.Random, folder: Path) -> None:
        if index % 20 == 19:
            os.mkfifo(folder / "fifo")
            (folder / "folder").mkdir()
            (folder / "loop").symlink_to("loop")
            _command(config, rng.choice(FILES), folder)
            return
        os.chdir(folder)
        table = rng.random() < 0.7
        corpus: str | dict[str, object]
        if table and rng.random() < 0.5:
            corpus = written(rng, lines_of_pairs(rng), folder)
        elif table:
            name = written(rng, formatted(rng, lines_of_pairs(rng)), folder)
            corpus = {"path": name} | options_of_files(rng)
        else:
            source, target = (written(rng, lines_of_text(rng), folder) for _ in range(2))
            if rng.random() < 0.5:
                target = source
            corpus = {"path": [source, target]}
        if index % 10 == 9:
            _command(config, corpus, folder)
            return
        words = rng.choice([1, 5, 200, 2000])
        data = {"corpus": corpus, "max_words": words, "max_ratio": rng.choice([1.01, 9.0, 1e9])}
        data["allow_dropped"] = rng.choice([0.2, 1.0])
        limit_memory()
        with user_errors(LIMIT_S):  # the name of a corpus may be refused too
            _read(parse_config(json.dumps({"data": data}), where="config").data, rng)

    return Suite(600, trial)


def _read(data: DataConfig, rng: random.Random) -> None:
    [corpus] = load_corpora(data)
    report = corpus.report
    if report.read != report.kept + sum(dropped.count for dropped in report.dropped.values()):
        raise Failed(f"{report.read} lines read are not all kept or dropped")
    if report.kept != len(corpus.pairs):
        raise Failed(f"{report.kept} pairs kept, but there are {len(corpus.pairs)}")
    examples = as_examples(corpus.pairs, reverse=data.reversed)
    train = [each for each, split in zip(examples, split_of(corpus), strict=True) if split == TRAIN]
    for example in examples:
        if any(sign in side for side in example[:2] for sign in "\n\r\t\x00\x1b"):
            raise Failed(f"a pair holds control characters: {short_repr(example)}")
    if not train:
        return
    sources = [example.source for example in train]
    targets = [example.target for example in train]
    config = TokenizerConfig(
        kind=rng.choice(["unigram", "bpe", "char", "word"]),
        vocabulary_size=rng.choice([16, 300, 1000, 4000]),
        joint=rng.random() < 0.5,
    )
    tokenizer = train_tokenizer(config, sources, targets, warn=check_message)
    ids = tokenizer.source.encode_all(sources)
    if max(map(max, filter(None, ids)), default=0) >= tokenizer.source.size:
        raise Failed("an id past the vocabulary")


def lines_of_text(rng: random.Random) -> bytes:
    """Return lines of words, of odd signs and of bytes that are not UTF-8."""
    letters = rng.choice(["abcdefg", "aé'-,.!", "日本語中文字", "مرحبا ", "😀🇫🇷e\u0301"])
    words = ["".join(rng.choices(letters, k=rng.randint(1, 9))) for _ in range(30)]
    words += rng.choices([*SIGNS, "a" * 300, "word" * 1000], k=rng.randint(0, 3))
    lines = []
    for _ in range(rng.choice([0, 1, 30, 50, 100, 300])):
        text = " ".join(rng.choices(words, k=rng.randint(1, 12))).replace("\n", "")
        line = text.encode("utf-8", "replace")
        if rng.random() < 0.02:
            line += rng.randbytes(5)
        lines.append(line)
    if rng.random() < 0.02:
        lines.append(b"x" * 300_000)
    if rng.random() < 0.02:
        lines.append(b"x " * 100_000)
    end = rng.choices([b"\n", b"\r\n", b"\r"], [0.8, 0.15, 0.05])[0]
    return rng.choice([b"", b"", b"\xef\xbb\xbf"]) + end.join(lines) + rng.choice([b"", end])


def lines_of_pairs(rng: random.Random) -> bytes:
    """Return lines, most of them with one tab."""
    lines = lines_of_text(rng).split(b"\n")
    tabs = rng.choices([0, 1, 2, 3], [0.02, 0.9, 0.06, 0.02], k=len(lines))
    return b"\n".join(
        b"\t".join([line.replace(b"\t", b""), *(rng.choice(lines) for _ in range(number))])
        for line, number in zip(lines, tabs, strict=True)
    )


def formatted(rng: random.Random, table: bytes) -> bytes:
    """Return a table as CSV, JSON lines, TMX or SGML, with mistakes, in some encoding."""
    rows = [line.split("\t") for line in table.decode(errors="replace").split("\n")]
    mark, quote = rng.choice(",;\t|"), rng.choice(['"', '"', "'", ""])
    match rng.randrange(4):
        case 0:
            shown = lambda cell: f"{quote}{cell}{quote}" if rng.random() < 0.5 else cell  # noqa: E731
            text = "\n".join(mark.join(map(shown, row)) for row in rows)
        case 1:
            names = rng.choice(
                [("en", "fr"), ("target", "source"), ("a", "b"), ("translation", "id")]
            )
            text = "\n".join(json.dumps(dict(zip(names, row, strict=False))) for row in rows)
        case 2:
            units = "".join(
                f"<tu><tuv xml:lang='en'><seg>{row[0]}</seg></tuv><tuv lang='fr'><seg>{row[-1]}"
                "<ph>x</ph></seg></tuv></tu>\n"
                for row in rows
            )
            declared = rng.choice(["", "<?xml version='1.0' encoding='utf-16'?>", "<?xml?>"])
            text = f"{declared}<tmx><body>{units}{rng.choice(['</body></tmx>', '<tu>', ''])}"
        case _:
            text = "<refset>" + "".join(f"<seg id='1'>{row[0]}</seg>\n" for row in rows)
    for _ in range(rng.choice([0, 0, 0, 1, 3])):
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(['"', "<", "\r", "\\", "\0", "{", "&"]) + text[at:]
    header = rng.choice(["", "", f"en{mark}fr\n", f"french{mark}english\n", f"sep={mark}\n"])
    return (header + text).encode(rng.choice(ENCODINGS), errors="ignore")


def options_of_files(rng: random.Random) -> dict[str, object]:
    """Return keys that say how a corpus's files are read, or none."""
    values = {
        "encoding": rng.choice(ENCODINGS),
        "columns": rng.choice([[1, 2], [2, 1], [3, 9]]),
        "delimiter": rng.choice([",", ";", "\t", "|||", " "]),
    }
    return {key: value for key, value in values.items() if rng.random() < 0.3}


def written(rng: random.Random, content: bytes, folder: Path) -> str:
    """Write a corpus, packed or not, perhaps damaged, under some name; return the name."""
    stem = rng.choice(STEMS)
    match rng.randrange(6):
        case 0:
            ending = rng.choice([*PACKERS])
            content = PACKERS[ending](content)
            ending = rng.choice([ending, "", f".csv{ending}"])
        case 1:
            ending, content = ".zip", _zipped(rng, content)
        case _:
            ending = rng.choice([".tsv", ".txt", "", ".TSV", ".csv", ".jsonl", ".tmx", ".json"])
    if ending in (*PACKERS, ".zip") and rng.random() < 0.3:
        at = rng.randrange(len(content) + 1)
        content = content[:at] + rng.choice([b"", rng.randbytes(1) + content[at + 1 :]])
    name = f"{stem}-{rng.randrange(100)}{ending}"
    (folder / name).write_bytes(content)
    return name


def _zipped(rng: random.Random, content: bytes) -> bytes:
    file = io.BytesIO()
    kind = rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
    with zipfile.ZipFile(file, "w", kind) as zipped:
        for name in rng.sample(MEMBERS, k=rng.randint(0, 3)):
            zipped.writestr(name, content)
    return file.getvalue()


def _command(config: str, corpus: str | dict[str, object], folder: Path) -> None:
    """Check `gru-mt data` on a corpus."""
    value = json.dumps(corpus)
    path = folder / "a.yaml"
    path.write_text(re.sub(r"corpus: [^}]*", lambda _: f"corpus: {value}", config))
    with during(f"corpus {short_repr(corpus)}"):
        check(gru_mt("data", f"--config={path}", "--out=out", folder=folder, limit_s=LIMIT_S))


def inputs(workspace: Workspace) -> Suite:
    """Return the suite of sentences to translate: as many lines out as in."""
    run = workspace.run

    def trial(index: int, rng: random.Random, folder: Path) -> None:
        data = b"" if rng.random() < 0.05 else lines_of_text(rng)[:8_000]
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
        with during(f"{' '.join(options)} {short_repr(arguments[:1])}"):
            _check_lines(gru_mt(*command, folder=folder, stdin=stdin), data, options)

    return Suite(320, trial)


def search_options(rng: random.Random) -> list[str]:
    """Return options of `gru-mt translate`, some of them wrong."""
    options = {
        "--n-best": rng.choice(["1", "2", "3", "0", "-1", "9999999999", "x"]),
        "--beam": rng.choice(["1", "3", "7", "0", "-1", "100", "9999999999", "1e3"]),
        "--length-penalty": rng.choice(["0", "1", "2.5", "-1", "nan", "inf", "5000", "1e-300"]),
        "--batch-size": rng.choice(["1", "7", "0", "-1", "99999999999999999999"]),
    }
    chosen = [f"{name}={value}" for name, value in options.items() if rng.random() < 0.25]
    flags = rng.choice([[], ["--json"], ["--json", "--attention"], ["--attention"]])
    return [*chosen, *flags, *rng.choice([[], ["--no-split"]])]


def _check_lines(ended: Ended, data: bytes, options: list[str]) -> None:
    """Raise Failed unless `ended` refused, or printed what it should for each line of `data`."""
    if check(ended).code:
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
            raise Failed(f"not JSON: {error}: {short_repr(line)}") from None
        for sentence in value["sentences"]:
            if not 1 <= len(sentence["translations"]) <= best:
                raise Failed(f"{len(sentence['translations'])} translations instead of {best}")
