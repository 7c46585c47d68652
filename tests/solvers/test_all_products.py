"""Few columns, through all their cross-products: the equations of the signs are solved, of twins one is enough."""

import numpy as np
from tests.cases import each

from learnable.sparse import ElasticNet, Lasso

MODELS = [Lasso(0.02), ElasticNet(0.02), ElasticNet(0.02, l1_ratio=0.1), Lasso(0.02, positive=True), Lasso(1e-6)]


def a_table(seed, twins=False):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(30, 300)), int(rng.integers(4, 20))
    X = rng.standard_normal((n, p)) + 10.0 ** rng.integers(0, 3)
    if twins:
        X[:, 1] = X[:, 0]
    y = 0.1 * (X - X.mean(axis=0)) / X.std(axis=0) @ rng.standard_normal(p) + rng.standard_normal(n)
    return X, y


@each("model", MODELS, ids=str)
def test_the_answer_solves_the_equations_of_its_signs(model):
    """By QR, in the units of the columns: 12 digits and more, although a gap at its bound would leave half of them."""
    for seed in range(6):
        X, y = a_table(seed)
        coef = model.fit(X, y).coef_
        S, n = np.flatnonzero(coef), len(y)
        Z, sign = X[:, S] - X[:, S].mean(axis=0), np.sign(coef[S])
        share = getattr(model, "l1_ratio", 1.0)
        Q, R = np.linalg.qr(np.vstack([Z / np.sqrt(n), np.sqrt(model.alpha * (1.0 - share)) * np.eye(len(S))]))
        right = Q[:n].T @ (y - y.mean()) / np.sqrt(n)
        exact = np.linalg.solve(R, right - np.linalg.solve(R.T, model.alpha * share * sign))
        length = Z.std(axis=0)
        assert np.max(np.abs(coef[S] - exact) * length) <= 1e-11 * np.max(np.abs(exact) * length), seed


@each("model", [Lasso(0.02), Lasso(1e-6), Lasso(0.02, positive=True)], ids=str)
def test_of_two_equal_columns_one_is_enough(model):
    for seed in range(8):
        X, y = a_table(seed, twins=True)
        model.fit(X, y)
        assert not model.coef_[0] * model.coef_[1], seed
        assert model.certificate_.holds, seed
