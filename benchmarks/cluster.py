"""Fits over threads, files and a dask cluster beside the same fits in memory, and beside dask-ml and xgboost.dask.

Every rival is asked for the same problem on the same chunks; it runs where it is installed. One table: seconds by the
clock on the wall, the best of the turns after one that is not counted.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

ROWS, COLUMNS, CHUNKS, MANY_CHUNKS, WORKERS = 2_000_000, 20, 50, 2_000, 2
LONG = 20.0
WAYS = ("memory", "threads", "Parquet", "dask kept", "dask lazy", "rival")


class Timing(NamedTuple):
    """Seconds of one fit along each way; `rival` names who ran in the last column."""

    what: str
    seconds: dict[str, float]
    rival: str = ""


class _Case(NamedTuple):
    name: str
    model: Callable[[], Any]
    target: str | None
    rival: Callable[[Any, Any], Any] | None
    rival_name: str


def cluster_figures(scale: float = 1.0, turns: int = 3, only: str = "") -> Iterator[Timing]:
    """The fits, then one pass over few and over many chunks beside dask's own product."""
    n, few = max(int(ROWS * scale), 5_000), CHUNKS if scale == 1.0 else 10
    X, targets = _data(n)
    with tempfile.TemporaryDirectory(prefix="learnable-") as folder, _client() as client:
        path = _written(Path(folder) / "rows.parquet", X, targets)
        for case in _cases():
            if only.lower() in case.name.lower():
                yield _timed(case, X, targets, path, client, few, turns)
        for chunks in (few, MANY_CHUNKS if scale == 1.0 else 200):
            if only.lower() in "one pass":
                yield _one_pass(X, chunks, client, turns)


def cluster_table(rows: list[Timing]) -> Table:
    table = Table(title=f"Past one machine: {WORKERS} workers", title_justify="left", caption_justify="left")
    table.add_column("seconds")
    for way in WAYS:
        table.add_column(way, justify="right", no_wrap=True)
    table.add_column("dask kept / memory", justify="right", no_wrap=True)
    table.add_column("who is the rival")
    for row in rows:
        cells = [f"{row.seconds[way]:.3g}" if way in row.seconds else "" for way in WAYS]
        both = {"memory", "dask kept"} <= set(row.seconds)
        ratio = f"{row.seconds['dask kept'] / row.seconds['memory']:.2f}" if both else ""
        table.add_row(row.what, *cells, ratio, row.rival)
    table.caption = (
        "kept: chunks stay in the workers' memory after the first pass; lazy: every pass computes them anew."
    )
    return table


def _timed(case: _Case, X: Any, targets: dict, path: Path, client: Any, chunks: int, turns: int) -> Timing:
    from learnable import config_context
    from learnable.rows import ParquetRows, as_rows

    y = None if case.target is None else targets[case.target]
    Z, z = _chunked(X, y, chunks)
    names = [f"x{j}" for j in range(X.shape[1])]
    ways: dict[str, Callable[[], Any]] = {
        "memory": lambda: case.model().fit(*_given(X, y)),
        "threads": lambda: case.model().fit(as_rows(*_given(X, y))),
        "Parquet": lambda: case.model().fit(ParquetRows(path, target=case.target, columns=names)),
        "dask kept": lambda: case.model().fit(*_given(*kept)),
        "dask lazy": lambda: case.model().fit(*_given(Z, z)),
    }
    seconds = {}
    kept = _persisted(client, Z, z)
    for way, run in ways.items():
        with config_context(dask_persist=False if way == "dask lazy" else "fits"):
            seconds[way] = _best(run, turns)
    if case.rival is None:
        return Timing(case.name, seconds)
    try:
        rival = case.rival
        seconds["rival"] = _best(lambda: rival(*kept), turns)
    except Exception as error:  # whatever a rival dies of is told, not raised
        return Timing(case.name, seconds, f"{case.rival_name}: {type(error).__name__}")
    return Timing(case.name, seconds, case.rival_name)


def _one_pass(X: np.ndarray, chunks: int, client: Any, turns: int) -> Timing:
    from learnable.rows import as_rows

    Z, _ = _persisted(client, *_chunked(X, None, chunks))
    rows = as_rows(Z)
    seconds = {
        "memory": _best(lambda: as_rows(X).reduce(_product), turns),
        "dask kept": _best(lambda: rows.reduce(_product), turns),
        "rival": _best(lambda: (Z.T @ Z).compute(), turns),
    }
    return Timing(f"one pass, {chunks} chunks", seconds, "dask's Z.T @ Z")


def _product(block: Any) -> np.ndarray:
    return block.X.T @ block.X


def _best(run: Callable[[], Any], turns: int) -> float:
    """The best of the turns; a first one that takes long is the only one."""
    found = []
    for turn in range(turns + 1):
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
        if turn == 0 and found[0] > LONG:
            return found[0]
    return min(found[1:])


def _data(n: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, COLUMNS))
    f = X @ (0.2 * rng.normal(size=COLUMNS))
    return X, {
        "y": f + rng.normal(size=n),
        "label": (f + rng.logistic(size=n) > 0).astype(np.int64),
        "count": rng.poisson(np.exp(f)).astype(float),
    }


