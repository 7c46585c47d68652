"""What every estimator shares: pose the problem, drive the solver, adopt the answer, certify it."""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.callback import CallbackSupportMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import _check_sample_weight, assert_all_finite, check_is_fitted, validate_data

from learnable._jit.core.interrupt import interrupts_pass
from learnable.certificates import certify
from learnable.plain import plain
from learnable.rows import Rows, as_rows, canonical, is_streamed, largest_magnitudes, one_blas_thread
from learnable.trace import CallbackWatcher, Outcome, Status, StopRule, drive


class Fitting(NamedTuple):
    """A posed fit: the algorithm as states, when it stops, and what the estimator keeps of a state."""

    iterates: Iterable[Any]
    stop: StopRule
    attributes: Callable[[Any], dict[str, Any]]
    data: "Data"
    max_steps: int | None = None
    ended: Status = Status.OPTIMAL
    advice: str = "raise max_iter or tol"


class Data(NamedTuple):
    """Validated training data: arrays, or one `Rows` that carries y and weights itself."""

    X: Any
    y: Any
    sample_weight: np.ndarray | None

    @property
    def rows(self) -> Rows:
        return as_rows(*self)

    def take(self, chosen: np.ndarray) -> "Data":
        """Some of the rows, of data in memory."""
        weight = None if self.sample_weight is None else self.sample_weight[chosen]
        return Data(self.X[chosen], self.y[chosen], weight)


class Learner(CallbackSupportMixin, BaseEstimator, ABC):
    """Base of every estimator. A subclass says how its fit is posed (`_pose`); the loop is the same for all.

    Attributes every fit leaves behind
    ----------------------------------
    status_ : how the fit ended, a `trace.Status`.
    certificate_ : what is proved about the answer, a `certificates.Certificate`.
    """

    @abstractmethod
    def _pose(self, *data: Any, **fit_params: Any) -> Fitting:
        """Validate the data and pose the fit. Sets nothing on the estimator but what describes the data."""

    def _learn(self, X, y, **fit_params):
        """Pose, drive, adopt, certify. If anything fails on the way, the estimator is as it was before."""
        before = self._fitted_attributes()
        if not getattr(self, "warm_start", False):
            self._drop(before)
        try:
            # One BLAS thread from here on: threads go over blocks of rows, and the bits are the same for any number.
            with interrupts_pass(), one_blas_thread():
                fitting = self._pose(X, y, **fit_params)
                outcome = self._drive(fitting)
                self._adopt(fitting, outcome)
        except BaseException:
            self._drop(self._fitted_attributes())
            self._keep(before)
            raise
        return self

    def _drive(self, fitting: Fitting) -> Outcome:
        loop = (fitting.iterates, fitting.stop)
        if not getattr(self, "_skl_callbacks", ()):
            return drive(*loop, ended=fitting.ended)
        context = self._init_callback_context(max_subtasks=fitting.max_steps)
        bridge = CallbackWatcher(self, context, *fitting.data, attributes=fitting.attributes)
        bridge.begin()
        outcome = drive(*loop, watchers=[bridge], ended=fitting.ended)
        self._keep(fitting.attributes(outcome.state))
        bridge.end()
        return outcome

    def _adopt(self, fitting: Fitting, outcome: Outcome) -> None:
        name = type(self).__name__
        if outcome.status is Status.DIVERGED:
            raise ArithmeticError(
                f"{name}: the objective became {outcome.state.objective} at step {outcome.n_steps}; "
                "rescale the columns of X or strengthen the penalty"
            )
        self._keep(fitting.attributes(outcome.state))
        self.status_ = outcome.status
        self.certificate_ = certify(self, *fitting.data)
        if outcome.status is Status.BUDGET_SPENT:
            warnings.warn(
                f"{name}: {outcome.status.explanation} ({outcome.n_steps} steps); {fitting.advice}",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _fitted_attributes(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name.endswith("_") and not name.startswith("_")}

    def _keep(self, attributes: dict[str, Any]) -> None:
        for name, value in attributes.items():
            setattr(self, name, value)

    def _drop(self, names: Iterable[str]) -> None:
        for name in list(names):
            delattr(self, name)

    def _validated(self, X, y, sample_weight=None, *, blocks=True, extremes=True, **checks) -> Data:
        """Check X, y and the weights once, or wrap data that come in blocks.

        Parameters
        ----------
        blocks : whether the algorithm can work through rows read in blocks.
        extremes : whether it gives the right answer even for columns whose squares cannot be represented.
        **checks : for scikit-learn's `validate_data`.
        """
        if is_streamed(X) and not blocks:
            raise TypeError(
                f"{type(self).__name__} needs all rows in memory, but X is a {type(X).__name__}; pass an array "
                "(for a dask array, X.compute())"
            )
        if is_streamed(X):
            rows = as_rows(X, y, sample_weight)
            if rows.n_rows == 0:
                raise ValueError(f"{type(self).__name__}: the data have no rows")
            self.n_features_in_ = rows.n_columns
            _refuse_non_finite(rows, type(self).__name__)
            return Data(rows, None, None)
        for given, name in ((X, "X"), (y, "y"), (sample_weight, "sample_weight")):
            refuse_unreadable(given, name)
        if checks.get("y_numeric") and getattr(y, "dtype", None) is not None and y.dtype.kind in "SU":
            raise ValueError(f"{type(self).__name__}: y holds strings ({y.dtype}); a regression target must be numbers")
        if extremes:
            X, y = validate_data(self, X, y, **checks)
        else:
            X, y = self._checked_with_squares(X, y, **checks)
        if sparse.issparse(X) and hasattr(X, "has_canonical_format"):
            X = canonical(X)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=X.dtype, ensure_non_negative=True)
            if not sample_weight.any():
                raise ValueError("sample_weight: all weights are zero; at least one row must count")
        return Data(X, y, sample_weight)

    def _checked_with_squares(self, X, y, **checks):
        """`validate_data`, and a look at the sizes of the entries, which shows those that are no numbers too."""
        X, y = validate_data(self, X, y, **checks | {"ensure_all_finite": False})
        if not _squares_are_ordinary(X):
            assert_all_finite(X, estimator_name=type(self).__name__, input_name="X")
            self._refuse_extreme_columns(X)
        return X, y

    def _refuse_extreme_columns(self, X) -> None:
        largest = largest_magnitudes(as_rows(X)).astype(float)
        extreme = np.flatnonzero((largest > 1e120) | ((largest < 1e-120) & (largest > 0.0)))
        if len(extreme):
            j = int(extreme[0])
            names = getattr(self, "feature_names_in_", None)
            name = f"column {j}" if names is None else f"column {j} ({names[j]!r})"
            raise ValueError(
                f"{type(self).__name__}: {name} of X has entries of size {largest[j]:.1e}, whose squares cannot be "
                "represented; rescale it"
            )


