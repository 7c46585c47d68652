"""Sequences as the verifier gives them: one table with `lengths`, or a list; nothing is asked of the model."""

from typing import Any

import numpy as np

from learnable.rows import is_streamed


def read_sequences(model: Any, X: Any, lengths: Any, one_column: bool) -> tuple[Any, np.ndarray | None]:
    """(table (n, d), lengths); what dask holds is given back as it is, the lengths of a bag as None.

    ValueError where the lengths do not fit, or where none are given to judge a model of several sequences.
    """
    name, stated = type(model).__name__, np.atleast_1d(model.lengths_)
    bag = is_streamed(X) and not hasattr(X, "shape")
    if bag:
        return X, None
    listed = None if is_streamed(X) else _listed(X, one_column)
    if listed is not None:
        if lengths is not None:
            raise ValueError(f"certify({name}): a list of sequences has its own lengths; leave lengths out")
        X, lengths = np.concatenate(listed), [len(part) for part in listed]
    if not is_streamed(X):
        X = np.asarray(X, dtype=float)
        X = X[:, np.newaxis] if X.ndim == 1 and one_column else X
    expected = getattr(model, "n_features_in_", None)
    if X.ndim != 2 or X.shape[1] != expected:
        raise ValueError(f"certify: {name} was fitted on {expected} columns, but X has shape {X.shape}")
    if lengths is None:
        if len(stated) > 1:
            raise ValueError(
                f"certify({name}): the model says that it was fitted on {len(stated)} sequences; give their lengths "
                "with the data: lengths=[...], or a list of sequences"
            )
        lengths = [X.shape[0]]
    lengths = np.atleast_1d(np.asarray(lengths))
    if lengths.dtype.kind not in "iu" or lengths.ndim != 1 or np.any(lengths < 1):
        raise ValueError(f"certify({name}): lengths={lengths!r} must be whole numbers >= 1, one for each sequence")
    if lengths.sum() != X.shape[0]:
        raise ValueError(f"certify({name}): the sequences have {lengths.sum()} rows, but X has {X.shape[0]}")
    return X, lengths.astype(int)


def one_by_one(values: Any) -> np.ndarray | None:
    """Known states: one flat array, from that or from a list of sequences."""
    if values is None:
        return None
    nested = isinstance(values, list | tuple) and any(np.ndim(item) for item in values)
    return np.concatenate([np.ravel(item) for item in values]) if nested else np.asarray(values)


def _listed(X: Any, one_column: bool) -> list[np.ndarray] | None:
    """The sequences of a list as tables; None when X is one table."""
    if not isinstance(X, list | tuple) or len(X) == 0:
        return None
    parts = [np.asarray(part, dtype=float) for part in X]
    if all(part.ndim == 2 for part in parts):
        return parts
    # Lists of one number each are the rows of a table with one column.
    rows = all(isinstance(part, list | tuple) and len(part) == 1 for part in X)
    flat = one_column and not rows and all(part.ndim == 1 for part in parts)
    return [part[:, np.newaxis] for part in parts] if flat else None
