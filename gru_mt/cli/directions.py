"""`gru-mt train --both`: the runs there and back."""

import re
from pathlib import Path

from gru_mt.config.schema import Config
from gru_mt.errors import UserError
from gru_mt.run import Run, named

_OF_ONE_LANGUAGE = ("zh", "ja-mecab", "ko-mecab")  # values of evaluation.bleu_tokenizer


def there_and_back(config: Config, folder: Path) -> dict[Run, Config]:
    """Return the configuration there, which is `config`, and back, each by its run.

    Of runs/my these are runs/my-en-fr and runs/my-fr-en; of runs/en-fr, runs/en-fr and runs/fr-en.
    Raises UserError for what serves one direction alone.
    """
    if what := _one_way(config):
        raise UserError(f"--both: {what}; leave it out, or train each direction by itself")
    data = config.data
    turned = data.model_copy(update={"source": data.target, "target": data.source})
    directions = [f"{each.source}-{each.target}" for each in (data, turned)]
    known = re.compile(rf"(?<![^\W_])({'|'.join(map(re.escape, directions))})(?![^\W_])")
    folder = named(folder)
    name = folder.name if known.search(folder.name) else f"{folder.name}-{directions[0]}"
    there, back = (Run(folder.parent / known.sub(each, name)) for each in directions)
    return {there: config, back: config.model_copy(update={"data": turned})}


def _one_way(config: Config) -> str:
    """Return what in a configuration serves one direction alone; "" without such."""
    data, tokenizer = config.data, config.evaluation.bleu_tokenizer
    if config.training.start:
        return "training.start (--from) is a run, which has one direction"
    if data.teachers:
        return "data.teachers are runs, which have one direction"
    for index, corpus in enumerate(data.corpus):
        if corpus.side:
            return f"data.corpus.{index} is text in {data.target} alone (side: target)"
    for split, sets in (("dev", data.dev), ("test", data.test)):
        for own in sets:
            if len(own.path) > 2:
                files = f"data.{split} has {len(own.path) - 1} files in {data.languages[1]}"
                return f"{files}, and one can be translated from"
    if tokenizer in _OF_ONE_LANGUAGE:
        return f"evaluation.bleu_tokenizer {tokenizer} is for one language"
    return ""
