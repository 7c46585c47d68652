"""How the members of an ensemble read a table."""

from typing import Any

import numpy as np
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import _routing_enabled, get_routing_for_object
from sklearn.utils.validation import has_fit_parameter


def takes_sparse(model: Any) -> bool:
    """Whether what is copied takes a sparse table; trees, which are copied by default, compare every cell."""
    return model.estimator is not None and get_tags(model.estimator).input_tags.sparse


def takes_weights(model: Any) -> bool:
    """Whether what is copied takes weights of rows, and asks for them where metadata is routed; trees do."""
    if model.estimator is None:
        return True
    if _routing_enabled():
        return "sample_weight" in get_routing_for_object(model.estimator).consumes("fit", ("sample_weight",))
    return has_fit_parameter(model.estimator, "sample_weight")


def as_members_read(model: Any, X: Any) -> Any:
    """X as it is where it is sparse and the members take that, else an array of numbers."""
    if not hasattr(X, "toarray"):
        return np.asarray(X, dtype=float)
    return X if takes_sparse(model) else X.toarray().astype(float)
