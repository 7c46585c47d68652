"""A solver that is broken in one place must be refuted by its certificate."""

import warnings

import numpy as np
import pytest

from learnable import certify
from learnable.kernels import (
    RBF,
    SVC,
    SVR,
    HardMarginSVC,
    KernelClassifier,
    KernelRidge,
    LinearSVC,
    NadarayaWatson,
    NuSVC,
    NuSVR,
    Nystroem,
    OneClassSVM,
    RBFSampler,
    SplineRegression,
)
from learnable.solvers.kernels import (
    dual_descent,
    empirical_map,
    hard_margin,
    kernel_newton,
    kernel_ridge,
    kernel_rows,
    machines,
    primal_newton,
    smo,
    starts,
)

random = np.random.default_rng(2)
X = random.standard_normal((80, 3))
SCORE = X[:, 0] + X[:, 1] ** 2 - 1.0 + 0.3 * random.standard_normal(80)
Y = SCORE > 0.0


def wrong_offsets(*problem):
    offset, violation = right_promises(*problem)
    return offset + 0.1, violation


def sloppy_pairs(K, members, slope, beta, lower, upper, epsilon, group, tolerance, most):
    return right_pairs(K, members, slope, beta, lower, upper, epsilon, group, 0.3, most)


right_promises, right_pairs = smo.promises, smo.pairs
MUTATIONS = {
    "offsets": (smo, "promises", wrong_offsets, [SVC(), SVR(), NuSVC(nu=0.3), NuSVR(), OneClassSVM()]),
    "violation ignored": (machines, "ENOUGH_GAP", np.inf, []),
    "centred rows": (kernel_rows, "centred", lambda X: X - X.mean(axis=0) + 0.05 * np.arange(len(X))[:, None], [SVC()]),
    "squares": (kernel_rows, "squares", lambda X: 1.1 * np.sum(X**2, axis=1), [SVC(), SVR(), OneClassSVM()]),
    "start": (starts, "filled", lambda capacity, total: np.zeros(len(capacity)), []),
    "bend": (primal_newton, "gradient", lambda loss, y, f: -y * (y * f < 1.0), [LinearSVC(max_iter=50)]),
    "box": (
        dual_descent, "dual_of",
        lambda loss, y, C: right_dual(loss, y, C)._replace(upper=0.5 * right_dual(loss, y, C).upper),
        [LinearSVC(loss="hinge", max_iter=50)],
    ),
    "ridge": (
        kernel_ridge, "_upper_factor", lambda matrix: 1.005 * right_factor(matrix),
        [KernelRidge(kernel="rbf")],
    ),
    "thin ridge": (
        kernel_ridge, "svd",
        lambda A, **given: (right_svd(A, **given)[0], 1.2 * right_svd(A, **given)[1], right_svd(A, **given)[2]),
        [KernelRidge()],
    ),
    "map": (empirical_map, "eigh", lambda K: (right_eigh(K)[0] * 1.2, right_eigh(K)[1]), [KernelClassifier("hinge")]),
    "newton": (kernel_newton, "gradient", lambda loss, y, f: 0.9 * right_gradient(loss, y, f), [KernelClassifier()]),
    "hard margin": (hard_margin, "pairs", sloppy_pairs, []),
}  # fmt: skip
right_dual, right_factor, right_eigh = dual_descent.dual_of, kernel_ridge._upper_factor, empirical_map.eigh
right_svd, right_gradient = kernel_ridge.svd, kernel_newton.gradient


@pytest.mark.parametrize("what", [name for name, (*_, models) in MUTATIONS.items() if models])
def test_a_broken_solver_is_refuted(what, monkeypatch):
    room, name, broken, models = MUTATIONS[what]
    monkeypatch.setattr(room, name, broken)
    for model in models:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            y = SCORE if hasattr(model, "epsilon") or type(model).__name__ in ("NuSVR", "KernelRidge") else Y
            fitted = model.fit(X, y)
        # The fit admits what it missed; without its own word it is refuted.
        assert str(fitted.certificate_.verdict) == "nothing asserted", (what, fitted)
        del fitted.certificate_
        assert str(certify(fitted, X, y).verdict) == "refuted", (what, fitted)


def test_features_and_smoothers_state_their_error():
    many = random.standard_normal((400, 3))
    K = RBF(1.0 / 3.0)(many)
    for m in (20, 80):
        model = Nystroem(n_components=m, random_state=0).fit(many)
        Phi = model.transform(many)
        chosen = model.component_indices_
        np.testing.assert_allclose(Phi[chosen] @ Phi[chosen].T, K[np.ix_(chosen, chosen)], atol=1e-5)
        assert np.linalg.eigvalsh(K - Phi @ Phi.T)[0] > -1e-6
    from learnable.problems.kernels.fourier import error_bound

    told = next(claim for claim in certify(model, many) if claim.bound is None)
    assert np.isclose(told.value, np.trace(K - Phi @ Phi.T) / np.trace(K), atol=1e-6)
    sampler = RBFSampler(gamma=1.0 / 3.0, n_components=4000, random_state=1).fit(many)
    Phi = sampler.transform(many)
    assert np.abs(Phi @ Phi.T - K).max() <= error_bound(4000, 400 * 399 // 2, 1e-6)
    assert str(sampler.certificate_.verdict) == "proved"
    # Nadaraya-Watson by its definition, and its leave-one-out error by leaving out.
    y = np.sin(many[:, 0])
    smooth = NadarayaWatson(gamma=2.0).fit(many[:50], y[:50])
    W = RBF(2.0)(many[50:60], many[:50])
    np.testing.assert_allclose(smooth.predict(many[50:60]), W @ y[:50] / W.sum(axis=1), rtol=1e-9)
    left = [NadarayaWatson(gamma=2.0).fit(np.delete(many[:50], i, 0), np.delete(y[:50], i)) for i in range(50)]
    errors = [y[i] - model.predict(many[i : i + 1])[0] for i, model in enumerate(left)]
    assert np.isclose(smooth.loo_error_, np.mean(np.square(errors)))
    # A heavily penalised spline is a straight line.
    x = np.linspace(0.0, 4.0, 60)[:, None]
    line = np.polynomial.Polynomial.fit(x[:, 0], np.sin(x[:, 0]), 1)(x[:, 0])
    stiff = SplineRegression(alpha=1e9).fit(x, np.sin(x[:, 0])).predict(x)
    np.testing.assert_allclose(stiff, line, atol=1e-3)


def test_the_hard_margin_of_a_radial_kernel_separates_any_labels():
    labels = random.integers(0, 2, 40)
    model = HardMarginSVC(RBF(1.0)).fit(X[:40], labels)
    assert str(model.certificate_.verdict) == "proved"
    assert np.array_equal(model.predict(X[:40]), labels)