class LinearPredictor(Learner):
    """Shared by estimators whose answer is `coef_` and `intercept_`."""

    coef_: Any
    intercept_: Any
    n_features_in_: int

    def _scores(self, X) -> np.ndarray:
        """xᵢ·coef + intercept for every row, block by block for data that do not come as an array."""
        check_is_fitted(self)
        if is_streamed(X):
            rows = as_rows(X)
            if rows.n_columns != self.n_features_in_:
                raise ValueError(
                    f"X has {rows.n_columns} features, but {type(self).__name__} is expecting "
                    f"{self.n_features_in_} features as input"
                )
            return rows.concatenate(lambda block: block.X @ self.coef_.T + self.intercept_)
        refuse_unreadable(X)
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        return np.asarray(X @ self.coef_.T + self.intercept_)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class SparseCoefficients:
    """Mixin for answers that may be kept as a sparse matrix: `sparsify` and `densify`."""

    coef_: Any

    def densify(self):
        """Turn `coef_` into an array."""
        check_is_fitted(self)
        if sparse.issparse(self.coef_):
            self.coef_ = self.coef_.toarray()
        return self

    def sparsify(self):
        """Turn `coef_` into a sparse matrix."""
        check_is_fitted(self)
        self.coef_ = sparse.csr_matrix(self.coef_)
        return self


class LinearRegressor(RegressorMixin, LinearPredictor):
    """Predicts xᵢ·coef + intercept."""

    def predict(self, X) -> np.ndarray:
        """Predicted targets.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks.
        """
        return self._scores(X)


