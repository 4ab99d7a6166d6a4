"""Corpora with anything in them, in every format; lines to translate, and options, alike."""

import bz2
import gzip
import io
import json
import lzma
import os
import random
import zipfile
from collections.abc import Callable
from pathlib import Path

import zstandard

from faults.checks import HIDDEN, Ended, Failed, check, during
from faults.commands import gru_mt
from faults.fuzz import altered, damaged, random_lines, random_pairs
from faults.scenarios import Scenarios
from gru_mt.errors import short_repr

FILES = [  # none is a text of pairs
    "/dev/zero", "fifo", "folder", "loop", "/proc/self/mem", "a" * 5000, "/dev/null", "folder/a/b",
    "\0", "a\x1bb", "fra-eng/", "~nobody/a", "%", "", "/dev/stdin", "/proc/self/pagemap",
]  # fmt: skip
TMX = "<tu><tuv xml:lang='en'><seg>{}</seg></tuv><tuv lang='fr'><seg>{}<ph>x</ph></seg></tuv></tu>"
FORMATS = [  # the name's ending, what comes first, a pair, what comes last; some of them wrong
    (".tsv", "", "{}\t{}\n", ""),
    (".txt", "", "{}\t{}\n", ""),
    (".csv", "", '"{}","{}"\n', ""),
    (".csv", "en;fr\n", "{};'{}'\n", ""),
    (".csv", "sep=|\n", '"{}|{}"\n', ""),
    (".csv", "target,source\n", "{},{}\n", '"'),
    (".jsonl", "", '{{"en": "{}", "fr": "{}"}}\n', ""),
    (".json", "", '{{"id": "{}", "text": "{}"}}\n', "{"),
    (".tmx", "<?xml version='1.0' encoding='utf-16'?><tmx><body>", TMX, "</body></tmx>"),
    (".tmx", "<tmx><body>", TMX, "</body></tmx>"),
    (".tmx", "<?xml?><tmx><body>", TMX, "<tu>"),
    (".sgm", "<refset>", "<seg id='1'>{}</seg>\n", ""),
]
STEMS = [*["a", "a b", "é中", "-a", "a'\"$", ".a", "x" * 200] * 6, "\x1b[2J", "a\nb", "\u202e"]
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
FILTERS: dict[str, list[object]] = {
    "max_words": [5, 200, 2000],
    "max_ratio": [1.01, 9, 9, 1e9],
    "allow_dropped": [0.2, 1, 1],
}
TOKENIZERS: dict[str, list[object]] = {
    "kind": ["unigram", "bpe", "char", "word"],
    "vocabulary_size": [16, 300, 1000, 4000],
    "joint": [True, False],
}
MISTAKES = ['"', "<", "\r", "\\", "\0", "{", "&"]


def corpora(scenarios: Scenarios, index: int, rng: random.Random, folder: Path) -> None:
    """Write an odd corpus as text, or prepare it with some tokenizer and train on it a little."""
    corpus = _no_file(rng, folder) if index % 20 == 19 else _random_corpus(rng, folder)
    data = {"corpus": corpus} | {name: rng.choice(values) for name, values in FILTERS.items()}
    tokenizer = {name: rng.choice(values) for name, values in TOKENIZERS.items()}
    model = {"embedding_size": 8, "encoder_size": 8, "decoder_size": 16}
    training = {"max_steps": 1}
    config = {"data": data, "tokenizer": tokenizer, "model": model, "training": training}
    (folder / "a.yaml").write_text(json.dumps(config))
    is_trained = index % 2 == 0
    command = ("train", "--run=run", "--no-report") if is_trained else ("data", "--out=out")
    with during(f"corpus {short_repr(corpus)}"):
        if check(gru_mt(*command, "--config=a.yaml", folder=folder)).code == 0:
            (_check_report if is_trained else _check_split)(folder)


def _check_report(folder: Path) -> None:
    """Raise Failed where lines that were read are neither kept nor dropped."""
    [report] = json.loads((folder / "run" / "corpus.json").read_text())["corpora"]
    counts = [report["kept"], *(dropped["count"] for dropped in report["dropped"].values())]
    if report["read"] != sum(counts):
        raise Failed(f"{report['read']} lines read are not all kept or dropped")


def _check_split(folder: Path) -> None:
    """Raise Failed unless both sides have as many lines, without control characters."""
    for name in ("train", "dev", "test"):
        texts = [path.read_text("utf-8") for path in (folder / "out").glob(f"{name}.??")]
        if len({text.count("\n") for text in texts}) != 1:
            raise Failed(f"the sides of {name} have not the same number of lines")
        if any(sign in text for text in texts for sign in "\r\t\x00\x1b"):
            raise Failed(f"{name} holds control characters")


