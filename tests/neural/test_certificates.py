"""Certificates of networks: honest fits hold, altered answers and broken code are refuted."""

import copy
import warnings
from unittest import mock

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn import neural_network
from sklearn.datasets import load_digits

from learnable import certify
from learnable._jit.neural import layers as kernels
from learnable.certificates import Verdict
from learnable.checks.tamper import tampered
from learnable.neural import LinearUnit, MLPClassifier, MLPRegressor
from learnable.problems.neural import network as core
from learnable.problems.neural.capacity import margin_bound, norms, rademacher_bound
from learnable.solvers.neural import buffered

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:150] / 16.0, y[:150]


def _outputs(model, X):
    with np.errstate(all="ignore"):
        return model.predict(X)


OPTIONS = [
    {"solver": "lbfgs", "activation": "tanh"},
    {"batch_norm": True, "dropout": 0.3},
    {"early_stopping": True, "activation": "logistic", "l1": 0.01},
    {"solver": "sgd", "learning_rate": "adaptive", "dtype": "float32", "clip_norm": 1.0},
    {"hidden_layer_sizes": (), "solver": "lbfgs"},
    {"hidden_layer_sizes": (7, 5), "batch_norm": True, "early_stopping": True, "dtype": "float32"},
]


def test_honest_fits_hold_and_altered_ones_are_refuted(digits):
    X, y = digits
    for options in OPTIONS:
        for model, target in (
            (MLPClassifier(**({"hidden_layer_sizes": (9,)} | options)), y),
            (MLPClassifier(**({"hidden_layer_sizes": (9,)} | options)), y > 4),
            (MLPRegressor(**({"hidden_layer_sizes": (9,)} | options)), y.astype(float)),
            (MLPRegressor(loss="poisson", **({"hidden_layer_sizes": (9,)} | options)), y.astype(float)),
        ):
            weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float) if "l1" in options else None
            model.set_params(max_iter=8, random_state=0).fit(X, target, sample_weight=weight)
            assert model.certificate_.verdict is Verdict.PROVED, model.certificate_
            found = certify(model, X, target, sample_weight=weight)
            assert found.verdict is Verdict.PROVED, found
    n_refuted = 0
    for what, altered in tampered(model):
        refuted = not certify(altered, X, target).holds
        n_refuted += refuted
        # The scale of a unit that is off in every row moves nothing.
        assert refuted or np.array_equal(_outputs(altered, X), model.predict(X)), what
    assert n_refuted > 10
    small = copy.deepcopy(model)
    small.coefs_[0] = small.coefs_[0] * (1.0 + 1e-4)
    assert not certify(small, X, target).holds


def test_rows_in_another_order_leave_open_which_were_held_out(digits):
    X, y = digits
    model = MLPClassifier((9,), early_stopping=True, max_iter=8, random_state=0).fit(X, y)
    order = np.random.default_rng(0).permutation(len(X))
    found = certify(model, X[order], y[order])
    assert not found.holds
    assert found.verdict is not Verdict.REFUTED
    assert certify(model, X, y).verdict is Verdict.PROVED
    model.coefs_[0] = -model.coefs_[0]
    assert certify(model, X, y).verdict is Verdict.REFUTED


def test_rows_of_another_scale_and_sparse_rows_hold_too(digits):
    X, y = digits
    for rows in (X * 1e6, X * 1e-6, csr_matrix(X), X.astype(np.float32)):
        model = MLPRegressor(hidden_layer_sizes=(6,), solver="lbfgs", max_iter=15, random_state=1).fit(rows, y * 1e3)
        assert certify(model, rows, y * 1e3).verdict is Verdict.PROVED
    many = (np.arange(len(y))[:, None] % [2, 3] == 0).astype(int)
    model = MLPClassifier((6,), max_iter=5, random_state=0).fit(X, many)
    assert certify(model, X, many).verdict is Verdict.PROVED
    assert model.predict(X).shape == many.shape


