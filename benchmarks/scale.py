"""A wide sparse design at a tenth of its planned size: bytes, seconds per pass, seconds per fit."""

import resource
import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table
from scipy import sparse

SEED = 7
PLANNED = (1_000_000, 100_000, 100_000_000)  # rows, columns, entries that are not zero
MEASURED = (1_000_000, 10_000, 10_000_000)  # a tenth of the columns, each as full as planned
SUPPORT = 100
SHARES = (0.5, 0.1)


class Figure(NamedTuple):
    """One measured number; of a time, `figure` is by the clock on the wall and `processor` by that of the process."""

    what: str
    figure: float
    unit: str
    note: str = ""
    processor: float | None = None


def bytes_of_design(rows: int, columns: int, entries: int) -> dict[str, int]:
    """Bytes of a compressed design (float64 values, int32 places) and of the vectors a lasso keeps beside it."""
    return {
        "values": 8 * entries,
        "places": 4 * entries,
        "starts": 4 * (columns + 1),
        "vectors over rows (target, residual, prediction)": 3 * 8 * rows,
        "vectors over columns (coefficient, correlation, length, mean)": 4 * 8 * columns,
    }


def design(rows: int, columns: int, entries: int) -> tuple[sparse.csc_matrix, np.ndarray]:
    """Standard normal entries, one at a random place in each of equal stretches of every column; a sparse target."""
    generator = np.random.default_rng(SEED)
    each = max(entries // columns, 1)
    stretch = rows // each
    places = np.arange(each) * stretch + generator.integers(stretch, size=(columns, each))
    starts = np.arange(0, each * columns + 1, each, dtype=np.int32)
    values = generator.standard_normal(each * columns)
    X = sparse.csc_matrix((values, places.ravel().astype(np.int32), starts), shape=(rows, columns))
    beta = np.zeros(columns)
    beta[generator.choice(columns, SUPPORT, replace=False)] = 3.0 * generator.standard_normal(SUPPORT)
    return X, X @ beta + 0.1 * generator.standard_normal(rows)


def scale_figures(scale: float = 1.0) -> Iterator[Figure]:
    """Measure a design of `MEASURED` size, or a share of it in rows, columns and entries."""
    from learnable import certify
    from learnable.sparse import Lasso

    Lasso(alpha=0.1).fit(sparse.csc_matrix(np.eye(20)), np.arange(20.0))  # kernels are loaded
    rows, columns, entries = (max(int(scale * size), 1000) for size in MEASURED)
    X, y = design(rows, columns, entries)
    size = f"{rows:,} x {columns:,}, {X.nnz:,} entries"
    yield Figure("design", (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes) / 2**20, "MiB", size)
    wall, cpu = (statistics.median(times) for times in zip(*(_clock(lambda: X.T @ y) for _ in range(5))))
    yield Figure("pass over all correlations", wall, "s", f"{12.0 * X.nnz / cpu / 2**30:.1f} GiB/s, median of 5", cpu)
    one_pass = cpu
    largest = float(np.abs(X.T @ y - y.mean() * np.asarray(X.sum(axis=0)).ravel()).max()) / rows
    for share in SHARES:
        model = Lasso(alpha=share * largest, tol=1e-6)
        wall, cpu = _clock(lambda model=model: model.fit(X, y))
        note = f"{np.count_nonzero(model.coef_)} columns, {model.status_}, gap {model.dual_gap_:.0e}"
        yield Figure(f"fit at {share:g} of the largest penalty", wall, "s", f"{note}; {cpu / one_pass:.0f} passes", cpu)
        wall, cpu = _clock(lambda model=model: certify(model, X, y))
        yield Figure("    of which certificate", wall, "s", "computed again by itself", cpu)
    yield Figure("most memory of the process", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10, "MiB")


def scale_table(rows: list[Figure]) -> Table:
    table = Table(title="A wide sparse design", title_justify="left", caption_justify="left")
    table.add_column("what")
    table.add_column("figure", justify="right", no_wrap=True)
    table.add_column("processor", justify="right", no_wrap=True)
    table.add_column("note", overflow="fold")
    for row in rows:
        processor = "" if row.processor is None else f"{row.processor:.3g} {row.unit}"
        table.add_row(row.what, f"{row.figure:.3g} {row.unit}", processor, row.note)
    planned = sum(bytes_of_design(*PLANNED).values()) / 2**30
    table.caption = f"The whole, {PLANNED[0]:,} x {PLANNED[1]:,} with {PLANNED[2]:,} entries, needs {planned:.2f} GiB."
    return table


def _clock(run: Callable[[], Any]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - wall, time.process_time() - cpu
