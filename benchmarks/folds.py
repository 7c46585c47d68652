"""Cross-validation on threads: LassoCV with one thread and with several, beside scikit-learn's with as many.

Everyone gets the same folds, the same penalties and the same tolerance, which to both is a duality gap over the square
of the target; how far the errors of the folds are apart says how much that leaves open. BLAS has one thread: the
threads go over the folds.
"""

import statistics
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table
from threadpoolctl import threadpool_limits

from benchmarks.clock import clocked
from benchmarks.field import OURS
from benchmarks.problems import SEED, lasso_diabetes, share
from learnable.datasets import toeplitz_regression

RIVAL = "scikit-learn"
FOLDS = (2, 4, 8)
PENALTIES, SMALLEST = 50, 0.01
TOL = 1e-5
MOST_ROUNDS = 100_000
MOST_THREADS = 4


class Design(NamedTuple):
    """X by columns, the target and the penalties, falling."""

    name: str
    X: np.ndarray
    y: np.ndarray
    alphas: np.ndarray


class Gain(NamedTuple):
    """Median seconds of a fit with one thread and with several.

    Attributes
    ----------
    wall, cpu : with one thread, by the clock and of the processor.
    threaded_wall, threaded_cpu : with `threads` threads.
    difference : largest relative difference of an error of a fold from ours.
    note : why there are no seconds.
    """

    case: str
    contender: str
    folds: int
    threads: int
    wall: float = np.nan
    cpu: float = np.nan
    threaded_wall: float = np.nan
    threaded_cpu: float = np.nan
    difference: float = np.nan
    note: str = ""

    @property
    def gain(self) -> float:
        """How many times quicker, by the clock, the threads make it."""
        return self.wall / self.threaded_wall


def gains(scale: float, turns: int, threads: int, limit: float, only: str = "") -> Iterator[Gain]:
    """Every design whose name contains `only`, with more and more folds; everyone in turns.

    Parameters
    ----------
    threads : for the folds, 4 at most.
    limit : seconds for a fit; a rival that would take longer, by its seconds on fewer folds, is left out.
    """
    threads = min(threads, MOST_THREADS)
    for build in (diabetes, toeplitz):
        design = build(scale)
        if only.lower() not in design.name.lower():
            continue
        for fit in fits(design).values():  # kernels are loaded
            fit(2, 1, design.alphas[:2])
        slowest = 0.0  # seconds of the rival for a fold
        for folds in FOLDS:
            contenders = fits(design)
            if slowest * folds > limit:
                del contenders[RIVAL]
            found = list(raced(design, contenders, folds, threads, turns, limit))
            if RIVAL in contenders:
                slowest = found[-1].wall / folds
            else:
                found.append(Gain(design.name, RIVAL, folds, threads, note=f"over {limit:g} s"))
            yield from found


def raced(
    design: Design, contenders: dict[str, Callable[..., Any]], folds: int, threads: int, turns: int, limit: float
) -> Iterator[Gain]:
    """Everyone with one thread and with several, in turns; whoever has used up the limit waits for the others."""
    taken: dict[tuple[str, int], list[tuple[float, float]]] = {(who, k): [] for who in contenders for k in (1, threads)}
    errors: dict[str, np.ndarray] = {}
    with threadpool_limits(1):
        for _ in range(turns):
            for who, fit in contenders.items():
                if sum(wall for k in {1, threads} for wall, _ in taken[who, k]) > limit:
                    continue
                for k in dict.fromkeys((1, threads)):
                    wall, cpu, model = clocked(fit, folds, k, design.alphas)
                    taken[who, k].append((wall, cpu))
                    errors[who] = model.mse_path_
    for who in contenders:
        wall, cpu = map(statistics.median, zip(*taken[who, 1]))
        threaded_wall, threaded_cpu = map(statistics.median, zip(*taken[who, threads]))
        apart = float(np.max(np.abs(errors[who] / errors[OURS] - 1.0)))
        yield Gain(design.name, who, folds, threads, wall, cpu, threaded_wall, threaded_cpu, apart)


def gains_table(rows: Iterable[Gain]) -> Table:
    """One row a design, a number of folds and a contender."""
    table = Table(
        title=f"LassoCV, {PENALTIES} penalties, one thread and several (medians)",
        title_justify="left",
        caption_justify="left",
    )
    for heading in ("design", "contender"):
        table.add_column(heading)
    for heading in ("folds", "threads", "1: wall s", "cpu s", "all: wall s", "cpu s"):
        table.add_column(heading, justify="right")
    for heading in ("gain", "gain / threads", "times ours, 1", "all", "errors apart"):
        table.add_column(heading, justify="right")
    table.add_column("note")
    table.caption = (
        "gain: by the clock, so of a quiet machine only. times ours: processor seconds with one thread, clock with all "
        "of them. errors apart: largest relative difference of an error of a fold from ours."
    )
    rows = list(rows)
    ours = {(row.case, row.folds): row for row in rows if row.contender == OURS}
    for row in rows:
        own = ours[row.case, row.folds]
        figures = (row.wall, row.cpu, row.threaded_wall, row.threaded_cpu, row.gain, row.gain / row.threads)
        ratios = (row.cpu / own.cpu, row.threaded_wall / own.threaded_wall)
        told = [*(f"{figure:.2f}" for figure in figures + ratios), f"{row.difference:.0e}"]
        table.add_row(
            row.case,
            row.contender,
            str(row.folds),
            str(row.threads),
            *([""] * len(told) if row.note else told),
            row.note,
        )
    return table


def diabetes(scale: float) -> Design:
    """The monomials of degree ≤ 4 of the diabetes table."""
    problem = lasso_diabetes(scale)
    n, p = problem.X.shape
    return _posed(f"diabetes degree 4, {n} x {p}", problem.X, problem.y)


def toeplitz(scale: float) -> Design:
    """2000 × 5000, correlation 0.5^|i−j|, fifty effects."""
    n, p = share(2000, scale, 200), share(5000, scale, 100)
    X, y, _, _ = toeplitz_regression(n, p, rho=0.5, support=share(50, scale, 10), noise=1.0, random_state=SEED)
    return _posed(f"Toeplitz ρ = .5, {n} x {p}", np.asfortranarray(X), y)


def fits(design: Design) -> dict[str, Callable[..., Any]]:
    """Name -> (folds, threads, penalties) -> fitted model."""
    from sklearn.linear_model import LassoCV as Rival

    from learnable.sparse import LassoCV

    def of(model: Any) -> Callable[..., Any]:
        return lambda folds, threads, alphas: model(
            alphas=alphas, cv=folds, n_jobs=threads, tol=TOL, max_iter=MOST_ROUNDS
        ).fit(design.X, design.y)

    return {OURS: of(LassoCV), RIVAL: of(Rival)}


def _posed(name: str, X: np.ndarray, y: np.ndarray) -> Design:
    """Penalties from the smallest that leaves no coefficient down to a hundredth of it."""
    largest = float(np.abs(X.T @ (y - y.mean())).max()) / len(y)
    return Design(name, X, y, np.geomspace(largest, SMALLEST * largest, PENALTIES))
