"""Block coordinate descent on ½ βᵀGβ − c·β + Σ_g (l1 ‖β_g‖₁ + l2_g ‖β_g‖₂), G the cross-products of the columns."""

import numpy as np

from learnable._jit.core.compile import inner_kernel, kernel

EPS = float(np.finfo(float).eps)
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
def group_gap(starts, l2, coef, slope, rest, with_y):
    """(duality gap, objective) where l1 = 0, ‖r‖²/W = `rest` and r·y/W = `with_y`.

    The dual point is t·r, t ≤ 1 as large as feasible, but for rounding.
    """
    value, t = 0.0, 1.0
    for g in range(l2.shape[0]):
        length, pull = 0.0, 0.0
        for k in range(starts[g], starts[g + 1]):
            length += coef[k] * coef[k]
            pull += slope[k] * slope[k]
        value += l2[g] * np.sqrt(length)
        pull = np.sqrt(pull)
        if t * pull > l2[g]:
            t = l2[g] / pull
    t *= 1.0 - 4.0 * EPS
    objective = 0.5 * rest + value
    return objective - (t * with_y - 0.5 * t * t * rest), objective


@kernel
def group_sweeps(gram, slope, coef, starts, l2, values, vectors, corner, target, of_target, enough, n_sweeps, looks):
    """Passes over the groups, each update exact, until the duality gap is `enough`; returns the gap. l1 = 0.

    After every `n_sweeps` of them comes a look at the gap, `looks` times at most. It is found from the cross-products,
    ‖r‖²/W = ‖y‖²/W − c·β + slope·β.

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
    target : (w,) c. of_target : ‖y‖²/W.
    """
    gap, moved = np.inf, True
    for sweep in range(looks * n_sweeps):
        moved = False
        for g in range(l2.shape[0]):
            a, b = starts[g], starts[g + 1]
            size = b - a
            inside, square = 0.0, 0.0
            for k in range(a, b):
                inside += abs(coef[k])
                square += slope[k] * slope[k]
            if inside == 0.0 and square <= l2[g] * l2[g]:  # zero is the best already
                continue
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
        if not moved or (sweep + 1) % n_sweeps == 0:
            explained, along = 0.0, 0.0
            for k in range(coef.shape[0]):
                explained += target[k] * coef[k]
                along += slope[k] * coef[k]
            with_y = of_target - explained
            gap, _ = group_gap(starts, l2, coef, slope, max(with_y + along, 0.0), with_y)
            if not moved or gap <= enough:
                break
    return gap


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
