"""Sorting the rows of a node by the rank of a column: counting where ranks are few, by bytes elsewhere."""

from learnable._jit.core.compile import inner_kernel
from learnable._jit.core.lean import lean


@lean
@inner_kernel
def sort_by_key(rows, keys, m, lowest, highest, spare_rows, spare_keys, counts):
    """Sort keys[:m] and rows[:m] with them, stably, in place."""
    if m <= 24:
        for i in range(1, m):
            key, row = keys[i], rows[i]
            j = i - 1
            while j >= 0 and keys[j] > key:
                keys[j + 1] = keys[j]
                rows[j + 1] = rows[j]
                j -= 1
            keys[j + 1] = key
            rows[j + 1] = row
        return
    span = highest - lowest + 1
    if span <= 2 * m or span <= 256:
        for k in range(span + 1):
            counts[k] = 0
        for i in range(m):
            counts[keys[i] - lowest + 1] += 1
        for k in range(span):
            counts[k + 1] += counts[k]
        for i in range(m):
            place = counts[keys[i] - lowest]
            counts[keys[i] - lowest] += 1
            spare_rows[place] = rows[i]
            spare_keys[place] = keys[i]
        for i in range(m):
            rows[i] = spare_rows[i]
            keys[i] = spare_keys[i]
        return
    shift = 0
    while (span >> shift) > 0:
        for k in range(257):
            counts[k] = 0
        for i in range(m):
            counts[(((keys[i] - lowest) >> shift) & 255) + 1] += 1
        for k in range(256):
            counts[k + 1] += counts[k]
        for i in range(m):
            digit = ((keys[i] - lowest) >> shift) & 255
            place = counts[digit]
            counts[digit] += 1
            spare_rows[place] = rows[i]
            spare_keys[place] = keys[i]
        for i in range(m):
            rows[i] = spare_rows[i]
            keys[i] = spare_keys[i]
        shift += 8


@lean
@inner_kernel
def order_by_number(order, numbers, spare, n):
    """order[:n] becomes the places of numbers[:n] from the least to the largest, stably: runs of 1, 2, 4, … merged."""
    for i in range(n):
        order[i] = i
    width = 1
    while width < n:
        for start in range(0, n, 2 * width):
            middle, end = min(start + width, n), min(start + 2 * width, n)
            a, b = start, middle
            for i in range(start, end):
                if b >= end or (a < middle and numbers[order[a]] <= numbers[order[b]]):
                    spare[i] = order[a]
                    a += 1
                else:
                    spare[i] = order[b]
                    b += 1
        for i in range(n):
            order[i] = spare[i]
        width *= 2
