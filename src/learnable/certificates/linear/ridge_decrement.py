"""Half the squared Newton decrement of a ridge-penalised likelihood with many coefficients, from above.

With the intercepts eliminated, ½ gᵀH⁻¹g = ½ g₀ᵀH₀₀⁺g₀ + ½ dᵀS⁻¹d, S being the Schur complement of H₀₀ in H and d =
g_c − H_c0 H₀₀⁺ g₀. Since S ⪰ αI, for any u with r = d − Su: dᵀS⁻¹d = uᵀSu + 2uᵀr + rᵀS⁻¹r ≤ uᵀ(d + r) + ‖r‖²/α. A few
steps of conjugate gradients make u good enough; no matrix of all coefficients is formed.
"""

from collections.abc import Callable

import numpy as np

MOST_STEPS = 60


def ridge_decrement(
    bends: Callable[[np.ndarray], np.ndarray], gradient: np.ndarray, alpha: float, free_intercept: bool, enough: float
) -> float:
    """At least ½ gᵀH⁻¹g, with H = (Hessian of the mean loss) + αI, α only on the coefficients.

    Parameters
    ----------
    bends : the Hessian of the mean loss times a matrix like `gradient`.
    gradient : (p, K), with the intercepts in one more row where they are free.
    alpha : > 0
    enough : a bound no larger than this is not made any tighter.

    Examples
    --------
    >>> H = np.array([[3.0, 1.0], [1.0, 2.0]])
    >>> g = np.array([[1.0], [2.0]])
    >>> 0.5 * g.T @ np.linalg.solve(H + np.diag([1.0, 0.0]), g)
    array([[1.]])
    >>> round(ridge_decrement(lambda V: H @ V, g, 1.0, True, 0.0), 12)
    1.0
    """
    p, K = len(gradient) - free_intercept, gradient.shape[1]
    if free_intercept:
        units = np.zeros((K, *gradient.shape))
        units[np.arange(K), p, np.arange(K)] = 1.0
        columns = np.array([bends(unit) for unit in units])
        inverse, beside = np.linalg.pinv(columns[:, p], hermitian=True), columns[:, :p]
    else:
        inverse, beside = np.zeros((K, K)), np.zeros((K, p, K))

    def without_intercepts(V: np.ndarray) -> np.ndarray:
        return V[:p] - np.tensordot(inverse @ V[p], beside, axes=1) if free_intercept else V

    def product(u: np.ndarray) -> np.ndarray:
        wide = np.vstack([u, np.zeros((1, K))]) if free_intercept else u
        return without_intercepts(bends(wide)) + alpha * u

    fixed = float(gradient[p] @ inverse @ gradient[p]) if free_intercept else 0.0
    d = without_intercepts(gradient)

    def at_most(u: np.ndarray, residual: np.ndarray) -> tuple[float, float]:
        """(the bound with u, the part of it that more steps would take off)."""
        rest = float(np.vdot(residual, residual)) / alpha
        return 0.5 * (fixed + max(float(np.vdot(u, d + residual)), 0.0) + rest), 0.5 * rest

    u, residual, direction = np.zeros_like(d), d.copy(), d.copy()
    for _ in range(MOST_STEPS):
        above, rest = at_most(u, residual)
        if above <= enough or rest <= 1e-3 * above:
            break
        along, square = product(direction), float(np.vdot(residual, residual))
        step = square / float(np.vdot(direction, along))
        u += step * direction
        residual -= step * along
        direction = residual + float(np.vdot(residual, residual)) / square * direction
    # The residual that was updated from step to step drifts by rounding.
    return at_most(u, d - product(u))[0]
