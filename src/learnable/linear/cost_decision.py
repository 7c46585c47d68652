"""Decisions at least cost: the threshold on a probability that a table of costs implies. Syllabus: D2."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from learnable.problems.bayes.decision import expected_losses, least


def cost_threshold(costs: ArrayLike) -> float:
    """The probability of the second class from which on deciding for it costs no more than deciding against it.

    With c(d, y) the cost of deciding d when y is true, deciding 1 is expected to cost (1 − p) c(1, 0) + p c(1, 1) and
    deciding 0 costs (1 − p) c(0, 0) + p c(0, 1). They are equal at p = a / (a + b), where a = c(1, 0) − c(0, 0) and
    b = c(0, 1) − c(1, 1); with 0-1 loss that is ½.

    Parameters
    ----------
    costs : array (2, 2)
        costs[d, y]; each mistake costs more than the right decision for the same class.

    Returns
    -------
    float

    Examples
    --------
    A missed illness costs 9 times a false alarm: one chance in ten is enough to treat.

    >>> cost_threshold([[0, 9], [1, 0]])
    0.1
    """
    table = _checked(costs, 2, "cost_threshold")
    alarm, miss = table[1, 0] - table[0, 0], table[0, 1] - table[1, 1]
    if alarm <= 0.0 or miss <= 0.0:
        raise ValueError(
            f"cost_threshold(costs={table.tolist()}): a mistake must cost more than the right decision, or no "
            "probability divides the two"
        )
    return float(alarm / (alarm + miss))


def least_cost_classes(model: Any, X: Any, costs: ArrayLike) -> np.ndarray:
    """The class of least expected cost Σ_y P(y | x) c(d, y) for each row; ties go to the last class.

    The labels of `bayes.bayes_decision`, which also gives the risks and their certificate.

    Parameters
    ----------
    model : fitted classifier with `predict_proba`
    X : what its `predict_proba` takes
    costs : array (K, K)
        costs[d, y] of deciding for class d when y is true, both in the order of `classes_`.

    Returns
    -------
    array (n,) of labels

    Examples
    --------
    >>> from learnable.linear import LogisticRegression
    >>> model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], ["well", "ill", "well", "well"])
    >>> model.predict([[1.0]]), least_cost_classes(model, [[1.0]], [[0, 1], [9, 0]])
    (array(['well'], dtype='<U4'), array(['ill'], dtype='<U4'))
    """
    table = _checked(costs, len(model.classes_), "least_cost_classes")
    return model.classes_[least(expected_losses(model.predict_proba(X), table), last=True)]


def _checked(costs: ArrayLike, k: int, caller: str) -> np.ndarray:
    table = np.asarray(costs, dtype=float)
    if table.shape != (k, k):
        raise ValueError(f"{caller}(costs): shape {table.shape}; one row a decision and one column a class, ({k}, {k})")
    if not np.all(np.isfinite(table)):
        raise ValueError(f"{caller}(costs): costs must be finite; forbid a decision by a large cost")
    return table
