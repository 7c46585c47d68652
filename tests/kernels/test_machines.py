"""Support vector machines: against LIBSVM, against brute force, and what their certificates notice."""

import copy
import tracemalloc
import warnings

import numpy as np
import pytest
from scipy import optimize, sparse
from sklearn import kernel_ridge, svm
from sklearn.datasets import load_wine
from sklearn.exceptions import ConvergenceWarning

import learnable.kernels as ours
from learnable import certify
from learnable.certificates import Verdict
from learnable.kernels import (
    RBF,
    SVC,
    SVR,
    HardMarginSVC,
    KernelClassifier,
    KernelPerceptron,
    KernelRegressor,
    KernelRidge,
    LinearSVC,
    NotSeparable,
    NuSVC,
    OneClassSVM,
    svm_c_path,
    svm_report,
)
from learnable.trace import Status, watch

random = np.random.default_rng(1)
X = random.standard_normal((120, 3))
SCORE = X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * random.standard_normal(120)
Y = np.where(SCORE > 0.0, "up", "down")
Y3 = np.digitize(SCORE, [-0.7, 0.7])
WIDE = sparse.random_array((700, 60_000), density=5e-4, rng=np.random.default_rng(0), format="csr")
WIDE_Y = np.arange(700) % 2
WEIGHT = random.integers(0, 4, 120).astype(float)


def proved(model) -> bool:
    return str(model.certificate_.verdict) == "proved"


def test_a_table_of_values_gives_the_machines_of_its_kernel():
    """Two and three classes in any order; fewer and more rows than are taken out of a table before they are met."""
    many = random.standard_normal((1100, 3))
    above = np.digitize(many[:, 0] + 0.2 * random.standard_normal(1100), [-0.5, 0.5])
    for rows, target in ((X, Y), (X, Y3), (many, above)):
        kernel = RBF(0.4)
        for kind in (SVC, NuSVC) if len(rows) < 1000 else (SVC,):
            model = kind(kernel=kernel, tol=1e-6) if kind is SVC else kind(kernel=kernel, nu=0.2, tol=1e-6)
            direct = copy.deepcopy(model).fit(rows, target)
            by_table = model.set_params(kernel="precomputed").fit(kernel(rows), target)
            assert by_table.certificate_.holds
            expected = direct.decision_function(rows)
            np.testing.assert_allclose(by_table.decision_function(kernel(rows)), expected, atol=1e-4)


def test_libsvm_at_a_tight_tolerance_has_the_same_machines():
    cases = [
        ("SVC", {"C": 2.0}, Y), ("SVC", {"kernel": "poly", "coef0": 1.0}, Y3),
        ("SVC", {"class_weight": "balanced"}, Y3),
        ("NuSVC", {"nu": 0.4}, Y), ("SVR", {"C": 3.0, "epsilon": 0.2}, SCORE), ("NuSVR", {"nu": 0.3, "C": 2.0}, SCORE),
        ("OneClassSVM", {"nu": 0.2}, None),
    ]  # fmt: skip
    for name, given, y in cases:
        one = getattr(ours, name)(tol=1e-9, **given).fit(X, y)
        two = getattr(svm, name)(tol=1e-9, **given).fit(X, y)
        score = "decision_function" if hasattr(two, "decision_function") else "predict"
        np.testing.assert_array_equal(one.support_, two.support_, err_msg=name)
        np.testing.assert_allclose(one.dual_coef_, two.dual_coef_, atol=2e-5, err_msg=name)
        np.testing.assert_allclose(getattr(one, score)(X), getattr(two, score)(X), atol=2e-6, err_msg=name)
        if y is not SCORE:
            clear = np.abs(two.decision_function(X)).reshape(120, -1).min(axis=1) > 1e-4
            np.testing.assert_array_equal(one.predict(X)[clear], two.predict(X)[clear], err_msg=name)
        assert proved(one), name
        assert one.status_ is Status.OPTIMAL, name
        assert str(certify(two, X, y).verdict) == "proved", name


