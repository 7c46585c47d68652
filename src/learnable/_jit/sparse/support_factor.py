"""The Cholesky factor of a support that changes: columns leave by rotations and come in by a triangular solve.

G_BB + ridge = UᵀU for the columns B in the order in which they came. U stands in the first rows and columns of a
square that may be larger, row by row, so that every loop here runs along a row. Its places are counted without a sign:
no index need be asked whether it counts from the end.
"""

import numpy as np

from learnable._jit.core.compile import inner_kernel, kernel

# A pivot that is less than this share of its column's square is rounding: the column depends on those before it.
DEPENDENT = 1e-12
# No pivot is less.
LEAST = np.finfo(float).tiny
# Beyond this share of columns that change, a new factor takes less time.
LARGEST_CHANGE = 0.25
# Conjugate gradients that need more steps than this are too slow.
MOST_STEPS = 8
ACCURACY = 1e-5


@kernel
def fill(gram, support, ridge, jitter, upper):
    """The upper triangle of (G_SS + ridge), the diagonal times 1 + jitter, in the first rows of `upper`."""
    for k in range(support.shape[0]):
        for i in range(k, support.shape[0]):
            upper[k, i] = gram[support[k], support[i]]
        upper[k, k] = (upper[k, k] + ridge[k]) * (1.0 + jitter)


@kernel
def pivots_vanish(gram, support, ridge, upper):
    """Whether a column of the factor depends on those before it."""
    for k in range(support.shape[0]):
        if not upper[k, k] * upper[k, k] > DEPENDENT * (gram[support[k], support[k]] + ridge[k]):
            return True
    return False


@kernel
def adapt(gram, support, ridge, upper, base, position, held, anew):
    """Make the factor of the columns held that of `support`.

    Parameters
    ----------
    support : (s,) places in `gram`.
    ridge : (s,) what is added to the diagonal; columns that stay keep what was added when they came.
    upper : the factor; it must have room for s columns.
    base : the places of the columns of the factor; updated in place.
    position : where each place stands in the factor, −1 where it does not; updated in place.
    held : how many columns there are.
    anew : whether the factor is made anew here where too many columns change.

    Returns
    -------
    whether it is now: where too many columns change, and it is not made anew here, nothing is done
    """
    came, added, count = np.empty(support.shape[0], dtype=np.int64), np.empty(support.shape[0]), 0
    leaves = np.empty(held, dtype=np.int64)
    for k in range(held):
        leaves[k] = 1
    for i in range(support.shape[0]):
        place = position[support[i]]
        if place < 0:
            came[count], added[count] = support[i], ridge[i]
            count += 1
        else:
            leaves[place] = 0
    if held + 2 * count - support.shape[0] > LARGEST_CHANGE * held:
        if not anew:
            return False
        for k in range(held):
            position[base[k]] = -1
        for i in range(support.shape[0]):
            came[i], added[i] = support[i], ridge[i]
        held, count = 0, support.shape[0]
    for k in range(held - 1, -1, -1):
        if leaves[k] == 1:
            remove(upper, base, position, k, held)
            held -= 1
    append(gram, came, added, count, upper, base, position, held)
    return True


@kernel
def remove(upper, base, position, k, held):
    """Take column k out of the factor of `held` columns: the rows below take up its row by rotations."""
    left = np.empty(held)
    for i in range(k + 1, held):
        left[i] = upper[k, i]
    for j in range(k):
        for i in range(np.uint64(k + 1), np.uint64(held)):
            upper[j, i - np.uint64(1)] = upper[j, i]
    for j in range(k + 1, held):
        length = np.sqrt(upper[j, j] * upper[j, j] + left[j] * left[j])
        cosine, sine = upper[j, j] / length, left[j] / length
        for i in range(np.uint64(j), np.uint64(held)):
            old, rest = upper[j, i], left[i]
            upper[j - 1, i - np.uint64(1)] = cosine * old + sine * rest
            left[i] = cosine * rest - sine * old
    position[base[k]] = -1
    for i in range(k + 1, held):
        base[i - 1] = base[i]
        position[base[i]] = i - 1


@kernel
def append(gram, new, ridge, count, upper, base, position, held):
    """Add the first `count` columns of `new` behind the `held` ones of the factor.

    One that depends on those before it gets a small ridge more.
    """
    sides = np.empty((count, held + count))
    for c in range(count):
        base[held + c], position[new[c]] = new[c], held + c
        for i in range(held + c):
            sides[c, i] = gram[new[c], base[i]]
    # Each row of the factor is read once, for all columns that come.
    for j in range(held + count):
        if j >= held:
            square = gram[base[j], base[j]] + ridge[j - held]
            left = square
            for i in range(j):
                left -= sides[j - held, i] * sides[j - held, i]
            upper[j, j] = np.sqrt(max(left, DEPENDENT * square, LEAST))
        for c in range(max(j + 1 - held, 0), count):
            z = sides[c, j] / upper[j, j]
            sides[c, j], upper[j, held + c] = z, z
            for i in range(np.uint64(j + 1), np.uint64(held + c)):
                sides[c, i] -= z * upper[j, i]


@kernel
def refined(gram, support, ridge, target, upper, position, width):
    """(d with (G_SS + ridge) d = target, G d over the first `width` places, whether d is accurate).

    Conjugate gradients with the factor as their preconditioner: one step where the ridge is that of the factor.
    """
    size = support.shape[0]
    columns, shift, left = np.empty(size, dtype=np.int64), np.empty(size), np.empty(size)
    x, along, step = np.empty(size), np.empty(size), np.empty(size)
    image, along_image = np.empty(width), np.empty(width)
    limit, settled = 0.0, True
    for i in range(size):
        place, short = position[support[i]], ACCURACY * target[i]
        columns[place], shift[place], left[place] = support[i], ridge[i], target[i]
        x[i], along[i] = 0.0, 0.0
        limit += short * short
        settled &= target[i] == 0.0
    for i in range(width):
        image[i] = 0.0
    was, steps = np.inf, 0
    while not settled and steps < MOST_STEPS:
        steps += 1
        for k in range(size):
            step[k] = left[k]
        substitute(upper, step)
        now = np.dot(left, step)
        if not now > 0.0:
            break
        for k in range(size):
            along[k] = step[k] + (now / was) * along[k]
        for i in range(width):
            along_image[i] = 0.0
        for k in range(size):
            row = gram[columns[k]]
            for i in range(width):
                along_image[i] += along[k] * row[i]
        bend = 0.0
        for k in range(size):
            step[k] = along_image[columns[k]] + shift[k] * along[k]
            bend += along[k] * step[k]
        if not bend > 0.0:
            break
        length, was, missing = now / bend, now, 0.0
        for k in range(size):
            x[k] += length * along[k]
            left[k] -= length * step[k]
            missing += left[k] * left[k]
        for i in range(width):
            image[i] += length * along_image[i]
        settled = missing <= limit
    for i in range(size):
        left[i] = x[position[support[i]]]
    return left, image, settled


@inner_kernel
def substitute(upper, x):
    """x ← (UᵀU)⁻¹ x, in place."""
    size = x.shape[0]
    for j in range(size):
        row, rest = upper[j, j:size], x[j:]
        z = rest[0] / row[0]
        rest[0] = z
        for i in range(1, row.shape[0]):
            rest[i] -= z * row[i]
    for j in range(size - 1, -1, -1):
        row, rest, total = upper[j, j:size], x[j:], 0.0
        for i in range(1, row.shape[0]):
            total += row[i] * rest[i]
        rest[0] = (rest[0] - total) / row[0]
