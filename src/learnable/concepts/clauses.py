"""All clauses of at most k literals over n variables, as an array."""

from itertools import combinations, product
from math import comb

import numpy as np

# Clauses beyond which they are not listed: about a gigabyte of working memory at k = 3.
MOST_CLAUSES = 20_000_000


def count_clauses(n_variables: int, k: int) -> int:
    """How many clauses have 1 to k literals of different variables: Σ C(n, i) 2ⁱ ≤ k(2n)ᵏ.

    Syllabus: V9.

    >>> count_clauses(50, 3)
    161800
    """
    return sum(comb(n_variables, i) * 2**i for i in range(1, min(k, n_variables) + 1))


def all_clauses(n_variables: int, k: int) -> np.ndarray:
    """Every clause of 1 to k literals of different variables, a row each, filled up with −1.

    A clause with x and ¬x is always true and left out. Syllabus: V9.

    >>> all_clauses(2, 2).tolist()
    [[0, -1], [2, -1], [1, -1], [3, -1], [0, 1], [0, 3], [2, 1], [2, 3]]
    """
    count = count_clauses(n_variables, k)
    if count > MOST_CLAUSES:
        raise MemoryError(
            f"there are {count:,} clauses of at most {k} literals over {n_variables} variables, more than the "
            f"{MOST_CLAUSES:,} that are listed; lower k or drop columns"
        )
    width = min(k, n_variables)
    clauses = np.full((count, max(width, 1)), -1, dtype=np.int32)
    start = 0
    for size in range(1, width + 1):
        variables = np.array(list(combinations(range(n_variables), size)), dtype=np.int32)
        signs = np.array(list(product((0, n_variables), repeat=size)), dtype=np.int32)
        block = (variables[:, None, :] + signs).reshape(-1, size)
        clauses[start : start + len(block), :size] = block
        start += len(block)
    return clauses
