"""The optimal tree of small depth."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from learnable.base import Fitting, Learner, class_indices, validate_data
from learnable.problems.trees.questions import Questions, questions_about
from learnable.problems.trees.tree import Tree
from learnable.solvers.trees import optimal
from learnable.solvers.trees.descent import leaf_numbers
from learnable.trace import Status, to_the_end
from learnable.trees.drawing import Drawn


class OptimalTreeClassifier(ClassifierMixin, Drawn, Learner):
    """A tree of at most the given depth with the fewest training mistakes of all such trees, proved.

    Questions are x_j > s with s midway between neighbouring values, at most `max_thresholds` a column. Dynamic
    programming over sets of rows with bounds, down to trees of depth two, which come from counts of pairs of questions.
    The certificate finds the least number of mistakes again, by other code. Syllabus: DT7.

    Parameters
    ----------
    max_depth : int, default=2
    max_thresholds : int, default=10
        Thresholds a column; a column of zeros and ones has one.

    Attributes
    ----------
    tree_ : `problems.trees.tree.Tree`
    questions_ : `problems.trees.questions.Questions`
    mistakes_ : int
    classes_, n_classes_ : the classes
    certificate_ : `certificates.Certificate`, which claims
        DT7 : no tree of that depth on these questions makes fewer mistakes (in `certify`, or at once where it is
        cheap); shares, counts and predictions are those of the tree.

    Examples
    --------
    >>> from learnable.trees import OptimalTreeClassifier
    >>> X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    >>> model = OptimalTreeClassifier(max_depth=2).fit(X, y)
    >>> model.mistakes_, str(model.status_), model.certificate_.holds
    (0, 'optimal', True)
    """

    tree_: Tree
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "max_depth": [Interval(Integral, 1, None, closed="left")],
        "max_thresholds": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, max_depth=2, *, max_thresholds=10):
        self.max_depth = max_depth
        self.max_thresholds = max_thresholds

    def fit(self, X, y):
        """Find the tree.

        Parameters
        ----------
        X : array (n, p)
        y : array (n,)
        """
        self._validate_params()
        return self._learn(X, y)

    def _pose(self, X, y) -> Fitting:
        data = self._validated(X, y, blocks=False, dtype=np.float64)
        self.classes_, label = class_indices(data.y, type(self).__name__)
        questions = questions_about(data.X, self.max_thresholds)
        answers = questions.answers(data.X)
        K = len(self.classes_)

        def attributes(state: optimal.OptimalState) -> dict[str, Any]:
            tree = _tree(state.tree, questions, answers, label, K, data.X.shape[1])
            return {
                "tree_": tree,
                "questions_": questions,
                "n_classes_": K,
                "mistakes_": round(state.objective * len(label)),
            }

        states = optimal.iterates(answers, label, K, int(self.max_depth))
        return Fitting(states, to_the_end, attributes, data, ended=Status.OPTIMAL)

    def _cells(self, X) -> np.ndarray:
        check_is_fitted(self)
        return np.ascontiguousarray(validate_data(self, X, reset=False, dtype=np.float64))

    def predict(self, X) -> np.ndarray:
        """The majority of the leaf of each row."""
        cells = self._cells(X)
        return self.classes_[self.tree_.value[leaf_numbers(self.tree_, cells), 0].argmax(axis=1)]


def _tree(answer: Any, questions: Questions, answers: np.ndarray, label: np.ndarray, K: int, p: int) -> Tree:
    """The arrays of a nested answer; rows that answer no go left."""
    left: list[int] = []
    right: list[int] = []
    feature, threshold, missing, counts = [], [], [], []
    stack = [(answer, np.arange(len(label)), -1, 0)]
    while stack:
        at, rows, parent, side = stack.pop()
        node = len(left)
        if parent >= 0:
            (left if side == 0 else right)[parent] = node
        count = np.bincount(label[rows], minlength=K)
        yes = answers[rows, at[0]] if at is not None else None
        left.append(-1)
        right.append(-1)
        feature.append(-2 if yes is None else int(questions.feature[at[0]]))
        threshold.append(-2.0 if yes is None else float(questions.threshold[at[0]]))
        missing.append(0 if yes is None else int(2 * np.count_nonzero(~yes) > len(rows)))
        counts.append(count)
        if yes is not None:
            stack.append((at[2], rows[yes], node, 1))
            stack.append((at[1], rows[~yes], node, 0))
    table = np.array(counts, dtype=float)
    total = table.sum(axis=1)
    return Tree(
        np.array(left, dtype=np.int32), np.array(right, dtype=np.int32), np.array(feature, dtype=np.int32),
        np.array(threshold), np.array(missing, dtype=np.uint8), np.full(len(left), -1, dtype=np.int32),
        np.zeros((0, 0), dtype=np.uint8), (table / total[:, None])[:, None, :], 1.0 - table.max(axis=1) / total,
        total.astype(np.int64), total, p,
    )  # fmt: skip
