"""Forward and backward procedures of hidden Markov models over a block of whole sequences, scaled at every step.

A block is a table of rows with the sequences one after the other; sequence s ends before row `ends[s]`. Emission
densities come as `B`, each row divided by its largest entry, so that they neither overflow nor vanish together; the
logarithm of what was divided by is kept by the caller. Every step is divided by its sum c_t and Σ log c_t is kept: it
is the log-likelihood.
"""

import numpy as np

from learnable._jit.core.compile import kernel

# Time steps whose products Σ_t α_t(i) w_{t+1}(j) are taken in one matrix product.
BLOCK = 256
# What rounds to zero is below 1e-307. It is negligible as long as nothing later is divided by numbers so small, or
# multiplied by numbers so large, that it would have come back.
SMALLEST_STEP = 1e-100
LARGEST_RATIO = 1e150


@kernel
def times(v, M, out):
    """out ← v M for a row v, along the rows of M, four at a time."""
    n, m = M.shape
    for j in range(m):
        out[j] = 0.0
    whole = n - n % 4
    for i in range(0, whole, 4):
        a, b, c, d = v[i], v[i + 1], v[i + 2], v[i + 3]
        for j in range(m):
            out[j] += (a * M[i, j] + b * M[i + 1, j]) + (c * M[i + 2, j] + d * M[i + 3, j])
    for i in range(whole, n):
        a = v[i]
        for j in range(m):
            out[j] += a * M[i, j]


@kernel
def forward(start, A, B, ends, alpha, scale, log_likelihood):
    """α_t(j) ∝ P(O_1 … O_t, q_t = j), each row of sum 1, and c_t, row by row.

    Parameters
    ----------
    start : (K,) initial distribution. A : (K, K) transitions. B : (n, K) scaled emission densities.
    ends : (S,) where each sequence ends.
    alpha : (n, K), filled. scale : (n,), filled with c_t.
    log_likelihood : (S,), filled with Σ log c_t; −inf for a sequence that cannot happen; NaN where a step is so
        small that what was rounded to zero before may matter.
    """
    K = start.shape[0]
    predicted = np.empty(K)
    first = 0
    for s in range(ends.shape[0]):
        total = 0.0
        for t in range(first, ends[s]):
            if t == first:
                for j in range(K):
                    predicted[j] = start[j]
            else:
                times(alpha[t - 1], A, predicted)
            c = 0.0
            for j in range(K):
                p = predicted[j] * B[t, j]
                alpha[t, j] = p
                c += p
            scale[t] = c
            if not c >= SMALLEST_STEP:
                total = np.nan
                break
            r = 1.0 / c
            for j in range(K):
                alpha[t, j] *= r
            total += np.log(c)
        log_likelihood[s] = total
        first = ends[s]


@kernel
def backward(A, A_transposed, weights, ends, alpha, scale, trusted, B, start_sums, transition_sums):
    """γ_t(i) = P(q_t = i | O), written over B, and the sums Σ γ_1 and Σ_t ξ_t(i, j) = Σ_t α_t(i) a_ij w_{t+1}(j).

    w_t(j) = b_t(j) β_t(j) / c_t and β_{t-1} = A w_t, so that Σ_i α_t(i) β_t(i) = 1 for every t.

    Parameters
    ----------
    weights : (S,) what each sequence counts; γ is multiplied by it. One of weight zero is not visited.
    alpha, scale : from `forward`.
    trusted : (S,) bool; sequences where it is False are not visited. Set to False where a β_t(i) is so large that what
        `forward` rounded to zero may matter: then the sums are spoilt, and must be taken again without that sequence.
    B : (n, K) scaled emission densities; on return γ.
    start_sums : (K,), transition_sums : (K, K), added to.
    """
    K = A.shape[0]
    beta, w = np.empty(K), np.empty((BLOCK, K))
    sums = np.empty((K, K))
    for i in range(K):
        for j in range(K):
            sums[i, j] = 0.0
    first = 0
    for s in range(ends.shape[0]):
        last = ends[s] - 1
        if weights[s] == 0.0 or not trusted[s]:
            for t in range(first, last + 1):
                for j in range(K):
                    B[t, j] = 0.0
            first = last + 1
            continue
        weight = weights[s]
        for j in range(K):
            beta[j] = 1.0
        largest = 1.0
        held = 0
        for t in range(last, first - 1, -1):
            r = 1.0 / scale[t]
            place = BLOCK - 1 - held
            for j in range(K):
                x = beta[j]
                largest = max(largest, x)
                w[place, j] = B[t, j] * x * r
                B[t, j] = alpha[t, j] * x * weight
            if t == first:
                break
            held += 1
            times(w[place], A_transposed, beta)
            if held == BLOCK or t == first + 1:
                # Only the last `held` rows of w are of this sequence.
                products = np.dot(alpha[t - 1 : t - 1 + held].T, w[BLOCK - held :])
                for i in range(K):
                    for j in range(K):
                        products[i, j] *= weight
                for i in range(K):
                    for j in range(K):
                        sums[i, j] += products[i, j]
                held = 0
        if largest <= LARGEST_RATIO:
            for j in range(K):
                start_sums[j] += B[first, j]
        else:
            trusted[s] = False
        first = last + 1
    for i in range(K):
        for j in range(K):
            transition_sums[i, j] += sums[i, j] * A[i, j]
