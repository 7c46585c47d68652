"""`certify` on fitted scikit-learn estimators: holds at tight tolerance, fails when the answer is not good enough."""

import copy
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn import (
    cluster,
    covariance,
    decomposition,
    discriminant_analysis,
    ensemble,
    kernel_approximation,
    kernel_ridge,
    linear_model,
    mixture,
    naive_bayes,
    neural_network,
    svm,
    tree,
)
from sklearn._loss import HalfSquaredError
from sklearn.exceptions import ConvergenceWarning
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.linear import Ridge

RNG = np.random.default_rng(41)
X = RNG.standard_normal((200, 6)) + 1.0
SCORE = X @ np.array([2.0, -1.5, 1.0, 0.0, 0.0, 0.5])
Y = SCORE + 0.5 * RNG.standard_normal(200)
LABEL = np.where(SCORE + RNG.logistic(size=200) > SCORE.mean(), "yes", "no")
THREE = np.array(["low", "mid", "high"])[np.digitize(SCORE + RNG.logistic(size=200), np.quantile(SCORE, [0.3, 0.7]))]
WEIGHT = RNG.uniform(0.2, 3.0, 200)

REGRESSIONS = [
    linear_model.LinearRegression(),
    linear_model.LinearRegression(fit_intercept=False),
    linear_model.LinearRegression(positive=True),
    linear_model.Ridge(alpha=2.0),
    linear_model.Ridge(alpha=2.0, solver="svd", fit_intercept=False),
    linear_model.Lasso(alpha=0.1, tol=1e-10, max_iter=10**5),
    linear_model.Lasso(alpha=0.1, tol=1e-10, max_iter=10**5, positive=True),
    linear_model.ElasticNet(alpha=0.1, l1_ratio=0.3, tol=1e-10, max_iter=10**5),
]


@each("weight", [None, WEIGHT], ids=["", "weighted"])
@each("model", REGRESSIONS, ids=repr)
def test_regressions(model, weight):
    model.fit(X, Y, sample_weight=weight)
    certificate = certify(model, X, Y, weight)
    assert certificate.holds, certificate
    assert not certify(model, X, Y + 0.1 * X[:, 0], weight).holds


@each("solver", ["lbfgs", "newton-cg", "newton-cholesky", "sag", "saga"])
@each("y", [LABEL, THREE], ids=["binary", "softmax"])
@each("class_weight", [None, "balanced"])
def test_logistic_regression(solver, y, class_weight):
    model = linear_model.LogisticRegression(solver=solver, C=0.5, tol=1e-6, max_iter=10**5, class_weight=class_weight)
    model.fit(X, y)
    # scikit-learn's `tol` is not the gradient for every solver, so the claim is judged at a level of its own.
    certificate = certify(model.set_params(tol=1e-3), X, y)
    assert certificate.holds, certificate
    assert certificate.claim("O6").value < 1e-4
    model.coef_ = model.coef_ * 1.01
    assert not certify(model.set_params(tol=1e-5), X, y).holds


def test_perceptron_shows_its_training_error():
    model = linear_model.Perceptron().fit(X, LABEL)
    certificate = certify(model, X, LABEL)
    assert certificate.verdict is Verdict.NOTHING_ASSERTED
    assert certificate.claim("P5").value == pytest.approx(1.0 - model.score(X, LABEL))


def test_unconverged_answers_are_exposed():
    with pytest.warns(ConvergenceWarning):
        model = linear_model.Lasso(alpha=1e-3, max_iter=1, tol=1e-12).fit(X, Y)
    certificate = certify(model, X, Y)
    assert not certificate.holds
    assert certificate.claim("L3").value == pytest.approx(model.dual_gap_, rel=1e-6)


