"""What slack costs: the parameter C of the machines, and the weights of rows that multiply it."""

from numbers import Real
from typing import Any

import numpy as np

# Its square, which enters bounds on the gap, is a number too.
LARGEST = 1e100


def number(given: Any) -> float:
    """A parameter as a number, NaN where it is none: no bound holds for it.

    >>> number(2), number("2"), number(None)
    (2.0, nan, nan)
    """
    return float(given) if isinstance(given, Real) else float("nan")


def refuse_cost(name: str, C: Any) -> None:
    """Raise unless C is a number > 0 that has a square.

    >>> refuse_cost("SVC", 1e300)
    Traceback (most recent call last):
    ValueError: SVC(C=1e+300): C must be a number > 0, at most 1e+100; larger values allow less slack
    """
    if not 0.0 < number(C) <= LARGEST:
        raise ValueError(
            f"{name}(C={C!r}): C must be a number > 0, at most {LARGEST:g}; larger values allow less slack"
        )


def without_negative(name: str, sample_weight: Any) -> Any:
    """The weights with 0 for those below: a row without a positive weight is left out, as by LIBSVM.

    Weights that leave no row are refused; what is no vector of numbers is left to others.

    >>> without_negative("SVC", [1.0, -2.0, 3.0]).tolist()
    [1.0, 0.0, 3.0]
    """
    if sample_weight is None or np.ndim(sample_weight) != 1 or np.asarray(sample_weight).dtype.kind not in "biuf":
        return sample_weight
    given = np.asarray(sample_weight)
    if np.all(given <= 0):
        raise ValueError(
            f"{name}: Invalid input - all samples have zero or negative weights. sample_weight must have a positive "
            "number for some row; at least one must be non-zero"
        )
    return np.where(given < 0, 0.0, given) if np.any(given < 0) else sample_weight
