"""The special tokens: every vocabulary, of words or of subwords, begins with them."""

PAD, UNK, BOS, EOS = 0, 1, 2, 3
SPECIALS = ("<pad>", "<unk>", "<s>", "</s>")