def test_foreign_fits_of_every_class_are_read_with_and_without_stored_kernels():
    K = RBF(0.4)(X)
    for fitted, data in (
        (svm.SVC(kernel="precomputed").fit(K, Y), (K, Y)),
        (svm.SVC(kernel=lambda a, b: RBF(0.4)(a, b)).fit(X, Y), (X, Y)),
        (svm.SVC().fit(sparse.csr_array(X), Y3), (sparse.csr_array(X), Y3)),
        (svm.LinearSVC(C=0.1).fit(X, Y3), (X, Y3)),
        (svm.LinearSVC(loss="hinge", C=0.1, tol=1e-6, max_iter=100_000).fit(X, Y), (X, Y)),
        # More columns than rows: no matrix of columns by columns may be formed.
        (svm.LinearSVC(loss="hinge", tol=1e-6, max_iter=100_000).fit(WIDE, WIDE_Y), (WIDE, WIDE_Y)),
        (svm.LinearSVC().fit(WIDE, WIDE_Y), (WIDE, WIDE_Y)),
        (svm.SVR(kernel="precomputed").fit(K, SCORE), (K, SCORE)),
        (kernel_ridge.KernelRidge(kernel="rbf", alpha=0.1).fit(X, SCORE), (X, SCORE)),
    ):
        assert str(certify(fitted, *data).verdict) == "proved", fitted
        altered = copy.deepcopy(fitted)
        name = "coef_" if isinstance(fitted, svm.LinearSVC) else "dual_coef_"
        setattr(altered, name, getattr(fitted, name) * 1.5)
        assert str(certify(altered, *data).verdict) == "refuted", fitted
        setattr(altered, name, getattr(fitted, name) * 1.01)
        assert str(certify(altered, *data).verdict) != "proved", fitted
        for used in ("_dual_coef_", "_intercept_", "_BaseLibSVM__Xfit"):
            if hasattr(fitted, used) and callable(getattr(fitted, "kernel", None)):
                altered = copy.deepcopy(fitted)
                setattr(altered, used, -getattr(fitted, used))
                assert str(certify(altered, *data).verdict) == "refuted", used
    # Rows of weight 0 are not counted by LIBSVM; with a table of values scikit-learn then takes the wrong columns.
    for fitted, y in ((svm.SVC(), Y3), (svm.NuSVC(nu=0.3), Y), (svm.SVR(), SCORE), (svm.NuSVR(), SCORE)):
        fitted.fit(X, y, sample_weight=WEIGHT)
        assert str(certify(fitted, X, y, sample_weight=WEIGHT).verdict) == "proved", fitted
        fitted.support_ = fitted.support_[::-1].copy()
        assert str(certify(fitted, X, y, sample_weight=WEIGHT).verdict) == "refuted", fitted
    table = svm.SVC(kernel="precomputed").fit(K, Y, sample_weight=WEIGHT)
    assert str(certify(table, K, Y, sample_weight=WEIGHT).verdict) == "refuted"
    own = SVC(kernel=lambda a, b: RBF(0.4)(a, b)).fit(X, Y)
    own.support_vectors_ = 1.01 * own.support_vectors_
    assert not certify(own, X, Y).holds
    loose = svm.SVC(tol=0.5).fit(X, Y)
    assert str(certify(loose, X, Y).verdict) != "proved"


def test_the_dual_is_solved_by_brute_force_too():
    small, z = X[:14], np.where(SCORE[:14] > 0.0, 1.0, -1.0)
    Q = z[:, None] * RBF(0.5)(small) * z
    found = optimize.minimize(
        lambda a: 0.5 * a @ Q @ a - a.sum(), np.full(14, 0.1), jac=lambda a: Q @ a - 1.0, bounds=[(0.0, 2.0)] * 14,
        constraints={"type": "eq", "fun": lambda a: a @ z, "jac": lambda a: z}, method="SLSQP", options={"ftol": 1e-14},
    )  # fmt: skip
    model = SVC(C=2.0, gamma=0.5, tol=1e-9).fit(small, z)
    alpha = np.zeros(14)
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    assert 0.5 * alpha @ Q @ alpha - alpha.sum() <= found.fun + 1e-9
    np.testing.assert_allclose(alpha, found.x, atol=1e-4)


