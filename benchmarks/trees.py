"""Trees, forests and boosting beside scikit-learn, and LightGBM, XGBoost and pystreed where they are installed."""

import math
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from benchmarks.clock import clocked
from benchmarks.peak import peak_growth
from benchmarks.problems import SEED


class TreeRow(NamedTuple):
    """One case and contender: median seconds of a fit (certificate included for ours), of processor time for it, of
    predicting; the mean test loss; by how much ours lies above it, in percent, and the standard error of that."""

    case: str
    who: str
    fit: float
    processor: float
    predict: float
    loss: float
    ours_above: float
    error: float


def hastie(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Ten normal columns; the class is whether their squares sum to more than 9.34."""
    X = np.random.default_rng([SEED, seed]).standard_normal((n, 10))
    return X, (np.sum(X**2, axis=1) > 9.34).astype(int)


def friedman(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Friedman's first function of ten uniform columns, five of which matter."""
    rng = np.random.default_rng([SEED, seed])
    X = rng.uniform(size=(n, 10))
    y = 10 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return X, y + rng.standard_normal(n)


def mixed(n: int, seed: int) -> tuple[Any, np.ndarray]:
    """Eight columns of numbers, one cell in twenty missing, and four of 5 to 200 categories; two classes."""
    import pandas as pd

    rng, effects = np.random.default_rng([SEED, seed]), np.random.default_rng(SEED)
    X = rng.standard_normal((n, 8))
    score = X[:, 0] * (X[:, 1] > 0) + np.sin(2 * X[:, 2]) + 0.5 * X[:, 3] ** 2 - 0.5
    columns = {}
    for levels in (5, 20, 60, 200):
        codes = rng.integers(0, levels, n)
        score = score + effects.standard_normal(levels)[codes]
        columns[f"{levels} categories"] = pd.Categorical.from_codes(codes, [f"c{k}" for k in range(levels)])
    X[rng.random(X.shape) < 0.05] = np.nan
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(8)]).assign(**columns)
    return frame, (score + rng.logistic(size=n) > 0).astype(int)


