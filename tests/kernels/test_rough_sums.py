"""Scores in single precision with a bound on their error, and certificates that read them where they settle a row."""

import copy

import numpy as np
from tests.cases import each

from learnable import certify
from learnable.certificates.kernels import reading
from learnable.certificates.kernels.rough import rough_sums
from learnable.kernels import SVC
from learnable.problems.kernels.basic import RBF

RNG = np.random.default_rng(88)
X = RNG.standard_normal((300, 6))


@each("table", [X, X + 1e5, X * 10.0 ** np.arange(-3, 3), 1e-8 * X, 30.0 * X])
@each("gamma", [1e-3, 0.1, 5.0])
def test_the_error_is_within_its_bound(table, gamma):
    gamma = gamma / table.var(axis=0).sum()
    coefficients = RNG.standard_normal(120)
    found, off = rough_sums(RBF(gamma), table, table[:120], coefficients)
    apart = np.array([np.sum((row - table[:120]) ** 2, axis=1) for row in table])
    exact = np.exp(-gamma * apart) @ coefficients
    assert np.all(np.abs(found - exact) <= off)
    assert np.all(off < 1e-3 * np.abs(coefficients).sum())


def test_values_that_no_single_holds_settle_nothing():
    found, off = rough_sums(RBF(1e30), X * 1e10, X[:50] * 1e10, np.ones(50))
    assert not np.any(found - off > 1.0)


def test_a_certificate_is_the_same_without_singles(monkeypatch):
    label = X[:, 0] + 0.8 * RNG.standard_normal(300) > 0
    fitted = SVC(C=2.0, tol=1e-5).fit(X, label)
    called = []

    def counted(kernel, rows, *others):
        called.append(len(rows))
        return rough_sums(kernel, rows, *others)

    altered = copy.deepcopy(fitted)
    altered.intercept_ = altered.intercept_ + 0.05
    for model, holds in ((fitted, True), (altered, False)):
        monkeypatch.setattr(reading, "AT_ONCE", 0)
        plain = certify(model, X, label)
        monkeypatch.setattr(reading, "MANY", 0)
        monkeypatch.setattr(reading, "rough_sums", counted)
        quick = certify(model, X, label)
        monkeypatch.undo()
        assert called.pop() == 300 - len(fitted.support_)
        assert quick.holds is plain.holds is holds
        for one, other in zip(quick, plain):
            np.testing.assert_allclose(one.value, other.value, rtol=1e-9, atol=1e-12)
