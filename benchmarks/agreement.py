"""Answers of the same fit in memory, over threads, from Parquet, on dask, and on a GPU where there is one."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from benchmarks.cluster import chunked, data, written

ROWS, CHUNKS = 60_000, 7
# What answers may differ by; in single precision, of data and of sums on the device.
BOUNDS = {"threads": 1e-10, "Parquet": 1e-10, "dask": 1e-10, "GPU": 1e-10, "GPU, Parquet": 1e-10, "GPU, single": 1e-5}


class Agreement(NamedTuple):
    """The largest difference of an answer from that in memory, over the largest entry, by the way it was fitted."""

    what: str
    off: dict[str, float]


def agreements(scale: float = 1.0, only: str = "") -> Iterator[Agreement]:
    """One streamed family after the other."""
    X, targets = data(max(int(ROWS * scale), 3_000))
    names = [f"x{j}" for j in range(X.shape[1])]
    with tempfile.TemporaryDirectory(prefix="learnable-") as folder:
        path = written(Path(folder) / "rows.parquet", X, targets)
        for name, (model, target, answer) in _families().items():
            if only.lower() in name.lower():
                yield Agreement(name, _off(model, answer, X, targets, target, path, names))


def _off(
    model: Callable[[], Any],
    answer: Callable[[Any], np.ndarray],
    X: np.ndarray,
    targets: dict[str, np.ndarray],
    target: str | None,
    path: Path,
    names: list[str],
) -> dict[str, float]:
    from learnable import config_context
    from learnable.rows import ParquetRows, as_rows

    y = None if target is None else targets[target]
    given = [X] if y is None else [X, y]
    chunks = [table for table in chunked(X, y, CHUNKS) if table is not None]
    ways = {
        "threads": lambda: model().fit(as_rows(*given)),
        "Parquet": lambda: model().fit(ParquetRows(path, target=target, columns=names)),
        "dask": lambda: model().fit(*chunks),
    }
    memory = answer(model().fit(*given))
    size = max(float(np.abs(memory).max()), 1e-300)
    found = {way: float(np.abs(answer(run()) - memory).max()) / size for way, run in ways.items()}
    if _has_gpu():
        with config_context(device="cuda"):
            found["GPU, Parquet"] = float(np.abs(answer(ways["Parquet"]()) - memory).max()) / size
            for way, kind in (("GPU", np.float64), ("GPU, single", np.float32)):
                fitted = answer(model().fit(X.astype(kind), *given[1:]))
                found[way] = float(np.abs(fitted - memory).max()) / size
    return found


def _has_gpu() -> bool:
    try:
        import torch
    except ImportError:
        return False
    return bool(torch.cuda.is_available())


def _families() -> dict[str, tuple[Callable[[], Any], str | None, Callable[[Any], np.ndarray]]]:
    from learnable import bayes, linear, sparse
    from learnable.graphical import GraphicalLassoCV
    from learnable.unsupervised import PCA, GaussianMixture, KMeans

    def coef(model: Any) -> np.ndarray:
        return np.append(np.ravel(model.coef_), model.intercept_)

    return {
        "LinearRegression": (linear.LinearRegression, "y", coef),
        "Ridge": (linear.Ridge, "y", coef),
        "RidgeCV": (linear.RidgeCV, "y", coef),
        "Lasso": (lambda: sparse.Lasso(0.01), "y", coef),
        "ElasticNet": (lambda: sparse.ElasticNet(0.01), "y", coef),
        "LassoCV": (lambda: sparse.LassoCV(alphas=20), "y", coef),
        "SparseLogisticRegression": (lambda: sparse.SparseLogisticRegression(0.01, tol=1e-12), "label", coef),
        "SparsePoissonRegressor": (lambda: sparse.SparsePoissonRegressor(0.01, tol=1e-12), "count", coef),
        "Stepwise": (sparse.Stepwise, "y", coef),
        "GraphicalLassoCV": (lambda: GraphicalLassoCV(alphas=[0.1, 0.01], tol=1e-12), None, lambda m: m.precision_),
        "LogisticRegression": (lambda: linear.LogisticRegression(tol=1e-12), "label", coef),
        "LogisticRegression, L1": (lambda: linear.LogisticRegression(C=0.001, l1_ratio=1.0, tol=1e-12), "label", coef),
        "PoissonRegressor": (lambda: linear.PoissonRegressor(tol=1e-12), "count", coef),
        "LinearDiscriminantAnalysis": (linear.LinearDiscriminantAnalysis, "label", coef),
        "QuadraticDiscriminantAnalysis": (linear.QuadraticDiscriminantAnalysis, "label", lambda m: np.ravel(m.means_)),
        "GaussianNB": (bayes.GaussianNB, "label", lambda m: np.ravel([m.theta_, m.var_])),
        "KMeans": (lambda: KMeans(5, n_init=1, random_state=0), None, lambda m: m.cluster_centers_),
        "GaussianMixture": (lambda: GaussianMixture(2, random_state=0, max_iter=5), None, lambda m: m.means_),
        "PCA": (lambda: PCA(5), None, lambda m: np.abs(m.components_)),
    }


def agreement_table(rows: list[Agreement]) -> Table:
    table = Table(title="Off the answer in memory, relative", title_justify="left")
    table.add_column("fit")
    for way, bound in BOUNDS.items():
        table.add_column(f"{way} (≤ {bound:g})", justify="right")
    for row in rows:
        cells = [f"{row.off[way]:.0e}" if way in row.off else "" for way in BOUNDS]
        table.add_row(
            row.what,
            *(f"{cell} !" if cell and row.off[way] > BOUNDS[way] else cell for way, cell in zip(BOUNDS, cells)),
        )
    table.caption = "empty: no GPU here, or not a fit for it; !: beyond what is asked for"
    return table
