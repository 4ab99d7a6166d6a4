"""Corpora with anything in them, in every format; lines to translate, and options, alike."""

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

import numpy as np
import zstandard

from faults.checks import HIDDEN, Ended, Failed, check, check_message, during, user_errors
from faults.commands import gru_mt, limit_memory
from faults.fuzz import altered, damaged, random_lines, random_pairs
from faults.workspace import Suite, Workspace
from gru_mt.config.data import DataConfig
from gru_mt.config.load import parse_config
from gru_mt.config.schema import TokenizerConfig
from gru_mt.data.corpus.load import load_corpora
from gru_mt.data.dataset.components import TRAIN
from gru_mt.data.splits import LazyExamples, split_of
from gru_mt.data.tokenizer.tokenizer import train_tokenizer
from gru_mt.errors import short_repr

LIMIT_S = 20.0  # what reading a corpus may take
FILES = [  # none is a text of pairs
    "/dev/zero", "fifo", "folder", "loop", "/proc/self/mem", "a" * 5000, "/dev/null", "folder/a/b",
    "\0", "a\x1bb", "fra-eng/", "~nobody/a", "%", "", "/dev/stdin", "/proc/self/pagemap",
]  # fmt: skip
STEMS = ["a", "a b", "é中", "-a", "a'\"$", "\x1b[2J", "a\nb", ".a", "x" * 200, "\u202e"]
ENDINGS = [".tsv", ".txt", "", ".TSV", ".csv", ".jsonl", ".tmx", ".json"]
MEMBERS = ["a.txt", "_about.txt", ".b.txt", "c\x1b.tsv", "d.csv", "e.jsonl", "f.tmx", "g.en"]
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": zstandard.compress,
}
ENCODINGS = ["utf-8", "utf-16", "utf-16-le", "utf-32", "cp1252", "shift_jis", "gb18030", "utf-7"]
OPTIONS = {  # some of them wrong
    "--n-best": ["1", "2", "3", "0", "-1", "9999999999", "x"],
    "--beam": ["1", "3", "7", "0", "-1", "100", "9999999999", "1e3"],
    "--length-penalty": ["0", "1", "2.5", "-1", "nan", "inf", "5000", "1e-300"],
    "--batch-size": ["1", "7", "0", "-1", "99999999999999999999"],
}
FLAGS = [[], ["--json"], ["--json", "--attention"], ["--attention"], ["--no-split"]]
MISTAKES = ['"', "<", "\r", "\\", "\0", "{", "&"]


def corpora(workspace: Workspace) -> Suite:
    """Return the suite that reads and splits odd corpora, and trains tokenizers on them."""
    config = Path(workspace.config).read_text()

    def trial(index: int, rng: random.Random, folder: Path) -> None:
        os.chdir(folder)
        corpus = _no_file(rng) if index % 20 == 19 else _random_corpus(rng)
        if index % 10 == 9:
            value = json.dumps(corpus)
            Path("a.yaml").write_text(
                re.sub(r"corpus: [^}]*", lambda _: f"corpus: {value}", config)
            )
            with during(f"corpus {short_repr(corpus)}"):
                check(
                    gru_mt("data", "--config=a.yaml", "--out=out", folder=folder, limit_s=LIMIT_S)
                )
            return
        words, ratio = rng.choice([1, 5, 200, 2000]), rng.choice([1.01, 9.0, 1e9])
        data = {"corpus": corpus, "max_words": words, "max_ratio": ratio}
        data["allow_dropped"] = rng.choice([0.2, 1.0])
        limit_memory()
        with user_errors(LIMIT_S):  # the name of a corpus may be refused too
            _read(parse_config(json.dumps({"data": data}), where="config").data, rng)

    return Suite(600, trial)


def _no_file(rng: random.Random) -> str:
    os.mkfifo("fifo")
    Path("folder").mkdir()
    Path("loop").symlink_to("loop")
    return rng.choice(FILES)


def _random_corpus(rng: random.Random) -> str | dict[str, object]:
    """Write a table, in one of the formats, or parallel files; return the value of the key."""
    if rng.random() < 0.3:
        source, target = (_write(rng, random_lines(rng)) for _ in range(2))
        return {"path": [source, rng.choice([source, target])]}
    if rng.random() < 0.5:
        return _write(rng, random_pairs(rng))
    options = {
        "encoding": rng.choice(ENCODINGS),
        "columns": rng.choice([[1, 2], [2, 1], [3, 9]]),
        "delimiter": rng.choice([",", ";", "\t", "|||", " "]),
    }
    chosen = {key: value for key, value in options.items() if rng.random() < 0.3}
    return {"path": _write(rng, _formatted(rng, random_pairs(rng))), **chosen}


def _read(data: DataConfig, rng: random.Random) -> None:
    """Read and split a corpus, and train a tokenizer on it."""
    [corpus] = load_corpora(data)
    report = corpus.report
    if report.read != report.kept + sum(dropped.count for dropped in report.dropped.values()):
        raise Failed(f"{report.read} lines read are not all kept or dropped")
    if report.kept != len(corpus.pairs):
        raise Failed(f"{report.kept} pairs kept, but there are {len(corpus.pairs)}")
    rows = [np.arange(len(corpus.row_N))]
    examples = [*LazyExamples([corpus], rows, reverse=data.reversed)]
    for example in examples:
        if any(sign in side for side in example[:2] for sign in "\n\r\t\x00\x1b"):
            raise Failed(f"a pair holds control characters: {short_repr(example)}")
    splits = zip(examples, split_of(corpus), strict=True)
    train = [example for example, split in splits if split == TRAIN]
    if not train:
        return
    config = TokenizerConfig(
        kind=rng.choice(["unigram", "bpe", "char", "word"]),
        vocabulary_size=rng.choice([16, 300, 1000, 4000]),
        joint=rng.random() < 0.5,
    )
    sources, targets, *_ = map(list, zip(*train, strict=True))
    tokenizer = train_tokenizer(config, sources, targets, warn=check_message)
    ids = tokenizer.source.encode_all(sources)
    if max(map(max, filter(None, ids)), default=0) >= tokenizer.source.size:
        raise Failed("an id past the vocabulary")


