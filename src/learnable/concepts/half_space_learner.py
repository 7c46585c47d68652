"""Half-spaces by linear programming."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from learnable.base import Fitting, LinearClassifier, class_indices
from learnable.base.fit_context import fit_context
from learnable.certificates.linear.separability import ROUNDING, about_means, differences
from learnable.theory import behw
from learnable.trace import Status, to_the_end


class HalfSpaceState(NamedTuple):
    """One linear program solved.

    Attributes
    ----------
    objective : rows on the wrong side or on the boundary.
    coef, intercept : the half-space w·x + b ≥ 0.
    margin : least distance of a row to the boundary in the ℓ1 norm of the scaled columns; 0 when not separated.
    weights : array (n,), convex weights within each class, of the two nearest points of the hulls.
    """

    objective: float
    coef: np.ndarray
    intercept: float
    margin: float
    weights: np.ndarray


class HalfSpaceLearner(LinearClassifier):
    """The half-space of largest margin by linear programming, or the proof that none separates the classes.

    With each column divided by its largest magnitude and labels s = ±1 it solves
    max t subject to sᵢ(w·xᵢ + b) ≥ t and ‖w‖∞ ≤ 1, which makes the least ℓ1 distance of a row to the boundary as
    large as it can be. The dual has the weights of two nearest points of the convex hulls, at distance 2t: they prove
    that no half-space does better, and when t = 0 that the hulls meet and none separates. The hypothesis is then the
    one of least total slack Σ max(0, 1 − sᵢ(w·xᵢ + b)). Syllabus: V2, P2.

    Attributes
    ----------
    coef_ : array (1, p)
    intercept_ : array (1,)
        The second class is where coef·x + intercept ≥ 0.
    margin_ : float
        t; 0 when no half-space separates.
    weights_ : array (n,)
        The weights of the nearest points, adding up to 1 in each class.
    consistent_ : bool
        Whether every row is strictly on its side.
    witness_ : tuple of int
        Empty, or rows whose hulls meet: those of positive weight, at most p + 2. Two equal rows with different labels
        are such a witness.
    classes_ : array of two labels.
    certificate_ : `certificates.Certificate`, which claims
        V2 (rows on the wrong side; `consistent_` and `witness_` are right), P2 (half the distance of the two points
        exceeds the margin by no more than rounding; or the hulls have a point in common).

    Examples
    --------
    >>> X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [4.0, 4.0]])
    >>> model = HalfSpaceLearner().fit(X, [0, 0, 0, 1])
    >>> model.consistent_, float(model.margin_)
    (True, 0.875)
    >>> crossed = HalfSpaceLearner().fit([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1])
    >>> crossed.consistent_, crossed.witness_, crossed.weights_.tolist()
    (False, (0, 1, 2, 3), [0.5, 0.5, 0.5, 0.5])
    """

    # That no hypothesis agrees with every row is an answer of its own: `consistent_` says it, `witness_` proves it.
    _explained = frozenset({"V1", "V2", "V3", "V4", "V5", "V6", "V8", "V9", "V10", "T10", "P2"})

    _parameter_constraints: ClassVar[dict] = {}

    margin_: float
    weights_: np.ndarray
    consistent_: bool
    witness_: tuple[int, ...]

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Separate the classes.

        Parameters
        ----------
        X : array or sparse matrix (n, p)
        y : array of n labels, two classes.
        """
        return self._learn(X, y)

    def sample_size(self, epsilon: float, delta: float, dimension: int | None = None) -> int:
        """Examples after which, with probability 1 − δ, a consistent half-space has error at most ε.

        By the VC dimension p + 1, for independent examples labelled by a half-space. `dimension` is p; by default
        that of the data of the fit. Syllabus: T19.
        """
        p = getattr(self, "n_features_in_", None) if dimension is None else dimension
        if p is None:
            raise ValueError("HalfSpaceLearner().sample_size: fit first, or give the dimension of the space")
        return int(behw.solve_for("m", epsilon=epsilon, delta=delta, d=p + 1).value)

    def _pose(self, X, y) -> Fitting:
        data = self._validated(X, y, accept_sparse="csr", dtype=np.float64, blocks=False, extremes=False)
        name = type(self).__name__
        self.classes_, index = class_indices(data.y, name)
        if len(self.classes_) > 2:
            raise ValueError(f"{name}: Only binary classification is supported. The type of the target is multiclass.")

        def attributes(state: HalfSpaceState) -> dict[str, Any]:
            separated = state.objective == 0.0
            return {
                "coef_": state.coef[None].copy(),
                "intercept_": np.array([state.intercept]),
                "margin_": state.margin,
                "weights_": state.weights.copy(),
                "consistent_": separated,
                "witness_": () if separated else tuple(np.flatnonzero(state.weights).tolist()),
            }

        return Fitting(_programs(data.X, index), to_the_end, attributes, data, max_steps=2, ended=Status.OPTIMAL)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _programs(X: Any, index: np.ndarray) -> Iterator[HalfSpaceState]:
    """The program of the largest margin; when that is zero, the one of the least slack."""
    X, origin = about_means(X, fit_intercept=True)
    Z, scale = differences(X, index, 2, fit_intercept=True)
    n, width = Z.shape
    # Variables w, b, t: the most t with Z(w, b) ≥ t and ‖w‖∞ ≤ 1.
    solved = linprog(
        np.append(np.zeros(width), -1.0),
        sparse.hstack([-Z, np.ones((n, 1))], format="csr"),
        np.zeros(n),
        bounds=[(-1.0, 1.0)] * (width - 1) + [(None, None), (None, None)],
    )
    _refuse_unsolved(solved)
    weights = _weights(-solved.ineqlin.marginals, index)
    margin = float(solved.x[-1])
    if margin > ROUNDING:
        direction = solved.x[:width]
        # The margin that the direction has, which the program knows to its own tolerance only.
        margin = float((Z @ direction).min() / np.abs(direction[:-1]).max())
        yield _state(Z, scale, origin, direction, margin, weights)
        return
    contradiction = _contradictory_rows(Z)
    if contradiction:
        weights = np.zeros(n)
        weights[list(contradiction)] = 1.0
    yield _state(Z, scale, origin, np.zeros(width), 0.0, weights)
    # The least Σ slack with Z(w, b) + slack ≥ 1, by its dual, which has only p + 1 rows:
    # the most Σ α with 0 ≤ α ≤ 1 and Σ αᵢzᵢ = 0, whose multipliers are −(w, b).
    solved = linprog(-np.ones(n), A_eq=sparse.csr_array(Z.T), b_eq=np.zeros(width), bounds=(0.0, 1.0))
    _refuse_unsolved(solved)
    yield _state(Z, scale, origin, -solved.eqlin.marginals, 0.0, weights)


