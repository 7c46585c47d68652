"""Gaussian mixtures: squared Mahalanobis distances, memberships, and sums about the means."""

import numpy as np

from learnable._jit.core.compile import kernel

# NumPy takes up to fifty times as long for an exponential near the smallest number: shares below e^LEAST are 0.
LEAST = -500.0
NOTHING = 1e-217


@kernel
def sums_of_squares(Y, shifts, K, out):
    """out_ik ← Σ_j (Y[i, k d + j] − shift_{k d + j})², Y being K whitened copies of the rows side by side."""
    m, d = Y.shape[0], Y.shape[1] // K
    for i in range(m):
        for k in range(K):
            total = 0.0
            for j in range(k * d, (k + 1) * d):
                away = Y[i, j] - shifts[j]
                total += away * away
            out[i, k] = total


@kernel
def diagonal_distances(X, means, precisions, out):
    """out_ik ← Σ_j (x_ij − μ_kj)² / σ²_kj, of four rows at a time, whose sums do not wait for one another."""
    n, (K, d) = X.shape[0], means.shape
    for i in range(0, n, 4):
        second, third, fourth = min(i + 1, n - 1), min(i + 2, n - 1), min(i + 3, n - 1)
        for k in range(K):
            s = t = u = v = 0.0
            for j in range(d):
                mean, precision = means[k, j], precisions[k, j]
                a, b, c, e = X[i, j] - mean, X[second, j] - mean, X[third, j] - mean, X[fourth, j] - mean
                s += a * a * precision
                t += b * b * precision
                u += c * c * precision
                v += e * e * precision
            out[i, k], out[second, k], out[third, k], out[fourth, k] = s, t, u, v


@kernel
def below_the_largest(distances, offsets, largest):
    """Squared distances become v_ik = offset_k − ½ distance_ik less the largest of the row, or LEAST, in place."""
    m, K = distances.shape
    for i in range(m):
        top = -np.inf
        for k in range(K):
            v = offsets[k] - 0.5 * distances[i, k]
            distances[i, k] = v
            top = v if v > top else top
        for k in range(K):
            v = distances[i, k] - top
            distances[i, k] = v if v > LEAST else LEAST
        largest[i] = top


@kernel
def divided_by_sum(r, sums):
    """Each row of r is divided by its sum, which is kept; an entry of at most NOTHING is 0."""
    m, K = r.shape
    for i in range(m):
        total = 0.0
        for k in range(K):
            share = r[i, k]
            r[i, k] = share if share > NOTHING else 0.0
            total += r[i, k]
        inverse = 1.0 / total
        for k in range(K):
            r[i, k] *= inverse
        sums[i] = total


@kernel
def diagonal_sums(X, r, means, firsts, seconds):
    """Σ_i r_ik (x_i − μ_k) and Σ_i r_ik (x_i − μ_k)², coordinate by coordinate, of four rows at a time."""
    n, (K, d) = X.shape[0], means.shape
    for i in range(0, n, 4):
        second, third, fourth = min(i + 1, n - 1), min(i + 2, n - 1), min(i + 3, n - 1)
        for k in range(K):
            s = r[i, k]
            t = r[second, k] if second > i else 0.0
            u = r[third, k] if third > second else 0.0
            v = r[fourth, k] if fourth > third else 0.0
            if s + t + u + v > 0.0:
                for j in range(d):
                    mean = means[k, j]
                    a, b, c, e = X[i, j] - mean, X[second, j] - mean, X[third, j] - mean, X[fourth, j] - mean
                    firsts[k, j] += (s * a + t * b) + (u * c + v * e)
                    seconds[k, j] += (s * a * a + t * b * b) + (u * c * c + v * e * e)


@kernel
def spread_about(X, mean, r, out):
    """out_i ← √r_i (x_i − μ), whose cross-products are Σ_i r_i (x_i − μ)(x_i − μ)ᵀ."""
    for i in range(X.shape[0]):
        root = np.sqrt(r[i])
        for j in range(X.shape[1]):
            out[i, j] = root * (X[i, j] - mean[j])
