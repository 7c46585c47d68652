"""Lagrangians, dual functions and the Karush-Kuhn-Tucker conditions, as a small toolkit. Syllabus: O5, O6, O7.

Problems are min f(w) subject to g_i(w) ≤ 0 and h_j(w) = 0, with the Lagrangian
L(w, α, β) = f(w) + Σ α_i g_i(w) + Σ β_j h_j(w), α ≥ 0.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from learnable.certificates.core.claim import Claim


class Smooth(NamedTuple):
    """A function with its gradient."""

    value: Callable[[np.ndarray], float]
    gradient: Callable[[np.ndarray], np.ndarray]


class Lagrangian(NamedTuple):
    """The generalised Lagrangian of an objective f, inequalities g_i ≤ 0 and equalities h_j = 0.

    Examples
    --------
    Minimise w² subject to w ≥ 1: the answer is w = 1 with multiplier α = 2.

    >>> problem = Lagrangian(Smooth(lambda w: float(w @ w), lambda w: 2 * w),
    ...                      [Smooth(lambda w: float(1 - w[0]), lambda w: np.array([-1.0]))])
    >>> problem.value(np.array([3.0]), [2.0]), problem.primal_value(np.array([0.5]))
    (5.0, inf)
    >>> kkt_residuals(problem, np.array([1.0]), [2.0]).largest
    0.0
    """

    objective: Smooth
    inequalities: Sequence[Smooth] = ()
    equalities: Sequence[Smooth] = ()

    def value(self, w: np.ndarray, alpha: Any = (), beta: Any = ()) -> float:
        """L(w, α, β)."""
        alpha, beta = self._multipliers(alpha, beta)
        g, h = self.slacks(w)
        return float(self.objective.value(w)) + float(alpha @ g) + float(beta @ h)

    def gradient(self, w: np.ndarray, alpha: Any = (), beta: Any = ()) -> np.ndarray:
        """∂L/∂w."""
        alpha, beta = self._multipliers(alpha, beta)
        total = np.array(self.objective.gradient(w), dtype=float)
        for multiplier, constraint in zip([*alpha, *beta], [*self.inequalities, *self.equalities]):
            total = total + multiplier * np.asarray(constraint.gradient(w))
        return total

    def primal_value(self, w: np.ndarray, tolerance: float = 0.0) -> float:
        """sup over α ≥ 0, β of L(w, α, β): f(w) where w is feasible (within `tolerance`), else ∞."""
        g, h = self.slacks(w)
        feasible = np.all(g <= tolerance) and np.all(np.abs(h) <= tolerance)
        return float(self.objective.value(w)) if feasible else np.inf

    def slacks(self, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(g(w), h(w))."""
        return (
            np.array([float(each.value(w)) for each in self.inequalities]),
            np.array([float(each.value(w)) for each in self.equalities]),
        )

    def _multipliers(self, alpha: Any, beta: Any) -> tuple[np.ndarray, np.ndarray]:
        return (
            _vector("alpha", alpha, len(self.inequalities), "inequality"),
            _vector("beta", beta, len(self.equalities), "equality"),
        )


