"""Digits of linear discriminants of two classes: those of a triangular factor of the centred rows."""

from fractions import Fraction
from itertools import product

import numpy as np
from scipy import linalg
from sklearn import discriminant_analysis
from tests.cases import each
from tests.linear.test_ridge_digits import digits

from learnable import certify
from learnable.certificates import Verdict
from learnable.linear import LinearDiscriminantAnalysis

N = 30
CLASS = np.arange(N) % 2


def exact(X: np.ndarray) -> np.ndarray:
    """Σ⁻¹(μ₁ − μ₀) for the numbers as they are stored, rounded once at the end."""
    rows = [[Fraction(value) for value in row] for row in X.tolist()]
    p, half = X.shape[1], N // 2
    mean = [[sum(row[j] for row in rows[k::2]) / half for j in range(p)] for k in range(2)]
    centred = [[value - mean[i % 2][j] for j, value in enumerate(row)] for i, row in enumerate(rows)]
    system = [
        [sum(row[a] * row[b] for row in centred) / N for b in range(p)] + [mean[1][a] - mean[0][a]] for a in range(p)
    ]
    for k in range(p):
        system[k] = [value / system[k][k] for value in system[k]]
        for i in set(range(p)) - {k}:
            system[i] = [value - system[i][k] * pivot for value, pivot in zip(system[i], system[k])]
    return np.array([float(row[-1]) for row in system])


def by_reflections(X: np.ndarray) -> np.ndarray:
    X = X - X.mean(axis=0)
    mean = np.array([X[k == CLASS].mean(axis=0) for k in range(2)])
    R = np.linalg.qr(X - mean[CLASS], mode="r") / np.sqrt(N)
    return linalg.solve_triangular(R, linalg.solve_triangular(R, mean[1] - mean[0], trans="T"))


@each("solver", ["svd", "lsqr", "eigen"])
def test_no_digits_are_lost_to_cross_products(solver):
    ours, theirs = [], []
    for far, near, draw in product((0.0, 1e3, 1e9), (1.0, 1e-2, 1e-3, 1e-5), range(2)):
        random = np.random.default_rng([int(far), int(1e5 * near), draw])
        X = random.standard_normal((N, 3))
        X[:, 0] += CLASS
        X[:, 2] = X[:, 0] + near * X[:, 2]
        X[:, 1] += far
        true, model = exact(X), LinearDiscriminantAnalysis(solver=solver, tol=1e-9).fit(X, CLASS)
        assert model.certificate_.holds
        ours.append(digits(model.coef_[0], true))
        theirs.append(digits(by_reflections(X), true))
    assert np.mean(ours) > np.mean(theirs) - 0.5, (ours, theirs)
    assert (np.array(ours) > np.array(theirs) - 2.5).all(), (ours, theirs)


def test_squares_of_means_that_the_condition_number_blurs_refute_nothing():
    """A column 1e-7 from another beside a class of one row: posteriors of an honest fit were refuted."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((40, 4))
        X[:, 1] = X[:, 0] + 1e-7 * X[:, 1]
        y = np.where(np.arange(40) == 0, "only", "rest")
        model = LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
        assert certify(model, X, y).verdict is not Verdict.REFUTED, seed


@each("solver", ["svd", "lsqr", "eigen"])
def test_what_nearly_equal_columns_differ_by_is_fitted_and_judged(solver):
    """Cross-products show nothing of it: answers that are off along it by any amount were proved."""
    for near, seed in product((1e-5, 1e-7, 1e-9), range(3)):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((40, 4))
        y = np.arange(40) % (2 + seed % 2)
        X[:, 1] = X[:, 0] + near * (X[:, 1] + 0.5 * y)
        model = LinearDiscriminantAnalysis(solver=solver, tol=1e-12).fit(X, y)
        assert certify(model, X, y).holds, (near, seed)
        spread = np.std(X @ model.coef_[0])
        away = np.array([1.0, -1.0, 0.0, 0.0]) * 0.01 * spread / np.std(X[:, 0] - X[:, 1])
        model.coef_[0] += away
        model.intercept_[0] -= X.mean(axis=0) @ away
        assert certify(model, X, y).verdict is Verdict.REFUTED, (near, seed)
        try:
            theirs = discriminant_analysis.LinearDiscriminantAnalysis(solver=solver, tol=1e-12).fit(X, y)
        except np.linalg.LinAlgError:
            continue
        assert certify(theirs, X, y).verdict is not Verdict.REFUTED, (near, seed)


def test_columns_that_do_not_vary_are_shrunk_as_such():
    # What rounding leaves of such a column was taken for its deviation, by fit and certificate in ways of their own.
    for draw in range(3):
        random = np.random.default_rng(draw)
        X, y = random.standard_normal((37, 3)), random.integers(0, 3, 37)
        for X[:, 1] in (3.7, 0.1, -1e-9 / 7):
            for kind in (LinearDiscriminantAnalysis, discriminant_analysis.LinearDiscriminantAnalysis):
                for priors in (None, [0.2, 0.3, 0.5]):
                    model = kind(solver="eigen", shrinkage="auto", priors=priors).fit(X, y)
                    assert certify(model, X, y).verdict is Verdict.PROVED
        model.scalings_ = model.scalings_[:, ::-1].copy()
        assert certify(model, X, y).verdict is Verdict.REFUTED


def test_units_of_columns_take_digits_of_scikit_learn_only():
    for draw in range(5):
        random = np.random.default_rng(draw)
        X = random.standard_normal((N, 3)) * np.array([1.0, 1e5, 1e3])
        X[:, 0] += CLASS
        for kind in (LinearDiscriminantAnalysis, discriminant_analysis.LinearDiscriminantAnalysis):
            model = kind(solver="lsqr").fit(X, CLASS)
            verdict = certify(model, X, CLASS).verdict
            ours = kind is LinearDiscriminantAnalysis
            assert verdict is Verdict.PROVED if ours else verdict is not Verdict.REFUTED
            model.intercept_ = model.intercept_ + 0.01 * (1.0 + abs(model.intercept_))
            assert certify(model, X, CLASS).verdict is Verdict.REFUTED


@each("kind", [LinearDiscriminantAnalysis, discriminant_analysis.LinearDiscriminantAnalysis])
@each("solver", ["svd", "lsqr"])
def test_odds_among_large_terms_in_single_precision_are_those_of_the_classes(kind, solver):
    random = np.random.default_rng(0)
    a, b = random.standard_normal((2, 60))
    y = b + 0.5 * random.standard_normal(60) > 0.0
    for near, off in ((1e-1, 10.0), (1e-2, 1.0), (1e-2, 10.0), (1e-3, 0.0)):
        X = (np.column_stack([a, a + near * b]) + off).astype(np.float32)
        model = kind(solver=solver).fit(X, y)
        assert certify(model, X, y).holds, (near, off)
        model.intercept_ = model.intercept_ + 0.02
        assert not certify(model, X, y).holds, (near, off)
