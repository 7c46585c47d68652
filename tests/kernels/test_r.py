"""Machines against e1071 and kernlab (`tests/reference/kernels_r.R`)."""

import json
from pathlib import Path

import numpy as np

from learnable.kernels import SVC, SVR, NuSVC, OneClassSVM

R = json.loads((Path(__file__).parents[1] / "reference" / "kernels_r.json").read_text())
X, Y, AT = np.array(R["X"]), np.array(R["y"]), np.array(R["rows"])
A, B = X[50:], Y[50:]
P, T = X[:, :3], X[:, 3]


def like(found: np.ndarray, theirs, atol: float) -> bool:
    """Equal, or with the other sign: R's first class is on the positive side."""
    theirs = np.asarray(theirs, dtype=float)
    return min(np.abs(found - theirs).max(), np.abs(found + theirs).max()) <= atol


def test_machines_of_e1071_and_kernlab():
    # LIBSVM keeps kernel values in single precision; kernlab stops at a violation of 1e-8 of its own.
    svc = SVC(C=2.0, gamma=0.25, tol=1e-9).fit(A, B)
    assert like(svc.decision_function(A), R["e1071_svc"], 1e-5)
    assert np.isclose(abs(svc.intercept_[0]), abs(R["e1071_svc_rho"][0]), atol=1e-5)
    assert np.array_equal(np.sort(svc.support_), R["e1071_svc_support"])
    assert like(svc.decision_function(A), R["kernlab_svc"], 1e-5)
    K = np.exp(-0.25 * np.sum((A[:, None] - A[None, :]) ** 2, axis=2))
    beta = np.zeros(100)
    beta[svc.support_] = svc.dual_coef_[0]
    assert np.isclose(0.5 * beta @ K @ beta - np.abs(beta).sum(), R["kernlab_svc_objective"][0], rtol=1e-6)
    poly = {"kernel": "poly", "degree": 2, "gamma": 0.5, "coef0": 1.0, "C": 0.5, "tol": 1e-9}
    three = SVC(decision_function_shape="ovo", **poly).fit(X, Y)
    # e1071 names the pairs in an order of its own; scores reach 20, and the kernel's values 800.
    for ours in three.decision_function(X[AT]).T:
        assert any(like(ours, theirs, 1e-3) for theirs in np.array(R["e1071_poly_three"]).T)
    quadratic = SVC(**poly).fit(A, B)
    beta = np.zeros(100)
    beta[quadratic.support_] = quadratic.dual_coef_[0]
    least = 0.5 * beta @ ((0.5 * A @ A.T + 1.0) ** 2) @ beta - np.abs(beta).sum()
    # kernlab ends a little above the minimum here.
    assert least <= R["kernlab_poly_objective"][0]
    assert np.isclose(least, R["kernlab_poly_objective"][0], rtol=1e-4)
    nu = NuSVC(nu=0.4, gamma=0.25, tol=1e-9).fit(A, B)
    assert like(nu.decision_function(A), R["e1071_nu_svc"], 1e-5)
    svr = SVR(C=3.0, gamma=0.2, epsilon=0.1, tol=1e-9).fit(P, T)
    for theirs in (R["e1071_svr"], R["kernlab_svr"]):
        np.testing.assert_allclose(svr.predict(P), theirs, atol=1e-5)
    one = OneClassSVM(nu=0.2, gamma=0.1, tol=1e-9).fit(X)
    np.testing.assert_allclose(one.decision_function(X), R["e1071_one_class"], atol=1e-5)
