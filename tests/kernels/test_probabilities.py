"""Probabilities of machines: fitted to scores of rows left out, and put together from pairs."""

import copy

import numpy as np
import pytest
from scipy import optimize

from learnable import certify
from learnable.kernels import SVC, NuSVC
from learnable.problems.kernels.platt import probability, targets
from learnable.solvers.kernels.platt import coupled, sigmoid

random = np.random.default_rng(4)
X = random.standard_normal((150, 2))
SCORE = X[:, 0] + X[:, 1] ** 2 - 1.0 + 0.8 * random.standard_normal(150)
Y, Y3 = np.where(SCORE > 0.0, "up", "down"), np.digitize(SCORE, [-0.8, 0.8])


def test_a_sigmoid_is_the_likeliest_and_pairs_agree_with_the_classes_they_come_from():
    side, score, weight = np.where(SCORE > 0.0, 1.0, -1.0), 300.0 * X[:, 0], random.integers(0, 3, 150).astype(float)
    A, B = sigmoid(score, side, weight)
    t = targets(side, weight)

    def unlikeliness(theta):
        p = probability(score / 300.0, *theta)
        return -weight @ (t * np.log(p) + (1.0 - t) * np.log(1.0 - p))

    least = optimize.minimize(unlikeliness, [0.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12})
    np.testing.assert_allclose([300.0 * A, B], least.x, atol=1e-5)
    assert A < 0.0
    # Pairs that are consistent give back the classes' probabilities: rᵢⱼ = pᵢ/(pᵢ + pⱼ).
    p = random.dirichlet(np.ones(4), size=20)
    np.testing.assert_allclose(coupled(p[:, :, None] / (p[:, :, None] + p[:, None, :])), p, atol=1e-6)


def test_probabilities_are_of_rows_left_out_and_in_the_ledger():
    for model, y in ((SVC(probability=True), Y), (SVC(probability=True), Y3), (NuSVC(probability=True, nu=0.3), Y3)):
        model.fit(X, y)
        found = model.predict_proba(X)
        np.testing.assert_allclose(found.sum(axis=1), 1.0)
        np.testing.assert_allclose(np.log(found), model.predict_log_proba(X))
        assert np.mean(model.classes_[found.argmax(axis=1)] == y) > 0.6
        assert str(model.certificate_.verdict) == "proved"
        for name in ("probA_", "probB_", "left_out_scores_"):
            altered = copy.deepcopy(model)
            setattr(altered, name, 1.01 * getattr(model, name) + 1e-3)
            assert str(certify(altered, X, y).verdict) == "refuted", name
    # Labels that nothing predicts: rows left out say so, where the rows fitted to would not.
    blind = SVC(probability=True, C=1000.0, gamma=10.0).fit(X, random.integers(0, 2, 150))
    assert np.abs(blind.predict_proba(X) - 0.5).max() < 0.35
    with pytest.raises(AttributeError, match="predict_proba"):
        SVC().fit(X, Y).predict_proba(X)
    with pytest.raises(ValueError, match="two rows of each class"):
        SVC(probability=True).fit(X, ["one"] + 149 * ["many"])
