"""Laws of the elastic net and the lasso: soft threshold, augmented data, factors, uniqueness, bad input."""

import inspect
import itertools

import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model as foreign
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.sparse import ElasticNet, Lasso, MultiTaskLasso
from learnable.trace import Status

RNG = np.random.default_rng(11)
N, P = 60, 9
X = RNG.standard_normal((N, P)) + 0.5
Y = X[:, :3] @ [2.0, -1.0, 0.5] + 0.5 * RNG.standard_normal(N) + 3.0
W = RNG.uniform(0.2, 2.0, N)
TIGHT = {"tol": 1e-14}


def close(one, two, atol=1e-8):
    np.testing.assert_allclose(one.coef_, two.coef_, atol=atol)
    assert one.intercept_ == pytest.approx(two.intercept_, abs=atol)


@each("form", [np.ascontiguousarray, np.asfortranarray, sparse.csr_array, sparse.csc_matrix])
@each("weight", [None, W], ids=["", "weighted"])
@each("positive", [True, False])
@each("l1_ratio", [0.1, 0.7, 1.0])
def test_same_numbers_as_scikit_learn(form, weight, positive, l1_ratio):
    options = {"alpha": 0.1, "l1_ratio": l1_ratio, "positive": positive}
    ours = ElasticNet(**options, **TIGHT).fit(form(X), Y, weight)
    theirs = foreign.ElasticNet(**options, tol=1e-14, max_iter=10**6).fit(X, Y, weight)
    close(ours, theirs, atol=1e-7)
    assert ours.certificate_.holds
    assert certify(theirs, X, Y, weight).holds


@each("positive", [True, False])
def test_without_l1_part_it_is_ridge_regression(positive):
    ours = ElasticNet(alpha=0.3, l1_ratio=0.0, positive=positive).fit(X, Y, W)
    close(ours, foreign.Ridge(alpha=0.3 * W.sum(), positive=positive, tol=1e-12).fit(X, Y, W), atol=1e-6)
    assert ours.certificate_.holds


def test_orthogonal_design_is_the_soft_threshold_shrunk():
    Q = np.linalg.qr(RNG.standard_normal((40, 6)))[0] * np.sqrt(40)
    y = Q @ [2.0, -1.0, 0.3, 0.1, 0.0, -0.4] + 0.1 * RNG.standard_normal(40)
    least_squares = Q.T @ y / 40
    lasso = Lasso(alpha=0.25, fit_intercept=False, **TIGHT).fit(Q, y)
    soft = np.sign(least_squares) * np.maximum(np.abs(least_squares) - 0.25, 0.0)
    np.testing.assert_allclose(lasso.coef_, soft, atol=1e-12)
    net = ElasticNet(alpha=0.5, l1_ratio=0.5, fit_intercept=False, **TIGHT).fit(Q, y)
    np.testing.assert_allclose(net.coef_, soft / 1.25, atol=1e-12)


def test_it_is_the_lasso_of_augmented_data():
    # n more rows √(n α(1−ρ)) I with target 0 turn the L2 part into squares.
    alpha, ratio = 0.4, 0.6
    A, b = X - X.mean(axis=0), Y - Y.mean()
    more = np.vstack([A, np.sqrt(N * alpha * (1.0 - ratio)) * np.eye(P)])
    scale = len(more) / N
    lasso = Lasso(alpha=alpha * ratio / scale, fit_intercept=False, **TIGHT).fit(more, np.append(b, np.zeros(P)))
    np.testing.assert_allclose(ElasticNet(alpha=alpha, l1_ratio=ratio, **TIGHT).fit(X, Y).coef_, lasso.coef_, atol=1e-9)


def test_weights_are_repetitions():
    times = RNG.integers(0, 4, N)
    once = ElasticNet(alpha=0.1, **TIGHT).fit(X, Y, times)
    close(once, ElasticNet(alpha=0.1, **TIGHT).fit(np.repeat(X, times, axis=0), np.repeat(Y, times)))