class QuadraticProgram(NamedTuple):
    """min ½ wᵀPw + qᵀw subject to Gw ≤ h and Aw = b, P symmetric; P = 0 gives a linear program.

    Examples
    --------
    >>> program = QuadraticProgram(np.eye(1) * 2, np.zeros(1), -np.eye(1), np.array([-1.0]))   # w² with w ≥ 1
    >>> program.dual_value([2.0]), program.value(np.array([1.0]))
    (1.0, 1.0)
    """

    P: np.ndarray
    q: np.ndarray
    G: np.ndarray
    h: np.ndarray
    A: np.ndarray | None = None
    b: np.ndarray | None = None

    def value(self, w: np.ndarray) -> float:
        """f(w), feasible or not."""
        w = np.asarray(w, dtype=float)
        return float(0.5 * w @ self.P @ w + self.q @ w)

    def lagrangian(self) -> Lagrangian:
        """The same problem as functions."""
        A, b = self._equalities()
        return Lagrangian(
            Smooth(self.value, lambda w: self.P @ w + self.q),
            [_affine(row, bound) for row, bound in zip(self.G, self.h)],
            [_affine(row, bound) for row, bound in zip(A, b)],
        )

    def dual_value(self, alpha: Any, beta: Any = ()) -> float:
        """L_D(α, β) = min over w of L(w, α, β) = −½ rᵀP⁺r − α·h − β·b, r = q + Gᵀα + Aᵀβ.

        −∞ where α has a negative entry, where P bends down, or where r has a part that P does not hold.
        """
        A, b = self._equalities()
        alpha = _vector("alpha", alpha, len(self.h), "inequality")
        beta = _vector("beta", beta, len(b), "equality")
        if np.any(alpha < 0.0):
            return -np.inf
        eigenvalues, V = np.linalg.eigh(self.P)
        r = V.T @ (self.q + self.G.T @ alpha + A.T @ beta)
        size = max(float(np.max(np.abs(eigenvalues), initial=0.0)), np.finfo(float).tiny)
        flat = np.abs(eigenvalues) <= 1e-12 * size
        scale = np.abs(self.q).max(initial=1.0) + np.abs(self.G.T @ alpha).max(initial=0.0)
        if np.any(eigenvalues < -1e-12 * size) or np.any(np.abs(r[flat]) > 1e-9 * scale):
            return -np.inf
        curved = ~flat
        inner = -0.5 * float(np.sum(r[curved] ** 2 / eigenvalues[curved]))
        return inner - float(alpha @ self.h) - float(beta @ b)

    @property
    def is_convex(self) -> bool:
        """Whether P is positive semidefinite, up to rounding."""
        eigenvalues = np.linalg.eigvalsh(self.P)
        return bool(eigenvalues.min(initial=0.0) >= -1e-12 * max(np.abs(eigenvalues).max(initial=0.0), 1e-300))

    def slater_point(self) -> np.ndarray | None:
        """A w with Gw < h and Aw = b, the one with the most room up to 1, or None: found by a linear program."""
        from scipy.optimize import linprog

        A, b = self._equalities()
        p = len(self.q)
        room = linprog(
            np.r_[np.zeros(p), -1.0],
            A_ub=np.column_stack([self.G, np.ones(len(self.h))]) if len(self.h) else None,
            b_ub=self.h if len(self.h) else None,
            A_eq=np.column_stack([A, np.zeros(len(b))]) if len(b) else None,
            b_eq=b if len(b) else None,
            bounds=[(None, None)] * p + [(None, 1.0)],
        )
        return room.x[:p] if room.success and room.x[p] > 1e-9 else None

    def _equalities(self) -> tuple[np.ndarray, np.ndarray]:
        if self.A is None or self.b is None:
            return np.zeros((0, len(self.q))), np.zeros(0)
        return self.A, self.b


class KKTResiduals(NamedTuple):
    """How far (w, α, β) is from the four conditions; for a convex problem all zero means optimal.

    Attributes
    ----------
    stationarity : largest |∂L/∂w_j|.
    complementary_slackness : largest |α_i g_i(w)|.
    primal_infeasibility : largest violation of g ≤ 0 and h = 0.
    dual_infeasibility : largest violation of α ≥ 0.
    """

    stationarity: float
    complementary_slackness: float
    primal_infeasibility: float
    dual_infeasibility: float

    @property
    def largest(self) -> float:
        return max(self)

    def claim(self, tolerance: float) -> Claim:
        """The claim that all four are within `tolerance`."""
        return Claim.at_most(
            "O7", "Karush-Kuhn-Tucker conditions (largest residual of the four)", self.largest, tolerance
        )


class StrongDuality(NamedTuple):
    """Whether min of the primal = max of the dual is guaranteed, and by what.

    Attributes
    ----------
    guaranteed : False means only that this argument does not prove it.
    reason : one sentence.
    point : a strictly feasible point, where one was used.
    """

    guaranteed: bool
    reason: str
    point: np.ndarray | None = None