def test_forms_of_one_problem_have_one_solution():
    # The RKHS form without offset, by another solver; the squared loss is kernel ridge with λ = 1/C.
    hinge = KernelClassifier("hinge", RBF(0.4), C=2.0).fit(X, Y)
    z = np.where(Y == "up", 1.0, -1.0)
    K = RBF(0.4)(X)
    beta = hinge.dual_coef_[:, 0]
    assert np.all((z * beta >= 0.0) & (z * beta <= 2.0))
    lam = 0.5
    value = np.maximum(1.0 - z * (K @ beta), 0.0).sum() + 0.5 * lam * beta @ K @ beta
    for _ in range(20):
        other = beta + 0.05 * random.standard_normal(len(beta))
        assert value <= np.maximum(1.0 - z * (K @ other), 0.0).sum() + 0.5 * lam * other @ K @ other + 1e-6
    squared = KernelRegressor("squared", RBF(0.4), C=4.0).fit(X, SCORE)
    ridge = KernelRidge(0.25, kernel=RBF(0.4)).fit(X, SCORE)
    np.testing.assert_allclose(squared.dual_coef_, ridge.dual_coef_, rtol=1e-6)
    linear, dual = KernelRidge(0.5).fit(X, SCORE), np.linalg.solve(X.T @ X + 0.5 * np.eye(3), X.T @ SCORE)
    np.testing.assert_allclose(linear.predict(X), X @ dual, rtol=1e-9)
    for loss in ("absolute", "huber", "epsilon_insensitive", "squared_epsilon_insensitive"):
        assert proved(KernelRegressor(loss, RBF(0.4)).fit(X, SCORE)), loss
    for loss in ("hinge", "squared_hinge", "logistic", "modified_huber"):
        assert proved(KernelClassifier(loss, RBF(0.4)).fit(X, Y3)), loss


def test_rows_follow_the_conditions_of_their_class():
    model = SVC(C=2.0, tol=1e-6).fit(X, Y)
    report = svm_report(model, X, Y)
    tell = report.margins
    assert np.all(tell[report.support_class == "none"] >= 1.0 - 1e-5)
    assert np.allclose(tell[report.support_class == "free"], 1.0, atol=1e-5)
    assert np.all(tell[report.support_class == "bounded"] <= 1.0 + 1e-5)
    assert np.all((report.slack_class == "wrong side") == (tell < 0.0))
    assert np.isclose(report.full_width, 2.0 * report.margin)
    assert np.isclose(report.margin * report.norm, 1.0)
    left_out = []
    for i in range(0, 120, 3):
        rest = np.delete(np.arange(120), i)
        again = SVC(C=2.0, gamma=model.gamma_, tol=1e-5).fit(X[rest], Y[rest])
        left_out.append(again.predict(X[i : i + 1])[0] != Y[i])
    assert np.mean(left_out) <= report.loo_by_support
    assert np.mean(left_out) <= report.loo_by_span <= report.loo_by_support
    assert abs(np.mean(left_out) - report.loo_estimate) < 0.12
    assert report.shattering_bound(dimension=3) <= 4.0
    # The bounds are for f, offset included, of the norm it has round the mean of the features.
    assert np.isclose(report.mean_score, model.decision_function(X).mean())
    assert np.abs(model.decision_function(X)).max() <= report.norm * report.radius + abs(report.mean_score) + 1e-9
    moved = svm_report(SVC(C=2.0, tol=1e-6).fit(X, np.where(SCORE > -1.5, 1, 0)), X, np.where(SCORE > -1.5, 1, 0))
    assert moved.rho_margin_bound(1.0).terms["complexity"] >= 2.0 * abs(moved.mean_score) / 120**0.5
    uniform = report.margin_bound()
    fixed = report.rho_margin_bound(uniform.parameters["rho"])
    assert 0.0 < fixed.value < uniform.value
    assert svm_report(svm.SVC(C=2.0).fit(X, Y), X, Y).loo_by_support > 0.0


def test_the_path_in_C_is_that_of_single_machines():
    path = svm_c_path(X[:50], Y[:50], C_min=0.05, C_max=20.0, gamma=0.4)
    assert path.C[0] == 0.05
    assert path.C[-1] == 20.0
    assert path.relative_gap.max() < 1e-6
    assert np.all(np.diff(path.margin) <= 1e-7 * path.margin[:-1])
    for C in (0.3, 1.7, 9.0):
        beta, b = path.at(C)
        model = SVC(C=C, gamma=0.4, tol=1e-9).fit(X[:50], Y[:50])
        np.testing.assert_allclose(RBF(0.4)(X[:50]) @ beta + b, model.decision_function(X[:50]), atol=1e-4)
    last = SVC(C=20.0, gamma=0.4, tol=1e-9).fit(X[:50], Y[:50])
    np.testing.assert_allclose(path.scores(RBF(0.4)(X[50:], X[:50]))[-1], last.decision_function(X[50:]), atol=1e-4)


