"""Fits over threads, files and a dask cluster beside the same fits in memory, and beside dask-ml and xgboost.dask.

Every rival is asked for the same problem on the same chunks; it runs where it is installed. One table: seconds by the
clock on the wall, the best of the turns after one that is not counted, and the ratios of wall and processor time (of
this process with the scheduler, and of the workers) to those of memory. On a busy machine only the latter says much.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

COLUMNS, CHUNKS, MANY_CHUNKS, WORKERS = 20, 50, 2_000, 2
LONG = 30.0
WAYS = ("memory", "threads", "Parquet", "dask kept", "dask lazy", "rival")


class Timing(NamedTuple):
    """Seconds of one fit along each way, and those of all processors; `rival` names who ran in the last column."""

    what: str
    seconds: dict[str, float]
    processor: dict[str, float]
    rival: str = ""

    def told(self, way: str, found: tuple[float, float]) -> None:
        """Note it, and say it at once: a long run that is ended has said what it knew."""
        self.seconds[way], self.processor[way] = found
        print(f"{self.what}, {way}: {found[0]:.3f} s, processors {found[1]:.2f} s", file=sys.stderr, flush=True)

    def ratio(self, one: str, two: str, of: str = "seconds") -> str:
        found = getattr(self, of)
        return f"{found[one] / max(found[two], 1e-9):.2f}" if {one, two} <= set(found) else ""


class Case(NamedTuple):
    name: str
    model: Callable[[], Any]
    target: str | None
    rival: Callable[[Any, Any], Any] | None
    rival_name: str


def cluster_figures(rows: int, turns: int = 3, only: str = "", rivals: bool = True, ways: str = "") -> Iterator[Timing]:
    """The fits, then one pass over few and over many chunks beside dask's own product.

    Parameters
    ----------
    only : parts of names of cases, with commas between them; all cases where there are none.
    ways : names of `WAYS`, with commas between them; all where there are none.
    """
    n, few, many = (rows, CHUNKS, MANY_CHUNKS) if rows >= 100_000 else (max(rows, 5_000), 10, 200)
    asked = [name.strip().lower() for name in only.split(",")]
    along = [way.strip() for way in ways.split(",")] if ways else list(WAYS)
    X, targets = data(n)
    with tempfile.TemporaryDirectory(prefix="learnable-") as folder, local_client() as client:
        path = written(Path(folder) / "rows.parquet", X, targets)
        for case in cases():
            if any(name in case.name.lower() for name in asked):
                yield _timed(case if rivals else case._replace(rival=None), X, targets, path, client, turns, along)
        for chunks in (few, many):
            if any(name in "one pass" for name in asked):
                yield _one_pass(X, chunks, client, turns)


def cluster_table(rows: list[Timing]) -> Table:
    table = Table(title=f"Past one machine: {WORKERS} workers", title_justify="left", caption_justify="left")
    table.add_column("seconds")
    for way in WAYS:
        table.add_column(way, justify="right", no_wrap=True)
    for name in ("kept / memory", "processor", "rival / kept", "processor "):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("who is the rival")
    for row in rows:
        cells = [f"{row.seconds[way]:.3g}" if way in row.seconds else "" for way in WAYS]
        ratios = [row.ratio("dask kept", "memory"), row.ratio("dask kept", "memory", "processor"),
                  row.ratio("rival", "dask kept"), row.ratio("rival", "dask kept", "processor")]  # fmt: skip
        table.add_row(row.what, *cells, *ratios, row.rival)
    table.caption = (
        "kept: chunks stay in the workers' memory after the first pass; lazy: every pass computes them anew; "
        "processor: the ratio before it in processor time of all processes."
    )
    return table


def _timed(case: Case, X: Any, targets: dict, path: Path, client: Any, turns: int, along: Sequence[str]) -> Timing:
    from learnable import config_context
    from learnable.rows import ParquetRows, as_rows

    y = None if case.target is None else targets[case.target]
    names = [f"x{j}" for j in range(X.shape[1])]
    ways: dict[str, Callable[[], Any]] = {
        "memory": lambda: case.model().fit(*given(X, y)),
        "threads": lambda: case.model().fit(as_rows(*given(X, y))),
        "Parquet": lambda: case.model().fit(ParquetRows(path, target=case.target, columns=names)),
        "dask kept": lambda: case.model().fit(*given(*kept)),
        "dask lazy": lambda: case.model().fit(*given(*_lazy(path, names, case.target))),
    }
    found = Timing(case.name, {}, {}, case.rival_name)
    # A row group a chunk, read by the workers.
    kept = persisted(client, _read(path, names), None if y is None else _read(path, [case.target])[:, 0])
    clock = Clock(client)
    for way, run in ((way, run) for way, run in ways.items() if way in along):
        with config_context(dask_persist=False if way == "dask lazy" else "fits"):
            found.told(way, clock.best(run, turns))
    if case.rival is None:
        return found
    try:
        rival = case.rival
        found.told("rival", clock.best(lambda: rival(*kept), turns))
    except Exception as error:  # whatever a rival dies of is told, not raised
        return found._replace(rival=f"{case.rival_name}: {type(error).__name__}")
    return found


def _one_pass(X: np.ndarray, chunks: int, client: Any, turns: int) -> Timing:
    from learnable.rows import as_rows

    Z, _ = persisted(client, *chunked(X, None, chunks))
    rows, clock = as_rows(Z), Clock(client)
    found = {
        "memory": clock.best(lambda: as_rows(X).reduce(_product), turns),
        "dask kept": clock.best(lambda: rows.reduce(_product), turns),
        "rival": clock.best(lambda: (Z.T @ Z).compute(), turns),
    }
    seconds, processor = ({way: pair[i] for way, pair in found.items()} for i in (0, 1))
    return Timing(f"one pass, {chunks} chunks", seconds, processor, "dask's Z.T @ Z")


def _product(block: Any) -> np.ndarray:
    return block.X.T @ block.X


class Clock:
    """Wall and processor time of what runs here and on the workers of a cluster of this machine."""

    def __init__(self, client: Any) -> None:
        import os

        import psutil

        self._here, self._workers = psutil.Process(), [psutil.Process(pid) for pid in client.run(os.getpid).values()]

    def best(self, run: Callable[[], Any], turns: int) -> tuple[float, float]:
        """(wall, processor) of the best of the turns; a first one that takes long is the only one."""
        found = []
        for turn in range(turns + 1):
            start, used = time.perf_counter(), _used(self._here) + self.workers()
            run()
            found.append((time.perf_counter() - start, _used(self._here) + self.workers() - used))
            if turn == 0 and found[0][0] > LONG:
                return found[0]
        return min(wall for wall, _ in found[1:]), min(used for _, used in found[1:])

    def workers(self) -> float:
        """Processor seconds of the workers so far."""
        return sum(map(_used, self._workers))


def _used(process: Any) -> float:
    return sum(process.cpu_times()[:2])


def data(n: int, columns: int = COLUMNS) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """A table and targets of three kinds."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, columns))
    f = X @ (0.2 * rng.normal(size=columns))
    return X, {
        "y": f + rng.normal(size=n),
        "label": (f + rng.logistic(size=n) > 0).astype(np.int64),
        "count": rng.poisson(np.exp(f)).astype(float),
    }