def yes_or_no(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Forty columns of zeros and ones; the class is a tree of depth four over eight of them, one label in ten wrong."""
    rng = np.random.default_rng([SEED, seed])
    X = (rng.random((n, 40)) < 0.5).astype(float)
    path = X[:, :4] @ [1, 2, 4, 8]
    y = np.where(path < 6, X[:, 4] + X[:, 5] > 1, np.where(path < 11, X[:, 6] + X[:, 7] > 0, X[:, 4] != X[:, 7]))
    return X, (y ^ (rng.random(n) < 0.1)).astype(int)


def tree_figures(scale: float, turns: int, only: str = "") -> Iterator[TreeRow]:
    """Boosting, forests, single trees, AdaBoost and optimal trees at equal settings."""
    for case, (contenders, data, rows, loss, n_test) in cases(scale).items():
        if only in case:
            yield from _race(case, contenders(), data, rows, turns, loss, n_test)


def cases(scale: float) -> dict[str, tuple]:
    """Name -> (contenders, data, rows, loss, rows to predict)."""
    full = scale >= 1.0
    n, m, trees, rounds, deep = (100_000, 1_000_000, 100, 500, 4) if full else (600, 600, 5, 10, 3)
    few, fewer = n // 5, 3000 if full else n
    return {
        f"boosting, hastie {n}x10": (lambda: _boosters("Classifier", trees), hastie, n, _log_loss, 10 * n),
        f"boosting, friedman {m}x10": (lambda: _boosters("Regressor", trees), friedman, m, _squared, 0),
        f"boosting, mixed {n}x12": (lambda: _boosters("Classifier", trees), mixed, n, _log_loss, 0),
        f"forest of 50, hastie {few}x10": (lambda: _forests("RandomForestClassifier"), hastie, few, _log_loss, 0),
        f"forest of 50, friedman {few}x10": (lambda: _forests("RandomForestRegressor"), friedman, few, _squared, 0),
        f"extra trees, hastie {few}x10": (lambda: _forests("ExtraTreesClassifier"), hastie, few, _log_loss, 0),
        f"extra trees, friedman {few}x10": (lambda: _forests("ExtraTreesRegressor"), friedman, few, _squared, 0),
        f"exact boosting, friedman {fewer}x10": (lambda: _exact_boosters(trees), friedman, fewer, _squared, 0),
        f"forest of 50, friedman {fewer}x10": (lambda: _forests("RandomForestRegressor"), friedman, fewer, _squared, 0),
        f"tree, hastie {n}x10": (_singles, hastie, n, _log_loss, 0),
        f"AdaBoost, {rounds} stumps, hastie {few}x10": (lambda: _votes(rounds), hastie, few, _zero_one, 0),
        f"optimal tree of depth {deep}, {n // 10}x40": (lambda: _optimal(deep), yes_or_no, n // 10, _zero_one, 0),
    }


def file_figures(n: int, p: int = 20) -> Iterator[tuple[str, str]]:
    """Boosting on n rows, in memory and from a Parquet file: by how much the process grows beyond what it had before.

    In memory that is beyond X: bins, and 11 bytes a row for the squared loss and 12 for two classes (a gradient or
    odds, a place and a leaf; the class); up to 16 MiB, bins are kept twice.
    """
    import tempfile

    import pyarrow
    import pyarrow.parquet

    from learnable.ensembles import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from learnable.rows import ParquetRows

    def part(low: int) -> np.ndarray:
        return np.random.default_rng([SEED, low]).standard_normal((min(100_000, n - low), p))

    def grown(model: Any, *data: Any) -> str:
        start, bytes_ = time.perf_counter(), peak_growth(lambda: model.fit(*data))
        return f"{bytes_ / 2**20:.0f} MiB, {bytes_ / (n * p):.2f} x bins, {time.perf_counter() - start:.1f} s"

    given: dict[str, Any] = {"max_iter": 10, "early_stopping": False}
    few = part(0)[:500]
    for kind in (HistGradientBoostingRegressor, HistGradientBoostingClassifier):
        kind(**given).fit(few, few[:, 0] > 0.0)  # kernels are loaded before anything is counted
    yield "rows × columns", f"{n:,} × {p}"
    yield "as doubles, MiB", f"{n * p * 8 / 2**20:.0f}"
    yield "in bins, MiB", f"{n * p / 2**20:.0f}"
    with tempfile.TemporaryDirectory() as folder:
        schema = pyarrow.schema([(name, pyarrow.float64()) for name in [*(f"x{j}" for j in range(p)), "y"]])
        with pyarrow.parquet.ParquetWriter(f"{folder}/rows.parquet", schema) as writer:
            for low in range(0, n, 100_000):
                X = part(low)
                columns = [*X.T, X[:, 0] + X[:, 1] ** 2]
                writer.write_table(pyarrow.table([pyarrow.array(column) for column in columns], schema=schema))
        rows = ParquetRows(f"{folder}/rows.parquet", target="y")
        yield "from Parquet", grown(HistGradientBoostingRegressor(**given), rows)
    if n > 2_000_000:  # doubles of several GB
        return
    X = np.concatenate([part(low) for low in range(0, n, 100_000)])
    y = X[:, 0] + X[:, 1] ** 2
    yield "in memory", grown(HistGradientBoostingRegressor(**given), X, y)
    yield "in memory, two classes", grown(HistGradientBoostingClassifier(**given), X, (y > 0.5).astype(int))
    given |= {"early_stopping": True}
    yield "in memory, early stopping", grown(HistGradientBoostingRegressor(**given), X, y)
    yield (
        "in memory, two classes, early stopping",
        grown(HistGradientBoostingClassifier(**given), X, (y > 0.5).astype(int)),
    )


def tree_table(rows: Iterable[TreeRow]) -> Table:
    """One row a case and contender."""
    found = Table(title="Trees (median seconds, certificate included)", title_justify="left")
    for heading in ("case", "who"):
        found.add_column(heading)
    for heading in ("fit s", "fit, processor s", "predict s", "test loss", "ours above it, % ± s.e."):
        found.add_column(heading, justify="right")
    for row in rows:
        seconds = (f"{value:.3f}" for value in (row.fit, row.processor, row.predict))
        above = f"{row.ours_above:+.2f} ± {row.error:.2f}"
        found.add_row(row.case, row.who, *seconds, f"{row.loss:.5f}", above)
    return found


def _race(
    case: str, contenders: dict[str, Callable[[], Any]], data, n: int, turns: int, loss, n_test: int
) -> Iterator[TreeRow]:
    """Everybody's fits on n rows and predictions of others: `n_test`, else as many but at most 200,000.

    Every turn draws rows anew: test losses of trees hang on them more than on who grew the trees.
    """
    times: dict[str, list[tuple[float, float, float]]] = {who: [] for who in contenders}
    losses: dict[str, list[float]] = {who: [] for who in contenders}
    for turn in range(turns):
        (X, y), (Xt, yt) = data(n, 2 * turn), data(n_test or min(n, 200_000), 2 * turn + 1)
        if turn == 0:
            for make in contenders.values():
                make().fit(X[:500], y[:500])  # kernels are compiled before the clock runs
        # Everybody in turn, so that what else the machine does hits all alike.
        for who, make in contenders.items():
            fitting = clocked(make().fit, X, y)
            model = fitting.found
            times[who].append((fitting.wall, fitting.processor, clocked(model.predict, Xt).wall))
            losses[who].append(loss(model, Xt, yt))
    for who, found in times.items():
        seconds = (statistics.median(each) for each in zip(*found))
        above = [100.0 * (ours / theirs - 1.0) for ours, theirs in zip(losses["learnable"], losses[who])]
        error = statistics.stdev(above) / turns**0.5 if turns > 1 else math.nan
        yield TreeRow(case, who, *seconds, statistics.mean(losses[who]), statistics.mean(above), error)


def _boosters(kind: str, trees: int) -> dict[str, Callable[[], Any]]:
    import sklearn.ensemble

    import learnable.ensembles

    name = f"HistGradientBoosting{kind}"
    found: dict[str, Callable[[], Any]] = {
        "learnable": lambda: getattr(learnable.ensembles, name)(max_iter=trees, early_stopping=False),
        "scikit-learn": lambda: getattr(sklearn.ensemble, name)(max_iter=trees, early_stopping=False),
    }
    if find_spec("lightgbm"):
        import lightgbm

        found["LightGBM"] = lambda: getattr(lightgbm, f"LGBM{kind}")(
            n_estimators=trees, min_child_samples=20, verbose=-1
        )
    if find_spec("xgboost"):
        import xgboost

        found["XGBoost"] = lambda: getattr(xgboost, f"XGB{kind}")(
            n_estimators=trees,
            max_leaves=31,
            max_depth=0,
            grow_policy="lossguide",
            learning_rate=0.1,
            reg_lambda=0.0,  # as everybody else by default
            tree_method="hist",
            enable_categorical=True,
        )
    return found


def _forests(kind: str) -> dict[str, Callable[[], Any]]:
    import sklearn.ensemble

    import learnable.ensembles

    return {
        "learnable": lambda: getattr(learnable.ensembles, kind)(50, n_jobs=-1, random_state=0),
        "scikit-learn": lambda: getattr(sklearn.ensemble, kind)(50, n_jobs=-1, random_state=0),
    }


def _exact_boosters(trees: int) -> dict[str, Callable[[], Any]]:
    import sklearn.ensemble

    import learnable.ensembles

    return {
        "learnable": lambda: learnable.ensembles.GradientBoostingRegressor(n_estimators=trees, random_state=0),
        "scikit-learn": lambda: sklearn.ensemble.GradientBoostingRegressor(n_estimators=trees, random_state=0),
    }


def _singles() -> dict[str, Callable[[], Any]]:
    import sklearn.tree

    import learnable.trees

    return {
        "learnable": lambda: learnable.trees.DecisionTreeClassifier(min_samples_leaf=5),
        "scikit-learn": lambda: sklearn.tree.DecisionTreeClassifier(min_samples_leaf=5),
    }


def _votes(rounds: int) -> dict[str, Callable[[], Any]]:
    import sklearn.ensemble

    import learnable.ensembles

    return {
        "learnable": lambda: learnable.ensembles.AdaBoostClassifier(n_estimators=rounds),
        "scikit-learn": lambda: sklearn.ensemble.AdaBoostClassifier(n_estimators=rounds),
    }


def _optimal(depth: int) -> dict[str, Callable[[], Any]]:
    import learnable.trees

    found: dict[str, Callable[[], Any]] = {"learnable": lambda: learnable.trees.OptimalTreeClassifier(max_depth=depth)}
    if find_spec("pystreed"):
        import pystreed

        found["pystreed"] = lambda: pystreed.STreeDClassifier(max_depth=depth)
    return found


def _log_loss(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    p = np.clip(model.predict_proba(X)[np.arange(len(y)), y], 1e-15, 1.0)
    return float(-np.log(p).mean())


def _squared(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    return float(np.mean((model.predict(X) - y) ** 2))


def _zero_one(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    return float(np.mean(model.predict(X) != y))