def test_the_hard_margin_and_its_refutation():
    z = np.where(X[:, 0] + 0.5 * X[:, 1] > 0.0, 1, -1)
    apart = X + 0.4 * z[:, None] * np.array([1.0, 0.5, 0.0])
    model = HardMarginSVC("linear").fit(apart, z)
    assert proved(model)
    assert np.isclose(np.min(z * model.decision_function(apart)), 1.0)
    assert np.isclose(model.margin_, 1.0 / np.linalg.norm(model.coef_))
    # The 0/∞ loss: every C beyond the largest α gives the same machine.
    for C in (1e3, 1e5):
        soft = SVC(kernel="linear", C=C, tol=1e-7).fit(apart, z)
        np.testing.assert_allclose(soft.coef_[0], model.coef_, rtol=2e-3)
    origin = HardMarginSVC("linear", fit_intercept=False).fit(apart, z)
    assert proved(origin)
    assert origin.intercept_ == 0.0
    assert origin.margin_ <= model.margin_ + 1e-9
    best = optimize.minimize(
        lambda w: 0.5 * w @ w, origin.coef_ * 1.5, jac=lambda w: w, method="SLSQP",
        constraints={"type": "ineq", "fun": lambda w: z * (apart @ w) - 1.0, "jac": lambda w: z[:, None] * apart},
    )  # fmt: skip
    np.testing.assert_allclose(origin.coef_, best.x, rtol=1e-3)
    with pytest.raises(NotSeparable) as refused:
        HardMarginSVC("linear").fit(X, Y)
    assert refused.value.refutation.holds_for(X, np.unique(Y, return_inverse=True)[1])


def test_the_perceptron_of_a_kernel_counts_its_mistakes():
    square = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    model = KernelPerceptron("poly", degree=2, gamma=1.0).fit(square, [1, -1, -1, 1])
    assert proved(model)
    assert np.all(np.abs(model.dual_coef_).sum() == model.n_mistakes_)
    z = np.where(X[:, 0] > 0.0, 1.0, -1.0)
    apart = X + 0.3 * z[:, None] * np.array([1.0, 0.0, 0.0])
    linear = KernelPerceptron("linear").fit(apart, z)
    theta = np.zeros(3)
    for i in linear.mistake_log_:
        assert z[i] * (apart[i] @ theta) <= 0.0
        theta += z[i] * apart[i]
    np.testing.assert_allclose(linear.dual_coef_ @ apart, theta)
    with pytest.warns(ConvergenceWarning):
        assert KernelPerceptron("linear", max_iter=3).fit(X, Y).status_ is Status.BUDGET_SPENT


def test_the_mistakes_of_a_kernel_perceptron_are_those_of_the_rows_in_their_order():
    z, order = np.where(X[:, 0] * X[:, 1] > 0.0, "up", "down")[:40], np.arange(40)[::-1]
    model, turned = (KernelPerceptron(gamma=2.0).fit(X[:40][place], z[place]) for place in (np.arange(40), order))
    assert certify(model, X[:40], z).holds
    other, swapped = copy.deepcopy(model), copy.deepcopy(model)
    other.dual_coef_, other.mistake_log_ = turned.dual_coef_[order], order[turned.mistake_log_]
    other.n_mistakes_ = turned.n_mistakes_
    swapped.mistake_log_[[0, 1]] = swapped.mistake_log_[[1, 0]]
    for forged in (other, swapped):
        assert certify(forged, X[:40], z).verdict is Verdict.REFUTED