def kkt_residuals(problem: Lagrangian | QuadraticProgram, w: np.ndarray, alpha: Any = (), beta: Any = ()):
    """The four residuals at (w, α, β).

    Parameters
    ----------
    problem : a `Lagrangian` or a `QuadraticProgram`.
    w, alpha, beta : the point and its multipliers, one a constraint.

    Returns
    -------
    KKTResiduals
    """
    lagrangian = problem.lagrangian() if isinstance(problem, QuadraticProgram) else problem
    w = np.asarray(w, dtype=float)
    alpha, beta = lagrangian._multipliers(alpha, beta)
    g, h = lagrangian.slacks(w)
    return KKTResiduals(
        float(np.max(np.abs(lagrangian.gradient(w, alpha, beta)), initial=0.0)),
        float(np.max(np.abs(alpha * g), initial=0.0)),
        max(float(np.max(g, initial=0.0)), float(np.max(np.abs(h), initial=0.0))),
        float(np.max(-alpha, initial=0.0)),
    )


def weak_duality_claim(problem: QuadraticProgram, w: np.ndarray, alpha: Any, beta: Any = ()) -> Claim:
    """The claim L_D(α, β) ≤ f(w) for a feasible w; f(w) − L_D bounds how far w is from optimal.

    ValueError when w is not feasible, since the theorem is about feasible points.

    >>> program = QuadraticProgram(np.eye(1) * 2, np.zeros(1), -np.eye(1), np.array([-1.0]))
    >>> weak_duality_claim(program, np.array([1.5]), [1.0]).holds
    True
    """
    worst = kkt_residuals(problem, w, alpha, beta).primal_infeasibility
    if worst > 1e-9 * (1.0 + np.abs(problem.h).max(initial=0.0)):
        raise ValueError(f"weak_duality_claim: w violates a constraint by {worst:g}; a feasible point is needed")
    upper, lower = problem.value(w), problem.dual_value(alpha, beta)
    rounding = 1e-12 * max(abs(upper), 1.0)
    return Claim.at_most("O6", "dual value, within the primal value of a feasible point", lower, upper + rounding)


def strong_duality(problem: QuadraticProgram) -> StrongDuality:
    """Slater's verdict: convex and strictly feasible, or convex with affine constraints and feasible.

    >>> strong_duality(QuadraticProgram(np.eye(1), np.zeros(1), -np.eye(1), np.array([-1.0]))).guaranteed
    True
    >>> print(strong_duality(QuadraticProgram(-np.eye(1), np.zeros(1), -np.eye(1), np.array([-1.0]))).reason)
    the objective is not convex
    """
    if not problem.is_convex:
        return StrongDuality(False, "the objective is not convex")
    point = problem.slater_point()
    if point is not None:
        return StrongDuality(True, "convex, and a point satisfies every inequality strictly (Slater)", point)
    from scipy.optimize import linprog

    A, b = problem._equalities()
    feasible = linprog(
        np.zeros(len(problem.q)),
        A_ub=problem.G if len(problem.h) else None,
        b_ub=problem.h if len(problem.h) else None,
        A_eq=A if len(b) else None,
        b_eq=b if len(b) else None,
        bounds=(None, None),
    )
    if feasible.success:
        return StrongDuality(True, "convex, feasible, and every constraint is affine", feasible.x)
    return StrongDuality(False, "no feasible point exists")


def _affine(row: np.ndarray, bound: float) -> Smooth:
    return Smooth(lambda w: float(row @ w - bound), lambda w: row)


def _vector(name: str, values: Any, n: int, kind: str) -> np.ndarray:
    vector = np.asarray(values, dtype=float).ravel()
    if len(vector) == 0:
        return np.zeros(n)
    if len(vector) != n:
        raise ValueError(f"{name} has {len(vector)} entries; there are {n} {kind} constraints, one multiplier each")
    return vector
