"""Five times two-fold cross-validation: Dietterich's t-test and Alpaydin's combined F-test."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import fdtrc, stdtr, stdtrit

from learnable.evaluation._validation import as_numbers
from learnable.evaluation.compare import compare
from learnable.evaluation.interval import Interval, check_level
from learnable.evaluation.paired_t import TOO_LARGE, rounding_of


class FiveByTwo(NamedTuple):
    """Both 5×2 tests of "the two learners have the same expected score when trained on half the rows".

    Attributes
    ----------
    difference : the first difference δ₁₁ (the numerator of t) with its t interval on 5 degrees of freedom.
    mean_difference : mean of all ten differences.
    t, p_t : Dietterich's statistic and two-sided p-value; it uses one of the ten differences in its numerator.
    f, p_f : Alpaydin's statistic, free of that arbitrary choice, and its p-value (10 and 5 degrees of freedom).
    degenerate : True when both halves agree in all five repeats: the variance is 0, and p is 1 if all differences
        are 0, else 0 (for t: if δ₁₁ is 0).
    """

    difference: Interval
    mean_difference: float
    t: float
    p_t: float
    f: float
    p_f: float
    degenerate: bool


def five_by_two_test(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> FiveByTwo:
    """The tests from given scores of shape (5, 2): repeat × half.

    With δᵢⱼ the difference in half j of repeat i, δ̄ᵢ the mean of the two, and sᵢ² = (δᵢ₁ − δ̄ᵢ)² + (δᵢ₂ − δ̄ᵢ)²:
    t = δ₁₁ / √(Σᵢ sᵢ² / 5) and F = Σᵢⱼ δᵢⱼ² / (2 Σᵢ sᵢ²).

    (T. Dietterich, Neural Computation 10, 1998; E. Alpaydin, Neural Computation 11, 1999.)

    Syllabus: E7.

    >>> import numpy as np
    >>> delta = np.array([[0.02, 0.04], [0.01, 0.03], [0.05, 0.03], [0.02, 0.02], [0.03, 0.00]])
    >>> test = five_by_two_test(0.8 + delta, np.full((5, 2), 0.8))
    >>> round(test.t, 3), round(test.f, 3), round(test.p_f, 4)
    (1.38, 3.857, 0.0747)
    """
    level = check_level(level, "five_by_two_test")
    a, b = _ten_scores("first", first), _ten_scores("second", second)
    delta = a - b
    rounding = rounding_of(a, b)
    half_gap = delta[:, 0] - delta[:, 1]
    half_gap = np.where(np.abs(half_gap) <= rounding, 0.0, half_gap)
    delta = np.where(np.abs(delta) <= rounding, 0.0, delta)
    sum_of_variances = float(np.sum(half_gap**2) / 2)  # s_i² = (δ_i1 - δ_i2)²/2
    degenerate = sum_of_variances == 0
    error = math.sqrt(sum_of_variances / 5)
    lead = float(delta[0, 0])
    if degenerate:
        t, p_t = (math.copysign(math.inf, lead), 0.0) if lead else (0.0, 1.0)
        f, p_f = (math.inf, 0.0) if delta.any() else (0.0, 1.0)
    else:
        t = lead / error
        p_t = float(2 * stdtr(5, -abs(t)))
        f = float(np.sum(delta**2) / (2 * sum_of_variances))
        p_f = float(fdtrc(10, 5, f))
    half = -float(stdtrit(5, (1 - level) / 2)) * error
    interval = Interval(lead, lead - half, lead + half, level, "5x2cv t", 10)
    return FiveByTwo(interval, float(delta.mean()), t, p_t, f, p_f, degenerate)


def five_by_two(
    first: Any, second: Any, X: Any, y: Any, *, scoring: Any = None, level: float = 0.95, random_state: Any = 0
) -> FiveByTwo:
    """Run both learners on five random halvings (stratified for classifiers) and test.

    Parameters
    ----------
    first, second : estimators; they are cloned, not fitted.
    X, y : data.
    scoring : a scorer or its name; None for the estimators' own `score`.
    level : of the interval.
    random_state : of the halvings.

    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> five_by_two(tree, DummyClassifier(), X, y, random_state=0).p_f < 1e-5
    True
    """
    run = compare({"first": first, "second": second}, X, y, scoring=scoring, cv=2, repeats=5, random_state=random_state)
    return five_by_two_test(run.scores[:, 0].reshape(5, 2), run.scores[:, 1].reshape(5, 2), level=level)


def _ten_scores(name: str, scores: ArrayLike) -> np.ndarray:
    array = as_numbers(scores, "five_by_two_test", name)
    if array.shape != (5, 2):
        raise ValueError(
            f"five_by_two_test: {name} has shape {array.shape}; give scores of shape (5 repeats, 2 halves)"
        )
    if not (np.abs(array) <= TOO_LARGE).all():
        row, half = np.argwhere(~(np.abs(array) <= TOO_LARGE))[0]
        raise ValueError(
            f"five_by_two_test: the score of {name} in repeat {row}, half {half} is {array[row, half]}; "
            "it must be finite"
        )
    return array
