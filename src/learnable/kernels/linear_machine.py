"""Shared by linear machines: several dual descents, one after the other."""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from learnable.problems.linear.losses import Hinge
from learnable.problems.linear.regression_losses import EpsilonInsensitive
from learnable.solvers.kernels import (
    crammer_singer,
    dual_descent,
    interior_point,
    joint_interior_point,
    l1_descent,
    primal_newton,
)
from learnable.solvers.kernels.crammer_singer import JointState
from learnable.solvers.kernels.dual_descent import DescentState
from learnable.trace import Status

# What to do when the passes ran out, as scikit-learn says it of every solver of these machines.
ADVICE = "Liblinear failed to converge, increase the number of iterations. Remedy: raise max_iter or scale the columns"

# A machine ends with a relative gap below this, whatever violation was asked for; and with a gap below the second
# whatever the violation still is.
ENOUGH_GAP, TINY_GAP = 5e-5, 1e-6
# The same of all classes in one machine, whose rows settle slowly.
SLOW_ENOUGH_GAP, JOINT_TINY_GAP = 1e-4, 1e-5
# Where Newton steps end: the gradient over the length of the weights.
NEWTON = 1e-9
# Passes over the rows after which the bounds are approached from within: with all classes in one machine that takes
# factors of as many rows for each class.
PATIENCE, JOINT_PATIENCE = 100, 300


class LinearMachinesState(NamedTuple):
    """After a pass of the machine at work.

    Attributes
    ----------
    objective : sum of primal values.
    violation, relative_gap : of the machine at work.
    coef : (m, p + 1), the offset over its scale last.
    dual : (m, n).
    passes : (m,).
    reached : whether every machine ended by its gap.
    """

    objective: float
    violation: float
    relative_gap: float
    coef: np.ndarray
    dual: np.ndarray
    passes: np.ndarray
    reached: bool

    @property
    def n_support(self) -> int:
        """Rows with a coefficient, of all machines together."""
        return int(np.count_nonzero(self.dual))


def iterates(
    X: Any, targets: list[np.ndarray], C: list[np.ndarray], loss: Any, scale: float, tol: float, most: int,
    seeds: Callable[[], list[np.random.SeedSequence]], penalty: str = "l2",
) -> Iterator[LinearMachinesState]:  # fmt: skip
    """Each machine until its relative gap is small enough or `most` passes are made; `seeds` of those that draw."""
    m, (n, p) = len(targets), X.shape
    coef, dual, passes = np.zeros((m, p + 1)), np.zeros((m, n)), np.zeros(m, dtype=int)
    objective = [float(C[k].sum()) for k in range(m)]
    reached = True
    newton = penalty == "l2" and not isinstance(loss, Hinge | EpsilonInsensitive) and primal_newton.suits(n, p)
    random = [] if newton else [np.random.default_rng(seed) for seed in seeds()]
    for k in range(m):
        if newton:
            states = primal_newton.iterates(X, targets[k], C[k], loss, scale)
        elif penalty == "l1":
            states = l1_descent.iterates(X, targets[k], C[k], scale, tol, random[k])
        else:
            states = _descent(X, targets[k], C[k], loss, scale, tol, random[k], most)
        for state in states:
            passes[k] += state.passes
            coef[k], dual[k], objective[k] = state.w, state.beta, state.objective
            if newton:
                done = state.violation <= NEWTON
            else:
                done = state.relative_gap <= (ENOUGH_GAP if state.violation <= tol else TINY_GAP)
            yield LinearMachinesState(
                sum(objective), state.violation, state.relative_gap, coef, dual, passes, reached and done
            )
            if done or passes[k] >= most:
                break
        # Steps that end by themselves cannot be improved in doubles.
        reached = reached and (done or passes[k] < most)


def _descent(
    X: Any, y: np.ndarray, C: np.ndarray, loss: Any, scale: float, tol: float, random: np.random.Generator, most: int
) -> Iterator[DescentState]:
    """Rows one after the other; where they have not come near after many passes, all at once."""
    kinked = isinstance(loss, Hinge | EpsilonInsensitive)
    patience = min(PATIENCE, most) if kinked and interior_point.suits(*X.shape) else most
    yield from dual_descent.iterates(X, y, C, loss, scale, tol, random, patience)
    if patience < most:
        yield from interior_point.iterates(X, y, C, loss, scale)


def joint_iterates(
    X: Any, index: np.ndarray, K: int, C: np.ndarray, scale: float, tol: float, most: int, random: np.random.Generator
) -> Iterator[LinearMachinesState]:
    """All classes in one machine, until its relative gap is small enough or `most` passes are made."""
    for passes, state in enumerate(_joint_descent(X, index, K, C, scale, tol, random, most), start=1):
        done = state.relative_gap <= (SLOW_ENOUGH_GAP if state.violation <= tol else JOINT_TINY_GAP)
        yield LinearMachinesState(
            state.objective, state.violation, state.relative_gap, state.W, state.alpha.T, np.array([passes]), done
        )
        if done or passes >= most:
            return


def _joint_descent(
    X: Any, index: np.ndarray, K: int, C: np.ndarray, scale: float, tol: float, random: np.random.Generator, most: int
) -> Iterator[JointState]:
    """Rows one after the other; where they have not come near after many passes, all at once."""
    n, p = X.shape
    patience = min(JOINT_PATIENCE, most) if joint_interior_point.suits(n, p, K) else most
    yield from islice(crammer_singer.iterates(X, index, K, C, scale, tol, random), patience)
    if patience < most:
        yield from joint_interior_point.iterates(X, index, K, C, scale)


def spent(most: int):
    """The stop rule: the machines end by themselves, with the budget spent where the last one was stopped by it."""

    def rule(step: int, state: LinearMachinesState) -> Status | None:
        return Status.BUDGET_SPENT if not state.reached and int(state.passes[-1]) >= most else None

    return rule
