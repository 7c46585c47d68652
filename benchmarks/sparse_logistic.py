"""L1 logistic regression against liblinear, saga, skglm and celer: seconds to a duality gap of 1e-6.

Everyone minimises mean loss + α ‖β‖₁ at the same α; no intercept, since liblinear would penalise it. Each
contender's own tolerance is tightened by tens until the gap, computed in one place from the answer, is at most 1e-6;
with that tolerance it is then timed, everyone in turn, warm. Among more than two classes (softmax) only saga minimises
the same: liblinear and skglm know but one class against the rest, and celer two.
"""

import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table
from scipy import sparse

from benchmarks.clock import clocked
from benchmarks.field import OURS

TARGET = 1e-6
SEED = 8


class Problem(NamedTuple):
    """X, labels ±1 (or 0, ..., K − 1 among K ≥ 3 classes) and the penalty α in mean-loss scaling."""

    name: str
    X: Any
    y: np.ndarray
    alpha: float


class Timed(NamedTuple):
    """One contender on one problem: medians in seconds, the gap reached and the tolerance it took.

    `note` says why there are no seconds; the gap is then the least that was reached.
    """

    problem: str
    contender: str
    wall: float
    processor: float
    gap: float
    tol: float
    note: str = ""


def problems(scale: float = 1.0) -> Iterator[Problem]:
    """Three cases of two classes, then three of more; `scale` shortens them."""
    yield from two_classes(scale)
    yield from many_classes(scale)


def many_classes(scale: float) -> Iterator[Problem]:
    """Wine and digits in units of spread, and thirty classes in a few columns."""
    from sklearn.datasets import load_digits, load_wine, make_classification
    from sklearn.preprocessing import StandardScaler

    n = max(int(3000 * scale), 300)
    K = max(int(30 * scale), 4)
    thirty = make_classification(n, 15, n_informative=12, n_classes=K, n_clusters_per_class=1, random_state=SEED)
    tables = {"wine": load_wine(return_X_y=True), "digits": load_digits(return_X_y=True), f"{K} classes": thirty}
    for name, (X, y) in tables.items():
        kept = np.random.default_rng(SEED).permutation(len(y))[: max(int(len(y) * scale), 150)]
        X, y = StandardScaler().fit_transform(X[kept]), np.unique(y[kept], return_inverse=True)[1]
        pull = np.eye(y.max() + 1)[y]
        top = float(np.abs(X.T @ (pull - pull.mean(axis=0))).max()) / len(y)
        yield Problem(f"softmax, {name}, {X.shape[0]} x {X.shape[1]}", X, y, top / 20.0)


def two_classes(scale: float) -> Iterator[Problem]:
    """Digits, a dense table and texts."""
    from sklearn.preprocessing import normalize

    random = np.random.default_rng(SEED)
    yield _digits(scale)
    n, p = max(int(20000 * scale), 200), max(int(200 * scale**0.5), 20)
    X = random.standard_normal((n, p))
    y = _labels(X @ (random.standard_normal(p) * (random.uniform(size=p) < 0.1)), random)
    yield _posed(f"dense {n} x {p}", X, y)
    n = max(int(20000 * scale), 300)
    # Words of very different frequency, as in a text.
    rate = 1.0 / np.arange(1, n + 1) ** 0.8
    places = random.choice(n, size=(n, max(int(0.002 * n), 2)), p=rate / rate.sum())
    rows = np.repeat(np.arange(n), places.shape[1])
    T = sparse.csr_matrix((np.ones(places.size), (rows, places.ravel())), shape=(n, n))
    T.sum_duplicates()
    T = normalize(T @ sparse.diags(np.log(n / (1.0 + np.bincount(T.indices, minlength=n)))))
    T.sort_indices()
    T.indices, T.indptr = T.indices.astype(np.int32), T.indptr.astype(np.int32)
    signal = np.zeros(n)
    signal[random.choice(min(2000, n), 60, replace=False)] = 20.0 * random.standard_normal(60)
    yield _posed(f"text {n} x {n}, {T.nnz / n**2:.2%} filled", T, _labels(T @ signal, random))


