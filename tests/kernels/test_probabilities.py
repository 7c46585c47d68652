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
    with pytest.raises(ValueError, match="a class of two rows"):
        SVC(probability=True).fit(X[:3], ["one", "two", "three"])


def test_a_class_of_one_row_is_scored_by_machines_that_have_not_met_it():
    """The pairs of that class say the other one; those of the others go on, whatever the sign of two classes alone."""
    y = np.where(np.arange(150) == 40, "alone", Y)
    model = SVC(probability=True).fit(X, y)  # classes: alone, down, up
    part = np.empty(150, dtype=int)
    for label in model.classes_:
        part[y == label] = np.arange(np.sum(y == label)) % 5
    out = part == part[40]
    assert not np.any(y[~out] == "alone")
    np.testing.assert_array_equal(model.left_out_scores_[out, :2], -1.0)
    machine = SVC(gamma=model.gamma_).fit(X[~out], y[~out])
    np.testing.assert_allclose(model.left_out_scores_[out, 2], -machine.decision_function(X[out]), atol=1e-12)
    rest = SVC(gamma=model.gamma_, decision_function_shape="ovo").fit(X[part != 3], y[part != 3])
    np.testing.assert_allclose(model.left_out_scores_[part == 3], rest.decision_function(X[part == 3]), atol=1e-12)
    assert str(certify(model, X, y).verdict) == "proved"
    # Between two classes as well, where one part has no machine at all.
    two = SVC(probability=True).fit(X, ["one"] + 149 * ["many"])
    np.testing.assert_array_equal(two.left_out_scores_[np.r_[0, 1:150:5], 0], -1.0)
    assert two.predict_proba(X)[:, 0].min() > 0.5
    assert str(certify(two, X, ["one"] + 149 * ["many"]).verdict) == "proved"
