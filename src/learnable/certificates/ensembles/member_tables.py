"""How the members of an ensemble read a table."""

from typing import Any

import numpy as np
from sklearn.utils import get_tags


def takes_sparse(model: Any) -> bool:
    """Whether what is copied takes a sparse table; trees, which are copied by default, compare every cell."""
    return model.estimator is not None and get_tags(model.estimator).input_tags.sparse


def as_members_read(model: Any, X: Any) -> Any:
    """X as it is where it is sparse and the members take that, else an array of numbers."""
    if not hasattr(X, "toarray"):
        return np.asarray(X, dtype=float)
    return X if takes_sparse(model) else X.toarray().astype(float)
