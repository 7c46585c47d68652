"""LinearSVC with few weights, and with all classes in one machine."""

import copy
import warnings
from itertools import islice

import numpy as np
from scipy import optimize, sparse
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning

from learnable import certify
from learnable.certificates import Verdict
from learnable.kernels import LinearSVC, LinearSVR
from learnable.problems.kernels.multiclass import losses
from learnable.solvers.kernels import crammer_singer, joint_interior_point
from learnable.trace import Status

random = np.random.default_rng(3)
X = random.standard_normal((90, 4)) + np.array([0.0, 0.0, 0.0, 5.0])
SCORE = X[:, 0] + 0.5 * X[:, 1] + 0.4 * random.standard_normal(90)
Y, Y3 = SCORE > 0.0, np.digitize(SCORE, [-0.6, 0.6])
WEIGHT = random.integers(0, 3, 90).astype(float)


def l1_value(model, y):
    slack = np.maximum(1.0 - np.where(y, 1.0, -1.0) * model.decision_function(X), 0.0)
    return np.abs(model.coef_).sum() + np.abs(model.intercept_).sum() + model.C * WEIGHT @ slack**2


def joint_value(theta, C):
    W = theta.reshape(3, 5)
    return 0.5 * np.sum(W**2) + C * WEIGHT @ losses(X @ W[:, :4].T + W[:, 4], Y3)


def test_their_minima_are_those_of_general_minimisers():
    model = LinearSVC(penalty="l1", C=0.3, tol=1e-8).fit(X, Y, sample_weight=WEIGHT)
    # w = u - v with u, v >= 0 makes the objective smooth.
    Z, y = np.column_stack([X, np.ones(90)]), np.where(Y, 1.0, -1.0)

    def objective(uv):
        slack = np.maximum(1.0 - y * (Z @ (uv[:5] - uv[5:])), 0.0)
        slope = -2.0 * 0.3 * Z.T @ (WEIGHT * y * slack)
        return uv.sum() + 0.3 * WEIGHT @ slack**2, np.concatenate([1.0 + slope, 1.0 - slope])

    least = optimize.minimize(objective, np.ones(10), jac=True, bounds=[(0.0, None)] * 10, options={"ftol": 1e-15})
    assert np.isclose(l1_value(model, Y), least.fun, rtol=1e-6)
    joint = LinearSVC(multi_class="crammer_singer", C=0.2, tol=1e-6, max_iter=20_000).fit(X, Y3, sample_weight=WEIGHT)
    theta = np.column_stack([joint.coef_, joint.intercept_]).ravel()
    here = joint_value(theta, 0.2)
    # A convex function: no random direction, and none towards other weights, leads below.
    for direction in random.standard_normal((40, 15)):
        for length in (1e-3, 1e-1):
            assert joint_value(theta + length * direction, 0.2) >= here * (1.0 - 1e-4)
    assert np.allclose(joint.coef_.sum(axis=0), 0.0, atol=1e-9)


def test_all_classes_in_one_machine_end_in_any_units():
    """Rows one at a time do not come near where C or a column is large; from within they do, to the same minimum."""
    index = np.unique(Y3, return_inverse=True)[1]
    *_, last = joint_interior_point.iterates(X, index, 3, 0.2 * WEIGHT, 1.0)
    passes = crammer_singer.iterates(X, index, 3, 0.2 * WEIGHT, 1.0, 1e-9, np.random.default_rng(0))
    by_rows = next(islice(passes, 2000, None))
    assert last.relative_gap < 1e-8
    assert last.objective <= joint_value(by_rows.W.ravel(), 0.2) * (1.0 + 1e-8)
    assert np.isclose(last.objective, by_rows.objective, rtol=1e-3)
    assert np.isclose(last.objective, joint_value(last.W.ravel(), 0.2), rtol=1e-10)
    assert np.allclose(last.alpha.T @ np.column_stack([X, np.ones(90)]), last.W, atol=1e-8)
    for load in (load_iris, load_wine):
        table, y = load(return_X_y=True)
        weight = np.where(np.arange(len(y)) % 7 == 0, 0.0, 1.0)
        for C in (1.0, 1e5):
            for given in (table, sparse.csr_array(table)):
                model = LinearSVC(multi_class="crammer_singer", C=C).fit(given, y, sample_weight=weight)
                assert model.status_ is Status.OPTIMAL, (load, C)
                assert str(certify(model, given, y, sample_weight=weight).verdict) == "proved"


