"""Machines one after the other on one set of rows: one for each pair of classes, or a single one.

Each runs until its violation and its relative gap are small enough; a state is a round of the machine at work, or all
of a small one.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import fsum
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from learnable.problems.kernels.basic import Linear, Precomputed
from learnable.problems.kernels.hulls import MEET, hull_distance
from learnable.problems.kernels.kernel import Kernel
from learnable.rows.threads import in_order, one_blas_thread, worker_count
from learnable.solvers.kernels import smo
from learnable.solvers.kernels.kernel_rows import SMALL, KernelRows

# A machine goes on until its relative gap is below this too, whatever violation was asked for.
ENOUGH_GAP = 1e-3
# Spread of scores, relative to their size, below which it is rounding.
LEAST_SPREAD = 1e-11
# Share of the distance at which hulls meet, at which a machine that looks for their distance has found none.
WELL_MET = 0.1
# Rows up to which the values of all pairs of rows are formed once for all machines.
SHARED = 6000
# Rows up to which threads are not worth their start.
FEW = 300
# Square of the distance of rows from zero, over that from their mean, beyond which x·z is taken from their mean.
FAR = 1e4
# Into how many pieces machines that share a table are dealt out, at most.
PIECES = 8


class Posed(NamedTuple):
    """One machine.

    Attributes
    ----------
    rows : which rows of X its variables belong to; a row may have two.
    dual : its problem.
    start : feasible.
    by_width : whether violations count in units of half the distance of the two offsets, as in the ν-machines.
    by_spread : whether they count in units of what rows differ in, where that is less than 1: the spread of the scores,
        or of what one coefficient adds to them. Where kernel values are all but the same no row is far from its
        condition, whatever the coefficients are.
    """

    rows: np.ndarray
    dual: smo.BoxDual
    start: np.ndarray
    by_width: bool = False
    by_spread: bool = False

    def unit(self, state: smo.SMOState, whole: KernelRows) -> float:
        """What a violation is measured by; at most 1."""
        if self.by_spread:
            spread = float(np.ptp(state.slope))
            if spread >= 1.0:
                return 1.0
            of_one = whole.X[:, [0]] if isinstance(whole.kernel, Precomputed) else whole.kernel(whole.X, whole.X[:1])
            alike = float(of_one.max() - of_one.min()) * float(np.abs(state.beta).max())
            least = LEAST_SPREAD * float(np.abs(state.slope).max())
            return min(1.0, max(spread, alike, least))
        if not self.by_width:
            return 1.0
        return min(1.0, max(0.5 * abs(float(state.offset[0] - state.offset[1])), 1e-6))

    def is_done(self, state: smo.SMOState, enough: float, whole: KernelRows) -> bool:
        """Whether violation and gap are small enough, or the hulls meet: a gap relative to 0 is never small."""
        near = state.relative_gap <= ENOUGH_GAP and state.violation <= enough
        if near and state.violation <= enough * self.unit(state, whole):
            return True
        if not self.by_width:
            return False
        return hull_distance(whole.kernel, whole.X, self.rows, state.beta, state.slope) <= WELL_MET * MEET


class MachinesState(NamedTuple):
    """After a round of the machine at work.

    Attributes
    ----------
    objective : sum of the dual objectives (of a minimisation).
    violation, relative_gap : the largest of all machines begun.
    n_support : rows with a coefficient in any of them.
    machine : which one is at work.
    betas : coefficients of each machine over its rows; zeros of those not begun.
    offsets : (m, 2).
    slopes : Kβ − t of each machine, which its offsets are read from.
    pairs : (m,) steps made.
    reached : whether every machine ended by its tolerances.
    """

    objective: float
    violation: float
    relative_gap: float
    n_support: int
    machine: int
    betas: list[np.ndarray]
    offsets: np.ndarray
    slopes: list[np.ndarray]
    pairs: np.ndarray
    reached: bool


def iterates(
    kernel: Kernel, X: Any, posed: Sequence[Posed], enough: float, megabytes: float, most: float = np.inf,
    shrinking: bool = True,
) -> Iterator[MachinesState]:  # fmt: skip
    """States of all machines, one after the other; ends when each has ended."""
    n, m = X.shape[0], len(posed)
    about = _origin(kernel, X, posed)
    near = X if about is None else X - about
    whole = KernelRows(kernel, near, megabytes)
    betas = [each.start for each in posed]
    slopes = [-each.dual.target for each in posed]
    offsets, steps = np.zeros((m, 2)), np.zeros(m, dtype=np.int64)
    objective, violation, gap = np.zeros(m), np.zeros(m), np.zeros(m)
    supports = np.zeros(n, dtype=bool)
    reached = True
    for k, (each, states) in enumerate(zip(posed, _runs(whole, posed, enough, most, shrinking))):
        for state, done in states:
            betas[k], slopes[k], offsets[k] = state.beta, state.slope, state.offset
            if about is not None:
                # Σβ is 0 but for rounding, which m·m may make large.
                moved = float(about @ (state.beta @ near[each.rows]) + about @ about * fsum(state.beta))
                slopes[k], offsets[k] = state.slope + moved, state.offset - moved
            objective[k], violation[k], gap[k], steps[k] = (
                state.objective, state.violation, state.relative_gap, state.pairs,
            )  # fmt: skip
            here = supports.copy()
            here[each.rows[state.beta != 0.0]] = True
            yield MachinesState(
                float(objective.sum()), float(violation.max()), float(gap.max()), int(here.sum()), k, list(betas),
                offsets.copy(), list(slopes), steps.copy(), reached and done,
            )  # fmt: skip
        supports |= here
        reached = reached and done


def _origin(kernel: Kernel, X: Any, posed: Sequence[Posed]) -> np.ndarray | None:
    """The mean of dense rows far from zero, where x·z may be taken from there: with Σβ = 0 all scores shift alike, and
    no digits are lost."""
    if not isinstance(kernel, Linear) or sparse.issparse(X):
        return None
    if not all(abs(float(each.start.sum())) <= 1e-9 * float(np.abs(each.start).sum()) for each in posed):
        return None
    mean = X.mean(axis=0)
    return mean if mean @ mean > FAR * X.var(axis=0).sum() else None


def _runs(
    whole: KernelRows, posed: Sequence[Posed], enough: float, most: float, shrinking: bool
) -> Iterator[Iterable[tuple[smo.SMOState, bool]]]:
    """The states of each machine, and whether it is done: small ones that share one table of values side by side, its
    last state only."""

    def run(each: Posed, rows: KernelRows) -> Iterator[tuple[smo.SMOState, bool]]:
        for state in smo.iterates(rows, each.dual, each.start, enough, most=most, shrinking=shrinking):
            done = each.is_done(state, enough, whole)
            yield state, done
            if done:
                return

    if len(posed) > 1 and whole.n <= SHARED and whole.fits:
        table, place = whole, np.arange(whole.n)
        if whole.n > SMALL:
            place = _as_met(posed, whole.n)
            table = whole.ordered(np.argsort(place))
        else:  # a table that stays in the cache
            whole.whole()

        def last(each: Posed) -> list[tuple[smo.SMOState, bool]]:
            return [*run(each, table.among(place[each.rows]))][-1:]

        # Several machines a piece: handing over a small one takes as long as solving it.
        size = -(-len(posed) // PIECES)
        pieces = [posed[k : k + size] for k in range(0, len(posed), size)]
        with one_blas_thread() as granted:
            workers = worker_count(None, granted, len(pieces)) if whole.n > FEW else 1
            if workers == 1:
                yield from map(last, posed)
                return
            for found in in_order(lambda piece: [last(each) for each in piece], iter(pieces), workers):
                yield from found
        return
    for each in posed:
        alone = len(each.rows) == whole.n and np.array_equal(each.rows, np.arange(whole.n))
        yield run(each, whole if alone else whole.among(each.rows))


def _as_met(posed: Sequence[Posed], n: int) -> np.ndarray:
    """(n,) places of the rows in the order in which the machines meet them: then those of a machine lie together."""
    place, met = np.full(n, -1), 0
    for each in posed:
        new = each.rows[place[each.rows] < 0]
        place[new] = np.arange(met, met + len(new))
        met += len(new)
    return place
