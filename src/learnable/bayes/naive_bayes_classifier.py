"""What every naive Bayes classifier shares: counting by class, going on counting, and Bayes' rule."""

from abc import abstractmethod
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from learnable._jit.bayes.counts import most_probable
from learnable.base import AccuracyScore, Data, Fitting, Learner, refuse_continuous, refuse_unreadable
from learnable.base.fit_context import fit_context
from learnable.base.validation import block_squares, repeated_name, validate_data
from learnable.plain import plain
from learnable.problems.bayes.naive_bayes import log_posterior, refuse_impossible
from learnable.rows import Block, Rows, as_rows, examine, is_streamed
from learnable.rows.examine import Beside
from learnable.rows.labels import labels
from learnable.rows.mapped import with_class_numbers
from learnable.rows.sparse_views import SparseViewRows
from learnable.trace import Status, to_the_end


class NaiveBayesState(NamedTuple):
    """The answer. `objective` is the mean of −log of the likelihood that the counts maximise, smoothing aside."""

    objective: float
    attributes: dict[str, Any]


class NaiveBayesClassifier(AccuracyScore, ClassifierMixin, Learner):
    """Base of the naive Bayes classifiers. A subclass says what is counted and what log P(x | class) follows."""

    classes_: np.ndarray
    n_features_in_: int
    missing_cells = False
    sparse_rows = True
    numbers: Any = "numeric"
    beside: Beside | None = None

    @abstractmethod
    def _count(self, rows: Rows, n_classes: int) -> Any:
        """The sums over these rows that the answer needs; targets are class numbers."""

    @abstractmethod
    def _counts_so_far(self) -> Any:
        """The same sums over the rows seen before, from the fitted attributes."""

    @abstractmethod
    def _add_counts(self, before: Any, now: Any) -> Any:
        """The sums over both."""

    @abstractmethod
    def _answer(self, found: Any, classes: np.ndarray) -> NaiveBayesState:
        """Fitted attributes from the sums."""

    def _refuse_unusable(self, answer: dict[str, Any], classes: np.ndarray) -> None:
        """Raise where the answer to all rows can classify none; after some rows only, others may still come."""

    @abstractmethod
    def _scorer(self) -> Callable[[Block], np.ndarray]:
        """A function that gives log P(class, x) of the rows of a block, one column a class."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y=None, sample_weight=None):
        """Count, and turn the counts into probabilities.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        y : array (n,) of class labels; None when the rows carry them
        sample_weight : array (n,), default=None
        """
        return self._learn(X, y, sample_weight=sample_weight)

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(self, X, y=None, classes=None, sample_weight=None):
        """Go on counting: calls over pieces of the data give what one `fit` of all of them gives.

        There is no `certificate_` afterwards, as it needs all rows: call `certify` with them.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        y : array (n,) of class labels; None when the rows carry them
        classes : array (K,), all classes; needed in the first call
        sample_weight : array (n,), default=None
        """
        before = self._fitted_attributes()
        first = "classes_" not in before
        if first and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        if not first and classes is not None and not np.array_equal(self.classes_, np.sort(classes)):
            raise ValueError(
                f"`classes={plain(classes)!r}` is not the same as on last call to partial_fit, was: {self.classes_!r}"
            )
        known = np.unique(classes) if first else self.classes_
        try:
            rows, _, _ = self._numbered(X, y, sample_weight, known, reset=first)
            found = self._count(rows, len(known))
            if not first:
                found = self._add_counts(self._counts_so_far(), found)
            state = self._answer(found, known)
        except BaseException:
            self._drop(self._fitted_attributes())
            self._keep(before)
            raise
        # What was proved of the rows before does not hold of all of them.
        self._drop({"certificate_", "status_"} & before.keys())
        self._keep({"classes_": known, **state.attributes})
        return self

    def predict_joint_log_proba(self, X) -> np.ndarray:
        """log P(class, x) = log P(class) + Σⱼ log P(xⱼ | class), one column a class in the order of `classes_`.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        """
        check_is_fitted(self)
        return self._rows_to_predict(X).concatenate(self._scorer(), missing=self.missing_cells)

    def predict(self, X) -> np.ndarray:
        """The most probable class, the first of them when several are.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        """
        check_is_fitted(self)
        scores = self._scorer()

        def best_of(block: Block) -> np.ndarray:
            joint = scores(block)
            best = np.empty(len(joint), dtype=np.intp)
            most_probable(joint, best)
            return best

        best = self._rows_to_predict(X).concatenate(best_of, missing=self.missing_cells)
        if best.min(initial=0) < 0:
            refuse_impossible(self.predict_joint_log_proba(X))
        return self.classes_[best]

    def predict_log_proba(self, X) -> np.ndarray:
        """log P(class | x) by Bayes' rule; finite even where the probability is too small for a number.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        """
        return log_posterior(self.predict_joint_log_proba(X))

    def predict_proba(self, X) -> np.ndarray:
        """P(class | x), one column a class in the order of `classes_`.

        Parameters
        ----------
        X : array or sparse matrix (n, p), or rows read in blocks
        """
        return np.exp(self.predict_log_proba(X))

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.sparse_rows
        tags.input_tags.allow_nan = self.missing_cells
        return tags

    def _pose(self, X, y=None, sample_weight=None) -> Fitting:
        rows, classes, data = self._numbered(X, y, sample_weight)
        self.classes_ = classes

        def counted() -> Iterator[NaiveBayesState]:
            found = self._counted_beside(data, classes)
            state = self._answer(self._count(rows, len(classes)) if found is None else found, classes)
            self._refuse_unusable(state.attributes, classes)
            yield state

        return Fitting(counted(), to_the_end, lambda state: state.attributes, data, max_steps=1, ended=Status.OPTIMAL)

    def _counted_beside(self, data: Data, classes: np.ndarray) -> Any:
        """The same sums as `_count`, from the look at rows that come in blocks; None where it has not found them."""
        return None

    def _numbered(self, X, y, sample_weight, classes=None, reset: bool = True):
        """(rows with class numbers for targets, classes, the validated data); `classes` when they are known."""
        with text_named(type(self).__name__, X):
            if is_streamed(X):
                data = self._streamed(X, y, sample_weight, reset)
            else:
                checks = {"skip_check_array": True} if self._is_as_checked(X, y) else self._checks(X)
                data = self._validated(X, y, sample_weight, reset=reset, **checks)
            if data.y is None:
                rows = data.rows
                seen = labels(rows, type(self).__name__)
                classes = seen if classes is None else classes
                _refuse_strangers(seen, classes)
                return with_class_numbers(rows, classes), classes, data
            if classes is None:
                classes, index = class_numbers(data.y)
            else:
                _refuse_strangers(np.unique(data.y), classes)
                index = np.searchsorted(classes, data.y)
            if sparse.issparse(data.X):
                # To add two tables up costs as much as to count a few entries for each number in them.
                table_size = 16 * len(classes) * data.X.shape[1]
                rows = SparseViewRows(data.X, index, data.sample_weight, table_size)
                return rows, classes, data
            return as_rows(data.X, index, data.sample_weight), classes, data

    def _streamed(self, X, y, sample_weight, reset: bool):
        """Rows in blocks, after a look for cells that are infinite, or missing where they must not be."""
        rows, target = self._with_target(X, y, sample_weight)
        self._n_columns_fit(rows, reset)
        examine(
            rows, type(self).__name__, missing=self.missing_cells, squares=block_squares, target=target,
            beside=self.beside,
        )  # fmt: skip
        return Data(rows, None, None)

    def _n_columns_fit(self, rows: Rows, reset: bool) -> None:
        if reset:
            self.n_features_in_ = rows.n_columns
        elif rows.n_columns != self.n_features_in_:
            raise ValueError(
                f"X has {rows.n_columns} features, but {type(self).__name__} is expecting {self.n_features_in_} "
                "features as input"
            )

    def _checks(self, X) -> dict[str, Any]:
        # The kernels that go through sparse rows look for cells that are not finite on their way.
        finite = "allow-nan" if self.missing_cells else True
        return {
            "accept_sparse": "csr" if self.sparse_rows else False,
            "ensure_all_finite": False if sparse.issparse(X) and self.sparse_rows else finite,
            "dtype": self.numbers if isinstance(self.numbers, str) else list(self.numbers),
        }

    def _is_as_checked(self, X, y) -> bool:
        """Whether `check_X_y` with `_checks` would look at X and y for long, and give them back as they are."""
        return (
            self.sparse_rows
            and sparse.issparse(X)
            and X.format == "csr"
            and X.dtype in (np.float64, np.float32)
            and X.ndim == 2
            and 0 not in X.shape
            and type(y) is np.ndarray
            and y.dtype.kind in "biu"
            and y.shape == X.shape[:1]
        )

    def _rows_to_predict(self, X) -> Rows:
        if is_streamed(X):
            rows = as_rows(X)
            self._n_columns_fit(rows, reset=False)
            return rows
        refuse_unreadable(X)
        with text_named(type(self).__name__, X):
            cells = validate_data(self, X, reset=False, **self._checks(X))
            return SparseViewRows(cells) if sparse.issparse(cells) else as_rows(cells)


