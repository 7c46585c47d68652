"""No alteration of one attribute is proved, no parameter loosens a verdict, and honest fits are not refuted."""

import copy

import numpy as np
import pytest
from scipy import sparse
from sklearn import naive_bayes as sklearn_naive_bayes
from tests.bayes.attacks import unnoticed
from tests.cases import each

from learnable import bayes, certify
from learnable.certificates import Verdict
from learnable.linear import (
    BayesianLinearRegression,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)

RANDOM = np.random.default_rng(4)
Y = np.repeat([0, 1, 2], [40, 30, 20])
X = RANDOM.standard_normal((90, 3)) @ [[1.0, 0.3, 0.0], [0.0, 1.0, 0.2], [0.0, 0.0, 1.0]] + 1.5 * np.eye(3)[Y]
WORDS = RANDOM.poisson(np.array([[0.5, 1.0, 2.0, 3.0], [2.0, 1.0, 1.0, 0.5], [1.0, 3.0, 0.5, 0.5]])[Y])
COUNTS = ("MultinomialNB", "BernoulliNB", "ComplementNB", "CategoricalNB")


def discriminants():
    for options in (
        {}, {"store_covariance": True}, {"solver": "lsqr"}, {"solver": "eigen"}, {"solver": "eigen", "shrinkage": 0.3},
        {"solver": "eigen", "shrinkage": "auto"}, {"priors": [0.2, 0.3, 0.5]}, {"unbiased": True}, {"n_components": 1},
    ):  # fmt: skip
        yield LinearDiscriminantAnalysis(**options)
    for options in ({"store_covariance": True}, {"solver": "eigen", "shrinkage": "auto"}, {"reg_param": 0.1}):
        yield QuadraticDiscriminantAnalysis(**options)


@each("model", list(discriminants()), ids=str)
def test_discriminants(model):
    harmless = {"rotations_: negated, in the first", "explained_variance_ratio_: turned about"}
    for rows in (slice(None), slice(0, 70)):
        if rows.stop and (model.get_params().get("priors") is not None):
            continue
        found = unnoticed(copy.deepcopy(model).fit(X[rows], Y[rows]), X[rows], Y[rows])
        assert set(found) <= harmless, found


def test_an_estimator_that_is_a_word_and_a_huge_tol_prove_nothing():
    for kind, solver in ((LinearDiscriminantAnalysis, "lsqr"), (QuadraticDiscriminantAnalysis, "eigen")):
        model = kind(solver=solver, store_covariance=True).fit(X, Y)
        forged = copy.deepcopy(model)
        forged.covariance_estimator = "x"
        assert certify(forged, X, Y).verdict is not Verdict.PROVED
    model = LinearDiscriminantAnalysis().fit(X, Y)
    for tol in (1e6, 0.9):
        forged = copy.deepcopy(model)
        forged.coef_, forged.tol = -model.coef_, tol
        assert certify(forged, X, Y).verdict is Verdict.REFUTED


@each("name", [*COUNTS, "GaussianNB", "NaiveBayes"])
def test_naive_bayes(name):
    data = X if name in ("GaussianNB", "NaiveBayes") else WORDS
    weight = RANDOM.random(len(Y)) + 0.1
    # Columns with as many values each can be put in any order.
    harmless = {"n_categories_: turned about"}
    found = unnoticed(getattr(bayes, name)().fit(data, Y), data, Y)
    found += unnoticed(getattr(bayes, name)().fit(data, Y, sample_weight=weight), data, Y, weight)
    assert set(found) <= harmless, found


def test_counts_moved_along_a_direction_that_the_source_names():
    """Counts that keep every projection on a fixed direction: `certify` counts all of them again."""
    for name in COUNTS[:3]:
        for data in (WORDS, sparse.csr_matrix(WORDS)):
            model = getattr(bayes, name)().fit(data, Y)
            for seed in (0, 9):
                direction = np.random.default_rng(seed).uniform(1.0, 2.0, 4)
                forged = copy.deepcopy(model)
                forged.feature_count_[0, :2] += 0.4 * np.array([direction[1], -direction[0]])
                assert not certify(forged, data, Y).holds


