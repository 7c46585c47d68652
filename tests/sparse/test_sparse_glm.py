"""Sparse logistic and Poisson regression: optimality, gaps, agreement with others, paths. Syllabus: L21."""

import copy
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sklearn import linear_model as foreign
from sklearn.datasets import load_wine
from tests.cases import each

from learnable import certify
from learnable.certificates.sparse.penalized import penalized_claims
from learnable.linear import LogisticRegression
from learnable.problems.linear.losses import Logistic
from learnable.problems.sparse.penalties import L1
from learnable.sparse import SparseLogisticRegression, SparsePoissonRegressor, largest_alpha, sparse_logistic_path

RNG = np.random.default_rng(31)
N, P = 150, 12
X = RNG.standard_normal((N, P)) * np.linspace(0.5, 2.0, P) + 0.3
SCORE = X[:, [1, 4]] @ np.array([1.5, -1.0])
TWO = np.where(SCORE + RNG.logistic(size=N) > 0.2, "yes", "no")
THREE = np.digitize(SCORE + RNG.logistic(size=N), [-1.0, 1.0])
COUNTS = RNG.poisson(np.exp(0.3 * SCORE + 0.5)).astype(float)
W = RNG.uniform(0.0, 2.0, N)


@each("y", [TWO, THREE], ids=["binary", "softmax"])
@each("alpha", [0.003, 0.05])
def test_the_minimum_is_scikit_learn_s(y, alpha):
    ours = SparseLogisticRegression(alpha, tol=1e-9).fit(X, y, W)
    theirs = foreign.LogisticRegression(C=1 / (alpha * W.sum()), l1_ratio=1.0, solver="saga", tol=1e-10, max_iter=10**5)
    theirs.fit(X, y, W)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-4)
    same = LogisticRegression(C=1 / (alpha * W.sum()), l1_ratio=1.0, tol=1e-9).fit(X, y, W)
    np.testing.assert_allclose(ours.coef_, same.coef_, atol=1e-6)
    assert ours.certificate_.holds
    assert 0.0 <= ours.certificate_.claim("O6").value < 1e-7


@each("y", [TWO, THREE], ids=["binary", "softmax"])
@each("intercept", [True, False])
def test_from_the_largest_alpha_on_nothing_is_left(y, intercept):
    top = largest_alpha(X, y, fit_intercept=intercept)
    none = SparseLogisticRegression(1.0001 * top, fit_intercept=intercept).fit(X, y)
    some = SparseLogisticRegression(0.99 * top, fit_intercept=intercept, tol=1e-8).fit(X, y)
    assert not none.coef_.any()
    assert 1 <= np.count_nonzero(some.coef_) <= 2


def test_a_path_is_its_solutions_one_by_one():
    path = sparse_logistic_path(X, TWO, 6, eps=0.02, tol=1e-9)
    assert not path.coefs[0].any()
    for alpha, coef, b in zip(path.alphas, path.coefs, path.intercepts):
        alone = SparseLogisticRegression(alpha, tol=1e-9).fit(X, TWO)
        np.testing.assert_allclose(coef, alone.coef_, atol=1e-6)
        np.testing.assert_allclose(b, alone.intercept_, atol=1e-6)
    with pytest.raises(ValueError, match="alphas must be > 0"):
        sparse_logistic_path(X, TWO, [0.1, -1.0])


def test_balanced_classes_and_sparse_rows():
    dense = SparseLogisticRegression(0.02, class_weight="balanced", tol=1e-9).fit(X, THREE)
    other = SparseLogisticRegression(0.02, class_weight="balanced", tol=1e-9).fit(sparse.csr_array(X), THREE)
    np.testing.assert_allclose(other.coef_, dense.coef_, atol=1e-7)
    assert dense.certificate_.holds


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_class_with_all_the_weight_is_certain_after_few_rounds():
    """There is no best intercept: the fit ends where every row is certain, and claims nothing."""
    for y, alpha in ((TWO, 0.01), (TWO, 1e-6), (TWO == "yes", 0.01)):
        model = SparseLogisticRegression(alpha).fit(X, y, W * (TWO == "no"))
        assert model.predict_proba(X)[:, 1].max() < 1e-10
        assert not model.coef_.any()
        assert model.n_iter_ < 50
        assert not model.certificate_.holds


def test_more_columns_than_rows():
    wide = RNG.standard_normal((60, 500))
    y = wide[:, 3] - wide[:, 8] + 0.3 * RNG.standard_normal(60) > 0
    model = SparseLogisticRegression(0.03, tol=1e-8).fit(wide, y)
    assert model.certificate_.holds
    assert model.certificate_.claim("O6").value < 1e-6
    assert {3, 8} <= set(np.flatnonzero(model.coef_[0]))
    assert np.count_nonzero(model.coef_) < 60


