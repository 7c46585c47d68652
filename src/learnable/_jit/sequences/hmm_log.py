"""Forward and backward procedures in logarithms: slower than the scaled ones, and safe where those underflow."""

import numpy as np

from learnable._jit.core.compile import exact_kernel


@exact_kernel
def log_sum(v):
    """log Σ e^v without overflow; −inf for nothing but −inf."""
    largest = -np.inf
    for x in v:
        largest = max(largest, x)
    if largest == -np.inf:
        return largest
    total = 0.0
    for x in v:
        total += np.exp(x - largest)
    return largest + np.log(total)


@exact_kernel
def log_forward(log_start, log_A, log_B, log_alpha):
    """log α_t(j) = log P(O_1 … O_t, q_t = j) of one sequence, filled in; returns log P(O).

    Parameters
    ----------
    log_start : (K,). log_A : (K, K). log_B : (T, K) log emission densities. log_alpha : (T, K), filled.
    """
    T, K = log_B.shape
    terms = np.empty(K)
    for j in range(K):
        log_alpha[0, j] = log_start[j] + log_B[0, j]
    for t in range(1, T):
        for j in range(K):
            for i in range(K):
                terms[i] = log_alpha[t - 1, i] + log_A[i, j]
            log_alpha[t, j] = log_sum(terms) + log_B[t, j]
    return log_sum(log_alpha[T - 1])


@exact_kernel
def log_backward(log_A, log_B, log_alpha, log_likelihood, weight, gamma, transition_sums):
    """γ_t(i) times the weight, filled in, and Σ_t ξ_t(i, j) times the weight, added to `transition_sums`."""
    T, K = log_B.shape
    beta, terms, later = np.zeros(K), np.empty(K), np.empty(K)
    for t in range(T - 1, -1, -1):
        for i in range(K):
            gamma[t, i] = weight * np.exp(log_alpha[t, i] + beta[i] - log_likelihood)
        if t == 0:
            return
        for j in range(K):
            later[j] = log_B[t, j] + beta[j]
        for i in range(K):
            for j in range(K):
                terms[j] = log_A[i, j] + later[j]
                transition_sums[i, j] += weight * np.exp(log_alpha[t - 1, i] + terms[j] - log_likelihood)
            beta[i] = log_sum(terms)
