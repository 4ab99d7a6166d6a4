"""Back-translation (Sennrich et al. 2016, arXiv 1511.06709): a model of the other direction makes
the sources of monolingual text. They begin with <s> (Caswell et al. 2019, arXiv 1906.06442).
"""

import hashlib
import json
import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any, Generic

import numpy as np

from gru_mt.config.schema import Config
from gru_mt.data.corpus.files import user_path
from gru_mt.data.dataset.store import Ints
from gru_mt.errors import UserError
from gru_mt.inference.engines.engine import Engine
from gru_mt.inference.published import local_folder
from gru_mt.inference.search import Floats, S
from gru_mt.inference.translator import Translator
from gru_mt.progress import ProgressBar
from gru_mt.run import WEIGHTS, Run, bundle_of
from gru_mt.storage import append_line, file_digest, write_file
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
        self.device_type = engine.device_type

    def start(self, source_BS: Ints, length_B: Ints) -> S:
        """Return what the engine does."""
        return self._engine.start(source_BS, length_B)

    def step(self, last_id_R: Ints, state: S, count: int) -> tuple[Floats, Ints, S]:
        """Return at least `count` tokens in any order, with noise, and the state there."""
        log_prob_RN, id_RN, after = self._engine.step(last_id_R, state, max(count, DRAWN_FROM))
        return log_prob_RN + self._rng.gumbel(size=log_prob_RN.shape), id_RN, after

    def align(self, source_BS: Ints, length_B: Ints, target_in_BT: Ints) -> Floats:
        """Return what the engine does."""
        return self._engine.align(source_BS, length_B, target_in_BT)


def back_translate(texts: Sequence[str], config: Config, run: Run) -> list[str]:
    """Return a source for each of these target texts, drawn from what the model expects.

    The run's folder keeps them, chunk by chunk, so that none is drawn again. Raises UserError where
    `data.back_translate` names no model of the other direction.
    """
    assert config.data.back_translate is not None, "the configuration checks it"
    folder, path = user_path(config.data.back_translate), run.back_translations
    digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()
    before, sources = _read(path)
    if before.get("texts") != digest or len(sources) < len(texts):
        translator = _load(folder, config)
        header = {"texts": digest, "model": file_digest(bundle_of(local_folder(folder)) / WEIGHTS)}
        sources = sources if before == header else []
        chunks = [sources[start : start + CHUNK] for start in range(0, len(sources), CHUNK)]
        write_file(path, b"".join(f"{json.dumps(line)}\n".encode() for line in [header, *chunks]))
        with ProgressBar(
            "back-translating", unit="sentences", total=len(texts), initial=len(sources)
        ) as bar:
            for start in range(len(sources), len(texts), CHUNK):
                seed = derived_seed("back-translation", config.training.seed, start)
                drawing = replace(translator, engine=Sampling(translator.engine, seed))
                found = drawing.translate(texts[start : start + CHUNK], beam_size=1)
                chunk = [str(translation) for translation in found]
                append_line(path, json.dumps(chunk))
                sources += chunk
                bar.update(len(chunk))
    empty = sources.count("")
    log.info(
        f"{len(texts):,} texts without translations: {folder} made their {config.data.source} side"
        + (f"; for {empty:,} it found nothing, and they are left out" if empty else "")
    )
    return sources


def _load(folder: Path, config: Config) -> Translator:
    """Return the translator of the other direction, which tells no confidence."""
    try:
        translator = Translator.load(folder, device=config.training.device)
    except UserError as error:
        raise UserError(f"data.back_translate: {error}") from None
    found = translator.languages.source, translator.languages.target
    if found != (config.data.target, config.data.source):
        raise UserError(
            f"data.back_translate: {folder} translates {found[0]} to {found[1]}; what makes the "
            f"{config.data.source} side of {config.data.target} text translates "
            f"{config.data.target} to {config.data.source}"
        )
    return replace(translator, calibration=None, corrections=None)


def _read(path: Path) -> tuple[dict[str, str], list[str]]:
    """Return what a run's file says of its texts and its model, and the whole chunks in it."""
    values: list[Any] = []
    with suppress(ValueError, FileNotFoundError):  # a truncated line ends it; nothing yet
        values.extend(map(json.loads, path.read_bytes().splitlines()))
    header, *chunks = values or [{}]
    return header, [*chain.from_iterable(chunks)]
