"""Kernels: rules and proofs, feature maps, geometry, spaces of functions. Syllabus: K1-K8, K10, K12."""

import numpy as np
import pytest
from scipy import sparse

from learnable.kernels import (
    RBF,
    Bilinear,
    C_of,
    C_without_half,
    KernelRidge,
    Laplacian,
    Linear,
    Polynomial,
    RKHSFunction,
    Sigmoid,
    alignment,
    as_kernel,
    eigen_expansion,
    empirical_map,
    kernel_ridge_path,
    lambda_of,
    representer,
    verdict,
)
from learnable.theory import geometry

random = np.random.default_rng(0)
X = random.standard_normal((12, 3))
Z = random.standard_normal((5, 3))


def built():
    k, m = Polynomial(2, 0.5), RBF(0.3)
    return {
        "linear": Linear(), "polynomial": k, "rbf": m, "laplacian": Laplacian(0.4), "sum": k + m, "product": k * m,
        "scaled": 2.5 * m, "power": Linear() ** 3, "series": m.series([0.5, 0.0, 2.0]), "exp": (0.2 * Linear()).exp(),
        "power series": (0.9 * m).series(lambda degree: 1.0),
        "weighted": m.weighted(lambda rows: rows[:, 0] - 2.0), "normalised": k.normalised(),
        "bilinear": Bilinear(np.diag([1.0, 2.0, 0.0])),
    }  # fmt: skip


def test_every_rule_keeps_a_kernel_positive_semidefinite_and_says_so():
    for name, kernel in built().items():
        assert kernel.is_semidefinite, name
        found = verdict(kernel, X)
        assert found.on_sample.check(kernel(X)), name
        np.testing.assert_allclose(kernel.diagonal(X), np.diagonal(kernel(X)), rtol=1e-12, err_msg=name)
        np.testing.assert_allclose(kernel(X, Z), kernel(Z, X).T, rtol=1e-10, atol=1e-12, err_msg=name)
        assert "positive semidefinite" in str(kernel.proof()), name
    np.testing.assert_allclose((0.9 * RBF(0.3)).series(lambda m: 1.0)(X), 1.0 / (1.0 - 0.9 * RBF(0.3)(X)), rtol=1e-12)
    from math import factorial

    whole = Linear().series(lambda m: 1.0 / factorial(m))(X)
    np.testing.assert_allclose(whole, Linear().exp()(X), rtol=1e-10)
    # A rule names what it was made of, down to the inner product.
    assert str(RBF(0.5).proof()).count("\n") >= 3


