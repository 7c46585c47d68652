"""Nearest centres: the two smallest scores of each row, the bounds that spare a comparison, sums of moved points."""

import numpy as np

from learnable._jit.core.compile import inner_kernel, kernel


@kernel
def nearest_two(products, half, best, second, label):
    """The smallest and the second smallest of ½‖c_k‖² − c_k·x_i over k, and the first k that attains the smallest.

    `products` is (K, m): the loop over rows is inside, where nothing depends on the row before it.
    """
    K, m = products.shape
    for i in range(m):
        best[i] = np.inf
        second[i] = np.inf
        label[i] = 0
    for k in range(K):
        h = half[k]
        row = products[k]
        for i in range(m):
            v = h - row[i]
            b = best[i]
            closer = v < b
            s = second[i]
            t = v if v < s else s
            second[i] = b if closer else t
            best[i] = v if closer else b
            label[i] = k if closer else label[i]


@kernel
def squared_norms(X, out):
    """out_i ← ‖x_i‖²."""
    for i in range(X.shape[0]):
        total = 0.0
        for j in range(X.shape[1]):
            total += X[i, j] * X[i, j]
        out[i] = total


@kernel
def undecided(X, centres, label, upper, lower, drift, largest, runner_up, farthest, apart, rows):
    """Which rows may have another nearest centre now; returns how many.

    The centres have moved by `drift`, at most by `largest` (that of `farthest`), the others at most by `runner_up`.
    `upper` bounds the distance to the own centre, `lower` that to every other; `apart` is half the distance from each
    centre to its nearest neighbour. A row is decided where upper ≤ max(lower, apart).
    """
    count = 0
    for i in range(X.shape[0]):
        k = label[i]
        lower[i] -= runner_up if k == farthest else largest
        u = upper[i] + drift[k]
        reach = max(lower[i], apart[k])
        if u > reach:
            total = 0.0
            for j in range(X.shape[1]):
                difference = X[i, j] - centres[k, j]
                total += difference * difference
            u = np.sqrt(total) * (1.0 + 1e-12)
            if u > reach:
                rows[count] = i
                count += 1
        upper[i] = u
    return count


@inner_kernel
def _move(i, new, X, weight, label, sums, masses):
    """Row i leaves the sums of its label, if it has one, and joins those of another."""
    old, w = label[i], weight[i]
    label[i] = new
    masses[new] += w
    for j in range(X.shape[1]):
        sums[new, j] += w * X[i, j]
    if old >= 0:
        masses[old] -= w
        for j in range(X.shape[1]):
            sums[old, j] -= w * X[i, j]


@kernel
def settle(best, second, norms, found, rows, slack, size, label, upper, lower, X, weight, sums, masses):
    """Write what the comparison of `rows` found; points that moved leave one sum and join another.

    Returns how many rows have another label.
    """
    moved = 0
    for r in range(rows.shape[0]):
        i = rows[r]
        # Rounding of the product form: what is subtracted is of the size of the norms.
        rounding = slack * (norms[r] + size)
        upper[i] = np.sqrt(max(norms[r] + 2.0 * best[r] + rounding, 0.0))
        lower[i] = np.sqrt(max(norms[r] + 2.0 * second[r] - rounding, 0.0))
        new = found[r]
        if new != label[i]:
            moved += 1
            _move(i, new, X, weight, label, sums, masses)
    return moved


@kernel
def assign_few(X, weight, centres, drift, largest, runner_up, farthest, apart, label, upper, lower, sums, masses):
    """`undecided`, the comparison with a few centres by the differences, and `settle`, row by row.

    Rows that had no label are left to `group_sums`, which takes them sooner. Returns how many have another label.
    """
    moved = 0
    for i in range(X.shape[0]):
        old = label[i]
        if old >= 0:
            lower[i] -= runner_up if old == farthest else largest
            upper[i] += drift[old]
            if upper[i] <= max(lower[i], apart[old]):
                continue
        new, best, second = 0, np.inf, np.inf
        for k in range(centres.shape[0]):
            total = 0.0
            for j in range(X.shape[1]):
                difference = X[i, j] - centres[k, j]
                total += difference * difference
            if total < best:
                second, best, new = best, total, k
            elif total < second:
                second = total
        upper[i] = np.sqrt(best) * (1.0 + 1e-12)
        lower[i] = np.sqrt(second) * (1.0 - 1e-12)
        if new != old:
            moved += 1
            if old >= 0:
                _move(i, new, X, weight, label, sums, masses)
            label[i] = new
    return moved


