"""MCP and the group lasso beside skglm, down the same warm path.

Both get the same numbers and centre them themselves. skglm's tolerance is the loosest of a ladder whose path reaches
the target: a relative violation of stationarity for MCP, a duality gap over the mean square of y for the group lasso,
at every penalty of the path. Objectives are compared where the problem is not convex.
"""

import statistics
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table

from benchmarks.clock import clocked
from benchmarks.problems import SEED, share
from learnable.datasets import toeplitz_regression
from learnable.problems.sparse.folded_penalties import MCP
from learnable.problems.sparse.group_penalties import GroupPenalty, group_reach, group_value
from learnable.problems.sparse.penalties import EVERY, subdistance, total
from learnable.sparse import GroupLasso, MCPRegression, folded_path, group_path

TARGET = 1e-6
LADDER = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8)
PENALTIES, SHORTEST = 30, 0.05
GROUP, A = 5, 3.0


class Figure(NamedTuple):
    """Median seconds of both, by the clock and of the processor.

    Attributes
    ----------
    accuracy, rival_accuracy : the worst of the path, by the measure of the case.
    objective : sum of our objectives over the path, less theirs, relative; negative is lower.
    """

    case: str
    tol: float
    wall: float
    cpu: float
    rival_wall: float
    rival_cpu: float
    accuracy: float
    rival_accuracy: float
    objective: float


class Case(NamedTuple):
    """ours, theirs, celer: the coefficients (p, m) of a path at a tolerance; judge: (worst accuracy, objectives)."""

    name: str
    ours: Callable[[float], np.ndarray]
    theirs: Callable[[float], np.ndarray]
    judge: Callable[[np.ndarray], tuple[float, float]]
    celer: Callable[[float], np.ndarray] | None = None


def folded_figures(scale: float, turns: int, only: str = "") -> Iterator[Figure]:
    """Every case whose name contains `only`, both in turns after one to warm up."""
    for case in (mcp(scale), groups(scale)):
        if only.lower() not in case.name.lower():
            continue
        accuracy, objective = case.judge(case.ours(TARGET))
        for tol in LADDER:
            rival_accuracy, rival_objective = case.judge(case.theirs(tol))
            if rival_accuracy <= TARGET:
                break
        ours, theirs = [], []
        for _ in range(turns):
            ours.append(clocked(case.ours, TARGET))
            theirs.append(clocked(case.theirs, tol))
        medians = (statistics.median(each[i] for each in run) for run in (ours, theirs) for i in (0, 1))
        difference = (objective - rival_objective) / rival_objective
        yield Figure(case.name, tol, *medians, accuracy, rival_accuracy, difference)


def folded_table(rows: Iterable[Figure]) -> Table:
    """One row a case."""
    table = Table(title="MCP and group lasso beside skglm (medians)", title_justify="left", caption_justify="left")
    table.add_column("case")
    headings = ("ours wall s", "cpu s", "skglm wall s", "cpu s", "ratio wall", "ratio cpu")
    for heading in (*headings, "accuracy", "skglm's", "objective"):
        table.add_column(heading, justify="right")
    table.caption = (
        "ratio: theirs / ours; accuracy: worst of the path; objective: ours less theirs over the path, relative."
    )
    for row in rows:
        seconds = (f"{value:.3f}" for value in (row.wall, row.cpu, row.rival_wall, row.rival_cpu))
        ratios = (f"{row.rival_wall / row.wall:.1f}", f"{row.rival_cpu / row.cpu:.1f}")
        table.add_row(
            row.case, *seconds, *ratios, f"{row.accuracy:.0e}", f"{row.rival_accuracy:.0e}", f"{row.objective:.0e}"
        )
    return table


