"""What slack costs: the parameter C of the machines."""

from numbers import Real
from typing import Any

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
