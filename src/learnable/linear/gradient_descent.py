"""Plain gradient descent on any smooth function, with the guarantees that convexity gives it."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from learnable.certificates.core.claim import Claim
from learnable.certificates.linear.gradient_descent import descent_claim
from learnable.solvers.linear.gradient_descent import GradientState, iterates
from learnable.trace import Status, budget, drive, first_of, reached


class GradientDescent(NamedTuple):
    """Where θ ← θ − η ∇J(θ) went, from the start θ₀ to the last point θ_k.

    Attributes
    ----------
    theta : θ_k. start : θ₀. step : η.
    objective : J(θ_k). gradient_norm : largest |∂J/∂θ_j| there; what says that a minimum is near.
    objectives, gradient_norms, largest_changes : (k + 1,) of every point; the largest change of a parameter in the step
        that led there is infinite at the start. It is η times the gradient: a small one proves nothing.
    n_steps : k.
    status : `trace.Status`: "stationary" when the stop rule was met, "budget_spent" when the steps ran out, "diverged".
    """

    theta: np.ndarray
    start: np.ndarray
    step: float
    objective: float
    gradient_norm: float
    objectives: np.ndarray
    gradient_norms: np.ndarray
    largest_changes: np.ndarray
    n_steps: int
    status: Status

    def claim(self, value: Callable[[np.ndarray], float], witness: Any, smoothness: float) -> Claim:
        """The claim J(θ_k) − J(θ*) ≤ ‖θ₀ − θ*‖²/(2ηk) for a convex J whose gradient has the Lipschitz constant L ≤ 1/η.

        Parameters
        ----------
        value : J.
        witness : θ*, any point.
        smoothness : L.
        """
        return descent_claim(
            value, self.start, self.theta, np.asarray(witness, dtype=float), self.step, self.n_steps, smoothness
        )


def gradient_descent(
    value_and_gradient: Callable[[np.ndarray], tuple[float, np.ndarray]],
    start: Any,
    step: float,
    *,
    tol: float = 1e-10,
    largest_change: float | None = None,
    max_iter: int = 10_000,
) -> GradientDescent:
    """θ ← θ − η ∇J(θ) until J changes by less than `tol`, or until no parameter changes by more than `largest_change`.

    For a convex J with an L-Lipschitz gradient and η ≤ 1/L: J(θ_k) − J(θ*) ≤ ‖θ₀ − θ*‖²/(2ηk) for every θ*. For a
    μ-strongly convex J, J(θ) − min J ≤ ‖∇J(θ)‖²/(2μ) at every θ. With η > 2/L it may run away. Syllabus: O1, O3.

    Parameters
    ----------
    value_and_gradient : θ -> (J(θ), ∇J(θ)), such as that of a `problems.LinearUnitLoss` or `problems.SigmoidUnitLoss`
    start : array, θ₀
    step : float, η > 0
    tol : float, default=1e-10
        Stop when |J(θ_t) − J(θ_{t−1})| < tol.
    largest_change : float, default=None
        Stop instead when the largest change of a parameter is at most this, the rule of batch gradient descent.
    max_iter : int, default=10000
        Steps at most.

    Returns
    -------
    GradientDescent

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.linear import gradient_descent
    >>> square = lambda t: (float(t @ t), 2 * t)                 # L = 2
    >>> found = gradient_descent(square, [1.0], 0.25, max_iter=3)
    >>> found.objectives, found.n_steps, str(found.status)
    (array([1.      , 0.25    , 0.0625  , 0.015625]), 3, 'budget_spent')
    >>> found.claim(lambda t: float(t @ t), [0.0], smoothness=2.0).holds
    True
    """
    start = np.array(start, dtype=float)
    if not 0.0 < step < np.inf:
        raise ValueError(f"gradient_descent(step={step}): step must be > 0 and finite")
    if max_iter < 1:
        raise ValueError(f"gradient_descent(max_iter={max_iter}): at least one step is needed")
    seen: list[tuple[float, float, float]] = []

    def recorded():
        for state in iterates(value_and_gradient, start, step):
            seen.append((state.objective, state.gradient_norm, state.largest_change))
            yield state

    def settled(number: int, state: GradientState) -> Status | None:
        settles = number > 1 and abs(seen[-2][0] - state.objective) < tol
        return Status.STATIONARY if settles else None

    rule = settled if largest_change is None else reached("largest_change", largest_change, Status.STATIONARY)
    # The start is the first state.
    end = drive(recorded(), first_of(rule, budget(max_iter + 1)))
    objectives, norms, changes = np.array(seen).T
    last = end.state
    return GradientDescent(
        last.theta.copy(), start, float(step), float(last.objective), last.gradient_norm,
        objectives, norms, changes, end.n_steps - 1, end.status,
    )  # fmt: skip