@each("form", [np.asarray, sparse.csc_array])
@each("positive", [True, False])
def test_penalty_factors_are_a_scaling_of_the_columns(form, positive):
    factor = np.geomspace(0.2, 5.0, P)
    model = Lasso(alpha=0.1, penalty_factor=factor, positive=positive, **TIGHT).fit(form(X), Y, W)
    scaled = Lasso(alpha=0.1, positive=positive, **TIGHT).fit(X / factor, Y, W)
    np.testing.assert_allclose(model.coef_, scaled.coef_ / factor, atol=1e-9)
    assert model.certificate_.holds


@each("form", [np.asarray, sparse.csr_array])
@each("intercept", [True, False])
def test_a_column_without_penalty_is_the_limit_of_a_small_one(form, intercept):
    factor = np.ones(P)
    factor[[0, 4]] = 0.0
    options = {"alpha": 0.3, "l1_ratio": 0.8, "fit_intercept": intercept}
    free = ElasticNet(penalty_factor=factor, **options, **TIGHT).fit(form(X), Y, W)
    close(free, ElasticNet(penalty_factor=factor + 1e-9 * (factor == 0), **options, **TIGHT).fit(X, Y, W), atol=1e-6)
    assert free.certificate_.holds
    pull = (form(X).T @ (W * (Y - free.predict(X)))) / W.sum()
    np.testing.assert_allclose(pull[[0, 4]], 0.0, atol=1e-10)
    moved = ElasticNet(penalty_factor=factor, **options, **TIGHT).fit(X, Y, W)
    moved.coef_ = moved.coef_ + 1e-4 * (np.arange(P) == 4)
    assert not certify(moved, X, Y, W, tolerance=1e-12).holds


def test_an_infinite_factor_leaves_the_column_out():
    factor = np.where(np.arange(P) == 1, np.inf, 1.0)
    model = Lasso(alpha=0.05, penalty_factor=factor, **TIGHT).fit(X, Y)
    kept = np.delete(np.arange(P), 1)
    np.testing.assert_allclose(model.coef_[kept], Lasso(alpha=0.05, **TIGHT).fit(X[:, kept], Y).coef_, atol=1e-10)
    assert model.coef_[1] == 0.0
    assert model.certificate_.holds
    model.coef_[1] = 1e-9
    assert not certify(model, X, Y).holds


@each(
    ("factor", "message"),
    [
        (np.where(np.arange(P) == 2, -1.0, 1.0), r"Lasso: penalty_factor\[2\] is -1.0"),
        (np.where(np.arange(P) == 3, np.nan, 1.0), r"Lasso: penalty_factor\[3\] is nan"),
        (np.ones(P - 1), "one factor for each of the 9 columns"),
        (np.zeros(P), "nothing to penalise"),
    ],
)
def test_impossible_factors_are_named(factor, message):
    with pytest.raises(ValueError, match=message):
        Lasso(penalty_factor=factor).fit(X, Y)


def test_factors_that_contradict_another_setting_are_named():
    with pytest.raises(ValueError, match=r"penalty_factor\[0\] is 0 with positive=True"):
        Lasso(penalty_factor=np.arange(P), positive=True).fit(X, Y)
    with pytest.raises(ValueError, match=r"alpha=0\): penalty_factor\[8\] is inf"):
        Lasso(alpha=0.0, penalty_factor=np.append(np.ones(P - 1), np.inf)).fit(X, Y)


@each("alpha", [-1.0, np.nan])
def test_a_penalty_that_is_none_is_named(alpha):
    with pytest.raises(ValueError, match="alpha"):
        ElasticNet(alpha=alpha).fit(X, Y)


def test_from_the_largest_useful_penalty_on_nothing_is_left():
    top = np.abs((X - X.mean(axis=0)).T @ (Y - Y.mean())).max() / N
    for ratio in (0.3, 1.0):
        assert not ElasticNet(alpha=top / ratio * (1 + 1e-9), l1_ratio=ratio).fit(X, Y).coef_.any()
        assert np.count_nonzero(ElasticNet(alpha=top / ratio * 0.999, l1_ratio=ratio, **TIGHT).fit(X, Y).coef_) == 1


@each("form", [np.asarray, sparse.csr_array])
def test_empty_and_constant_columns_stay_at_zero(form):
    A = np.column_stack([X, np.zeros(N), np.full(N, 7.0)])
    model = ElasticNet(alpha=0.05, **TIGHT).fit(form(A), Y)
    np.testing.assert_allclose(model.coef_[:P], ElasticNet(alpha=0.05, **TIGHT).fit(X, Y).coef_, atol=1e-9)
    assert not model.coef_[P:].any()
    assert model.certificate_.holds


