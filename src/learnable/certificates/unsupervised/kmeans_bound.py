"""A lower bound on the k-means objective of every clustering: the semidefinite relaxation of Peng and Wei, its dual.

With s = √w, a clustering is the matrix Z = Σ_k s_k s_kᵀ / ‖s_k‖², s_k being s on the points of cluster k. Then
J = tr S − ⟨S, Z⟩ for the Gram matrix S of the points s_i (x_i − x̄), and Z ≥ 0 entry by entry, Z s = s, tr Z = K and
0 ⪯ Z ⪯ I. For every N ≥ 0 the minimum of ⟨−S − N, Z⟩ over the last three alone is known in closed form: it bounds J
whatever N is. With N = 0 it is the spectral bound.
"""

import numpy as np

# Alternations of the two projections, and how often the bound is taken.
ROUNDS = 300
EVERY = 20
# Over-relaxation, which saves about a third of the rounds.
RELAX = 1.6


def semidefinite_bound(X: np.ndarray, weight: np.ndarray, labels: np.ndarray, K: int, rounds: int = ROUNDS) -> float:
    """The largest bound found; it holds for every clustering into K clusters, however N was found.

    Parameters
    ----------
    X : (n, p). weight : (n,) positive. K : number of clusters.
    labels : (n,) a good clustering, from which the search for N starts.
    rounds : how long N is sought.
    """
    n = len(X)
    if n <= K:
        return 0.0
    s = np.sqrt(weight)
    u = s / np.linalg.norm(s)
    # J = tr(S) − ⟨S, Z⟩ with S the Gram matrix of s_i (x_i − x̄): what is maximised is ⟨S, Z⟩.
    about = (X - weight @ X / weight.sum()) * s[:, None]
    S = about @ about.T
    total = float(np.trace(S))
    scale = max(np.linalg.norm(S, 2), np.finfo(float).tiny)
    C = -S / scale
    Z = np.zeros((n, n))
    for k in np.unique(labels):
        part = np.where(labels == k, s, 0.0)
        Z += np.outer(part, part) / (part @ part)
    best, rho = bound_at(C, np.zeros_like(C), u, K), 1.0
    W, U = Z, np.zeros_like(Z)
    for round in range(1, rounds + 1):
        # 1. The nearest matrix with Z u = u, tr Z = K, 0 ⪯ Z ⪯ I.  2. The nearest with Z ≥ 0.  3. The multipliers.
        Z = _onto_spectral(W - U - C / rho, u, K)
        at = RELAX * Z + (1.0 - RELAX) * W + U
        W_before, W = W, np.maximum(at, 0.0)
        U = at - W
        if round % EVERY == 0:
            best = max(best, bound_at(C, rho * np.maximum(-U, 0.0), u, K))
            primal, dual = np.linalg.norm(Z - W), np.linalg.norm(W - W_before)
            if max(primal, dual) <= 1e-9 * n:
                break
            # Keep the two residuals of one size; the multipliers are scaled along.
            if primal > 5.0 * dual:
                rho, U = 2.0 * rho, U / 2.0
            elif dual > 5.0 * primal:
                rho, U = rho / 2.0, 2.0 * U
    return float(total + best * scale)


def bound_at(C: np.ndarray, N: np.ndarray, u: np.ndarray, K: int) -> float:
    """min ⟨C − N, Z⟩ over Z u = u, tr Z = K, 0 ⪯ Z ⪯ I: uᵀMu and the K − 1 smallest eigenvalues of M off u."""
    M = C - 0.5 * (N + N.T)
    Mu = M @ u
    along = float(u @ Mu)
    # (I − uuᵀ) M (I − uuᵀ), with u itself put at the far end of the spectrum.
    off = M - np.outer(u, Mu) - np.outer(Mu, u) + along * np.outer(u, u)
    far = 2.0 * np.abs(off).sum(axis=1).max() + 1.0
    eigenvalues = np.linalg.eigvalsh(off + far * np.outer(u, u))
    # Each eigenvalue is known to rounding: the bound is lowered by it.
    return along + float(eigenvalues[: K - 1].sum()) - 1e-14 * K * len(u) * far


def _onto_spectral(A: np.ndarray, u: np.ndarray, K: int) -> np.ndarray:
    """The nearest Z with Z u = u, tr Z = K and 0 ⪯ Z ⪯ I."""
    A = 0.5 * (A + A.T)
    Au = A @ u
    off = A - np.outer(u, Au) - np.outer(Au, u) + (u @ Au) * np.outer(u, u)
    far = 2.0 * np.abs(off).sum(axis=1).max() + 1.0
    eigenvalues, V = np.linalg.eigh(off - far * np.outer(u, u))
    values = _capped(eigenvalues[1:], K - 1)  # the first one belongs to u
    V = V[:, 1:]
    kept = values > 0.0
    return (V[:, kept] * values[kept]) @ V[:, kept].T + np.outer(u, u)


def _capped(v: np.ndarray, total: int) -> np.ndarray:
    """The point of {0 ≤ λ ≤ 1, Σ λ = total} nearest to v: λ = clip(v − t, 0, 1), t by bisection on its breakpoints."""
    knots = np.unique(np.concatenate([v, v - 1.0]))
    low, high = 0, len(knots) - 1
    while high - low > 1:  # Σ falls as t rises
        middle = (low + high) // 2
        if np.clip(v - knots[middle], 0.0, 1.0).sum() >= total:
            low = middle
        else:
            high = middle
    a, b = (np.clip(v - knots[k], 0.0, 1.0).sum() for k in (low, high))
    t = knots[low] if a == b else knots[low] + (knots[high] - knots[low]) * (a - total) / (a - b)
    return np.clip(v - t, 0.0, 1.0)
