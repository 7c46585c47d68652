"""Learners of concepts: seconds of a fit with its certificate, beside the plain loop that the textbook writes."""

import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from benchmarks.problems import SEED


class Job(NamedTuple):
    """Something to time.

    Attributes
    ----------
    what, size : what is done, and on how much.
    run : does it and says in a few words what came out.
    """

    what: str
    size: str
    run: Callable[[], str]


class Timing(NamedTuple):
    """Median seconds of a job, by the clock and of the processor, and what came out."""

    what: str
    size: str
    wall: float
    cpu: float
    outcome: str


def timings(scale: float, turns: int) -> Iterator[Timing]:
    """Every job, `turns` times after one turn to warm up."""
    for job in jobs(scale):
        outcome, clock = job.run(), []
        for _ in range(turns):
            wall, cpu = time.perf_counter(), time.process_time()
            outcome = job.run()
            clock.append((time.perf_counter() - wall, time.process_time() - cpu))
        walls, cpus = zip(*clock)
        yield Timing(job.what, job.size, statistics.median(walls), statistics.median(cpus), outcome)


def timings_table(rows: Iterable[Timing]) -> Table:
    """One row a job."""
    table = Table(title="Learners of concepts, certificate included (medians)", title_justify="left")
    for heading in ("what", "size"):
        table.add_column(heading)
    for heading in ("wall s", "cpu s"):
        table.add_column(heading, justify="right")
    table.add_column("outcome")
    for row in rows:
        table.add_row(row.what, row.size, f"{row.wall:.3f}", f"{row.cpu:.3f}", row.outcome)
    return table


def jobs(scale: float) -> Iterator[Job]:
    """k-CNF elimination ours and plain; colouring by k-term DNF; rectangles and half-spaces."""
    random = np.random.default_rng(SEED)
    rows = max(100, int(5000 * scale))
    for n, k in ((50, 2), (50, 3), (100, 3)) if scale >= 1.0 else ((12, 2), (12, 3)):
        X = (random.random((rows, n)) < 0.9).astype(int)  # mostly ones: many clauses live long
        y = ((X[:, 0] | X[:, 1]) & (1 - X[:, 2] | X[:, 3]) & (X[:, 4] | 1 - X[:, 6])).astype(bool)
        size = f"{rows} rows, n={n}, k={k}"
        yield Job("KCNFLearner", size, lambda X=X, y=y, k=k: _fitted("KCNFLearner", X, y, k))
        if n * k <= 150:
            yield Job("the same, example by example", size, lambda X=X, y=y, k=k: _plain_elimination(X, y, k))
    for name, k in (("mycielski 4", 3), ("les miserables", 3), ("mycielski 5", 4)):
        yield Job(f"colour_graph, {k} colours", name, lambda name=name, k=k: _coloured(name, k))
    points = random.random((int(200_000 * scale) + 100, 5))
    in_box = np.all((points > 0.1) & (points < 0.9), axis=1)
    yield Job("RectangleLearner", f"{len(points)} rows, d=5", lambda: _fitted("RectangleLearner", points, in_box))
    some = points[: int(10_000 * scale) + 100]
    above = some @ [1.0, -2.0, 0.5, 1.0, 0.0] > 0.2
    yield Job("HalfSpaceLearner", f"{len(some)} rows, d=5", lambda: _fitted("HalfSpaceLearner", some, above))


def _fitted(name: str, X: np.ndarray, y: np.ndarray, *arguments: Any) -> str:
    import learnable.concepts

    model = getattr(learnable.concepts, name)(*arguments).fit(X, y)
    return f"certificate {'holds' if model.certificate_.holds else 'FAILS'}"


def _plain_elimination(X: np.ndarray, y: np.ndarray, k: int) -> str:
    from learnable.concepts import all_clauses

    truth = np.column_stack([X == 1, X == 0, np.zeros(len(X), dtype=bool)])  # the last column is the filling −1
    clauses = all_clauses(X.shape[1], k)
    for row in truth[y]:
        clauses = clauses[row[clauses].any(axis=1)]
    return f"{len(clauses)} clauses left, no certificate"


def _coloured(name: str, k: int) -> str:
    import networkx as nx

    from learnable.concepts import colour_graph

    make = {
        "mycielski 4": lambda: nx.mycielski_graph(4),
        "mycielski 5": lambda: nx.mycielski_graph(5),
        "les miserables": nx.les_miserables_graph,
    }
    found = colour_graph(make[name](), k)
    if found.colours is not None:
        return "coloured"
    proof = found.model.refutation_
    steps, accepted = int((proof == 0).sum()), found.model.certificate_.claims[-1].holds
    return f"refuted, proof of {steps} steps {'accepted' if accepted else 'REJECTED'}"
