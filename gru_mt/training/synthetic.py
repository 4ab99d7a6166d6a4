"""Training pairs of which a model makes one side.

Back-translation (Sennrich et al. 2016, arXiv 1511.06709): a model of the other direction makes the
sources of monolingual text. They begin with <s> (Caswell et al. 2019, arXiv 1906.06442).

Teachers (Kim and Rush 2016, arXiv 1606.07947; several of them: Nguyen et al. 2020, arXiv
1911.01986): models of the same direction translate the sources of the training split, and a
student learns from these translations beside those of the corpus.
"""

import hashlib
import json
import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, product
from pathlib import Path
from typing import Any, Generic, Literal

import numpy as np

from gru_mt.config.fields import as_list
from gru_mt.config.schema import Config
from gru_mt.data.corpus.files import user_path
from gru_mt.data.dataset.components import key
from gru_mt.data.dataset.store import Ints
from gru_mt.data.splits import Splits
from gru_mt.data.text.normalize import clean
from gru_mt.data.types import Example
from gru_mt.errors import UserError
from gru_mt.inference.engines.engine import Engine
from gru_mt.inference.published import local_folder
from gru_mt.inference.search import Floats, S
from gru_mt.inference.translator import Translator
from gru_mt.progress import ProgressBar
from gru_mt.run import WEIGHTS, Run, bundle_of
from gru_mt.storage import append_line, file_digest, write_file
from gru_mt.training.output.checkpoint import has_checkpoint
from gru_mt.training.state import derived_seed

log = logging.getLogger(__name__)

CHUNK = 2_000  # texts that are translated and stored at a time; a change changes what is drawn
DRAWN_FROM = 10  # the likeliest tokens, beside <eos> and the placeholders (Edunov et al. 2018)


class Sampling(Generic[S]):
    """An engine that adds Gumbel noise to log-probabilities, so that greedy search draws from them.

    The largest sum is a draw from the distribution (Gumbel 1954). It depends on the batches.
    """

    def __init__(self, engine: Engine[S], seed: int) -> None:
        self._engine, self._rng = engine, np.random.default_rng(seed)
        self.device_type, self.threads = engine.device_type, 1  # in the order of the batches
        self.start = engine.start

    def step(self, last_id_R: Ints, state: S, count: int) -> tuple[Floats, Ints, S]:
        """Return at least `count` tokens in any order, with noise, and the state there."""
        log_prob_RN, id_RN, after = self._engine.step(last_id_R, state, max(count, DRAWN_FROM))
        return log_prob_RN + self._rng.gumbel(size=log_prob_RN.shape), id_RN, after


def synthetic_pairs(splits: Splits, config: Config, run: Run) -> list[Example]:
    """Return the pairs that `data.back_translate` and `data.teachers` make, in this order.

    Raises UserError where one of them names no model of its direction.
    """
    data = config.data
    texts = [pair.target for pair in splits.monolingual]
    sources = back_translate(texts, config, run) if texts else []
    both = zip(splits.monolingual, map(clean, sources), strict=True)
    kept_out = splits.keys("source")
    back = [
        pair._replace(source=source)
        for pair, source in both
        if source and key(source) not in kept_out
    ]
    if not data.teachers:
        return back
    texts = [*dict.fromkeys(pair.source for pair in splits.train)]
    taught = _taught(splits, config, texts, _made(run.taught, config, "teachers", _by_beam, texts))
    left_out = len(texts) * len(data.teachers) - len(taught)
    log.info(
        f"{len(texts):,} sources: {', '.join(data.teachers)} translated them; {left_out:,} "
        "translations are empty or share a sentence with dev or test, and are left out"
    )
    return back + taught


def stand_ins(splits: Splits, config: Config) -> list[Example]:
    """Return about as many pairs as `synthetic_pairs`, about as long, without a model."""
    alone = [pair._replace(source=pair.target) for pair in splits.monolingual]
    first = {pair.source: pair.target for pair in splits.train}
    made = [[*first.values()] for _ in config.data.teachers]
    return alone + _taught(splits, config, [*first], made)


