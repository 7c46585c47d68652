"""Block coordinate descent on ½ βᵀGβ − c·β + Σ_g (l1 ‖β_g‖₁ + l2_g ‖β_g‖₂), G the cross-products of the columns."""

import numpy as np

from learnable._jit.core.compile import inner_kernel, kernel

# Steps of the secular equation, which converges from one side, and of the inner problem of a sparse group.
SECULAR_STEPS = 50
INNER_STEPS = 100


@kernel
def secular_root(v, D, level):
    """h > 0 with Σ (vᵢ / (Dᵢ h + level))² = 1, for ‖v‖ > level.

    With N(h) = ‖v / (D h + level)‖, 1/N is concave in h and rises: Newton's steps for 1/N = 1 from h = 0 never pass
    the root.
    """
    h = 0.0
    for _ in range(SECULAR_STEPS):
        square, fall = 0.0, 0.0
        for i in range(v.shape[0]):
            below = D[i] * h + level
            term = v[i] / below
            square += term * term
            fall += term * term * D[i] / below
        if fall <= 0.0:
            return h
        norm = np.sqrt(square)
        step = (norm - 1.0) * square / fall
        h += step
        if step <= 4e-16 * h:
            break
    return h


@kernel
def group_sweeps(gram, slope, coef, starts, l2, values, vectors, corner, n_sweeps):
    """Up to `n_sweeps` passes over the groups, each update exact; returns the passes made. l1 = 0.

    Parameters
    ----------
    gram : G, symmetric, in the first w rows and columns of a square that may be larger.
    slope : (w,) Gβ − c, updated in place.
    coef : (w,) β, updated in place.
    starts : (m + 1,) where each group begins.
    l2 : (m,).
    values : (w,) eigenvalues of the diagonal blocks of G.
    vectors : their eigenvectors, block after block, an eigenvector a row.
    corner : (m,) where the block of a group begins in `vectors`.
    """
    for sweep in range(n_sweeps):
        moved = False
        for g in range(l2.shape[0]):
            a, b = starts[g], starts[g + 1]
            size = b - a
            old = coef[a:b].copy()
            # c_g = H_g β_g − slope_g, in the eigenvectors' coordinates.
            v = np.empty(size)
            square = 0.0
            for i in range(size):
                along, pull = 0.0, 0.0
                for k in range(size):
                    along += vectors[corner[g] + i * size + k] * old[k]
                    pull += vectors[corner[g] + i * size + k] * slope[a + k]
                v[i] = values[a + i] * along - pull
                square += v[i] * v[i]
            new = np.zeros(size)
            if square > l2[g] * l2[g]:
                h = secular_root(v, values[a:b], l2[g])
                for i in range(size):
                    share = v[i] * h / (values[a + i] * h + l2[g])
                    for k in range(size):
                        new[k] += share * vectors[corner[g] + i * size + k]
            moved = _move(gram, slope, coef, a, old, new) or moved
        if not moved:
            return sweep + 1
    return n_sweeps


@kernel
def sparse_group_sweeps(gram, slope, coef, starts, l1, l2, values, n_sweeps, accuracy):
    """As `group_sweeps` with l1 > 0: each group's problem by proximal gradient steps until they are short."""
    for sweep in range(n_sweeps):
        moved = False
        for g in range(l2.shape[0]):
            a, b = starts[g], starts[g + 1]
            size = b - a
            bend = np.max(values[a:b])
            if bend <= 0.0:
                continue
            old = coef[a:b].copy()
            new = old.copy()
            pull = slope[a:b].copy()
            for _ in range(INNER_STEPS):
                target = new - pull / bend
                square = 0.0
                for k in range(size):
                    target[k] = np.sign(target[k]) * max(abs(target[k]) - l1 / bend, 0.0)
                    square += target[k] * target[k]
                norm = np.sqrt(square)
                shrink = max(norm - l2[g] / bend, 0.0) / norm if norm > 0.0 else 0.0
                longest = 0.0
                for k in range(size):
                    step = shrink * target[k] - new[k]
                    longest = max(longest, abs(step))
                    if step != 0.0:
                        new[k] = shrink * target[k]
                        for i in range(size):
                            pull[i] += step * gram[a + k, a + i]
                if longest * np.sqrt(bend) <= accuracy:
                    break
            moved = _move(gram, slope, coef, a, old, new) or moved
        if not moved:
            return sweep + 1
    return n_sweeps


@inner_kernel
def _move(gram, slope, coef, a, old, new):
    """Adopt the new coefficients of the group that begins at a; says whether anything changed."""
    moved = False
    for k in range(new.shape[0]):
        step = new[k] - old[k]
        if step != 0.0:
            moved = True
            coef[a + k] = new[k]
            for i in range(coef.shape[0]):
                slope[i] += step * gram[a + k, i]
    return moved
