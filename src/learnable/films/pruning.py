"""A film of pruning: the nested trees from the whole one to its root."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from learnable.films.frames import Film, Frame
from learnable.films.marks import six_digits
from learnable.films.pictures.tree import binary_tree
from learnable.films.registry import Picture, Shot
from learnable.films.stage import Stage

# Alphas are thresholds: a little above one, the tree that it begins with is the best.
_ABOVE = 1e-9


class PruningState(NamedTuple):
    """One tree of the sequence.

    Attributes
    ----------
    objective : impurity of its leaves.
    alpha : the price of a leaf from which on this tree is the best.
    """

    objective: float
    alpha: float


def film_of_pruning(model: Any, X: Any, y: Any, *, frames: int = 60, rows: int = 400) -> Film:
    """A film of weakest-link pruning: each frame is the tree that `ccp_alpha` leaves, with its own certificate.

    Parameters
    ----------
    model : DecisionTreeClassifier or DecisionTreeRegressor; its `ccp_alpha` is not used.
    X, y : arrays.
    frames : trees shown at most; of a longer sequence evenly spaced ones, with the first and the last.
    rows : rows drawn at most.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from learnable.films import film_of_pruning
    >>> from learnable.trees import DecisionTreeClassifier
    >>> film = film_of_pruning(DecisionTreeClassifier(), *load_iris(return_X_y=True))
    >>> [frame.numbers["leaves"] for frame in film.frames][-3:]
    [3, 2, 1]
    """
    if frames < 2:
        raise ValueError(f"film_of_pruning(frames={frames}): a film has at least 2 frames")
    X, y = np.asarray(X), np.asarray(y)
    path = model.cost_complexity_pruning_path(X, y)
    chosen = np.unique(np.linspace(0, len(path.ccp_alphas) - 1, min(frames, len(path.ccp_alphas))).astype(int))
    shots, tree = [], None
    for k in chosen:
        alpha = float(path.ccp_alphas[k])
        tree = clone(model).set_params(ccp_alpha=alpha * (1.0 + _ABOVE)).fit(X, y)
        shot = Shot(tree, PruningState(float(path.impurities[k]), alpha), Stage(tree, (X, y, None), rows))
        picture = Picture(*six_digits(list(binary_tree(shot))))
        caption = f"A leaf costs {alpha:.4g}: {picture.caption}"
        numbers = six_digits({"impurity of the leaves": shot.state.objective, "price of a leaf": alpha})
        status = None if k < chosen[-1] else tree.status_
        shots.append(
            Frame.of(int(k) + 1, status, tree.certificate_, picture._replace(caption=caption), numbers),
        )
    thinned = "" if len(chosen) == len(path.ccp_alphas) else f"{len(chosen)} of {len(path.ccp_alphas)} trees"
    return Film(f"{type(model).__name__}: pruning", shots, tree, thinned)
