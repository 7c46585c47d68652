"""SLIQ."""

from numbers import Integral
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from learnable.base import Fitting
from learnable.panel import Entry
from learnable.solvers.trees import sliq
from learnable.trace import Status, to_the_end
from learnable.trees.decision_tree_classifier import DecisionTreeClassifier


class SLIQClassifier(DecisionTreeClassifier):
    """SLIQ: a tree grown level by level, with one scan of each attribute list a level for all leaves at once.

    Attribute lists (value, row) are sorted once; the class list (class, leaf) stays in memory. The tree is that of
    `DecisionTreeClassifier`: the same splits under the same rule for ties. Cells must not be missing. Syllabus: DT11.

    Parameters
    ----------
    criterion : {"gini", "entropy"}, default="gini"
    max_depth, min_samples_split, min_samples_leaf : limits
    threshold : {"midpoint", "value"}, default="midpoint"
        Between two values: their middle, or the lower value itself.
    categorical_features : mask, numbers, names, "from_dtype" or None
        Subsets by order (two classes), all of them up to 10 categories, greedily beyond.
    directory : path or None, default=None
        Keep the attribute lists in files of this folder and read them through memory maps.

    Attributes
    ----------
    tree_, classes_, n_classes_, n_outputs_, max_features_, categories_ : as in `DecisionTreeClassifier`
    n_scans_ : int, scans of attribute lists: columns times levels
    certificate_ : `certificates.Certificate`, which claims DT5, DT7, DT12 of a tree, and DT11 : the number of scans.

    Examples
    --------
    >>> from learnable.trees import SLIQClassifier
    >>> model = SLIQClassifier().fit([[23.0, 75.0], [40.0, 75.0], [30.0, 65.0], [55.0, 40.0]], ["B", "G", "G", "B"])
    >>> model.n_scans_, model.score([[40.0, 75.0]], ["G"]), model.certificate_.holds
    (4, 1.0, True)
    """

    # What CART has and SLIQ does not ask for.
    splitter = "best"
    min_weight_fraction_leaf = 0.0
    max_features = None
    random_state = None
    max_leaf_nodes = None
    min_impurity_decrease = 0.0
    class_weight = None
    ccp_alpha = 0.0
    monotonic_cst = None
    significance = None
    panel: ClassVar[tuple[Entry, ...]] = ()

    _several_outputs: ClassVar[bool] = False
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "criterion": [StrOptions({"gini", "entropy"})],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "min_samples_split": [Interval(Integral, 2, None, closed="left")],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
        "threshold": [StrOptions({"midpoint", "value"})],
        "categorical_features": ["array-like", str, None],
        "directory": [str, None],
    }

    def __init__(
        self,
        *,
        criterion="gini",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        threshold="midpoint",
        categorical_features=None,
        directory=None,
    ):
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.threshold = threshold
        self.categorical_features = categorical_features
        self.directory = directory

    def _pose(self, X, y, sample_weight=None) -> Fitting:
        if self.directory is not None and not Path(self.directory).is_dir():
            raise ValueError(
                f"SLIQClassifier(directory={self.directory!r}): no such folder; make it, or take None for memory"
            )
        data, cells, mask = self._read(X, y, sample_weight)
        _refuse_missing(cells)
        target, weight, described = self._targets(data)
        kept = weight > 0.0
        described |= {"max_features_": cells.shape[1], "n_outputs_": 1}
        lists = sliq.attribute_lists(cells[kept], mask, self.directory)
        settings = sliq.Settings(
            self.criterion,
            np.inf if self.max_depth is None else self.max_depth,
            self.min_samples_split,
            self.min_samples_leaf,
            self.threshold == "midpoint",
        )
        label = target[kept].astype(np.int32)
        states = sliq.iterates(lists, cells[kept], label, weight[kept], len(self.classes_), settings)
        return Fitting(
            states, to_the_end, lambda state: described | {"tree_": state.tree, "n_scans_": state.n_scans}, data,
            ended=Status.STATIONARY,
        )  # fmt: skip

    def _cells(self, X) -> np.ndarray:
        cells = super()._cells(X)
        if not hasattr(self, "categories_"):
            _refuse_missing(cells)
        return cells

    def cost_complexity_pruning_path(self, X, y, sample_weight=None):
        raise TypeError("SLIQClassifier does not prune; use DecisionTreeClassifier")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = False
        tags.input_tags.allow_nan = False
        return tags


def _refuse_missing(cells: np.ndarray) -> None:
    if np.isnan(cells).any():
        raise ValueError(
            f"SLIQClassifier: Input X contains NaN in column {int(np.isnan(cells).any(axis=0).argmax())}; attribute "
            "lists know no missing cells: impute them, or use DecisionTreeClassifier"
        )
