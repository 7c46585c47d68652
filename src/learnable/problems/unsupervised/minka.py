"""How many principal components the evidence speaks for."""

import numpy as np
from scipy import special


def minka(variances: np.ndarray, n: int) -> int:
    """The number of axes with the largest evidence by Laplace's approximation (Minka 2000)."""
    p = len(variances)
    best, chosen = -np.inf, 1
    for q in range(1, p):
        if variances[q - 1] < 1e-15 * variances[0]:
            break
        value = _evidence(variances, q, n)
        if value > best:
            best, chosen = value, q
    return chosen


def _evidence(variances: np.ndarray, q: int, n: int) -> float:
    p = len(variances)
    half = (p - np.arange(q)) / 2.0
    prior = -q * np.log(2.0) + float(np.sum(special.gammaln(half) - np.log(np.pi) * half))
    noise = max(float(variances[q:].sum()) / (p - q), np.finfo(float).eps * variances[0])
    shrunk = variances.copy()
    shrunk[q:] = noise
    i, j = np.triu_indices(q, 1)
    tail_i, tail_j = (part.ravel() for part in np.meshgrid(np.arange(q), np.arange(q, p), indexing="ij"))
    first, second = np.concatenate([i, tail_i]), np.concatenate([j, tail_j])
    gaps = (variances[first] - variances[second]) * (1.0 / shrunk[second] - 1.0 / shrunk[first])
    with np.errstate(divide="ignore", invalid="ignore"):
        curvature = float(np.sum(np.log(gaps) + np.log(n)))
    free = p * q - q * (q + 1.0) / 2.0
    return (
        prior - 0.5 * n * float(np.sum(np.log(variances[:q]))) - 0.5 * n * np.log(noise) * (p - q)
        + 0.5 * np.log(2.0 * np.pi) * (free + q) - 0.5 * curvature - 0.5 * q * np.log(n)
    )  # fmt: skip
