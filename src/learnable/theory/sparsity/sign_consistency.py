"""Does the lasso find the signs? How often it does as the rows grow, and the condition on the design that decides."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from learnable.evaluation import Interval, proportion_interval
from learnable.rows import one_blas_thread
from learnable.solvers.sparse.penalty_path import lasso
from learnable.theory.sparsity.oracle import oracle_penalty


class SignConsistency(NamedTuple):
    """P(sgn β̂ = sgn β*) for each number of rows.

    Attributes
    ----------
    sizes : array (m,), rows.
    penalties : array (m,), λ for each.
    frequencies : tuple of m `evaluation.Interval`
    condition : the irrepresentable condition of the law of the rows, ≤ 1 where the signs can be found; NaN if unknown.
    """

    sizes: np.ndarray
    penalties: np.ndarray
    frequencies: tuple[Interval, ...]
    condition: float

    def __str__(self) -> str:
        lines = [f"irrepresentable condition {self.condition:.3g} (the signs can be found below 1)"]
        lines += [f"  n = {n}: {share}" for n, share in zip(self.sizes, self.frequencies)]
        return "\n".join(lines)


def irrepresentable_condition(covariance: Any, beta: Any) -> float:
    """‖Σ_{SᶜS} Σ_SS⁻¹ sgn β_S‖∞: below 1 the lasso can find the signs of β as n grows, above 1 it cannot.

    The columns outside the support S must not be too well represented by those inside. Syllabus: L26.

    Examples
    --------
    >>> import numpy as np
    >>> r = 0.6                                         # a third column correlated with both of the others
    >>> covariance = np.array([[1.0, 0.0, r], [0.0, 1.0, r], [r, r, 1.0]])
    >>> round(irrepresentable_condition(covariance, [1.0, 1.0, 0.0]), 6)
    1.2
    >>> round(irrepresentable_condition(covariance, [1.0, -1.0, 0.0]), 6)
    0.0
    """
    covariance, beta = np.asarray(covariance, dtype=float), np.asarray(beta, dtype=float)
    if covariance.shape != (len(beta), len(beta)):
        raise ValueError(
            f"irrepresentable_condition: a covariance of shape {covariance.shape} does not fit {len(beta)} coefficients"
        )
    S = beta != 0.0
    if S.all() or not S.any():
        return 0.0
    try:
        share = np.linalg.solve(covariance[np.ix_(S, S)], np.sign(beta[S]))
    except np.linalg.LinAlgError:
        raise ValueError("irrepresentable_condition: the columns of the support depend on each other") from None
    return float(np.abs(covariance[np.ix_(~S, S)] @ share).max())


def sign_consistency(
    draw: Callable[[int, np.random.Generator], np.ndarray], beta: Any, sigma: float, sizes: Sequence[int], *,
    C: float = 3.0, penalty: Callable[[int], float] | None = None, covariance: Any = None, repeats: int = 100,
    level: float = 0.95, random_state: int | None = 0,
) -> SignConsistency:  # fmt: skip
    """How often the lasso finds every sign of β*, the zeros included, as the number of rows grows.

    For each n: X from `draw`, y = Xβ* + σ·noise, the lasso without intercept at λ = Cσ√(log p/n) or at `penalty(n)`; a
    success is sgn β̂ = sgn β*. Syllabus: L26.

    Parameters
    ----------
    draw : callable (n, rng) → array (n, p)
    beta : array (p,)
    sigma : float
        Standard deviation of the noise, > 0.
    sizes : sequence of int
        Numbers of rows.
    C : float, default=3.0
        C > 2√2.
    penalty : callable n → λ, default=None
        In place of Cσ√(log p/n).
    covariance : array (p, p), default=None
        Of a row: gives `condition`.
    repeats : int, default=100
        Draws for each n.
    level : float, default=0.95
        Of the exact binomial intervals.
    random_state : int or None, default=0

    Returns
    -------
    SignConsistency

    Examples
    --------
    >>> import numpy as np
    >>> from learnable.theory import sign_consistency
    >>> found = sign_consistency(
    ...     lambda n, rng: rng.standard_normal((n, 5)), [2.0, -2.0, 0.0, 0.0, 0.0], 1.0, [5, 80],
    ...     covariance=np.eye(5), repeats=30)
    >>> found.frequencies[0].high < found.frequencies[1].low, found.condition
    (True, 0.0)
    """
    beta = np.asarray(beta, dtype=float)
    counts = np.asarray(sizes)
    if counts.ndim != 1 or not len(counts) or counts.dtype.kind not in "iu" or counts.min() < 2:
        raise ValueError(f"sign_consistency(sizes={counts.tolist()}): give whole numbers of rows, each at least 2")
    if not (isinstance(repeats, (int, np.integer)) and repeats >= 1):
        raise ValueError(f"sign_consistency(repeats={repeats}): repeats must be a whole number >= 1")
    if not sigma > 0.0:
        raise ValueError(f"sign_consistency(sigma={sigma}): sigma must be > 0")
    levels = [float(penalty(int(n))) if penalty else oracle_penalty(int(n), len(beta), sigma, C) for n in counts]
    streams = np.random.SeedSequence(random_state).spawn(len(counts))
    frequencies = []
    for n, alpha, stream in zip(counts, levels, streams):
        found = sum(
            _found(alpha, draw, beta, sigma, int(n), np.random.default_rng(one)) for one in stream.spawn(repeats)
        )
        frequencies.append(proportion_interval(found, repeats, method="clopper_pearson", level=level))
    condition = float("nan") if covariance is None else irrepresentable_condition(covariance, beta)
    return SignConsistency(counts, np.array(levels), tuple(frequencies), condition)


def _found(alpha: float, draw, beta: np.ndarray, sigma: float, n: int, rng: np.random.Generator) -> bool:
    X = np.asarray(draw(n, rng), dtype=float)
    if X.shape != (n, len(beta)):
        raise ValueError(f"sign_consistency(draw): gave shape {X.shape} for n = {n} and {len(beta)} coefficients")
    with one_blas_thread():
        coef, _ = lasso(X, X @ beta + sigma * rng.standard_normal(n), alpha, 1e-10)
    return bool(np.array_equal(np.sign(coef), np.sign(beta)))
