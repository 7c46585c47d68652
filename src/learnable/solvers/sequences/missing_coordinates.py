"""Gaussian vectors of which some coordinates are missing: density of the others, expectation of the missing ones.

With o the observed and m the missing coordinates, x_m given x_o has mean μ_m + Σ_mo Σ_oo⁻¹ (x_o − μ_o) and covariance
Σ_mm − Σ_mo Σ_oo⁻¹ Σ_om.
"""

from collections.abc import Iterator

import numpy as np


def add_partial_density(X: np.ndarray, means: np.ndarray, covars: np.ndarray, out: np.ndarray) -> None:
    """out[t, k] += log N(x_o; μ_ko, Σ_koo) for the rows of which some but not all coordinates are missing."""
    for rows, observed in _patterns(X):
        r = X[np.ix_(rows, observed)][:, None, :] - means[:, observed]
        factor = np.linalg.cholesky(covars[:, observed][:, :, observed])
        z = np.linalg.solve(factor, np.moveaxis(r, 0, -1))
        log_det = 2.0 * np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(axis=1)
        out[rows] -= 0.5 * ((z**2).sum(axis=1).T + log_det + observed.sum() * np.log(2.0 * np.pi))


def add_partial_sums(X, gamma, means, covars, counts, firsts, seconds) -> None:
    """Adds E[Σ γ], E[Σ γ r] and E[Σ γ r rᵀ], r = x − μ_k, of those rows.

    counts : (K,). firsts : (d, K). seconds : (d, d, K).
    """
    for rows, observed in _patterns(X):
        missing = ~observed
        for k in range(len(means)):
            r = np.zeros((len(rows), X.shape[1]))
            r[:, observed] = X[np.ix_(rows, observed)] - means[k, observed]
            slope = np.linalg.solve(covars[k][np.ix_(observed, observed)], covars[k][np.ix_(observed, missing)])
            r[:, missing] = r[:, observed] @ slope
            weight = gamma[rows, k]
            counts[k] += weight.sum()
            firsts[:, k] += weight @ r
            seconds[:, :, k] += (weight[:, None] * r).T @ r
            spread = covars[k][np.ix_(missing, missing)] - covars[k][np.ix_(missing, observed)] @ slope
            seconds[:, :, k][np.ix_(missing, missing)] += weight.sum() * spread


def _patterns(X: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """(rows, mask of observed coordinates) for every pattern with some but not all coordinates missing."""
    missing = np.isnan(X)
    some = np.flatnonzero(missing.any(axis=1) & ~missing.all(axis=1))
    if len(some):
        patterns, which = np.unique(missing[some], axis=0, return_inverse=True)
        for number, pattern in enumerate(patterns):
            yield some[which.ravel() == number], ~pattern
