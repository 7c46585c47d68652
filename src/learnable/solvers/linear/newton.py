"""Newton's method with step halving; for a likelihood of linear scores this is iteratively reweighted least squares.

Syllabus: C7.
"""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np
from scipy import linalg


class SecondOrder(Protocol):
    """What Newton's method needs of an objective."""

    shape: tuple[int, int]

    @property
    def cells(self) -> int:
        """Numbers that one look at the data reads."""

    def value_and_gradient(self, theta: np.ndarray) -> tuple[float, np.ndarray]: ...

    def hessian(self, theta: np.ndarray) -> np.ndarray: ...

    def norm(self, gradient: np.ndarray) -> float:
        """Size of a gradient, which should not change with the units of a parameter."""

    def norm_of_gain(self, gain: float) -> float:
        """The size of a gradient along which a Newton step takes this much off the objective."""


class NewtonState(NamedTuple):
    """At the end of a Newton step (the first state is the start).

    Attributes
    ----------
    objective : J(θ).
    gradient_norm : largest slope, in units of its own (`SecondOrder.norm`).
    theta : parameters.
    steps : Newton steps made.
    halvings : how often the step was halved to make the objective fall.
    """

    objective: float
    gradient_norm: float
    theta: np.ndarray
    steps: int
    halvings: int


class Curvature(Protocol):
    """Where the directions of descent come from: the Hessian of every point, or one that serves for some of them."""

    def direction(self, theta: np.ndarray, gradient: np.ndarray) -> np.ndarray: ...

    def learn(self, step: np.ndarray, before: np.ndarray, after: np.ndarray) -> None:
        """Told of a step that was made, and of the gradients before and after it."""

    def renew(self) -> bool:
        """Whether another try from the same point, with its own Hessian, may find a better step."""


class EveryHessian:
    """Newton's own: the Hessian of the point at every point."""

    def __init__(self, objective: SecondOrder):
        self.objective = objective

    def direction(self, theta: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        return -newton_direction(self.objective.hessian(theta), gradient)

    def learn(self, step: np.ndarray, before: np.ndarray, after: np.ndarray) -> None:
        """Nothing is kept."""

    def renew(self) -> bool:
        return False


# The norm of a gradient from which on a Newton step is surely one towards the minimum; and from which on it leaves
# rounding.
NEAR, AT_ROUNDING = 1e-6, 1e-9
# Cells of a table of which another step costs little.
FEW = 65_536


def iterates(
    objective: SecondOrder,
    start: np.ndarray | None = None,
    curvature: Curvature | None = None,
    enough: float = 0.0,
) -> Iterator[NewtonState]:
    """States until a step brings neither the objective nor the gradient below all before: the floor of rounding.

    The last state is the best: at the floor, where the objective cannot tell points apart, the least gradient decides.

    Parameters
    ----------
    objective : what is minimised.
    start : zero unless it is given.
    curvature : that of every point unless it is given.
    enough : norm of the gradient at which the caller will stop; that state is `finished`.
    """
    curvature = EveryHessian(objective) if curvature is None else curvature
    theta = np.zeros(objective.shape) if start is None else np.array(start, dtype=float)
    value, gradient = objective.value_and_gradient(theta)
    state = best = NewtonState(value, objective.norm(gradient), theta, 0, 0)
    least_value, least_norm = state.objective, state.gradient_norm

    def shown() -> NewtonState:
        near = 0.0 < state.gradient_norm <= min(enough, NEAR)
        return finished(objective, state, gradient, curvature.direction(theta, gradient)) if near else state

    yield shown()
    while True:
        found = backtrack(objective, theta, value, gradient, curvature.direction(theta, gradient))
        if found is None or (found[1] >= least_value and objective.norm(found[2]) >= least_norm):
            if curvature.renew():
                continue
            break
        moved, value, changed, halvings = found
        curvature.learn(moved - theta, gradient, changed)
        theta, gradient = moved, changed
        state = NewtonState(value, objective.norm(gradient), theta, state.steps + 1, halvings)
        least_value, least_norm = min(least_value, state.objective), min(least_norm, state.gradient_norm)
        if state.objective < best.objective - _flat(best.objective) or state.gradient_norm < best.gradient_norm:
            best = state
        yield shown()
    if best is not state:
        yield best


def finished(objective: SecondOrder, state: NewtonState, gradient: np.ndarray, direction: np.ndarray) -> NewtonState:
    """The state with the step that its gradient asks for, which is not looked at: near the minimum it hits.

    Of a table of few cells with another one, where the first may have left more than rounding.
    Where columns all but depend on each other a small gradient is still far from the minimum, as that step says: the
    state is then as it was, and of the norm of what the step would gain.
    """
    norm = objective.norm_of_gain(-0.5 * float(np.sum(gradient * direction)))
    if norm <= NEAR:
        theta = state.theta + direction
        if norm > AT_ROUNDING and objective.cells <= FEW:
            _, gradient = objective.value_and_gradient(theta)
            theta = theta - newton_direction(objective.hessian(theta), gradient)
        return state._replace(theta=theta)
    return state._replace(gradient_norm=max(state.gradient_norm, norm))


def newton_direction(H: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """H⁻¹ g, the solution of least norm when H is singular (as for softmax scores, which may shift together)."""
    g = gradient.T.ravel()
    _, solution, failed = linalg.lapack.dposv(H, g, lower=1)
    if failed:
        # With a unit diagonal, so that parameters in large units do not hide the others.
        unit = np.sqrt(np.where(np.diag(H) > 0.0, np.diag(H), 1.0))
        eigenvalues, V = linalg.eigh(H / np.outer(unit, unit))
        keep = eigenvalues > eigenvalues.max(initial=0.0) * len(g) * np.finfo(float).eps
        solution = V[:, keep] @ ((V[:, keep].T @ (g / unit)) / eigenvalues[keep]) / unit
    return solution.reshape(gradient.shape[::-1]).T


def backtrack(objective, theta, value, gradient, direction):
    """(θ', J', ∇J', halvings) of the longest step θ + 2⁻ᵏ d that decreases J enough, or None when none does.

    Near the minimum J cannot tell points apart any more; there a smaller gradient decides.
    """
    slope = float(np.sum(gradient * direction))
    if not slope < 0.0:
        return None
    flat = _flat(value)
    length = 1.0
    for halvings in range(40):
        trial = theta + length * direction
        trial_value, trial_gradient = objective.value_and_gradient(trial)
        if trial_value <= value + 1e-4 * length * slope:
            return trial, trial_value, trial_gradient, halvings
        if trial_value <= value + flat and objective.norm(trial_gradient) < objective.norm(gradient):
            return trial, trial_value, trial_gradient, halvings
        length *= 0.5
    return None


def _flat(value: float) -> float:
    """Differences of the objective up to this are rounding."""
    return 1e-14 * max(abs(value), 1e-300)