def class_numbers(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(classes in order, the place of each label among them); a single class is fine.

    >>> class_numbers(np.array([7, 5, 7]))
    (array([5, 7]), array([1, 0, 1]))
    """
    refuse_continuous(y)
    if y.dtype.kind in "iu" and (reach := int(y.max()) - int(lowest := y.min())) < len(y):
        # Labels close together are found by counting, without sorting them; of two neighbours both are there.
        # The difference of two labels of a short type may not fit into it.
        codes = np.subtract(y, lowest, dtype=np.intp, casting="unsafe")
        seen = np.bincount(codes) > 0 if reach > 1 else np.ones(reach + 1, dtype=bool)
        return np.flatnonzero(seen).astype(y.dtype) + lowest, codes if seen.all() else (np.cumsum(seen) - 1)[codes]
    return np.unique(y, return_inverse=True)


@contextmanager
def text_named(name: str, X: Any) -> Generator[None, None, None]:
    """Where reading a table fails and a cell is text that is no number, the error names the first such cell."""
    try:
        yield
    except (TypeError, ValueError) as error:
        if found := _first_text(X):
            cell, text = found
            raise ValueError(
                f"{name}: {cell} holds {text!r}, which is no number; encode the column "
                "(sklearn.preprocessing.OrdinalEncoder), or use learnable.bayes.NaiveBayes, which reads categories and "
                "texts"
            ) from error
        raise


def _first_text(X: Any) -> tuple[str, str] | None:
    """(where, what) of the first cell of a table in memory that is text and no number."""
    import narwhals as nw

    cells = np.zeros(0) if is_streamed(X) or sparse.issparse(X) else np.asarray(X, dtype=object)
    if repeated_name(X) is not None:
        return None
    names = getattr(nw.from_native(X, pass_through=True), "columns", None)
    for j, column in enumerate(cells.T if cells.ndim == 2 else ()):
        for i, cell in enumerate(column):
            if isinstance(cell, str) and not _is_number(cell):
                title = f"column {j}" if names is None else f"column {j} ({names[j]!r})"
                return f"row {i} of {title}", str(cell)
    return None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _refuse_strangers(seen: np.ndarray, classes: np.ndarray) -> None:
    strangers = np.setdiff1d(seen, classes)
    if len(strangers):
        raise ValueError(f"The target label(s) {strangers} in y do not exist in the initial classes {classes}")
