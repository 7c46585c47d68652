"""Every estimator on every kind of design it fits ends optimal, with a certificate that holds."""

from functools import cache

import numpy as np
from scipy import sparse
from sklearn.base import clone
from tests.cases import each

from learnable.linear import LinearRegression, LogisticRegression, Perceptron, Ridge
from learnable.sparse import Lasso
from learnable.trace import Status

MODELS = [
    LinearRegression(),
    LinearRegression(positive=True),
    Ridge(alpha=0.01),
    Ridge(alpha=10.0, positive=True),
    Lasso(alpha=0.1, tol=1e-8),
    Lasso(alpha=0.1, tol=1e-6, positive=True),
    LogisticRegression(tol=1e-6),
    LogisticRegression(C=100.0, tol=1e-6),
    Perceptron(tol=None, max_iter=100_000),
]
DESIGNS = {
    "tall": lambda rng: rng.standard_normal((150, 4)),
    "square": lambda rng: rng.standard_normal((20, 20)),
    "wide": lambda rng: rng.standard_normal((30, 80)),
    "correlated": lambda rng: rng.standard_normal((100, 1)) + 0.05 * rng.standard_normal((100, 6)),
    "deficient": lambda rng: rng.standard_normal((60, 2)) @ rng.standard_normal((2, 6)),
    "scaled": lambda rng: rng.standard_normal((80, 4)) * [1e-3, 1.0, 10.0, 1e2],
    "shifted": lambda rng: rng.standard_normal((80, 4)) + np.array([0.0, 10.0, -20.0, 5.0]),
    "counts": lambda rng: rng.poisson(1.0, (90, 5)).astype(float),
    "constant column": lambda rng: np.column_stack([rng.standard_normal((50, 3)), np.full(50, 2.0)]),
    "zero column": lambda rng: np.column_stack([rng.standard_normal((50, 3)), np.zeros(50)]),
    "one column": lambda rng: rng.standard_normal((40, 1)),
    "compressed": lambda rng: sparse.random_array((80, 10), density=0.3, rng=rng, format="csr"),
}


def target(model, X, rng):
    X = X.toarray() if sparse.issparse(X) else X
    beta = rng.standard_normal(X.shape[1]) / np.maximum(X.std(axis=0), 1e-9)
    score = X @ (beta * (X.std(axis=0) > 0))
    score = score - np.median(score)
    if isinstance(model, Perceptron):
        return (score > 0).astype(int)  # separable
    if isinstance(model, LogisticRegression):
        return (score + score.std() * rng.logistic(size=len(score)) > 0).astype(int)
    return score + score.std() * rng.standard_normal(len(score))


@cache
def fitted(model, design):
    rng = np.random.default_rng(sum(map(ord, design)))
    X = DESIGNS[design](rng)
    y = target(model, X, rng)
    return X, y, clone(model).fit(X, y)


@each("design", DESIGNS)
@each("model", MODELS, ids=repr)
def test_ends_with_a_certificate(model, design):
    X, _, model = fitted(model, design)
    assert model.status_ is Status.OPTIMAL
    assert model.certificate_.holds, model.certificate_
    assert np.all(np.isfinite(model.predict(X))) if not isinstance(model, LogisticRegression | Perceptron) else True


@each("design", DESIGNS)
@each("model", MODELS, ids=repr)
def test_weights_of_one_move_nothing(model, design):
    X, y, plain = fitted(model, design)
    coef = plain.coef_
    weighted = clone(model).fit(X, y, sample_weight=np.ones(X.shape[0])).coef_
    np.testing.assert_allclose(weighted, coef, atol=1e-7 * max(1.0, np.abs(coef).max()))