def test_weights_are_repetitions_and_sparse_rows_are_rows():
    repeated = np.repeat(np.arange(120), WEIGHT.astype(int))
    for model in (SVC(gamma=0.4, tol=1e-8), LinearSVC(tol=1e-8), NuSVC(nu=0.3, gamma=0.4, tol=1e-8)):
        one = model.fit(X, Y, sample_weight=WEIGHT).decision_function(X)
        two = model.fit(X[repeated], Y[repeated]).decision_function(X)
        np.testing.assert_allclose(one, two, atol=1e-4)
    for model, y in ((SVC(), Y3), (SVR(), SCORE), (OneClassSVM(), None), (LinearSVC(), Y), (KernelRidge(), SCORE)):
        model.fit(X, y) if y is not None else model.fit(X)
        dense = model.predict(X)
        table = sparse.csr_array(X)
        model.fit(table, y) if y is not None else model.fit(table)
        if y is SCORE:
            np.testing.assert_allclose(model.predict(table), dense, atol=5e-3)
        else:
            assert np.mean(model.predict(table) == dense) > 0.95
    # As scikit-learn keeps them, and no less verified.
    for kind, y in ((SVC, Y3), (SVR, SCORE)):
        model = kind(kernel="linear").fit(sparse.csr_array(X), y)
        assert sparse.issparse(model.dual_coef_)
        np.testing.assert_allclose(model.coef_.toarray(), kind(kernel="linear").fit(X, y).coef_, atol=1e-2)
        assert proved(model)
        model.dual_coef_ = 1.01 * model.dual_coef_
        assert not certify(model, sparse.csr_array(X), y).holds


def test_a_budget_is_never_called_converged_and_states_can_be_watched():
    with pytest.warns(ConvergenceWarning):
        model = SVC(max_iter=3).fit(X, Y)
    assert model.status_ is Status.BUDGET_SPENT
    assert not proved(model)
    seen = [step.state for step in watch(SVC(C=10.0), X, Y)]
    assert seen[-1].violation <= 1e-3
    assert seen[-1].objective <= seen[0].objective
    assert seen[-1].n_support > 0
    *_, last = watch(LinearSVC(loss="hinge", random_state=0), X, Y)
    assert last.state.n_support == np.count_nonzero(LinearSVC(loss="hinge", random_state=0).fit(X, Y).dual_coef_) > 0


def test_a_small_cache_gives_the_same_machine():
    many = np.random.default_rng(3).standard_normal((1300, 2))
    y = many[:, 0] ** 2 + many[:, 1] > 0.5
    one, two = (SVC(cache_size=size, tol=1e-5).fit(many, y) for size in (200, 0.5))
    np.testing.assert_allclose(one.decision_function(many), two.decision_function(many), atol=1e-4)
    assert proved(one)
    assert proved(two)


def test_many_rows_never_take_a_table_of_all_their_values():
    """Two steps of 100,000 rows: beside the stated ceiling a few columns, not the 80 GB of n² doubles."""
    many = random.standard_normal((100_000, 2))
    for model, target in ((SVC, many[:, 0] > many[:, 1] ** 2), (SVR, many[:, 0])):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            tracemalloc.start()
            model(max_iter=2, cache_size=20).fit(many, target)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
        assert peak < 20e6 + 50 * many.nbytes


def test_neither_ceiling_nor_shrinking_nor_threads_change_the_answer(monkeypatch):
    from threadpoolctl import threadpool_limits

    from learnable.solvers.kernels import smo

    monkeypatch.setattr(smo, "SMALL", 50)
    monkeypatch.setattr(smo, "WORKING_SET", 40)
    many = np.random.default_rng(5).standard_normal((600, 4))
    target = many[:, 0] * many[:, 1] + 0.3 * np.random.default_rng(6).standard_normal(600)
    set_aside = []
    shrink = smo.without_the_rest
    monkeypatch.setattr(smo, "without_the_rest", lambda *given: set_aside.append(given[4]) or shrink(*given))
    for kind, y in ((SVC, target > 0.0), (SVR, target)):
        # 600 rows of 600 doubles take 2.7 MB; 0.9 MB keep 196 of them.
        settings = [{"cache_size": 200}, {"cache_size": 0.9}, {"cache_size": 0.9, "shrinking": False}]
        found = [kind(C=0.5, tol=1e-6, **each).fit(many, y) for each in settings]
        assert set_aside, "nothing was set aside"
        set_aside.clear()
        with threadpool_limits(1):
            alone = kind(C=0.5, tol=1e-6, **settings[1]).fit(many, y)
        assert np.array_equal(alone.dual_coef_, found[1].dual_coef_)
        assert np.array_equal(alone.intercept_, found[1].intercept_)
        for model in found:
            assert str(model.certificate_.verdict) == "proved"
            np.testing.assert_allclose(model.decision_function(many) if kind is SVC else model.predict(many),
                                       found[0].decision_function(many) if kind is SVC else found[0].predict(many),
                                       atol=2e-5)  # fmt: skip
        set_aside.clear()


