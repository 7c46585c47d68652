"""A thousand small fits: `GridSearchCV` over ours and over scikit-learn's own, with certificates and without."""

import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table
from threadpoolctl import threadpool_limits


class SearchFigure(NamedTuple):
    """Seconds of processor time of one search: ours with certificates and without, and with scikit-learn's class."""

    case: str
    fits: int
    certified: float
    bare: float
    rival: float


def search_figures(fits: int = 1000, only: str = "") -> Iterator[SearchFigure]:
    """Every case whose name contains `only`, in turns, the least of two."""
    from sklearn.model_selection import GridSearchCV

    from learnable import config_context

    for name, ours, rival, grid, X, y in cases(fits // 5):
        if only.lower() not in name.lower():
            continue

        def search(model: Any, grid: Any = grid, X: Any = X, y: Any = y) -> float:
            begin = time.process_time()
            GridSearchCV(model, grid, cv=5).fit(X, y)
            return time.process_time() - begin

        spent: list[list[float]] = [[], [], []]
        # One thread of BLAS for everyone: others would only wait, and waiting counts as processor time.
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            ours.fit(X, y)
            for _ in range(2):
                for seconds, model, certified in zip(spent, (ours, ours, rival), (True, False, True)):
                    with nullcontext() if certified else config_context(certificates=False):
                        seconds.append(search(model))
        yield SearchFigure(name, fits // 5 * 5, *map(min, spent))


def cases(points: int) -> Iterator[tuple[str, Any, Any, dict, np.ndarray, np.ndarray]]:
    """Searches of so many points, each of five folds."""
    import sklearn.discriminant_analysis
    import sklearn.linear_model
    import sklearn.naive_bayes
    from sklearn.datasets import load_diabetes, load_iris

    from learnable.bayes import GaussianNB
    from learnable.linear import LinearDiscriminantAnalysis, LogisticRegression, Ridge
    from learnable.sparse import Lasso

    numbers, classes = load_diabetes(return_X_y=True), load_iris(return_X_y=True)
    levels = np.geomspace(1e-3, 1e2, points).tolist()
    line = sklearn.linear_model
    yield "Ridge, diabetes", Ridge(), line.Ridge(), {"alpha": levels}, *numbers
    yield "Lasso, diabetes", Lasso(), line.Lasso(), {"alpha": levels}, *numbers
    pair = LogisticRegression(), line.LogisticRegression(max_iter=1000)
    yield "LogisticRegression, iris", *pair, {"C": levels}, *classes
    smoothing = {"var_smoothing": np.geomspace(1e-12, 1e-3, points).tolist()}
    yield "GaussianNB, iris", GaussianNB(), sklearn.naive_bayes.GaussianNB(), smoothing, *classes
    pair = LinearDiscriminantAnalysis(), sklearn.discriminant_analysis.LinearDiscriminantAnalysis()
    yield "LinearDiscriminantAnalysis, iris", *pair, {"tol": np.geomspace(1e-8, 1e-3, points).tolist()}, *classes


def search_table(rows: Iterable[SearchFigure]) -> Table:
    """One row a search."""
    table = Table(title="GridSearchCV over many small fits (processor time)", title_justify="left")
    table.add_column("case")
    for heading in ("fits", "ours s", "no claims s", "scikit-learn s", "ratio", "no claims"):
        table.add_column(heading, justify="right")
    table.caption = "ratio: scikit-learn's over ours, scoring and the search's own work included in all."
    for row in rows:
        ratios = (f"{row.rival / value:.2f}" for value in (row.certified, row.bare))
        seconds = (f"{value:.2f}" for value in (row.certified, row.bare, row.rival))
        table.add_row(row.case, str(row.fits), *seconds, *ratios)
    return table
