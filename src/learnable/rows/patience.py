"""Waiting for a dask cluster: as long as it has workers, and not much longer."""

import sys
from typing import Any

from learnable.config import get_config

# How often a pass that takes long looks whether there still are workers.
LOOK_EVERY = 1.0


def current_client() -> Any | None:
    """The `distributed.Client` that dask would use here; None where it runs on threads or processes of its own."""
    if "distributed" not in sys.modules:
        return None
    from dask.base import get_scheduler
    from distributed import Client

    found = getattr(get_scheduler(), "__self__", None)
    return found if isinstance(found, Client) else None


def free_memory(client: Any) -> tuple[int, float]:
    """(number of workers, bytes of their memory that nothing is known to use); 0 bytes where no limits are known."""
    workers = client.scheduler_info()["workers"].values()
    limits = [worker.get("memory_limit") or 0 for worker in workers]
    if not limits or min(limits) == 0:
        return len(limits), 0.0
    used = sum(worker.get("metrics", {}).get("memory", 0) for worker in workers)
    return len(limits), float(sum(limits) - used)


def result_of(client: Any, delayed: Any) -> Any:
    """The value of a delayed object, computed on the cluster.

    TimeoutError when the cluster has had no worker for `config_context(dask_timeout=...)` seconds, ConnectionError when
    its scheduler is gone.
    """
    from concurrent.futures import CancelledError
    from time import monotonic

    future = client.compute(delayed, optimize_graph=False)
    patience = get_config()["dask_timeout"]
    seen = monotonic()
    try:
        while True:
            try:
                return future.result(timeout=min(LOOK_EVERY, patience))
            except TimeoutError:
                if future.status == "error":  # a chunk's own
                    raise
                if future.done():
                    continue
            if _has_workers(client):
                seen = monotonic()
            elif monotonic() - seen >= patience:
                raise TimeoutError(_no_workers(client, patience)) from None
    except (CancelledError, OSError) as error:
        if isinstance(error, TimeoutError) or (isinstance(error, OSError) and future.status == "error"):
            raise
        raise ConnectionError(
            f"the dask scheduler at {_address(client)} is gone, and with it what it was computing; start one, connect "
            "a Client and fit again (rows from `learnable.rows.checkpointed` go on where they were)"
        ) from error
    finally:
        if not future.done():
            client.cancel([future], force=True)


def _has_workers(client: Any) -> bool:
    try:
        return bool(client.sync(client.scheduler.ncores, callback_timeout=LOOK_EVERY))
    except (OSError, TimeoutError):
        return False


def _no_workers(client: Any, patience: float) -> str:
    at = _address(client)
    return (
        f"the dask cluster at {at} has had no worker for {patience:g} s; start one (`dask worker {at}`) and fit again, "
        "or have fits wait longer with `learnable.config_context(dask_timeout=...)` (rows from "
        "`learnable.rows.checkpointed` go on where they were)"
    )


def _address(client: Any) -> str:
    return getattr(client.scheduler, "address", None) or "an unknown address"
