"""What a certificate of penalised splines must see, whatever the units of the columns. Syllabus: K15."""

import copy

import numpy as np
from tests.cases import each

from learnable import certify
from learnable.kernels import SplineRegression


def _altered(model, **values):
    other = copy.deepcopy(model)
    for name, value in values.items():
        setattr(other, name, value)
    return other


@each("size", [1.0, 1e6, 1e13])
@each("shift", [0.0, 1e6])
def test_knots_are_those_of_each_column_beside_columns_of_any_size(size, shift):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 3)) * [1.0, size, 1.0] + [shift, 0.0, 0.0]
    y = np.sin(X[:, 2]) + 0.1 * rng.standard_normal(30)
    model = SplineRegression().fit(X, y)
    assert certify(model, X, y).holds
    knots = model.knots_.copy()
    knots[2, 5] += 1e-3
    assert not certify(_altered(model, knots_=knots), X, y).holds
    assert not certify(_altered(model, knots_=model.knots_[[2, 1, 0]]), X, y).holds


@each("shift", [0.0, 1e6, 1e9])
def test_the_offset_is_seen_in_units_of_what_targets_differ_by(shift):
    rng = np.random.default_rng(1)
    X = rng.standard_normal((40, 2))
    y = X[:, 0] + 0.1 * rng.standard_normal(40) + shift
    model = SplineRegression().fit(X, y)
    assert certify(model, X, y).holds
    assert not certify(_altered(model, intercept_=model.intercept_ + 1e-3), X, y).holds


def test_lines_that_equal_columns_share_are_told_apart_by_the_shortest_weights():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((40, 2))
    X[:, 1] = X[:, 0]
    y = np.sin(X[:, 0]) + 0.1 * rng.standard_normal(40)
    model = SplineRegression().fit(X, y)
    assert certify(model, X, y).holds
    line = np.arange(12.0) - 5.5
    turned = model.coef_ + np.concatenate([line, -line])
    assert not certify(_altered(model, coef_=turned), X, y).holds
