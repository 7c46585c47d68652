"""What learners of a concept share: examples read from a categorical table, two classes, predictions by coverage."""

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted, check_X_y

from learnable.base import Data, refuse_unreadable
from learnable.base.fit_context import fit_context
from learnable.base.in_memory import refusal
from learnable.base.validation import refuse_repeated_names, validate_data
from learnable.concepts.attributes import Attributes
from learnable.concepts.two_class_learner import TwoClassLearner
from learnable.datasets import Table
from learnable.rows import is_streamed
from learnable.theory import Bound, finite_consistent


class Examples(NamedTuple):
    """Coded training examples.

    Attributes
    ----------
    attributes : names and domains of the columns.
    codes : integer matrix, the cells as places in their domains.
    inside : mask of the rows labelled as members of the concept.
    data : the table and the labels as they were given, checked.
    """

    attributes: Attributes
    codes: np.ndarray
    inside: np.ndarray
    data: Data


class ConceptLearner(TwoClassLearner):
    """Base of the classifiers whose answer is a set of rows: those it covers are inside the concept.

    A subclass has the parameters `domains` and `classes`, poses its fit on `_examples(X, y)` and says which rows its
    answer covers.

    Attributes every fit leaves behind
    ----------------------------------
    attributes_ : Attributes
        Names and domains of the columns.
    classes_ : array of two labels, sorted.
    inside_ : the label of the members of the concept.
    """

    domains: Any
    attributes_: Attributes

    @abstractmethod
    def _covers(self, X: np.ndarray) -> np.ndarray:
        """Which rows of a checked table the answer covers."""

    @abstractmethod
    def _n_hypotheses(self, attributes: Attributes) -> int:
        """Number of concepts that the language can tell apart."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X, y):
        """Learn from examples.

        Parameters
        ----------
        X : data frame or array (n, d) of categories: strings, integers or booleans.
        y : array of n labels, two classes.
        """
        return self._learn(X, y)

    def predict(self, X) -> np.ndarray:
        """The label of the concept where the answer covers the row, the other label elsewhere.

        Parameters
        ----------
        X : data frame or array (n, d) of values from the domains of the attributes.
        """
        return self._labels(self._covers(self._table(X)))

    def sample_size(self, epsilon: float, delta: float) -> int:
        """Examples after which, with probability 1 − δ, every consistent hypothesis has error at most ε.

        m ≥ (ln|H| + ln(1/δ))/ε, for independent examples labelled by a concept of the language. Before a fit the
        parameter `domains` must list the domain of every attribute. Syllabus: T7.
        """
        bound, capacity = self._guarantee(self._declared_attributes())
        return int(bound.solve_for("m", epsilon=epsilon, delta=delta, **capacity).value)

    def _guarantee(self, attributes: Attributes) -> tuple[Bound, dict[str, int]]:
        """The bound on the error of a consistent hypothesis, with the capacity of the language that it asks for."""
        return finite_consistent, {"size": self._n_hypotheses(attributes)}

    def _declared_attributes(self) -> Attributes:
        if hasattr(self, "attributes_"):
            return self.attributes_
        if self.domains is None:
            raise ValueError(
                f"{type(self).__name__}().sample_size: the number of hypotheses depends on the domains of the "
                "attributes; fit first, or list them in the parameter domains"
            )
        if isinstance(self.domains, dict):
            return Attributes(tuple(self.domains), tuple(tuple(values) for values in self.domains.values()))
        listed = [tuple(values) for values in self.domains]
        return Attributes(tuple(f"x{j}" for j in range(len(listed))), tuple(listed))

    def _examples(self, X, y) -> Examples:
        """Check the data, find domains and classes, and code the cells."""
        if is_streamed(X):
            raise TypeError(refusal(self, X))
        _refuse_missing(X, type(self).__name__)
        for given, name in ((X, "X"), (y, "y")):
            refuse_unreadable(given, name)
        # The frame itself knows the domains that its columns declare; the checked array does not.
        attributes = Attributes.infer(X, self.domains) if _is_frame(X) else None
        table, labels = self._checked(X, y, reset=True)
        attributes = attributes or Attributes.infer(table, self.domains)
        self.attributes_ = attributes
        inside = self._split(labels)
        return Examples(attributes, attributes.code(table), inside, Data(table, labels, None))

    def _table(self, X) -> np.ndarray:
        check_is_fitted(self)
        _refuse_missing(X, type(self).__name__)
        refuse_unreadable(X)
        return self._checked(X, reset=False)

    def _checked(self, X, *labels, reset: bool) -> Any:
        """The table as an array, with the labels if there are any; names and number of columns are kept or compared."""
        cells = _mixed_cells(X)
        if cells is None:
            return validate_data(self, X, *labels, dtype=None, reset=reset)
        validate_data(self, X, skip_check_array=True, reset=reset)
        if not labels:
            return check_array(cells, dtype=None, estimator=self, input_name="X")
        return check_X_y(cells, *labels, dtype=None, estimator=self)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        # Labels that no concept of the language fits leave nothing to score by.
        tags.classifier_tags.poor_score = True
        return tags


def _is_frame(X: Any) -> bool:
    import narwhals as nw

    return isinstance(nw.from_native(X, eager_only=True, pass_through=True), nw.DataFrame)


def _mixed_cells(X: Any) -> np.ndarray | None:
    """The cells one by one, where an array of one type would change them: a table or nested lists with words in it."""
    import narwhals as nw

    if isinstance(X, list | tuple):
        try:
            return np.array(X, dtype=object) if np.asarray(X).dtype.kind == "U" else None
        except ValueError:  # of rows that differ in length, which is said where the table is looked at
            return None
    if not _is_frame(X):
        return None
    frame = nw.from_native(X, eager_only=True)
    if all(kind.is_numeric() for kind in frame.schema.values()):
        return None
    cells = np.empty(frame.shape, dtype=object)
    for j in range(frame.shape[1]):
        cells[:, j] = frame[:, j].to_list()
    return cells


def _refuse_missing(X: Any, name: str) -> None:
    """Errors that name the column and the row, for tables with names."""
    import narwhals as nw

    refuse_repeated_names(name, X)
    if isinstance(X, Table):
        raise TypeError(f"{name}: X is a Table; pass it as a data frame, X.to_arrow()")
    if isinstance(nw.from_native(X, pass_through=True), nw.LazyFrame):
        raise TypeError(f"{name}: X is a lazy frame, which has no rows yet; pass X.collect()")
    if not _is_frame(X):
        return
    frame = nw.from_native(X, eager_only=True)
    if not frame.columns:
        raise ValueError(f"{name}: X has no columns (0 feature(s) while a minimum of 1 is required)")
    for j, column in enumerate(frame.columns):
        missing = frame[:, j].is_null().to_numpy()
        if missing.any():
            raise ValueError(
                f"{name}: column {column!r} has a missing cell in row {int(np.argmax(missing))}; drop such rows, or "
                "give the missing cells a value of their own"
            )
