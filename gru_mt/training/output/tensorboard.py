"""The metrics of a run for TensorBoard, by torch's own writer; imported where it is asked for."""

from importlib.util import find_spec
from typing import Any

from gru_mt.errors import UserError
from gru_mt.run import Run, flatten


def require_tensorboard() -> None:
    """Raise UserError where the package that writes event files is not installed."""
    if find_spec("tensorboard") is None:
        raise UserError(
            "training.tensorboard: the package tensorboard is not installed: "
            "pip install 'gru-mt[tensorboard]'"
        )


class TensorBoardWriter:
    """Writes metrics into event files, at the same updates."""

    def __init__(self, run: Run, step: int) -> None:
        """Go on after update `step`: what was written of later ones counts no more.

        A run that is resumed with its first event file gets the metrics so far.
        """
        from torch.utils.tensorboard import SummaryWriter

        self._run = run
        try:
            is_first = not run.tensorboard.exists()
            self._writer = SummaryWriter(str(run.tensorboard), purge_step=step + 1)
        except OSError as error:
            raise self._refused(error) from None
        for line in run.read_metrics()[0] if is_first else []:
            self.add(line["step"], {name: line[name] for name in line if name != "step"})

    def add(self, step: int, metrics: dict[str, Any]) -> None:
        """Write the numbers among `metrics`; UserError where the disk takes no more."""
        try:
            for name, value in flatten(metrics).items():
                if isinstance(value, int | float):
                    self._writer.add_scalar(name, value, step)
            self._writer.flush()  # a kill loses nothing that the metrics have
        except OSError as error:
            raise self._refused(error) from None

    def close(self) -> None:
        """Close the event file."""
        self._writer.close()

    def _refused(self, error: OSError) -> UserError:
        return UserError(f"{self._run.tensorboard}: cannot be written: {error.strerror or error}")
