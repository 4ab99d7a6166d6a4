"""The special tokens: every vocabulary, of words or of subwords, begins with them.

LITERALS follow them. Each stands for a span of text that is copied, such as a URL; see `literals`.
"""

PAD, UNK, BOS, EOS = 0, 1, 2, 3
SPECIALS = ("<pad>", "<unk>", "<s>", "</s>")
LITERALS = tuple(map(chr, range(0xE010, 0xE018)))  # private-use characters, each a token
FIRST_LITERAL = len(SPECIALS)  # the id of LITERALS[0]; the others follow
LITERAL_IDS = range(FIRST_LITERAL, FIRST_LITERAL + len(LITERALS))
MOST_TOKENS = 1_000_000  # of a vocabulary; see tokenizer.vocabulary_size
FIRST_OTHER = FIRST_LITERAL + len(LITERALS)  # ids from here on are neither special nor literals