@kernel
def whole_step(X, weight, centres, label, sums, masses, means):
    """A step of Lloyd's algorithm on a small table: labels, Σ w x and Σ w of each cluster, and their means.

    A cluster without rows keeps its centre. Returns how many rows have another label, Σ w ‖x − c‖², and how far the
    means are from the centres, Σ_k ‖x̄_k − c_k‖².
    """
    K, p = centres.shape
    for k in range(K):
        masses[k] = 0.0
        for j in range(p):
            sums[k, j] = 0.0
    moved, inertia, shift = 0, 0.0, 0.0
    for i in range(X.shape[0]):
        nearest, least = 0, np.inf
        for k in range(K):
            total = 0.0
            for j in range(p):
                difference = X[i, j] - centres[k, j]
                total += difference * difference
            if total < least:
                nearest, least = k, total
        moved += nearest != label[i]
        inertia += weight[i] * least
        label[i] = -1
        _move(i, nearest, X, weight, label, sums, masses)
    for k in range(K):
        for j in range(p):
            means[k, j] = sums[k, j] / masses[k] if masses[k] > 1e-300 else centres[k, j]
            shift += (means[k, j] - centres[k, j]) ** 2
    return moved, inertia, shift


@inner_kernel
def _about(X, i, origin, row):
    """row ← x_i − origin."""
    for j in range(X.shape[1]):
        row[j] = X[i, j] - origin[j]


@inner_kernel
def _nearest_to(row, centres):
    """(the first of the nearest centres, its squared distance)."""
    nearest, least = 0, np.inf
    for k in range(centres.shape[0]):
        total = 0.0
        for j in range(row.shape[0]):
            difference = row[j] - centres[k, j]
            total += difference * difference
        if total < least:
            nearest, least = k, total
    return nearest, least


@kernel
def step_of_few(X, origin, weight, centres, sums, masses):
    """Σ w (x − origin) and Σ w of the rows nearest to each of a few centres, which are about `origin` too.

    Returns Σ w ‖x − c‖².
    """
    row, inertia = np.empty(X.shape[1]), 0.0
    for i in range(X.shape[0]):
        _about(X, i, origin, row)
        k, least = _nearest_to(row, centres)
        w = weight[i]
        inertia += w * least
        masses[k] += w
        for j in range(row.shape[0]):
            sums[k, j] += w * row[j]
    return inertia


@kernel
def nearest_of_few(X, origin, centres, label, squares):
    """The nearest of a few centres, which are about `origin`, and the squared distance to it, of each row."""
    row = np.empty(X.shape[1])
    for i in range(X.shape[0]):
        _about(X, i, origin, row)
        label[i], squares[i] = _nearest_to(row, centres)


@kernel
def potentials_of_few(X, origin, weight, centres, points, out):
    """out_t ← out_t + Σ_i w_i min(‖x_i − p_t‖², ‖x_i − c_1‖², …) for a few points, all about `origin`."""
    row = np.empty(X.shape[1])
    for i in range(X.shape[0]):
        _about(X, i, origin, row)
        _, closest = _nearest_to(row, centres)
        for t in range(points.shape[0]):
            total = 0.0
            for j in range(row.shape[0]):
                difference = row[j] - points[t, j]
                total += difference * difference
            out[t] += weight[i] * min(closest, total)


@kernel
def group_sums(X, weight, label, sums, masses):
    """Σ w x and Σ w of each label, added to `sums` and `masses`; returns Σ w ‖x‖²."""
    squares = 0.0
    for i in range(X.shape[0]):
        k, w = label[i], weight[i]
        masses[k] += w
        total = 0.0
        for j in range(X.shape[1]):
            x = X[i, j]
            sums[k, j] += w * x
            total += x * x
        squares += w * total
    return squares


@kernel
def squared_distances(X, centres, label, out):
    """out_i ← ‖x_i − c_{label i}‖², from the differences."""
    for i in range(X.shape[0]):
        total = 0.0
        for j in range(X.shape[1]):
            difference = X[i, j] - centres[label[i], j]
            total += difference * difference
        out[i] = total


@kernel
def potentials(products, norms, sizes, closest, weight, out):
    """out_t ← out_t + Σ_i w_i min(closest_i, ‖x_i‖² + ‖c_t‖² − 2 c_t·x_i), for a few candidates t."""
    T, m = products.shape
    for t in range(T):
        size, row, total = sizes[t], products[t], 0.0
        for i in range(m):
            v = norms[i] + size - 2.0 * row[i]
            v = v if v < closest[i] else closest[i]
            total += weight[i] * (v if v > 0.0 else 0.0)
        out[t] += total
