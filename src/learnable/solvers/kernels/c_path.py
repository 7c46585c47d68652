"""The exact path of a two-class support vector machine in C: between knots the solution is linear in C.

With E the rows on the margin, L those with α = C and the others at 0, the margin equations of E and the balance
    K_EE β_E + b = z_E − C K_EL z_L,   Σ β_E = −C Σ z_L
make β_E, b and every score linear in C, until a row of E reaches a bound or a row outside reaches the margin.
Where two events coincide the machine is solved afresh a little further on. Syllabus: S16.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from learnable.problems.kernels.machines import values
from learnable.problems.linear.losses import Hinge
from learnable.rows.threads import one_blas_thread
from learnable.solvers.kernels import smo
from learnable.solvers.kernels.kernel_rows import KernelRows

TIGHT = 1e-10
# Relative gap above which a knot is solved afresh, and how far beyond the knot.
GAP, BEYOND = 1e-8, 1e-6


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
    while True:
        knot = _knot(K, z, C, beta, b)
        if knot.relative_gap > GAP:
            beta, b = _solved(K, z, C, beta)
            knot = _knot(K, z, C, beta, b)
        yield knot
        if C_max <= C:
            return
        step = _next(K, z, C, beta, knot.scores)
        if step is None or step[0] <= C * (1.0 + BEYOND):
            C = min(C * (1.0 + BEYOND if step is None or step[0] <= C else 1.0 + BEYOND), C_max)
            beta, b = _solved(K, z, C, beta)
            continue
        target = min(step[0], C_max)
        beta, b = step[1] + target * step[2], step[3] + target * step[4]
        C = target
        alpha = np.clip(z * beta, 0.0, C)
        alpha[alpha < 1e-12 * C] = 0.0
        alpha[alpha > C * (1.0 - 1e-12)] = C
        beta = z * alpha


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


def _next(K: np.ndarray, z: np.ndarray, C: float, beta: np.ndarray, scores: np.ndarray):
    """(C of the next event, and β = p + C q, b = p₀ + C q₀ until then); None where the equations have no one answer."""
    alpha = z * beta
    margin = z * scores
    full = alpha >= C * (1.0 - 1e-9)
    none = alpha <= 1e-9 * C
    near = np.abs(margin - 1.0) <= 1e-7
    # A row at a bound that is on the margin may leave it: which one does is for the solver to say.
    E = np.flatnonzero(~full & ~none)
    if not len(E) or np.any(near & (full | none)):
        return None
    L = np.flatnonzero(full)
    m = len(E)
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
    events = []
    with np.errstate(divide="ignore", invalid="ignore"):
        # Rows outside reach the margin; rows on it reach 0 or C.
        outside = (1.0 - start) / slope
        events.append(np.where(full | none, outside, np.inf))
        to_zero, to_full = -(z * p) / (z * q), (z * p) / (1.0 - z * q)
        events += [np.where(~full & ~none, to_zero, np.inf), np.where(~full & ~none, to_full, np.inf)]
    times = np.concatenate(events)
    times = times[np.isfinite(times) & (times > C * (1.0 + 1e-10))]
    return (float(times.min()) if len(times) else np.inf), p, q, p0, q0
