"""The tightest axis-parallel box."""

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from learnable.base import Fitting, refuse_unreadable
from learnable.base.fit_context import fit_context
from learnable.base.validation import validate_data
from learnable.concepts.two_class_learner import TwoClassLearner
from learnable.theory import rectangle_learner
from learnable.trace import Status, to_the_end


class BoxState(NamedTuple):
    """The box after some positive examples.

    Attributes
    ----------
    objective : positive examples still to come.
    example : the row that enlarged the box last; −1 at the start.
    low, high : arrays (d,), its corners; low > high while it is empty.
    support : int array (2, d), the rows that its low and its high faces touch; −1 while it is empty.
    """

    objective: float
    example: int
    low: np.ndarray
    high: np.ndarray
    support: np.ndarray


class RectangleLearner(TwoClassLearner):
    """The smallest box with axis-parallel faces that holds all positive examples.

    It is part of every consistent box: if it holds a negative example, no box is consistent. From
    m ≥ (2d/ε) ln(2d/δ) examples, (4/ε) ln(4/δ) in the plane, its error is at most ε with probability 1 − δ: each of
    the 2d strips along the faces of the target, of probability ε/2d, is missed with probability (1 − ε/2d)ᵐ.
    Syllabus: V2, T10.

    Parameters
    ----------
    classes : pair of labels (outside, inside the box), or None
        By default the two labels in sorted order.

    Attributes
    ----------
    low_, high_ : arrays (d,)
        The corners; +∞ and −∞ without positive examples.
    support_ : int array (2, d)
        A row that touches each low and each high face.
    consistent_ : bool
        Whether no negative example is in the box.
    witness_ : tuple of int
        Empty, or rows that prove that no box fits: a negative example, then positive ones around it; a single one if
        the two are the same.
    classes_, inside_ : the two labels, and the one inside.
    certificate_ : `certificates.Certificate`, which claims
        V2 (no positive example outside, no negative one inside; `consistent_` and `witness_` are right), T10 (every
        face touches a positive example, that of `support_`).

    Examples
    --------
    >>> X = np.array([[1.0, 1.0], [2.0, 3.0], [3.0, 2.0], [0.0, 2.0], [2.0, 4.0]])
    >>> model = RectangleLearner().fit(X, [1, 1, 1, 0, 0])
    >>> model.low_, model.high_, model.consistent_
    (array([1., 1.]), array([3., 3.]), True)
    >>> model.sample_size(epsilon=0.1, delta=0.05)
    176
    >>> RectangleLearner().fit(X, [1, 0, 1, 0, 1]).witness_
    (1, 0, 2, 4)
    """

    _parameter_constraints: ClassVar[dict] = {"classes": ["array-like", None]}

    low_: np.ndarray
    high_: np.ndarray
    support_: np.ndarray

    def __init__(self, classes=None):
        self.classes = classes

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Enclose the positive examples.

        Parameters
        ----------
        X : array (n, d) of numbers
        y : array of n labels, two classes.
        """
        return self._learn(X, y)

    def predict(self, X) -> np.ndarray:
        """The label inside for rows in the box, faces included; the other label elsewhere.

        Parameters
        ----------
        X : array (n, d) of numbers
        """
        check_is_fitted(self)
        refuse_unreadable(X)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        return self._labels(_inside(X, self.low_, self.high_))

    def sample_size(self, epsilon: float, delta: float, dimension: int | None = None) -> int:
        """Examples after which, with probability 1 − δ, the error is at most ε: (2d/ε) ln(2d/δ).

        For independent examples labelled by a box. `dimension` is d; by default that of the data of the fit.
        Syllabus: T10.
        """
        d = getattr(self, "n_features_in_", None) if dimension is None else dimension
        if d is None:
            raise ValueError("RectangleLearner().sample_size: fit first, or give the dimension of the space")
        return int(rectangle_learner.solve_for("m", epsilon=epsilon, delta=delta, k=d).value)

    def _pose(self, X, y) -> Fitting:
        data = self._validated(X, y, dtype=np.float64, blocks=False)
        inside = self._split(data.y)

        def attributes(state: BoxState) -> dict[str, Any]:
            enclosed = np.flatnonzero(_inside(data.X, state.low, state.high) & ~inside)
            missed = inside & ~_inside(data.X, state.low, state.high)
            return {
                "low_": state.low.copy(),
                "high_": state.high.copy(),
                "support_": state.support.copy(),
                "consistent_": not len(enclosed) and not missed.any(),
                "witness_": _witness(data.X, inside, int(enclosed[0]), state.support) if len(enclosed) else (),
            }

        return Fitting(_boxes(data.X, inside), to_the_end, attributes, data, ended=Status.OPTIMAL)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # labels that no box fits leave nothing to score by
        return tags


def _boxes(X: np.ndarray, inside: np.ndarray) -> Iterator[BoxState]:
    """The box growing: the empty one, then one state for each positive example outside the box so far."""
    d, rows = X.shape[1], np.flatnonzero(inside)
    low, high = np.full(d, np.inf), np.full(d, -np.inf)
    support = np.full((2, d), -1, dtype=np.intp)
    yield BoxState(float(len(rows)), -1, low, high, support)
    points = X[rows]
    lows, highs = np.minimum.accumulate(points, axis=0), np.maximum.accumulate(points, axis=0)
    grew = np.any((lows[1:] < lows[:-1]) | (highs[1:] > highs[:-1]), axis=1)
    for at in np.flatnonzero(np.append(len(rows) > 0, grew)).tolist():
        support[0, lows[at] < low] = support[1, highs[at] > high] = rows[at]
        low, high = lows[at], highs[at]
        yield BoxState(float(len(rows) - at - 1), int(rows[at]), low, high, support)


def _inside(X: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return np.all((low <= X) & (high >= X), axis=1)


def _witness(X: np.ndarray, inside: np.ndarray, negative: int, support: np.ndarray) -> tuple[int, ...]:
    """The negative row and positive rows whose box holds it."""
    same = np.flatnonzero(inside & np.all(X[negative] == X, axis=1))
    around = same[:1].tolist() if len(same) else dict.fromkeys(support.ravel().tolist())
    return (negative, *around)
