"""Newton's method with step halving; for a likelihood of linear scores this is iteratively reweighted least squares.

Syllabus: C7.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import numpy as np
from scipy import linalg

from learnable.rows.triangle import triangle_of


class WeightedDesign(NamedTuple):
    """AᵀA is the Hessian and Aᵀs the gradient; orthonormal rows `still`, in A too, along which no step goes."""

    A: np.ndarray
    s: np.ndarray
    still: np.ndarray

    def step(self) -> np.ndarray:
        """The shortest x with ‖Ax − s‖ least, columns at unit length."""
        length = linalg.norm(self.A, axis=0)
        unit = np.where(length > 0.0, length, 1.0)
        R = triangle_of(np.column_stack([self.A / unit, self.s]))
        U, d, Vt = linalg.svd(R[:, :-1], full_matrices=False)
        kept = d > max(self.A.shape) * np.finfo(float).eps * d[0]
        x = Vt[kept].T @ ((U[:, kept].T @ R[:, -1]) / d[kept]) / unit
        return x - self.still.T @ (self.still @ x)


class SecondOrder(Protocol):
    """What Newton's method needs of an objective."""

    shape: tuple[int, int]

    @property
    def cells(self) -> int:
        """Numbers that one look at the data reads."""

    def value_and_gradient(self, theta: np.ndarray) -> tuple[float, np.ndarray]: ...

    def hessian(self, theta: np.ndarray) -> np.ndarray: ...

    def weighted_design(self, theta: np.ndarray) -> WeightedDesign | None:
        """That at θ; None where there is none, or of too many cells."""

    def bend(self, theta: np.ndarray, direction: np.ndarray) -> float:
        """dᵀ∇²J(θ) d, from what the direction does to the scores."""

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

    @property
    def dear(self) -> bool:
        """Whether it costs so many gradients that another gradient for a longer step pays."""


class EveryHessian:
    """Newton's own: the Hessian of the point at every point."""

    dear = False

    def __init__(self, objective: SecondOrder):
        self.objective = objective

    def direction(self, theta: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        return -newton_direction(self.objective.hessian(theta), gradient, lambda: self.objective.weighted_design(theta))

    def learn(self, step: np.ndarray, before: np.ndarray, after: np.ndarray) -> None:
        """Nothing is kept."""

    def renew(self) -> bool:
        return False


# The norm of a gradient from which on a Newton step is surely one towards the minimum; and from which on it leaves
# rounding.
NEAR, AT_ROUNDING = 1e-6, 1e-9
# The same from which on one hits nearly, whatever the objective seems to say of it.
SURE = 1e-3
# Cells of a table of which another step costs little.
FEW = 65_536
# Share of the slope that a whole step may leave: a line through both says where the slope would end, at most so far on.
# `benchmarks small`, LogisticRegression: wine takes 0.86 of the time it took without, breast cancer and iris 1.0.
LEFT, LONGEST = 0.25, 4.0
# What a column has of its own beside those before it, as a share of its square, for a Hessian to tell it.
OWN = 1e-6


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
        direction = curvature.direction(theta, gradient)
        found = backtrack(objective, theta, value, gradient, direction)
        if curvature.dear and found is not None and found[3] == 0:
            found = prolonged(objective, theta, gradient, direction, found)
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
    last = at_the_floor(objective, best)
    if last is not state:
        yield last


def at_the_floor(objective: SecondOrder, state: NewtonState) -> NewtonState:
    """The state with the steps of the weighted design where scores are sums of long terms that cancel.

    Their rounding hides what such a step takes off the objective, so that no search along it finds a better point.
    """
    H, theta, least = objective.hessian(state.theta), state.theta, np.inf
    factor, failed = linalg.lapack.dpotrf(H, lower=1)
    if not failed and not all_but_dependent(H, factor):
        return state
    tried = theta
    while (design := objective.weighted_design(tried)) is not None:
        step = design.step()
        gain = 0.5 * float(np.sum((design.A @ step) ** 2))
        if not (gain < 0.5 * least and objective.norm_of_gain(gain) <= SURE):
            break
        theta, least = tried, gain
        tried = theta - step.reshape(theta.shape[::-1]).T
    if theta is state.theta:
        return state
    value, gradient = objective.value_and_gradient(theta)
    return state._replace(theta=theta, objective=value, gradient_norm=objective.norm(gradient))


def finished(objective: SecondOrder, state: NewtonState, gradient: np.ndarray, direction: np.ndarray) -> NewtonState:
    """The state with the step that its gradient asks for, which is not looked at: near the minimum it hits.

    Of a table of few cells with another one, where the first may have left more than rounding.
    Where columns all but depend on each other a small gradient is still far from the minimum, as that step says: the
    state is then as it was, and of the norm of what the step would gain.
    """
    norm = objective.norm_of_gain(-0.5 * float(np.sum(gradient * direction)))
    if norm > NEAR:
        # A direction much longer than what it does to the scores multiplies the rounding of the gradient.
        norm = objective.norm_of_gain(0.5 * objective.bend(state.theta, direction))
    if norm <= NEAR:
        theta = state.theta + direction
        if norm > AT_ROUNDING and objective.cells <= FEW:
            _, gradient = objective.value_and_gradient(theta)
            at = theta
            theta = at - newton_direction(objective.hessian(at), gradient, lambda: objective.weighted_design(at))
        return state._replace(theta=theta)
    return state._replace(gradient_norm=max(state.gradient_norm, norm))


def newton_direction(
    H: np.ndarray,
    gradient: np.ndarray,
    weighted_design: Callable[[], WeightedDesign | None] = lambda: None,
) -> np.ndarray:
    """H⁻¹ g, the solution of least norm when H is singular (as for softmax scores, which may shift together).

    Where columns all but depend on each other, by reflections of the weighted design, which has the digits that H lost.
    """
    g = gradient.T.ravel()
    factor, solution, failed = linalg.lapack.dposv(H, g, lower=1)
    design = weighted_design() if failed or all_but_dependent(H, factor) else None
    if design is not None:
        solution = design.step()
    elif failed:
        # With a unit diagonal, so that parameters in large units do not hide the others.
        unit = np.sqrt(np.where(np.diag(H) > 0.0, np.diag(H), 1.0))
        eigenvalues, V = linalg.eigh(H / np.outer(unit, unit))
        keep = eigenvalues > eigenvalues.max(initial=0.0) * len(g) * np.finfo(float).eps
        solution = V[:, keep] @ ((V[:, keep].T @ (g / unit)) / eigenvalues[keep]) / unit
    return solution.reshape(gradient.shape[::-1]).T


def all_but_dependent(H: np.ndarray, factor: np.ndarray) -> bool:
    """Whether a column has so little of its own that its part of H = LLᵀ is rounding."""
    return bool((factor.diagonal() ** 2 < OWN * H.diagonal()).any())


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


def prolonged(objective, theta, gradient, direction, found):
    """The whole step that `backtrack` found, or a longer one where its slopes ask for that and the objective falls.

    Losses of rows told apart level off: far from the minimum a Newton step is a part of the way there.
    """
    left = float(np.sum(found[2] * direction) / np.sum(gradient * direction))
    if left <= LEFT:
        return found
    trial = theta + 1.0 / max(1.0 - left, 1.0 / LONGEST) * direction
    value, changed = objective.value_and_gradient(trial)
    return (trial, value, changed, 0) if value < found[1] else found


def _flat(value: float) -> float:
    """Differences of the objective up to this are rounding."""
    return 1e-14 * max(abs(value), 1e-300)