def test_columns_far_from_zero_cost_linear_kernel_ridge_no_digits():
    for n, p, offset in ((100, 3, 1e6), (60, 2, 3e6)):
        far = offset + np.random.default_rng(0).standard_normal((n, p))
        y = 3.0 + (far - offset).sum(axis=1) + 0.1 * np.random.default_rng(1).standard_normal(n)
        for weight in (None, np.random.default_rng(2).integers(0, 3, n).astype(float)):
            model = KernelRidge(alpha=0.5).fit(far, np.column_stack([y, -2.0 * y]), sample_weight=weight)
            assert proved(model), model.certificate_
    near = KernelRidge(alpha=0.5).fit(X, SCORE, sample_weight=WEIGHT)
    light = KernelRidge(alpha=0.5e-8).fit(X, SCORE, sample_weight=1e-8 * WEIGHT)
    assert proved(light), light.certificate_
    np.testing.assert_allclose(light.predict(X), near.predict(X), atol=1e-9)
    assert proved(KernelRidge(alpha=0.5).fit(X, SCORE, sample_weight=1e-8 * WEIGHT))
    theirs = kernel_ridge.KernelRidge(alpha=0.5).fit(X, SCORE, sample_weight=WEIGHT + 1e-300)
    np.testing.assert_allclose(near.dual_coef_, theirs.dual_coef_, atol=1e-9)
    np.testing.assert_allclose(near.predict(X), theirs.predict(X), atol=1e-9)


def test_a_minimum_of_zero_ends_and_is_proved():
    # The origin is among the points: w = 0, and no relative gap can fall below a share of 0.
    for scale in (1e-4, 1.0):
        assert proved(OneClassSVM(kernel="linear").fit(scale * X))


def test_functions_of_two_tables_and_weights_of_pairs():
    linear = SVC(kernel="linear").fit(X, Y3)
    own = SVC(kernel=lambda one, two: one @ two.T).fit(X, Y3)
    assert proved(own)
    np.testing.assert_allclose(own.dual_coef_, linear.dual_coef_, atol=1e-9)
    pairs = SVC(kernel="linear", decision_function_shape="ovo").fit(X, Y3).decision_function(X)
    np.testing.assert_allclose(X @ linear.coef_.T + linear.intercept_, pairs, atol=1e-9)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        SVC(max_iter=1).fit(X, Y3)


def test_linear_machines_end_in_any_units():
    """Coordinates one at a time do not come near where C or a column is large; from within the box they do."""
    random = np.random.default_rng(5)
    X = random.standard_normal((150, 4))
    y = X @ np.array([1.0, -2.0, 0.5, 0.0]) + random.standard_normal(150)
    far, tall = np.array([1e4, 0.0, 0.0, 0.0]), np.array([1e6, 1.0, 1.0, 1.0])
    for table in (X * 1e4, X * 1e8, X * tall, X + far, sparse.csr_array(np.where(np.abs(X) < 0.5, 0.0, X) * 1e6)):
        weight = np.where(np.arange(150) % 5 == 0, 0.0, 1.0)
        for model in (ours.LinearSVR(), ours.LinearSVR(epsilon=0.3), LinearSVC(loss="hinge")):
            target = y if isinstance(model, ours.LinearSVR) else y > 0.0
            for given in ({}, {"sample_weight": weight}):
                model.fit(table, target, **given)
                assert model.status_ is Status.OPTIMAL, (model, model.certificate_)
                assert certify(model, table, target, **given).holds
    # Classes that can be told apart: the dual value is far below zero for many steps.
    wine, cultivar = load_wine(return_X_y=True)
    for C in (1e3, 1e7):
        assert proved(LinearSVC(loss="hinge", C=C).fit(wine, cultivar)), C
    small, large = ours.LinearSVR(C=1e8, intercept_scaling=1e-4).fit(X, y), ours.LinearSVR().fit(X * 1e4, y)
    np.testing.assert_allclose(small.coef_, 1e4 * large.coef_, atol=1e-3)


