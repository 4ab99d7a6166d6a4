"""`gru-mt train --processes`: several processes on this machine, started by torch's launcher."""

import logging
import multiprocessing
import os
import runpy
import signal
import sys
import traceback

from gru_mt.data.pool import STOPS, cores
from gru_mt.errors import ProcessLost


def launch(processes: int) -> int:
    """Run this command in processes that share the cores; return the code to exit with.

    Signals go on to them. Where one fails the others end. Raises ProcessLost where one was killed.
    """
    logging.disable()  # the processes say themselves why they end
    os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")
    os.environ.setdefault("PYTHONWARNINGS", "ignore:resource_tracker")  # of a killed process
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, cores() // processes)))
    from torch.distributed.elastic.multiprocessing.api import DefaultLogsSpecs, SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    heard = (stop.name for stop in STOPS if signal.getsignal(stop) != signal.SIG_IGN)
    config = LaunchConfig(
        *(1, 1, processes),  # hosts at least and at most, processes on each
        logs_specs=DefaultLogsSpecs(log_dir=os.devnull),  # else a folder stays in the temporary one
        rdzv_backend="c10d",
        rdzv_endpoint="localhost:0",
        local_addr="localhost",
        max_restarts=0,
        signals_to_handle=",".join(heard),
        shutdown_timeout=600,  # seconds for processes to save after a signal
    )
    try:
        elastic_launch(config, _run_command)()
    except SignalException as stopped:
        return 128 + stopped.sigval
    except ChildFailedError as failed:
        [(rank, failure)] = failed.failures.items()  # the first
        if failure.exitcode > 0:
            return failure.exitcode
        name = signal.Signals(-failure.exitcode).name
        told = f"process {rank} of {processes} was ended by {name}; the same command goes on"
        raise ProcessLost(f"{told} from the newest checkpoint") from None
    return 0


def _run_command() -> None:
    os.setsid()  # Ctrl-C reaches it once, through the launcher
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    launcher = multiprocessing.parent_process()
    if launcher and not launcher.is_alive():  # it died before torch asked for a SIGINT then
        sys.exit(1)
    try:
        runpy.run_module("gru_mt", run_name="__main__")
    except SystemExit as end:
        sys.exit(end.code or 0)  # the launcher would wait for what ends with None
    except Exception:
        traceback.print_exc()
        sys.exit(1)
