"""Trees inside the members of an ensemble, before these are asked what they say: compiled code trusts their links."""

import sys
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

# How many columns a model reads that does not say so: its parts do.
ANY = sys.maxsize


def check_members(members: Any, p: int) -> None:
    """An `IndexError`, which refutes, where members, read by p columns, hold a tree that leads rows astray.

    Nothing to be asked of those that have just been fitted.
    """
    if thorough() and leads_astray(members, p):
        raise IndexError("a tree of a member leads rows to no leaf, to several, or asks about columns there are not")


def leads_astray(part: Any, p: int) -> bool:
    """Whether a tree in here, read by p columns, leads rows to no leaf, or asks for columns there are not."""
    if isinstance(part, Tree):
        return bool(well_linked(part, p) or ill_written(part))
    if isinstance(part, BoostedTrees):
        return bool(unlinked(part, p))
    if isinstance(part, Stumps):
        return not _fit_together(part, p)
    if type(part).__module__ == "sklearn.tree._tree":
        return bool(well_linked(tree_arrays(part), part.n_features if p == ANY else p))
    if type(part).__module__ == "sklearn.ensemble._hist_gradient_boosting.predictor":
        return _binned_astray(part, p)
    if isinstance(part, BaseEstimator):
        p = getattr(part, "n_features_in_", p)
        if any(leads_astray(each, p) for each in vars(part).values()):
            return True
        mapper = vars(part).get("_bin_mapper")
        asked = _asked_as_categories(vars(part).get("_predictors", ()) if mapper is not None else ())
        return bool(asked.size) and not np.isin(asked, np.flatnonzero(mapper.is_categorical_)).all()
    several = isinstance(part, list | tuple) or (isinstance(part, np.ndarray) and part.dtype.hasobject)
    return several and any(leads_astray(each, p) for each in part)


def _binned_astray(predictor: Any, p: int) -> bool:
    """The same of a tree of scikit-learn's histogram boosting, which may ask for sets of categories there are not."""
    from sklearn.ensemble._hist_gradient_boosting.common import PREDICTOR_RECORD_DTYPE

    nodes = predictor.nodes
    if nodes.dtype != PREDICTOR_RECORD_DTYPE or nodes.ndim != 1:
        return True
    inner = nodes["is_leaf"] == 0
    children = np.array([nodes[side][inner] for side in ("left", "right")], dtype=np.int64)
    feature, numbers = nodes["feature_idx"][inner], np.arange(1, len(nodes))
    if not len(nodes) or not np.array_equal(np.sort(children, axis=None), numbers):
        return True
    # Nodes are numbered as they are split: a circle would go back.
    if (children <= np.flatnonzero(inner)).any() or (feature < 0).any() or (feature >= p).any():
        return True
    sets = nodes["bitset_idx"][inner & (nodes["is_categorical"] != 0)]
    return bool((sets >= len(predictor.raw_left_cat_bitsets)).any())


def _asked_as_categories(rounds: Any) -> np.ndarray:
    """The columns of which the trees of a histogram boosting ask for sets of categories."""
    nodes = [each.nodes for several in rounds for each in several]
    return np.concatenate([each["feature_idx"][each["is_categorical"] != 0] for each in nodes] or [np.zeros(0, int)])


def _fit_together(stumps: Stumps, p: int) -> bool:
    """Whether each stump has a column, one of p, a threshold and a sign."""
    feature, threshold, sign = map(np.asarray, stumps)
    sizes = feature.shape == threshold.shape == sign.shape == (feature.size,)
    return sizes and bool(not feature.size or (feature.min() >= 0 and feature.max() < p))
