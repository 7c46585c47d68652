"""Reduced-error pruning."""

import copy
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from learnable.certificates import Certificate
from learnable.certificates.trees.pruning import reduced_error_claims
from learnable.problems.trees.tree import cut, node_rows
from learnable.solvers.trees.pruning import reduced_error


class ReducedErrorPruning(NamedTuple):
    """The pruned model, its validation mistakes and those of the model given, and what is proved."""

    model: Any
    mistakes: int
    mistakes_before: int
    certificate: Certificate


def reduced_error_pruning(model, X, y) -> ReducedErrorPruning:
    """Prune a classification tree on validation rows: bottom-up, wherever a leaf makes no more mistakes than a subtree.

    A leaf predicts the majority of its *training* rows; both sides of the comparison are counted on the same validation
    rows. The result is the smallest among the prunings with the fewest validation mistakes. Syllabus: DT10.

    Parameters
    ----------
    model : fitted `DecisionTreeClassifier`; it is not changed.
    X, y : validation rows, other than those of the fit.

    Returns
    -------
    ReducedErrorPruning
        `model` predicts by the pruned tree; `certificate` proves the claims of DT10 by dynamic programming.

    >>> from learnable.trees import DecisionTreeClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((200, 2))
    >>> y = (X[:, 0] > 0) ^ (rng.random(200) < 0.2)
    >>> pruned = reduced_error_pruning(DecisionTreeClassifier().fit(X[:100], y[:100]), X[100:], y[100:])
    >>> pruned.mistakes <= pruned.mistakes_before, pruned.certificate.holds
    (True, True)
    """
    check_is_fitted(model)
    if not hasattr(model, "classes_"):
        raise TypeError(f"reduced_error_pruning({type(model).__name__}): a classification tree is needed")
    y = np.asarray(y)
    if len(y) == 0:
        raise ValueError("reduced_error_pruning: there are no validation rows")
    cells = model._cells(X)
    tree = model.tree_
    said = model.classes_[tree.value[:, 0].argmax(axis=1)]
    members = node_rows(tree, cells, np.arange(len(cells)))
    mistakes = np.array([np.count_nonzero(y[rows] != label) for rows, label in zip(members, said)])
    smaller = cut(tree, reduced_error(tree, mistakes))
    pruned = copy.deepcopy(model)
    pruned.tree_ = smaller
    # What the fit proved was proved of another tree.
    claims = reduced_error_claims(tree, smaller, mistakes)
    pruned.certificate_ = Certificate(type(model).__name__, claims)
    made = int(np.count_nonzero(pruned.predict(X) != y))
    before = int(mistakes[tree.is_leaf].sum())
    return ReducedErrorPruning(pruned, made, before, pruned.certificate_)
