"""Gaps and violations count in what the answer explains, whatever the penalty: near the largest one too."""

from functools import partial
from itertools import islice

import numpy as np
from tests.cases import each

from learnable import certify
from learnable.problems.sparse.group_penalties import GroupPenalty, group_excess
from learnable.problems.sparse.penalties import L1
from learnable.solvers.sparse.coordinate_descent import Descent, centred_columns
from learnable.solvers.sparse.folded_descent import lasso_start
from learnable.sparse import (
    AdaptiveLasso,
    ADMMLasso,
    BridgeRegression,
    ElasticNet,
    GroupLasso,
    Lasso,
    MCPRegression,
    MultiTaskLasso,
    NuclearNormRegression,
    SCADRegression,
    SparseGroupLasso,
)
from learnable.trace import Status

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


MORE = [ElasticNet, AdaptiveLasso, partial(Lasso, positive=True), partial(BridgeRegression, q=1.5)]


@each(("name", "make"), [*((name, make) for name, (make, _) in LEARNERS.items()), *(("lasso", make) for make in MORE)])
def test_penalties_lost_in_the_rounding_of_correlations_are_proved_by_the_newton_decrement(name, make):
    """No dual point is near enough there; fits are at rest after a few rounds, and what is 0.2 % off is not proved."""
    X, y, _, largest = _table(name)
    for share, unit in ((1e-14, 1.0), (1e-12, 1e8), (1e-10, 1e-6)):
        for shift in (0.0, 30.0):
            table, target = X + shift, y * unit
            model = make(alpha=largest * share * unit).fit(table, target)
            found = Status.STATIONARY if name in ("mcp", "scad") else Status.OPTIMAL
            assert (model.status_, model.n_iter_ < 300) == (found, True)
            assert certify(model, table, target).holds
            model.coef_ = 1.002 * model.coef_
            model.intercept_ = np.mean(target - table @ model.coef_.T, axis=0)
            assert not certify(model, table, target).holds
    twice = np.column_stack([X, X[:, :2]])
    model = make(alpha=largest * 1e-14).fit(twice, y)
    assert "Newton" not in str(certify(model, twice, y))  # the columns depend on one another


def test_rounds_end_where_they_move_nothing():
    X, y, _, largest = _table("lasso")
    design, *_ = centred_columns(X, y, None, True)
    states = list(islice(Descent(design).rounds(L1(largest * 1e-14)), 300))
    assert len(states) < 300
    np.testing.assert_allclose(states[-1].coef, np.linalg.lstsq(X, y)[0], rtol=1e-9)
    np.testing.assert_allclose(lasso_start(design, largest * 1e-14), states[-1].coef, rtol=1e-9)


@each("name", LEARNERS)
def test_zero_is_proved_from_the_largest_penalty_on_and_nowhere_below(name):
    X, y, make, largest = _table(name)
    model = make(alpha=largest * (1.0 + 1e-13)).fit(X, y)
    assert not np.any(model.coef_)
    assert certify(model, X, y).holds
    for share in (1.0 - 1e-9, 1e-6, 1e-9, 1e-12, 1e-15):  # the rounding of the last gaps exceeds what there is to prove
        model.alpha = largest * share
        assert not certify(model, X, y).holds


@each("name", ["group", "mcp", "rows"])
def test_targets_in_single_precision_are_centred_in_double(name):
    X, y, make, largest = _table(name)
    y = (y + 3.0).astype(np.float32)
    assert certify(make(alpha=0.999 * largest).fit(X, y), X, y).holds
