"""Masks, truecases and encodes training pairs. Processes of the pool do this, so no torch here.

Shapes: M pairs of a chunk.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gru_mt.config.schema import Config
from gru_mt.data.augment.bilingual_lexicon import learn_short_texts
from gru_mt.data.augment.word_lists import WordLists
from gru_mt.data.dataset.dataset import LINE, EncodedChunk
from gru_mt.data.dataset.ids import encode_pairs
from gru_mt.data.dataset.store import TextArray
from gru_mt.data.text.placeholders import mask_pair
from gru_mt.data.tokenizer.tokenizer import Tokenizer
from gru_mt.data.types import Example, Texts


def masked(example: Example) -> Example:
    """Return a pair with what is copied masked on both sides."""
    source, target = mask_pair(example.source, example.target)
    return example._replace(source=source, target=target)


def truecased(examples: Iterable[Example], tokenizer: Tokenizer) -> list[Example]:
    """Return pairs with their sources as translation reads them too."""
    read = tokenizer.truecaser.truecased
    return [pair._replace(source=read(pair.source)) for pair in examples]


def mask_all(examples: Iterable[Example]) -> list[Example]:
    """Return pairs with what is copied masked on both sides."""
    return [*map(masked, examples)]


def short_texts(config: Config, sample: Sequence[Example]) -> list[Example]:
    """Return words and short phrases of pairs, where the configuration wants them."""
    augment = config.data.augment
    return learn_short_texts(sample) if augment and augment.words else []


def learn_words(config: Config, tokenizer: Tokenizer, known: Sequence[Example]) -> dict[str, Any]:
    """Return the word lists of pairs as JSON values; nothing without augmentation."""
    if not config.data.augment:
        return {}
    read = tokenizer.truecaser.truecased
    lists = WordLists.learn([Texts(read(pair.source), pair.target) for pair in known])
    return {"dictionary": lists.translations, "names": [*lists.names]}


def encode_chunk(
    config: Config, tokenizer: Tokenizer, chunk: tuple[list[Example], bool]
) -> EncodedChunk:
    """Return some pairs as ids; the chunk says whether they are masked already."""
    examples, is_masked = chunk
    pairs = truecased(examples if is_masked else mask_all(examples), tokenizer)
    synthetic_M = [config.data.corpus[pair.corpus].side is not None for pair in pairs]
    texts = None
    if config.data.augment or config.tokenizer.sampling:  # training reads them too
        sources, targets = [pair.source for pair in pairs], [pair.target for pair in pairs]
        texts = TextArray.of(sources), TextArray.of(targets)
    ids = encode_pairs(tokenizer, pairs, synthetic_N=synthetic_M)
    return EncodedChunk(ids, texts, np.array([pair[2:] for pair in pairs], LINE))
