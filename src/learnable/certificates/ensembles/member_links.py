"""Trees inside the members of an ensemble, before these are asked what they say: compiled code trusts their links."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from learnable.certificates.core import thorough
from learnable.certificates.ensembles.boosted_routes import unlinked
from learnable.certificates.trees.links import ill_written, well_linked
from learnable.certificates.trees.reading import tree_arrays
from learnable.problems.ensembles.boosted_trees import BoostedTrees
from learnable.problems.ensembles.votes import Stumps
from learnable.problems.trees.tree import Tree


def check_members(members: Any, p: int) -> None:
    """An `IndexError`, which refutes, where members, read by p columns, hold a tree that leads rows astray.

    Nothing to be asked of those that have just been fitted.
    """
    if thorough() and _astray(members, p):
        raise IndexError("a tree of a member leads rows to no leaf, to several, or asks about columns there are not")


def _astray(part: Any, p: int) -> bool:
    if isinstance(part, Tree):
        return bool(well_linked(part, p) or ill_written(part))
    if isinstance(part, BoostedTrees):
        return bool(unlinked(part, p))
    if isinstance(part, Stumps):
        return not _fit_together(part, p)
    if type(part).__module__ == "sklearn.tree._tree":
        return bool(well_linked(tree_arrays(part), p))
    if isinstance(part, BaseEstimator):
        p = getattr(part, "n_features_in_", p)
        return any(_astray(each, p) for each in vars(part).values())
    several = isinstance(part, list | tuple) or (isinstance(part, np.ndarray) and part.dtype.hasobject)
    return several and any(_astray(each, p) for each in part)


def _fit_together(stumps: Stumps, p: int) -> bool:
    """Whether each stump has a column, one of p, a threshold and a sign."""
    feature, threshold, sign = map(np.asarray, stumps)
    sizes = feature.shape == threshold.shape == sign.shape == (feature.size,)
    return sizes and bool(not feature.size or (feature.min() >= 0 and feature.max() < p))
