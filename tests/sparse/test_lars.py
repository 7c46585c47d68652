"""The exact path against coordinate descent, brute force, its definition and values of R's lars (L7)."""

import copy
import warnings
from itertools import product

import numpy as np
import pytest
from sklearn import linear_model as foreign
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from tests.cases import each

from learnable import certify, watch
from learnable.certificates import Verdict
from learnable.solvers.sparse import homotopy
from learnable.sparse import Lars, Lasso, LassoLars, lars_path, lars_path_gram
from learnable.trace import Status

# Printed by R's lars (type="lasso", intercept=FALSE, normalize=FALSE) for this triangular design: two columns leave.
R_X = np.array(
    [
        [0.47299829, 0, 0, 0, 0],
        [0.08239882, 0.85784863, 0, 0, 0],
        [0.30114139, -0.07501577, 0.80895216, 0, 0],
        [-0.01460346, -0.1015233, 0.0407278, 0.80338378, 0],
        [-0.69363927, 0.06754067, 0.18064514, -0.0803561, 0.40427291],
    ]
).T
R_Y = np.array([-6.45006793, -3.51251449, -8.52445396, 6.12277822, -19.42109366])
R_KNOTS = np.array(
    [
        [0, 0, 0, 0, 0],
        [0, 0, -3.577397088285891, 0, 0],
        [0, 0, -4.702795355871871, 0, -1.218422599914637],
        [0, 0, -7.016748621359461, 2.231558436628169, -3.457726183014808],
        [0, -0.476624256777266, -7.614898471899412, 2.723267514525966, -4.021304522060710],
        [-79.810362809499026, 0, -0.336938391359179, 2.811549786389614, -45.827461592423745],
        [-83.528788732782829, 0, 0, 2.813766976061531, -47.776608869312305],
        [-83.777653739190711, 0, 0, 2.817462468949557, -47.911561610746404],
        [-83.784156932888934, 0, 0.001213370600853, 2.817368178703816, -47.914845922736234],
        [-84.033390591756657, 0.025219751009936, 0.048162321585148, 2.816221090636795, -48.039562334265717],
    ]
)


def wide(seed, n=25, p=60):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p)) + 0.7 * rng.standard_normal((n, 1))
    return X, X[:, :5] @ np.array([3.0, -2.0, 1.5, -1.0, 0.5]) + 0.5 * rng.standard_normal(n)


def at(alphas, coefs, alpha):
    """The path at any level, by linear interpolation between its knots."""
    return np.array([np.interp(alpha, alphas[::-1], row[::-1]) for row in coefs])


def test_the_knots_of_r():
    _, _, coefs = lars_path(R_X, R_Y, method="lasso")
    np.testing.assert_allclose(coefs.T, R_KNOTS, atol=1e-12)
    model = LassoLars(alpha=0, fit_intercept=False).fit(R_X, R_Y)
    np.testing.assert_allclose(model.coef_path_.T, R_KNOTS, atol=1e-12)
    assert model.certificate_.holds


@each("seed", range(3))
def test_coordinate_descent_agrees_at_and_between_knots(seed):
    X, y = wide(seed) if seed else load_diabetes(return_X_y=True)
    model = LassoLars(alpha=0.0).fit(X, y)
    used = model.coef_path_ != 0.0
    assert np.any(used[:, :-1] & ~used[:, 1:]), "no column leaves on this path"
    top = model.alphas_[0]
    levels = np.concatenate([model.alphas_[1:-1:3], np.geomspace(0.999, 0.01, 8) * top])
    for alpha in levels[levels > 1e-3 * top]:
        other = Lasso(alpha=alpha, tol=1e-15, max_iter=10_000).fit(X, y)
        scale = np.abs(other.coef_).max() or 1.0
        np.testing.assert_allclose(at(model.alphas_, model.coef_path_, alpha), other.coef_, atol=1e-10 * scale)
        np.testing.assert_allclose(LassoLars(alpha=alpha).fit(X, y).coef_, other.coef_, atol=1e-10 * scale)


