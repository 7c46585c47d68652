"""MLPClassifier, MLPRegressor and the units: what users meet, bad input included."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier as TheirClassifier
from sklearn.neural_network import MLPRegressor as TheirRegressor

from learnable import certify, watch
from learnable.certificates import Verdict
from learnable.linear import LogisticRegression
from learnable.neural import LinearUnit, MLPClassifier, MLPRegressor, SigmoidUnit
from learnable.problems.linear import units
from learnable.trace import Status

quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:400] / 16.0, y[:400]


@quiet
def test_digits_are_learned_and_options_matter(digits):
    X, y = digits
    X, X_new, y, y_new = train_test_split(X, y, random_state=0, stratify=y)
    for options in (
        {},
        {"solver": "lbfgs"},
        {"solver": "sgd", "learning_rate_init": 0.1},
        {"batch_norm": True},
        {"dropout": 0.2, "max_iter": 150},
        {"early_stopping": True, "max_iter": 150},
        {"activation": "tanh", "dtype": "float32"},
    ):
        model = MLPClassifier((40,), random_state=0, **({"max_iter": 80, "batch_size": 50} | options)).fit(X, y)
        assert model.score(X_new, y_new) > 0.88, options
        assert model.coefs_[0].dtype == (np.float32 if "dtype" in options else np.float64)
        np.testing.assert_allclose(model.predict_proba(X_new).sum(axis=1), 1.0, rtol=1e-5)
    sparse_weights = MLPClassifier((40,), l1=5.0, batch_size=50, max_iter=80, random_state=0).fit(X, y)
    assert np.median(np.abs(sparse_weights.coefs_[0])) < 0.05 * np.median(np.abs(model.coefs_[0]))


def test_lbfgs_finds_what_scikit_learn_finds_from_the_same_start(digits):
    X, y = digits
    for ours, theirs, target in (
        (MLPClassifier, TheirClassifier, y),
        (MLPClassifier, TheirClassifier, y > 4),
        (MLPRegressor, TheirRegressor, y / 3.0),
    ):
        options = {"hidden_layer_sizes": (3,), "activation": "tanh", "solver": "lbfgs", "alpha": 5.0, "tol": 1e-7}
        reference = theirs(**options, max_iter=3000, max_fun=10**6, random_state=0).fit(X, target)
        again = ours(**options, max_iter=3000, max_fun=10**6, random_state=0, warm_start=True)
        with pytest.warns(ConvergenceWarning):
            again.set_params(max_iter=1).fit(X, target)
        # From their answer there is nothing left to gain: the objective is the same, and stationary.
        again.coefs_, again.intercepts_ = reference.coefs_, reference.intercepts_
        again.set_params(max_iter=200, tol=1e-5).fit(X, target)
        assert again.objective_ == pytest.approx(reference.loss_, rel=1e-6)


def test_no_hidden_layer_is_logistic_regression(digits):
    X, y = digits
    network = MLPClassifier((), solver="lbfgs", alpha=1.0, tol=1e-9, max_iter=2000).fit(X, y)
    reference = LogisticRegression(C=1.0, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(network.predict_proba(X), reference.predict_proba(X), atol=1e-5)


@quiet
def test_partial_fit_goes_on_and_knows_its_classes(digits):
    X, y = digits
    streamed = MLPClassifier((10,), random_state=0, batch_size=50, learning_rate_init=0.01)
    for _ in range(30):
        streamed.partial_fit(X, y, classes=range(10))
    assert streamed.score(X, y) > 0.9
    assert streamed.t_ == 30 * len(X)
    assert len(streamed.loss_curve_) == 30
    assert not hasattr(streamed, "certificate_")
    with pytest.raises(ValueError, match="not the same as on last call"):
        streamed.partial_fit(X, y, classes=range(11))
    with pytest.raises(ValueError, match="has classes"):
        streamed.partial_fit(X, np.where(y == 0, 10, y))
    with pytest.raises(ValueError, match="must be passed on the first call"):
        MLPClassifier().partial_fit(X, y)
    with pytest.raises(AttributeError, match="partial_fit"):
        _ = MLPClassifier(solver="lbfgs").partial_fit
    # Without a new order, one epoch from the same start is one epoch: momentum goes on between calls.
    whole = MLPRegressor(hidden_layer_sizes=(6,), shuffle=False, random_state=3, max_iter=4, n_iter_no_change=10**6)
    parts = clone(whole)
    for _ in range(4):
        parts.partial_fit(X, y)
    np.testing.assert_allclose(parts.coefs_[0], whole.fit(X, y).coefs_[0], rtol=1e-10)


@quiet
def test_warm_start_and_weights(digits):
    X, y = digits
    model = MLPClassifier((10,), random_state=0, warm_start=True, max_iter=20).fit(X, y)
    first = model.objective_
    assert model.fit(X, y).objective_ < first
    with pytest.raises(ValueError, match="warm_start can only be used"):
        model.fit(X[y < 9], y[y < 9])
    keep = np.arange(len(y)) % 2 == 0
    weight = keep.astype(float)
    options = {"hidden_layer_sizes": (10,), "random_state": 0, "max_iter": 5, "shuffle": False}
    one = MLPClassifier(**options).fit(X, y, sample_weight=weight)
    two = MLPClassifier(**options).fit(X[keep], y[keep])
    np.testing.assert_array_equal(one.coefs_[0], two.coefs_[0])


@quiet
def test_early_stopping_keeps_the_best_epoch_of_rows_it_did_not_learn_from(digits):
    X, y = digits
    model = MLPClassifier((20,), early_stopping=True, validation_fraction=0.25, max_iter=60, random_state=0).fit(X, y)
    aside = model.validation_rows_
    assert len(aside) == 100
    assert model.score(X[aside], y[aside]) == model.best_validation_score_ == max(model.validation_scores_)
    far = X.copy()
    far[aside] += 7.0  # what is set aside is only looked at
    other = clone(model).set_params(max_iter=1).fit(far, y)
    same = clone(model).set_params(max_iter=1).fit(X, y)
    np.testing.assert_array_equal(other.coefs_[0], same.coefs_[0])
    regressor = MLPRegressor(early_stopping=True, max_iter=30, random_state=0).fit(X, y / 9.0)
    rows = regressor.validation_rows_
    assert regressor.score(X[rows], y[rows] / 9.0) == pytest.approx(regressor.best_validation_score_, rel=1e-10)


@quiet
def test_watching_shows_weights_and_activations(digits):
    X, y = digits
    model = MLPClassifier((6,), max_iter=3, random_state=0)
    seen = [step.state for step in watch(model, X, y)]
    assert [state.epoch for state in seen] == [1, 2, 3]
    fitted = clone(model).fit(X, y)
    np.testing.assert_array_equal(seen[-1].theta.coefs[0], fitted.coefs_[0])
    assert not np.array_equal(seen[0].theta.coefs[0], seen[1].theta.coefs[0])
    hidden, u = seen[-1].activations(X)
    np.testing.assert_allclose(hidden, np.maximum(X @ fitted.coefs_[0] + fitted.intercepts_[0], 0.0), atol=1e-12)
    assert u.shape == (len(X), 10)
    assert fitted.loss_curve_ == [state.objective for state in seen]
    assert fitted.status_ is Status.BUDGET_SPENT


def test_units_step_by_the_delta_rule():
    random = np.random.default_rng(4)
    X, y = random.standard_normal((12, 2)), random.integers(2, size=12)
    ones = np.column_stack([X, np.ones(12)])
    for unit, problem, target in (
        (LinearUnit, units.LinearUnitLoss, y - 0.3),
        (SigmoidUnit, units.SigmoidUnitLoss, y),
    ):
        for batch in (None, 1):
            model = unit(learning_rate=0.3, batch_size=batch, max_iter=3, tol=0.0, random_state=0)
            states = [step.state for step in watch(model, X, target)]
            before, after = states[0].vector, states[1].vector
            if batch is None:
                _, gradient = problem(ones, np.asarray(target, dtype=float)).value_and_gradient(before)
                np.testing.assert_allclose(after, before - 0.3 * gradient / 12, rtol=1e-12)
                # The delta rule row by row: Δw = η (y − o) o′ x, with o′ = 1 for the linear unit, o(1 − o) else.
                moved = before.copy()
                for x, t in zip(ones, target):
                    net = before @ x
                    o = net if unit is LinearUnit else 1.0 / (1.0 + np.exp(-net))
                    slope = 1.0 if unit is LinearUnit else 0.25 / np.cosh(net / 2.0) ** 2
                    moved = moved + 0.3 / 12 * (t - o) * slope * x
                np.testing.assert_allclose(after, moved, rtol=1e-10)
            else:
                # Some order of the rows gives these weights; the one drawn gives exactly them.
                assert not np.allclose(after, before)
    start = np.random.default_rng(0)
    by_hand = start.uniform(-0.05, 0.05, 3)
    for row in start.permutation(12):
        _, gradient = units.SigmoidUnitLoss(ones[row : row + 1], y[row : row + 1]).value_and_gradient(by_hand)
        by_hand = by_hand - 0.3 * gradient
    first = next(iter(watch(SigmoidUnit(learning_rate=0.3, batch_size=1, random_state=0), X, y))).state
    np.testing.assert_allclose(first.vector, by_hand, rtol=1e-12)


def test_a_linear_unit_ends_at_least_squares_and_errors_fall():
    random = np.random.default_rng(5)
    X = random.standard_normal((60, 3))
    y = X @ [2.0, -1.0, 0.5] + 1.0 + 0.2 * random.standard_normal(60)
    unit = LinearUnit(tol=1e-16, max_iter=5000, random_state=0).fit(X, y)
    expected = np.linalg.lstsq(np.column_stack([X, np.ones(60)]), y, rcond=None)[0]
    np.testing.assert_allclose([*unit.coef_, unit.intercept_], expected, atol=1e-6)
    assert np.all(np.diff(unit.loss_curve_) <= 1e-15)
    sigmoid = SigmoidUnit(max_iter=5000, random_state=0).fit(X, y > 1.0)
    assert sigmoid.score(X, y > 1.0) > 0.9
    assert np.all(np.diff(sigmoid.loss_curve_) <= 1e-15)


@quiet
def test_verbose_tells_the_loss_of_every_epoch_and_changes_nothing(digits, capsys):
    X, y = digits
    model = MLPClassifier(max_iter=3, random_state=0, verbose=True).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert lines == [f"Iteration {k}, loss = {loss:.8f}" for k, loss in enumerate(model.loss_curve_, 1)]
    assert certify(model, X, y).verdict is not Verdict.REFUTED  # the fit is done again, silently
    assert capsys.readouterr().out == ""
    silent = MLPClassifier(max_iter=3, random_state=0).fit(X, y)
    assert silent.loss_curve_ == model.loss_curve_
    assert capsys.readouterr().out == ""
    model.partial_fit(X, y)
    assert capsys.readouterr().out == f"Iteration 1, loss = {model.loss_curve_[-1]:.8f}\n"


@quiet
def test_bad_input_says_what_and_what_to_do(digits):
    X, y = digits

    def refused(error, match, rows=X, target=y, kind=MLPClassifier, **options):
        with pytest.raises(error, match=match):
            kind(**({"max_iter": 3, "random_state": 0} | options)).fit(rows, target)

    # Without a warning of NumPy's on the way.
    wild = {"solver": "sgd", "learning_rate_init": 1e6, "activation": "identity", "max_iter": 50}
    refused(ArithmeticError, "diverged: .* at epoch", kind=MLPRegressor, target=y * 1e8, **wild)
    # As scikit-learn, whose users catch a ValueError.
    refused(ValueError, "Solver produced non-finite parameter weights", rows=X * 1e307, kind=MLPRegressor)
    with pytest.raises(ValueError, match=r"partial_fit: the loss became .* non-finite parameter weights"):
        MLPRegressor(random_state=0).partial_fit(X * 1e307, y)
    refused(ValueError, "a batch of one row", batch_norm=True, batch_size=1)
    refused(ValueError, "one row has no variance", kind=MLPRegressor, rows=X[:1], target=y[:1], batch_norm=True)
    refused(ValueError, "'dropout' parameter", dropout=1.0)
    refused(ValueError, "hidden_layer_sizes must be > 0", hidden_layer_sizes=(5, 0))
    refused(ValueError, "device='tpu' is not known", device="tpu")
    refused(ValueError, "L-BFGS needs a smooth objective", solver="lbfgs", dropout=0.5)
    refused(ValueError, "L-BFGS needs a smooth objective", solver="lbfgs", l1=0.5)
    refused(ValueError, "only one class", target=np.zeros(len(y)))
    refused(ValueError, "y must be >= 0", kind=MLPRegressor, loss="poisson", target=y - 3.0)
    refused(
        ValueError,
        "validation set is too small",
        early_stopping=True,
        rows=X[:9],
        target=y[:9] / 9.0,
        kind=MLPRegressor,
    )
    with pytest.raises(ValueError, match="early_stopping"):
        MLPClassifier(early_stopping=True).partial_fit(X, y, classes=range(10))
    with pytest.raises(ValueError, match="Only binary classification"):
        SigmoidUnit().fit(X, y)
    with pytest.warns(UserWarning, match="going to be clipped"):
        MLPClassifier((3,), batch_size=1000, max_iter=2).fit(X, y)
    odd = MLPClassifier((3,), batch_norm=True, batch_size=57, max_iter=2, random_state=0).fit(X[:58], y[:58])
    assert np.isfinite(odd.objective_)  # the single last row joined the batch before it
