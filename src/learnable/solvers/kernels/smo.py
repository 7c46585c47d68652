"""Support vector machines by sequential minimal optimisation on working sets.

    min over β of ½ βᵀKβ − t·β + ε‖β‖₁   subject to lower ≤ β ≤ upper and Σβ fixed (over each of two groups)

is the dual of every machine here: β = yα of a classifier (t = y, ε = 0), α − α* of a regression (t = y), α of one
class (t = 0); with two groups of the ν-machines. One state a round:

1. violation of the optimality conditions, offset, duality gap;
2. working set: the furthest violators of either side and the newer half of the last one;
3. its problem alone, by pairs with second-order choice, on a compact block of kernel values;
4. the slopes of all rows, through kernel rows that are kept as far as the ceiling allows.

Syllabus: S5, S6, S8, S9.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from learnable._jit.kernels.smo import pairs, promises
from learnable.solvers.kernels.kernel_rows import KernelRows

# Up to this many rows the working set is all of them.
SMALL = 1000
WORKING_SET = 512
# Pairs in a round, so that a round ends within a fraction of a second.
MOST_PAIRS = 50_000
# Rounds without a fall of the objective beyond its rounding, after which there is nothing more to gain.
PATIENCE, ROUNDING = 5, 1e-14


class BoxDual(NamedTuple):
    """The problem: t, the bounds, ε, and the group (0 or 1) of each row."""

    target: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    epsilon: float
    group: np.ndarray


class SMOState(NamedTuple):
    """After a round.

    Attributes
    ----------
    objective : ½ βᵀKβ − t·β + ε‖β‖₁, the negative of the dual value.
    violation : how much the most promising pair promises; 0 at the solution.
    relative_gap : primal less dual value, over the primal value.
    beta : (n,).
    slope : (n,) Kβ − t.
    offset : (2,) b of each group: what −∂ of the free variables share.
    n_support : how many β are not 0.
    pairs : steps made so far.
    """

    objective: float
    violation: float
    relative_gap: float
    beta: np.ndarray
    slope: np.ndarray
    offset: np.ndarray
    n_support: int
    pairs: int


def iterates(
    rows: KernelRows, dual: BoxDual, start: np.ndarray, enough: float, size: int = WORKING_SET, most: float = np.inf
) -> Iterator[SMOState]:
    """States from a feasible start, until no pair can lower the objective by anything that doubles can hold.

    Parameters
    ----------
    enough : the violation at which the caller means to stop.
    most : steps after which it ends.
    """
    n = len(start)
    beta, slope = np.array(start, dtype=float), -np.asarray(dual.target, dtype=float)
    moved = np.flatnonzero(beta)
    if len(moved):
        rows.add_to(slope, moved, beta[moved])
    up, down = np.empty(n), np.empty(n)
    working, made, goal = np.zeros(0, dtype=np.intp), 0, enough
    lowest, waited = np.inf, 0
    while True:
        # 1. Where we stand.
        promises(slope, beta, dual.lower, dual.upper, dual.epsilon, up, down)
        offset, violation = offsets(dual, beta, slope, up, down)
        state = standing(dual, beta, slope, offset, violation, made)
        yield state
        waited = 0 if state.objective < lowest - ROUNDING * abs(state.objective) else waited + 1
        lowest = min(lowest, state.objective)
        if made >= most or waited >= PATIENCE or violation == 0.0:
            return
        # A caller who goes on wants more than was asked for at first.
        goal = min(goal, 0.5 * violation) if violation <= goal else goal
        # 2. Who takes part.
        if n <= SMALL and rows.fits:
            done, _ = pairs(
                rows.whole(),
                slope,
                beta,
                dual.lower,
                dual.upper,
                dual.epsilon,
                dual.group,
                goal,
                int(min(MOST_PAIRS, most - made)),
            )
            made += done
            continue
        working = chosen(working, up, down, min(size, n), dual.group)
        # 3. Their problem.
        part = beta[working]
        done, _ = pairs(
            rows.square(working), slope[working], part, dual.lower[working], dual.upper[working], dual.epsilon,
            dual.group[working], max(goal, 0.1 * violation), int(min(MOST_PAIRS, most - made)),
        )  # fmt: skip
        made += done
        # 4. What it means for all.
        change = part - beta[working]
        moved = change != 0.0
        beta[working] = part
        rows.add_to(slope, working[moved], change[moved])


def chosen(last: np.ndarray, up: np.ndarray, down: np.ndarray, size: int, group: np.ndarray) -> np.ndarray:
    """The furthest violators of both sides, and of the last working set as many as there is room for, newest first."""
    kinds = 2 if group.any() else 1
    fresh = size if len(last) == 0 else size // 2
    each = max(1, fresh // (2 * kinds))
    parts = []
    for k in range(kinds):
        mine = np.flatnonzero(group == k) if kinds == 2 else np.arange(len(up))
        take = min(each, len(mine))
        parts.append(mine[np.argpartition(-up[mine], take - 1)[:take]])
        parts.append(mine[np.argpartition(down[mine], take - 1)[:take]])
    new = np.unique(np.concatenate(parts))
    old = last[~np.isin(last, new)]
    return np.concatenate([new, old[: max(size - len(new), 0)]])


def offsets(
    dual: BoxDual, beta: np.ndarray, slope: np.ndarray, up: np.ndarray, down: np.ndarray
) -> tuple[np.ndarray, float]:
    """(b of each group, violation): the mean of −∂ over the free variables, else the middle of the interval left."""
    offset, worst = np.zeros(2), 0.0
    for k in range(2):
        mine = dual.group == k
        if not mine.any():
            continue
        highest, lowest = float(np.max(up[mine])), float(np.min(down[mine]))
        if np.isfinite(highest) and np.isfinite(lowest):
            worst = max(worst, highest - lowest)
        free = mine & (beta > dual.lower) & (beta < dual.upper)
        if dual.epsilon > 0.0:
            free &= beta != 0.0
        if free.any():
            offset[k] = float(np.mean(-slope[free] - dual.epsilon * np.sign(beta[free])))
        else:
            ends = [end for end in (highest, lowest) if np.isfinite(end)]
            offset[k] = float(np.mean(ends)) if ends else 0.0
    return offset, worst


def standing(
    dual: BoxDual, beta: np.ndarray, slope: np.ndarray, offset: np.ndarray, violation: float, made: int
) -> SMOState:
    """The state, with the gap Σ max over v in [lower, upper] of −(∂ − b)(v − β) …, which needs no primal weights.

    For the offset b the dual value of β and the primal value differ by Σᵢ sup over v of (ε|βᵢ| − ε|v|) −
    (slopeᵢ + bᵢ)(v − βᵢ): each row's regret for not having chosen the best v alone. The supremum of this concave,
    piecewise linear function is at a bound or at 0.
    """
    lean = slope + offset[dual.group]
    at = dual.epsilon * np.abs(beta) + lean * beta
    best = np.maximum(
        -dual.epsilon * np.abs(dual.lower) - lean * dual.lower, -dual.epsilon * np.abs(dual.upper) - lean * dual.upper
    )
    if dual.epsilon > 0.0:
        crosses = (dual.lower < 0.0) & (dual.upper > 0.0)
        best = np.where(crosses, np.maximum(best, 0.0), best)
    gap = float(np.sum(at + best))
    objective = 0.5 * float(beta @ (slope - dual.target)) + dual.epsilon * float(np.abs(beta).sum())
    primal = gap - objective
    relative = gap / abs(primal) if primal != 0.0 else (0.0 if gap == 0.0 else np.inf)
    return SMOState(objective, violation, relative, beta, slope, offset, int(np.count_nonzero(beta)), made)
