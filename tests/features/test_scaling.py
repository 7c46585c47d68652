"""Column norms and polynomial dimensions."""

import numpy as np
import pytest
from sklearn.preprocessing import PolynomialFeatures
from tests.cases import each

from learnable.features import NormScaler, polynomial_dimension, xor_lift


@each("size", [1.0, 1e150, 1e-150, 1e300])
@each(("norm", "target"), [("unit", lambda n: 1.0), ("sqrt_n", np.sqrt)])
def test_norms(size, norm, target):
    X = np.random.default_rng(0).normal(size=(50, 4)) * size
    scaler = NormScaler(norm).fit(X)
    Z = scaler.transform(X)
    np.testing.assert_allclose(np.linalg.norm(Z, axis=0), target(50), rtol=1e-12)
    np.testing.assert_allclose(scaler.inverse_transform(Z), X, rtol=1e-12)


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


def test_polynomial_dimension_faults():
    for d, k in ((-1, 2), (2, 1.5), (True, 2), (2, "3")):
        with pytest.raises(ValueError, match="must be an integer >= 0"):
            polynomial_dimension(d, k)


def test_xor_lift_faults():
    with pytest.raises(ValueError, match=r"shape \(2, 3\)"):
        xor_lift(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="finite"):
        xor_lift([[np.nan, 1.0]])
