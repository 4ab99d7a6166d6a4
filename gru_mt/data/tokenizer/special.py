"""The special tokens: every vocabulary, of words or of subwords, begins with them.

Placeholder tokens follow them. One stands for a span of text that is copied, such as a URL: see
`data.text.placeholders`.
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
