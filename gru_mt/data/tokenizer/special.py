"""The tokens that every vocabulary begins with: special ones, then placeholder tokens.

One of these stands for a span of text that is copied: see `data.text.placeholders`.
"""

import re

PAD, UNK, BOS, EOS = 0, 1, 2, 3
SPECIALS = ("<pad>", "<unk>", "<s>", "</s>")
PLACEHOLDER_TOKENS = tuple(map(chr, range(0xE010, 0xE018)))  # private-use characters
ANY_PLACEHOLDER = f"[{PLACEHOLDER_TOKENS[0]}-{PLACEHOLDER_TOKENS[-1]}]"  # a pattern
PLACEHOLDER = re.compile(ANY_PLACEHOLDER)
FIRST_PLACEHOLDER = len(SPECIALS)  # the id of PLACEHOLDER_TOKENS[0]; the others follow
PLACEHOLDER_IDS = range(FIRST_PLACEHOLDER, FIRST_PLACEHOLDER + len(PLACEHOLDER_TOKENS))
FIRST_OTHER = PLACEHOLDER_IDS.stop  # ids from here on are neither special nor placeholder tokens
MOST_TOKENS = 1_000_000  # of a vocabulary; see tokenizer.vocabulary_size


def file_lines(data: bytes) -> list[str]:
    """Return the lines of a tokenizer's text file; raises ValueError where it is damaged."""
    if data.count(b"\n") > MOST_TOKENS:
        raise ValueError(f"it has more than {MOST_TOKENS:,} lines")
    *lines, rest = data.decode().split("\n")
    if rest or not lines:
        raise ValueError("it is empty, or its last line is truncated")
    return lines
