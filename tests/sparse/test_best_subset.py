"""Best subset: every subset counted out on small tables, the kept proof, tampering, splicing, hostile input (L1)."""

import copy
import json
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from scipy import linalg
from sklearn.base import clone
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.certificates.sparse.best_subset import _after_best_exchange, centred, covers
from learnable.problems.sparse.subset import subset_bound
from learnable.solvers.sparse import splicing
from learnable.solvers.sparse.diagonal_split import diagonal_split
from learnable.sparse import BestSubset, BestSubsetMILP, SplicingSubset, Stepwise
from learnable.trace import Status


def table(seed, n=40, p=9, noise=1.0, rho=0.5):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, p))
    for j in range(1, p):
        X[:, j] = rho * X[:, j - 1] + np.sqrt(1 - rho**2) * X[:, j]
    X = X * rng.uniform(0.01, 100.0, p) + rng.normal(size=p)
    beta = np.where(np.arange(p) % 3 == 0, 1.0, 0.0) / X.std(axis=0)
    return X, X @ beta + noise * rng.standard_normal(n)


def least(X, y, k, intercept=True, weight=None):
    """(RSS, subset) by trying every subset."""
    root = np.ones(len(y)) if weight is None else np.sqrt(weight)
    best = (np.inf, ())
    for subset in combinations(range(X.shape[1]), k):
        Z = np.column_stack([X[:, subset], np.ones(len(y))]) if intercept else X[:, subset]
        coef = np.linalg.lstsq(Z * root[:, None], y * root, rcond=None)[0]
        best = min(best, (float(np.sum((root * (y - Z @ coef)) ** 2)), subset))
    return best


