"""Compiled passes over rows give the sums of the formulas of the losses, for dense and sparse rows of any width."""

import numpy as np
import pytest
from scipy import sparse
from tests.cases import each

from learnable._jit.core.column_squares import column_squares
from learnable._jit.core.sparse_gram import bordered_sparse_gram, sparse_gram
from learnable._jit.core.vectors import read_only, rows_of
from learnable._jit.linear.likelihood import SHORT, BernoulliLaw, PoissonLaw, slopes, thin_sums
from learnable.problems.linear import losses
from learnable.problems.linear.glm import PoissonLog

LAWS = {
    "bernoulli": (BernoulliLaw(), losses.Logistic(), lambda rng, n: rng.integers(0, 2, n), lambda y: 2.0 * y - 1.0),
    "poisson": (PoissonLaw(), PoissonLog(), lambda rng, n: rng.poisson(2.0, n), lambda y: y),
}


@each("intercept", [True, False])
@each("given", ["weight", "offset", "neither"])
@each("size", [0.3, 3.0, 60.0])
@each("n", [1, 63, 64, 67, 300])
@each("law", LAWS)
def test_sums_of_the_formulas(law, n, size, given, intercept):
    kind, loss, draw, coded = LAWS[law]
    rng = np.random.default_rng(n)
    X = rng.standard_normal((n, 5)) * (rng.random((n, 5)) < 0.6)
    y = draw(rng, n).astype(float)
    weight = rng.random(n) if given == "weight" else np.empty(0)
    offset = rng.standard_normal(n) if given == "offset" else np.empty(0)
    theta = np.linspace(-size, size, 5 + intercept)
    # The formulas, on the whole table.
    Z = np.column_stack([X, np.ones(n)]) if intercept else X
    f = Z @ theta + (offset if given == "offset" else 0.0)
    w = weight if given == "weight" else np.ones(n)
    value = w @ losses.value(loss, coded(y), f)
    # The derivative by f, with labels of either coding: y = ±1 turns the sign of the score.
    pull = w * losses.gradient(loss, coded(y), f)
    bend = w * losses.curvature(loss, coded(y), f)
    gradient, hessian = Z.T @ pull, Z.T @ (Z * bend[:, None])

    arrays = [read_only(part) for part in (y, weight, offset)]
    found, H = np.zeros(len(theta)), np.zeros((len(theta), len(theta)))
    assert thin_sums(kind, read_only(X), *arrays, theta, found, H) == pytest.approx(value, rel=1e-12)
    tolerance = {"rtol": 1e-11, "atol": max(1e-11 * np.abs(gradient).max(), 1e-14)}
    np.testing.assert_allclose(found, gradient, **tolerance)
    np.testing.assert_allclose(H, hessian, rtol=1e-11, atol=1e-11 * np.abs(hessian).max())
    # Whatever the law, numbers of columns are read by the same code.
    for rows in (X, sparse.csr_array(X), *([_long_indices(X)] if law == "bernoulli" else [])):
        found = np.zeros(len(theta))
        assert slopes(kind, rows_of(rows), n, 5, *arrays, theta, found) == pytest.approx(value, rel=1e-12)
        np.testing.assert_allclose(found, gradient, **tolerance)


@each("p", [SHORT, SHORT + 1])
@each("law", LAWS)
def test_rows_asked_for_ahead_and_longer_ones(law, p):
    kind, loss, draw, coded = LAWS[law]
    rng = np.random.default_rng(p)
    X, theta = rng.standard_normal((131, p)), rng.standard_normal(p + 1) / p
    y = draw(rng, 131).astype(float)
    f = X @ theta[:p] + theta[p]
    pull = losses.gradient(loss, coded(y), f)
    found, nothing = np.zeros(p + 1), read_only(np.empty(0))
    value = slopes(kind, rows_of(X), 131, p, read_only(y), nothing, nothing, theta, found)
    assert value == pytest.approx(losses.value(loss, coded(y), f).sum(), rel=1e-12)
    np.testing.assert_allclose(found, np.append(X.T @ pull, pull.sum()), rtol=1e-11, atol=1e-11)


@each("order", ["sorted", "shuffled", "repeated"])
def test_cross_products_of_sparse_rows(order):
    rng = np.random.default_rng(3)
    dense = rng.standard_normal((40, 7)) * (rng.random((40, 7)) < 0.4)
    X = sparse.csr_array(dense)
    if order == "shuffled":
        for i in range(40):
            inside = slice(X.indptr[i], X.indptr[i + 1])
            mixed = rng.permutation(X.indptr[i + 1] - X.indptr[i])
            X.indices[inside], X.data[inside] = X.indices[inside][mixed], X.data[inside][mixed]
    if order == "repeated":  # an entry stored as two halves
        X = sparse.csr_array((np.repeat(X.data / 2, 2), np.repeat(X.indices, 2), X.indptr * 2), shape=X.shape)
    weight = rng.standard_normal(40)
    Z = np.column_stack([dense, np.ones(40)])
    plain, bordered = np.zeros((7, 7)), np.zeros((8, 8))
    sparse_gram(rows_of(X), weight, plain)
    bordered_sparse_gram(rows_of(X), weight, bordered)
    np.testing.assert_allclose(plain, dense.T @ (dense * weight[:, None]), atol=1e-13)
    np.testing.assert_allclose(bordered, Z.T @ (Z * weight[:, None]), atol=1e-13)


@each("n", [1, 4, 7, 130])
def test_column_squares(n):
    X = np.random.default_rng(n).standard_normal((n, 3))
    out = np.ones(3)
    column_squares(read_only(X), out)
    np.testing.assert_allclose(out, 1.0 + (X**2).sum(axis=0), rtol=1e-14)


def _long_indices(X):
    X = sparse.csr_array(X)
    return sparse.csr_array((X.data, X.indices.astype(np.int64), X.indptr.astype(np.int64)), shape=X.shape)
