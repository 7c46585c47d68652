"""Fits of scikit-learn's done again by scikit-learn: answers that other claims leave alike are told apart."""

import copy
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn import (
    cluster,
    covariance,
    decomposition,
    discriminant_analysis,
    ensemble,
    kernel_approximation,
    linear_model,
    mixture,
    svm,
    tree,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.naive_bayes import GaussianNB
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict

RNG = np.random.default_rng(7)
X = RNG.standard_normal((60, 4))
Y = X[:, 0] - X[:, 1] + 0.3 * RNG.standard_normal(60)
C = Y > 0.0
THREE = np.digitize(Y, [-0.5, 0.7])
FRAME = pd.DataFrame({"a": X[:, 0], "b": pd.Categorical(RNG.choice(list("xyz"), 60))})
BOOSTING = ensemble.HistGradientBoostingRegressor

# (model, rows, targets, what its parameters say after the fit)
ALTERED = [
    (tree.DecisionTreeClassifier(random_state=0), X, C, {"max_leaf_nodes": 30, "ccp_alpha": 0.01}),
    (tree.DecisionTreeRegressor(max_depth=2, random_state=0), X, Y, {"splitter": "random"}),
    (tree.ExtraTreeRegressor(max_depth=3, random_state=0), X, Y, {"random_state": 1}),
    (tree.ExtraTreeClassifier(max_depth=3, random_state=0), X, C, {"min_weight_fraction_leaf": 0.2}),
    (ensemble.RandomForestClassifier(3, random_state=0), X, C, {"max_features": 0.9}),
    (ensemble.RandomForestRegressor(3, max_features=0.5), X, Y, {"ccp_alpha": 0.02}),
    (ensemble.ExtraTreesRegressor(3), X, Y, {"max_leaf_nodes": 40}),
    (BOOSTING(max_iter=3, max_features=0.5), X, Y, {"max_bins": 20}),
    (BOOSTING(max_iter=3, max_features=0.5, random_state=0), X, Y, {"max_bins": 9}),
    (BOOSTING(max_iter=30, early_stopping=True), X, Y, {"learning_rate": 0.2}),
    (BOOSTING(max_iter=3), FRAME, Y, {"l2_regularization": 1.0}),
    (ensemble.AdaBoostClassifier(GaussianNB(), n_estimators=3), X, C, {"estimator": GaussianNB(var_smoothing=0.9)}),
    (cluster.KMeans(4, init="random", n_init=1, random_state=0), X, None, {"random_state": 5}),
    (mixture.GaussianMixture(3, tol=1e-8, max_iter=999, random_state=0), X, None, {"init_params": "random"}),
]  # fmt: skip


@each("model, rows, y, says", ALTERED)
def test_answers_of_other_options_are_not_proved(model, rows, y, says):
    data = (rows,) if y is None else (rows, y)
    model = copy.deepcopy(model).fit(*data)
    assert certify(model, *data).holds, certify(model, *data)
    assert not certify(model.set_params(**says), *data).holds


def _turned(name):
    """The model with an axis the other way round."""

    def altered(model):
        setattr(model, name, getattr(model, name) * np.array([-1.0, 1.0]))

    return altered


def _set(**values):
    return lambda model: vars(model).update(values)


# (model, targets, what is altered after the fit): what no other claim asks for.
LEFT = [
    (discriminant_analysis.LinearDiscriminantAnalysis(), THREE, _turned("scalings_")),
    (linear_model.Lars(fit_path=False, n_nonzero_coefs=2), Y, _set(n_nonzero_coefs=3)),
    (linear_model.Lars(), Y, _set(fit_path=False)),
    (linear_model.LassoCV(cv=3, alphas=[0.01, 0.1, 1.0]), Y, _set(cv=5)),
    (linear_model.RidgeCV(cv=3, alphas=[0.1, 100.0]), Y, _set(scoring="neg_mean_absolute_error", cv=4)),
    (linear_model.RidgeCV(), np.column_stack([Y, X[:, 2]]), _set(alpha_per_target=True)),
    (covariance.GraphicalLassoCV(cv=3), None, _set(cv=4)),
    (cluster.MiniBatchKMeans(3, random_state=0), None, _set(batch_size=20)),
    (cluster.SpectralClustering(3, random_state=0, assign_labels="discretize"), None, _set(assign_labels="cluster_qr")),
    (decomposition.KernelPCA(2, kernel="rbf", gamma=0.5), None, lambda model: _shift(model._centerer, "K_fit_all_")),
    (kernel_approximation.Nystroem(n_components=5, random_state=0), None, _set(random_state=1)),
    # All rows at their bounds, which leave the offset an interval.
    (svm.SVR(C=1e-3), Y, lambda model: _shift(model, "_intercept_") or _shift(model, "intercept_")),
    (svm.SVC(), C, _set(probability=True)),
    (svm.LinearSVC(C=0.01, random_state=0), C, lambda model: _shift(model, "intercept_")),
]  # fmt: skip


def _shift(part, name):
    setattr(part, name, 1.1 * getattr(part, name))


@each("model, y, alter", LEFT)
def test_what_other_claims_leave_open_is_settled_by_the_same_fit(model, y, alter):
    data = (X,) if y is None else (X, y)
    model = copy.deepcopy(model).fit(*data)
    found = certify(model, *data)
    assert found.holds, found
    alter(model)
    assert not certify(model, *data).holds


@each("gamma", [1e-8, 1e-5, 0.5])
@each("kernel", ["sigmoid", "rbf", "poly"])
def test_means_of_a_kernel_count_beside_what_is_left_of_it(kernel, gamma):
    """Of a kernel that hardly varies next to nothing is left once its means are taken off."""
    model = decomposition.KernelPCA(2, kernel=kernel, gamma=gamma).fit(X)
    assert certify(model, X).holds
    means = model._centerer.K_fit_rows_
    model._centerer.K_fit_rows_ = means + 0.1 * np.std(means) * np.cos(np.arange(len(X)))
    assert not certify(model, X).holds


def test_probabilities_of_machines_are_those_of_the_same_fit():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        model = svm.SVC(probability=True, random_state=0).fit(X, C)
        assert certify(model, X, C).holds
        _shift(model, "_probA")
        assert not certify(model, X, C).holds


def test_numbers_drawn_by_nobody_knows_what_are_left_as_they_were():
    """A second fit would end elsewhere, and refute or open nothing; where it draws none it tells as much as any."""
    for seed in range(4):
        clusters = cluster.KMeans(3, init="random", n_init=1, random_state=seed).fit(X)
        clusters.random_state = None
        assert certify(clusters, X).holds
    assert certify(cluster.MiniBatchKMeans(3).fit(X), X).verdict is not Verdict.REFUTED


def test_thresholds_and_values_that_say_nearly_the_same_are_those_of_the_fit():
    drawn = tree.ExtraTreeRegressor(max_depth=2, random_state=0).fit(X, Y)
    column = np.sort(X[:, drawn.tree_.feature[0]])
    after = np.searchsorted(column, drawn.tree_.threshold[0])
    drawn.tree_.threshold[0] = 0.5 * (column[after - 1] + column[after])
    boosted = BOOSTING(max_iter=3).fit(X, Y)
    boosted._baseline_prediction = boosted._baseline_prediction + 1e-4
    leaf = BOOSTING(max_iter=3).fit(X, Y)
    leaf._predictors[2][0].nodes["value"] *= 1.001
    voted = ensemble.AdaBoostClassifier(n_estimators=1).fit(X, C)
    voted.estimator_weights_ = 0.0 * voted.estimator_weights_
    for model in (drawn, boosted, leaf):
        assert not certify(model, X, Y).holds, model
    assert not certify(voted, X, C).holds


def test_a_fit_that_nobody_waits_for_is_not_done_again():
    voted = ensemble.AdaBoostClassifier(n_estimators=3).fit(X, C)
    assert certify(voted.set_params(n_estimators=10**9), X, C).verdict is Verdict.REFUTED
    clusters = cluster.KMeans(2, n_init=1, random_state=0).fit(X)
    assert not certify(clusters.set_params(n_init=10**9), X).holds
    with pytest.warns(ConvergenceWarning):
        mixed = mixture.GaussianMixture(2, max_iter=3, tol=1e-12, random_state=0).fit(X)
    assert not certify(mixed.set_params(max_iter=10**9), X).holds


def test_names_of_columns_need_not_be_given_again():
    frame = pd.DataFrame(X, columns=list("abcd"))
    for model in (ensemble.RandomForestRegressor(3), BOOSTING(max_iter=3)):
        assert certify(model.fit(frame, Y), X, Y).holds


NEAR = np.column_stack([X, X[:, [0]] + 1e-3 * RNG.standard_normal((60, 6))])
HALF, AWAY = RNG.random(60) > 0.5, X + np.array([4e3, 0.0, 0.0, 0.0])
# (model, rows, targets) of fits that stop, by their own rules, far from the optimum.
FAR_FROM_IT = [
    (svm.LinearSVC(C=100.0, penalty="l1", random_state=0), AWAY, C),
    (svm.LinearSVC(C=100.0, penalty="l1"), AWAY, C),  # whose random numbers nobody knows
    (svm.NuSVC(nu=0.2, max_iter=3), X, HALF),
    (linear_model.GammaRegressor(), 1e5 * X, np.exp(Y)),
    (linear_model.PoissonRegressor(max_iter=2), 1e5 * X, np.exp(Y)),
    (linear_model.Lasso(1e-3, max_iter=2), NEAR, Y),
    (linear_model.ElasticNetCV(alphas=5, cv=3, max_iter=2), NEAR, Y),
    (linear_model.LassoLars(1e-3, eps=100.0), X, Y),
    (covariance.GraphicalLasso(1e-3, max_iter=1), X[:, :3] + 3.0 * X[:, [3]], None),
]  # fmt: skip


@each("model, rows, y", FAR_FROM_IT)
def test_what_their_own_rules_leave_is_open_and_excuses_no_other_answer(model, rows, y):
    data = (rows,) if y is None else (rows, y)
    with warnings.catch_warnings(action="ignore"):
        model = copy.deepcopy(model).fit(*data)
    found = certify(model, *data)
    assert found.verdict is Verdict.NOTHING_ASSERTED, found
    assert any(claim.open for claim in found)
    for name in {"coef_", "dual_coef_", "precision_"} & vars(model).keys():
        altered = copy.deepcopy(model)
        setattr(altered, name, -3.0 * getattr(model, name))
        assert not certify(altered, *data).holds


def test_a_fit_that_falls_short_excuses_no_answer_of_another():
    """The same fit reaches the bound: an answer that does not is another's."""
    for model in (linear_model.Lasso(0.01, tol=1e-10), svm.LinearSVR(C=0.1, tol=1e-8, max_iter=10**6)):
        model.fit(X, Y)
        assert certify(model, X, Y).holds, model
        model.coef_ = 1.5 * model.coef_
        assert certify(model, X, Y).verdict is Verdict.REFUTED, model