def test_broken_code_is_refuted(digits):
    X, y = digits

    def scaled(function, place):
        def broken(*arguments):
            found = function(*arguments)
            arguments[place][...] *= 1.01
            return found

        return broken

    def fits(**options):
        model = MLPClassifier((6,), max_iter=3, random_state=0, **options).fit(X, y)
        assert not certify(model, X, y).holds
        del model.certificate_  # in which the fit admits it
        assert certify(model, X, y).verdict is Verdict.REFUTED

    with mock.patch.dict(buffered._BACK, relu=scaled(kernels.relu_back, 0)):
        fits()
    with mock.patch.object(kernels, "bias_relu", scaled(kernels.bias_relu, 0)):
        fits()
    with mock.patch.object(kernels, "softmax_nll", scaled(kernels.softmax_nll, 0)):
        fits()
    with mock.patch.object(core, "dense", lambda h, W, b: h @ W + 1.01 * b):
        fits(batch_norm=True)
    with mock.patch.object(core, "dense_slopes", lambda xp, h, d: (1.01 * (h.T @ d), xp.sum(d, axis=0))):
        fits(batch_norm=True)
    with mock.patch.object(core, "normalise_back", lambda xp, z, i, d, b: 1.02 * d * i):
        fits(batch_norm=True)


def test_a_wrong_gradient_of_the_verifier_is_found_by_differences(digits):
    from learnable.certificates.neural import reading

    X, y = digits
    model = MLPClassifier((6,), activation="tanh", max_iter=3, random_state=0).fit(X, y)
    with mock.patch.dict(reading._SLOPES, tanh=lambda s: 1.0 / np.cosh(s)):
        claims = [claim for claim in certify(model, X, y) if claim.id == "O8"]
    assert claims
    assert not claims[0].holds


def test_a_stopped_network_claims_no_stationary_point(digits):
    X, y = digits

    def about_stationarity(model):
        return next(claim for claim in certify(model, X, y) if claim.id == "O1")

    stopped = MLPClassifier((6,), max_iter=2, random_state=0).fit(X, y)
    assert about_stationarity(stopped).bound is None
    there = MLPClassifier((3,), activation="tanh", alpha=20.0, solver="lbfgs", tol=1e-9, max_iter=3000, random_state=0)
    claim = about_stationarity(there.fit(X, y))
    assert claim.bound is not None
    assert claim.holds


def test_foreign_networks_are_judged_and_their_loss_found_again(digits):
    X, y = digits
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stopped = neural_network.MLPClassifier((6,), solver="lbfgs", max_iter=30, random_state=0).fit(X, y)
        unseeded = neural_network.MLPClassifier((6,), solver="lbfgs", max_iter=30).fit(X, y)
        given = {"activation": "tanh", "alpha": 20.0, "solver": "lbfgs", "random_state": 0}
        ours = MLPClassifier((3,), tol=1e-9, max_iter=3000, **given).fit(X, y)
        there = neural_network.MLPClassifier((3,), tol=1e-9, max_iter=3000, **given).fit(X, y)
        other = copy.deepcopy(there).set_params(max_iter=30)
        other.coefs_, other.intercepts_, other.loss_ = list(ours.coefs_), list(ours.intercepts_), ours.loss_
        # Of a network that stopped on its way the same fit tells how it came there; without a seed any weights could
        # be its answer. Those of another fit are not.
        for model, verdict in (
            (stopped, Verdict.PROVED),
            (there, Verdict.PROVED),
            (unseeded, Verdict.NOTHING_ASSERTED),
            (other, Verdict.NOTHING_ASSERTED),
        ):
            assert certify(model, X, y).verdict is verdict
            model.coefs_[0] = 1.01 * model.coefs_[0]
            assert certify(model, X, y).verdict is Verdict.REFUTED


