"""Sorting the rows of a node by the rank of a column: counting where ranks are few, by bytes elsewhere."""

from learnable._jit.core.compile import inner_kernel


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