def test_equal_columns_are_named_and_the_elastic_net_shares_between_them():
    doubled = np.column_stack([X, X[:, 0]])
    lasso = Lasso(alpha=0.05, **TIGHT).fit(doubled, Y)
    unique = [claim for claim in lasso.certificate_ if "unique" in claim.statement]
    assert [claim.value for claim in unique] == [1.0]
    assert [c.value for c in Lasso(alpha=0.05, **TIGHT).fit(X, Y).certificate_ if "unique" in c.statement] == [0.0]
    net = ElasticNet(alpha=0.05, l1_ratio=0.9, **TIGHT).fit(doubled, Y)
    assert net.coef_[0] == pytest.approx(net.coef_[-1], abs=1e-9)
    assert not any("unique" in claim.statement for claim in net.certificate_)


def test_grouping_effect_of_correlated_columns():
    # |β_i − β_j| ≤ |y| √(2(1 − r)) / (√n α(1 − ρ)) for standardised columns of the same sign (Zou and Hastie).
    A = X.copy()
    A[:, 1] = A[:, 0] + 0.05 * RNG.standard_normal(N)
    A = (A - A.mean(axis=0)) / A.std(axis=0)
    y = Y - Y.mean()
    model = ElasticNet(alpha=0.5, l1_ratio=0.4, **TIGHT).fit(A, y)
    assert model.coef_[0] * model.coef_[1] > 0.0
    r = A[:, 0] @ A[:, 1] / N
    bound = np.linalg.norm(y) / np.sqrt(N) * np.sqrt(2.0 * (1.0 - r)) / (0.5 * 0.6)
    assert abs(model.coef_[0] - model.coef_[1]) <= bound
    # The slope of the squared error is that of αρ‖β‖₁ + ½α(1 − ρ)‖β‖², coordinate by coordinate.
    pull = A.T @ (y - A @ model.coef_) / N - 0.5 * 0.6 * model.coef_
    kept = model.coef_ != 0.0
    np.testing.assert_allclose(pull[kept], 0.2 * np.sign(model.coef_[kept]), atol=1e-6)
    assert np.all(np.abs(pull) <= 0.2 + 1e-6)


@each("shape", [(2, 1), (2, 5), (20, 300)])
def test_few_rows_and_many_columns(shape):
    rng = np.random.default_rng(3)
    A, y = rng.standard_normal(shape), rng.standard_normal(shape[0])
    for ratio in (0.2, 1.0):
        model = ElasticNet(alpha=0.01, l1_ratio=ratio, tol=1e-10, max_iter=5000).fit(A, y)
        assert model.status_ is Status.OPTIMAL
        assert model.certificate_.holds
        assert np.count_nonzero(Lasso(alpha=0.01, tol=1e-10).fit(A, y).coef_) <= shape[0]


@each("weight", [None, W], ids=["", "weighted"])
def test_a_constant_target_needs_no_column(weight):
    """Nor does rounding of its mean, of however many rows, leave anything to explain."""
    for n, constant in itertools.product((N, 29, 31, 45, 62), (4.0, 0.1, 1 / 3, 1e5 + 0.1)):
        some = np.resize(np.arange(N), n)
        w = None if weight is None else weight[some]
        for model, y in ((Lasso(0.1), np.full(n, constant)), (MultiTaskLasso(0.1), np.full((n, 2), constant))):
            model.fit(X[some], y, sample_weight=w)
            assert not model.coef_.any()
            assert np.all(model.intercept_ == constant)
            assert model.certificate_.holds
        y = np.full(n, constant)
        assert certify(foreign.Lasso(0.1).fit(X[some], y, w), X[some], y, w).holds


@each("ours", [ElasticNet, Lasso])
def test_signature_is_scikit_learn_s_and_the_factors(ours):
    theirs = inspect.signature(getattr(foreign, ours.__name__).__init__).parameters
    mine = inspect.signature(ours.__init__).parameters
    assert list(mine)[:-1] == list(theirs)
    assert [p.default for p in mine.values()][:-1] == [p.default for p in theirs.values()]
    assert list(mine)[-1] == "penalty_factor"