def test_the_excess_of_a_linear_unit_is_over_least_squares():
    random = np.random.default_rng(0)
    X = random.standard_normal((40, 3))
    y = X @ [1.0, -2.0, 0.5] + 0.3 + 0.1 * random.standard_normal(40)
    for tol, expected in ((1e-4, 1e-6), (1e-16, 0.0)):
        unit = LinearUnit(tol=tol, max_iter=5000, random_state=0).fit(X, y)
        excess = next(claim.value for claim in certify(unit, X, y) if claim.id == "NN2")
        assert (excess > expected) if expected else (excess < 1e-10)


def test_the_rademacher_bound_by_brute_force():
    # All signs; for relu in the plane the supremum over a unit w of |Σ σ f(w·x̃)| is found by turning w.
    random = np.random.default_rng(2)
    x = random.standard_normal(6)
    rows = np.column_stack([x, np.ones(6)])
    angles = np.linspace(0.0, 2.0 * np.pi, 2000, endpoint=False)
    signs = np.array(np.meshgrid(*[[-1.0, 1.0]] * 6)).reshape(6, -1).T
    for activation, f in (("relu", lambda s: np.maximum(s, 0.0)), ("tanh", np.tanh)):
        units = f(rows @ np.stack([np.cos(angles), np.sin(angles)]))
        for path, constant in ((1.0, 0.0), (1.0, 0.7)):
            supremum = path * np.abs(signs @ units).max(axis=1) + constant * np.abs(signs.sum(axis=1))
            exact = supremum.mean() / 6.0
            found = norms(activation, np.array([[1.0]]), np.zeros(1), np.array([[path]]), np.array([constant]))
            bound = rademacher_bound(activation, found, float(np.sum(rows**2)), 6)
            assert exact <= bound <= 4.0 * exact


def test_norms_are_those_of_the_function_and_weight_decay_bounds_them():
    random = np.random.default_rng(3)
    W, b, V, c = random.standard_normal((3, 5)), random.standard_normal(5), random.standard_normal((5, 2)), np.zeros(2)
    found = norms("relu", W, b, V, c)
    # relu is homogeneous: moving a factor from one layer to the next leaves function and norm alone.
    moved = norms("relu", W * 4.0, b * 4.0, V / 4.0, c)
    assert moved.path == pytest.approx(found.path)
    assert found.path <= 0.5 * (np.sum(W**2) + np.sum(b**2) + np.sum(V**2))
    wide = margin_bound("relu", found, 100.0, np.full(50, 3.0), 2, 0.05)
    more_rows = margin_bound("relu", found, 100_000.0, np.full(50_000, 3.0), 2, 0.05)
    assert more_rows < wide
    assert margin_bound("relu", found, 100.0, np.full(50, -3.0), 2, 0.05) == pytest.approx(wide + 1.0)


def test_the_running_moments_are_told(digits):
    X, y = digits
    model = MLPClassifier((6,), batch_norm=True, max_iter=30, random_state=0).fit(X, y)
    told = [claim for claim in certify(model, X, y) if claim.id == "NN7"]
    assert len(told) == 2
    assert told[0].value < 1.0
    u = X @ model.coefs_[0] + model.intercepts_[0]
    apart = np.max(np.abs(u.mean(axis=0) - model.running_means_[0]) / np.sqrt(u.var(axis=0) + 1e-5))
    assert told[0].value == pytest.approx(apart)


def test_a_warm_start_may_have_begun_anywhere():
    """One step from a network that learned other rows is no training on these, whatever the model says of it."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((40, 3))
    y = X @ [1.0, -2.0, 0.5]
    model = MLPRegressor(hidden_layer_sizes=(4,), max_iter=20, random_state=0, warm_start=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert certify(copy.deepcopy(model).fit(X, y), X, y).holds
        forged = model.fit(-X, y).set_params(max_iter=1).fit(X, y)
    assert certify(forged, X, y).verdict is Verdict.NOTHING_ASSERTED