def mcp(scale: float) -> Case:
    """500 × 2000, 10 columns matter, neighbours correlated by 0.7."""
    n, p = share(500, scale, 50), share(2000, scale, 100)
    X, y, _, _ = toeplitz_regression(n, p, rho=0.7, support=10, noise=1.0, random_state=SEED)
    X = np.asfortranarray(X)
    Z, t = np.asfortranarray(X - X.mean(axis=0)), y - y.mean()
    alphas = np.geomspace(1.0, SHORTEST, PENALTIES) * np.abs(Z.T @ t).max() / n
    unit = np.sqrt(np.mean(Z**2, axis=0) * np.mean(t**2))

    def theirs(tol: float) -> np.ndarray:
        from skglm.datafits import Quadratic
        from skglm.penalties import MCPenalty
        from skglm.solvers import AndersonCD
        from skglm.utils.jit_compilation import compiled_clone

        mean = X.mean(axis=0)
        solver = AndersonCD(max_iter=200, tol=tol, fit_intercept=False, warm_start=True, ws_strategy="fixpoint")
        centred = np.asfortranarray(X - mean)
        datafit, penalty = compiled_clone(Quadratic()), compiled_clone(MCPenalty(1.0, A))
        return solver.path(centred, y - y.mean(), datafit, penalty, alphas=alphas)[1]

    def judge(coefs: np.ndarray) -> tuple[float, float]:
        worst, objective = 0.0, 0.0
        for alpha, coef in zip(alphas, coefs.T):
            miss = t - Z @ coef
            off = subdistance(MCP(alpha, A), coef, -Z.T @ miss / n, EVERY)
            worst = max(worst, float(np.max(off / unit)))
            objective += 0.5 * float(miss @ miss) / n + total(MCP(alpha, A), coef)
        return worst, objective

    def ours(tol: float) -> np.ndarray:
        return folded_path(MCPRegression(a=A, tol=tol), X, y, alphas).coefs

    return Case(f"MCP {n} × {p}, ρ = .7, k = 10", ours, _quietly(theirs), judge)


def groups(scale: float) -> Case:
    """1000 × (1000 groups of 5), ten groups matter, neighbours correlated by 0.5."""
    return group_case(share(1000, scale, 60), share(1000, scale, 30), GROUP, 10)


def group_case(n: int, m: int, size: int, active: int) -> Case:
    """n × (m groups of one size), some of them active, neighbours correlated by 0.5."""
    p = size * m
    members = np.concatenate([np.arange(size) + size * g for g in range(0, m, m // active)][:active])
    X, y, _, _ = toeplitz_regression(n, p, rho=0.5, support=members.tolist(), noise=1.0, random_state=SEED)
    X = np.asfortranarray(X)
    Z, t = np.asfortranarray(X - X.mean(axis=0)), y - y.mean()
    starts, weight = np.arange(0, p + 1, size), np.full(m, np.sqrt(size))
    largest = np.linalg.norm((Z.T @ t / n).reshape(m, size), axis=1).max() / np.sqrt(size)
    alphas = np.geomspace(1.0, SHORTEST, PENALTIES) * largest

    def theirs(tol: float) -> np.ndarray:
        from skglm.datafits import QuadraticGroup
        from skglm.penalties import WeightedGroupL2
        from skglm.solvers import GroupBCD
        from skglm.utils.data import grp_converter
        from skglm.utils.jit_compilation import compiled_clone

        centred = np.asfortranarray(X - X.mean(axis=0))
        indices, pointers = grp_converter(size, p)
        datafit = compiled_clone(QuadraticGroup(pointers, indices))
        penalty = compiled_clone(WeightedGroupL2(1.0, weight, pointers, indices))
        solver = GroupBCD(max_iter=200, tol=tol, fit_intercept=False, warm_start=True)
        coef, fit, found = np.zeros(p), np.zeros(n), []
        for alpha in alphas:
            penalty.alpha = alpha
            coef = solver.solve(centred, y - y.mean(), datafit, penalty, coef, fit)[0]
            fit = centred @ coef
            found.append(coef.copy())  # the next solve writes into its start
        return np.array(found).T

    def celer(tol: float) -> np.ndarray:
        from celer import celer_path

        centred = np.asfortranarray(X - X.mean(axis=0))
        return celer_path(
            centred, y - y.mean(), "grouplasso", alphas=alphas, groups=size, weights=weight, tol=tol, max_iter=100,
            prune=True,
        )[1]  # fmt: skip

    def judge(coefs: np.ndarray) -> tuple[float, float]:
        worst, objective = 0.0, 0.0
        for alpha, coef in zip(alphas, coefs.T):
            penalty = GroupPenalty(alpha, 0.0, weight, starts)
            miss = t - Z @ coef
            scaled = group_reach(penalty, Z.T @ miss / n)
            primal = 0.5 * float(miss @ miss) / n + group_value(penalty, coef)
            dual = (scaled * float(miss @ t) - 0.5 * scaled**2 * float(miss @ miss)) / n
            worst, objective = max(worst, (primal - dual) / np.mean(t**2)), objective + primal
        return worst, objective

    def ours(tol: float) -> np.ndarray:
        return group_path(GroupLasso(size, tol=tol), X, y, alphas).coefs

    name = f"group lasso {n} × ({m} groups of {size}), ρ = .5"
    return Case(name, ours, _quietly(theirs), judge, _quietly(celer))


def _quietly(fit: Callable[[float], Any]) -> Callable[[float], Any]:
    """A solver that says it has not converged is judged by what it achieved."""

    def run(tol: float) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return fit(tol)

    return run