@each(
    "model, y",
    [
        (linear_model.LinearRegression(fit_intercept=False), Y),
        (linear_model.Ridge(solver="lsqr"), Y),
        (linear_model.Ridge(solver="sag", tol=1e-8, max_iter=10**5, random_state=0), Y),
        (linear_model.RidgeCV(cv=3), Y),
        (linear_model.LogisticRegression(solver="saga", l1_ratio=1.0, C=0.5, max_iter=10**5, random_state=0), LABEL),
    ],
)
@each("seed", range(3))
def test_iterations_that_stop_by_their_own_measure_are_left_open(model, y, seed):
    """What they miss is no more than they were asked for, and another answer is refuted."""
    chosen = np.random.default_rng(seed).permutation(len(X))[:60]
    units = 10.0 ** np.random.default_rng(seed).uniform(-1.0, 1.0, X.shape[1])
    S, y = sparse.csr_array((X * (np.abs(X) > 1.0) * units)[chosen]), y[chosen]
    if isinstance(model, linear_model.LogisticRegression):
        S = S.toarray() / units
    model.fit(S, y)
    assert certify(model, S, y).verdict is not Verdict.REFUTED
    model.coef_ = 1.05 * model.coef_
    assert certify(model, S, y).verdict is Verdict.REFUTED


def test_sparse_data_and_sparsified_coefficients():
    S = sparse.csr_matrix(X * (np.abs(X) > 1.0))
    for model in (linear_model.Ridge(solver="sparse_cg", tol=1e-14), linear_model.Lasso(alpha=0.1, tol=1e-10)):
        model.fit(S, Y)
        assert certify(model, S, Y).claims[0].value == pytest.approx(certify(model, S.toarray(), Y)[0].value, abs=1e-12)
    percept = linear_model.Perceptron().fit(S, LABEL)
    before = certify(percept, S, LABEL)
    assert certify(percept.sparsify(), S, LABEL) == before


def test_a_class_derived_from_ours_is_judged_as_ours_wherever_it_is_defined():
    X, y = np.random.default_rng(0).standard_normal((2, 30))
    for home in ("somewhere.models", "sklearn.linear_model.tests.test_sgd"):
        derived = type("MyRidge", (Ridge,), {"__module__": home})
        assert derived().fit(X[:, None], y).certificate_.holds
        assert certify(derived().fit(X[:, None], y), X[:, None], y).holds


def test_options_that_make_another_problem_are_judged_as_that_problem():
    """liblinear penalises the intercept; a forest may weigh classes anew in each of its samples."""
    from sklearn.cluster import SpectralClustering
    from sklearn.ensemble import RandomForestClassifier

    rng = np.random.default_rng(1)
    X = rng.standard_normal((90, 4))
    score = X @ [1.2, -1.0, 0.7, 0.0] + 0.6 * rng.standard_normal(90)
    for options in ({}, {"intercept_scaling": 10.0}, {"l1_ratio": 1.0, "tol": 1e-8}, {"fit_intercept": False}):
        model = linear_model.LogisticRegression(solver="liblinear", **options).fit(X, score > 0.0)
        assert certify(model, X, score > 0.0).holds, options
        model.coef_ = 1.1 * model.coef_
        assert not certify(model, X, score > 0.0).holds, options
    forest = RandomForestClassifier(3, class_weight="balanced_subsample", random_state=0).fit(X, score > 0.5)
    assert certify(forest, X, score > 0.5).holds
    assert not certify(forest.set_params(class_weight="balanced"), X, score > 0.5).holds
    loose = (linear_model.Ridge(positive=True).fit(X, score), SpectralClustering(random_state=0).fit(X))
    for model in loose:
        assert all(claim.holds or claim.open for claim in certify(model, X, score))