def test_rows_far_from_zero_or_near_to_each_other_keep_their_digits():
    """A machine with a free offset does not ask where zero is, nor for the unit of the columns."""
    z = np.where(X[:, 0] > 0.0, 1.0, -1.0)
    apart = X + 0.3 * z[:, None] * np.array([1.0, 0.0, 0.0])
    for far in (1e6, 1e8):
        for model, y in ((SVC(kernel="linear", tol=1e-6), Y3), (SVR(kernel="linear", tol=1e-6), SCORE)):
            score = "decision_function" if isinstance(model, SVC) else "predict"
            near = getattr(model.fit(X, y), score)(X)
            assert proved(model.fit(X + far, y)), (model, model.certificate_)
            np.testing.assert_allclose(getattr(model, score)(X + far), near, atol=1e-5)
        for linear, y in (
            (LinearSVC(loss="hinge"), Y),
            (ours.LinearSVR(), SCORE),
            (ours.LinearSVR(epsilon=0.3), SCORE),
        ):
            assert proved(linear.fit(X + far, y)), (linear, linear.certificate_)
    margin = HardMarginSVC("linear").fit(apart, z).margin_
    for unit in (1e-8, 1e8):
        hard = HardMarginSVC("linear").fit(unit * apart, z)
        assert proved(hard), hard.certificate_
        assert np.isclose(hard.margin_, unit * margin, rtol=1e-4)
    assert proved(HardMarginSVC().fit(1e-4 * apart, z))


def test_a_budget_that_is_not_spent_leaves_a_tube_of_no_width():
    for nu, kernel in ((1.0, "rbf"), (0.999, "rbf"), (1.0, "linear")):
        model = ours.NuSVR(nu=nu, kernel=kernel, tol=1e-5).fit(X, SCORE)
        assert proved(model), model.certificate_
        assert model.epsilon_ == 0.0
        np.testing.assert_allclose(
            model.predict(X), SVR(epsilon=0.0, kernel=kernel, tol=1e-5).fit(X, SCORE).predict(X), atol=2e-3
        )
        for name in ("intercept_", "epsilon_"):
            altered = copy.deepcopy(model)
            setattr(altered, name, getattr(model, name) + 1e-4)
            assert not certify(altered, X, SCORE).holds, name


def test_weights_of_classes_and_rows_together_mean_what_liblinear_means():
    for given, y in (({}, Y3), ({"loss": "hinge"}, Y3), ({"penalty": "l1", "dual": False}, Y3), ({}, Y)):
        settings = {"C": 0.3, "class_weight": "balanced", "tol": 1e-7, "max_iter": 100_000, **given}
        mine = LinearSVC(**settings).fit(X, y, sample_weight=WEIGHT)
        theirs = svm.LinearSVC(random_state=0, **settings).fit(X, y, sample_weight=WEIGHT)
        np.testing.assert_allclose(mine.decision_function(X), theirs.decision_function(X), atol=1e-3)
        assert proved(mine)
        # Without dual coefficients of its own a hinge may be left open.
        verdicts = ("proved", "nothing asserted") if given else ("proved",)
        assert str(certify(theirs, X, y, sample_weight=WEIGHT).verdict) in verdicts


def test_an_offset_that_all_rows_share_costs_few_passes():
    """The column of the offset binds the rows: by steps of rows alone these fits took 30 to 600 passes each."""
    rows, passes = abs(WIDE[:400, :6000]), 0
    for loss in ("hinge", "squared_hinge"):
        for scale in (1.0, 30.0):
            for units in (1e-3, 1.0):
                model = LinearSVC(loss=loss, intercept_scaling=scale, random_state=0).fit(rows * units, WIDE_Y[:400])
                assert proved(model), (loss, scale, units)
                passes += model.n_iter_
    assert passes < 8 * 40, passes


def test_scores_of_pairs_are_those_of_all_rows_where_they_count(monkeypatch):
    from learnable.certificates.kernels import reading, svc
    from learnable.problems.kernels.pairs import pair_sides

    monkeypatch.setattr(reading, "MANY", 0)
    for model in (SVC(C=3.0, kernel="poly"), NuSVC(nu=0.3)):
        for table in (X, sparse.csr_array(X)):
            model.fit(table, Y3)
            assert proved(model)
            found = svc.one_against_one(model, table, Y3)
            support = np.sort(model.support_)
            whole = reading.scores(found.kernel, table, support, found.beta[support])
            np.testing.assert_allclose(found.product, np.where(pair_sides(Y3, 3) != 0.0, whole, 0.0), atol=1e-12)
            for k in range(0, model.dual_coef_.shape[1], 20):
                altered = copy.deepcopy(model)
                altered.dual_coef_[:, k] *= 0.9
                assert not certify(altered, table, Y3).holds, k
