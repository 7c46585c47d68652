"""A simulated cluster: the real scheduler with stub workers that hold nothing and sleep in place of work."""

import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from rich.table import Table

WORKERS, CHUNKS, SLEEP = 20, (100, 1_000, 10_000), 0.001


class Simulated(NamedTuple):
    """Seconds of a pass by tasks and by messages over so many chunks, and what sleeping alone would take."""

    chunks: int
    asleep: float
    tasks: float
    messages: float


def simulated(scale: float = 1.0) -> Iterator[Simulated]:
    """Passes over chunks of one row each. The workers are threads of this process: their share is an upper bound."""
    import dask.array as da
    from distributed import Client, LocalCluster

    from learnable import config_context
    from learnable.rows import as_rows

    with (
        LocalCluster(n_workers=WORKERS, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster,
        Client(cluster),
    ):
        for count in (max(int(chunks * scale), 20) for chunks in CHUNKS):
            with config_context(dask_persist=False):
                tasks = _seconds(as_rows(da.zeros((count, 1), chunks=(1, 1))))
            with config_context(dask_persist=True):
                messages = _seconds(as_rows(da.zeros((count, 1), chunks=(1, 1))))
            yield Simulated(count, SLEEP * count / WORKERS, tasks, messages)


def _seconds(rows: Any) -> float:
    rows.reduce(_asleep(0.0))
    start = time.perf_counter()
    rows.reduce(_asleep(SLEEP))
    return time.perf_counter() - start


def _asleep(seconds: float) -> Callable[[Any], int]:
    def sleep(block: Any) -> int:
        time.sleep(seconds)
        return 1

    return sleep


def simulated_table(rows: list[Simulated]) -> Table:
    table = Table(title=f"A pass on {WORKERS} stub workers, {1e3 * SLEEP:g} ms a chunk", title_justify="left")
    for name in ("chunks", "asleep, s", "chunks made anew, s", "chunks kept, s"):
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(f"{row.chunks:,}", f"{row.asleep:.2f}", f"{row.tasks:.2f}", f"{row.messages:.2f}")
    return table
