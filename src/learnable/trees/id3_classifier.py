"""ID3."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from learnable.base import Fitting, Learner, class_indices, refuse_unreadable, validate_data
from learnable.problems.trees.multiway import MultiwayTree, nodes_of
from learnable.solvers.trees import id3
from learnable.trace import Status, to_the_end
from learnable.trees.tables import encoded, learn_categories


class ID3Classifier(ClassifierMixin, Learner):
    """ID3 (TDIDT): test the attribute of the largest information gain, with a branch for every value of it.

    A categorical attribute is used once on a way; a branch without rows predicts the majority of its parent. A column
    of numbers is cut in two at the best middle between neighbouring values of different class. A value that a node
    does not know is predicted by the majority of that node. Syllabus: DT1, DT2, DT5.

    Parameters
    ----------
    criterion : {"entropy", "gini", "misclassification"}, default="entropy"
    max_depth : int or None
    min_samples_split : int, default=2
    continuous : "auto", mask (p,) or None, default="auto"
        Which columns are numbers to be cut; "auto": those that hold floating-point numbers.

    Attributes
    ----------
    tree_ : `problems.trees.multiway.MultiwayTree`
    classes_ : array (K,)
    categories_ : list, the values of each categorical column, None for columns of numbers
    certificate_ : `certificates.Certificate`, which claims
        DT1 : no attribute or threshold gains more than the one chosen; leaves are pure or have nothing to gain; counts
        and labels are those of the rows; attributes are used once.

    Examples
    --------
    >>> from learnable.trees import ID3Classifier
    >>> X = [["sunny", "high"], ["sunny", "normal"], ["rain", "high"], ["overcast", "high"]]
    >>> model = ID3Classifier().fit(X, ["no", "yes", "yes", "yes"])
    >>> print(model.to_text())
    x0 = overcast: yes
    x0 = rain: yes
    x0 = sunny
      x1 = high: no
      x1 = normal: yes
    """

    tree_: MultiwayTree
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "criterion": [StrOptions({"entropy", "gini", "misclassification"})],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_split": [Interval(Integral, 2, None, closed="left")],
        "continuous": [StrOptions({"auto"}), "array-like", None],
    }

    def __init__(self, *, criterion="entropy", max_depth=None, min_samples_split=2, continuous="auto"):
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.continuous = continuous

    def fit(self, X, y, sample_weight=None):
        """Grow the tree.

        Parameters
        ----------
        X : array or data frame (n, p) of categories and numbers
        y : array (n,)
        sample_weight : array (n,), default=None
        """
        self._validate_params()
        return self._learn(X, y, sample_weight=sample_weight)

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        data = self._validated(_cells(X), y, sample_weight, blocks=False, dtype=None)
        self.classes_, index = class_indices(data.y, type(self).__name__)
        p = data.X.shape[1]
        if isinstance(self.continuous, str):
            continuous = np.array([_is_real(data.X[:, j]) for j in range(p)])
        else:
            continuous = np.zeros(p, dtype=bool) if self.continuous is None else np.asarray(self.continuous, dtype=bool)
            if continuous.shape != (p,):
                raise ValueError(f"ID3Classifier: continuous has shape {continuous.shape}, but X has {p} columns")
        self.categories_ = learn_categories(data.X, ~continuous)
        cells = encoded(data.X, self.categories_, type(self).__name__)
        n_values = np.array([0 if values is None else len(values) for values in self.categories_])
        weight = np.ones(len(index)) if data.sample_weight is None else data.sample_weight.astype(float)
        deepest = np.inf if self.max_depth is None else self.max_depth
        states = id3.iterates(
            cells, index, weight, len(self.classes_), continuous, n_values, self.criterion, deepest,
            self.min_samples_split,
        )  # fmt: skip
        return Fitting(states, to_the_end, lambda state: {"tree_": state.tree}, data, ended=Status.STATIONARY)

    def _nodes(self, X) -> np.ndarray:
        check_is_fitted(self)
        refuse_unreadable(X)
        X = validate_data(self, _cells(X), reset=False, dtype=None)
        continuous = np.array([values is None for values in self.categories_])
        return nodes_of(self.tree_, encoded(X, self.categories_, type(self).__name__), continuous)

    def predict(self, X) -> np.ndarray:
        """The majority at the end of each row's way."""
        nodes = self._nodes(X)
        return self.classes_[self.tree_.label[nodes]]

    def to_text(self) -> str:
        """The tree in indented lines."""
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        lines: list[str] = []

        def write(node: int, depth: int) -> None:
            j = int(self.tree_.feature[node])
            name = f"x{j}" if names is None else str(names[j])
            for branch, child in self.tree_.children(node).items():
                values = self.categories_[j]
                if values is None:
                    condition = f"{name} {'>' if branch else '<='} {self.tree_.threshold[node]:.6g}"
                else:
                    condition = f"{name} = {values[branch]}"
                leaf = self.tree_.feature[child] < 0
                said = f": {self.classes_[self.tree_.label[child]]}" if leaf else ""
                lines.append("  " * depth + condition + said)
                if not leaf:
                    write(child, depth + 1)

        if self.tree_.feature[0] < 0:
            return f"always: {self.classes_[self.tree_.label[0]]}"
        write(0, 0)
        return "\n".join(lines)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def _cells(X):
    """Lists of words and numbers cell by cell, so that numbers stay numbers."""
    if isinstance(X, list | tuple) and len(X) and np.asarray(X).dtype.kind in "US":
        return np.array(X, dtype=object)
    return X


def _is_real(column: np.ndarray) -> bool:
    return column.dtype.kind == "f" or (
        column.dtype == object and all(isinstance(cell, float) for cell in column.tolist())
    )
