"""Sparse precisions and structure learning, against scikit-learn, skglm, causal-learn, and R's glasso and pcalg.

Precisions are judged by how far their objective is above a proved lower bound; a rival gets a tighter tolerance until
that is at most the target, and the time of that run counts. Skeletons must be identical.
"""

import statistics
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from rich.table import Table as RichTable

from benchmarks.cases_graphical import Table, linear_network, separate_precisions, sparse_precision
from benchmarks.clock import clocked
from benchmarks.field import OURS

GAP = 1e-6
TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10)
# The tolerance of skglm bounds the change of an iterate, below which its dual form never comes: sweeps are counted.
SWEEPS = (5, 10, 20, 40)
ALPHA = 0.1
LEVEL = 0.01


class Drawn(NamedTuple):
    """One contender: seconds of the clock and of the processor, and what is wrong with the answer."""

    case: str
    contender: str
    wall: float
    processor: float
    error: float
    note: str = ""


def graphical_race(scale: float = 1.0, turns: int = 3, limit: float = 120.0, only: str = "") -> Iterator[Drawn]:
    """The cases one by one; `only` picks those in whose "case: contender" it stands; ours runs beside every rival."""
    for p, weak in ((100, False), (500, False), (500, True)):
        yield from _precisions(sparse_precision(max(20, int(p * min(1.0, 5.0 * scale))), weak=weak), turns, limit, only)
    yield from _paths(max(20, int(200 * min(1.0, 5.0 * scale))), only)
    for p in (50, 200):
        yield from _skeletons(max(20, int(p * min(1.0, 5.0 * scale))), turns, limit, only)
    yield from _large(min(1.0, 5.0 * scale), only)


def _precisions(table: Table, turns: int, limit: float, only: str) -> Iterator[Drawn]:
    from benchmarks.rival_graphical_lasso import of_skglm, of_sklearn
    from learnable.graphical import GraphicalLasso

    case = f"graphical lasso, {table.name}"
    names = (OURS, "skglm dual", "skglm primal", "scikit-learn", "R glasso")
    wanted = [name for name in names if only in f"{case}: {name}"]
    if not wanted:
        return
    centred = table.X - table.X.mean(axis=0)
    S = centred.T @ centred / len(centred)
    rivals: dict[str, tuple[Callable[[float], np.ndarray], tuple[float, ...]]] = {
        OURS: (lambda tol: GraphicalLasso(ALPHA, covariance="precomputed", tol=tol).fit(S).precision_, (GAP,)),
        "skglm dual": (lambda sweeps: of_skglm(S, ALPHA, int(sweeps), "dual"), SWEEPS),
        "skglm primal": (lambda sweeps: of_skglm(S, ALPHA, int(sweeps), "primal"), SWEEPS),
        "scikit-learn": (lambda tol: of_sklearn(S, ALPHA, tol), TOLERANCES),
    }
    # The lower bound: the value of a dual point.
    best, gap = GraphicalLasso(ALPHA, covariance="precomputed", tol=1e-10, max_iter=10_000).fit(S).costs_[-1]
    for name, (fit, ladder) in rivals.items():
        if name in wanted or name == OURS:
            yield _reached(case, name, fit, ladder, S, best - gap, turns, limit)
    if "R glasso" in wanted:
        yield _glasso_of_r(case, S, best - gap)


def _reached(
    case: str,
    name: str,
    fit: Callable,
    ladder: tuple[float, ...],
    S: np.ndarray,
    least: float,
    turns: int,
    limit: float,
) -> Drawn:
    """The first rung of the ladder whose answer is near enough to the least value, timed; the last if none is.

    Of one that gives up without an answer, the seconds until then.
    """
    for rung in ladder:
        start, busy = time.perf_counter(), time.process_time()
        try:
            # One run says whether this rung will do; only then it is timed.
            answer, *seconds = _timed(lambda: fit(rung), 0, limit)  # noqa: B023  (called before the next turn)
            gap = objective(S, ALPHA, answer) - least
            if gap <= GAP or rung == ladder[-1] or seconds[0] > limit:
                _, *seconds = _timed(lambda: fit(rung), turns, limit)  # noqa: B023
                break
        except ImportError as error:
            return Drawn(case, name, np.nan, np.nan, np.nan, str(error))
        except FloatingPointError as error:
            return Drawn(case, name, time.perf_counter() - start, time.process_time() - busy, np.nan, str(error))
    return Drawn(case, name, *seconds, gap, f"{'tol' if rung < 1 else 'sweeps'}={rung:g}")


