"""Row selection: optimality, known solutions, agreement with scikit-learn, the entrywise form. Syllabus: L16."""

import copy
import itertools
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model as foreign
from sklearn.exceptions import ConvergenceWarning
from tests.cases import each

from learnable import certify
from learnable.sparse import Lasso, MultiTaskLasso, NuclearNormRegression

RNG = np.random.default_rng(7)
N, P, Q = 80, 30, 4
X = RNG.standard_normal((N, P)) @ np.linalg.cholesky(0.6 ** np.abs(np.subtract.outer(range(P), range(P)))).T + 0.5
B = np.zeros((P, Q))
B[[2, 9, 20]] = 2.0 * RNG.standard_normal((3, Q))
Y = X @ B + 0.5 * RNG.standard_normal((N, Q)) + np.array([0.0, 5.0, -3.0, 1.0])
W = RNG.uniform(0.1, 2.0, N)


def conditions(model, X, Y, weight=None):
    """(longest excess of a zero row, largest distance of another row from its equation), by the definition."""
    weight = np.ones(len(Y)) if weight is None else weight
    slope = X.T @ (weight[:, None] * (model.predict(X) - Y)) / weight.sum()
    length = np.linalg.norm(model.coef_, axis=0)
    zero = length == 0.0
    excess = np.maximum(np.linalg.norm(slope[zero], axis=1) - model.alpha, 0.0).max(initial=0.0)
    on = slope[~zero] + model.alpha * (model.coef_[:, ~zero] / length[~zero]).T
    return excess, np.abs(on).max(initial=0.0)


@each("weight", [None, W], ids=["", "weighted"])
@each("intercept", [True, False])
@each("alpha", [1e-3, 0.1, 1.0])
def test_every_row_meets_its_condition(alpha, intercept, weight):
    model = MultiTaskLasso(alpha=alpha, fit_intercept=intercept, tol=1e-14).fit(X, Y, weight)
    excess, distance = conditions(model, X, Y, weight)
    assert excess < 1e-7
    assert distance < 1e-7
    assert model.certificate_.holds
    assert model.dual_gap_ <= 1e-13 * np.sum(Y**2)


@each("alpha", [0.05, 0.5])
def test_the_minimum_is_scikit_learn_s(alpha):
    ours = MultiTaskLasso(alpha=alpha, tol=1e-12).fit(X, Y)
    theirs = foreign.MultiTaskLasso(alpha=alpha, tol=1e-12, max_iter=10**5).fit(X, Y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6)
    assert certify(theirs, X, Y).holds
    theirs.coef_ = theirs.coef_ * 1.001
    assert not certify(theirs, X, Y).holds


def test_orthonormal_columns_shrink_each_row_by_its_length():
    Z = np.linalg.qr(RNG.standard_normal((N, 5)))[0] * np.sqrt(N)
    least = Z.T @ Y / N
    length = np.linalg.norm(least, axis=1)
    alpha = float(np.median(length))
    model = MultiTaskLasso(alpha=alpha, fit_intercept=False, tol=1e-14).fit(Z, Y)
    np.testing.assert_allclose(model.coef_.T, least * np.maximum(1 - alpha / length, 0.0)[:, None], atol=1e-10)


def test_from_the_longest_correlation_on_no_row_is_left():
    largest = np.linalg.norm((X - X.mean(axis=0)).T @ (Y - Y.mean(axis=0)), axis=1).max() / N
    assert not MultiTaskLasso(alpha=1.0001 * largest).fit(X, Y).coef_.any()
    some = MultiTaskLasso(alpha=0.999 * largest, tol=1e-12).fit(X, Y)
    assert np.count_nonzero(some.coef_.any(axis=0)) == 1


def test_one_target_is_the_lasso():
    many = MultiTaskLasso(alpha=0.1, tol=1e-13).fit(X, Y[:, :1])
    one = Lasso(alpha=0.1, tol=1e-13).fit(X, Y[:, 0])
    np.testing.assert_allclose(many.coef_[0], one.coef_, atol=1e-7)


def test_the_entrywise_form_is_the_lasso_with_several_targets():
    """Σ_jk |B_jk| separates over targets; the rows chosen are then not shared, while here they are."""
    together = Lasso(alpha=0.3, tol=1e-13).fit(X, Y)
    for k in range(Q):
        np.testing.assert_allclose(together.coef_[k], Lasso(alpha=0.3, tol=1e-13).fit(X, Y[:, k]).coef_, atol=1e-9)
    assert len({tuple(np.flatnonzero(row)) for row in together.coef_}) > 1
    rows = MultiTaskLasso(alpha=0.3).fit(X, Y).coef_ != 0.0
    assert np.array_equal(rows.all(axis=0), rows.any(axis=0))