@each("positive", [False, True])
def test_brute_force_over_all_sign_patterns(positive):
    rng = np.random.default_rng(4)
    X, y = rng.standard_normal((7, 4)), rng.standard_normal(7)
    alphas, _, coefs = lars_path(X, y, method="lasso", positive=positive)
    G, c, n = X.T @ X, X.T @ y, len(y)
    for alpha in np.linspace(0.01, 1.05, 15) * alphas[0]:
        best = np.zeros(4)

        def objective(b, alpha=alpha):
            return np.sum((y - X @ b) ** 2) / (2 * n) + alpha * np.abs(b).sum()

        for signs in product((0, 1) if positive else (-1, 0, 1), repeat=4):
            s = np.array(signs, dtype=float)
            S = np.flatnonzero(s)
            b = np.zeros(4)
            b[S] = np.linalg.solve(G[np.ix_(S, S)], c[S] - n * alpha * s[S]) if len(S) else 0.0
            if np.all(b * s >= 0.0) and objective(b) < objective(best):
                best = b
        np.testing.assert_allclose(at(alphas, coefs, min(alpha, alphas[0])), best, atol=1e-10)


def test_rows_and_cross_products_give_the_same_path():
    X, y = load_diabetes(return_X_y=True)
    for method in ("lar", "lasso"):
        one = lars_path(X, y, method=method, return_n_iter=True)
        two = lars_path_gram(X.T @ y, X.T @ X, n_samples=len(y), method=method, return_n_iter=True)
        assert one[1] == two[1]
        assert one[3] == two[3]
        np.testing.assert_allclose(one[0], two[0], atol=1e-10)
        np.testing.assert_allclose(one[2], two[2], atol=1e-7)


@each("method", ["lar", "lasso"])
def test_a_tall_table_has_the_path_of_its_rows(method, monkeypatch):
    """After some knots its triangular factor is asked; columns in units far apart, and two nearly the same."""
    random = np.random.default_rng(6)
    X = random.standard_normal((400, 12)) * np.logspace(-4, 4, 12)
    X[:, 3] = X[:, 2] * 10 ** (8 / 11) + 1e-6 * X[:, 3]
    y = X @ (random.standard_normal(12) / np.logspace(-4, 4, 12)) + random.standard_normal(400)
    factored = []
    asked = homotopy.of_triangle
    with monkeypatch.context() as patched:
        patched.setattr(homotopy, "of_triangle", lambda products: factored.append(products) or asked(products))
        one = lars_path(X, y, method=method)
    assert len(factored) == 1
    with monkeypatch.context() as patched:
        patched.setattr(homotopy, "TALL", 1000)
        two = lars_path(X, y, method=method)
    assert len(factored) == 1
    assert one[1] == two[1]
    np.testing.assert_allclose(one[0], two[0], rtol=1e-9)
    np.testing.assert_allclose(X @ one[2], X @ two[2], atol=1e-9)


@each("method", ["lar", "lasso"])
def test_many_rows_of_columns_apart_are_crossed_once(method, monkeypatch):
    random = np.random.default_rng(7)
    X = random.standard_normal((400, 12)) * np.logspace(-4, 4, 12)
    y = X @ (random.standard_normal(12) / np.logspace(-4, 4, 12)) + random.standard_normal(400)
    assert len(homotopy.row_products(X, y).y) == 13
    one = lars_path(X, y, method=method)
    with monkeypatch.context() as patched:
        patched.setattr(homotopy, "TALL", 1000)
        assert len(homotopy.row_products(X, y).y) == 400
        two = lars_path(X, y, method=method)
    assert one[1] == two[1]
    np.testing.assert_allclose(one[0], two[0], rtol=1e-11)
    np.testing.assert_allclose(one[2], two[2], rtol=1e-11, atol=1e-14)


