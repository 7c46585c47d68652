"""What is claimed of stochastic gradient descent: reported numbers, zero as a yardstick, and a true duality gap."""

import copy
import warnings

import numpy as np
import pytest
from scipy import optimize, sparse
from sklearn import linear_model
from sklearn.exceptions import ConvergenceWarning
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.certificates.linear.stochastic_gradient import balanced, longest_row, standing
from learnable.linear import SGDClassifier, SGDRegressor
from learnable.problems.linear import losses
from learnable.problems.linear.losses import Hinge, Logistic, Squared
from learnable.problems.linear.margin_losses import ModifiedHuber, SquaredHinge
from learnable.problems.linear.regression_losses import EpsilonInsensitive, Huber, SquaredEpsilonInsensitive
from learnable.problems.sparse.penalties import L1, L2, ElasticNet, total
from learnable.rows import as_rows

random = np.random.default_rng(0)
X = random.standard_normal((80, 4))
SIGNS = np.sign(X @ [1.0, -1.0, 0.5, 0.0] + 0.3 + 0.7 * random.standard_normal(80))
TARGETS = X @ [1.0, -1.0, 0.5, 0.0] + 0.3 + 0.2 * random.standard_normal(80)
WEIGHT = random.uniform(0.5, 1.5, 80)
MARGIN = [Hinge(), Logistic(), SquaredHinge(), ModifiedHuber()]
REGRESSION = [Squared(), Huber(0.5), EpsilonInsensitive(0.1), SquaredEpsilonInsensitive(0.1)]


def quietly(model, *data, **weights):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(*data, **weights)


@each("loss", MARGIN + REGRESSION, ids=repr)
@each(("penalty", "free"), [(L2(0.1), True), (L1(0.05), False), (ElasticNet(0.1, 0.5), True)], ids=repr)
def test_the_gap_bounds_the_distance_to_the_minimum(loss, penalty, free):
    y = SIGNS if any(type(loss) is type(each) for each in MARGIN) else TARGETS

    def J(theta):
        f = X @ theta[:4] + (theta[4] if free else 0.0)
        return float(WEIGHT @ losses.value(loss, y, f)) / 80 + total(penalty, theta[:4])

    best = min(
        optimize.minimize(J, start, method="Powell", options={"xtol": 1e-8, "ftol": 1e-12}).fun
        for start in (np.zeros(5), np.array([0.5, -0.5, 0.2, 0.0, 0.1]))
    )
    for theta in (np.zeros(5), np.array([0.4, -0.3, 0.2, 0.1, 0.05]), 3.0 * random.standard_normal(5)):
        b = theta[4] if free else 0.0
        at = standing(X, y, WEIGHT / 80, theta[:4], b, loss, penalty, free, longest_row(X))
        assert at.objective == pytest.approx(J(np.r_[theta[:4], b]))
        assert at.gap >= at.objective - best - 1e-7


@each("loss", [Logistic(), SquaredHinge(), Huber(0.5)], ids=repr)
def test_without_an_intercept_the_gap_is_the_bound_of_strong_convexity(loss):
    alpha, theta = 0.2, np.array([0.4, -0.3, 0.2, 0.1])
    at = standing(X, SIGNS, WEIGHT / 80, theta, 0.0, loss, L2(alpha), False, longest_row(X))
    gradient = X.T @ (WEIGHT * losses.gradient(loss, SIGNS, X @ theta)) / 80 + alpha * theta
    assert at.gap == pytest.approx(gradient @ gradient / (2.0 * alpha), rel=1e-10)
    assert at.gradient == pytest.approx(np.abs(gradient).max())


