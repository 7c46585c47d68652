"""Targets that are classes."""

import numpy as np

from learnable.plain import plain
from learnable.rows.labels import pair, without_order

# Labels that are counted before they are compared: of more, to find two values by comparing takes less time.
FEW = 2**14


def class_indices(y: np.ndarray, name: str) -> tuple[np.ndarray, np.ndarray]:
    """(classes, index of each row's class), refusing targets that are not classes or only one class."""
    refuse_continuous(y)
    classes, index = distinct(y)
    if len(classes) < 2:
        raise ValueError(f"{name}: y holds only one class, {plain(classes[0])!r}; at least 2 classes are needed")
    return classes, index


def refuse_continuous(y: np.ndarray) -> None:
    """ValueError unless y can be classes: integers and strings are, numbers with a fraction are not."""
    whole = y.dtype.kind in "biuSU" or (y.dtype.kind == "f" and bool(np.all(np.floor(y) == y)))
    if not whole or y.ndim != 1:
        from sklearn.utils.multiclass import check_classification_targets

        try:
            check_classification_targets(y)
        except TypeError:
            raise without_order(y) from None


def distinct(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`np.unique(y, return_inverse=True)`, without sorting where there are two values, or few integers in a row."""
    for look in (_counted, _compared) if y.size <= FEW else (_compared, _counted):
        if (found := look(y)) is not None:
            return found
    try:
        return np.unique(y, return_inverse=True)
    except TypeError:
        raise without_order(y) from None


def _counted(y: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """(values, index of each) of integers one after the other, None of others."""
    if y.dtype.kind != "i" or y.ndim != 1 or not y.size or int(y.max()) - (lowest := int(y.min())) >= y.size:
        return None
    index = y.astype(np.intp)
    index -= lowest
    counts = np.bincount(index)
    return ((np.arange(len(counts)) + lowest).astype(y.dtype), index) if counts.all() else None


def _compared(y: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """(values, index of each) where there are two values, None otherwise."""
    two = pair(y)
    return None if two is None else (two, (y == two[1]).astype(np.intp))


def class_numbers(classes: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The place of each label among the classes, all of which are known.

    >>> class_numbers(np.array([1, 3, 7]), np.array([7, 1]))
    array([2, 0])
    """
    return (labels == classes[1]).astype(np.intp) if len(classes) == 2 else np.searchsorted(classes, labels)


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
