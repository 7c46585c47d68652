"""What it costs to judge learners, each figure against its bar: intervals, comparison, coverage, shattering."""

import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from rich.table import Table

SEED = 0
ROWS, RESAMPLES = 100_000, 10_000
CELLS = 1000  # numbers of rows, and error rates: a grid of 10⁶
POINTS = 12


class Judged(NamedTuple):
    """A figure against its bar.

    Attributes
    ----------
    what : what was done.
    unit : "s", or "%" of the whole.
    figure, cpu : wall clock and processor time of all threads, the better of two turns; or the share.
    bar : what the figure must not exceed.
    """

    what: str
    unit: str
    figure: float
    cpu: float
    bar: float

    @property
    def kept(self) -> bool:
        return self.figure <= self.bar


def judging(scale: float = 1.0) -> Iterator[Judged]:
    """Every bar; at a scale below 1 with fewer rows and points, for a quick look."""
    yield from bootstraps(max(int(ROWS * scale), 100), max(int(RESAMPLES * scale), 100))
    yield coverage_grid(max(int(CELLS * scale), 10))
    yield half_spaces(POINTS if scale == 1.0 else 7)
    for rows in (1000, 2000) if scale == 1.0 else (200,):
        yield comparison(rows, repeats=10 if scale == 1.0 else 1)


def bootstraps(rows: int, resamples: int) -> Iterator[Judged]:
    """BCa intervals of metrics of every kind: one mean, functions of means, counts."""
    from learnable.evaluation import MeanMetric, bootstrap_interval

    rng = np.random.default_rng(SEED)
    y = rng.normal(size=rows)
    predicted = y + 0.5 * rng.normal(size=rows)
    relative = MeanMetric(
        lambda y, predicted: np.stack([np.abs(y - predicted), np.abs(y)], axis=1), lambda m: m[..., 0] / m[..., 1]
    )
    cases = {
        "mean absolute error": ("mean_absolute_error", y, predicted),
        "root mean squared error": ("root_mean_squared_error", y, predicted),
        "R²": ("r2", y, predicted),
        "a ratio of two means": (relative, y, predicted),
        "F1": ("f1", y > 0, predicted > 0),
        "balanced accuracy": ("balanced_accuracy", y > 0, predicted > 0),
    }
    for name, case in cases.items():
        best = _best(lambda case=case: bootstrap_interval(*case, repeats=resamples, random_state=SEED))
        yield Judged(f"bootstrap of {name}: {resamples} resamples of {rows} rows", "s", *best, bar=3.0)


def coverage_grid(cells: int) -> Judged:
    """Exact coverage of Clopper and Pearson's interval over numbers of rows × error rates."""
    from learnable.evaluation import coverage

    n, p = np.arange(1, cells + 1)[:, None], np.linspace(0, 1, cells)
    best = _best(lambda: coverage("clopper_pearson", n, p))
    return Judged(f"exact coverage of Clopper–Pearson, {cells**2} cells", "s", *best, bar=5.0)


def half_spaces(points: int) -> Judged:
    """All labellings of points of R³ by half-spaces, each with a witness; Cover counts them."""
    from learnable.theory import HalfSpaces, cover_count, dichotomies

    X = np.random.default_rng(SEED).normal(size=(points, 3))

    def count() -> None:
        found, witnesses = dichotomies(HalfSpaces(3), X)
        assert len(found) == len(witnesses) == cover_count(points, 3)

    return Judged(f"labellings of {points} points of R³ by half-spaces", "s", *_best(count), bar=5.0)


def comparison(rows: int, repeats: int) -> Judged:
    """Ten learners on 10 × 10 folds: the share of the time that is neither fitting nor scoring."""
    from sklearn.datasets import make_classification

    from learnable.evaluation import compare

    X, y = make_classification(rows, 20, random_state=SEED)
    learners = _ten_learners()
    compare(learners, X[:100], y[:100], cv=2)  # what is imported on first use is no part of the share
    wall = time.perf_counter()
    found = compare(learners, X, y, cv=10, repeats=repeats, random_state=SEED)
    wall = time.perf_counter() - wall
    share = float(100 * (1 - (found.fit_seconds.sum() + found.score_seconds.sum()) / wall))
    return Judged(f"comparing 10 learners by {repeats} × 10 folds of {rows} rows: overhead", "%", share, share, bar=2.0)


def _ten_learners() -> dict:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
    from sklearn.linear_model import LogisticRegression, RidgeClassifier
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    return {
        "logistic": LogisticRegression(),
        "ridge": RidgeClassifier(),
        "linear discriminant": LinearDiscriminantAnalysis(),
        "quadratic discriminant": QuadraticDiscriminantAnalysis(reg_param=0.1),
        "naive Bayes": GaussianNB(),
        "5 neighbours": KNeighborsClassifier(5),
        "25 neighbours": KNeighborsClassifier(25),
        "tree": DecisionTreeClassifier(),
        "shallow tree": DecisionTreeClassifier(max_depth=4),
        "support vectors": SVC(),
    }


def _best(work: Callable[[], object]) -> tuple[float, float]:
    """Wall clock and processor seconds of the better of two turns."""
    turns = []
    for _ in range(2):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        turns.append((time.perf_counter() - wall, time.process_time() - cpu))
    return min(turns)


def judging_table(rows: list[Judged]) -> Table:
    table = Table(title="Judging learners", title_justify="left")
    table.add_column("what", overflow="fold")
    for heading in ("wall", "processor", "bar"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        cpu = "" if row.unit == "%" else f"{row.cpu:.2f} s"
        verdict = "kept" if row.kept else "MISSED"
        table.add_row(row.what, f"{row.figure:.2f} {row.unit}", cpu, f"{row.bar:g} {row.unit} {verdict}")
    return table
