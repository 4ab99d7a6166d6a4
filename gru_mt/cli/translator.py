"""The translator that a command uses."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from gru_mt.cli.streams import say
from gru_mt.errors import UserError, short_text
from gru_mt.run import RUNS, Run

if TYPE_CHECKING:
    from gru_mt.config.data import DataConfig
    from gru_mt.inference.translator import Translator


def load_translator(
    models: Sequence[Path], *, device: str, target: str | None = None
) -> "Translator":
    """Return the translator of the models that a user named, or of the newest finished run.

    With `target`, a language, that is the newest that translates into it.

    An export is used where it will do: it starts faster, but computes on the CPU alone. A message
    says so where the user named no model, or another one.
    """
    from gru_mt.inference.engines.onnx_engine import usable_export
    from gru_mt.inference.published import local_folder
    from gru_mt.inference.translator import Translator

    chosen = chosen_run(models[0] if models else None, target)
    used = []
    for model in models or [chosen.folder]:
        folder, export = local_folder(model), None
        if device in ("auto", "cpu"):
            export = usable_export(folder, warn=say)
        used.append(export or folder)
        if export or not models:
            say(f"using {export or folder}")
    if len(used) > 1:
        say(f"averaging {len(used)} models: {', '.join(map(short_text, used))}")
    return Translator.averaging(used, device=device)


def chosen_run(folder: Path | None, target: str | None) -> Run:
    """Return the run that a user named, or the newest finished one: with `target`, into that."""
    if folder and target:
        raise UserError("give --model or --to, not both")
    return Run(folder) if folder else _newest(target)


def finished_runs() -> "Iterator[tuple[Run, DataConfig]]":
    """Yield the finished runs that can be read, the newest first, and what each is trained on."""
    from gru_mt.config.load import load_config

    for run in Run.finished():
        with suppress(UserError):  # a damaged one translates nothing
            yield run, load_config(run.config).data


def _newest(target: str | None) -> Run:
    """Return the newest finished run; with `target`, of those that translate into it."""
    if target is None:
        return Run.newest()
    from gru_mt.data.corpus.languages import is_language

    others = set()
    for run, data in finished_runs():
        if is_language(data.target, target):
            return run
        others.add(data.target)
    raise UserError(
        f"--to {short_text(target)}: no finished run in {RUNS}/ translates into it; there are runs "
        f"into {', '.join(sorted(others)) or 'no known language'}"
    )
