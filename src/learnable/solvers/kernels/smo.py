"""Support vector machines by sequential minimal optimisation on working sets.

    min over β of ½ βᵀKβ − t·β + ε‖β‖₁   subject to lower ≤ β ≤ upper and Σβ fixed (over each of two groups)

is the dual of every machine here: β = yα of a classifier (t = y, ε = 0), α − α* of a regression (t = y), α of one
class (t = 0); with two groups of the ν-machines. One state a round:

1. violation of the optimality conditions, offset, duality gap;
2. working set: the furthest violators of either side and the newer half of the last one;
3. its problem alone, by pairs with second-order choice, on a compact block of kernel values;
4. the slopes of all rows, through kernel rows that are kept as far as the ceiling allows;
5. once the rows that a violating pair could have are few, those at a bound beyond them are set aside (shrinking): the
   others are solved for with the table of their values at hand, then the slopes of those set aside follow.

Syllabus: S5, S6, S8, S9.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from learnable._jit.kernels.smo import pairs, promises, regrets, take_block
from learnable.solvers.kernels.box_interior_point import solution
from learnable.solvers.kernels.free_steps import free_steps
from learnable.solvers.kernels.kernel_rows import SMALL, KernelRows

WORKING_SET = 512
# Rounds after which it is asked whether the rows in play are few enough for a table of their own.
LOOK = 4
# They are solved for until their violation is this share of that of all rows, or for so many rounds.
DEPTH, MOST_ROUNDS = 0.02, 400
# Pairs in a round, so that a round ends within a fraction of a second.
MOST_PAIRS = 50_000
# Pairs for each of few rows, after which the free variables are solved for at once (`benchmarks kernels`: NuSVC that
# overlaps).
PAIRS_A_ROW = 10
# Rounds of few rows after which a path through the inside of the box is tried; from then on the gap is halved within
# MORE_ROUNDS, or there is nothing more to gain: rounding of large values keeps it open, or it is one to 0.
MANY_ROUNDS, MORE_ROUNDS = 30, 15
# Rounds without a fall of the objective beyond its rounding, after which there is nothing more to gain.
PATIENCE, ROUNDING = 5, 1e-14
# The same of the largest value met, for a minimum of 0.
AT_ZERO = 1e-22
EPS = float(np.finfo(float).eps)


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
    relative_gap : primal less dual value, over the primal value or what the dual value gains over the best constant,
        whichever is less.
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
    rows: KernelRows, dual: BoxDual, start: np.ndarray, enough: float, most: float = np.inf, shrinking: bool = True,
) -> Iterator[SMOState]:  # fmt: skip
    """States from a feasible start, until no pair can lower the objective by anything that doubles can hold.

    Parameters
    ----------
    enough : the violation at which the caller means to stop.
    most : steps after which it ends.
    shrinking : whether rows are set aside while the others are solved for.
    """
    n = len(start)
    beta, slope = np.array(start, dtype=float), -np.asarray(dual.target, dtype=float)
    moved = np.flatnonzero(beta)
    if len(moved):
        if n <= SMALL and rows.fits:
            rows.whole()  # what the first step asks for
        rows.add_to(slope, moved, beta[moved])
    up, down = np.empty(n), np.empty(n)
    working, made, goal, level = np.zeros(0, dtype=np.intp), 0, enough, levels(dual, beta)
    lowest, size, waited, step = np.inf, 0.0, 0, 0
    narrowest, since = np.inf, 0
    while True:
        # 1. Where we stand.
        offset, violation = promises(slope, beta, dual.lower, dual.upper, dual.epsilon, dual.group, up, down)
        state = standing(dual, beta, slope, offset, violation, made, level)
        yield state
        size = max(size, abs(state.objective))
        fall = max(ROUNDING * abs(state.objective), AT_ZERO * size)
        waited = 0 if state.objective < lowest - fall else waited + 1
        lowest = min(lowest, state.objective)
        # Below the rounding of the slopes there is no violation to be seen.
        if made >= most or waited >= PATIENCE or violation <= 16.0 * EPS * float(np.abs(slope).max(initial=0.0)):
            return
        # A caller who goes on wants more than was asked for at first.
        goal = min(goal, 0.5 * violation) if violation <= goal else goal
        # 2. All of few rows; else the rows that may still move, if they are few; else a working set.
        if n <= SMALL and rows.fits:
            steps, left = pairs(
                rows.whole(), rows.members, slope, beta, dual.lower, dual.upper, dual.epsilon, dual.group, goal,
                int(min(PAIRS_A_ROW * n, most - made)),
            )  # fmt: skip
            made += steps
            step += 1
            if left > goal and made < most:
                made += free_steps(rows, dual.lower, dual.upper, dual.epsilon, dual.group, beta, slope)
            if step >= MANY_ROUNDS:
                if step == MANY_ROUNDS and made < most:
                    made += through_the_inside(rows, dual, beta, slope, state.objective)
                if state.relative_gap < 0.5 * narrowest:
                    narrowest, since = state.relative_gap, step
                elif step - since > MORE_ROUNDS:
                    return
            continue
        step += 1
        active = in_play(dual, up, down) if shrinking and step % LOOK == 0 else None
        if active is not None and rows.worth_a_table(len(active)):
            made += without_the_rest(rows, dual, beta, slope, active, max(goal, DEPTH * violation), most - made)
        else:
            working = chosen(working, up, down, min(WORKING_SET, n), dual.group)
            made += within(rows, dual, beta, slope, working, max(goal, 0.1 * violation), most - made)


def through_the_inside(rows: KernelRows, dual: BoxDual, beta: np.ndarray, slope: np.ndarray, lowest: float) -> int:
    """Take the end of a path through the inside of the box where that is lower; the steps made.

    Where ε > 0 a row has two variables, one of either sign: ε|β| is a part of the target of each.
    """
    n, twice = len(beta), dual.epsilon > 0.0
    members = rows.members if len(rows.members) else np.arange(n)
    K = take_block(rows.whole(), members, members)
    if twice:
        found, made = solution(
            np.tile(K, (2, 2)), np.concatenate([dual.target - dual.epsilon, dual.target + dual.epsilon]),
            np.concatenate([np.maximum(dual.lower, 0.0), np.minimum(dual.lower, 0.0)]),
            np.concatenate([np.maximum(dual.upper, 0.0), np.minimum(dual.upper, 0.0)]),
            np.tile(dual.group, 2), np.concatenate([np.maximum(beta, 0.0), np.minimum(beta, 0.0)]),
        )  # fmt: skip
        found = found[:n] + found[n:]
    else:
        found, made = solution(K, dual.target, dual.lower, dual.upper, dual.group, beta)
    product = K @ found
    if 0.5 * float(found @ product) - float(dual.target @ found) + dual.epsilon * float(np.abs(found).sum()) < lowest:
        beta[:], slope[:] = found, product - dual.target
    return made


def within(
    rows: KernelRows, dual: BoxDual, beta: np.ndarray, slope: np.ndarray, working: np.ndarray, goal: float, most: float
) -> int:
    """Solve the problem of a working set alone, then bring the slopes of all rows up to date; the steps made."""
    part = beta[working]
    made, _ = pairs(
        *rows.between(working), slope[working], part, dual.lower[working], dual.upper[working], dual.epsilon,
        dual.group[working], goal, int(min(MOST_PAIRS, most)),
    )  # fmt: skip
    change = part - beta[working]
    moved = change != 0.0
    beta[working] = part
    rows.add_to(slope, working[moved], change[moved])
    return made


def in_play(dual: BoxDual, up: np.ndarray, down: np.ndarray) -> np.ndarray:
    """Rows that a violating pair could have: whose −∂⁺ is not below every −∂⁻, or whose −∂⁻ not above every −∂⁺."""
    stays = np.zeros(len(up), dtype=bool)
    for k in range(2):
        mine = dual.group == k
        if mine.any():
            stays |= mine & ((up >= np.min(down[mine])) | (down <= np.max(up[mine])))
    return np.flatnonzero(stays)


def without_the_rest(
    rows: KernelRows, dual: BoxDual, beta: np.ndarray, slope: np.ndarray, active: np.ndarray, goal: float,
    most: float,
) -> int:  # fmt: skip
    """Solve for the rows in play with the table of their values, the others set aside, whose slopes then follow."""
    rows.forget()
    inner = rows.among(active)
    inner.whole()
    part, lean = beta[active], slope[active]
    small = BoxDual(dual.target[active], dual.lower[active], dual.upper[active], dual.epsilon, dual.group[active])
    up, down = np.empty(len(active)), np.empty(len(active))
    working, made = np.zeros(0, dtype=np.intp), 0
    for _ in range(MOST_ROUNDS):
        _, violation = promises(lean, part, small.lower, small.upper, small.epsilon, small.group, up, down)
        if violation <= goal or made >= most:
            break
        working = chosen(working, up, down, min(WORKING_SET, len(active)), small.group)
        made += within(inner, small, part, lean, working, max(goal, 0.1 * violation), most - made)
    change = part - beta[active]
    moved = change != 0.0
    beta[active], slope[active] = part, lean
    aside = np.ones(len(beta), dtype=bool)
    aside[active] = False
    rows.add_elsewhere(slope, active[moved], change[moved], np.flatnonzero(aside))
    return made


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


def levels(dual: BoxDual, start: np.ndarray) -> np.ndarray:
    """(2,) the offsets that are best without any weights: where the rows, filled from the largest target down, have
    the sum that those of their group have."""
    found, several = np.zeros(2), dual.group.any()
    for k in range(2 if several else 1):
        mine = dual.group == k if several else slice(None)
        place, lower, upper = dual.target[mine], dual.lower[mine], dual.upper[mine]
        if not len(place):
            continue
        room = upper - lower
        if dual.epsilon > 0.0:  # a row is worth more below zero than above it
            middle = np.clip(0.0, lower, upper)
            place = np.concatenate([place + dual.epsilon, place - dual.epsilon])
            room = np.concatenate([middle - lower, upper - middle])
        order = (-place).argsort()
        filled = lower.sum() + room[order].cumsum()
        found[k] = place[order[min(int(filled.searchsorted(start[mine].sum())), len(order) - 1)]]
    return found


def standing(
    dual: BoxDual, beta: np.ndarray, slope: np.ndarray, offset: np.ndarray, violation: float, made: int,
    level: np.ndarray,
) -> SMOState:  # fmt: skip
    """The state, with the gap as the sum of each row's regret, which needs no primal weights.

    Without weights, at the offsets `level`, the regrets are what the dual value has gained, but for ½ βᵀKβ. Under a
    tiny C the primal value itself is all but that of no weights, and says nothing.

    For the offset b the dual value of β and the primal value differ by Σᵢ sup over v of (ε|βᵢ| − ε|v|) −
    (slopeᵢ + bᵢ)(v − βᵢ): what row i would gain from the v that is best for it alone.
    """
    gap, objective, n_support = regrets(
        slope, beta, dual.target, dual.lower, dual.upper, dual.epsilon, dual.group, offset
    )
    idle, _, _ = regrets(
        -dual.target, beta, dual.target, dual.lower, dual.upper, dual.epsilon, dual.group, level
    )  # fmt: skip
    size = min(abs(gap - objective), idle + 0.5 * float(beta @ (slope + dual.target)))
    relative = gap / size if size > 0.0 else (0.0 if gap == 0.0 else np.inf)
    return SMOState(objective, violation, relative, beta, slope, offset, n_support, made)