def back_translate(texts: Sequence[str], config: Config, run: Run) -> list[str]:
    """Return a source for each of these target texts, drawn from what the model expects.

    The run's folder keeps them, chunk by chunk, so that none is drawn again. Raises UserError where
    `data.back_translate` names no model of the other direction.
    """

    def draw(translator: Translator, start: int, chunk: Sequence[str]) -> Iterable[object]:
        seed = derived_seed("back-translation", config.training.seed, start)
        drawing = replace(translator, engine=Sampling(translator.engine, seed))
        return drawing.translate(chunk, beam_size=1)

    [sources] = _made(run.back_translations, config, "back_translate", draw, texts)
    empty = sources.count("")
    log.info(
        f"{len(texts):,} texts without translations: {config.data.back_translate} made their "
        f"{config.data.source} side"
        + (f"; for {empty:,} it found nothing, and they are left out" if empty else "")
    )
    return sources


def _by_beam(teacher: Translator, _: int, chunk: Sequence[str]) -> Iterable[object]:
    return teacher.translate(chunk)


def _taught(
    splits: Splits, config: Config, texts: Sequence[str], made: Sequence[Sequence[str]]
) -> list[Example]:
    """Return sources with the translations of each teacher, as of a corpus of its own.

    A translation that is empty, or that shares a sentence with dev or test, is left out.
    """
    kept_out = splits.keys("target")
    return [
        Example(source, clean(translation), line, corpus)
        for corpus, translations in enumerate(made, len(config.data.corpus))
        for line, (source, translation) in enumerate(zip(texts, translations, strict=True), 1)
        if translation and key(translation) not in kept_out
    ]


def _made(
    path: Path,
    config: Config,
    field: Literal["back_translate", "teachers"],
    make: Callable[[Translator, int, Sequence[str]], Iterable[object]],
    texts: Sequence[str],
) -> list[list[str]]:
    """Return what each model of a field makes of each text.

    The file keeps it chunk by chunk, and what it has of the same models and seed is not made again.
    Once the run has a checkpoint, no model is read for a whole file.
    """
    models = as_list(getattr(config.data, field))
    digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()
    chunks_to_make = [*product(range(len(models)), range(0, len(texts), CHUNK))]
    before, chunks = _read(path)
    is_whole = before.get("texts") == digest and len(chunks) == len(chunks_to_make)
    if not (is_whole and has_checkpoint(Run(path.parent).checkpoints)):  # it trains on these
        folders = [user_path(model) for model in models]
        translators = [_load(folder, config, field) for folder in folders]
        digests = [file_digest(bundle_of(local_folder(folder)) / WEIGHTS) for folder in folders]
        header = {"texts": digest, "models": digests, "seed": config.training.seed}
        chunks = chunks if before == header else []
        write_file(path, b"".join(f"{json.dumps(line)}\n".encode() for line in [header, *chunks]))
        total, done = len(models) * len(texts), sum(map(len, chunks))
        with ProgressBar("translating", unit="sentences", total=total, initial=done) as bar:
            for number, start in chunks_to_make[len(chunks) :]:
                found = make(translators[number], start, texts[start : start + CHUNK])
                chunks.append([*map(str, found)])
                append_line(path, json.dumps(chunks[-1]))
                bar.update(len(chunks[-1]))
    made = [*chain.from_iterable(chunks)]
    return [made[first : first + len(texts)] for first in range(0, len(made), len(texts))]


def _load(folder: Path, config: Config, field: str) -> Translator:
    """Return the translator in a folder for the direction of a field; it tells no confidence."""
    try:
        translator = Translator.load(folder, device=config.training.device)
    except UserError as error:
        raise UserError(f"data.{field}: {error}") from None
    found = [translator.languages.source, translator.languages.target]
    wanted = [config.data.source, config.data.target]
    if field == "back_translate":
        wanted.reverse()
    if found != wanted:
        raise UserError(
            f"data.{field}: {folder} translates {found[0]} to {found[1]}; name one that "
            f"translates {wanted[0]} to {wanted[1]}"
        )
    return replace(translator, calibration=None, corrections=None)


def _read(path: Path) -> tuple[dict[str, Any], list[list[str]]]:
    """Return what a run's file says of its texts and its models, and the whole chunks in it."""
    values: list[Any] = []
    with suppress(ValueError, FileNotFoundError):  # a truncated line ends it; nothing yet
        values.extend(map(json.loads, path.read_bytes().splitlines()))
    header, *chunks = values or [{}]
    return header, chunks
