"""The confusion matrix of a classifier."""

from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import ArrayLike, NDArray

from learnable.tables import aligned

from ._validation import check_labels, check_weights, effective_size


@dataclass(frozen=True, eq=False)
class ConfusionMatrix:
    """Counts C[i, j] of rows of true class i that were predicted as class j.

    Attributes
    ----------
    counts : array of shape (k, k); sums of weights when rows are weighted.
    labels : the k classes, in the order of rows and columns.
    effective_n : number of rows, or Kish's (Σw)²/Σw² when they are weighted.

    Syllabus: E9.
    """

    counts: NDArray
    labels: NDArray
    effective_n: float

    @property
    def true_positives(self) -> NDArray:
        """Rows of each class that were found, C[k, k]."""
        return np.diagonal(self.counts).copy()

    @property
    def false_negatives(self) -> NDArray:
        """Rows of each class that were missed."""
        return self.support - self.true_positives

    @property
    def false_positives(self) -> NDArray:
        """Rows taken for each class that are of another."""
        return self.predicted - self.true_positives

    @property
    def true_negatives(self) -> NDArray:
        """Rows that neither are of each class nor were taken for it."""
        return self.total - self.support - self.predicted + self.true_positives

    @property
    def support(self) -> NDArray:
        """Rows of each true class."""
        return self.counts.sum(axis=1)

    @property
    def predicted(self) -> NDArray:
        """Rows predicted as each class."""
        return self.counts.sum(axis=0)

    @property
    def total(self):
        """All rows."""
        return self.counts.sum()

    def __array__(self, dtype=None, copy=None) -> NDArray:
        return np.array(self.counts, dtype=dtype)

    def __str__(self) -> str:
        names, cells = self._texts()
        return "\n".join(aligned([["true \\ predicted", *names], *([name, *row] for name, row in zip(names, cells))]))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        names, cells = self._texts()
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        body = "".join(
            f"<tr><th>{escape(name)}</th>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>"
            for name, row in zip(names, cells)
        )
        return f'<table class="confusion"><tr><th>true \\ predicted</th>{head}</tr>{body}</table>'

    def _texts(self) -> tuple[list[str], list[list[str]]]:
        return [str(label) for label in self.labels], [[f"{cell:g}" for cell in row] for row in self.counts]


def confusion_matrix(
    y_true: ArrayLike, y_pred: ArrayLike, *, labels: ArrayLike | None = None, sample_weight: ArrayLike | None = None
) -> ConfusionMatrix:
    """Count how often each true class was predicted as each class.

    Parameters
    ----------
    y_true, y_pred : labels, of equal length ≥ 1.
    labels : classes to count, in this order; rows with another class are left out. All classes, sorted, by default.
    sample_weight : non-negative weights of the rows.

    Syllabus: E9.

    >>> from learnable.evaluation import confusion_matrix
    >>> confusion_matrix(["cat", "cat", "dog", "dog", "dog"], ["cat", "dog", "dog", "dog", "cat"])
    true \\ predicted  cat  dog
    cat                 1    1
    dog                 1    2
    """
    y_true, y_pred = check_labels(y_true, y_pred, "confusion_matrix")
    n = len(y_true)
    seen, codes = np.unique(np.concatenate([y_true, y_pred]), return_inverse=True)
    if labels is None:
        labels = seen
    else:
        labels = np.asarray(labels)
        if labels.ndim != 1 or not len(labels) or len(np.unique(labels)) < len(labels):
            raise ValueError(f"confusion_matrix(labels={labels.tolist()}): give distinct labels, at least one")
        place = {label: k for k, label in enumerate(labels.tolist())}
        codes = np.array([place.get(label, -1) for label in seen.tolist()])[codes]
    rows, columns = codes[:n], codes[n:]
    kept = (rows >= 0) & (columns >= 0)
    weights = None if sample_weight is None else check_weights(sample_weight, n, "confusion_matrix").values[kept]
    if not kept.any() or (weights is not None and not weights.any()):
        raise ValueError(f"confusion_matrix(labels={labels.tolist()}): no row has both its classes among them")
    size = len(labels)
    counts = np.bincount(rows[kept] * size + columns[kept], weights, minlength=size * size).reshape(size, size)
    effective = kept.sum() if weights is None else effective_size(weights)
    return ConfusionMatrix(counts, labels, float(effective))
