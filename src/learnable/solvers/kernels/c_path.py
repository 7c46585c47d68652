"""The exact path of a two-class support vector machine in C: between knots the solution is linear in C.

With E the rows on the margin, L those with α = C and the others at 0, the margin equations of E and the balance
    K_EE β_E + b = z_E − C K_EL z_L,   Σ β_E = −C Σ z_L
make β_E, b and every score linear in C, until a row of E reaches a bound or a row outside reaches the margin.
Where two events coincide, or no row is on the margin, the machine is solved afresh a little further on. Syllabus: S16.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from learnable.problems.kernels.machines import values
from learnable.problems.linear.losses import Hinge
from learnable.rows.threads import one_blas_thread
from learnable.solvers.kernels import smo
from learnable.solvers.kernels.kernel_rows import KernelRows

# Knots are found from the multipliers: they are solved to their rounding.
TIGHT = 1e-10
# Relative gap above which a knot is solved afresh, and the factor of a short step.
GAP, BEYOND = 1e-8, 1.002


class Knot(NamedTuple):
    """The solution at one C.

    Attributes
    ----------
    objective : primal value.
    C, offset : as they are.
    beta : (n,).
    scores : (n,) f on the rows.
    relative_gap : (P − D) / P.
    """

    objective: float
    C: float
    beta: np.ndarray
    offset: float
    scores: np.ndarray
    relative_gap: float


def iterates(K: np.ndarray, z: np.ndarray, C_min: float, C_max: float) -> Iterator[Knot]:
    """Knots from C_min up to C_max, both included."""
    C, beta, b = C_min, *_solved(K, z, C_min, np.zeros(len(z)))
    elbow, full = _sets(z * beta, C)
    while True:
        knot = _knot(K, z, C, beta, b)
        if knot.relative_gap > GAP:
            beta, b = _solved(K, z, C, beta)
            elbow, full = _sets(z * beta, C)
            knot = _knot(K, z, C, beta, b)
        yield knot
        if C_max <= C:
            return
        line = _line(K, z, C, elbow, full)
        if line is None:
            # No row on the margin, or an event that the equations cannot follow: a short step, solved afresh.
            C = min(C * BEYOND, C_max)
            beta, b = _solved(K, z, C, beta)
            elbow, full = _sets(z * beta, C)
            continue
        C, row = (line.until, line.row) if line.until < C_max else (C_max, -1)
        beta, b = line.p + C * line.q, line.p0 + C * line.q0
        if row < 0:
            continue
        if elbow[row]:  # it reached a bound
            elbow[row] = False
            full[row] = z[row] * beta[row] > 0.5 * C
        else:  # it reached the margin
            elbow[row], full[row] = True, False
        beta = z * np.where(elbow, np.clip(z * beta, 0.0, C), np.where(full, C, 0.0))


def _sets(alpha: np.ndarray, C: float) -> tuple[np.ndarray, np.ndarray]:
    """(rows strictly between the bounds, rows at C)."""
    return (alpha > 1e-9 * C) & (alpha < C * (1.0 - 1e-9)), alpha >= C * (1.0 - 1e-9)


def _solved(K: np.ndarray, z: np.ndarray, C: float, start: np.ndarray) -> tuple[np.ndarray, float]:
    dual = smo.BoxDual(z, np.where(z > 0.0, 0.0, -C), np.where(z > 0.0, C, 0.0), 0.0, np.zeros(len(z), dtype=np.int8))
    begin = np.clip(start, dual.lower, dual.upper)
    begin = begin if abs(begin.sum()) <= 1e-12 * C else np.zeros(len(z))
    for state in smo.iterates(KernelRows.of_values(K), dual, begin, TIGHT):
        if state.violation <= TIGHT:
            break
    return state.beta.copy(), float(state.offset[0])


def _knot(K: np.ndarray, z: np.ndarray, C: float, beta: np.ndarray, b: float) -> Knot:
    with one_blas_thread():
        product = K @ beta
    found = values(Hinge(), z, np.full(len(z), C), beta, product, b)
    return Knot(found.primal, C, beta.copy(), b, product + b, found.relative_gap)


class Line(NamedTuple):
    """β = p + C q and b = p₀ + C q₀, until C reaches `until`, where `row` changes its set."""

    p: np.ndarray
    q: np.ndarray
    p0: float
    q0: float
    until: float
    row: int


def _line(K: np.ndarray, z: np.ndarray, C: float, elbow: np.ndarray, full: np.ndarray) -> Line | None:
    """The line from C on; None where the equations have no one answer or lead out of the box at once."""
    E, L, m = np.flatnonzero(elbow), np.flatnonzero(full), int(elbow.sum())
    if m < 2:
        return None
    system = np.ones((m + 1, m + 1))
    system[-1, -1] = 0.0
    system[:m, :m] = K[np.ix_(E, E)]
    right = np.zeros((m + 1, 2))
    right[:m, 0] = z[E]
    right[:m, 1] = -(K[np.ix_(E, L)] @ z[L])
    right[m, 1] = -z[L].sum()
    try:
        found = np.linalg.solve(system, right)
    except np.linalg.LinAlgError:
        return None
    p, q = np.zeros(len(z)), np.zeros(len(z))
    p[E], q[E], q[L] = found[:m, 0], found[:m, 1], z[L]
    p0, q0 = float(found[m, 0]), float(found[m, 1])
    start, slope = z * (K @ p + p0), z * (K @ q + q0)
    alpha, rise = z * p + C * (z * q), z * q
    if np.any((alpha[E] < 1e-8 * C) & (rise[E] < 0.0)) or np.any((alpha[E] > C * (1.0 - 1e-8)) & (rise[E] > 1.0)):
        return None
    # Rows outside reach the margin, from above at 0 and from below at C; rows on it reach 0 or C.
    times = np.full(len(z), np.inf)
    margin = start + C * slope
    with np.errstate(divide="ignore", invalid="ignore"):
        towards = np.where(full, (slope > 0.0) & (margin < 1.0), (slope < 0.0) & (margin > 1.0))
        times = np.where(~elbow & towards, (1.0 - start) / slope, times)
        times = np.where(elbow & (rise < 0.0), -(z * p) / rise, times)
        times = np.where(elbow & (rise > 1.0), (z * p) / (1.0 - rise), times)
    times = np.where(times > C * (1.0 + 1e-12), times, np.inf)
    row = int(np.argmin(times))
    return Line(p, q, p0, q0, float(times[row]), row)
