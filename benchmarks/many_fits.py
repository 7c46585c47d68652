"""A thousand small fits: searches over ours, with all of them certified or only the last, and over scikit-learn's."""

import time
import warnings
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table
from threadpoolctl import threadpool_limits


class SearchFigure(NamedTuple):
    """Seconds of processor time of one search.

    Attributes
    ----------
    certified : scikit-learn's `GridSearchCV` over our class, each of whose fits is certified.
    ours : our `GridSearchCV` over our class: of the fits the one that is kept is certified.
    rival : scikit-learn's search over its own class.
    """

    case: str
    fits: int
    certified: float
    ours: float
    rival: float


def search_figures(fits: int = 1000, only: str = "") -> Iterator[SearchFigure]:
    """Every case whose name contains `only`, in turns, the least of two."""
    from sklearn import model_selection

    from learnable.selection import GridSearchCV

    for name, ours, rival, grid, X, y in cases(fits // 5):
        if only.lower() not in name.lower():
            continue

        def search(kind: Any, model: Any, grid: Any = grid, X: Any = X, y: Any = y) -> float:
            begin = time.process_time()
            kind(model, grid, cv=5).fit(X, y)
            return time.process_time() - begin

        spent: list[list[float]] = [[], [], []]
        # One thread of BLAS for everyone: others would only wait, and waiting counts as processor time.
        with warnings.catch_warnings(), threadpool_limits(1):
            warnings.simplefilter("ignore")
            ours.fit(X, y)
            for _ in range(2):
                theirs = model_selection.GridSearchCV
                for seconds, kind, model in zip(spent, (theirs, GridSearchCV, theirs), (ours, ours, rival)):
                    seconds.append(search(kind, model))
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
    for heading in ("fits", "all certified s", "the kept one s", "scikit-learn s", "ratio", "the kept one"):
        table.add_column(heading, justify="right")
    table.caption = (
        "Ours: scikit-learn's search, in which every fit is certified, and our own, in which the kept one is; "
        "ratio: scikit-learn's over ours, scoring and the search's own work included in all."
    )
    for row in rows:
        ratios = (f"{row.rival / value:.2f}" for value in (row.certified, row.ours))
        seconds = (f"{value:.2f}" for value in (row.certified, row.ours, row.rival))
        table.add_row(row.case, str(row.fits), *seconds, *ratios)
    return table
