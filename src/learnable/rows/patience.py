"""Waiting for a dask cluster: as long as it has workers, and not much longer."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
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


def result_of(client: Any, graph: dict, key: str) -> Any:
    """The value of a task of a graph, computed on the cluster; errors as for `finished`, or the task's own."""
    with _reachable(client):
        (future,) = client.get(graph, [key], sync=False)
    finished(client, [future])
    if future.status == "error":
        return future.result()  # raises what the task has raised, OSError too
    with _reachable(client):
        return future.result()


def finished(client: Any, futures: list[Any]) -> None:
    """Wait until all of these are there, or have failed.

    TimeoutError when the cluster has had no worker for `config_context(dask_timeout=...)` seconds, or none that may do
    the work, ConnectionError when its scheduler is gone. Workers that are silent as long are struck off, and their work
    is done elsewhere.
    """
    for _ in as_finished(client, futures, "ALL_COMPLETED"):
        pass


def as_finished(client: Any, futures: list[Any], when: str = "FIRST_COMPLETED") -> Iterator[int]:
    """How many more of these are there, or have failed: whenever some are, and every second. Errors as for `finished`.

    Whoever stops listening gives up the rest.
    """
    from time import monotonic

    from distributed import wait

    patience = get_config()["dask_timeout"]
    alone, bound, waiting = 0.0, "", set(futures)
    try:
        while waiting:
            before, began = len(waiting), monotonic()
            try:
                with _reachable(client), client.as_current():
                    waiting = wait(waiting, timeout=min(LOOK_EVERY, patience), return_when=when).not_done
            except TimeoutError:
                # A machine that stood still meanwhile has not waited for workers.
                staffed = _has_workers(client)
                bound = _bound_to(client, waiting) if staffed else ""
                alone = 0.0 if staffed and not bound else alone + min(monotonic() - began, 2.0 * LOOK_EVERY)
                if alone >= patience:
                    if client.status != "running":
                        raise _gone(client) from None
                    raise TimeoutError(_no_workers(client, patience, bound)) from None
            yield before - len(waiting)
    finally:
        if unfinished := [future for future in waiting if not future.done()]:
            client.cancel(unfinished, force=True)


@contextmanager
def _reachable(client: Any) -> Iterator[None]:
    """A sentence where the scheduler is gone."""
    from concurrent.futures import CancelledError

    try:
        yield
    except TimeoutError:
        raise
    except (CancelledError, OSError) as error:
        raise _gone(client) from error


def _gone(client: Any) -> ConnectionError:
    return ConnectionError(
        f"the dask scheduler at {_address(client)} is gone, and with it what it was computing; start one, connect a "
        "Client and fit again (rows from `learnable.rows.checkpointed` go on where they were)"
    )


def _has_workers(client: Any) -> bool:
    try:
        return bool(client.sync(heard_of, client, get_config()["dask_timeout"], callback_timeout=LOOK_EVERY))
    except (OSError, TimeoutError):
        return False


async def heard_of(client: Any, patience: float) -> list[str]:
    """The workers of a cluster that have not been silent for `patience` seconds, as a process that stands still. Others
    are struck off, so that the scheduler has their work done elsewhere, if there is anybody; by itself it does so after
    minutes. Time in which nobody looked does not count: where a whole machine stood still, no worker is to blame."""
    import cloudpickle

    async def struck_off(patience: float, every: float, dask_scheduler: Any = None) -> list[str]:
        # Within another function, so that it travels by value: the scheduler may not have this library.
        from distributed.scheduler import heartbeat_interval

        workers, now = dask_scheduler.workers, dask_scheduler.loop.time()
        longest = max(patience, 10.0 * heartbeat_interval(len(workers)))
        before, silent = vars(dask_scheduler).get("_learnable_looked", (now, {}))
        passed = min(now - before, 2.0 * every)
        known = {address: silent.get(address, (0.0, 0.0)) for address in workers}
        silent = {
            address: (worker.last_seen, known[address][1] + passed if known[address][0] == worker.last_seen else 0.0)
            for address, worker in workers.items()
        }
        dask_scheduler._learnable_looked = now, silent
        heard = [address for address, (_, seconds) in silent.items() if seconds <= longest]
        for address in silent.keys() - heard if heard else ():
            await dask_scheduler.remove_worker(address, stimulus_id=f"learnable-silent-{now}")
        return heard

    message = {"function": cloudpickle.dumps(struck_off), "args": cloudpickle.dumps((patience, LOOK_EVERY))}
    reply = await client.scheduler.run_function(**message)
    return reply["result"] if reply["status"] == "OK" else list(await client.scheduler.ncores())


def _bound_to(client: Any, futures: set[Any]) -> str:
    """The workers, hosts or resources, all of them missing, to which tasks that these wait for were bound when a table
    was persisted; empty where there are none."""
    import cloudpickle

    def restricted(keys: list[Any], dask_scheduler: Any = None) -> str:
        # Within another function, so that it travels by value.
        ahead, seen = [dask_scheduler.tasks[key] for key in keys if key in dask_scheduler.tasks], set()
        while ahead:
            task = ahead.pop()
            if task in dask_scheduler.unrunnable:
                wanted = task.worker_restrictions or task.host_restrictions or task.resource_restrictions or ()
                return ", ".join(sorted(map(str, wanted)))
            new = [other for other in task.waiting_on or () if other not in seen]
            seen.update(new)
            ahead += new
        return ""

    message = {"function": cloudpickle.dumps(restricted), "args": cloudpickle.dumps(([one.key for one in futures],))}
    try:
        reply = client.sync(client.scheduler.run_function, **message, callback_timeout=LOOK_EVERY)
    except (OSError, TimeoutError):
        return ""
    return reply["result"] if reply["status"] == "OK" else ""


def _no_workers(client: Any, patience: float, bound: str = "") -> str:
    at = _address(client)
    if bound:
        return (
            f"chunks of the table may only be computed by {bound}, which the dask cluster at {at} has not had for "
            f"{patience:g} s; persist the table without `workers=` or `resources=` and fit again, or have fits wait "
            "longer with `learnable.config_context(dask_timeout=...)`"
        )
    return (
        f"the dask cluster at {at} has had no worker for {patience:g} s; start one (`dask worker {at}`) and fit again, "
        "or have fits wait longer with `learnable.config_context(dask_timeout=...)` (rows from "
        "`learnable.rows.checkpointed` go on where they were)"
    )


def _address(client: Any) -> str:
    return getattr(client.scheduler, "address", None) or "an unknown address"