@each("far", [0.0, 1e8])
def test_paths_of_columns_far_from_zero_are_proved_and_others_refuted(far):
    random = np.random.default_rng(8)
    for n, p in ((300, 5), (40, 60)):
        X = random.standard_normal((n, p)) + far
        y = X[:, :3] @ [1.0, -2.0, 0.5] + random.standard_normal(n)
        model = LassoLars(alpha=0.05).fit(X, y)
        assert certify(model, X, y).verdict is Verdict.PROVED
        for k in (1, len(model.alphas_) // 2):
            altered = copy.deepcopy(model)
            altered.coef_path_[model.active_[0], k] *= 1.001
            assert certify(altered, X, y).verdict is Verdict.REFUTED


def test_least_angles_stay_equal_also_with_more_columns_than_rows():
    X, y = wide(5)
    model = Lars().fit(X, y)
    assert len(model.active_) == len(y) - 1
    assert model.certificate_.holds
    Z, t = X - X.mean(axis=0), y - y.mean()
    for k, alpha in enumerate(model.alphas_):
        c = np.abs(Z.T @ (t - Z @ model.coef_path_[:, k])) / len(y)
        assert c.max() <= alpha + 1e-10
        assert np.count_nonzero(c > alpha - 1e-10) >= min(k + 1, len(y) - 1)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-8)


def test_tied_columns_enter_together():
    X = np.array([[0.0, 0.0, 0.0, -1.0, 0.0], [0.0, -1.0, 0.0, 0.0, 0.0]])
    y = np.array([-2.5, -2.5])
    for model in (Lars(fit_intercept=False), LassoLars(alpha=0.0, fit_intercept=False)):
        np.testing.assert_allclose(model.fit(X, y).coef_, [0, 2.5, 0, 2.5, 0], atol=1e-14)
        assert model.n_iter_ == 1
        assert model.certificate_.holds


def test_ties_of_which_some_must_stay_out():
    """Whole numbers make many ties; the minimum is compared with coordinate descent's."""
    rng = np.random.default_rng(11)
    for _ in range(30):
        X = rng.integers(-1, 2, (6, 8)).astype(float)
        y = rng.integers(-2, 3, 6).astype(float)
        alpha = 0.05
        model = LassoLars(alpha=alpha).fit(X, y)
        other = Lasso(alpha=alpha, tol=1e-14, max_iter=10_000).fit(X, y)

        def objective(m, X=X, y=y, alpha=alpha):
            return np.mean((y - m.predict(X)) ** 2) / 2 + alpha * np.abs(m.coef_).sum()

        assert objective(model) == pytest.approx(objective(other), abs=1e-12)
        assert model.certificate_.holds, model.certificate_


def test_duplicated_constant_and_zero_columns():
    X, y = wide(7, n=40, p=6)
    plain = LassoLars(alpha=0.05).fit(X, y)
    padded = np.column_stack([X, X[:, 0], np.zeros(40), np.full(40, 1e6), -X[:, 1]])
    model = LassoLars(alpha=0.05).fit(padded, y)
    np.testing.assert_allclose(model.coef_[:6], plain.coef_, atol=1e-12)
    assert not model.coef_[6:].any()
    assert model.certificate_.holds
    assert Lars().fit(padded, y).certificate_.holds


def test_levels_that_leave_nothing_or_end_early():
    X, y = wide(1)
    assert not LassoLars(alpha=1e3).fit(X, y).coef_.any()
    assert LassoLars(alpha=1e3).fit(X, y).alphas_ == [1e3]
    zero = LassoLars(alpha=0.1).fit(X, np.zeros(len(y)))
    assert not zero.coef_.any()
    assert zero.certificate_.holds
    with pytest.warns(Warning, match="raise max_iter"):
        short = LassoLars(alpha=0.001, max_iter=3).fit(X, y)
    assert short.status_ is Status.BUDGET_SPENT
    assert not short.certificate_.holds
    assert len(short.alphas_) == 4


def powers(degree):
    """Columns t, t², …: tens of knots, half of them columns that leave."""
    t = np.linspace(0.0, 1.0, 50)
    return np.vander(t, degree + 1, increasing=True)[:, 1:], np.sin(5 * t) + 0.1 * np.cos(40 * t)


@each("degree", [9, 10, 11, 12])
def test_powers_beyond_the_digits_are_proved_or_said_to_be_short(degree):
    """Condition numbers from 1e7 on: their squares leave no digit, and rounding decides which it is."""
    X, y = powers(degree)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = LassoLars(alpha=0.0).fit(X, y)
    short = model.status_ is not Status.OPTIMAL
    assert model.certificate_.holds != short
    assert bool(said) == short