def _digits(scale: float) -> Problem:
    from sklearn.datasets import load_digits
    from sklearn.preprocessing import PolynomialFeatures, StandardScaler

    X, digit = load_digits(return_X_y=True)
    n = max(int(len(X) * scale), 200)
    X = PolynomialFeatures(2, include_bias=False).fit_transform(X[:n] / 16.0)
    X = StandardScaler().fit_transform(X)
    return _posed(f"digits, 0 against the rest, {X.shape[0]} x {X.shape[1]}", X, np.where(digit[:n] == 0, 1.0, -1.0))


def _labels(score: np.ndarray, random) -> np.ndarray:
    return np.where(score - np.median(score) + random.logistic(size=len(score)) > 0.0, 1.0, -1.0)


def _posed(name: str, X, y: np.ndarray) -> Problem:
    """α at a twentieth of the level from which on nothing is left."""
    return Problem(name, X, y, float(np.abs(X.T @ y).max()) / (2.0 * len(y)) / 20.0)


def duality_gap(problem: Problem, coef: np.ndarray) -> float:
    """Primal − dual value, the dual point being the slopes of the losses, scaled to be feasible."""
    X, y, alpha = problem.X, problem.y, problem.alpha
    if coef.ndim == 2:
        return _softmax_gap(problem, coef)
    margin = y * np.asarray(X @ coef).ravel()
    loss = np.logaddexp(0.0, -margin)
    a = 1.0 / (1.0 + np.exp(margin))
    a = a * min(1.0, alpha / np.abs(X.T @ (a * y) / len(y)).max())
    entropy = np.where(a > 0.0, a * np.log(np.maximum(a, 1e-300)), 0.0) + (1.0 - a) * np.log1p(-a)
    return float(loss.mean() + alpha * np.abs(coef).sum() + entropy.mean())


def _softmax_gap(problem: Problem, coef: np.ndarray) -> float:
    """The same among classes: probabilities, moved towards the labels until the slopes are within α."""
    X, y, alpha = problem.X, problem.y, problem.alpha
    scores = X @ coef.T
    scores -= scores.max(axis=1, keepdims=True)
    total = np.exp(scores).sum(axis=1)
    label = np.eye(len(coef))[y]
    P = np.exp(scores) / total[:, None]
    slope = np.abs(X.T @ (P - label)).max() / len(y)
    P = label + min(1.0, alpha / slope) * (P - label)
    entropy = np.where(P > 0.0, P * np.log(np.maximum(P, 1e-300)), 0.0).sum(axis=1)
    loss = np.log(total) - scores[np.arange(len(y)), y]
    return float(loss.mean() + alpha * np.abs(coef).sum() + entropy.mean())


def contenders(problem: Problem) -> dict[str, Callable[[float], np.ndarray]]:
    """Name -> fit to a tolerance -> coefficients. Everyone is an estimator and gets the same X, in rows."""
    from sklearn.linear_model import LogisticRegression

    from learnable.sparse import SparseLogisticRegression

    X, y, alpha = problem.X, problem.y, problem.alpha
    C = 1.0 / (alpha * len(y))
    several = len(np.unique(y)) > 2
    answer = (lambda model: model.coef_) if several else (lambda model: model.coef_[0])

    def ours(tol: float) -> np.ndarray:
        return answer(SparseLogisticRegression(alpha, fit_intercept=False, tol=tol).fit(X, y))

    def scikit(solver: str) -> Callable[[float], np.ndarray]:
        options = {
            "l1_ratio": 1.0,
            "C": C,
            "solver": solver,
            "fit_intercept": False,
            "max_iter": 2000,
            "random_state": 0,
        }
        return lambda tol: answer(LogisticRegression(tol=tol, **options).fit(X, y))

    def celer(tol: float) -> np.ndarray:
        from celer import LogisticRegression as Celer

        return Celer(C=C, tol=tol, fit_intercept=False, max_iter=200).fit(X, y).coef_[0]

    def skglm(tol: float) -> np.ndarray:
        from skglm import SparseLogisticRegression as Skglm

        return Skglm(alpha, tol=tol, fit_intercept=False, max_iter=100).fit(X, y).coef_[0]

    if several:
        return {OURS: ours, "saga": scikit("saga")}
    return {OURS: ours, "liblinear": scikit("liblinear"), "saga": scikit("saga"), "celer": celer, "skglm": skglm}


