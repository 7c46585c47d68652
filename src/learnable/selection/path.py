"""The regularisation path, penalised and constrained: two descriptions of the same solutions."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnable.selection._inputs import require_vector
from learnable.selection._report import Reported, Table


@dataclass(frozen=True, repr=False, eq=False)
class RegularisationPath(Reported):
    """Empirical risk and complexity of h_λ along rising λ, with the laws they must obey.

    Attributes
    ----------
    lambdas : in rising order.
    risk : R̂(h_λ), never falling.
    complexity : Ω(h_λ), never rising; it is the bound t of the equivalent constrained problem.
    erm_risk, erm_complexity : of the unpenalised minimiser.
    cross_gap : entry (i, j) is J_{λ_i}(h_j) - J_{λ_i}(h_i), which is >= 0 when every h_i minimises its own objective.
    tolerance : slack allowed for inexact solutions, relative to the largest objective.
    """

    lambdas: NDArray
    risk: NDArray
    complexity: NDArray
    erm_risk: float
    erm_complexity: float
    cross_gap: NDArray
    tolerance: float

    @property
    def slack(self) -> float:
        """The tolerance in units of the objective."""
        return self.tolerance * float(1 + np.abs(self.risk).max())

    @property
    def optimal(self) -> bool:
        """No solution of the path beats another at the other's own λ."""
        return bool((self.cross_gap >= -self.slack).all())

    @property
    def monotone(self) -> bool:
        """Ω falls and R̂ rises with λ; this follows from `optimal`, and fails with it for a bad solver."""
        scale = self.tolerance * float(1 + np.abs(self.complexity).max())
        return bool((np.diff(self.complexity) <= scale).all() and (np.diff(self.risk) >= -self.slack).all())

    @property
    def erm_gap(self) -> NDArray:
        """R̂(h_λ) - R̂(h_ERM), which lies between 0 and λ Ω(h_ERM) and so vanishes with λ."""
        return self.risk - self.erm_risk

    @property
    def tends_to_erm(self) -> bool:
        """0 <= R̂(h_λ) - R̂(h_ERM) <= λ Ω(h_ERM) at every λ."""
        room = self.lambdas * self.erm_complexity + self.slack
        return bool(((self.erm_gap >= -self.slack) & (self.erm_gap <= room)).all())

    def table(self) -> Table:
        room = self.lambdas * self.erm_complexity
        rows = list(zip(self.lambdas, self.risk, self.complexity, self.erm_gap, room))
        header = ("λ", "R̂(h_λ)", "Ω(h_λ) = t", "above ERM", "at most λΩ(h_ERM)")
        say = {True: "yes", False: "no"}
        notes = [
            f"each solution is best at its own λ: {say[self.optimal]}; complexity falls and risk rises: "
            f"{say[self.monotone]}; tends to ERM as λ → 0: {say[self.tends_to_erm]}"
        ]
        return Table("Regularisation path", header, rows, notes)


def regularisation_path(
    solve: Callable[[float], Any],
    lambdas: ArrayLike,
    risk: Callable[[Any], float],
    complexity: Callable[[Any], float],
    *,
    tolerance: float = 1e-6,
) -> RegularisationPath:
    """Solve min R̂(h) + λΩ(h) along λ and at λ = 0, and check the laws of the path. Syllabus: MS8.

    h_λ also solves the constrained problem min R̂(h) subject to Ω(h) <= t with t = Ω(h_λ).

    Parameters
    ----------
    solve : λ ↦ h_λ (anything `risk` and `complexity` understand); `solve(0.0)` is the empirical risk minimiser.
    lambdas : penalties > 0.
    risk : h ↦ R̂(h).
    complexity : h ↦ Ω(h) >= 0.
    tolerance : relative slack of the checks.

    >>> y = np.array([1.0, 2.0, 3.0])
    >>> shrunk = lambda lam: y.mean() / (1 + lam)
    >>> path = regularisation_path(shrunk, [0.1, 1, 10], lambda h: np.mean((y - h) ** 2), lambda h: h**2)
    >>> path.optimal, path.monotone, path.tends_to_erm
    (True, True, True)
    """
    lambdas = np.sort(require_vector("lambdas", lambdas))
    if not (lambdas > 0).all():
        raise ValueError(f"lambdas: the least is {lambdas[0]}; all must be > 0 (λ = 0 is solved besides)")
    solutions = [solve(float(value)) for value in lambdas]
    risks = require_vector("risk", [float(risk(h)) for h in solutions])
    complexities = require_vector("complexity", [float(complexity(h)) for h in solutions])
    erm = solve(0.0)
    objective = risks[None, :] + lambdas[:, None] * complexities[None, :]
    gap = objective - np.diag(objective)[:, None]
    return RegularisationPath(lambdas, risks, complexities, float(risk(erm)), float(complexity(erm)), gap, tolerance)


@dataclass(frozen=True, repr=False, eq=False)
class ConstrainedSolution(Reported):
    """A solution of min R̂ subject to Ω <= t, and the λ that gives it in penalised form (0: the bound is idle)."""

    bound: float
    penalty: float
    risk: float
    complexity: float
    solution: Any

    def table(self) -> Table:
        row = (self.bound, self.penalty, self.risk, self.complexity)
        notes = (
            [f"Ω differs from t by {abs(self.complexity - self.bound):.2g}"]
            if self.penalty > 0
            else ["the bound is idle"]
        )
        return Table("Constrained solution", ("t", "λ", "R̂", "Ω"), [row], notes)


def solve_constrained(
    solve: Callable[[float], Any],
    bound: float,
    risk: Callable[[Any], float],
    complexity: Callable[[Any], float],
    *,
    largest: float = 1e12,
    tolerance: float = 1e-10,
) -> ConstrainedSolution:
    """min R̂(h) subject to Ω(h) <= t through the penalised problem: bisection for the λ with Ω(h_λ) = t.

    Ω(h_λ) never rises with λ, so bisection on log λ finds it; where Ω jumps over t the feasible side is kept.
    Syllabus: MS8.

    Parameters
    ----------
    solve, risk, complexity : as in `regularisation_path`.
    bound : t.
    largest : greatest λ tried; if even h at that λ is too complex the bound is refused as infeasible.
    tolerance : relative precision of λ.

    >>> found = solve_constrained(lambda lam: 2 / (1 + lam), 1.0, lambda h: (2 - h) ** 2, lambda h: h**2)
    >>> round(found.penalty, 6), round(found.solution, 6)
    (1.0, 1.0)
    """
    free = solve(0.0)
    if complexity(free) <= bound:
        return ConstrainedSolution(float(bound), 0.0, float(risk(free)), float(complexity(free)), free)
    low, high = 1 / largest, largest
    if complexity(solve(high)) > bound:
        raise ValueError(
            f"bound={bound}: complexity is still {complexity(solve(high)):.4g} at λ={high:.3g}; no h meets it"
        )
    while high / low > 1 + tolerance:
        middle = float(np.sqrt(low * high))
        if complexity(solve(middle)) > bound:
            low = middle
        else:
            high = middle
    h = solve(high)
    return ConstrainedSolution(float(bound), high, float(risk(h)), float(complexity(h)), h)