def _glasso_of_r(case: str, S: np.ndarray, least: float) -> Drawn:
    from benchmarks.rival_r_graphs import of_glasso

    for tol in TOLERANCES:
        try:
            theta, wall, spent = of_glasso(S, ALPHA, tol)
        except ImportError as error:
            return Drawn(case, "R glasso", np.nan, np.nan, np.nan, str(error))
        gap = objective(S, ALPHA, theta) - least
        if gap <= GAP:
            break
    return Drawn(case, "R glasso", wall, spent, gap, f"thr={tol:g}")


def objective(S: np.ndarray, alpha: float, theta: np.ndarray) -> float:
    """−log det Θ + tr(SΘ) + alpha · sizes off the diagonal; infinite where Θ is not positive definite."""
    theta = 0.5 * (theta + theta.T)
    if np.linalg.eigvalsh(theta)[0] <= 0.0:
        return np.inf
    off = alpha * (1.0 - np.eye(len(S)))
    return float(np.vdot(S, theta) + np.vdot(off, np.abs(theta)) - np.linalg.slogdet(theta)[1])


def _paths(p: int, only: str) -> Iterator[Drawn]:
    from learnable.graphical import clime_path

    table = sparse_precision(p)
    case = f"CLIME path of 20 levels, {table.name}"
    if only in case:
        S = np.corrcoef(table.X.T)
        _, wall, spent = _timed(lambda: clime_path(S, np.geomspace(0.9, 0.1, 20)), 1, 60.0)
        yield Drawn(case, OURS, wall, spent, 0.0)


def _skeletons(p: int, turns: int, limit: float, only: str) -> Iterator[Drawn]:
    from benchmarks.rival_causal_learn import skeleton
    from benchmarks.rival_r_graphs import of_pcalg
    from learnable.graphical import PC

    table = linear_network(p)
    case = f"PC, {table.name}"
    if only not in case:
        return
    ours, *seconds = _timed(lambda: PC(LEVEL).fit(table.X).graph_.adjacency, turns, limit)
    yield Drawn(case, OURS, *seconds, 0.0)
    rivals: dict[str, Callable[[], tuple]] = {
        "causal-learn": lambda: _timed(lambda: skeleton(table.X, LEVEL), 1, limit),
        "R pcalg": lambda: of_pcalg(table.X, LEVEL),
    }
    for name, run in rivals.items():
        try:
            theirs, *seconds = run()
        except ImportError as error:
            yield Drawn(case, name, np.nan, np.nan, np.nan, str(error))
            continue
        yield Drawn(case, name, *seconds, float(np.sum(theirs != ours) // 2), "edges that differ")


def _large(share: float, only: str) -> Iterator[Drawn]:
    """What must take less than a minute: a graphical lasso that splits into twenty parts, and a wide network."""
    from learnable.graphical import PC, GraphicalLasso

    parts = separate_precisions(max(5, int(100 * share)), 20)
    case = f"graphical lasso, {parts.name}"
    if only in case:
        centred = parts.X - parts.X.mean(axis=0)
        S = centred.T @ centred / len(centred)
        model, *seconds = _timed(lambda: GraphicalLasso(ALPHA, covariance="precomputed", tol=GAP).fit(S), 0, 60.0)
        yield Drawn(case, OURS, *seconds, model.costs_[-1][1], "duality gap")
    network = linear_network(max(20, int(1000 * share)))
    case = f"PC, {network.name}"
    if only in case:
        model, *seconds = _timed(lambda: PC(LEVEL).fit(network.X), 0, 60.0)
        yield Drawn(case, OURS, *seconds, float(not model.certificate_.holds), "0: its certificate holds")


def _timed(work: Callable, turns: int, limit: float) -> tuple:
    """(answer, median seconds of the clock, of the processor), the first turn not counted if there is another."""
    wall, spent = [], []
    answer = None
    for _ in range(turns + 1):
        seconds, busy, answer = clocked(work)
        wall.append(seconds)
        spent.append(busy)
        if sum(wall) > limit:
            break
    return answer, statistics.median(wall[1:] or wall), statistics.median(spent[1:] or spent)


def graphical_table(found: list[Drawn]) -> RichTable:
    """One row a contender, with the ratio of its time to ours."""
    table = RichTable("case", "contender", "seconds", "processor", "ratio", "gap or error", "note")
    for row in found:
        ours = next((one.wall for one in found if one.case == row.case and one.contender == OURS), np.nan)
        table.add_row(
            row.case, row.contender, f"{row.wall:.3g}", f"{row.processor:.3g}", f"{row.wall / ours:.2f}",
            f"{row.error:.2g}", row.note,
        )  # fmt: skip
    return table
