"""What convexity and smoothness prove about gradient descent. Syllabus: O1.

For J convex with an L-Lipschitz gradient and a step η ≤ 1/L, k steps from θ₀ end with
J(θ_k) − J(θ*) ≤ ‖θ₀ − θ*‖² / (2ηk) for every θ*. For J μ-strongly convex, J(θ) − min J ≤ ‖∇J(θ)‖² / (2μ) at every θ.
"""

from collections.abc import Callable

import numpy as np

from learnable.certificates.core.claim import Claim


def descent_claim(
    value: Callable[[np.ndarray], float],
    start: np.ndarray,
    answer: np.ndarray,
    witness: np.ndarray,
    step: float,
    n_steps: int,
    smoothness: float,
) -> Claim:
    """The claim J(θ_k) − J(θ*) ≤ ‖θ₀ − θ*‖² / (2ηk), θ* the `witness`; it holds for any witness if the premises do.

    Parameters
    ----------
    value : J.
    start, answer, witness : θ₀, θ_k and θ*.
    step, n_steps : η and k.
    smoothness : L; ValueError when η > 1/L, for which the theorem says nothing.

    Examples
    --------
    >>> square = lambda t: float(t @ t)                    # L = 2
    >>> start = np.array([1.0])
    >>> descent_claim(square, start, start * 0.5**3, np.zeros(1), 0.25, 3, 2.0).holds
    True
    """
    if n_steps < 1:
        raise ValueError(f"descent_claim(n_steps={n_steps}): at least one step is needed")
    if not 0.0 < step * smoothness <= 1.0 + 1e-12:
        raise ValueError(
            f"descent_claim(step={step:g}, smoothness={smoothness:g}): the bound needs 0 < step <= 1/smoothness"
        )
    reached, target = float(value(np.asarray(answer))), float(value(np.asarray(witness)))
    distance = float(np.linalg.norm(np.asarray(start) - np.asarray(witness)))
    rounding = 1e-14 * max(abs(reached), abs(target))
    return Claim.at_most(
        "O1",
        "J(θ_k) − J(θ*), within ‖θ₀ − θ*‖² / (2ηk)",
        reached - target,
        distance**2 / (2.0 * step * n_steps) + rounding,
        assumptions=(f"J is convex with a gradient of Lipschitz constant {smoothness:g}",),
    )


def strong_convexity_claim(gradient: np.ndarray, mu: float, tolerance: float) -> Claim:
    """The claim that J is above its minimum by at most ‖∇J‖² / (2μ) ≤ `tolerance`.

    Parameters
    ----------
    gradient : ∇J at the answer.
    mu : constant of strong convexity, > 0.
    tolerance : what is asked.

    >>> strong_convexity_claim(np.array([0.1, 0.0]), 2.0, 0.01).value
    0.0025000000000000005
    """
    if not mu > 0.0:
        raise ValueError(f"strong_convexity_claim(mu={mu}): mu must be > 0")
    return Claim.at_most(
        "O1",
        "J is above its minimum by at most ‖∇J‖² / (2μ)",
        float(np.sum(np.square(gradient))) / (2.0 * mu),
        tolerance,
        assumptions=(f"J is strongly convex with constant {mu:g}",),
    )


def linear_rate_claim(
    start_gap: float, answer_gap: float, step: float, n_steps: int, mu: float, smoothness: float
) -> Claim:
    """The claim that strong convexity makes the gap fall geometrically: gap_k ≤ (1 − ημ)^k gap₀ for η ≤ 1/L.

    >>> linear_rate_claim(1.0, 0.25**3, 0.25, 3, 2.0, 2.0).holds
    True
    """
    if not (0.0 < mu <= smoothness and 0.0 < step * smoothness <= 1.0 + 1e-12):
        raise ValueError(
            f"linear_rate_claim(step={step:g}, mu={mu:g}, smoothness={smoothness:g}): "
            "the bound needs 0 < mu <= smoothness and 0 < step <= 1/smoothness"
        )
    return Claim.at_most(
        "O1",
        "J(θ_k) − min J, within (1 − ημ)^k (J(θ₀) − min J)",
        answer_gap,
        (1.0 - step * mu) ** n_steps * start_gap * (1.0 + 1e-12),
        assumptions=(f"J is {mu:g}-strongly convex with a gradient of Lipschitz constant {smoothness:g}",),
    )