@each("weight", [None, W], ids=["", "weighted"])
@each("intercept", [True, False])
@each("alpha", [1e-3, 0.1])
def test_poisson_conditions_by_their_definition(alpha, intercept, weight):
    model = SparsePoissonRegressor(alpha, fit_intercept=intercept, tol=1e-9).fit(X, COUNTS, weight)
    w = np.ones(N) if weight is None else weight
    slope = X.T @ (w * (model.predict(X) - COUNTS)) / w.sum()
    zero = model.coef_ == 0.0
    assert np.abs(slope[zero]).max(initial=0.0) <= alpha * (1 + 1e-7)
    np.testing.assert_allclose(slope[~zero], -alpha * np.sign(model.coef_[~zero]), atol=1e-8)
    if intercept:
        assert w @ (model.predict(X) - COUNTS) / w.sum() == pytest.approx(0.0, abs=1e-8)
    assert model.certificate_.holds
    assert 0.0 <= model.certificate_.claim("O6").value < 1e-8


def test_poisson_agrees_with_statsmodels():
    import statsmodels.api as sm

    alpha = 0.05
    Z = sm.add_constant(X)
    penalty = np.full(P + 1, alpha)
    penalty[0] = 0.0
    family = sm.families.Poisson()
    theirs = sm.GLM(COUNTS, Z, family=family).fit_regularized(alpha=penalty, L1_wt=1.0, maxiter=1000, cnvrg_tol=1e-12)
    ours = SparsePoissonRegressor(alpha, tol=1e-10).fit(X, COUNTS)
    np.testing.assert_allclose(np.append(ours.intercept_, ours.coef_), theirs.params, atol=1e-5)


def test_poisson_repetitions_sparse_rows_and_errors():
    times = RNG.integers(0, 3, N)
    weighted = SparsePoissonRegressor(0.02, tol=1e-10).fit(X, COUNTS, times)
    repeated = SparsePoissonRegressor(0.02, tol=1e-10).fit(np.repeat(X, times, axis=0), np.repeat(COUNTS, times))
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-8)
    other = SparsePoissonRegressor(0.02, tol=1e-10).fit(sparse.csc_matrix(X), COUNTS, times)
    np.testing.assert_allclose(weighted.coef_, other.coef_, atol=1e-8)
    with pytest.raises(ValueError, match=r"y\[0\] is -1"):
        SparsePoissonRegressor().fit(X, COUNTS - 1.0 - COUNTS[0])
    with pytest.raises(ValueError, match="every y that counts is 0"):
        SparsePoissonRegressor().fit(X, np.zeros(N))


@each(
    ("model", "y"), [(SparseLogisticRegression(0.02, tol=1e-8), TWO), (SparsePoissonRegressor(0.02, tol=1e-8), COUNTS)]
)
def test_a_thousandth_is_noticed(model, y):
    model = copy.deepcopy(model).fit(X, y)
    model.coef_ = model.coef_ * 1.001
    assert not certify(model, X, y).holds


@each("balanced", [None, "balanced", {"yes": 3.0}])
@each("intercept", [True, False])
@each("weight", [None, W], ids=["", "weighted"])
def test_the_claims_of_two_classes_by_another_route(weight, intercept, balanced):
    """At any answer, good or bad: the violation is that of a logistic regression; the gap covers what is missing."""
    options = {"fit_intercept": intercept, "class_weight": balanced}
    best = SparseLogisticRegression(0.03, tol=1e-10, **options).fit(X, TWO, weight)
    per_class = {"yes": 3.0} if isinstance(balanced, dict) else {}
    w = np.ones(N) if weight is None else weight
    if balanced == "balanced":
        sums = {label: w[label == TWO].sum() for label in ("no", "yes")}
        per_class = {label: w.sum() / (2.0 * total) for label, total in sums.items()}
    w = w * np.array([per_class.get(label, 1.0) for label in TWO])
    same = LogisticRegression(C=1 / (0.03 * w.sum()), l1_ratio=1.0, tol=1e-10, **options).fit(X, TWO, weight)

    def objective(model):
        f = X @ model.coef_[0] + model.intercept_[0]
        return w @ np.logaddexp(0.0, np.where(TWO == "yes", -f, f)) / w.sum() + 0.03 * np.abs(model.coef_).sum()

    least = objective(best)
    cases = [(factor, 0.0) for factor in (1.0, 0.9, 1.3, -1.0, 0.0, 40.0)] + [(1.0, 0.3), (0.5, -0.3)]
    for factor, shift in cases:
        model = copy.deepcopy(best)
        model.coef_ = same.coef_ = best.coef_ * factor
        model.intercept_ = same.intercept_ = best.intercept_ + shift * intercept
        ours, theirs = certify(model, X, TWO, weight), certify(same, X, TWO, weight)
        assert theirs.claim("O6").value >= objective(model) - least - 1e-12
        assert ours.holds == (factor == 1.0 and shift * intercept == 0.0)
        assert ours.claim("O6").value >= objective(model) - least - 1e-12
        alike = SimpleNamespace(**vars(model) | {"coef_": model.coef_[0], "intercept_": model.intercept_[0]})
        general = penalized_claims(alike, Logistic(), L1(0.03), X, np.where(TWO == "yes", 1.0, -1.0), w)
        (gap,) = (claim.value for claim in general if claim.id == "O6")
        assert gap >= objective(model) - least - 1e-12
        if not intercept:
            assert ours.claim("O6").value == pytest.approx(gap, rel=1e-9, abs=1e-12)
    assert best.certificate_.claim("O6").value < 1e-8


