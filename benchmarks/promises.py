"""Seconds of the processor that single jobs may take on a common core, beside what they took here.

No test holds a clock against a number, since machines differ and are busy; the promises are kept here.
"""

import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.table import Table

from benchmarks.problems import SEED


class Promise(NamedTuple):
    """A job, and the processor seconds promised for it at full size."""

    what: str
    size: str
    run: Callable[[], object]
    bar: float


class Kept(NamedTuple):
    """The fewest processor seconds of a job, and the bar; no bar where the size is not the promised one."""

    what: str
    size: str
    cpu: float
    bar: float | None


def promises_kept(scale: float, turns: int) -> Iterator[Kept]:
    """Every promise: the quickest of `turns` after one to warm up."""
    for promise in promises(scale):
        promise.run()
        spent = []
        for _ in range(turns):
            start = time.process_time()
            promise.run()
            spent.append(time.process_time() - start)
        yield Kept(promise.what, promise.size, min(spent), promise.bar if scale >= 1.0 else None)


def promises_table(rows: Iterable[Kept]) -> Table:
    """One row a promise."""
    table = Table(title="Promises of cost (fewest processor seconds)", title_justify="left")
    for heading in ("what", "size"):
        table.add_column(heading)
    for heading in ("cpu s", "bar"):
        table.add_column(heading, justify="right")
    for row in rows:
        broken = row.bar is not None and row.cpu > row.bar
        bar = "" if row.bar is None else f"{row.bar:g}{'  BROKEN' if broken else ''}"
        table.add_row(row.what, row.size, f"{row.cpu:.3g}", bar)
    return table


def promises(scale: float) -> Iterator[Promise]:
    """Coverage tables, bootstrap, comparison without the fits, a table from file to matrix, a sum over few rows."""
    from learnable.evaluation import bootstrap_interval, coverage
    from learnable.rows import as_rows

    random = np.random.default_rng(SEED)
    k = max(20, int(1000 * scale**0.5))
    sizes, p = np.arange(1, k + 1)[:, None], (np.arange(k) + 0.5) / k
    yield Promise(
        "exact coverage of Clopper-Pearson", f"{k}² cells", lambda: coverage("clopper_pearson", sizes, p), 5.0
    )

    n = max(200, int(100_000 * scale))
    numbers = random.normal(size=n)
    labels = random.integers(0, 3, n)
    guesses = np.where(random.random(n) < 0.8, labels, random.integers(0, 3, n))
    pairs = {"f1_macro": (labels, guesses), "mean_absolute_error": (numbers, numbers + random.normal(size=n))}
    for name, pair in (pairs | {"r2": pairs["mean_absolute_error"]}).items():
        job = lambda name=name, pair=pair: bootstrap_interval(name, *pair, random_state=0)  # noqa: E731
        yield Promise(f"bootstrap of {name}", f"10⁴ resamples of {n} rows", job, 6.0)

    few = as_rows(random.normal(size=(50, 60)))
    door = lambda: [few.reduce(lambda block: len(block.X)) for _ in range(1000)]  # noqa: E731
    yield Promise("1000 sums over 50 rows", "50 × 60", door, 0.05)

    yield Promise("bookkeeping of a comparison", "10 learners, 10 × 10 folds", _comparison(n // 100 + 100), 4.0)
    with tempfile.TemporaryDirectory() as folder:
        yield Promise("table from file to matrix", f"{n} × 50", _table(n, Path(folder) / "big.csv"), 6.0)


def _comparison(n: int) -> Callable[[], object]:
    from sklearn.datasets import make_classification
    from sklearn.dummy import DummyClassifier

    from learnable.evaluation import compare

    X, y = make_classification(n, 20, random_state=0)
    learners = {f"learner {i}": DummyClassifier() for i in range(10)}
    return lambda: compare(learners, X, y, cv=10, repeats=10, random_state=0)


def _table(n: int, path: Path) -> Callable[[], object]:
    import pyarrow as pa
    from pyarrow import csv

    from learnable.datasets import read_table
    from learnable.features import TableCoder

    random = np.random.default_rng(SEED)
    columns = {f"n{j}": random.normal(size=n) for j in range(40)}
    columns |= {f"c{j}": random.choice(list("abcdefgh"), n) for j in range(10)}
    csv.write_csv(pa.table(columns), path)
    return lambda: TableCoder().fit_transform(read_table(path))
