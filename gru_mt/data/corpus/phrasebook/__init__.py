"""A built-in corpus: a lexicon, a grammar, and the sentences they make."""