def test_words_in_any_storage():
    """Working sets that change, more columns than may come into play at once: the dense answer for every storage."""
    words = sparse.random_array((400, 900), density=0.02, rng=RNG, data_sampler=RNG.standard_normal, format="csr")
    beta = np.zeros(900)
    beta[:150] = RNG.standard_normal(150) * 3.0
    y = words @ beta + 0.5 * RNG.logistic(size=400) > 0.3
    dense = SparseLogisticRegression(0.001, tol=1e-9).fit(words.toarray(), y)
    assert np.count_nonzero(dense.coef_) > 100
    for form in (words, sparse.csc_array(words), sparse.coo_array(words)):
        model = SparseLogisticRegression(0.001, tol=1e-9).fit(form, y)
        np.testing.assert_allclose(model.coef_, dense.coef_, atol=1e-5 * np.abs(dense.coef_).max())
        assert model.certificate_.holds
        assert model.certificate_.claim("L21").value == pytest.approx(certify(model, words.toarray(), y)[0].value)


@each("form", [sparse.csr_array, sparse.csc_matrix])
@each("factor", [1e150, -1e150, 1e-150])
def test_sparse_columns_of_extreme_size_are_refused(form, factor):
    scaled = X.copy()
    scaled[:, 3] *= factor
    with pytest.raises(ValueError, match=r"column 3 of X has entries of size"):
        SparseLogisticRegression().fit(form(scaled), TWO)


def test_stored_zeros_and_small_entries_beside_large_ones_are_ordinary():
    stored = sparse.csr_array(X)
    stored.data[::7] = 0.0
    stored.data[3] = 1e-200
    model = SparseLogisticRegression(0.02, tol=1e-8).fit(stored, TWO)
    np.testing.assert_allclose(
        model.coef_, SparseLogisticRegression(0.02, tol=1e-8).fit(stored.toarray(), TWO).coef_, atol=1e-6
    )
    stored.data[5] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        SparseLogisticRegression().fit(stored, TWO)


def test_several_classes_reach_their_gap_with_the_defaults():
    # Columns of very different lengths, as they come: the sweeps over the classes need many rounds.
    A, t = load_wine(return_X_y=True)
    for Z in (A, (A - A.mean(axis=0)) / A.std(axis=0)):
        model = SparseLogisticRegression(0.01).fit(Z, t)
        assert model.status_ == "optimal"
        assert certify(model, Z, t).holds


def awkward_table(rng, n, p):
    """A column far from zero, a long one, one twice, a constant one, at random places."""
    X = rng.normal(size=(n, p))
    far, long, twin, copied, constant = rng.integers(0, p, 5)
    X[:, constant], X[:, twin] = 5.0, X[:, copied]
    X[:, long] *= 1e6
    X[:, far] += rng.choice([1e6, 1e8])
    return X


@each("classes", [2, 3])
def test_awkward_columns_leave_a_proof(classes):
    rng = np.random.default_rng(classes)
    for _ in range(10):
        n, p = rng.integers(20, 60), rng.integers(4, 20)
        X, y = awkward_table(rng, n, p), rng.integers(0, classes, n)
        share = float(rng.choice([0.5, 1.0]))
        wide = LogisticRegression(C=float(rng.choice([0.1, 1.0, 10.0, 100.0])), l1_ratio=share, solver="saga")
        for model in (wide, SparseLogisticRegression(alpha=float(rng.choice([0.1, 0.01, 0.001])))):
            assert model.fit(X, y).status_ == "optimal", model
            assert certify(model, X, y).holds, model


def test_a_sparse_column_without_a_digit_left_is_named():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.standard_normal(40), 1e9 + rng.standard_normal(40)])
    y = X[:, 1] - 1e9 + 0.5 * rng.standard_normal(40) > 0.0
    assert SparseLogisticRegression().fit(X, y).certificate_.holds
    with pytest.raises(ValueError, match=r"column 1 is so far from zero.*subtract its mean"):
        SparseLogisticRegression().fit(sparse.csr_array(X), y)