@each("free", [True, False])
def test_of_the_squared_loss_the_distance_to_the_minimum_is_known(free):
    far = X + 1e3  # columns far from zero
    for alpha in (0.0, 0.2):
        A = np.column_stack([far, np.ones(80)]) if free else far
        H = (A.T * WEIGHT) @ A / 80 + alpha * np.diag([1.0] * 4 + [0.0] * free)
        best = np.linalg.solve(H, A.T @ (WEIGHT * TARGETS) / 80)
        at = [
            standing(far, TARGETS, WEIGHT / 80, t[:4], t[4] if free else 0.0, Squared(), L2(alpha), free, 1.0)
            for t in (best, best + 1e-3)
        ]
        assert at[0].gap < 1e-9 * at[0].flat
        assert at[1].gap == pytest.approx(at[1].objective - at[0].objective, rel=1e-4)


def test_balancing_sums_to_zero_and_only_shrinks():
    u = random.standard_normal(50)
    w = random.uniform(size=50)
    out = balanced(u, w)
    assert w @ out == pytest.approx(0.0, abs=1e-12)
    assert np.all(np.abs(out) <= np.abs(u))
    assert np.all(out * u >= 0.0)
    assert np.all(balanced(np.ones(3), np.ones(3)) == 0.0)


@each("loss", sorted(SGDClassifier.loss_functions))
@each("penalty", ["l2", "l1"])
def test_every_loss_has_a_certificate_that_notices_another_answer(loss, penalty):
    model = quietly(
        SGDClassifier(loss, penalty=penalty, alpha=0.01, learning_rate="invscaling", max_iter=20, random_state=0),
        X, SIGNS, sample_weight=WEIGHT,
    )  # fmt: skip
    assert certify(model, X, SIGNS, WEIGHT) == model.certificate_
    assert model.certificate_.verdict is not Verdict.REFUTED
    assert model.certificate_.claim("O2").holds
    assert not certify(model, X, SIGNS).claim("O2").holds  # other weights, another objective
    altered = copy.deepcopy(model)
    altered.coef_[0, 0] += 0.01
    assert not certify(altered, X, SIGNS, WEIGHT).claim("O2").holds


@each("loss", sorted(SGDRegressor.loss_functions))
def test_regression_losses(loss):
    model = quietly(SGDRegressor(loss, random_state=0, max_iter=50), X, TARGETS)
    assert model.certificate_.verdict is not Verdict.REFUTED, model.certificate_
    altered = copy.deepcopy(model)
    altered.intercept_ = altered.intercept_ + 0.01
    assert certify(altered, X, TARGETS).verdict is Verdict.REFUTED


def test_fits_of_scikit_learn_are_judged_too():
    theirs = linear_model.SGDClassifier(loss="log_loss", alpha=0.1, random_state=0).fit(X, SIGNS)
    certificate = certify(theirs, X, SIGNS)
    assert certificate.verdict is Verdict.NOTHING_ASSERTED
    ours = SGDClassifier("log_loss", alpha=0.1, random_state=0).fit(X, SIGNS)
    assert abs(certificate.claim("O6").value - ours.certificate_.claim("O6").value) < 0.01
    steps = {"learning_rate": "adaptive", "tol": 1e-8}
    loose, close = (
        certify(linear_model.SGDRegressor(random_state=0, **told).fit(X, TARGETS), X, TARGETS) for told in ({}, steps)
    )
    assert (loose.verdict, close.verdict) == (Verdict.NOTHING_ASSERTED, Verdict.PROVED)
    assert loose.claim("O6").value > 10.0 * close.claim("O6").value >= 0.0


def test_a_rewritten_objective_proves_nothing():
    models = (
        SGDRegressor(learning_rate="adaptive", tol=1e-8, random_state=0).fit(X, TARGETS),
        SGDClassifier("log_loss", alpha=0.1, average=True, tol=None, max_iter=500, random_state=0).fit(X, SIGNS),
    )
    for model, y in zip(models, (TARGETS, SIGNS)):
        assert model.certificate_.holds
        for factor in (-1.0, 0.0, 0.5, 1.5):
            forged = copy.deepcopy(model)
            forged.coef_ = factor * model.coef_
            assert certify(forged, X, y).verdict is Verdict.REFUTED
            refitted = type(model)(
                **(model.get_params() | {"max_iter": 1, "eta0": 1e-300, "learning_rate": "constant", "tol": None})
            )
            refitted.fit(X, y, coef_init=forged.coef_, intercept_init=forged.intercept_)
            forged.objective_ = refitted.objective_
            if hasattr(forged, "smallest_margin_"):
                forged.smallest_margin_ = refitted.smallest_margin_
            assert certify(forged, X, y).verdict is Verdict.NOTHING_ASSERTED, factor
            assert certify(forged.set_params(tol=1e6), X, y).verdict is Verdict.NOTHING_ASSERTED