@each("degree", [6, 7, 8])
def test_powers_of_a_variable(degree):
    """Condition numbers from 1e4 to 1e6."""
    X, y = powers(degree)
    model = LassoLars(alpha=0.0).fit(X, y)
    assert model.certificate_.holds, model.certificate_
    A = np.column_stack([X, np.ones(50)])
    known = np.linalg.lstsq(A, y, rcond=None)[0]
    np.testing.assert_allclose(model.predict(X), A @ known, atol=1e-11)


def test_several_targets_are_one_after_the_other():
    X, y = wide(2, n=30, p=8)
    Y = np.column_stack([y, X[:, 3] - y])
    both = LassoLars(alpha=0.1).fit(X, Y)
    assert both.certificate_.holds
    for k in range(2):
        one = LassoLars(alpha=0.1).fit(X, Y[:, k])
        np.testing.assert_allclose(both.coef_[k], one.coef_, atol=1e-14)
        np.testing.assert_allclose(both.coef_path_[k], one.coef_path_, atol=1e-14)


def test_knots_can_be_watched():
    X, y = wide(3)
    seen = [step.state.paths[0].alpha for step in watch(LassoLars(alpha=0.1), X, y)]
    np.testing.assert_array_equal(seen, LassoLars(alpha=0.1).fit(X, y).alphas_)
    objectives = [step.state.objective for step in watch(Lars(), X, y)]
    assert np.all(np.diff(objectives) <= 1e-12)


def test_jitter_is_kept_for_the_certificate():
    X, y = wide(4)
    model = LassoLars(alpha=0.1, jitter=0.5).fit(X, y)
    assert model.certificate_.holds
    assert model.jitter_.min() >= 0.0
    assert model.jitter_.max() <= 0.5
    model.jitter_ = np.zeros(len(y))
    assert not certify(model, X, y).holds


def test_foreign_paths_are_judged():
    from sklearn.linear_model import LassoLars as Theirs

    X, y = wide(6)
    assert certify(Theirs(alpha=0.2).fit(X, y), X, y).holds
    moved = Theirs(alpha=0.2).fit(X, y)
    moved.coef_ = moved.coef_ * (1 + 1e-6)
    assert not certify(moved, X, y).holds


def test_bad_input_is_named():
    X, y = wide(0)
    with pytest.raises(ValueError, match="Positive constraint"):
        lars_path(X, y, method="lar", positive=True)
    with pytest.raises(ValueError, match=r"Gram has shape \(2, 2\)"):
        lars_path(X, y, Gram=np.eye(2))
    with pytest.raises(ValueError, match="NaN"):
        lars_path(X, np.full(len(y), np.nan))
    with pytest.raises(ValueError, match="alpha"):
        LassoLars(alpha=-1).fit(X, y)


