"""Unfitted copies of one estimator for the members of an ensemble."""

from collections.abc import Callable
from copy import copy
from typing import Any

from sklearn.base import clone

from learnable.base.learner import PLAIN


def unfitted_copies(base: Any) -> Callable[[], Any]:
    """What makes one copy after the other; scikit-learn's `clone` looks at every parameter anew, a plain value too.

    >>> from learnable.trees import DecisionTreeRegressor
    >>> copied = unfitted_copies(DecisionTreeRegressor(max_depth=3))
    >>> one, two = copied(), copied()
    >>> one is two, one.max_depth, two.set_params(max_depth=1).max_depth, one.max_depth
    (False, 3, 1, 3)
    """
    first = clone(base)
    plain = all(type(value) in PLAIN for value in vars(first).values())
    return lambda: copy(first) if plain else clone(first)
