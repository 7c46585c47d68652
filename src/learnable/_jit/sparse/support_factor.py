"""The Cholesky factor of a support that changes: columns leave by rotations and come in by a triangular solve.

G_BB + ridge = UᵀU for the columns B in the order in which they came. U stands in the first rows and columns of a
square that may be larger, row by row, so that every loop here runs along a row.
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
        row = gram[support[k]]
        for i in range(k, support.shape[0]):
            upper[k, i] = row[support[i]]
        upper[k, k] = (upper[k, k] + ridge[k]) * (1.0 + jitter)


@kernel
def pivots_vanish(gram, support, ridge, upper):
    """Whether a column of the factor depends on those before it."""
    for k in range(support.shape[0]):
        if not upper[k, k] ** 2 > DEPENDENT * (gram[support[k], support[k]] + ridge[k]):
            return True
    return False


@kernel
def adapt(gram, support, ridge, upper, base, position, held):
    """Make the factor of the columns held that of `support`.

    Parameters
    ----------
    support : (s,) places in `gram`.
    ridge : (s,) what is added to the diagonal; columns that stay keep what was added when they came.
    upper : the factor; it must have room for s columns.
    base : the places of the columns of the factor; updated in place.
    position : where each place stands in the factor, −1 where it does not; updated in place.
    held : how many columns there are.

    Returns
    -------
    whether it is now: where too many columns change, nothing is done
    """
    came, count = np.empty(support.shape[0], dtype=np.int64), 0
    stays = np.zeros(held, dtype=np.bool_)
    for i in range(support.shape[0]):
        place = position[support[i]]
        if place < 0:
            came[count] = i
            count += 1
        else:
            stays[place] = True
    if held + 2 * count - support.shape[0] > LARGEST_CHANGE * held:
        return False
    for k in range(held - 1, -1, -1):
        if not stays[k]:
            remove(upper, base, position, k, held)
            held -= 1
    append(gram, support[came[:count]], ridge[came[:count]], upper, base, position, held)
    return True


@kernel
def remove(upper, base, position, k, held):
    """Take column k out of the factor of `held` columns: the rows below take up its row by rotations."""
    left = upper[k, k + 1 : held].copy()
    for j in range(k):
        row = upper[j, k:held]
        for i in range(row.shape[0] - 1):
            row[i] = row[i + 1]
    for j in range(k + 1, held):
        old, new, rest = upper[j, j:held], upper[j - 1, j - 1 : held - 1], left[j - k - 1 :]
        length = np.sqrt(old[0] ** 2 + rest[0] ** 2)
        cosine, sine = old[0] / length, rest[0] / length
        for i in range(old.shape[0]):
            new[i] = cosine * old[i] + sine * rest[i]
            rest[i] = cosine * rest[i] - sine * old[i]
    position[base[k]] = -1
    for i in range(k, held - 1):
        base[i] = base[i + 1]
        position[base[i]] = i


@kernel
def append(gram, new, ridge, upper, base, position, held):
    """Add columns behind the `held` ones of the factor; one that depends on those before gets a small ridge more."""
    sides = np.empty((new.shape[0], held))
    for c in range(new.shape[0]):
        row = gram[new[c]]
        for i in range(held):
            sides[c, i] = row[base[i]]
    for j in range(held):
        row = upper[j, j:held]
        for c in range(new.shape[0]):
            side = sides[c, j:]
            z = side[0] / row[0]
            side[0] = z
            for i in range(1, row.shape[0]):
                side[i] -= z * row[i]
    for c in range(new.shape[0]):
        for i in range(held):
            upper[i, held + c] = sides[c, i]
        for e in range(c):
            left = gram[new[c], new[e]] - np.dot(sides[c], sides[e])
            for i in range(held, held + e):
                left -= upper[i, held + c] * upper[i, held + e]
            upper[held + e, held + c] = left / upper[held + e, held + e]
        square = gram[new[c], new[c]] + ridge[c]
        left = square - np.dot(sides[c], sides[c])
        for i in range(held, held + c):
            left -= upper[i, held + c] ** 2
        upper[held + c, held + c] = np.sqrt(max(left, DEPENDENT * square, LEAST))
        base[held + c] = new[c]
        position[new[c]] = held + c


@kernel
def refined(gram, support, ridge, target, upper, position, width):
    """(d with (G_SS + ridge) d = target, G d over the first `width` places, whether d is accurate).

    Conjugate gradients with the factor as their preconditioner: one step where the ridge is that of the factor.
    """
    size = support.shape[0]
    columns, shift, left = np.empty(size, dtype=np.int64), np.empty(size), np.empty(size)
    limit, settled = 0.0, True
    for i in range(size):
        place = position[support[i]]
        columns[place], shift[place], left[place] = support[i], ridge[i], target[i]
        limit += (ACCURACY * target[i]) ** 2
        settled &= target[i] == 0.0
    x, along, step = np.zeros(size), np.zeros(size), np.empty(size)
    image, along_image = np.zeros(width), np.empty(width)
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
        along_image[:] = 0.0
        for k in range(size):
            row = gram[columns[k], :width]
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
            missing += left[k] ** 2
        for i in range(width):
            image[i] += length * along_image[i]
        settled = missing <= limit
    d = np.empty(size)
    for i in range(size):
        d[i] = x[position[support[i]]]
    return d, image, settled


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
