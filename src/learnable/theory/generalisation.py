"""What is known of the error on new rows: from the training rows and a stated class, or from held-out rows."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from learnable.certificates import Certificate, Claim
from learnable.theory.bound import Bound
from learnable.theory.finite_class import finite_agnostic, finite_consistent
from learnable.theory.frequency import Frequency
from learnable.theory.parameter import DELTA, SIZE, VC
from learnable.theory.vc_bounds import double_sampling, vc_bound

_UNTOUCHED = "these rows took no part in fitting, tuning or choosing the classifier"
_IID = "these rows and the rows to come are independent draws of one law"


def certify_training(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    vc: int | None = None,
    size: int | None = None,
    delta: float = 0.05,
    target: float | None = None,
) -> Certificate:
    """What the training rows alone prove about the error of a fitted classifier on new rows.

    The classifier must come from a class stated by its VC dimension d (two labels) or by its number of hypotheses
    |H|, fixed before the rows were seen. Claims, each of which fails with probability at most δ:

    - R ≤ R̂ + √(2d ln(em/d)/m) + √(ln(1/δ)/2m), or R ≤ R̂ + √((ln|H| + ln(2/δ))/2m);
    - when R̂ = 0, the bound for consistent learners: double sampling, or (ln|H| + ln(1/δ))/m.

    A bound of 1 or more is vacuous and says so. Nothing here can check that the class is the right one.

    Parameters
    ----------
    model : fitted classifier of any library, with `predict`.
    X, y : the rows it was fitted on.
    vc : VC dimension of the class, such as p + 1 for half-spaces of R^p.
    size : number of hypotheses in the class; give either `vc` or `size`.
    delta : probability that a claim fails, in (0, 1).
    target : the error that is to be guaranteed; a claim whose bound exceeds it fails. None only discloses the bounds.

    Returns
    -------
    Certificate

    Syllabus: T7, T8, T18, T19.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from learnable.theory import certify_training
    >>> X = np.random.default_rng(0).normal(size=(2000, 2))
    >>> X[:, 0] += np.sign(X[:, 0])
    >>> y = X[:, 0] > 0
    >>> model = LogisticRegression().fit(X, y)
    >>> for claim in certify_training(model, X, y, vc=3):
    ...     print(claim.id, round(claim.value, 3), claim.kind)
    T18 0.0 exact
    T18 0.177 with probability
    T19 0.041 with probability
    """
    owner = "certify_training"
    delta = DELTA.check(owner, delta, {})
    mistakes, m = _mistakes(model, X, y, owner)
    if (vc is None) == (size is None):
        raise TypeError(f"{owner}(vc={vc}, size={size}): state the class by one of them")
    if size is not None:
        size = SIZE.check(owner, size, {})
        stated = f"the classifier is one of {size} hypotheses that were fixed before the rows were seen"
        bounds = [(finite_agnostic, {"empirical_risk": mistakes / m}), (finite_consistent, {})]
        found = [(bound, bound(m=m, size=size, delta=delta, **known).value) for bound, known in bounds]
    else:
        vc = VC.but(not_above="").check(owner, vc, {})
        if len(np.unique(np.asarray(y))) > 2:
            raise ValueError(f"{owner}(vc={vc}): the VC dimension is about two labels; state the class by its size")
        stated = f"the classifier comes from a class of VC dimension {vc} that was fixed before the rows were seen"
        agnostic = vc_bound(empirical_risk=mistakes / m, m=m, d=vc, delta=delta).value if m >= vc else 1.0
        found = [(vc_bound, agnostic), (double_sampling, _consistent_error(m, vc, delta))]
    claims = [Claim.disclosure(found[0][0].syllabus, f"share of mistakes on the {m} training rows", mistakes / m)]
    for bound, value in found if mistakes == 0 else found[:1]:
        claims.append(_claim(bound, value, delta, target, (_IID, stated, *bound.assumptions)))
    return Certificate(type(model).__name__, claims)


def certify_held_out(
    model: Any, X: Any, y: ArrayLike, *, delta: float = 0.05, target: float | None = None
) -> Certificate:
    """What rows that a fitted classifier has never seen prove about its error on new rows.

    The number of mistakes is binomial, so the ends of Clopper and Pearson's interval are exact at any number of rows:
    each is passed with probability at most δ/2, whatever the law of the rows.

    Parameters
    ----------
    model : fitted classifier of any library, with `predict`.
    X, y : rows that took no part in fitting, tuning or choosing it.
    delta : probability that the interval misses the true error, in (0, 1).
    target : the error that is to be guaranteed; the upper claim fails when its bound exceeds it.

    Returns
    -------
    Certificate

    Syllabus: E3, T9.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from learnable.theory import certify_held_out
    >>> X, y = np.zeros((100, 1)), np.repeat([0, 1], [90, 10])
    >>> print(certify_held_out(DummyClassifier().fit(X, y), X, y, target=0.2))
    Certificate of DummyClassifier: proved
      [stated] E3: share of mistakes on 100 held-out rows: 0.1
      [stated] E3: the error on new rows is at least: 0.049 (with probability 1 - 0.025)
      [proved] E3: the error on new rows is at most: 0.176 <= 0.2 (with probability 1 - 0.025)
    """
    owner = "certify_held_out"
    delta = DELTA.check(owner, delta, {})
    mistakes, m = _mistakes(model, X, y, owner)
    seen = Frequency(mistakes, m, level=1 - delta)
    details: dict[str, Any] = {
        "kind": "with probability",
        "assumptions": (_IID, _UNTOUCHED),
        "delta": delta / 2,
    }
    claims = [
        Claim.disclosure("E3", f"share of mistakes on {m} held-out rows", seen.value),
        Claim.disclosure("E3", "the error on new rows is at least", seen.low, **details),
        _upper("E3", "the error on new rows is at most", seen.high, target, details),
    ]
    return Certificate(type(model).__name__, claims)


def _mistakes(model: Any, X: Any, y: ArrayLike, owner: str) -> tuple[int, int]:
    """How many of how many rows are predicted wrongly."""
    from sklearn.base import is_classifier
    from sklearn.utils.validation import check_is_fitted

    if not is_classifier(model):
        raise TypeError(f"{owner}: {type(model).__name__} is not a classifier; a count of mistakes needs one")
    check_is_fitted(model)
    y = np.asarray(y)
    if y.ndim != 1 or not len(y):
        raise ValueError(f"{owner}: y has shape {y.shape}; one label a row is needed, and at least one row")
    missing = y != y
    if missing.any():
        raise ValueError(f"{owner}: y[{int(np.argmax(missing))}] is missing; drop or fill that row")
    predicted = np.asarray(model.predict(X))
    if predicted.shape != y.shape:
        raise ValueError(f"{owner}: {len(y)} labels, but the predictions have shape {predicted.shape}")
    if (predicted.dtype.kind in "US") != (y.dtype.kind in "US") and "O" not in (predicted.dtype.kind, y.dtype.kind):
        raise TypeError(f"{owner}: y holds {y.dtype}, the predictions {predicted.dtype}; use one kind of label")
    return int(np.sum(predicted != y)), len(y)


def _consistent_error(m: int, d: int, delta: float) -> float:
    """The least ε at which double sampling leaves a probability of δ; 1 when none does."""
    if m < d or double_sampling(m=m, d=d, epsilon=1.0).value > delta:
        return 1.0
    # The theorem asks for m ≥ 8/ε. An ε ≤ 1 that brings 2(2em/d)^d 2^(−εm/2) below 1 needs m > 14d, and then εm > 14.
    return float(double_sampling.solve_for("epsilon", m=m, d=d, delta=delta).value)


def _claim(bound: Bound, value: float, delta: float, target: float | None, assumptions: tuple[str, ...]) -> Claim:
    statement = f"the error on new rows is at most, by {bound.name}"
    if value >= 1:
        statement += " (vacuous: it says nothing)"
    details = {"kind": "with probability", "assumptions": tuple(dict.fromkeys(assumptions)), "delta": delta}
    return _upper(bound.syllabus, statement, min(value, 1.0), target, details)


def _upper(id: str, statement: str, value: float, target: float | None, details: dict[str, Any]) -> Claim:
    if target is None:
        return Claim.disclosure(id, statement, value, **details)
    if not 0 < target < 1:
        raise ValueError(f"target={target}: an error to be guaranteed must be in (0, 1)")
    return Claim.at_most(id, statement, value, target, **details)