@each("seed", range(12))
@each("k", [1, 3, 5, 8])
def test_as_good_as_counting_out(seed, k):
    X, y = table(seed, noise=[0.1, 3.0, 30.0][seed % 3], rho=[0.0, 0.5, 0.95][seed // 3 % 3])
    intercept = bool(seed % 2)
    model = BestSubset(k=k, fit_intercept=intercept).fit(X, y)
    rss, subset = least(X, y, k, intercept)
    assert model.rss_ == pytest.approx(rss, rel=1e-7)
    assert model.support_.tolist() == list(subset)
    assert model.status_ is Status.OPTIMAL
    assert model.certificate_.holds
    assert model.lower_bound_ <= rss * (1 + 1e-9)


def test_weights_are_repetitions():
    X, y = table(3)
    weight = np.random.default_rng(0).integers(0, 4, len(y)).astype(float)
    one = BestSubset(k=3).fit(X, y, sample_weight=weight)
    two = BestSubset(k=3).fit(np.repeat(X, weight.astype(int), axis=0), np.repeat(y, weight.astype(int)))
    np.testing.assert_allclose(one.coef_, two.coef_, rtol=1e-9, atol=1e-12)
    assert one.rss_ == pytest.approx(least(X, y, 3, weight=weight)[0], rel=1e-9)


@each("seed", range(20))
def test_the_bound_holds_for_every_subset_whatever_the_point(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((30, 7))
    X /= np.linalg.norm(X, axis=0)
    y = rng.standard_normal(30)
    y /= np.linalg.norm(y)
    gram, cross = X.T @ X, X.T @ y
    split = diagonal_split(gram)
    assert split is not None
    assert linalg.eigvalsh(gram - np.diag(split))[0] >= 0.0
    decided = rng.choice([-1, 0, 0, 1], 7)
    k = int(np.sum(decided == 1)) + 2
    bound = subset_bound(gram, cross, split, decided, k, rng.standard_normal(7))
    free = np.flatnonzero(decided == 0)
    for size in range(min(2, len(free)) + 1):
        for more in combinations(free, size):
            S = [*np.flatnonzero(decided == 1), *more]
            rss = 1.0 - cross[S] @ np.linalg.solve(gram[np.ix_(S, S)], cross[S]) if S else 1.0
            assert rss >= bound - 1e-12


def test_the_diagonal_is_the_largest():
    # Of an equicorrelated matrix the best diagonal is known by symmetry: 1 − ρ on every column.
    gram = np.full((5, 5), 0.3) + 0.7 * np.eye(5)
    np.testing.assert_allclose(diagonal_split(gram), 0.7, rtol=1e-3)


def test_covering():
    assert covers(np.zeros((1, 3), dtype=int), 2)
    halves = np.array([[1, 0, 0], [-1, 0, 0]])
    assert covers(halves, 2)
    assert not covers(halves[:1], 2)
    assert not covers(halves[1:], 2)
    quarters = np.array([[1, 1, 0], [1, -1, 0], [-1, 0, 0]])
    assert covers(quarters, 3)
    assert not covers(quarters[1:], 3)
    assert covers(quarters[1:], 1)  # two columns in are more than one
    assert not covers(halves[1:], 1)  # one is not
    assert not covers(np.zeros((0, 3), dtype=int), 1)


def test_a_tampered_proof_is_refused():
    X, y = table(5, n=60, p=12, noise=40.0)
    model = BestSubset(k=4).fit(X, y)
    assert len(model.families_) > 3
    for what in ("family", "points", "split", "bound", "another subset"):
        other = copy.deepcopy(model)
        if what == "family":
            other.families_, other.points_ = other.families_[1:], other.points_[1:]
        if what == "points":
            other.points_ = other.points_ + 1.0
        if what == "split":
            other.split_ = other.split_ * 1.5
        if what == "bound":
            other.families_ = other.families_.copy()
            row = other.families_[0]
            row[np.flatnonzero(row == 0)[0]] = 1
        if what == "another subset":
            worse = [j for j in range(12) if j not in model.support_][:4]
            fit = np.linalg.lstsq(np.column_stack([X[:, worse], np.ones(60)]), y, rcond=None)[0]
            other.coef_ = np.zeros(12)
            other.coef_[worse], other.intercept_ = fit[:4], fit[4]
        assert not certify(other, X, y).holds, what


def test_a_hundred_columns_are_settled():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((500, 100))
    for j in range(1, 100):
        X[:, j] = 0.5 * X[:, j - 1] + np.sqrt(0.75) * X[:, j]
    beta = np.zeros(100)
    beta[rng.choice(100, 10, replace=False)] = rng.choice([-1.0, 1.0], 10)
    y = X @ beta + rng.standard_normal(500) * (X @ beta).std()
    model = BestSubset(k=10).fit(X, y)
    assert model.status_ is Status.OPTIMAL
    assert model.certificate_.holds


def test_equal_and_constant_columns_are_no_obstacle():
    X, y = table(2)
    wide = np.column_stack([X, X[:, 0], -3.0 * X[:, 4] + 1.0, np.full(len(y), 7.0)])
    one, two = BestSubset(k=3).fit(X, y), BestSubset(k=3).fit(wide, y)
    assert two.support_.tolist() == one.support_.tolist()
    assert two.certificate_.holds


def test_a_spent_budget_says_how_far():
    X, y = table(1, n=100, p=40, noise=60.0)
    with pytest.warns(UserWarning, match="not proved best"):
        model = BestSubset(k=10, max_iter=2).fit(X, y)
    assert model.status_ is Status.BUDGET_SPENT
    assert not model.certificate_.holds
    assert model.lower_bound_ < model.rss_
    claim = model.certificate_.claims[-1] if hasattr(model.certificate_, "claims") else list(model.certificate_)[-1]
    # The certificate finds the same lower bound again.
    total = float(np.sum((y - y.mean()) ** 2))
    assert claim.value == pytest.approx((model.rss_ - model.lower_bound_) / total, rel=1e-6)


def test_more_columns_than_rows_has_no_proof():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20, 30)), rng.standard_normal(20)
    with pytest.warns(UserWarning, match="depend"):
        model = BestSubset(k=3).fit(X, y)
    assert not model.certificate_.holds
    assert model.lower_bound_ == pytest.approx(0.0, abs=1e-10)


def test_a_perfect_fit_and_a_constant_target():
    X, _ = table(4)
    perfect = BestSubset(k=2).fit(X, 2.0 * X[:, 1] - X[:, 5] + 3.0)
    assert perfect.support_.tolist() == [1, 5]
    assert perfect.certificate_.holds
    flat = BestSubset(k=2).fit(X, np.full(len(X), 5.0))
    np.testing.assert_allclose(flat.predict(X), 5.0)
    assert flat.certificate_.holds


def test_k_beyond_the_columns():
    X, y = table(0)
    with pytest.raises(ValueError, match=r"BestSubset\(k=10\): X has 9 columns"):
        BestSubset(k=10).fit(X, y)
    full = BestSubset(k=9).fit(X, y)
    assert full.certificate_.holds
    assert full.rss_ == pytest.approx(least(X, y, 9)[0], rel=1e-9)


def test_splicing_finds_the_best_of_a_clear_signal_and_claims_no_more():
    X, y = table(6, n=100, p=12, noise=0.1)
    model = SplicingSubset(k=4).fit(X, y)
    assert model.support_.tolist() == [0, 3, 6, 9]
    assert model.certificate_.holds
    assert model.status_ is Status.STATIONARY
    assert "all subsets" not in str(model.certificate_)
    other = copy.deepcopy(model)
    fit = np.linalg.lstsq(np.column_stack([X[:, [0, 3, 6, 10]], np.ones(100)]), y, rcond=None)[0]
    other.coef_ = np.zeros(12)
    other.coef_[[0, 3, 6, 10]], other.intercept_ = fit[:4], fit[4]
    assert not certify(other, X, y).holds


@each("seed", range(12))
def test_splicing_asks_for_rows_of_correlations_as_it_meets_columns_and_ends_where_all_of_them_lead(seed, monkeypatch):
    X, y = table(seed, n=30, p=14, noise=2.0, rho=0.9)
    whole = SplicingSubset(k=4).fit(X, y)
    monkeypatch.setattr(splicing, "FEW", 0)
    met = SplicingSubset(k=4).fit(X, y)
    assert met.support_.tolist() == whole.support_.tolist()
    np.testing.assert_allclose(met.coef_, whole.coef_, rtol=1e-9)
    assert met.n_iter_ == whole.n_iter_
    assert met.certificate_.holds


def test_splicing_gives_columns_that_depend_on_others_no_part():
    X, y = table(3, n=30, p=6)
    Z = np.column_stack([X, 2.0 * X[:, 0], np.ones(30), X[:, 0] + X[:, 3]])
    for k in range(1, 10):
        model = SplicingSubset(k=k).fit(Z, y)
        assert model.certificate_.holds, k
        assert len(model.support_) == min(k, 6)
        assert np.linalg.matrix_rank(Z[:, model.support_]) == len(model.support_)


@each("name", ["mtcars", "swiss", "longley"])
def test_the_subsets_of_leaps(name):
    # R's leaps::regsubsets, exhaustive, on its own tables.
    found = json.loads((Path(__file__).parents[1] / "reference" / "subsets_r.json").read_text())[name]
    X, y = np.array(found["X"]), np.array(found["y"])
    for k, (best, rss) in enumerate(zip(found["best"], found["rss"]), start=1):
        model = BestSubset(k=k).fit(X, y)
        assert model.support_.tolist() == best
        assert model.rss_ == pytest.approx(rss, rel=1e-7)
        assert model.certificate_.holds


@each("seed", range(3))
def test_programs_agree_with_branch_and_bound(seed):
    X, y = table(seed, n=40, p=8, noise=[0.1, 3.0, 30.0][seed])
    model, other = BestSubsetMILP(k=3).fit(X, y), BestSubset(k=3).fit(X, y)
    assert model.support_.tolist() == other.support_.tolist()
    assert model.status_ is Status.OPTIMAL
    assert model.certificate_.holds
    fewer = copy.deepcopy(model)
    fewer.points_ = fewer.points_[:1]
    assert len(model.points_) == 1 or not certify(fewer, X, y).holds


def test_programs_without_a_cut_say_how_far():
    X, y = table(0)
    with pytest.warns(UserWarning, match="depend on each other"):
        model = BestSubsetMILP(k=2).fit(np.column_stack([X, X.sum(axis=1)]), y)
    assert not model.certificate_.holds
    assert model.lower_bound_ == pytest.approx(least(X, y, 9)[0], rel=1e-7)


@each("k", [1, 2, 3])
def test_the_bound_is_the_least_sum_where_columns_are_orthogonal(k):
    rng = np.random.default_rng(k)
    cross = rng.standard_normal(6)
    cross /= 1.3 * np.linalg.norm(cross)
    decided = np.array([0, 0, -1, 0, 0, 0])
    least_sum = 1.0 - np.sort(np.delete(cross, 2) ** 2)[-k:].sum()
    assert subset_bound(np.eye(6), cross, np.ones(6), decided, k, np.zeros(6)) == pytest.approx(least_sum)
    decided[0] = 1  # one column is in already, which leaves room for one less
    least_sum = 1.0 - cross[0] ** 2 - np.sort(cross[[1, 3, 4, 5]] ** 2)[4 - (k - 1) :].sum()
    assert subset_bound(np.eye(6), cross, np.ones(6), decided, k, np.zeros(6)) == pytest.approx(least_sum)


@each("seed", range(6))
def test_the_best_exchange_by_trying_every_one(seed):
    X, y = table(seed, p=8, rho=[0.0, 0.9][seed % 2])
    at = centred(X, y, None, True)
    support = np.random.default_rng(seed).choice(8, 3, replace=False)
    sums = []
    for i, j in product(range(3), set(range(8)) - set(support.tolist())):
        columns = [*np.delete(support, i), j]
        Z = np.column_stack([X[:, columns], np.ones(len(y))])
        sums.append(float(np.sum((y - Z @ np.linalg.lstsq(Z, y, rcond=None)[0]) ** 2)))
    assert _after_best_exchange(at, support) == pytest.approx(min(sums), rel=1e-9)


def test_the_best_exchange_may_bring_in_a_column_that_is_almost_one_inside():
    rng = np.random.default_rng(0)
    x, w, z = rng.standard_normal((3, 60))
    # Column 2 is column 1 but for a hundredth of what y is made of: beside column 1 it explains y.
    X, y = np.column_stack([z, x, x + 0.01 * w]), w + 0.01 * rng.standard_normal(60)
    after = _after_best_exchange(centred(X, y, None, True), np.array([0, 1]))
    design = np.column_stack([X[:, 1:], np.ones(60)])
    expected = float(np.sum((y - design @ np.linalg.lstsq(design, y, rcond=None)[0]) ** 2))
    assert after == pytest.approx(expected, rel=1e-6)
    assert expected < 0.01 * np.sum((y - y.mean()) ** 2)


@each("kind", [BestSubset, BestSubsetMILP, SplicingSubset])
def test_what_is_told_of_a_subset_is_computed_again(kind):
    rng = np.random.default_rng(3)
    A = rng.standard_normal((40, 6)) + 5.0
    t = A[:, 1] - 2.0 * A[:, 4] + 0.5 * A[:, 2] + rng.standard_normal(40)
    model = kind(k=2).fit(A, t)
    assert certify(model, A, t).holds
    # Least squares on another subset, with all that follows from it, but with the old proof.
    other = kind(k=2).fit(A, A[:, 0] + A[:, 3])
    worse = copy.deepcopy(model)
    worse.support_ = other.support_
    Z = np.column_stack([A[:, worse.support_], np.ones(40)])
    found, rss, *_ = np.linalg.lstsq(Z, t, rcond=None)
    worse.coef_ = np.zeros(6)
    worse.coef_[worse.support_], worse.intercept_, worse.rss_ = found[:-1], found[-1], float(rss[0])
    changes = {
        "support_": model.support_[::-1], "rss_": 1.01 * model.rss_, "intercept_": model.intercept_ + 1e-6,
        "coef_": 1.001 * model.coef_, "lower_bound_": 0.9 * model.rss_,
        "families_": getattr(model, "families_", np.ones((2, 2)))[:-1],
        "split_": 1.5 * getattr(model, "split_", 1.0), "points_": 0.5 * getattr(model, "points_", np.ones(1)),
    }  # fmt: skip
    forged = [worse] if kind is SplicingSubset else []
    for name, value in changes.items():
        if hasattr(model, name):
            altered = copy.deepcopy(model)
            setattr(altered, name, value)
            forged.append(altered)
    for case, altered in enumerate(
        [*forged, copy.deepcopy(model).set_params(k=1), copy.deepcopy(model).set_params(k=3)]
    ):
        assert certify(altered, A, t).verdict is Verdict.REFUTED, case
    loose = copy.deepcopy(worse).set_params(**({"tol": 1e6} if hasattr(model, "tol") else {}))
    assert not certify(worse, A, t).holds
    assert not certify(loose, A, t).holds
    assert not certify(copy.deepcopy(model).set_params(fit_intercept=False), A, t).holds


def test_a_search_that_ended_early_proves_nothing_and_is_not_called_wrong():
    rng = np.random.default_rng(0)
    A, t = rng.standard_normal((8, 12)), rng.standard_normal(8)
    for kind in (BestSubset, BestSubsetMILP):
        with pytest.warns(match="not proved best"):
            model = kind(k=3).fit(A, t)
        assert model.certificate_.verdict is Verdict.NOTHING_ASSERTED


def test_a_subset_of_more_columns_than_rows_is_refuted_before_lapack_prints_that_it_cannot_be(monkeypatch):
    asked = []
    solve = linalg.lapack.dtrtrs
    monkeypatch.setattr(linalg.lapack, "dtrtrs", lambda R, b: asked.append(R.shape) or solve(R, b))
    rng = np.random.default_rng(0)
    X = rng.standard_normal((5, 8))
    y = X[:, 0] + 0.1 * rng.standard_normal(5)
    model = SplicingSubset(k=7, fit_intercept=False).fit(X, y)
    assert certify(model, X, y).holds
    model.coef_ = np.append(np.linalg.lstsq(X[:, :7], y)[0], 0.0)
    model.support_ = np.arange(7)
    assert not certify(model, X, y).holds
    assert asked
    assert all(rows == columns for rows, columns in asked), asked


@each("estimator", [SplicingSubset(k=5), BestSubset(k=5), Stepwise(criterion="rss", k=5)])
def test_a_residual_sum_is_never_below_zero(estimator):
    rng = np.random.default_rng(0)
    for _ in range(20):
        X = rng.standard_normal((6, 6))
        model = clone(estimator).fit(X, X @ rng.standard_normal(6) + rng.standard_normal(6))
        assert model.rss_ >= 0.0
