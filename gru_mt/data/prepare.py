"""What becomes of training pairs before they are ids; other processes help, so no torch here.

Shapes: M pairs of a chunk.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from gru_mt.config.schema import Config
from gru_mt.data.augment.augmenter import WordLists
from gru_mt.data.augment.bilingual_lexicon import learn_short_texts
from gru_mt.data.dataset.dataset import PLACES, PreparedChunk
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


def masker() -> Callable[[Sequence[Example]], list[Example]]:
    """Return what masks what is copied in some pairs."""
    return lambda examples: [*map(masked, examples)]


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


def encoder(
    config: Config, tokenizer: Tokenizer
) -> Callable[[tuple[list[Example], bool]], PreparedChunk]:
    """Return what makes ids of some pairs, whose placeholders may be masked already."""
    one_sided = [corpus.side is not None for corpus in config.data.corpus]
    with_texts = bool(config.data.augment or config.tokenizer.sampling)

    def encoded(chunk: tuple[list[Example], bool]) -> PreparedChunk:
        examples, is_masked = chunk
        pairs = truecased(examples if is_masked else map(masked, examples), tokenizer)
        made_M = [one_sided[pair.corpus] for pair in pairs]
        ids = encode_pairs(tokenizer, pairs, made_N=made_M)
        texts = None
        if with_texts:
            sources, targets = [pair.source for pair in pairs], [pair.target for pair in pairs]
            texts = TextArray.of(sources), TextArray.of(targets)
        return PreparedChunk(ids, texts, np.array([pair[2:] for pair in pairs], PLACES))

    return encoded