@each("form", [sparse.csr_array, sparse.csc_matrix])
def test_sparse_data_give_the_same_answer(form):
    thin = X * (RNG.uniform(size=X.shape) < 0.4)
    dense = MultiTaskLasso(alpha=0.1, tol=1e-13).fit(thin, Y, W)
    other = MultiTaskLasso(alpha=0.1, tol=1e-13).fit(form(thin), Y, W)
    np.testing.assert_allclose(other.coef_, dense.coef_, atol=1e-8)
    assert other.certificate_.holds


def test_weights_are_repetitions_and_targets_may_be_rotated():
    times = RNG.integers(0, 4, N)
    weighted = MultiTaskLasso(alpha=0.1, tol=1e-13).fit(X, Y, times)
    repeated = MultiTaskLasso(alpha=0.1, tol=1e-13).fit(np.repeat(X, times, axis=0), np.repeat(Y, times, axis=0))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-7)
    turn = np.linalg.qr(RNG.standard_normal((Q, Q)))[0]
    plain, turned = (MultiTaskLasso(alpha=0.1, tol=1e-13).fit(X, target).coef_ for target in (Y, Y @ turn))
    np.testing.assert_allclose(turned, turn.T @ plain, atol=1e-7)


def test_more_columns_than_rows_and_columns_that_say_nothing():
    wide = RNG.standard_normal((40, 300))
    wide[:, 7] = 3.0
    wide[:, 8] = 0.0
    model = MultiTaskLasso(alpha=0.2, tol=1e-12).fit(wide, Y[:40])
    assert model.certificate_.holds
    assert not model.coef_[:, [7, 8]].any()


def test_without_a_penalty_it_is_least_squares_and_errors_name_the_remedy():
    model = MultiTaskLasso(alpha=0.0).fit(X, Y)
    np.testing.assert_allclose(model.coef_, foreign.LinearRegression().fit(X, Y).coef_, atol=1e-9)
    assert model.certificate_.holds
    with pytest.raises(ValueError, match="use Lasso"):
        MultiTaskLasso().fit(X, Y[:, 0])
    with pytest.raises(ValueError, match="alpha"):
        MultiTaskLasso(alpha=-1.0).fit(X, Y)


def test_a_spent_budget_is_said():
    with pytest.warns(match="MultiTaskLasso"):
        model = MultiTaskLasso(alpha=1e-3, tol=1e-12, max_iter=1).fit(RNG.standard_normal((40, 400)), Y[:40])
    assert model.status_ == "budget_spent"
    assert not model.certificate_.holds


def test_targets_keep_their_digits_beside_columns_of_single_numbers():
    random = np.random.default_rng(0)
    X, Y = random.standard_normal((60, 4)).astype(np.float32), 1e4 + random.standard_normal((60, 2))
    for weight in (None, np.arange(60) % 4):
        model = MultiTaskLasso(alpha=0.1).fit(X, Y, sample_weight=weight)
        assert certify(model, X, Y, weight).holds, certify(model, X, Y, weight)
        assert model.coef_.dtype == np.float32


@each("penalised", [MultiTaskLasso, foreign.MultiTaskLasso, NuclearNormRegression], ids=["ours", "theirs", "nuclear"])
def test_a_target_of_small_numbers_is_judged_by_itself(penalised):
    small = Y * [1.0, 1e-4, 1.0, 1.0]
    model = penalised(alpha=0.1, tol=1e-12, max_iter=100_000).fit(X, small)
    assert certify(model, X, small).holds
    middle, spread = X.mean(axis=0), np.std(X @ model.coef_[1])
    for factor in (0.0, -1.0, 1.05):
        altered = copy.deepcopy(model)
        altered.coef_[1] *= factor
        altered.intercept_[1] = small[:, 1].mean() - middle @ altered.coef_[1]
        assert np.std(X @ (altered.coef_[1] - model.coef_[1])) > 0.04 * spread
        assert not certify(altered, X, small).holds


def test_rounds_end_where_columns_repeat_each_other_and_the_penalty_is_lost_in_rounding():
    for seed in range(6):
        random = np.random.default_rng(seed)
        X, Y = random.standard_normal((80, 6)), random.standard_normal((80, 3))
        model = MultiTaskLasso(alpha=1e-15).fit(np.column_stack([X, X[:, :2]]), Y)
        assert (model.status_, model.n_iter_ < 100) == ("optimal", True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # some are not proved, and say so
            for level, repeated in itertools.product((1e-14, 1e-12, 1e-10), (1, 2, 3)):
                model.set_params(alpha=level).fit(np.column_stack([X, X[:, :repeated]]), Y)
                assert model.n_iter_ < 100
