"""Contingency tables of two columns within the strata of others, and how far they are from independence."""

import numpy as np

from learnable._jit.core.compile import kernel


@kernel
def dependence(codes, levels, i, j, given, likelihood):
    """G² (`likelihood`) or Pearson's χ² of columns i and j within the strata of the columns `given`.

    Parameters
    ----------
    codes : (p, n) values 0 … levels − 1, one row a column of the data.
    levels : (p,) how many values each has.
    given : (k,) columns.
    """
    n = codes.shape[1]
    strata = 1
    for k in given:
        strata *= levels[k]
    rows, columns = levels[i], levels[j]
    table = np.zeros((strata, rows, columns))
    stratum = np.zeros(n, np.int64)
    for k in given:
        for t in range(n):
            stratum[t] = stratum[t] * levels[k] + codes[k, t]
    for t in range(n):
        table[stratum[t], codes[i, t], codes[j, t]] += 1.0
    total = 0.0
    down, across = np.empty(columns), np.empty(rows)
    for s in range(strata):
        down[:] = 0.0
        across[:] = 0.0
        size = 0.0
        for a in range(rows):
            for b in range(columns):
                down[b] += table[s, a, b]
                across[a] += table[s, a, b]
                size += table[s, a, b]
        if size == 0.0:
            continue
        for a in range(rows):
            for b in range(columns):
                expected = across[a] * down[b] / size
                seen = table[s, a, b]
                if likelihood:
                    if seen > 0.0:
                        total += 2.0 * seen * np.log(seen / expected)
                elif expected > 0.0:
                    total += (seen - expected) ** 2 / expected
    return total
