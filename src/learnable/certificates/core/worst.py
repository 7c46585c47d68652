"""The worst of several findings."""

import math


def worst_of(*values: float) -> float:
    """The largest; no number where one is none: Python's max(x, nan) is x, and what is no number proves nothing.

    >>> worst_of(0.5, 2.0), worst_of(0.5, math.nan), max(0.5, math.nan)
    (2.0, nan, 0.5)
    """
    return math.nan if any(value != value for value in values) else max(values)
