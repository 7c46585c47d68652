"""The theory of the lasso: the event of the noise, the fast and the slow rate, each where it must hold."""

import math

import numpy as np
import pytest
from scipy import stats
from tests.cases import each

from learnable.theory import (
    noise_event,
    oracle_distance,
    oracle_experiment,
    oracle_penalty,
    oracle_prediction,
    penalty_constant,
    root_n_columns,
    slow_rate,
    slow_rate_experiment,
)

RNG = np.random.default_rng(6)


def design(n, p, rho=0.0):
    rows = RNG.standard_normal((n, p)) @ np.linalg.cholesky(rho ** np.abs(np.subtract.outer(range(p), range(p)))).T
    return root_n_columns(rows)


@each("p", [2, 10, 1000, 10**6])
@each("C", [2.83, 3.0, 4.0, 6.0])
def test_the_bound_on_the_event_is_above_its_exact_probability(p, C):
    # On an orthogonal design the p columns see independent noise: the probability is known.
    tail = 2.0 * stats.norm.sf(C * math.sqrt(math.log(p)) / 2.0)
    assert noise_event(p=p, C=C).value >= -math.expm1(p * math.log1p(-tail))
    assert noise_event(p=p, C=C).value == pytest.approx(p * math.exp(-(C**2) * math.log(p) / 8.0))


def test_constant_and_delta_are_inverse():
    for p in (2, 50, 10_000):
        for delta in (0.5, 0.05, 1e-6):
            C = penalty_constant(p, delta)
            assert math.sqrt(8.0) < C
            assert noise_event(p=p, C=C).value == pytest.approx(delta)
            assert slow_rate(n=70, p=p, K=3.0, sigma=0.5, delta=delta).value == pytest.approx(
                3.0 * oracle_penalty(70, p, 0.5, C)
            )


def test_frequency_of_the_event_on_an_orthogonal_design_is_the_exact_one():
    n = p = 16
    X = math.sqrt(n) * np.linalg.qr(RNG.standard_normal((n, p)))[0]
    found = oracle_experiment(X, np.eye(p)[0], 1.0, C=3.0, kappa=1.0, repeats=300, level=0.999)
    exact = (1.0 - 2.0 * stats.norm.sf(1.5 * math.sqrt(math.log(p)))) ** p
    assert exact in found.frequency
    assert found.certificate.holds
    assert 0 < found.on_event.sum() < 300


@each(("n", "p", "rho", "s"), [(60, 12, 0.0, 2), (60, 12, 0.6, 2), (30, 20, 0.3, 1), (200, 6, 0.9, 3)])
def test_every_inequality_holds_on_the_event(n, p, rho, s):
    X = design(n, p, rho)
    beta = np.zeros(p)
    beta[:s] = RNG.choice([-2.0, 0.3], s)
    found = oracle_experiment(X, beta, 0.7, C=3.0, repeats=40)
    assert found.on_event.sum() >= 20
    assert found.certificate.holds, found.certificate
    delta = p ** (1.0 - 9.0 / 8.0)
    given = {"n": n, "p": p, "s": s, "kappa": found.kappa, "sigma": 0.7, "delta": delta}
    assert found.penalty == pytest.approx(oracle_penalty(n, p, 0.7))
    assert found.inequalities[2].right[0] == pytest.approx(oracle_prediction(**given).value)
    assert found.inequalities[3].right[0] == pytest.approx(oracle_distance(**given).value)
    assert found.inequalities[0].slack[found.on_event].max() > 0.05  # not empty
    level = 3.0 * 0.7 * math.sqrt(math.log(p) / n)
    assert found.penalty == pytest.approx(level)
    assert found.inequalities[2].right == pytest.approx(16.0 * level**2 * s / found.kappa**2)
    assert found.inequalities[3].right == pytest.approx(16.0 * level * s / found.kappa**2)


def test_a_wrong_eigenvalue_is_noticed_and_a_bound_can_be_vacuous():
    X = design(60, 8, 0.3)
    beta = np.eye(8)[0] * 2.0
    assert not oracle_experiment(X, beta, 1.0, kappa=50.0, repeats=20).certificate.holds
    assert oracle_experiment(X, beta, 1.0, kappa=0.0, repeats=5).certificate.holds
    assert oracle_prediction(n=60, p=8, s=1, kappa=0.5, sigma=1.0, delta=0.1).vacuous
    assert not oracle_prediction(n=60_000, p=8, s=1, kappa=0.5, sigma=1.0, delta=0.1).vacuous


def test_off_the_event_the_inequalities_may_fail():
    # Hardly any signal: where the noise lets the other column in, the cone is left.
    found = oracle_experiment(design(20, 2, 0.0), [0.001, 0.0], 1.0, C=2.83, repeats=400)
    assert found.certificate.holds
    for inequality in found.inequalities[:2]:
        assert not inequality.holds[~found.on_event].all()


@each("share", [1.0, 1.5])
def test_slow_rate_needs_nothing_of_the_design(share):
    X = design(40, 5)
    X = np.column_stack([X, X[:, :3], -X[:, 0]])  # κ = 0
    beta = np.r_[1.0, -0.5, np.zeros(7)]
    found = slow_rate_experiment(X, beta, 0.8, K=1.5 * share, repeats=25)
    assert found.certificate.holds, found.certificate
    projection = found.inequalities[0]
    assert np.all(projection.holds)  # on every draw, event or not
    assert projection.slack.max() > 0.5
    assert found.inequalities[1].right[0] == pytest.approx(1.5 * share * found.penalty)
    assert found.inequalities[1].right == pytest.approx(1.5 * share * 3.0 * 0.8 * math.sqrt(math.log(9) / 40))


def test_more_repetitions_keep_the_first():
    X = design(30, 5)
    few, many = (slow_rate_experiment(X, np.eye(5)[0], 1.0, repeats=k, random_state=3) for k in (4, 8))
    np.testing.assert_array_equal(few.inequalities[0].left, many.inequalities[0].left[:4])
    assert "promised at least" in str(many)


def test_errors():
    X = design(30, 5)
    with pytest.raises(ValueError, match=r"C=2\): C must be > 2.82"):
        oracle_penalty(30, 5, 1.0, C=2)
    with pytest.raises(ValueError, match="scale X by root_n_columns"):
        oracle_experiment(2.0 * X, np.eye(5)[0], 1.0)
    with pytest.raises(ValueError, match="every coefficient is 0"):
        oracle_experiment(X, np.zeros(5), 1.0)
    with pytest.raises(ValueError, match="one finite coefficient for each of the 5"):
        oracle_experiment(X, np.ones(4), 1.0)
    with pytest.raises(ValueError, match=r"K=0.5\): K must be finite, > 0 and at least ‖β\*‖₁ = 1"):
        slow_rate_experiment(X, np.eye(5)[0], 1.0, K=0.5)
    with pytest.raises(ValueError, match="repeats must be"):
        oracle_experiment(X, np.eye(5)[0], 1.0, repeats=0)
    with pytest.raises(ValueError, match="sigma"):
        oracle_experiment(X, np.eye(5)[0], -1.0)
    with pytest.raises(ValueError, match="kappa must be"):
        oracle_experiment(X, np.eye(5)[0], 1.0, kappa=-1.0)
    with pytest.raises(ValueError, match="column 1 has the length 0"):
        root_n_columns([[1.0, 0.0], [1.0, 0.0]])
