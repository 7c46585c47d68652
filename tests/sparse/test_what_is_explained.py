"""Gaps and violations count in what the answer explains, whatever the penalty: near the largest one too."""

import numpy as np
from tests.cases import each

from learnable import certify
from learnable.problems.sparse.group_penalties import GroupPenalty, group_excess
from learnable.sparse import (
    ADMMLasso,
    GroupLasso,
    Lasso,
    MCPRegression,
    MultiTaskLasso,
    NuclearNormRegression,
    SCADRegression,
    SparseGroupLasso,
)

PAIRS = np.arange(0, 7, 2)


def _sparse_group_largest(slope):
    """The least α at which every pair of columns is at zero, by bisection."""
    low, high = 0.0, np.abs(slope).sum()
    for _ in range(100):
        middle = 0.5 * (low + high)
        outside = np.any(group_excess(GroupPenalty(middle, 0.5, np.full(3, np.sqrt(2.0)), PAIRS), slope) > 0.0)
        low, high = (middle, high) if outside else (low, middle)
    return high


LEARNERS = {
    "lasso": (Lasso, lambda slope: np.abs(slope).max()),
    "admm": (ADMMLasso, lambda slope: np.abs(slope).max()),
    "mcp": (MCPRegression, lambda slope: np.abs(slope).max()),
    "scad": (SCADRegression, lambda slope: np.abs(slope).max()),
    "group": (
        lambda **told: GroupLasso(2, **told),
        lambda slope: np.linalg.norm(slope.reshape(3, 2), axis=1).max() / np.sqrt(2.0),
    ),
    "sparse group": (lambda **told: SparseGroupLasso(2, l1_ratio=0.5, **told), _sparse_group_largest),
    "rows": (MultiTaskLasso, lambda slope: np.linalg.norm(slope, axis=1).max()),
    "nuclear": (NuclearNormRegression, lambda slope: np.linalg.norm(slope, 2)),
}


def _table(name):
    rng = np.random.default_rng(7)
    X, y = rng.standard_normal((80, 6)), rng.standard_normal((80, 3))
    X, y = X - X.mean(axis=0), y - y.mean(axis=0)
    y = y if name in ("rows", "nuclear") else y[:, 0]
    make, largest = LEARNERS[name]
    return X, y, make, largest(X.T @ y / len(y))


@each("name", LEARNERS)
def test_answers_that_explain_little_are_found_and_proved_of_themselves(name):
    X, y, make, largest = _table(name)
    for share, unit in ((0.99999, 1.0), (0.99, 1e5), (0.99, 1e-7)):
        model = make(alpha=largest * share * unit).fit(X, y * unit)
        assert np.any(model.coef_)
        assert certify(model, X, y * unit).holds
        model.coef_ = 1.03 * model.coef_
        model.intercept_ = np.mean(y * unit - X @ model.coef_.T, axis=0)
        assert not certify(model, X, y * unit).holds


@each("name", LEARNERS)
def test_zero_is_proved_from_the_largest_penalty_on_and_nowhere_below(name):
    X, y, make, largest = _table(name)
    model = make(alpha=largest * (1.0 + 1e-13)).fit(X, y)
    assert not np.any(model.coef_)
    assert certify(model, X, y).holds
    model.alpha = largest * (1.0 - 1e-9)
    assert not certify(model, X, y).holds


@each("name", ["group", "mcp", "rows"])
def test_targets_in_single_precision_are_centred_in_double(name):
    X, y, make, largest = _table(name)
    y = (y + 3.0).astype(np.float32)
    assert certify(make(alpha=0.999 * largest).fit(X, y), X, y).holds
