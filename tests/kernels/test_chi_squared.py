"""Kernels of histograms: values, proofs, refusals, and the learners that their names reach. Syllabus: K3, K6."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.kernel_ridge import KernelRidge as TheirRidge
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, additive_chi2_kernel, chi2_kernel
from sklearn.svm import SVC as THEIR_SVC

from learnable.certificates import certify
from learnable.kernels import (
    SVC,
    SVR,
    AdditiveChiSquared,
    ChiSquared,
    KernelClassifier,
    KernelRidge,
    NuSVC,
    Nystroem,
    OneClassSVM,
    as_kernel,
    verdict,
)
from learnable.problems.kernels.chi_squared import STRIP
from learnable.unsupervised import KernelPCA, SpectralClustering

random = np.random.default_rng(0)
# Counts with many columns that are 0 in both rows of a pair.
X = random.poisson(0.7, (60, 5)).astype(float)
Z = random.poisson(0.7, (9, 5)).astype(float)
Y = X[:, 0] > X[:, 1]


def test_values_are_those_of_scikit_learn_dense_and_sparse():
    for kernel, theirs in (
        (ChiSquared(0.3), chi2_kernel(X, Z, gamma=0.3)),
        (AdditiveChiSquared(), additive_chi2_kernel(X, Z)),
    ):
        np.testing.assert_allclose(kernel(X, Z), theirs, rtol=1e-13)
        np.testing.assert_allclose(kernel(sparse.csr_array(X), sparse.csr_array(Z)), theirs, rtol=1e-13)
        np.testing.assert_array_equal(kernel.diagonal(X), np.diagonal(kernel(X)))
    # Many strips, and the last one shorter.
    many = random.random((7, 3)), random.random((STRIP // 3, 3))
    np.testing.assert_allclose(ChiSquared()(*many), chi2_kernel(*many), rtol=1e-13)
    # Squares that overflow or vanish are not formed.
    np.testing.assert_allclose(AdditiveChiSquared()([[1e200, 1e-200]], [[3e200, 3e-200]]), [[-1e200]], rtol=1e-13)
    np.testing.assert_allclose(AdditiveChiSquared()([[1e-200]], [[3e-200]]), [[-1e-200]], rtol=1e-13)


def test_every_name_of_scikit_learn_is_known_with_its_values():
    for name, function in PAIRWISE_KERNEL_FUNCTIONS.items():
        given = {"degree": 3, "coef0": 0.5} if "poly" in name else {"coef0": 0.5} if name == "sigmoid" else {}
        given |= {} if name in ("linear", "cosine", "additive_chi2") else {"gamma": 0.3}
        np.testing.assert_allclose(
            as_kernel(name, 0.3, 3, 0.5)(X, Z), function(X, Z, **given), atol=1e-13, err_msg=name
        )


def test_the_proof_holds_step_by_step():
    kernel = ChiSquared(0.3)
    sums = np.zeros((len(X), len(X)))
    for x in X.T:
        both = x[:, None] + x
        sums += np.divide(np.outer(x, x), both, out=np.zeros_like(both), where=both > 0.0)
    f = np.exp(-0.3 * X.sum(axis=1))
    np.testing.assert_allclose(kernel(X), f[:, None] * np.exp(1.2 * sums) * f, rtol=1e-12)
    assert np.linalg.eigvalsh(sums).min() > -1e-10
    assert verdict(kernel, X)
    assert kernel.is_semidefinite
    assert str(kernel.proof()).count("is positive semidefinite") == 3
    assert (kernel + as_kernel("rbf")).is_semidefinite
    assert not ChiSquared(-1.0).is_semidefinite


def test_the_additive_kernel_is_semidefinite_only_conditionally():
    kernel, C = AdditiveChiSquared(), np.eye(len(X)) - 1.0 / len(X)
    K = kernel(X)
    found = verdict(kernel, X)
    assert not found
    assert not kernel.is_semidefinite
    assert "conditionally" in str(kernel.proof())
    assert found.on_sample.witness @ K @ found.on_sample.witness < 0.0
    assert np.linalg.eigvalsh(C @ K @ C).min() > -1e-10 * len(X)


def test_negative_entries_are_refused_by_name_and_with_a_remedy():
    bad = X.copy()
    bad[7, 2] = -3.0
    for kernel in (ChiSquared(), AdditiveChiSquared()):
        for call in (kernel, kernel.diagonal, lambda rows, k=kernel: k(X, rows)):
            for rows in (bad, sparse.csr_array(bad)):
                with pytest.raises(ValueError, match=rf"^{type(kernel).__name__}: .*-3 in column 2.*MinMaxScaler"):
                    call(rows)
    for model in (SVC(kernel="chi2"), KernelRidge(kernel="chi2"), KernelPCA(kernel="chi2"), Nystroem("chi2")):
        with pytest.raises(ValueError, match="-3 in column 2"):
            model.fit(bad, Y)
        fitted = model.fit(X, Y)
        with pytest.raises(ValueError, match="-3 in column 2"):
            (fitted.predict if hasattr(fitted, "predict") else fitted.transform)(bad)
    with pytest.raises(ValueError, match="scores are negative"):
        KernelPCA(kernel="chi2", fit_inverse_transform=True).fit(X)


@pytest.mark.parametrize("name", ["chi2", "additive_chi2", "laplacian", "cosine", "polynomial"])
def test_machines_are_proved_with_every_name(name):
    data = X + 0.1  # the cosine has no angle for a row of zeros
    for model in (SVC(kernel=name), NuSVC(kernel=name, nu=0.3), SVR(kernel=name), OneClassSVM(kernel=name, nu=0.2)):
        fitted = model.fit(data, Y)
        assert fitted.certificate_.holds, fitted.certificate_
        tampered = fitted.dual_coef_.copy()
        fitted.dual_coef_ = 0.9 * tampered
        assert not certify(fitted, data, Y).holds
    ours, theirs = SVC(kernel=name, tol=1e-8), as_kernel(name, 0.2, 3, 0.0)
    ours.set_params(gamma=0.2).fit(data, Y)
    # At 1e-8 LIBSVM takes 40 million steps with a kernel that is no scalar product.
    libsvm = THEIR_SVC(kernel="precomputed", tol=1e-6 if name == "additive_chi2" else 1e-8).fit(theirs(data), Y)
    np.testing.assert_allclose(
        ours.decision_function(Z + 0.1), libsvm.decision_function(theirs(Z + 0.1, data)), atol=1e-5
    )


def test_expansions_and_components_are_proved_and_agree():
    y = X[:, 0] + random.standard_normal(len(X))
    ours = KernelRidge(kernel="chi2", gamma=0.3).fit(X, y)
    theirs = TheirRidge(kernel="chi2", gamma=0.3).fit(X, y)
    np.testing.assert_allclose(ours.predict(Z), theirs.predict(Z), rtol=1e-9)
    assert ours.certificate_.holds
    assert certify(theirs, X, y).holds
    # None is 1, as the function's default.
    np.testing.assert_array_equal(
        KernelRidge(kernel="chi2").fit(X, y).dual_coef_, KernelRidge(kernel="chi2", gamma=1.0).fit(X, y).dual_coef_
    )
    assert KernelClassifier(kernel="chi2").fit(X, Y).certificate_.holds
    nystroem = Nystroem("chi2", n_components=len(X)).fit(X)
    Phi = nystroem.transform(X)
    np.testing.assert_allclose(Phi @ Phi.T, chi2_kernel(X), atol=1e-8)
    assert nystroem.certificate_.holds
    for name in ("chi2", "additive_chi2"):
        found = KernelPCA(3, kernel=name).fit(X)
        assert found.certificate_.holds
        K = PAIRWISE_KERNEL_FUNCTIONS[name](X)
        centred = K - K.mean(axis=0) - K.mean(axis=1)[:, None] + K.mean()
        np.testing.assert_allclose(found.eigenvalues_, np.linalg.eigvalsh(centred)[:-4:-1], rtol=1e-9)
        np.testing.assert_allclose(found.transform(X), found.eigenvectors_ * np.sqrt(found.eigenvalues_), atol=1e-9)
    assert SpectralClustering(2, affinity="chi2", random_state=0).fit(X).certificate_.holds
    with pytest.raises(ValueError, match="negative similarity"):
        SpectralClustering(2, affinity="additive_chi2").fit(X)
