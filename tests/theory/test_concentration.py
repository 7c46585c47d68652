"""Exact tails and exact expectations against the inequalities."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom
from tests.cases import each

from learnable.theory import (
    bounded_differences,
    chernoff_lower,
    chernoff_upper,
    chernoff_upper_small,
    estimate_bounded_differences,
    finite_class_oracle,
    hoeffding,
    hoeffding_two_sided,
    massart,
    mcdiarmid,
    rms_width,
    subgaussian_maximum,
)

SEED = 7


@each("p", [0.03, 0.2, 0.5, 0.9])
@each("m", [1, 5, 40, 300])
def test_hoeffding_against_the_exact_binomial_tail(m, p):
    for k in range(m + 1):
        upper, lower = k / m - p, p - k / m
        if upper > 0:
            assert binom.sf(k - 1, m, p) <= hoeffding(m=m, epsilon=upper).value * (1 + 1e-9)
        if lower > 0:
            assert binom.cdf(k, m, p) <= hoeffding(m=m, epsilon=lower).value * (1 + 1e-9)
        deviation = abs(k / m - p)
        if deviation > 1e-9:
            counts = np.arange(m + 1)
            both = binom.pmf(counts[np.abs(counts / m - p) >= deviation - 1e-12], m, p).sum()
            assert both <= hoeffding_two_sided(m=m, epsilon=deviation).value * (1 + 1e-9)
            exact = math.exp(-2 * m * deviation**2)
            assert hoeffding(m=m, epsilon=deviation).value == pytest.approx(exact)
            assert hoeffding_two_sided(m=m, epsilon=deviation).value == pytest.approx(2 * exact)


def test_one_sided_hoeffding_is_no_two_sided_bound():
    # one toss of a fair coin is always ½ away from its mean
    assert hoeffding(m=1, epsilon=0.5).value < 1 <= hoeffding_two_sided(m=1, epsilon=0.5).value


def test_hoeffding_with_unequal_ranges():
    low, high = np.array([0.0, -1.0, 0.0, 0.0]), np.array([1.0, 1.0, 3.0, 0.5])
    outcomes = np.array([np.mean(point) for point in product(*zip(low, high))])
    width = rms_width(low, high)
    for epsilon in np.linspace(0.05, 1.2, 24):
        tail = np.mean(outcomes - outcomes.mean() >= epsilon)
        assert tail <= hoeffding(m=4, epsilon=epsilon, width=width).value
    # sum form: exp(−2t²/Σ(b−a)²) with t = mε
    assert hoeffding(m=4, epsilon=0.3, width=width).value == pytest.approx(
        math.exp(-2 * 1.2**2 / np.sum((high - low) ** 2))
    )


@each(("n", "p"), [(2000, 0.05), (50, 0.3), (10, 0.5), (400, 0.01)])
def test_chernoff_against_the_exact_tail(n, p):
    mu = n * p
    for alpha in np.linspace(0.02, 1.0, 25):
        upper = binom.sf(math.ceil((1 + alpha) * mu - 1e-9) - 1, n, p)
        lower = binom.cdf(math.floor((1 - alpha) * mu + 1e-9), n, p)
        general, small = chernoff_upper(mu=mu, alpha=alpha).value, chernoff_upper_small(mu=mu, alpha=alpha).value
        assert upper <= general <= small * (1 + 1e-12)
        assert lower <= chernoff_lower(mu=mu, alpha=alpha).value
        exponents = mu * alpha**2 / np.array([2 + alpha, 3, 2])
        values = general, small, chernoff_lower(mu=mu, alpha=alpha).value
        assert values == pytest.approx(np.exp(-exponents))
    for alpha in (1.5, 3.0, 8.0):
        assert binom.sf(math.ceil((1 + alpha) * mu) - 1, n, p) <= chernoff_upper(mu=mu, alpha=alpha).value
    with pytest.raises(ValueError, match="alpha"):
        chernoff_upper_small(mu=mu, alpha=1.5)


def test_the_lower_tail_exponent_is_false_above():
    n, p, alpha = 2000, 0.05, 1.0
    mu = n * p
    tail = binom.sf(2 * n * p - 1, n, p)
    assert tail > math.exp(-mu * alpha**2 / 2) == chernoff_lower(mu=mu, alpha=alpha).value
    assert tail <= chernoff_upper(mu=mu, alpha=alpha).value


def test_mcdiarmid_with_enumerated_differences():
    def spread(x):
        return max(x) - min(x) + 0.5 * x[0]

    supports = [(0, 1), (0, 2), (0, 1, 2), (1, 2)]
    c = bounded_differences(spread, supports)
    values = np.array([spread(x) for x in product(*supports)])
    for epsilon in np.linspace(0.1, 2.0, 20):
        tail = np.mean(values - values.mean() >= epsilon)
        bound = mcdiarmid(epsilon=epsilon, sum_squared_differences=float(np.sum(c**2))).value
        assert tail <= bound == pytest.approx(math.exp(-2 * epsilon**2 / np.sum(c**2)))
    drawn = estimate_bounded_differences(
        spread, lambda rng: tuple(rng.choice(s) for s in supports), repeats=400, random_state=SEED
    )
    assert np.all(drawn <= c + 1e-12)
    assert drawn == pytest.approx(c)


def test_massart_and_maximal_inequality_by_enumeration():
    rng = np.random.default_rng(SEED)
    for size, m in ((1, 4), (2, 8), (7, 9), (60, 10)):
        A = rng.normal(size=(size, m))
        exact = finite_class_oracle(A).exact()
        bound = massart(m=m, size=size, r=float(np.linalg.norm(A, axis=1).max()))
        assert exact <= bound.value + 1e-15
        # Σσ_i a_i is sub-Gaussian with parameter ‖a‖
        assert exact * m <= subgaussian_maximum(n=size, r=bound.parameters["r"]).value + 1e-12
    cube = np.array(list(product((-1.0, 1.0), repeat=6)))
    assert finite_class_oracle(cube).exact() == pytest.approx(1.0)
    assert massart(m=6, size=64, r=math.sqrt(6)).vacuous


def test_bad_input():
    with pytest.raises(ValueError, match="rms_width"):
        rms_width([1.0], [0.0])
    with pytest.raises(ValueError, match="rms_width"):
        rms_width([0.0], [math.inf])
    with pytest.raises(ValueError, match="supports"):
        bounded_differences(sum, [])
    with pytest.raises(ValueError, match="repeats"):
        estimate_bounded_differences(sum, lambda rng: (1,), repeats=0)
    with pytest.raises(ValueError, match="epsilon must be > 0"):
        hoeffding(m=3, epsilon=0.0)