class LinearClassifier(ClassifierMixin, LinearPredictor):
    """Predicts the class of the largest score; between two classes the second one when its score is ≥ 0."""

    classes_: np.ndarray

    def decision_function(self, X) -> np.ndarray:
        """Scores: one column per class, or one number per row between two classes.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks.
        """
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, X) -> np.ndarray:
        """Predicted classes.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks.
        """
        scores = self.decision_function(X)
        index = (scores >= 0.0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[index]


def refuse_unreadable(X: Any, name: str = "X") -> None:
    """TypeError for input that NumPy would silently misread: masks that would be ignored, dates taken as numbers."""
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise TypeError(
            f"{name} is a masked array; its mask would be ignored. Fill it ({name}.filled(...)) or drop those rows"
        )
    one_type = getattr(X, "dtype", None)
    kinds: list[Any] = list(getattr(X, "dtypes", ())) if one_type is None else [one_type]
    for dtype in kinds:
        if getattr(dtype, "kind", None) in ("m", "M") or str(dtype).startswith(("Date", "Duration", "Time")):
            raise TypeError(
                f"{name} holds dates or durations ({dtype}); turn them into numbers first, e.g. days since a date"
            )


def class_indices(y: np.ndarray, name: str) -> tuple[np.ndarray, np.ndarray]:
    """(classes, index of each row's class), refusing targets that are not classes or only one class."""
    from sklearn.utils.multiclass import check_classification_targets

    whole = y.dtype.kind in "biuSU" or (y.dtype.kind == "f" and bool(np.all(np.floor(y) == y)))
    if not whole:  # integers and strings are classes; numbers with a fraction are not
        check_classification_targets(y)
    classes, index = _distinct(y)
    if len(classes) < 2:
        raise ValueError(f"{name}: y holds only one class, {plain(classes[0])!r}; at least 2 classes are needed")
    return classes, index


def _distinct(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`np.unique(y, return_inverse=True)`, without sorting where there are two values."""
    if y.ndim == 1 and len(y) and y.dtype.kind in "biuf":
        first = y[0]
        rest = y != first
        second = y[np.argmax(rest)]
        if np.array_equal(rest, y == second) and second != first:
            classes = np.sort(np.array([first, second]))
            return classes, (y == classes[1]).astype(np.intp)
    return np.unique(y, return_inverse=True)


def class_weights(class_weight, classes: np.ndarray, y: np.ndarray, sample_weight: np.ndarray | None):
    """Row weights: the given ones times the weight of the row's class, or None when all are equal."""
    if class_weight is None:
        return sample_weight
    from sklearn.utils.class_weight import compute_class_weight

    per_class = compute_class_weight(class_weight, classes=classes, y=y, sample_weight=sample_weight)
    if not np.all(per_class >= 0.0) or not per_class.any():
        raise ValueError(f"class_weight={class_weight!r}: weights must be >= 0, and at least one must be positive")
    weight = per_class[np.searchsorted(classes, y)]
    return weight if sample_weight is None else weight * sample_weight


def _squares_are_ordinary(X) -> bool:
    """Whether every entry is finite and its square a number with room to spare; False where a column may be extreme."""
    if sparse.issparse(X):
        size = np.abs(X.data)
        largest = size.max(initial=1.0)
        least = size.min(initial=1.0) or np.min(size, where=size > 0.0, initial=1.0)
        # As numbers of Python: beside a float32, NumPy makes 1e115 infinite and warns of it.
        return bool(float(least) > 1e-115 and float(largest) < 1e115)
    with np.errstate(all="ignore"):
        squares = as_rows(X).coarser().reduce(_column_squares).astype(float)
    return bool(np.all((squares > 1e-230) & (squares < 1e230)))


def _column_squares(block) -> np.ndarray:
    if not block.X.flags.c_contiguous or block.X.dtype.kind != "f":
        return np.einsum("ij,ij->j", block.X, block.X)
    from learnable._jit.core.column_squares import column_squares
    from learnable._jit.core.vectors import read_only

    squares = np.zeros(block.X.shape[1])
    column_squares(read_only(block.X), squares)
    return squares


def _refuse_non_finite(rows: Rows, name: str) -> None:
    """The error of `validate_data` for data that come in blocks."""

    def count(block):
        values = block.X.data if sparse.issparse(block.X) else block.X
        bad = np.count_nonzero(~np.isfinite(values))
        return bad + (
            0 if block.y is None or block.y.dtype.kind not in "fc" else np.count_nonzero(~np.isfinite(block.y))
        )

    if bad := rows.reduce(count):
        raise ValueError(f"{name}: input contains NaN or infinity ({bad} cells); drop or impute them first")