def _formatted(rng: random.Random, table: bytes) -> bytes:
    """Return a table as CSV, JSON lines, TMX or SGML, with mistakes, in some encoding."""
    rows = [line.split("\t") for line in table.decode(errors="replace").split("\n")]
    mark, quote = rng.choice(",;\t|"), rng.choice(['"', '"', "'", ""])
    match rng.randrange(4):
        case 0:
            quoted = [[quote * (rng.random() < 0.5) + cell + quote for cell in row] for row in rows]
            text = "\n".join(mark.join(row) for row in quoted)
        case 1:
            names = rng.choice([("en", "fr"), ("target", "source"), ("a", "b"), ("id", "text")])
            text = "\n".join(json.dumps(dict(zip(names, row, strict=False))) for row in rows)
        case 2:
            texts = [
                f"<tuv xml:lang='en'><seg>{row[0]}</seg></tuv>"
                f"<tuv lang='fr'><seg>{row[-1]}<ph>x</ph></seg></tuv>"
                for row in rows
            ]
            declared = rng.choice(["", "<?xml version='1.0' encoding='utf-16'?>", "<?xml?>"])
            units = "".join(f"<tu>{text}</tu>\n" for text in texts)
            text = f"{declared}<tmx><body>{units}{rng.choice(['</body></tmx>', '<tu>', ''])}"
        case _:
            text = "<refset>" + "".join(f"<seg id='1'>{row[0]}</seg>\n" for row in rows)
    for _ in range(rng.choice([0, 0, 0, 1, 3])):
        text = altered(rng, text, MISTAKES)
    header = rng.choice(["", "", f"en{mark}fr\n", f"french{mark}english\n", f"sep={mark}\n"])
    return (header + text).encode(rng.choice(ENCODINGS), errors="ignore")


def _write(rng: random.Random, content: bytes) -> str:
    """Write a corpus, packed or not, perhaps damaged, under some name; return the name."""
    ending = rng.choice([*PACKERS, ".zip", *ENDINGS, *ENDINGS])
    if ending == ".zip":
        packed = io.BytesIO()
        kind = rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
        with zipfile.ZipFile(packed, "w", kind) as archive:
            for name in rng.sample(MEMBERS, k=rng.randint(0, 3)):
                archive.writestr(name, content)
        content = packed.getvalue()
    elif ending in PACKERS:
        content = PACKERS[ending](content)
    if ending in (*PACKERS, ".zip") and rng.random() < 0.3:
        content = damaged(rng, content)
    if ending in PACKERS:
        ending = rng.choice([ending, "", f".csv{ending}"])
    path = Path(f"{rng.choice(STEMS)}-{rng.randrange(100)}{ending}")
    path.write_bytes(content)
    return str(path)


def inputs(workspace: Workspace) -> Suite:
    """Return the suite of sentences to translate: as many lines out as in."""
    run = workspace.run

    def trial(index: int, rng: random.Random, folder: Path) -> None:
        data = b"" if rng.random() < 0.05 else random_lines(rng)[:8_000]
        options = [f"{n}={rng.choice(v)}" for n, v in OPTIONS.items() if rng.random() < 0.25]
        options += rng.choice(FLAGS)
        stdin, arguments = b"", []
        match rng.randrange(3):
            case 0:
                stdin = data
            case 1:
                (folder / "in").write_bytes(data)
                arguments = ["--input", "in"]
            case 2:
                lines = data.replace(b"\x00", b"").split(b"\n")[:20]
                data = b"\n".join(lines) + b"\n"
                arguments = ["--", *map(os.fsdecode, lines)]
        command = ("translate", "--model", str(run), *options, *arguments)
        with during(f"{' '.join(options)} {short_repr(arguments[:1])}"):
            _check_lines(gru_mt(*command, folder=folder, stdin=stdin), data, options)

    return Suite(320, trial)


def _check_lines(ended: Ended, data: bytes, options: list[str]) -> None:
    """Raise Failed unless `ended` refused, or printed what it should for each line of `data`."""
    if check(ended).code:
        return
    data = data.removeprefix(b"\xef\xbb\xbf")
    count = data.count(b"\n") + (data[-1:] not in (b"", b"\n"))
    best = next((int(option[9:]) for option in options if option.startswith("--n-best=")), 1)
    lines = ended.out.decode().split("\n")[:-1]
    if len(lines) != count * (1 if "--json" in options else best):
        raise Failed(f"{count} lines in, {len(lines)} out")
    for line in lines if "--json" in options else []:
        if hidden := HIDDEN.search(line):
            raise Failed(f"{hidden[0]!r} in the JSON")
        try:
            sentences = json.loads(line)["sentences"]
        except ValueError as error:
            raise Failed(f"not JSON: {error}: {short_repr(line)}") from None
        if not all(1 <= len(sentence["translations"]) <= best for sentence in sentences):
            raise Failed(f"not 1 to {best} translations: {short_repr(line)}")