def logistic_race(scale: float = 1.0, turns: int = 5, limit: float = 60.0, only: str = "") -> Iterator[Timed]:
    """Every contender on every problem whose name contains `only`.

    `limit` is in seconds: of the processor for finding the tolerance, by the clock for all turns of a contender. It is
    looked at between fits.
    """
    for problem in problems(scale):
        if only.lower() not in problem.name.lower():
            continue
        everyone = contenders(problem)
        found = {name: _searched(problem, name, fit, limit) for name, fit in everyone.items()}
        field = {name: fit for name, fit in everyone.items() if not found[name].note}
        spent: dict[str, list[tuple[float, float]]] = {name: [] for name in field}
        for _ in range(turns):
            for name, fit in field.items():
                if sum(wall for wall, _ in spent[name]) <= limit:
                    spent[name].append(clocked(fit, found[name].tol)[:2])
        for name, row in found.items():
            if name in field:
                wall, processor = (statistics.median(part) for part in zip(*spent[name]))
                row = row._replace(wall=wall, processor=processor)
            yield row


def _searched(problem: Problem, name: str, fit: Callable[[float], np.ndarray], limit: float) -> Timed:
    """The loosest power of ten that reaches the gap, not timed yet, or a note of what was reached instead."""
    from sklearn.exceptions import ConvergenceWarning

    reached = Timed(problem.name, name, np.nan, np.nan, np.inf, np.nan)
    try:
        _quietly(fit, 0.1)  # whoever compiles does so here
    except ModuleNotFoundError as missing:
        return reached._replace(note=f"not installed: {missing.name}")
    began = time.process_time()
    for exponent in range(1, 13):
        tol = 10.0**-exponent
        coef, said = _quietly(fit, tol)
        gap = duality_gap(problem, coef)
        if gap <= reached.gap:
            reached = reached._replace(gap=gap, tol=tol)
        if gap <= TARGET:
            return reached
        spent = time.process_time() - began
        if any(issubclass(kind, ConvergenceWarning) for kind in said):
            return reached._replace(note=f"all its rounds made, in {spent:.0f} s")  # no tolerance gives it more
        if spent > limit:
            return reached._replace(note=f"not reached in {limit:g} s")
    return reached._replace(note="not reached with any tolerance")


def _quietly(fit: Callable[[float], Any], tol: float) -> tuple[Any, list[type[Warning]]]:
    """What comes out, and the kinds of the warnings on the way."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        return fit(tol), [each.category for each in said]


def logistic_table(found: list[Timed]) -> Table:
    """Seconds and how many times ours."""
    table = Table(title=f"L1 logistic regression, to a gap of {TARGET:g}")
    for column in ("problem", "contender", "wall s", "processor s", "times ours", "gap", "tol", "note"):
        table.add_column(column, justify="left" if column in ("problem", "contender", "note") else "right")
    own = {row.problem: row.processor for row in found if row.contender == OURS}
    for row in found:
        seconds = (f"{row.wall:.3f}", f"{row.processor:.3f}", f"{row.processor / own[row.problem]:.2f}")
        table.add_row(
            row.problem, row.contender, *(("", "", "") if row.note else seconds), f"{row.gap:.1e}", f"{row.tol:g}",
            row.note,
        )  # fmt: skip
    return table
