"""What every learner of a concept shares: two labels, one of which means membership."""

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from learnable.base import Learner
from learnable.plain import plain
from learnable.rows.labels import distinct


class TwoClassLearner(ClassifierMixin, Learner):
    """Base of the classifiers that learn one concept; it has a parameter `classes`: (outside, inside), or None.

    Attributes every fit leaves behind
    ----------------------------------
    classes_ : array of two labels, sorted.
    inside_ : the label of the members of the concept.
    """

    # That no hypothesis agrees with every row is an answer of its own: `consistent_` says it, `witness_` proves it.
    _explained = frozenset({"V1", "V2", "V3", "V4", "V5", "V6", "V8", "V9", "V10", "T10", "P2"})

    classes: Any
    classes_: np.ndarray
    inside_: Any

    def _split(self, y: np.ndarray) -> np.ndarray:
        """Set `classes_` and `inside_`; the mask of the rows inside the concept."""
        name = type(self).__name__
        found = distinct(y)
        check_classification_targets(y)
        if self.classes is not None:
            pair = np.asarray(self.classes, dtype=object).tolist()
            if len(pair) != 2 or pair[0] == pair[1]:
                raise ValueError(
                    f"{name}(classes={plain(self.classes)!r}): give two labels, (outside, inside) the concept"
                )
            if strange := [label for label in found.tolist() if label not in pair]:
                raise ValueError(
                    f"{name}(classes={plain(self.classes)!r}): y holds {strange[0]!r}, which is neither label"
                )
            # Not of y's own string type, which may be too narrow for a label that does not occur.
            self.classes_, self.inside_ = (
                np.unique(np.array(pair, dtype=object if y.dtype == object else None)),
                pair[1],
            )
            return y == pair[1]
        if len(found) > 2:
            raise ValueError(
                f"{name}: Only binary classification is supported. The type of the target is {type_of_target(y)}."
            )
        if len(found) < 2:
            raise ValueError(
                f"{name}: y holds only one class, {found.tolist()[0]!r}; say whether these are members of the concept "
                "by classes=(label outside, label inside)"
            )
        self.classes_, self.inside_ = found, found[1].item() if hasattr(found[1], "item") else found[1]
        return y == found[1]

    def _labels(self, inside: np.ndarray) -> np.ndarray:
        """Labels from a mask of the rows inside the concept."""
        outside = self.classes_[self.classes_ != self.inside_][0]
        labels = np.empty(len(inside), dtype=self.classes_.dtype)
        labels[inside], labels[~inside] = self.inside_, outside
        return labels

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