def _hostile(seed: int):
    """Entries or columns of very different sizes."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(5, 40)), int(rng.integers(1, 12))
    A = rng.standard_normal((n, p))
    t = A @ rng.standard_normal(p) + rng.standard_normal(n)
    match seed % 3:
        case 0:
            return A * 10.0 ** rng.integers(-25, 26, p), t
        case 1:
            return np.where(rng.random((n, p)) < 0.2, A * 1e20, np.round(A)), t
    return A * 10.0 ** rng.integers(-8, 8, p), t * 1e15


@each("model", [Lars(), LassoLars(alpha=0.0), LassoLars(alpha=1e-3)], ids=str)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_optimal_is_only_said_of_a_path_that_can_be_proved(model):
    for seed in range(60):
        fitted = model.fit(*_hostile(seed))
        assert fitted.certificate_.holds or fitted.status_ == "budget_spent", seed


def test_an_entry_of_1e20_hides_no_other_column():
    rng = np.random.default_rng(0)
    A = rng.standard_normal((30, 5))
    t = A @ [1.0, 2.0, 0.0, 0.0, -1.0] + 0.1 * rng.standard_normal(30)
    A[:, 1] *= 1e20
    fitted = Lars().fit(A, t)
    assert fitted.status_ == "optimal"
    assert fitted.certificate_.holds
    # The end of the path is least squares, whatever the lengths of the columns.
    A[:, 1] /= 1e20
    exact = np.linalg.lstsq(A - A.mean(axis=0), t - t.mean(), rcond=None)[0]
    np.testing.assert_allclose(fitted.coef_ * [1.0, 1e20, 1.0, 1.0, 1.0], exact, rtol=1e-9)


def test_a_path_must_end_where_it_was_asked_to():
    rng = np.random.default_rng(4)
    A = rng.standard_normal((40, 6)) + 1.0
    t = A @ [3.0, -2.0, 1.0, 0.5, 0.0, 0.0] + rng.standard_normal(40)
    for model in (Lars(), Lars(n_nonzero_coefs=4), LassoLars(alpha=0.02)):
        fitted = model.fit(A, t)
        assert certify(fitted, A, t).holds
        knots = len(fitted.alphas_)
        for k in range(1, knots):
            cut = copy.deepcopy(fitted)
            cut.alphas_, cut.coef_path_ = fitted.alphas_[:k], fitted.coef_path_[:, :k]
            cut.coef_ = fitted.coef_path_[:, k - 1].copy()
            cut.intercept_ = t.mean() - A.mean(axis=0) @ cut.coef_
            cut.n_iter_, cut.active_ = k - 1, [j for j in fitted.active_ if cut.coef_[j] != 0.0]
            assert certify(cut, A, t).verdict is Verdict.REFUTED, (model, k)
            # Other steps allowed are another problem; spent steps of the lasso, and knots at which no column entered,
            # prove nothing.
            if isinstance(model, LassoLars):
                assert certify(cut.set_params(max_iter=k - 1), A, t).verdict is Verdict.NOTHING_ASSERTED
            elif 1 < k < knots - 1:
                assert certify(cut.set_params(n_nonzero_coefs=k - 1), A, t).holds
                middle = (cut.alphas_[0] + cut.alphas_[1]) / 2, (cut.coef_path_[:, 0] + cut.coef_path_[:, 1]) / 2
                cut.alphas_ = np.insert(cut.alphas_, 1, middle[0])
                cut.coef_path_ = np.insert(cut.coef_path_, 1, middle[1], axis=1)
                cut.n_iter_, cut.n_nonzero_coefs = k, k
                assert certify(cut, A, t).verdict is Verdict.NOTHING_ASSERTED
        for name, value in (
            ("active_", fitted.active_[::-1]),
            ("active_", fitted.active_[:-1]),
            ("n_iter_", fitted.n_iter_ + 1),
            ("alphas_", fitted.alphas_ * 1.01),
        ):
            altered = copy.deepcopy(fitted)
            setattr(altered, name, value)
            assert certify(altered, A, t).verdict is Verdict.REFUTED, (model, name)
    assert certify(fitted.set_params(alpha=0.03), A, t).verdict is Verdict.REFUTED


def test_noise_added_to_the_target_is_part_of_the_problem():
    rng = np.random.default_rng(4)
    A, t = rng.standard_normal((30, 4)), rng.standard_normal(30)
    for seed in (0, None):
        fitted = Lars(jitter=0.1, random_state=seed).fit(A, t)
        assert certify(fitted, A, t).holds
        large = Lars(jitter=1.0, random_state=seed).fit(A, t).set_params(jitter=0.1)
        assert certify(large, A, t).verdict is Verdict.REFUTED
    theirs = foreign.Lars(jitter=0.1, random_state=0).fit(A, t)
    assert certify(theirs, A, t).holds
    assert certify(foreign.Lars(jitter=0.1).fit(A, t), A, t).verdict is Verdict.NOTHING_ASSERTED


@each("model", [Lars(fit_path=False), LassoLars(alpha=0.05, fit_path=False)], ids=str)
def test_an_end_without_its_path_is_proved_and_one_whose_path_was_taken_is_not(model):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 4))
    y = X @ [1.0, 2.0, 0.0, -1.0] + 0.1 * rng.standard_normal(30)
    end = clone(model).fit(X, y)
    assert end.status_ == Status.OPTIMAL
    assert certify(end, X, y).holds
    end.coef_ = end.coef_ * 1.001
    assert not certify(end, X, y).holds
    for name in ("coef_path_", "active_"):
        whole = clone(model).set_params(fit_path=True).fit(X, y)
        delattr(whole, name)
        assert not certify(whole, X, y).holds