def written(path: Path, X: np.ndarray, targets: dict[str, np.ndarray]) -> Path:
    import pyarrow
    from pyarrow import parquet

    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])}
    parquet.write_table(pyarrow.table(columns | targets), path, row_group_size=max(len(X) // CHUNKS, 1))
    return path


def chunked(X: np.ndarray, y: np.ndarray | None, chunks: int = CHUNKS) -> tuple[Any, Any]:
    import dask.array as da

    step = -(-len(X) // chunks)
    return da.from_array(X, chunks=(step, X.shape[1])), None if y is None else da.from_array(y, chunks=step)


def _lazy(path: Path, names: list[str], target: str | None) -> tuple[Any, Any]:
    """X and y from one reading of each row group."""
    table = _read(path, names + ([] if target is None else [target]))
    return table[:, : len(names)], None if target is None else table[:, -1]


def _read(path: Path, columns: list[str]) -> Any:
    """Columns of the file as a dask array, a row group a chunk, read by whoever works on it."""
    import dask
    import dask.array as da
    from pyarrow import parquet

    groups = parquet.ParquetFile(path).metadata
    read = dask.delayed(_row_group)
    parts = [
        da.from_delayed(read(path, g, columns), (groups.row_group(g).num_rows, len(columns)), float)
        for g in range(groups.num_row_groups)
    ]
    return da.concatenate(parts)


def _row_group(path: Path, group: int, columns: list[str]) -> np.ndarray:
    from pyarrow import parquet

    table = parquet.ParquetFile(path).read_row_group(group, columns=columns)
    return np.column_stack([table[name].to_numpy() for name in columns])


def persisted(client: Any, *tables: Any) -> list[Any]:
    """The tables in the workers' memory, as many neighbouring chunks on each: left to dask, one may get twice as many
    as another, and a fit that works on chunks where they are takes as long as the fuller one."""
    import dask.array as da
    from distributed import wait

    workers, kept = sorted(client.scheduler_info()["workers"]), []
    for table in tables:
        if table is None:
            kept.append(None)
            continue
        cuts = np.linspace(0, table.numblocks[0], len(workers) + 1).astype(int)
        parts = [client.persist(table.blocks[a:b], workers=[w]) for w, a, b in zip(workers, cuts, cuts[1:]) if a < b]
        wait(parts)
        kept.append(da.concatenate(parts))
    return kept


def given(*tables: Any) -> list[Any]:
    return [table for table in tables if table is not None]


@contextmanager
def local_client(workers: int = WORKERS) -> Iterator[Any]:
    """A client of a cluster of this machine, a process a worker."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


def cases() -> list[Case]:
    from learnable.bayes import GaussianNB
    from learnable.ensembles import HistGradientBoostingRegressor
    from learnable.linear import (
        LinearDiscriminantAnalysis,
        LinearRegression,
        LogisticRegression,
        PoissonRegressor,
        Ridge,
        SGDClassifier,
    )
    from learnable.sparse import Lasso, SparseLogisticRegression, SparsePoissonRegressor
    from learnable.unsupervised import PCA, GaussianMixture, KMeans

    return [
        Case("least squares", LinearRegression, "y", _dask_ml("linear_model", "LinearRegression"), "dask-ml"),
        Case("ridge", Ridge, "y", None, ""),
        Case("lasso", lambda: Lasso(0.01), "y", _dask_ml("linear_model", "LinearRegression", penalty="l1"), "dask-ml"),
        Case("logistic", LogisticRegression, "label", _dask_ml("linear_model", "LogisticRegression"), "dask-ml"),
        Case("sparse logistic", lambda: SparseLogisticRegression(0.01), "label", None, ""),
        Case("sparse Poisson", lambda: SparsePoissonRegressor(0.01), "count", None, ""),
        Case("Poisson", PoissonRegressor, "count", _dask_ml("linear_model", "PoissonRegression"), "dask-ml"),
        Case("stochastic gradient", lambda: SGDClassifier(random_state=0), "label", None, ""),
        Case("linear discriminant", LinearDiscriminantAnalysis, "label", None, ""),
        Case("Gaussian naive Bayes", GaussianNB, "label", _dask_ml("naive_bayes", "GaussianNB"), "dask-ml"),
        Case("k-means", lambda: KMeans(5, n_init=1, max_iter=10, random_state=0), None,
              _dask_ml("cluster", "KMeans", n_clusters=5, max_iter=10, random_state=0), "dask-ml"),
        Case("Gaussian mixture", lambda: GaussianMixture(3, random_state=0, max_iter=5), None, None, ""),
        Case("histogram boosting", lambda: HistGradientBoostingRegressor(max_iter=20, early_stopping=False), "y",
              _xgboost, "xgboost.dask"),
        Case("principal axes", lambda: PCA(5), None, _dask_ml("decomposition", "PCA", n_components=5), "dask-ml"),
    ]  # fmt: skip


def _xgboost(X: Any, y: Any) -> Any:
    """As many trees of as many leaves, from as many bins."""
    from xgboost import dask

    return dask.DaskXGBRegressor(
        n_estimators=20, learning_rate=0.1, max_leaves=31, max_depth=0, grow_policy="lossguide", tree_method="hist",
        max_bin=255,
    ).fit(X, y)  # fmt: skip


def _dask_ml(room: str, name: str, **parameters: Any) -> Callable[[Any, Any], Any]:
    def fit(X: Any, y: Any) -> Any:
        from importlib import import_module

        import dask

        model = getattr(import_module(f"dask_ml.{room}"), name)(**parameters).fit(*given(X, y))
        # Some of its fits plan the answer and compute it when it is first used: the means of naive Bayes, for one.
        answer = {name: value for name, value in vars(model).items() if dask.is_dask_collection(value)}
        vars(model).update(dask.compute(answer)[0])
        return model

    return fit
