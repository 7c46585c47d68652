"""The triangular factor: RᵀR = AᵀA, and the accuracy of Householder QR."""

import numpy as np
import pytest
import scipy.sparse
from tests.cases import each

from learnable.rows import as_rows, triangular_factor

RNG = np.random.default_rng(20240613)
X = RNG.normal(size=(6000, 50))
Y = RNG.normal(size=(6000, 2))
W = RNG.integers(0, 3, size=6000)


def assert_is_triangle_of(R, A):
    k = A.shape[1]
    assert R.shape == (min(len(A), k), k)
    np.testing.assert_array_equal(R, np.triu(R))
    assert (np.diagonal(R) >= 0).all()
    gram = A.T @ A
    np.testing.assert_allclose(R.T @ R, gram, atol=1e-12 * np.abs(gram).max())


@each("convert", [np.asarray, np.asfortranarray, scipy.sparse.csr_array])
def test_it_is_the_triangle_of_x_and_y(convert):
    R = triangular_factor(as_rows(convert(X), Y))
    A = np.hstack([X, Y])
    assert_is_triangle_of(R, A)
    reference = np.linalg.qr(A, mode="r")
    np.testing.assert_allclose(R, reference * np.sign(np.diag(reference))[:, np.newaxis], atol=1e-11)


def test_same_bits_for_any_n_jobs_and_every_run():
    first = triangular_factor(as_rows(X, Y), n_jobs=1)
    for n_jobs in (1, 2, 3, None):
        np.testing.assert_array_equal(triangular_factor(as_rows(X, Y), n_jobs=n_jobs), first)


def test_as_accurate_as_householder_on_a_vandermonde_matrix():
    """Condition number about 1e9: its square is beyond double precision, so cross-products fail here."""
    t = np.linspace(0, 1, 40000)
    A = np.vander(t, 13, increasing=True)
    rows = as_rows(A)
    assert len(list(rows.blocks())) > 3
    exact = np.linalg.svd(A, compute_uv=False)
    householder = np.linalg.svd(np.linalg.qr(A, mode="r"), compute_uv=False)
    ours = np.linalg.svd(triangular_factor(rows), compute_uv=False)
    by_cross_products = np.sqrt(np.abs(np.linalg.eigvalsh(A.T @ A)[::-1]))
    smallest = exact[-1]
    assert exact[0] / smallest > 1e8
    assert abs(ours[-1] - smallest) <= 10 * abs(householder[-1] - smallest) + 1e-14 * exact[0]
    assert abs(ours[-1] - smallest) < 1e-5 * smallest
    assert abs(by_cross_products[-1] - smallest) > 1e-2 * smallest


def test_centring_and_scaling_by_powers_of_two_are_those_of_the_whole():
    A = np.hstack([1e6 + X, Y])
    mean = A.mean(axis=0)
    scale = 2.0 ** RNG.integers(-20, 20, size=52)
    R = triangular_factor(as_rows(1e6 + X, Y), centre_at=mean, scale=scale)
    reference = np.linalg.qr((A - mean) / scale, mode="r")
    signs = np.sign(np.diag(reference))[:, np.newaxis]
    np.testing.assert_allclose(R * scale, reference * signs * scale, atol=1e-10)


def test_weights_are_repetitions():
    R = triangular_factor(as_rows(X, Y, W))
    np.testing.assert_allclose(
        R, triangular_factor(as_rows(np.repeat(X, W, axis=0), np.repeat(Y, W, axis=0))), atol=1e-11
    )


@each("shape", [(3, 8), (1, 1), (8, 8), (300, 600)])
def test_few_rows(shape):
    A = RNG.normal(size=shape)
    assert_is_triangle_of(triangular_factor(as_rows(A)), A)


def test_dependent_and_constant_columns_are_no_trouble():
    A = np.hstack([X[:, :3], X[:, :1], np.zeros((6000, 1)), np.ones((6000, 1))])
    assert_is_triangle_of(triangular_factor(as_rows(A)), A)


def test_least_squares_from_the_triangle():
    R = triangular_factor(as_rows(X, Y))
    np.testing.assert_allclose(
        np.linalg.solve(R[:50, :50], R[:50, 50:]), np.linalg.lstsq(X, Y, rcond=None)[0], atol=1e-12
    )


def test_the_data_are_not_touched():
    table = X.copy()
    triangular_factor(as_rows(table), centre_at=np.ones(50), scale=np.full(50, 2.0))
    np.testing.assert_array_equal(table, X)


@each(
    ("options", "message"),
    [
        ({"centre_at": np.ones(3)}, "centre_at has shape"),
        ({"scale": np.ones(51)}, "scale has shape"),
        ({"scale": np.zeros(50)}, "scale"),
        ({"centre_at": np.full(50, np.nan)}, "centre_at"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        triangular_factor(as_rows(X), **options)
