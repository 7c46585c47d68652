"""Gradient boosting with exact trees: every loss certified, scikit-learn's scores, draws, stopping."""

import copy

import numpy as np
import pytest
from sklearn import ensemble as foreign

from learnable import certify
from learnable.ensembles import GradientBoostingClassifier, GradientBoostingRegressor


def a_table(seed, n=90):
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, 3)).astype(np.float32).astype(float)
    return X, np.sin(2 * X[:, 0]) + X[:, 1] + 0.2 * random.standard_normal(n), random.random(n) + 0.1


def test_every_loss_is_certified_and_falls():
    X, y, weight = a_table(0)
    cases = [
        (GradientBoostingRegressor(loss=loss), y) for loss in ("squared_error", "absolute_error", "huber", "quantile")
    ]
    cases += [
        (GradientBoostingClassifier(), y > 0),
        (GradientBoostingClassifier(loss="exponential"), y > 0),
        (GradientBoostingClassifier(max_depth=2), np.digitize(y, [-0.5, 0.5])),
        (GradientBoostingRegressor(subsample=0.5, max_features=2), y),
        (GradientBoostingRegressor(n_iter_no_change=2), y),
    ]
    for model, target in cases:
        model.set_params(n_estimators=5, random_state=0).fit(X, target, sample_weight=weight)
        found = certify(model, X, target, weight)
        assert found.holds, f"{model}\n{found}"
        if getattr(model, "loss", "") in ("squared_error", "absolute_error", "quantile") and model.subsample == 1.0:
            assert np.all(np.diff(model.train_loss_) <= 1e-12)
        other = copy.deepcopy(model)
        leaf = np.flatnonzero(other.trees_[-1].is_leaf)[0]
        other.steps_[-1][leaf] += 0.05
        assert not certify(other, X, target, weight).holds


def test_scores_are_those_of_scikit_learn():
    X, y, weight = a_table(1, 150)
    Xt, _, _ = a_table(2, 150)
    rival = foreign.GradientBoostingRegressor(n_estimators=20, random_state=0).fit(X, y, weight)
    ours = GradientBoostingRegressor(n_estimators=20).fit(X, y, weight)
    assert np.allclose(rival.predict(Xt), ours.predict(Xt), atol=1e-6)
    rival = foreign.GradientBoostingClassifier(n_estimators=15, random_state=0).fit(X, y > 0)
    ours = GradientBoostingClassifier(n_estimators=15).fit(X, y > 0)
    assert np.mean(np.abs(rival.predict_proba(Xt) - ours.predict_proba(Xt))) < 0.02
    with pytest.raises(ValueError, match="two classes"):
        GradientBoostingClassifier(loss="exponential").fit(X, np.digitize(y, [-0.5, 0.5]))
