"""Several processes on this machine that train together, started by torch's own launcher."""

import logging
import os
import signal
import sys
from collections.abc import Callable, Sequence

from gru_mt.data.workers import STOPS, cores
from gru_mt.training.presence import LAUNCHED

SAVING_S = 600  # for processes to save after a signal, before they are killed


def launch(processes: int, arguments: Sequence[str], say: Callable[[str], None]) -> int:
    """Run gru-mt with these arguments in so many processes; return the code to exit with.

    They share the cores, unless OMP_NUM_THREADS says how many threads each has. Signals go on to
    them. Where one is killed the others end, and `say` is told.
    """
    launcher = logging.getLogger("torch.distributed.elastic")
    launcher.propagate = False  # the processes have said what there is to say
    launcher.addHandler(logging.NullHandler())
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, cores() // processes)))
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")
    from torch.distributed.elastic.multiprocessing.api import DefaultLogsSpecs, SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    config = LaunchConfig(
        min_nodes=1,
        max_nodes=1,
        nproc_per_node=processes,
        logs_specs=DefaultLogsSpecs(log_dir=os.devnull),  # else a folder stays in the temporary one
        run_id=f"{LAUNCHED}{os.getpid()}",
        rdzv_backend="c10d",
        rdzv_endpoint="localhost:0",
        local_addr="localhost",
        max_restarts=0,
        signals_to_handle=",".join(
            each.name for each in STOPS if signal.getsignal(each) != signal.SIG_IGN
        ),
        shutdown_timeout=SAVING_S,
    )
    try:
        elastic_launch(config, sys.executable)("-m", "gru_mt", *arguments)
    except SignalException as stopped:
        return 128 + stopped.sigval
    except ChildFailedError as failed:
        return _code(
            {rank: each.exitcode for rank, each in failed.failures.items()}, processes, say
        )
    return 0


def _code(code_of: dict[int, int], processes: int, say: Callable[[str], None]) -> int:
    """Return the code to exit with where processes failed; tell of one that was killed.

    `code_of` has the exit code of each rank that failed, in the order in which the launcher saw it;
    of a killed one it is minus the signal. Once it sees one, the launcher ends all others with
    SIGTERM, and after half a minute with SIGKILL.
    """
    for rank, code in code_of.items():
        if code < 0 and code != -signal.SIGTERM:
            say(
                f"process {rank} of {processes} was ended by {signal.Signals(-code).name}; "
                "the same command goes on from the newest checkpoint"
            )
            return 1
    told = [code for code in code_of.values() if code > 1]  # it said itself why it ended
    return told[0] if told else 1 if 1 in code_of.values() else 128 + signal.SIGTERM
