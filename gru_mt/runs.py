"""What runs there are, and how far each of them is."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from pydantic import TypeAdapter, ValidationError

from gru_mt.config.load import load_config
from gru_mt.data.corpus.files import corpus_name
from gru_mt.errors import UserError
from gru_mt.evaluation.hypotheses import read_hypotheses
from gru_mt.run import Run
from gru_mt.storage import file_stamp, read_json
from gru_mt.training.output.checkpoint import read_state
from gru_mt.training.output.lock import is_locked
from gru_mt.training.state import TrainState

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RunOverview:
    """A run in a few words; what cannot be read is None or empty, and `state` says why."""

    name: str
    corpora: str
    source: str  # language
    target: str
    dev_bleu: float | None  # the best of training: greedy, of the first set
    test_bleu: dict[str, float]  # by set, where `eval` has translated with the present weights
    minutes: float | None  # of training so far
    state: str
    changed: datetime


def list_runs(folder: Path) -> list[RunOverview]:
    """Return the runs that are folders in `folder`, or the run that it is; the newest first.

    A folder that is empty or damaged, or no run, is listed too, and its state says so.
    """
    if Run(folder).config.is_file():
        return [_overview(folder)]
    folders = [path for path in folder.glob("[!.]*") if path.is_dir()]
    return sorted(map(_overview, sorted(folders)), key=lambda run: run.changed, reverse=True)


def _overview(folder: Path) -> RunOverview:
    run = Run(folder)
    problems: list[str] = []

    def attempt(read: Callable[[], T]) -> T | None:
        try:
            return read()
        except OSError as error:
            problems.append(f"cannot be read: {error.strerror}")
        except UserError as error:
            problems.append(str(error).replace(f"{folder}/", "").split("\n")[0])
        except (LookupError, TypeError, ValueError) as error:
            problems.append(f"damaged: {error}")
        return None

    config = attempt(lambda: load_config(run.config) if run.config.is_file() else None)
    finished, saved = attempt(lambda: _finished(run)), attempt(lambda: read_state(run.checkpoints))
    train_state = max(filter(None, (finished, saved)), key=lambda state: state.step, default=None)
    state = attempt(lambda: _state(run, train_state, is_finished=train_state is finished)) or ""
    hypotheses = attempt(lambda: read_hypotheses(run, "test"))
    sets = hypotheses.sets if hypotheses else []
    data = config and config.data
    return RunOverview(
        folder.resolve().name,
        ", ".join(corpus_name(corpus, data.languages) for corpus in data.corpus) if data else "",
        data.source if data else "",
        data.target if data else "",
        train_state.best_bleu if train_state and train_state.best_bleu >= 0 else None,
        {found.set.name: found.corpus_scores.multi_reference.value for found in sets},
        train_state.elapsed_s / 60 if train_state else None,
        problems[0] if problems else state,
        _changed(run),
    )


def _finished(run: Run) -> TrainState | None:
    """Return where training ended; None where it has not."""
    if not run.summary.is_file():
        return None
    try:
        state = TrainState.from_state_dict(read_json(run.summary))
        return TypeAdapter(TrainState).validate_python(asdict(state))
    except (KeyError, ValidationError):
        raise UserError(f"{run.summary}: damaged: it does not say where training ended") from None


def _state(run: Run, train_state: TrainState | None, *, is_finished: bool) -> str:
    """Return in words how far a run is, whose newest checkpoint or end is `train_state`."""
    locked = is_locked(run)
    if train_state is None:
        if run.config.is_file() or locked:
            return "running" if locked else "nothing saved yet"
        return "no run" if any(run.folder.iterdir()) else "empty"
    epoch = train_state.epoch + (train_state.epoch_step > 0)
    position = f"update {train_state.step:,} of epoch {epoch}"
    if locked:
        return f"running, saved at {position}"
    return "finished" if is_finished else f"stopped at {position}"


def _changed(run: Run) -> datetime:
    """Return when training last changed a run's files; of no run, when the folder changed."""
    paths = (run.config, run.metrics, run.summary, run.log)
    changed_ns = max(file_stamp(path)[0] for path in paths) or file_stamp(run.folder)[0]
    return datetime.fromtimestamp(changed_ns / 1e9).astimezone()
