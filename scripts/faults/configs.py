"""Configurations with anything in them."""

import random
import re
from pathlib import Path

from faults.checks import check, during
from faults.commands import gru_mt
from faults.fuzz import altered, damaged
from faults.scenarios import Scenarios
from gru_mt.config.load import parse_config
from gru_mt.config.yaml_text import dump_config

LIMIT_S = 20.0  # what reading a configuration may take
EXTREMES = ["0", "1", "2", "-1", "1e-300", "1e300", "0.999999", str(2**31), str(2**63), str(10**30)]
NAMES = ["", ".", "x" * 5000, "\udcff", "\x1b[2J", "a\nb", "/proc/self/mem", "a/b/c", "~nobody/a"]
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
OWN = Path(__file__).parents[2] / "configs"
DEFAULTS = parse_config("data: {corpus: a.tsv}", where="defaults")
FIELDS = [
    f"{section}.{name}"
    for section, values in DEFAULTS.model_dump().items()
    for name in values
    if section != "data"
]


def configs(scenarios: Scenarios, index: int, rng: random.Random, folder: Path) -> None:
    """Read an odd configuration; in one trial of 50 train with odd values."""
    if index % 50 == 49:
        _train(scenarios, rng, folder)
        return
    texts = [path.read_text(encoding="utf-8") for path in sorted(OWN.glob("*.yaml"))]
    seeds = [re.sub("fra-eng|phrasebook", "a.tsv", text) for text in texts]  # no download
    text = mutated(rng, rng.choice([*seeds, dump_config(DEFAULTS), "", "data: {corpus: a.tsv}\n"]))
    overrides = []
    while rng.random() < 0.3:
        odd = ["data", "training", "a.b", "", ".", "data.corpus.path", "data.dev"]
        name = rng.choice([*FIELDS, *odd])
        overrides.append(altered(rng, f"{name}={rng.choice(ODD)}", ODD))
    data = text.encode(rng.choice(["utf-16", "utf-8-sig"] + ["utf-8"] * 18), "replace")
    (folder / "a.yaml").write_bytes(damaged(rng, data) if rng.random() < 0.06 else data)
    options = [f"--set={override}" for override in overrides if "\0" not in override]
    if index % 25 == 24:
        name = rng.choice(["a.yaml", "a.yaml", "a.yaml", rng.choice(NAMES)])
        out = rng.choice(["out", "/dev/null/out", rng.choice(NAMES)])
        check(gru_mt("data", f"--config={name}", f"--out={out}", *options, folder=folder))
    else:
        check(gru_mt("config", "a.yaml", *options, folder=folder, limit_s=LIMIT_S))


def _train(scenarios: Scenarios, rng: random.Random, folder: Path) -> None:
    """Train a little with odd values, and translate."""
    values = [f"{rng.choice(FIELDS)}={rng.choice(EXTREMES)}" for _ in range(rng.randint(1, 3))]
    options = [f"--set={value}" for value in values if "max_steps" not in value]
    with during(" ".join(options)):
        check(
            gru_mt(
                *scenarios["fresh"].arguments, "--set=training.max_steps=3", *options, folder=folder
            )
        )
        check(gru_mt("translate", "--model", "run", "I see cats.", folder=folder))


def mutated(rng: random.Random, text: str) -> str:
    """Return a configuration with a few changes."""
    if rng.random() < 0.03:
        return _bomb(rng)
    for _ in range(rng.randint(1, 4)):
        lines, odd = text.split("\n"), rng.choice(ODD)
        at = rng.randrange(len(lines))
        key, line = lines[at].partition(":")[0], lines[at]
        twice, longer, other = [line, f"  {line}"], [line, odd], [f"{key}: {odd}"]
        changed = [altered(rng, line, ODD)]
        lines[at : at + 1] = rng.choice([[], [line, line], twice, longer, other, changed, changed])
        text = "\n".join(lines)
    return text


def _bomb(rng: random.Random) -> str:
    """Return a short text that is much to read: aliases of aliases, or deep nesting."""
    depth = rng.randint(1, 10)
    match rng.randrange(4):
        case 0:
            lines = [f"a{n}: &a{n} [{f'*a{n - 1}, ' * 10}]" for n in range(1, depth)]
            return "\n".join(["a0: &a0 [x]", *lines, f"data: *a{depth - 1}"])
        case 1:
            lines = [f"m{n}: &m{n} {{<<: [{f'*m{n - 1}, ' * 9}]}}" for n in range(1, depth)]
            return "\n".join(["m0: &m0 {a: 1}", *lines])
        case 2:
            nesting = rng.choice(["[", "{a: ", "- ", "? ", "!!seq [", "&a ["])
            return nesting * rng.choice([10, 100, 1_000, 10_000, 100_000])
    return "\n".join(" " * n + "a:" for n in range(10 ** rng.randint(1, 3)))
