"""The size of a polynomial basis."""

from math import comb

import numpy as np

from learnable.plain import plain


def polynomial_dimension(d: int, k: int) -> int:
    """Number of monomials of total degree ≤ k in d variables: C(k + d, d).

    It is the number of columns of `PolynomialBasis(degree=k)`.

    Syllabus: D10.

    >>> polynomial_dimension(2, 3)
    10
    """
    for name, value in (("d", d), ("k", k)):
        if not isinstance(value, int | np.integer) or isinstance(value, bool) or value < 0:
            raise ValueError(f"polynomial_dimension({name}={plain(value)!r}): {name} must be an integer >= 0")
    return comb(int(k) + int(d), int(d))