@each("name", [*COUNTS, "GaussianNB", "NaiveBayes"])
def test_single_precision_cells_with_double_weights(name):
    weight = RANDOM.random(len(Y)) + 0.1
    cells = (X if name in ("GaussianNB", "NaiveBayes") else WORDS).astype(np.float32)
    for scale in (1e-8, 1.0, 1e8):
        model = getattr(bayes, name)().fit(cells, Y, sample_weight=scale * weight)
        assert model.certificate_.holds, model.certificate_
        assert certify(model, cells, Y, scale * weight).holds
    if name != "NaiveBayes":
        theirs = getattr(sklearn_naive_bayes, name)().fit(cells, Y, sample_weight=weight)
        assert certify(theirs, cells, Y, weight).holds, certify(theirs, cells, Y, weight)


def test_partial_fits_of_scikit_learn_are_left_open_and_not_called_wrong():
    theirs = sklearn_naive_bayes.GaussianNB(var_smoothing=0.1)
    order = RANDOM.permutation(len(Y))
    for batch in np.array_split(order, 3):
        theirs.partial_fit(X[batch] * (1.0 + batch[0] % 2), Y[batch], classes=[0, 1, 2])
    seen = np.concatenate([X[batch] * (1.0 + batch[0] % 2) for batch in np.array_split(order, 3)])
    assert certify(theirs, seen, Y[order]).verdict is Verdict.NOTHING_ASSERTED
    theirs.theta_ = theirs.theta_ + 0.1
    assert certify(theirs, seen, Y[order]).verdict is Verdict.REFUTED
    for name in COUNTS:
        theirs = getattr(sklearn_naive_bayes, name)()
        if name == "CategoricalNB":
            theirs.set_params(min_categories=int(WORDS.max()) + 1)
        for batch in np.array_split(order, 3):
            theirs.partial_fit(WORDS[batch], Y[batch], classes=[0, 1, 2])
        assert certify(theirs, WORDS, Y).holds, name


def test_parameters_altered_after_the_fit():
    for model, data, changes in (
        (bayes.MultinomialNB(), WORDS, {"alpha": 2.0, "fit_prior": False, "class_prior": [0.2, 0.3, 0.5]}),
        (bayes.BernoulliNB(), WORDS, {"alpha": 2.0, "binarize": 1.0}),
        (bayes.CategoricalNB(), WORDS, {"alpha": 2.0, "m": 1.0, "min_categories": 99}),
        (bayes.GaussianNB(), X, {"var_smoothing": 1e-2, "priors": [0.2, 0.3, 0.5]}),
        (QuadraticDiscriminantAnalysis(), X, {"reg_param": 0.1, "priors": [0.2, 0.3, 0.5]}),
        (LinearDiscriminantAnalysis(solver="lsqr"), X, {"shrinkage": 0.1, "unbiased": True, "solver": "svd"}),
    ):
        model.fit(data, Y)
        for name, value in changes.items():
            forged = copy.deepcopy(model)
            setattr(forged, name, value)
            assert not certify(forged, data, Y).holds, (model, name)


def test_bayesian_regression_and_densities():
    target = X @ [1.0, -2.0, 0.5] + RANDOM.standard_normal(len(X))
    assert unnoticed(BayesianLinearRegression().fit(X, target), X, target) == []
    assert unnoticed(BayesianLinearRegression(noise_scale=0.7, fit_intercept=False).fit(X, target), X, target) == []
    density = bayes.ParametricDensity().fit(np.abs(X))
    assert certify(density, np.abs(X)).holds
    density.estimates_ = bayes.ParametricDensity("exponential").fit(np.abs(X)).estimates_
    assert not certify(density, np.abs(X)).holds
    with pytest.raises(ValueError, match="y is needed"):
        certify(bayes.GaussianNB().fit(X, Y), X)
