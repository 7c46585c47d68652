"""Columns far from zero without an intercept: predictions are small beside the terms that cancel in them."""

import copy
from itertools import product

import numpy as np

from learnable import certify
from learnable.certificates import Verdict
from learnable.linear import LinearRegression, Ridge


def test_answers_that_move_predictions_are_refuted_however_large_the_terms():
    """The equations are held to the target, and to the rounding of their terms, not to a share of these."""
    random, tried = np.random.default_rng(8), 0
    for far, model in product(
        (1e5, 1e7, 1e9), (LinearRegression(fit_intercept=False), Ridge(1e-6, fit_intercept=False))
    ):
        X = random.standard_normal((25, 4)) + far
        y = random.standard_normal(25)
        model.fit(X, y)
        assert model.certificate_.holds, model.certificate_
        assert certify(model, X, y).holds
        for factor in (1.3, 0.5, -1.0):
            altered = copy.deepcopy(model)
            altered.coef_ = factor * model.coef_
            if np.abs(altered.predict(X) - model.predict(X)).max() > 0.01 * np.abs(y).max():
                tried += 1
                assert certify(altered, X, y).verdict is Verdict.REFUTED, (far, model, factor)
    assert tried >= 12
