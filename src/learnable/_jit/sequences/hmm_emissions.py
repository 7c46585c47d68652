"""Emission densities of a block of rows and the sums they are learned from. States run along memory."""

import numpy as np

from learnable._jit.core.compile import kernel
from learnable._jit.core.exponential import exp_negative

# Rows at a time: what is made of them stays in the first cache.
CHUNK = 64


@kernel
def exponentiate(log_B, shift):
    """log_B ← e^{log_B − shift} in place, `shift` being the largest entry of each row; a row of −inf becomes zeros."""
    n, K = log_B.shape
    below, e, bits = np.empty(CHUNK * K), np.empty(CHUNK * K), np.empty(CHUNK * K, dtype=np.int64)
    for start in range(0, n, CHUNK):
        rows = min(CHUNK, n - start)
        for i in range(rows):
            largest = -np.inf
            for k in range(K):
                largest = max(largest, log_B[start + i, k])
            shift[start + i] = largest
            for k in range(K):
                below[i * K + k] = largest - log_B[start + i, k]
        exp_negative(below[: rows * K], e[: rows * K], bits[: rows * K])
        for i in range(rows):
            for k in range(K):
                possible = log_B[start + i, k] > -np.inf
                log_B[start + i, k] = e[i * K + k] if possible else 0.0


@kernel
def diagonal_log_density(X, means, precision, offset, out):
    """out[t, k] = offset_k − ½ Σ_e (log 2π + (x_te − μ_ek)² p_ek − log p_ek) over the coordinates that are not NaN.

    Parameters
    ----------
    X : (n, d). means, precision : (d, K), p = 1/σ². offset : (d, K), −½ log(2π σ²). out : (n, K), filled.
    """
    n, d = X.shape
    K = means.shape[1]
    for t in range(n):
        for k in range(K):
            out[t, k] = 0.0
        for e in range(d):
            x = X[t, e]
            if np.isnan(x):
                continue
            for k in range(K):
                r = x - means[e, k]
                out[t, k] += offset[e, k] - 0.5 * r * r * precision[e, k]


@kernel
def diagonal_sums(X, gamma, means, counts, firsts, seconds):
    """Σ γ, Σ γ r and Σ γ r² with r = x − μ, coordinate by coordinate, over the entries that are not NaN; added to.

    Parameters
    ----------
    X : (n, d). gamma : (n, K). means : (d, K). counts, firsts, seconds : (d, K).
    """
    n, d = X.shape
    K = means.shape[1]
    for t in range(n):
        for e in range(d):
            x = X[t, e]
            if np.isnan(x):
                continue
            for k in range(K):
                r = x - means[e, k]
                g = gamma[t, k] * r
                counts[e, k] += gamma[t, k]
                firsts[e, k] += g
                seconds[e, k] += g * r


@kernel
def full_log_density(X, means, whitening, offset, out):
    """out[t, k] = offset_k − ½ ‖W_k (x_t − μ_k)‖² with W_k the inverse of the Cholesky factor; 0 for a row with a NaN.

    Parameters
    ----------
    X : (n, d). means : (d, K). whitening : (d, d, K), lower triangles. offset : (K,), −½ log det(2π Σ_k).
    out : (n, K), filled.
    """
    n, d = X.shape
    K = means.shape[1]
    r, z = np.empty((d, K)), np.empty(K)
    for t in range(n):
        known = True
        for e in range(d):
            x = X[t, e]
            known = known and not np.isnan(x)
            for k in range(K):
                r[e, k] = x - means[e, k]
        if not known:
            for k in range(K):
                out[t, k] = 0.0
            continue
        for k in range(K):
            out[t, k] = offset[k]
        for e in range(d):
            for k in range(K):
                z[k] = 0.0
            for f in range(e + 1):
                for k in range(K):
                    z[k] += whitening[e, f, k] * r[f, k]
            for k in range(K):
                out[t, k] -= 0.5 * z[k] * z[k]


@kernel
def full_sums(X, gamma, means, counts, firsts, seconds):
    """Σ γ, Σ γ r and the lower triangle of Σ γ r rᵀ with r = x − μ, over the rows without a NaN; added to.

    Parameters
    ----------
    X : (n, d). gamma : (n, K). means : (d, K). counts : (K,). firsts : (d, K). seconds : (d, d, K).
    """
    n, d = X.shape
    K = means.shape[1]
    r, weighted = np.empty((d, K)), np.empty(K)
    for t in range(n):
        known = True
        for e in range(d):
            x = X[t, e]
            known = known and not np.isnan(x)
            for k in range(K):
                r[e, k] = x - means[e, k]
        if not known:
            continue
        for k in range(K):
            counts[k] += gamma[t, k]
        for e in range(d):
            for k in range(K):
                weighted[k] = gamma[t, k] * r[e, k]
                firsts[e, k] += weighted[k]
            for f in range(e + 1):
                for k in range(K):
                    seconds[e, f, k] += weighted[k] * r[f, k]


@kernel
def symbol_sums(symbols, gamma, counts):
    """counts[v] += Σ γ_t over the rows with symbol v; a negative symbol stands for the last row of counts."""
    V = counts.shape[0]
    for t in range(symbols.shape[0]):
        v = symbols[t] if symbols[t] >= 0 else V - 1
        for k in range(gamma.shape[1]):
            counts[v, k] += gamma[t, k]