def _state(
    Z: Any, scale: np.ndarray, origin: np.ndarray, direction: np.ndarray, margin: float, weights: np.ndarray
) -> HalfSpaceState:
    wrong = float(np.count_nonzero(Z @ direction <= 0.0))
    coef = direction / scale
    return HalfSpaceState(wrong, coef[:-1], float(coef[-1] - coef[:-1] @ origin), margin, weights)


def _contradictory_rows(Z: Any) -> tuple[int, ...]:
    """Two rows that are equal but for their labels, z = −z', or none."""
    rows = sparse.csr_array(Z)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    seen: dict[tuple[bytes, bytes], int] = {}
    for i, (start, stop) in enumerate(pairwise(rows.indptr.tolist())):
        columns, cells = rows.indices[start:stop].tobytes(), rows.data[start:stop]
        if (other := seen.get((columns, (-cells).tobytes()))) is not None:
            return other, i
        seen.setdefault((columns, cells.tobytes()), i)
    return ()


def _weights(multipliers: np.ndarray, index: np.ndarray) -> np.ndarray:
    """Multipliers ≥ 0 scaled to add up to 1 in each class; rounding dust is removed."""
    weights = np.where(multipliers > ROUNDING * multipliers.max(), multipliers, 0.0)
    return weights / np.bincount(index, weights, 2)[index]


def _refuse_unsolved(solved: Any) -> None:
    if solved.x is None:
        raise ArithmeticError(f"HalfSpaceLearner: the linear program was not solved: {solved.message}")
