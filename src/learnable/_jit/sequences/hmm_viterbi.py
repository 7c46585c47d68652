"""The most probable path of states, in logarithms."""

import numpy as np

from learnable._jit.core.compile import kernel


@kernel
def viterbi(log_start, log_A, log_B, delta, path):
    """δ_t(j) = max over q_1 … q_{t-1} of log P(q_1 … q_{t-1}, q_t = j, O_1 … O_t); returns max_j δ_T(j).

    No back-pointers are kept: the best predecessor is looked for again along the path only, which costs T·K instead of
    slowing down the T·K² maximisations. Of equally good states the first is taken.

    Parameters
    ----------
    log_start : (K,). log_A : (K, K). log_B : (T, K) log emission densities.
    delta : (T, K), filled. path : (T,) integers, filled; left alone when no path is possible.
    """
    T, K = log_B.shape
    best = np.empty(K)
    whole = K - K % 4
    for j in range(K):
        delta[0, j] = log_start[j] + log_B[0, j]
    for t in range(1, T):
        before = delta[t - 1]
        for j in range(K):
            best[j] = -np.inf
        for i in range(0, whole, 4):
            a, b, c, d = before[i], before[i + 1], before[i + 2], before[i + 3]
            for j in range(K):
                x, y = a + log_A[i, j], b + log_A[i + 1, j]
                z, w = c + log_A[i + 2, j], d + log_A[i + 3, j]
                x = y if y > x else x
                z = w if w > z else z
                x = z if z > x else x
                best[j] = x if x > best[j] else best[j]
        for i in range(whole, K):
            a = before[i]
            for j in range(K):
                x = a + log_A[i, j]
                best[j] = x if x > best[j] else best[j]
        for j in range(K):
            delta[t, j] = best[j] + log_B[t, j]
    state = int(np.argmax(delta[T - 1]))
    value = delta[T - 1, state]
    if value == -np.inf:
        return value
    path[T - 1] = state
    for t in range(T - 2, -1, -1):
        largest, chosen = -np.inf, 0
        for i in range(K):
            x = delta[t, i] + log_A[i, state]
            if x > largest:
                largest, chosen = x, i
        state = chosen
        path[t] = state
    return value