def test_far_from_zero_scikit_learns_discriminants_lose_digits_and_are_not_called_wrong():
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    rng = np.random.default_rng(1)
    X = rng.standard_normal((70, 3))
    y = (X @ [1.2, -1.0, 0.7] + 0.6 * rng.standard_normal(70) > 0.0).astype(int)
    for solver in ("lsqr", "eigen"):
        assert certify(LinearDiscriminantAnalysis(solver=solver).fit(X, y), X, y).holds
        far = X + np.array([1e6, -1e5, 0.0])
        fitted = LinearDiscriminantAnalysis(solver=solver).fit(far, y)
        assert certify(fitted, far, y).verdict is not Verdict.REFUTED
        fitted.intercept_ = fitted.intercept_ + 10.0
        assert certify(fitted, far, y).verdict is Verdict.REFUTED


def _worst_of_its_folds(model):
    """The penalty that cross-validation liked least, with the honest answer for it."""
    tried = model.cv_results_
    worst = covariance.GraphicalLasso(float(tried["alphas"][np.argmin(tried["mean_test_score"])])).fit(X)
    return {"alpha_": worst.alpha, "precision_": worst.precision_, "covariance_": worst.covariance_}


FORGED = [
    (svm.SVC(), LABEL, lambda model: {"support_vectors_": model.support_vectors_[:0]}),
    (svm.SVR(), Y, lambda model: {"support_vectors_": model.support_vectors_[:0]}),
    (svm.SVC(), LABEL, lambda model: {"_probA": None}),
    (svm.SVR(), Y, lambda model: {"_intercept_": model._intercept_.tolist()}),
    (decomposition.KernelPCA(3, kernel="rbf"), None, lambda model: {"gamma_": None}),
    (decomposition.KernelPCA(3, kernel="poly"), None, lambda model: vars(model._centerer).update(K_fit_rows_=Y) or {}),
    (ensemble.AdaBoostClassifier(n_estimators=8), LABEL, lambda model: {"n_classes_": 3}),
    (ensemble.AdaBoostClassifier(n_estimators=8), LABEL, lambda model: {"estimators_": model.estimators_[:-1]}),
    (tree.DecisionTreeClassifier(max_depth=3), LABEL, lambda model: {"n_classes_": [2]}),
    (ensemble.HistGradientBoostingRegressor(max_iter=3), Y,
     lambda model: {"_baseline_prediction": np.array([[np.nan]])}),
    (discriminant_analysis.LinearDiscriminantAnalysis(), THREE, lambda model: {"_max_components": 1}),
    (linear_model.PoissonRegressor(tol=1e-9, max_iter=1000), Y - Y.min(),
     lambda model: {"_base_loss": HalfSquaredError()}),
    (covariance.GraphicalLassoCV(alphas=3, n_refinements=1), None, _worst_of_its_folds),
    (neural_network.MLPRegressor(hidden_layer_sizes=(4,), max_iter=50), Y,
     lambda model: {"coefs_": [-each for each in model.coefs_]}),
    (neural_network.MLPRegressor(hidden_layer_sizes=(4,), solver="lbfgs", alpha=0.1, max_iter=5000), Y,
     lambda model: {name: [0.0 * each for each in vars(model)[name]] for name in ("coefs_", "intercepts_")}),
]  # fmt: skip


@each("model, y, forged", FORGED, ids=lambda value: repr(value)[:30] if hasattr(value, "fit") else "")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_what_predicts_is_judged_wherever_it_is_kept(model, y, forged):
    data = (X,) if y is None else (X, y)
    model = model.set_params(**({"random_state": 0} if "random_state" in model.get_params() else {})).fit(*data)
    assert certify(model, *data).verdict is not Verdict.REFUTED
    vars(model).update(forged(model))
    assert not certify(model, *data).holds