def test_what_breaks_the_rules_is_refused_or_not_proved():
    with pytest.raises(ValueError, match="must be >= 0"):
        -1.0 * RBF(1.0)
    with pytest.raises(ValueError, match="negative"):
        RBF(1.0).series([1.0, -0.1])
    with pytest.raises(ValueError, match="not positive semidefinite"):
        Bilinear([[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(ValueError, match="symmetric"):
        Bilinear([[1.0, 2.0], [0.0, 1.0]])
    with pytest.raises(ValueError, match=r"coefficient\(1\) is -1"):
        RBF(1.0).series(lambda m: (-1.0) ** m)(X)
    with pytest.raises(ValueError, match="no end"):
        RBF(1.0).series(lambda m: 1.0)(X[:2])
    for kernel in (Sigmoid(), Polynomial(2, -1.0), Polynomial(2.5), RBF(-1.0), RBF(1.0) + Sigmoid()):
        assert not kernel.is_semidefinite
    points = np.array([[0.0], [1.0], [2.0]])
    found = verdict(Sigmoid(1.0, -1.0), points)
    c = found.on_sample.witness
    assert not found
    assert c @ Sigmoid(1.0, -1.0)(points) @ c < 0.0
    assert "NOT" in str(found)


def test_explicit_maps_have_the_kernel_as_inner_product():
    for name, kernel in built().items():
        if name in ("rbf", "laplacian", "sum", "product", "scaled", "series", "power series", "exp", "weighted"):
            continue
        np.testing.assert_allclose(kernel.feature_map(X) @ kernel.feature_map(Z).T, kernel(X, Z), rtol=1e-9, atol=1e-10)
    # (1 + xz)³: 1, √3x, √3x², x³; and in two columns the degree-2 map has √2 on x₁, x₂ and x₁x₂.
    np.testing.assert_allclose(Polynomial(3).feature_map([[2.0]])[0], [1, 2 * 3**0.5, 4 * 3**0.5, 8])
    np.testing.assert_allclose(
        Polynomial(2).feature_map([[2.0, 5.0]])[0], [1, 2 * 2**0.5, 5 * 2**0.5, 4, 10 * 2**0.5, 25]
    )
    both = (Linear() + Polynomial(2)) * (3.0 * Linear())
    np.testing.assert_allclose(both.feature_map(X) @ both.feature_map(X).T, both(X), rtol=1e-9, atol=1e-9)


def test_the_empirical_map_gives_back_the_matrix():
    K = RBF(0.3)(X)
    Phi = empirical_map(K)
    np.testing.assert_allclose(Phi @ Phi.T, K, atol=1e-12)
    np.testing.assert_allclose(geometry(K).distances, RBF(0.3).distances(X), atol=1e-7)
    with pytest.raises(ValueError, match="negative eigenvalue"):
        empirical_map([[0.0, 1.0], [1.0, 0.0]])


def test_three_widths_are_one_kernel_and_the_normalised_exponential_is_it():
    assert RBF.from_length(0.7) == RBF.from_sigma(0.7)
    assert np.isclose(RBF.from_length(0.7).gamma, 1 / (2 * 0.49))
    assert np.isclose(RBF.from_length(0.7).length, 0.7)
    np.testing.assert_allclose(RBF(0.3).as_normalised()(X, Z), RBF(0.3)(X, Z), rtol=1e-12)
    brute = np.exp(-0.3 * ((X[:, None] - Z[None]) ** 2).sum(-1))
    np.testing.assert_allclose(RBF(0.3)(X, Z), brute, rtol=1e-12)
    # An offset of the data costs no digits.
    np.testing.assert_allclose(RBF(0.3)(X + 1e6, Z + 1e6), brute, rtol=1e-7)
    np.testing.assert_allclose(RBF(0.3)(sparse.csr_array(X), sparse.csr_array(Z)), brute, rtol=1e-10)


def test_geometry_of_feature_space():
    k = Polynomial(2)
    Phi, Psi = k.feature_map(X), k.feature_map(Z)
    np.testing.assert_allclose(k.distances(X, Z), np.linalg.norm(Phi[:, None] - Psi[None], axis=2), rtol=1e-9)
    cosine = k.normalised()(X, Z)
    lengths = np.linalg.norm(Phi, axis=1)[:, None] * np.linalg.norm(Psi, axis=1)
    np.testing.assert_allclose(cosine, Phi @ Psi.T / lengths, rtol=1e-9)
    np.testing.assert_allclose(np.cos(k.angles(X, Z)), cosine, atol=1e-12)
    np.testing.assert_allclose(np.diagonal(k.normalised()(X)), 1.0)
    assert Linear().normalised()([[0.0, 0.0]], [[1.0, 0.0]])[0, 0] == 0.0


def test_functions_reproduce_their_values():
    k = RBF(0.5)
    f = RKHSFunction(k, X, random.standard_normal(len(X)))
    g = RKHSFunction(k, Z, random.standard_normal(len(Z)))
    for t in Z:
        assert np.isclose(f.inner(representer(k, t)), f(t[None])[0], rtol=1e-12)
    assert np.isclose(f.norm**2, f.coefficients @ k(X) @ f.coefficients)
    assert abs(f.inner(g)) <= f.norm * g.norm
    np.testing.assert_allclose((f + g.scaled(-2.0))(Z), f(Z) - 2.0 * g(Z), atol=1e-12)
    # Finite dimensional: K(s, t) = Σ eᵢ(s)eᵢ(t) of an orthonormal basis, here of the linear functions.
    w = X.T @ f.coefficients
    linear = RKHSFunction(Linear(), X, f.coefficients)
    assert np.isclose(linear.norm, np.sqrt(w @ w))
    with pytest.raises(ValueError, match="different kernels"):
        f.inner(linear)


def test_the_eigen_expansion_is_a_generalised_ridge():
    k, y, alpha = RBF(0.5), random.standard_normal(len(X)), 0.3
    found = eigen_expansion(k, X)
    np.testing.assert_allclose((found.phi * found.sigma) @ found.phi.T, k(X), atol=1e-10)
    np.testing.assert_allclose(found(X), found.phi, atol=1e-5)
    theta = found.ridge(y, alpha)
    c = np.linalg.solve(k(X) + alpha * np.eye(len(X)), y)
    np.testing.assert_allclose(found.phi @ theta, k(X) @ c, atol=1e-8)
    assert np.isclose(found.norm_squared(theta), c @ k(X) @ c, rtol=1e-6)


def test_one_decomposition_serves_every_penalty():
    K, y = RBF(0.3)(X), random.standard_normal(len(X))
    path = kernel_ridge_path(K, y, [0.01, 0.5, 3.0])
    for alpha, dual, loo, df in zip(*path):
        np.testing.assert_allclose(dual, np.linalg.solve(K + alpha * np.eye(len(X)), y), rtol=1e-7)
        assert np.isclose(df, np.trace(K @ np.linalg.inv(K + alpha * np.eye(len(X)))))
        model = KernelRidge(alpha, kernel="rbf", gamma=0.3).fit(X, y)
        np.testing.assert_allclose(model.dual_coef_, dual, rtol=1e-7)
        np.testing.assert_allclose(model.dual_coef_, (y - model.predict(X)) / alpha, rtol=1e-6)
        np.testing.assert_allclose(model.predict(Z), RBF(0.3)(Z, X) @ np.linalg.solve(K + alpha * np.eye(len(X)), y))
        errors = []
        for i in range(len(X)):
            rest = np.delete(np.arange(len(X)), i)
            c = np.linalg.solve(K[np.ix_(rest, rest)] + alpha * np.eye(len(rest)), y[rest])
            errors.append(y[i] - K[i, rest] @ c)
        assert np.isclose(loo, np.mean(np.square(errors)))


def test_converters_and_alignment():
    assert C_of(lambda_of(3.0)) == 3.0
    assert np.isclose(C_of(lambda_of(3.0, n=7), n=7), 3.0)
    assert C_without_half(3.0) == 1.5
    y = np.sign(X[:, 0])
    assert np.isclose(alignment(np.outer(y, y), y), 1.0)
    assert alignment(X[:, :1] @ X[:, :1].T, y) > alignment(X[:, 1:2] @ X[:, 1:2].T, y)
    assert as_kernel("poly", 2.0, 4, 1.0) == Polynomial(4, 1.0, 2.0)
    with pytest.raises(ValueError, match="not known"):
        as_kernel("roof")
