"""What a fit on a cluster sends, counted as it runs; a model of its time made from that, held against runs.

The model: a fit costs what planning costs, a message to every worker for each pass, and for each row what it costs in
memory. Its constants are measured on few rows and one worker; everything else is predicted.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from benchmarks.cluster import (
    CHUNKS,
    COLUMNS,
    WORKERS,
    Case,
    Clock,
    cases,
    chunked,
    data,
    given,
    local_client,
    persisted,
)

SMALL, SIZES, FEW_COLUMNS, PROCESSES = 100_000, (100_000, 1_000_000, 10_000_000, 100_000_000), 5, (1, 2, 4)
REPEATED = 20_000


class Counted(NamedTuple):
    """Of one fit: passes, and of a pass messages, bytes sent out and back, bytes read, processor time of a cell."""

    what: str
    passes: int
    messages: float
    sent: float
    received: float
    read: int
    nanoseconds: float


class Predicted(NamedTuple):
    """Processor seconds of all processes, and wall seconds, of a fit: predicted and measured (None where not run)."""

    what: str
    rows: int
    workers: int
    processor: float
    measured: float | None
    wall: float | None


def counted(scale: float = 1.0, only: str = "") -> Iterator[Counted]:
    """Every family of the cluster's table, on two workers."""
    X, targets = data(int(SMALL * max(scale, 0.05)))
    with local_client() as client:
        for case in cases():
            if only.lower() in case.name.lower():
                yield _count(case, X, targets, client)


def _count(case: Case, X: Any, targets: dict, client: Any) -> Counted:
    y = None if case.target is None else targets[case.target]
    kept, clock = given(*persisted(client, *chunked(X, y))), Clock(client)
    case.model().fit(*kept)  # kernels are loaded
    with _listening() as heard:
        used = clock.workers()
        case.model().fit(*kept)
        used = clock.workers() - used
    passes = max(len(heard), 1)
    sent, received = (sum(one[i] for one in heard) / passes for i in (0, 1))
    messages = 2 * sum(one[2] for one in heard) / passes
    read = sum(table.nbytes for table in kept)
    return Counted(case.name, len(heard), messages, sent, received, read, 1e9 * used / (passes * X.size))


@contextmanager
def _listening() -> Iterator[list[tuple[int, int, int]]]:
    """(bytes sent, bytes received, workers) of every pass by messages while it lasts."""
    from unittest.mock import patch

    import cloudpickle

    from learnable.rows import messages

    heard: list[tuple[int, int, int]] = []
    plain = messages.written_answers

    def counting(client: Any, held: Any, work: Any, directly: bool) -> Any:
        answers = plain(client, held, work, directly)
        out = len(held) * len(cloudpickle.dumps((held, work)))
        heard.append((out, sum(map(len, answers)), len(held)))
        return answers

    going = messages._from_worker_to_worker

    async def counting_stages(client: Any, stages: Any, function: Any, state: Any) -> Any:
        answers = await going(client, stages, function, state)
        out = sum(len(cloudpickle.dumps((parts, function, state))) for _, parts in stages)
        heard.append((out, len(stages) * len(answers[0]), len(stages)))
        return answers

    with (
        patch.object(messages, "written_answers", counting),
        patch.object(messages, "_from_worker_to_worker", counting_stages),
    ):
        yield heard


def predictions(scale: float = 1.0, only: str = "ridge") -> Iterator[Predicted]:
    """One family at several sizes and numbers of processes; what would fill half of the memory is predicted only."""
    sizes = [int(size * scale) for size in SIZES]
    case = next(case for case in cases() if only.lower() in case.name.lower())
    X, targets = data(SMALL, FEW_COLUMNS)
    model = _model_of(case, X, None if case.target is None else targets[case.target])
    for workers in PROCESSES:
        with local_client(workers) as client:
            clock = Clock(client)
            for n in sizes:
                used, wall = None, None
                if 8 * n * (FEW_COLUMNS + 1) < 0.5 * _free_memory():
                    kept = given(*persisted(client, *_made_by_workers(n, case.target)))
                    wall, used = clock.best(lambda kept=kept: case.model().fit(*kept), 1)
                    del kept
                yield Predicted(case.name, n, workers, model(n, workers), used, wall)


def _free_memory() -> float:
    import psutil

    return float(psutil.virtual_memory().available)


def _made_by_workers(n: int, target: str | None) -> tuple[Any, Any]:
    """Rows of the same kind as `data`, the same few over and over: nothing travels."""
    import dask.array as da

    X = da.ones((n, FEW_COLUMNS), chunks=(-(-n // CHUNKS), FEW_COLUMNS))
    made = X.map_blocks(_table, dtype=float)
    return made, None if target is None else X[:, 0].map_blocks(_targets, target, dtype=float)


def _table(chunk: Any) -> Any:
    return np.resize(data(REPEATED, FEW_COLUMNS)[0], chunk.shape)


def _targets(chunk: Any, target: str) -> Any:
    return np.resize(data(REPEATED, FEW_COLUMNS)[1][target].astype(float), chunk.shape)


def _model_of(case: Case, X: Any, y: Any) -> Callable[[int, int], float]:
    """Processor seconds as a function of rows and workers, from passes over nothing and from a fit in memory."""
    from learnable.rows import as_rows

    with local_client(1) as client:
        clock = Clock(client)
        kept = given(*persisted(client, *chunked(X, y)))
        case.model().fit(*kept)
        with _listening() as heard:
            case.model().fit(*kept)
        rows = as_rows(*kept)
        message = _repeated(clock, lambda: rows.reduce(_nothing))
        planning = _repeated(clock, lambda: as_rows(*kept).reduce(_nothing))
        memory = _repeated(clock, lambda: case.model().fit(*given(X, y)))
    n = len(X)
    return lambda rows, workers: planning + len(heard) * message * workers + memory * rows / n


def _repeated(clock: Clock, run: Callable[[], Any], turns: int = 20) -> float:
    """Processor seconds of one of many runs: the clock of a process counts in hundredths."""
    return clock.best(lambda: [run() for _ in range(turns)], 1)[1] / turns


def _nothing(block: Any) -> int:
    return 0


def counted_table(rows: list[Counted]) -> Table:
    table = Table(title=f"Counted: {CHUNKS} chunks × {COLUMNS} columns, {WORKERS} workers", title_justify="left")
    for name in ("fit", "passes", "messages a pass", "bytes out", "bytes back", "bytes read", "ns a cell and pass"):
        table.add_column(name, justify="left" if name == "fit" else "right")
    for row in rows:
        table.add_row(row.what, str(row.passes), f"{row.messages:g}", f"{row.sent:,.0f}", f"{row.received:,.0f}",
                      f"{row.read:,}", f"{row.nanoseconds:.2f}")  # fmt: skip
    table.caption = "bytes of all workers together, of the first fit after one that loads kernels"
    return table


def predicted_table(rows: list[Predicted]) -> Table:
    table = Table(title="Processor seconds of a fit, all processes", title_justify="left")
    for name in ("fit", "rows", "workers", "predicted", "measured", "wall"):
        table.add_column(name, justify="left" if name == "fit" else "right")
    for row in rows:
        seen = ["not run", ""] if row.measured is None else [f"{row.measured:.2f}", f"{row.wall:.2f}"]
        table.add_row(row.what, f"{row.rows:,}", str(row.workers), f"{row.processor:.2f}", *seen)
    return table