def test_honest_fits_in_their_own_digits_are_proved():
    """Single precision, targets far from zero or tiny, all axes of sparse rows."""
    single, seen = X.astype(np.float32), np.maximum(X, 0.0)
    for model, A, y in (
        (kernel_ridge.KernelRidge(alpha=0.1, kernel="rbf"), single, Y.astype(np.float32)),
        (tree.DecisionTreeRegressor(random_state=0), X, Y + 1e6),
        (tree.DecisionTreeRegressor(random_state=0), X, 1e-8 * Y),
        (ensemble.RandomForestRegressor(5, random_state=0), X, Y + 1e6),
        (ensemble.RandomForestRegressor(5, random_state=0), X, 1e-8 * Y),
        (decomposition.PCA(), sparse.csr_matrix(seen), None),
        (decomposition.KernelPCA(2, kernel="rbf", fit_inverse_transform=True), single, None),
    ):
        data = (A,) if y is None else (A, y)
        assert certify(model.fit(*data), *data).holds, (model, certify(model, *data))


def test_least_angle_regression_without_a_path_keeps_a_table_of_one_row():
    for fit_intercept in (True, False):
        given = {"fit_path": False, "fit_intercept": fit_intercept}
        for model in (linear_model.Lars(**given), linear_model.LassoLars(alpha=0.01, **given)):
            model.fit(X, Y)
            assert model.coef_.shape == (1, 6)
            assert certify(model, X, Y).holds, model
            model.coef_ = 1.01 * model.coef_
            assert certify(model, X, Y).verdict is Verdict.REFUTED
    stopped = linear_model.LassoLars(alpha=0.01, fit_path=False, max_iter=2).fit(X, Y)
    assert certify(stopped, X, Y).verdict is Verdict.NOTHING_ASSERTED


def test_covariances_that_leave_single_precision_few_digits_are_not_refuted():
    for seed in range(6):  # as many rows in a component as columns, or fewer
        rows = np.random.default_rng(seed).standard_normal((6, 4)).astype(np.float32)
        fitted = mixture.GaussianMixture(2, random_state=0).fit(rows)
        assert certify(fitted, rows).verdict is not Verdict.REFUTED, seed
    for name in ("precisions_", "precisions_cholesky_", "covariances_"):
        other = copy.deepcopy(fitted)
        setattr(other, name, 1.2 * getattr(other, name))
        assert certify(other, rows).verdict is Verdict.REFUTED, name


def test_losses_that_networks_report_in_single_precision_are_those_of_its_digits():
    for seed in range(6):
        rows = np.random.default_rng(seed).standard_normal((30, 3)).astype(np.float32)
        for kind, y in ((neural_network.MLPClassifier, rows[:, 0] > 0.0), (neural_network.MLPRegressor, rows[:, 0])):
            model = kind(hidden_layer_sizes=(5,), solver="lbfgs", random_state=seed).fit(rows, y)
            assert certify(model, rows, y).verdict is not Verdict.REFUTED, (kind, seed)
            model.loss_ = 1.1 * model.loss_
            assert not certify(model, rows, y).holds


def test_rounds_of_boosting_are_all_those_asked_for():
    for model in (
        ensemble.HistGradientBoostingRegressor(max_iter=5),
        ensemble.HistGradientBoostingClassifier(max_iter=5),
    ):
        y = Y if isinstance(model, ensemble.HistGradientBoostingRegressor) else LABEL
        model.fit(X, y)
        assert certify(model, X, y).holds
        model._predictors = model._predictors[:-1]
        assert certify(model, X, y).verdict is Verdict.REFUTED


def test_trees_without_a_split_have_no_value_in_histogram_boosting():
    model = ensemble.HistGradientBoostingClassifier(learning_rate=1.0, max_iter=20).fit(X, THREE)
    assert certify(model, X, THREE).holds
    trees = [tree for trees in model._predictors for tree in trees]
    alone = next(tree for tree in trees if len(tree.nodes) == 1)
    alone.nodes["value"][0] = 0.01 * max(np.abs(tree.nodes["value"]).max() for tree in trees)
    assert certify(model, X, THREE).verdict is Verdict.REFUTED