def test_sparse_tables_weights_of_two_classes_and_alterations():
    cases = [
        (given, y)
        for given in ({"penalty": "l1"}, {"multi_class": "crammer_singer", "C": 0.1, "max_iter": 5000})
        for y in (Y, Y3)
    ]
    for given, y in cases:
        model = LinearSVC(**given).fit(X, y)
        other = LinearSVC(**given).fit(sparse.csr_array(X), y)
        np.testing.assert_allclose(model.coef_, other.coef_, atol=0.02)
        assert str(model.certificate_.verdict) == "proved"
        for name in ("coef_", "intercept_", "dual_coef_"):
            altered = copy.deepcopy(model)
            setattr(altered, name, 1.3 * getattr(model, name) + 0.01 * (name != "coef_"))
            assert str(certify(altered, X, y).verdict) == "refuted", (given, name)
    few, many = (LinearSVC(penalty="l1", C=C).fit(X, Y) for C in (0.01, 10.0))
    assert np.count_nonzero(few.coef_) < np.count_nonzero(many.coef_) == 4


def test_weights_and_dual_coefficients_shrunk_together_are_refuted():
    squared = LinearSVR(loss="squared_epsilon_insensitive"), SCORE
    for model, y in ((LinearSVC(C=0.2), Y), (LinearSVC(C=0.2, fit_intercept=False), Y), squared):
        model.fit(X, y)
        for share, verdict in ((1.0, "proved"), (0.97, "refuted")):
            shrunk = copy.deepcopy(model)
            for name in ("coef_", "intercept_", "dual_coef_"):
                setattr(shrunk, name, share * getattr(model, name))
            assert str(certify(shrunk, X, y).verdict) == verdict, (model, share)


def test_few_weights_off_by_a_fiftieth_are_not_proved_with_the_slopes_that_belong_to_them():
    draw = np.random.default_rng(1)
    rows = draw.standard_normal((60, 5))
    noisy = rows[:, 0] - 0.5 * rows[:, 1] + 0.5 * draw.standard_normal(60)
    for C in (0.03, 0.05, 1.0):
        for y in (noisy > 0.0, np.digitize(noisy, [-0.5, 0.5])):
            model = LinearSVC(penalty="l1", C=C, max_iter=10_000, random_state=0).fit(rows, y)
            assert certify(model, rows, y).holds, C
            apart = 0.02 * np.std(rows @ model.coef_.T, axis=0)
            for coef, intercept in (
                (1.03 * model.coef_, model.intercept_), (0.97 * model.coef_, model.intercept_),
                (model.coef_, model.intercept_ + apart),
            ):  # fmt: skip
                other = copy.deepcopy(model)
                other.coef_, other.intercept_ = coef, intercept
                sides = [np.where(y == k, 1.0, -1.0) for k in (model.classes_ if len(coef) > 1 else [True])]
                said = (rows @ coef.T + intercept).T
                other.dual_coef_ = np.array(
                    [2.0 * C * side * np.maximum(1.0 - side * f, 0.0) for side, f in zip(sides, said)]
                )
                assert not certify(other, rows, y).holds, C


def test_machines_that_spend_their_steps_one_after_the_other_are_left_open():
    # Three machines take three times the steps that the largest count tells of.
    X, y = np.random.default_rng(0).standard_normal((24, 2)) + 1e9, np.arange(24) % 3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LinearSVC(random_state=0, max_iter=200).fit(X, y)
    assert model.status_ is Status.BUDGET_SPENT
    assert certify(model, X, y).verdict is Verdict.NOTHING_ASSERTED
    model.coef_ = 1.01 * model.coef_
    assert certify(model, X, y).verdict is Verdict.REFUTED