def _no_file(rng: random.Random, folder: Path) -> str:
    os.mkfifo(folder / "fifo")
    (folder / "folder").mkdir()
    (folder / "loop").symlink_to("loop")
    return rng.choice(FILES)


def _random_corpus(rng: random.Random, folder: Path) -> object:
    """Write a table, in one of the formats, or parallel files; return the value of the key."""
    options = {
        "encoding": rng.choice(ENCODINGS),
        "columns": rng.choice([[1, 2], [2, 1], [3, 9]]),
        "delimiter": rng.choice([",", ";", "\t", "|||", " "]),
    }
    chosen = {key: value for key, value in options.items() if rng.random() < 0.1}
    match rng.randrange(4):
        case 0:
            lines = random_lines(rng).split(b"\n")
            orders = (lines, rng.sample(lines, len(lines) - (rng.random() < 0.1)))
            return {"path": [_write(rng, folder, ".txt", b"\n".join(order)) for order in orders]}
        case 1:
            name = _write(rng, folder, ".tsv", random_pairs(rng))
        case _:
            name = _write(rng, folder, *_formatted(rng, random_pairs(rng)))
    return {"path": name, **chosen}


def _formatted(rng: random.Random, table: bytes) -> tuple[str, bytes]:
    """Return an ending of FORMATS, and a table in its format, with mistakes, in some encoding."""
    rows = (line.split("\t") for line in table.decode(errors="replace").split("\n"))
    ending, before, pair, after = rng.choice(FORMATS)
    text = before + "".join(pair.format(row[0], row[-1]) for row in rows) + after
    for _ in range(rng.choice([0, 0, 0, 1, 3])):
        text = altered(rng, text, MISTAKES)
    return ending, text.encode(rng.choice(["utf-8", rng.choice(ENCODINGS)]), errors="ignore")


def _write(rng: random.Random, folder: Path, ending: str, content: bytes) -> str:
    """Write a corpus, packed or not, perhaps damaged, under some name; return the name."""
    ending = rng.choice([ending] * 9 + [rng.choice(["", ".TSV", ".tmx", ".json"])])
    packer = rng.choice([*PACKERS, ".zip"]) if rng.random() < 0.4 else ""
    if packer == ".zip":
        packed = io.BytesIO()
        kind = rng.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
        with zipfile.ZipFile(packed, "w", kind) as archive:
            for name in rng.sample(MEMBERS, k=rng.randint(0, 3)):
                archive.writestr(name, content)
        content, ending = packed.getvalue(), packer
    elif packer:
        content = PACKERS[packer](content)
        ending = rng.choice([f"{ending}{packer}"] * 3 + [packer, ""])
    if packer and rng.random() < 0.3:
        content = damaged(rng, content)
    name = f"{rng.choice(STEMS)}-{rng.randrange(100)}{ending}"
    (folder / name).write_bytes(content)
    return name


def inputs(scenarios: Scenarios, index: int, rng: random.Random, folder: Path) -> None:
    """Translate odd lines with odd options: as many lines out as in, or a refusal."""
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
    command = ("translate", "--model", str(scenarios["longer"].given / "run"), *options, *arguments)
    with during(f"{' '.join(options)} {short_repr(arguments[:1])}"):
        _check_lines(gru_mt(*command, folder=folder, stdin=stdin), data, options)


def _check_lines(ended: Ended, data: bytes, options: list[str]) -> None:
    """Raise Failed unless `ended` refused, or printed what it should for each line of `data`."""
    if check(ended).code:
        return
    data = data.removeprefix(b"\xef\xbb\xbf")
    count = data.count(b"\n") + (data[-1:] not in (b"", b"\n"))
    best = next((int(option[9:]) for option in options if option.startswith("--n-best=")), 1)
    is_json = "--json" in options
    lines = ended.out.decode().split("\n")[:-1]
    if len(lines) != count * (1 if is_json else best):
        raise Failed(f"{count} lines in, {len(lines)} out")
    for line in lines if is_json else []:
        if hidden := HIDDEN.search(line):
            raise Failed(f"{hidden[0]!r} in the JSON")
        counts = [len(one["translations"]) for one in json.loads(line)["sentences"]]
        if not all(1 <= found <= best for found in counts):
            raise Failed(f"not 1 to {best} translations: {short_repr(line)}")