def test_many_columns_in_play_are_swept_over_the_rows(monkeypatch):
    from learnable.solvers.sparse import coordinate_descent

    expected = ElasticNet(alpha=0.02, l1_ratio=0.5, **TIGHT).fit(X, Y, W).coef_
    monkeypatch.setattr(coordinate_descent, "LARGEST_WORKING_SET", 3)
    swept = ElasticNet(alpha=0.02, l1_ratio=0.5, tol=1e-13, max_iter=10000).fit(X, Y, W)
    np.testing.assert_allclose(swept.coef_, expected, atol=1e-6)
    assert swept.certificate_.holds


def test_answers_that_explain_little_are_found_and_proved_of_themselves():
    """The gap counts in what the answer explains: near the largest penalty zero is no answer, nor is one off by 3 %."""
    rng = np.random.default_rng(4)
    X, y = rng.standard_normal((80, 6)), rng.standard_normal(80)
    largest = np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / len(y)
    for share, l1_ratio, unit in ((0.99, 1.0, 1e5), (0.99, 1.0, 1e-7), (0.999, 0.7, 1.0), (0.9, 0.01, 1.0)):
        model = ElasticNet(alpha=largest * unit * share / l1_ratio, l1_ratio=l1_ratio).fit(X, y * unit)
        assert np.any(model.coef_)
        assert str(model.status_) == "optimal"
        assert certify(model, X, y * unit).holds
        model.coef_ = 1.03 * model.coef_
        model.intercept_ = np.mean(y * unit - X @ model.coef_)
        assert not certify(model, X, y * unit).holds


def test_a_slight_curvature_of_the_penalty_refutes_nobody():
    """With large columns the quadratic part hardly counts, and its conjugate is steep: the gap is that of the lasso."""
    rng = np.random.default_rng(5)
    X, y = 1e4 * rng.standard_normal((100, 8)), 1e-6 * rng.standard_normal(100)
    largest = np.abs((X - X.mean(axis=0)).T @ (y - y.mean())).max() / len(y)
    for share in (0.3, 0.99):
        model = foreign.ElasticNet(alpha=largest * share / 0.7, l1_ratio=0.7).fit(X, y)
        assert certify(model, X, y).verdict is not Verdict.REFUTED
        assert certify(ElasticNet(alpha=model.alpha, l1_ratio=0.7).fit(X, y), X, y).holds


@each("kind", [ElasticNet, Lasso])
@each("form", [np.asarray, sparse.csr_array])
@each("weight", [None, W], ids=["", "weighted"])
def test_a_gram_matrix_is_held_against_the_rows(kind, form, weight):
    share = np.ones(N) if weight is None else W * N / W.sum()
    centred = X - np.average(X, axis=0, weights=weight)
    plain, right = kind(alpha=0.1), centred.T @ (share[:, None] * centred)
    model = kind(alpha=0.1, precompute=right).fit(form(centred), Y, sample_weight=weight)
    close(model, plain.fit(form(centred), Y, sample_weight=weight), atol=0.0)
    for j, k in ((0, 0), (4, 7)):
        wrong = right.copy()
        wrong[j, k] += 1e-3
        with pytest.raises(ValueError, match=f"Gram matrix passed .* did not pass validation: its row {j} "):
            kind(alpha=0.1, precompute=wrong).fit(form(centred), Y, sample_weight=weight)
    if weight is not None:
        with pytest.raises(ValueError, match="did not pass validation"):
            kind(alpha=0.1, precompute=centred.T @ centred).fit(form(centred), Y, sample_weight=weight)
    with pytest.raises(ValueError, match=r"has the shape \(2, 2\); .* \(9, 9\)"):
        kind(alpha=0.1, precompute=np.eye(2)).fit(form(X), Y)
    # Rows that the fit centres have another one, which is formed from X; without an intercept it is that of X.
    with pytest.warns(UserWarning, match="Gram matrix was provided but X was centered to fit intercept"):
        kind(alpha=0.1, precompute=right).fit(form(X), Y, sample_weight=weight)
    kind(alpha=0.1, precompute=X.T @ (share[:, None] * X), fit_intercept=False).fit(form(X), Y, sample_weight=weight)
