"""Digits of likelihood fits on few cells: a step by reflections on centred rows finds nothing left to do."""

from itertools import product

import numpy as np
from scipy import linalg
from tests.cases import each

from learnable.linear import GammaRegressor, LogisticRegression, PoissonRegressor

N = 40


def one_more_step(X, y, coef, intercept, mean_and_weights):
    """Reweighted least squares from (coef, intercept), on columns about their means."""
    Z = np.column_stack([X - X.mean(axis=0), np.ones(N)])
    off, weight = mean_and_weights(Z @ np.append(coef, intercept + X.mean(axis=0) @ coef), y)
    root = np.sqrt(weight)
    Q, R = np.linalg.qr(Z * root[:, None])
    return linalg.solve_triangular(R, Q.T @ (off / root))[:-1]


def logistic(f, y):
    p = 1.0 / (1.0 + np.exp(-f))
    return y - p, p * (1.0 - p)


def poisson(f, y):
    return y - np.exp(f), np.exp(f)


def gamma(f, y):
    return y / np.exp(f) - 1.0, y / np.exp(f)


@each(
    ("model", "formulas"),
    [
        (LogisticRegression(C=np.inf), logistic),
        (PoissonRegressor(alpha=0.0), poisson),
        (GammaRegressor(alpha=0.0), gamma),
    ],
    ids=["logistic", "poisson", "gamma"],
)
def test_nothing_is_left_to_do(model, formulas):
    for far, unit, draw in product((0.0, 1e3), (0, 4), range(4)):
        random = np.random.default_rng([int(far), unit, draw])
        X = random.standard_normal((N, 3))
        mean = np.exp(0.5 * X[:, 0])
        y = {
            logistic: random.random(N) < mean / (1.0 + mean),
            poisson: random.poisson(mean),
            gamma: mean * random.gamma(2.0, 0.5, N),
        }[formulas] * 1.0
        X = X * 10.0 ** random.uniform(-unit, unit, 3)
        X[:, 1] += far * X[:, 1].std()
        model.fit(X, y)
        assert model.certificate_.holds
        coef = np.ravel(model.coef_)
        step = one_more_step(X, y, coef, np.ravel(model.intercept_)[0], formulas)
        size = X.std(axis=0)
        assert np.abs(step * size).max() <= 1e-14 * np.abs(coef * size).max(), (far, unit, draw)