def test_coordinate_descent_without_a_penalty_ends_where_it_was_asked_to():
    for model, y in (
        (linear_model.Lasso(alpha=0.0), Y),
        (linear_model.ElasticNet(alpha=0.0), Y),
        (linear_model.MultiTaskLasso(alpha=0.0), np.column_stack([Y, SCORE])),
    ):
        for columns in (X, np.hstack([X, X[:, :1]])):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                model.fit(columns, y)
            assert certify(model, columns, y).verdict is not Verdict.REFUTED
        model.coef_ = 1.05 * model.coef_
        assert certify(model, columns, y).verdict is Verdict.REFUTED


def test_stumps_that_say_the_same_of_the_rows_are_told_from_those_of_the_fit():
    model = ensemble.AdaBoostClassifier(n_estimators=5, random_state=0).fit(X, LABEL)
    assert certify(model, X, LABEL).holds
    stump = model.estimators_[2].tree_
    cells = np.sort(X[:, stump.feature[0]])
    after = np.searchsorted(cells, stump.threshold[0])
    said = model.predict(X)
    stump.threshold[0] = 0.9 * cells[after - 1] + 0.1 * cells[after]
    assert (model.predict(X) == said).all()
    assert not certify(model, X, LABEL).holds


def test_more_columns_may_be_asked_for_than_there_are():
    for model in (tree.DecisionTreeRegressor(max_features=9, random_state=0), tree.ExtraTreeRegressor(max_features=9)):
        assert certify(model.fit(X, Y), X, Y).verdict is not Verdict.REFUTED


def test_clusters_that_were_stopped_are_left_open():
    for options in ({"max_iter": 1}, {"tol": 0.5}):
        model = cluster.KMeans(5, init="random", n_init=1, random_state=0, **options).fit(X)
        assert certify(model, X).verdict is Verdict.NOTHING_ASSERTED, options
    model.tol = 1e-4
    assert certify(model, X).verdict is Verdict.REFUTED


def test_presences_without_a_threshold_are_added_up():
    rows = np.abs(X)
    rows = rows / rows.max()
    model = naive_bayes.BernoulliNB(binarize=None).fit(rows, LABEL)
    assert certify(model, rows, LABEL).holds
    counted = naive_bayes.BernoulliNB(binarize=0.5).fit(rows, LABEL)
    assert certify(counted, rows, LABEL).holds
    assert certify(counted.set_params(binarize=None), rows, LABEL).verdict is Verdict.REFUTED


def test_mixtures_that_were_stopped_are_left_open():
    for seed in range(4):
        with pytest.warns(ConvergenceWarning):
            model = mixture.GaussianMixture(3, max_iter=1, init_params="random", tol=1e-8, random_state=seed).fit(X)
        assert certify(model, X).verdict is Verdict.NOTHING_ASSERTED
        model.covariances_ = 1.2 * model.covariances_
        assert certify(model, X).verdict is Verdict.REFUTED


def test_sums_of_sparse_rows_far_from_zero_have_few_digits():
    far = X[:40, :2] + [1e6, 0.0]
    for seed in range(3):
        model = cluster.KMeans(3, n_init=1, random_state=seed).fit(sparse.csr_array(far))
        assert certify(model, sparse.csr_array(far)).verdict is not Verdict.REFUTED
    model.inertia_ = 1.1 * model.inertia_
    assert certify(model, sparse.csr_array(far)).verdict is Verdict.REFUTED


def test_features_of_a_kernel_that_may_be_no_inner_product_may_be_longer_than_it_says():
    """Of a few components it seems to be one."""
    for seed in range(8):
        for options in ({"kernel": "sigmoid"}, {"kernel": "poly", "coef0": -0.5}):
            model = kernel_approximation.Nystroem(n_components=2, random_state=seed, **options).fit(X)
            assert certify(model, X).verdict is not Verdict.REFUTED
    model.normalization_ = 1.1 * model.normalization_
    assert certify(model, X).verdict is Verdict.REFUTED
