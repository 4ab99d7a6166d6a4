"""Random text, and random damage to text and files."""

import random

SIGNS = [
    *"\t\n\r :,-#&*!|>%@`'\"[]{}?=~.0aZé中<\\", "\x00", "\x1b", "\x7f", "\x85", "\xa0", "\u2028",
    "\u202e", "\ufeff", "\U0001f600", "\u0301", "\x0b", "\x0c", "\x1c", "\u061c", "\u2066",
]  # fmt: skip
LETTERS = ["abcdefg", "aé'-,.!", "日本語中文字", "مرحبا ", "😀🇫🇷e\u0301"]


def altered(rng: random.Random, text: str, replacements: list[str]) -> str:
    """Return `text` with a character or a stretch removed, repeated, replaced or put in."""
    at = rng.randrange(len(text) + 1)
    end = min(len(text), at + rng.choice([0, 1, 1, rng.randrange(40)]))
    new: str = rng.choice(["", text[at:end] * 2, rng.choice(SIGNS), rng.choice(replacements)])
    return text[:at] + new + text[end:]


def damaged(rng: random.Random, content: bytes) -> bytes:
    """Return `content` truncated, with a byte changed, or with some bytes put in."""
    at = rng.randrange(len(content) + 1)
    rest = rng.choice([b"", rng.randbytes(1) + content[at + 1 :], rng.randbytes(3) + content[at:]])
    return content[:at] + rest


def random_lines(rng: random.Random) -> bytes:
    """Return lines of words, of odd signs and of bytes that are not UTF-8."""
    letters = rng.choice(LETTERS)
    words = ["".join(rng.choices(letters, k=rng.randint(1, 9))) for _ in range(30)]
    words += rng.choices([*SIGNS, "a" * 300, "word" * 1000], k=rng.randint(0, 3))
    lines = []
    for _ in range(rng.choice([0, 1, 30, 50, 100, 300])):
        text = " ".join(rng.choices(words, k=rng.randint(1, 12))).replace("\n", "")
        lines.append(text.encode("utf-8", "replace") + rng.randbytes(5 * (rng.random() < 0.02)))
    lines += [long for long in (b"x" * 300_000, b"x " * 100_000) if rng.random() < 0.02]
    end = rng.choices([b"\n", b"\r\n", b"\r"], [0.8, 0.15, 0.05])[0]
    return rng.choice([b"", b"", b"\xef\xbb\xbf"]) + end.join(lines) + rng.choice([b"", end])


def random_pairs(rng: random.Random) -> bytes:
    """Return lines, most of them with one tab."""
    lines = random_lines(rng).split(b"\n")
    tabs = rng.choices([0, 1, 2, 3], [0.02, 0.9, 0.06, 0.02], k=len(lines))
    return b"\n".join(
        b"\t".join([line.replace(b"\t", b""), *(rng.choice(lines) for _ in range(number))])
        for line, number in zip(lines, tabs, strict=True)
    )