def test_no_honest_fit_is_refuted():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        Z = rng.standard_normal((60, 3)) * 10.0 ** rng.integers(-3, 4, 3)
        noisy = np.where(rng.random(60) < 0.5, 1, -1)
        for model in (SGDClassifier(random_state=0), SGDClassifier("log_loss", random_state=0)):
            fitted = quietly(model, Z, noisy)
            assert certify(fitted, Z, noisy).verdict is not Verdict.REFUTED
            assert fitted.certificate_.verdict is not Verdict.REFUTED


def test_classes_and_class_weights_enter_the_objective():
    y = np.digitize(TARGETS, [-0.7, 0.7])
    model = quietly(SGDClassifier(class_weight="balanced", alpha=0.01, random_state=0), X, y, sample_weight=WEIGHT)
    reported = [claim for claim in model.certificate_ if "reported" in claim.statement]
    assert len(reported) == 6
    assert all(claim.holds for claim in reported)
    by_dict = quietly(SGDClassifier(class_weight={0: 2.0, 1: 1.0, 2: 3.0}, alpha=0.01, random_state=0), X, y)
    assert all(claim.holds for claim in by_dict.certificate_ if "reported" in claim.statement)


@each("form", [np.asarray, sparse.csr_array])
def test_rows_that_do_not_pull_change_no_slope(form):
    alpha, theta = 0.2, np.array([3.0, -2.0, 1.0, 0.5])
    signs = np.where(X @ theta > 0.0, 1.0, -1.0)
    slope = X.T @ (WEIGHT * losses.gradient(losses.Hinge(), signs, X @ theta)) / 80
    assert np.mean(signs * (X @ theta) < 1.0) < 0.5
    at = standing(form(X), signs, WEIGHT / 80, theta, 0.0, losses.Hinge(), L2(alpha), False, longest_row(form(X)))
    assert at.gradient == pytest.approx(np.abs(slope + alpha * theta).max())
    assert longest_row(form(X)) >= np.linalg.norm(X, axis=1).max() * (1.0 - 1e-15)


@each("distance", [1e-6, 1e-8, 1e-10, 1e-12, 0.0])
@each("streamed", [False, True])
def test_a_gap_counts_what_nearly_equal_columns_tell_apart(distance, streamed):
    """The target is a multiple of what they differ by: an answer without that has all of J to lose."""
    rng = np.random.default_rng(0)
    Z = rng.standard_normal((60, 2))
    X = np.column_stack([Z[:, 0], Z[:, 0] + distance * Z[:, 1]])
    y = Z[:, 1] - Z[:, 1].mean()
    model = SGDRegressor(penalty=None, random_state=0).fit(X, y)
    best = np.linalg.lstsq(np.column_stack([Z[:, 0], np.ones(60)]), y, rcond=None)[0]
    model.coef_, model.intercept_ = np.array([0.5, 0.5]) * best[0], best[1:]
    model.objective_ = 0.5 * float(np.mean((y - model.predict(X)) ** 2))
    data = (as_rows(X, y),) if streamed else (X, y)
    gap = next(claim for claim in certify(model, *data) if "above its minimum" in claim.statement)
    assert gap.value == pytest.approx(model.objective_ if distance else 0.0, rel=1e-3, abs=1e-12)
    assert gap.holds is not (distance > 0.0)
