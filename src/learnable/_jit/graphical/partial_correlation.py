"""Separating sets by partial correlations: every set of one size among the neighbours, in lexicographic order."""

import numpy as np

from learnable._jit.core.compile import inner_kernel, kernel


@kernel
def separate(R, size, critical, singular, neighbours, alive, first, last, edge_of, least, found, tests, untestable):
    """For nodes `first` ≤ i < `last` and each edge i — j: is |r(i, j | S)| ≤ critical for some S among the neighbours?

    The sets share the Cholesky factor of what they begin with: R_SS = LLᵀ, and L⁻¹R_Si, L⁻¹R_Sj give the residual
    variances and covariance of i and j. An edge goes at its first separating set.

    Parameters
    ----------
    R : (p, p) correlations.
    size : |S|.
    critical : bound on |r|.
    singular : a residual variance this small counts as zero; such sets cannot be tested.
    neighbours : (p, p) among which sets are sought; the stable order gives a copy of `alive`, the original `alive`.
    alive : (p, p) edges left, updated in place.
    edge_of : (p, p) the number of each edge; −1 for one that is not to be tested.
    least : (m,) the r of least size met on each edge, updated in place; NaN where none was.
    found : (m, size) the set that belongs to it.
    tests, untestable : (m,) how many sets were tried, and how many could not be, updated in place.
    """
    p = R.shape[0]
    around = np.empty(p, np.int64)
    at = np.empty(size + 1, np.int64)
    chosen = np.empty(size + 1, np.int64)
    L = np.empty((size + 1, size + 1))
    a, b = np.empty(size + 1), np.empty(size + 1)
    var_i, var_j, cov = np.empty(size + 1), np.empty(size + 1), np.empty(size + 1)
    for i in range(first, last):
        for j in range(p):
            if not alive[i, j] or edge_of[i, j] < 0 or (size == 0 and j < i):
                continue
            d = 0
            for k in range(p):
                if neighbours[i, k] and k != j:
                    around[d] = k
                    d += 1
            edge = edge_of[i, j]
            var_i[0], var_j[0], cov[0] = 1.0, 1.0, R[i, j]
            depth = 0
            at[0] = 0
            while depth >= 0:
                if depth < size:
                    if at[depth] > d - (size - depth):
                        depth -= 1
                        if depth >= 0:
                            at[depth] += 1
                        continue
                    s = around[at[depth]]
                    diagonal = 1.0
                    for k in range(depth):
                        value = R[s, chosen[k]]
                        for m in range(k):
                            value -= L[depth, m] * L[k, m]
                        value /= L[k, k]
                        L[depth, k] = value
                        diagonal -= value * value
                    if diagonal <= singular:
                        # s depends on what was chosen: no set that begins so can be tested.
                        untestable[edge] += _choices(d - 1 - at[depth], size - depth - 1)
                        at[depth] += 1
                        continue
                    L[depth, depth] = np.sqrt(diagonal)
                    u, v = R[s, i], R[s, j]
                    for k in range(depth):
                        u -= L[depth, k] * a[k]
                        v -= L[depth, k] * b[k]
                    a[depth], b[depth] = u / L[depth, depth], v / L[depth, depth]
                    chosen[depth] = s
                    var_i[depth + 1] = var_i[depth] - a[depth] ** 2
                    var_j[depth + 1] = var_j[depth] - b[depth] ** 2
                    cov[depth + 1] = cov[depth] - a[depth] * b[depth]
                    depth += 1
                    if depth < size:
                        at[depth] = at[depth - 1] + 1
                        continue
                # A whole set.
                if not (j < i and _seen_from(neighbours, j, i, chosen, size)):
                    if var_i[size] <= singular or var_j[size] <= singular:
                        untestable[edge] += 1
                    else:
                        r = cov[size] / np.sqrt(var_i[size] * var_j[size])
                        tests[edge] += 1
                        if not abs(r) >= abs(least[edge]):
                            least[edge] = r
                            for k in range(size):
                                found[edge, k] = chosen[k]
                        if abs(r) <= critical:
                            alive[i, j] = False
                            alive[j, i] = False
                            break
                depth -= 1
                if depth >= 0:
                    at[depth] += 1


@inner_kernel
def _seen_from(neighbours, j, i, chosen, size):
    """Whether a set was tried from the other end of the edge already."""
    seen = True
    for k in range(size):
        seen = seen and neighbours[j, chosen[k]] and chosen[k] != i
    return seen


@inner_kernel
def _choices(n, k):
    """n over k."""
    total = 1
    for m in range(k):
        total = total * (n - m) // (m + 1)
    return total
