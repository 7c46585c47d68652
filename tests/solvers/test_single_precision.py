"""Data of single precision: the answers of the same numbers in double, from fewer bytes."""

import numpy as np
from tests.cases import each

from learnable.linear import LinearRegression, LogisticRegression, PoissonRegressor, Ridge
from learnable.rows import as_rows, moments
from learnable.solvers.linear import least_squares
from learnable.solvers.linear.likelihood import CategoricalLikelihood

RNG = np.random.default_rng(5)
X = (RNG.standard_normal((5_000, 30)) + np.linspace(0, 5, 30)).astype(np.float32)
Y = X @ RNG.standard_normal(30) + RNG.standard_normal(5_000)
WEIGHT = RNG.uniform(0.5, 2.0, 5_000)


@each("weight", [None, WEIGHT])
@each("centre", [True, False])
def test_moments_of_single_precision_keep_six_digits(weight, centre):
    single = moments(as_rows(X, Y, weight), centre=centre, dtype=np.float32)
    double = moments(as_rows(X.astype(float), Y, weight), centre=centre)
    for name in ("mean_x", "mean_y", "scatter_xx", "scatter_xy", "scatter_yy"):
        size = np.abs(getattr(double, name)).max()
        np.testing.assert_allclose(getattr(single, name), getattr(double, name), atol=3e-6 * size)
        assert getattr(single, name).dtype == np.float64


def solutions(design, target, weight=None, alpha=0.0, intercept=True):
    for table in (design, design.astype(float)):
        (state,) = least_squares.iterates(as_rows(table, target, weight), np.full(1, alpha), intercept)
        yield state


@each("weight", [None, WEIGHT])
@each("alpha", [0.0, 10.0])
@each("intercept", [True, False])
def test_refinement_gives_the_digits_back(weight, alpha, intercept):
    single, double = solutions(X, Y, weight, alpha, intercept)
    np.testing.assert_allclose(single.coef, double.coef, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(single.intercept, double.intercept, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(single.objective, double.objective, rtol=1e-8)
    np.testing.assert_allclose(single.singular, double.singular, rtol=1e-5)


@each("kind", ["collinear", "large", "small", "far", "constant target", "no columns that vary"])
def test_what_single_precision_cannot_carry_is_computed_in_double(kind):
    design, target = X.copy(), Y
    if kind == "collinear":
        design[:, 1] = design[:, 0] + 1e-3 * design[:, 1]
    elif kind == "large":
        design *= np.float32(1e25)
    elif kind == "small":
        design *= np.float32(1e-25)
    elif kind == "far":
        design[:, 0] += np.float32(1e5)
    elif kind == "constant target":
        target = np.full(len(Y), 3.0)
    else:
        design = np.ones((len(Y), 2), dtype=np.float32)
    single, double = solutions(design, target)
    size = np.abs(double.coef).max()
    np.testing.assert_allclose(single.coef, double.coef, rtol=1e-6, atol=1e-7 * size + 1e-20)
    assert single.rank == double.rank


@each("n_classes", [2, 3])
@each("p", [8, 30])
def test_sums_of_kernels_are_those_of_the_same_numbers_in_double(n_classes, p):
    label = np.arange(len(Y)) % n_classes
    theta = 0.1 * RNG.standard_normal((p + 1, 1 if n_classes == 2 else n_classes))
    found = []
    for table in (X[:, :p], X[:, :p].astype(float)):
        objective = CategoricalLikelihood(as_rows(table, label), theta.shape[1], True)
        found.append(objective.value_and_gradient(theta))
    np.testing.assert_allclose(found[0][0], found[1][0], rtol=1e-14)
    np.testing.assert_allclose(found[0][1], found[1][1], rtol=1e-12, atol=1e-14)


@each("model", [LinearRegression(), Ridge(), LogisticRegression(), PoissonRegressor()], ids=str)
def test_fits_are_certified_and_of_the_type_given(model):
    target = {"LogisticRegression": np.median(Y) < Y, "PoissonRegressor": np.floor(np.abs(Y))}
    y = target.get(type(model).__name__, Y)
    double = model.fit(X.astype(float), y).coef_.copy()
    single = model.fit(X, y)
    assert single.coef_.dtype == np.float32
    assert single.certificate_.holds
    np.testing.assert_allclose(single.coef_, double, rtol=2e-4, atol=2e-5)


@each("table", [X, X.astype(float)], ids=["single", "double"])
@each("n_classes", [2, 3])
def test_products_with_the_hessian_over_many_blocks_are_those_of_the_matrix(table, n_classes):
    rows = as_rows(table, RNG.integers(n_classes, size=len(Y)), WEIGHT)
    assert len(rows.cuts) > 2
    objective = CategoricalLikelihood(rows, 1 if n_classes == 2 else n_classes, True)
    theta, v = 0.1 * RNG.standard_normal((2, *objective.shape))
    if n_classes > 2:  # the matrix holds the same shift of every class in place, which changes no probability
        v -= v.mean(axis=1, keepdims=True)
    product = objective.hessian_product(theta)(v)
    np.testing.assert_allclose((objective.hessian(theta) @ v.T.ravel()).reshape(v.T.shape).T, product, atol=1e-6)
