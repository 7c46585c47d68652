"""Systems of equations: R's systemfit, when the equations separate, likelihood ascent, the certificate."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning
from tests.cases import each

from learnable.certificates.linear.seemingly_unrelated import seemingly_unrelated_certificate
from learnable.linear import LinearRegression, seemingly_unrelated
from learnable.solvers.linear.seemingly_unrelated import iterates

R = json.loads((Path(__file__).parents[1] / "reference" / "least_squares_r.json").read_text())
WT, HP, DISP = (np.array(R[name]) for name in ("wt", "hp", "disp"))
CARS = [np.column_stack([WT, HP]), DISP[:, None], np.column_stack([WT, DISP])]
TARGETS = np.column_stack([R["mpg"], R["qsec"], R["drat"]])
RANDOM = np.random.default_rng(4)
SIGMA = np.array([[1.0, 0.8, 0.1], [0.8, 2.0, 0.3], [0.1, 0.3, 0.5]])


def in_order_of_r(found):
    return np.concatenate([[a, *b] for a, b in zip(found.intercepts, found.coefs)])


def test_systemfit():
    found = seemingly_unrelated(CARS, TARGETS, tol=1e-12)
    assert_allclose(in_order_of_r(found), R["sur"], rtol=1e-9)
    assert_allclose(found.sigma.ravel(), R["sur_sigma"], rtol=1e-8)
    slopes = [1, 2, 4, 6, 7]
    assert_allclose(np.concatenate(found.standard_errors), np.array(R["sur_standard_error"])[slopes], rtol=1e-8)
    assert found.certificate.holds


def test_first_round_after_least_squares_is_systemfit_with_one_iteration():
    with pytest.warns(ConvergenceWarning):
        found = seemingly_unrelated(CARS, TARGETS, max_iter=2)
    assert_allclose(in_order_of_r(found), R["sur_one_step"], rtol=1e-9)


@each("sigma", [None, SIGMA])
def test_equal_designs_separate(sigma):
    """R14: the same B̂ under any Σ, that of least squares equation by equation."""
    found = seemingly_unrelated([CARS[0]] * 3, TARGETS, sigma=sigma)
    ordinary = LinearRegression().fit(CARS[0], TARGETS)
    assert_allclose(found.coefs, ordinary.coef_, rtol=1e-9)
    assert_allclose(found.intercepts, ordinary.intercept_, rtol=1e-9)


def test_diagonal_sigma_separates():
    found = seemingly_unrelated(CARS, TARGETS, sigma=np.diag([1.0, 5.0, 0.1]))
    for X, y, coef in zip(CARS, TARGETS.T, found.coefs):
        assert_allclose(coef, LinearRegression().fit(X, y).coef_, rtol=1e-9)


def test_different_designs_and_correlated_errors_do_not_separate():
    found = seemingly_unrelated(CARS, TARGETS, sigma=SIGMA)
    ordinary = LinearRegression().fit(CARS[0], TARGETS[:, 0]).coef_
    assert np.abs(found.coefs[0] / ordinary - 1.0).max() > 1e-3
    # All equations as one, rows weighted by the inverse of Σ ⊗ I: generalised least squares.
    n = len(TARGETS)
    blocks = linalg.block_diag(*(np.column_stack([np.ones(n), design]) for design in CARS))
    weighted = np.kron(np.linalg.inv(SIGMA), np.eye(n)) @ blocks
    expected = np.linalg.solve(blocks.T @ weighted, weighted.T @ TARGETS.T.ravel())
    assert_allclose(in_order_of_r(found), expected, rtol=1e-7)


@each("intercept", [True, False])
def test_kronecker_formula(intercept):
    """R15: β̂ = (X'(Σ⁻¹⊗I)X)⁻¹X'(Σ⁻¹⊗I)y, written out."""
    found = seemingly_unrelated(CARS, TARGETS, sigma=SIGMA, fit_intercept=intercept)
    n = len(TARGETS)
    designs = [np.column_stack([np.ones(n), X]) if intercept else X for X in CARS]
    block = np.zeros((3 * n, sum(X.shape[1] for X in designs)))
    at = 0
    for k, X in enumerate(designs):
        block[k * n : (k + 1) * n, at : at + X.shape[1]] = X
        at += X.shape[1]
    inverse = np.kron(np.linalg.inv(SIGMA), np.eye(n))
    covariance = np.linalg.inv(block.T @ inverse @ block)
    expected = covariance @ (block.T @ inverse @ TARGETS.T.ravel())
    slopes = [1, 2, 4, 6, 7] if intercept else range(5)
    answer = in_order_of_r(found) if intercept else np.concatenate(found.coefs)
    assert_allclose(answer, expected, rtol=1e-7)
    assert_allclose(found.covariance, covariance[np.ix_(slopes, slopes)], rtol=1e-6)


def test_every_round_raises_the_likelihood():
    centred = [X - X.mean(axis=0) for X in CARS]
    states = iterates(centred, TARGETS - TARGETS.mean(axis=0), len(TARGETS), None)
    objectives = [next(states).objective for _ in range(12)]
    assert np.all(np.diff(objectives) <= 1e-12)
    assert objectives[0] - objectives[-1] > 0.01


def test_correlation_helps():
    """With strongly correlated errors the system's estimates vary less than those of its equations alone."""
    random, together, alone = np.random.default_rng(8), [], []
    A, B = random.standard_normal((40, 1)), random.standard_normal((40, 1))
    root = np.linalg.cholesky([[1.0, 0.95], [0.95, 1.0]])
    for _ in range(60):
        Y = np.column_stack([A[:, 0], B[:, 0]]) + random.standard_normal((40, 2)) @ root.T
        together.append(seemingly_unrelated([A, B], Y, tol=1e-6).coefs[0][0])
        alone.append(LinearRegression().fit(A, Y[:, 0]).coef_[0])
    assert np.var(together) < 0.4 * np.var(alone)


def test_weights_count_rows():
    weight = 1 + np.arange(32) % 3
    weighted = seemingly_unrelated(CARS, TARGETS, sample_weight=weight)
    repeated = seemingly_unrelated([np.repeat(X, weight, axis=0) for X in CARS], np.repeat(TARGETS, weight, axis=0))
    assert_allclose(in_order_of_r(weighted), in_order_of_r(repeated), rtol=1e-7)
    assert_allclose(weighted.sigma, repeated.sigma, rtol=1e-7)


@each("equation", range(3))
def test_tampering_is_noticed(equation):
    found = seemingly_unrelated(CARS, TARGETS)
    coefs = [b.copy() for b in found.coefs]
    coefs[equation][-1] *= 1.0 + 1e-6
    rest = (found.intercepts, found.sigma, True, 1e-6)
    assert seemingly_unrelated_certificate(CARS, TARGETS, np.ones(32), found.coefs, *rest).holds
    assert not seemingly_unrelated_certificate(CARS, TARGETS, np.ones(32), coefs, *rest).holds
    other = (found.intercepts, found.sigma * 1.01, True, 1e-6)
    assert not seemingly_unrelated_certificate(CARS, TARGETS, np.ones(32), found.coefs, *other).holds


def test_bad_input():
    with pytest.raises(ValueError, match="2 designs for 3 columns"):
        seemingly_unrelated(CARS[:2], TARGETS)
    with pytest.raises(ValueError, match=r"designs\[1\] are linearly dependent"):
        seemingly_unrelated([CARS[0], np.column_stack([WT, WT]), CARS[2]], TARGETS)
    with pytest.raises(ValueError, match="cannot be inverted"):
        seemingly_unrelated([CARS[0], CARS[0]], TARGETS[:, [0, 0]])
    with pytest.raises(ValueError, match="not positive definite"):
        seemingly_unrelated(CARS, TARGETS, sigma=np.ones((3, 3)) - np.eye(3))
    with pytest.raises(ValueError, match=r"designs\[2\] has 31 rows"):
        seemingly_unrelated([*CARS[:2], CARS[2][1:]], TARGETS)
