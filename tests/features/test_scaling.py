"""Column norms and polynomial dimensions."""

from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from sklearn.preprocessing import PolynomialFeatures
from tests.cases import each

from learnable.features import NormScaler, PolynomialBasis, Standardizer, polynomial_dimension, xor_lift


@each("size", [1.0, 1e150, 1e-150, 1e300])
@each(("norm", "target"), [("unit", lambda n: 1.0), ("sqrt_n", np.sqrt)])
def test_norms(size, norm, target):
    X = np.random.default_rng(0).normal(size=(50, 4)) * size
    scaler = NormScaler(norm).fit(X)
    Z = scaler.transform(X)
    np.testing.assert_allclose(np.linalg.norm(Z, axis=0), target(50), rtol=1e-12)
    np.testing.assert_allclose(scaler.inverse_transform(Z), X, rtol=1e-12)


@each("size", [1.0, 1e150, 1e-150, 1e300])
@each("offset", [0.0, 1.0, 1e9])
@each("ddof", [0, 1])
def test_standardised_and_normalised_columns(size, offset, ddof):
    # Means and standard deviations by exact rational numbers.
    size = min(size, 1e290)
    X = (np.random.default_rng(0).normal(size=(30, 2)) + offset) * size
    exact = np.array([[Fraction(float(x)) for x in row] for row in X.T])
    scaler = Standardizer(ddof).fit(X)
    for column, mean, scale, Z in zip(exact, scaler.mean_, scaler.scale_, scaler.transform(X).T):
        centre = sum(column) / 30
        square = sum((x - centre) ** 2 for x in column) / (30 - ddof)
        assert abs(Fraction(float(mean)) / centre - 1) < Fraction(1, 10**15)
        assert abs(Fraction(float(scale)) ** 2 / square - 1) < Fraction(1, 10**13)
        # What an offset takes from the entries themselves nobody can give back.
        tolerance = 1e-15 * (10 + 100 * offset)
        assert abs(Z.mean()) < tolerance
        assert Z.std(ddof=ddof) == pytest.approx(1.0, rel=max(1e-14, tolerance))
    if offset < 2:
        np.testing.assert_allclose(scaler.inverse_transform(scaler.transform(X)), X, rtol=1e-11)
        for norm, target in (("unit", 1.0), ("sqrt_n", np.sqrt(30))):
            Z = NormScaler(norm).fit_transform(X)
            np.testing.assert_allclose(np.linalg.norm(Z, axis=0), target, rtol=1e-12)
            # Along the column itself, not against it.
            assert np.all(Z * X >= 0.0)


def test_weights_of_a_standardizer_are_repetitions_and_constants_become_zeros():
    X = np.random.default_rng(1).normal(size=(6, 3))
    X[:, 1] = 0.1
    counts = np.array([1, 0, 3, 2, 1, 1])
    weighted, repeated = Standardizer().fit(X, sample_weight=counts), Standardizer().fit(np.repeat(X, counts, axis=0))
    np.testing.assert_allclose(weighted.mean_, repeated.mean_, rtol=1e-14)
    np.testing.assert_allclose(weighted.scale_, repeated.scale_, rtol=1e-14)
    np.testing.assert_array_equal(weighted.transform(X)[:, 1], np.zeros(6))
    with pytest.raises(ValueError, match="ddof=2"):
        Standardizer(2).fit(X)
    with pytest.raises(ValueError, match="non-zero number"):
        Standardizer().fit(X, sample_weight=np.zeros(6))


def test_zero_and_constant_columns():
    X = np.column_stack([np.zeros(4), np.full(4, -2.0)])
    scaler = NormScaler().fit(X)
    np.testing.assert_array_equal(scaler.scale_, [1.0, 4.0])
    np.testing.assert_array_equal(scaler.transform(X), [[0.0, -0.5]] * 4)
    np.testing.assert_array_equal(scaler.transform([[3.0, 0.0]]), [[3.0, 0.0]])


def test_new_rows_use_the_training_norms():
    scaler = NormScaler().fit([[3.0], [4.0]])
    assert scaler.transform([[10.0]]).item() == 2.0


def test_norm_faults():
    with pytest.raises(ValueError, match=r"NormScaler\(norm='l2'\)"):
        NormScaler("l2").fit([[1.0]])
    with pytest.raises(ValueError, match="norm of column 1 is beyond"):
        NormScaler().fit(np.column_stack([np.ones(100), np.full(100, 1.5e308)]))


@each("d", [1, 2, 3, 5])
@each("k", [0, 1, 2, 4])
def test_polynomial_dimension(d, k):
    assert polynomial_dimension(d, k) == PolynomialFeatures(k).fit(np.zeros((1, d))).n_output_features_
    if d > 1 and k > 0:  # Pascal's rule: split the monomials by whether they contain the last variable
        assert polynomial_dimension(d, k) == polynomial_dimension(d - 1, k) + polynomial_dimension(d, k - 1)


@each("d", [1, 2, 3])
@each("k", [0, 1, 2, 4])
def test_the_polynomial_basis_holds_every_monomial_once(d, k):
    X = np.random.default_rng(0).normal(size=(7, d))
    basis = PolynomialBasis(k).fit(X)
    every = {alpha for alpha in product(range(k + 1), repeat=d) if sum(alpha) <= k}
    assert {tuple(row) for row in basis.exponents_.tolist()} == every
    assert len(basis.exponents_) == len(every) == polynomial_dimension(d, k) == comb(k + d, d)
    np.testing.assert_allclose(
        basis.transform(X), np.column_stack([np.prod(X**alpha, axis=1) for alpha in basis.exponents_]), rtol=1e-12
    )
    np.testing.assert_allclose(basis.transform(X), PolynomialFeatures(k).fit_transform(X), rtol=1e-12)
    assert basis.get_feature_names_out().tolist() == PolynomialFeatures(k).fit(X).get_feature_names_out().tolist()
    bare = PolynomialBasis(k, constant=False).fit(X)
    np.testing.assert_array_equal(bare.transform(X), basis.transform(X)[:, 1:])


def test_polynomial_dimension_faults():
    with pytest.raises(ValueError, match="columns from 50; lower the degree"):
        PolynomialBasis(9).fit(np.zeros((1, 50)))
    for d, k in ((-1, 2), (2, 1.5), (True, 2), (2, "3")):
        with pytest.raises(ValueError, match="must be an integer >= 0"):
            polynomial_dimension(d, k)


def test_xor_lift_faults():
    with pytest.raises(ValueError, match=r"shape \(2, 3\)"):
        xor_lift(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="finite"):
        xor_lift([[np.nan, 1.0]])