def _written(path: Path, X: np.ndarray, targets: dict[str, np.ndarray]) -> Path:
    import pyarrow
    from pyarrow import parquet

    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])}
    parquet.write_table(pyarrow.table(columns | targets), path, row_group_size=max(len(X) // CHUNKS, 1))
    return path


def _chunked(X: np.ndarray, y: np.ndarray | None, chunks: int = CHUNKS) -> tuple[Any, Any]:
    import dask.array as da

    step = -(-len(X) // chunks)
    return da.from_array(X, chunks=(step, X.shape[1])), None if y is None else da.from_array(y, chunks=step)


def _persisted(client: Any, *tables: Any) -> list[Any]:
    from distributed import wait

    kept = [None if table is None else client.persist(table) for table in tables]
    wait([table for table in kept if table is not None])
    return kept


def _given(*tables: Any) -> list[Any]:
    return [table for table in tables if table is not None]


@contextmanager
def _client() -> Iterator[Any]:
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=WORKERS, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client


def _cases() -> list[_Case]:
    from learnable.bayes import GaussianNB
    from learnable.linear import LinearRegression, LogisticRegression, PoissonRegressor, Ridge
    from learnable.sparse import Lasso
    from learnable.unsupervised import PCA, GaussianMixture, KMeans

    return [
        _Case("least squares", LinearRegression, "y", _dask_ml("linear_model", "LinearRegression"), "dask-ml"),
        _Case("ridge", Ridge, "y", None, ""),
        _Case("lasso", lambda: Lasso(0.01), "y", _dask_ml("linear_model", "LinearRegression", penalty="l1"), "dask-ml"),
        _Case("logistic", LogisticRegression, "label", _dask_ml("linear_model", "LogisticRegression"), "dask-ml"),
        _Case("Poisson", PoissonRegressor, "count", _dask_ml("linear_model", "PoissonRegression"), "dask-ml"),
        _Case("Gaussian naive Bayes", GaussianNB, "label", _dask_ml("naive_bayes", "GaussianNB"), "dask-ml"),
        _Case("k-means", lambda: KMeans(5, n_init=1, max_iter=10, random_state=0), None,
              _dask_ml("cluster", "KMeans", n_clusters=5, max_iter=10, random_state=0), "dask-ml"),
        _Case("Gaussian mixture", lambda: GaussianMixture(3, random_state=0, max_iter=5), None, None, ""),
        _Case("principal axes", lambda: PCA(5), None, _dask_ml("decomposition", "PCA", n_components=5), "dask-ml"),
    ]  # fmt: skip


def _dask_ml(room: str, name: str, **parameters: Any) -> Callable[[Any, Any], Any]:
    def fit(X: Any, y: Any) -> Any:
        from importlib import import_module

        return getattr(import_module(f"dask_ml.{room}"), name)(**parameters).fit(*_given(X, y))

    return fit


def scheduler_figures(chunks: tuple[int, ...] = (100, 1_000, 10_000), seconds: float = 0.0) -> Iterator[Timing]:
    """A pass over chunks whose work is to sleep: what is left is the scheduler's, whatever the number of workers.

    The scheduler and its messages are the real ones; the workers are threads of one process that hold no data.
    """
    import dask.array as da
    from distributed import Client, LocalCluster

    from learnable import config_context
    from learnable.rows import as_rows

    with (
        LocalCluster(n_workers=4, threads_per_worker=25, processes=False, dashboard_address=None) as cluster,
        Client(cluster),
        config_context(dask_persist=False),
    ):
        for count in chunks:
            rows = as_rows(da.zeros((count, 1), chunks=(1, 1)))
            rows.reduce(_asleep(seconds))
            start = time.perf_counter()
            rows.reduce(_asleep(seconds))
            yield Timing(f"{count:,} chunks on 100 stub workers", {"dask lazy": time.perf_counter() - start})


def _asleep(seconds: float) -> Callable[[Any], int]:
    def sleep(block: Any) -> int:
        time.sleep(seconds)
        return 1

    return sleep


def soak(minutes: float = 10.0) -> dict[str, int]:
    """Fits on a cluster whose workers die at random: how many fits, deaths and refusals; a wrong answer raises."""
    import os
    import random
    import signal

    from distributed import Client, LocalCluster

    from learnable import config_context
    from learnable.linear import LogisticRegression, Ridge

    X, targets = _data(200_000)
    expected = {kind: kind().fit(*_chunked(X, targets[y])) for kind, y in ((Ridge, "y"), (LogisticRegression, "label"))}
    told = {"fits": 0, "deaths": 0, "refusals": 0}
    chance = random.Random(0)
    with (
        LocalCluster(n_workers=3, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        Client(cluster) as client,
        config_context(dask_timeout=30),
    ):
        end = time.monotonic() + 60 * minutes
        while time.monotonic() < end:
            if chance.random() < 0.3:
                pids = list(client.run(os.getpid).values())
                with suppress(ProcessLookupError):
                    os.kill(chance.choice(pids), signal.SIGKILL)
                told["deaths"] += 1
            kind, y = chance.choice([(Ridge, "y"), (LogisticRegression, "label")])
            try:
                found = kind().fit(*_chunked(X, targets[y]))
            except (TimeoutError, ConnectionError) as error:
                print(error)
                told["refusals"] += 1
                continue
            told["fits"] += 1
            np.testing.assert_array_equal(found.coef_, expected[kind].coef_)
    return told


if __name__ == "__main__":
    import sys

    if sys.argv[1:2] == ["soak"]:
        print(soak(*map(float, sys.argv[2:])))
    elif sys.argv[1:2] == ["scheduler"]:
        for row in scheduler_figures():
            print(f"{row.what}: {row.seconds['dask lazy']:.2f} s")
    else:
        raise SystemExit(
            "python -m benchmarks.cluster soak [MINUTES] | scheduler; the table: python -m benchmarks cluster"
        )
