"""Partial correlations by the recursion and through the precision, and Fisher's z test. Syllabus: G12."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import linalg

from learnable.problems.graphical import fisher_z


class PartialCorrelation(NamedTuple):
    """A partial correlation with its test.

    Attributes
    ----------
    value : r(i, j | K).
    by_recursion : the same by the recursion over K.
    statistic, p_value : of Fisher's z test; None without n.
    """

    value: float
    by_recursion: float
    statistic: float | None
    p_value: float | None


def partial_correlation(
    covariance, i: int, j: int, given: Sequence[int] = (), n: int | None = None
) -> PartialCorrelation:
    """The correlation of two variables given others, by two routes.

    Through Θ, the inverse of the covariance of (i, j, K): r = −θᵢⱼ / √(θᵢᵢ θⱼⱼ). By the recursion,
    r(i,j | K∪k) = (r(i,j|K) − r(i,k|K) r(j,k|K)) / √((1 − r(i,k|K)²)(1 − r(j,k|K)²)). Syllabus: G12.

    Parameters
    ----------
    covariance : array (p, p), a covariance or correlation matrix.
    i, j : two variables.
    given : K, others.
    n : rows the covariance comes from, for the test; n > |K| + 3 is needed.

    Examples
    --------
    >>> sigma = [[1.0, 0.5, 0.5], [0.5, 1.0, 0.5], [0.5, 0.5, 1.0]]
    >>> found = partial_correlation(sigma, 0, 1, given=[2], n=104)
    >>> round(found.value, 6), round(found.by_recursion, 6), round(found.statistic, 4)
    (0.333333, 0.333333, 3.4657)
    """
    sigma = np.asarray(covariance, dtype=float)
    if sigma.ndim != 2 or sigma.shape[0] != sigma.shape[1] or not np.all(np.isfinite(sigma)):
        raise ValueError(f"partial_correlation: a covariance of shape {sigma.shape}; it must be square, without NaN")
    K = [int(k) for k in given]
    chosen = [i, j, *K]
    if len(set(chosen)) != len(chosen):
        raise ValueError(f"partial_correlation({i}, {j}, given={K}): the variables must all be different")
    if n is not None and not fisher_z.testable(n, len(K)):
        raise ValueError(f"partial_correlation: n={n} rows cannot test given {len(K)} variables; n > {len(K) + 3}")
    unit = np.sqrt(np.diag(sigma)[chosen])
    R = sigma[np.ix_(chosen, chosen)] / np.outer(unit, unit)
    least = float(linalg.eigvalsh(R)[0])
    if least <= 0.0 or not np.isfinite(least):
        raise ValueError(
            f"partial_correlation({i}, {j}, given={K}): the covariance of these variables is not positive definite "
            f"(eigenvalue {least:.3g} of their correlations); leave out variables that determine each other"
        )
    theta = linalg.inv(R)
    value = float(-theta[0, 1] / np.sqrt(theta[0, 0] * theta[1, 1]))
    z = None if n is None else float(fisher_z.statistic(value, n, len(K)))
    return PartialCorrelation(value, _recursion(R), z, None if z is None else float(fisher_z.p_value(z)))


def _recursion(R: np.ndarray) -> float:
    """r(0, 1 | 2 …), eliminating the last variable at each step."""
    while len(R) > 2:
        last = R[:-1, -1]
        R = fisher_z.recursion(last[:, None], last[None, :], R[:-1, :-1])
        np.fill_diagonal(R, 1.0)
    return float(R[0, 1])
