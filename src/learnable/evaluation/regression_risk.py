"""The risk of a regression function under a known law: excess risk plus noise."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnable.evaluation._validation import as_numbers


class RegressionRisk(NamedTuple):
    """risk = excess + noise: E(f-Y)² = E(f-E[Y|X])² + E(E[Y|X]-Y)².

    Attributes
    ----------
    risk : E(f(X) - Y)².
    excess : what f loses to the best function.
    noise : what even the best function E[Y|X] loses.
    best : E[Y|X] at every x; NaN where P(X = x) is 0.
    """

    risk: float
    excess: float
    noise: float
    best: NDArray[np.float64]


def regression_risk(f: ArrayLike, y: ArrayLike, probabilities: ArrayLike) -> RegressionRisk:
    """The exact risk and its two parts for a finite law.

    Syllabus: R13.

    Parameters
    ----------
    f : value of the function at each of a points x.
    y : the b values that Y can take.
    probabilities : P(X = x_i, Y = y_j), shape (a, b), summing to 1.

    >>> risk = regression_risk([0.0, 1.0], [0.0, 1.0], [[0.4, 0.1], [0.2, 0.3]])
    >>> round(risk.risk, 3), round(risk.excess, 3), round(risk.noise, 3)
    (0.3, 0.1, 0.2)
    """
    values, support, law = (
        as_numbers(given, "regression_risk", name)
        for name, given in (("f", f), ("y", y), ("probabilities", probabilities))
    )
    if values.ndim != 1 or support.ndim != 1 or law.shape != (len(values), len(support)):
        raise ValueError(
            f"regression_risk: f, y and probabilities have shapes {values.shape}, {support.shape} and {law.shape}; "
            "they must be (a,), (b,) and (a, b)"
        )
    if not (np.isfinite(values).all() and np.isfinite(support).all()):
        raise ValueError("regression_risk: f and y must be finite")
    if not ((law >= 0).all() and np.isclose(law.sum(), 1)):
        raise ValueError(f"regression_risk: probabilities must be >= 0 and sum to 1, their sum is {law.sum()}")
    at_x = law.sum(axis=1)
    best = np.divide(law @ support, at_x, out=np.full(len(values), np.nan), where=at_x > 0)
    centre = np.where(at_x > 0, best, 0.0)
    excess = float(at_x @ (values - centre) ** 2)
    noise = float(np.sum(law * (centre[:, None] - support) ** 2))
    return RegressionRisk(excess + noise, excess, noise, best)
