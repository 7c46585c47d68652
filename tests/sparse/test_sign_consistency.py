"""Signs: found more and more often where the design allows it, never where it does not."""

import numpy as np
import pytest
from tests.cases import each

from learnable.sparse import Lasso
from learnable.theory import irrepresentable_condition, sign_consistency

R = 0.6
COVARIANCE = np.array([[1.0, 0.0, R], [0.0, 1.0, R], [R, R, 1.0]])
ROOT = np.linalg.cholesky(COVARIANCE)


def draw(n, rng):
    return rng.standard_normal((n, 3)) @ ROOT.T


def test_the_frequency_rises_to_one_where_the_condition_allows_it():
    found = sign_consistency(draw, [2.0, -2.0, 0.0], 1.0, [10, 40, 400], covariance=COVARIANCE, repeats=60)
    assert found.condition == pytest.approx(0.0)
    shares = [each.estimate for each in found.frequencies]
    assert shares[0] < shares[1] <= shares[2]
    assert found.frequencies[2].low > 0.9
    assert "n = 400" in str(found)


def test_it_does_not_where_the_condition_forbids_it():
    found = sign_consistency(draw, [2.0, 2.0, 0.0], 1.0, [400, 2000], covariance=COVARIANCE, repeats=40)
    assert found.condition == pytest.approx(1.2)
    assert all(each.high < 0.5 for each in found.frequencies)


@each("signs", [(1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)])
def test_the_condition_decides_for_the_lasso_without_noise(signs):
    X = np.sqrt(3) * np.linalg.cholesky(COVARIANCE).T  # XᵀX/n is the covariance itself
    beta = np.array([*signs, 0.0]) * 2.0
    coef = Lasso(alpha=0.01, fit_intercept=False, tol=1e-14).fit(X, X @ beta).coef_
    assert (irrepresentable_condition(COVARIANCE, beta) <= 1.0) == (abs(coef[2]) < 1e-9)


def test_streams_do_not_depend_on_the_other_repetitions():
    few, many = (
        sign_consistency(draw, [2.0, -2.0, 0.0], 1.0, [15], repeats=k, random_state=1).frequencies[0] for k in (1, 1)
    )
    assert few == many
    own = sign_consistency(draw, [2.0, -2.0, 0.0], 1.0, [15], penalty=lambda n: 1e3, repeats=5)
    assert own.frequencies[0].estimate == 0.0
    assert own.penalties.tolist() == [1000.0]


def test_errors():
    with pytest.raises(ValueError, match=r"sizes=\[1\]"):
        sign_consistency(draw, [1.0, 0.0, 0.0], 1.0, [1])
    with pytest.raises(ValueError, match=r"draw\): gave shape \(5, 3\) for n = 5 and 2"):
        sign_consistency(draw, [1.0, 0.0], 1.0, [5])
    with pytest.raises(ValueError, match="repeats"):
        sign_consistency(draw, [1.0, 0.0, 0.0], 1.0, [5], repeats=0)
    with pytest.raises(ValueError, match="sigma must be"):
        sign_consistency(draw, [1.0, 0.0, 0.0], 0.0, [5])
    with pytest.raises(ValueError, match="does not fit 2 coefficients"):
        irrepresentable_condition(COVARIANCE, [1.0, 0.0])
    with pytest.raises(ValueError, match="depend on each other"):
        irrepresentable_condition(np.ones((3, 3)), [1.0, 1.0, 0.0])
