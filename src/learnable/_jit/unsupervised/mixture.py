"""Gaussian mixtures: squared Mahalanobis distances, memberships, and sums about the means."""

import numpy as np

from learnable._jit.core.compile import kernel


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
    """out_ik ← Σ_j (x_ij − μ_kj)² / σ²_kj."""
    K, d = means.shape
    for i in range(X.shape[0]):
        for k in range(K):
            total = 0.0
            for j in range(d):
                away = X[i, j] - means[k, j]
                total += away * away * precisions[k, j]
            out[i, k] = total


@kernel
def memberships(distances, offsets, log_density):
    """Squared distances become memberships r_ik ∝ exp(offset_k − ½ distance_ik), in place; log Σ_k of each row too."""
    m, K = distances.shape
    for i in range(m):
        top = -np.inf
        for k in range(K):
            v = offsets[k] - 0.5 * distances[i, k]
            distances[i, k] = v
            top = v if v > top else top
        total = 0.0
        for k in range(K):
            v = distances[i, k] - top
            e = np.exp(v) if v > -745.0 else 0.0
            distances[i, k] = e
            total += e
        for k in range(K):
            distances[i, k] /= total
        log_density[i] = top + np.log(total)


@kernel
def diagonal_sums(X, r, means, firsts, seconds):
    """Σ_i r_ik (x_i − μ_k) and Σ_i r_ik (x_i − μ_k)², coordinate by coordinate."""
    K, d = means.shape
    for i in range(X.shape[0]):
        for k in range(K):
            weight = r[i, k]
            if weight > 0.0:
                for j in range(d):
                    away = X[i, j] - means[k, j]
                    firsts[k, j] += weight * away
                    seconds[k, j] += weight * away * away


@kernel
def spread_about(X, mean, r, out):
    """out_i ← √r_i (x_i − μ), whose cross-products are Σ_i r_i (x_i − μ)(x_i − μ)ᵀ."""
    for i in range(X.shape[0]):
        root = np.sqrt(r[i])
        for j in range(X.shape[1]):
            out[i, j] = root * (X[i, j] - mean[j])
