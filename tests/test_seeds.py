"""A seed that is none is refused by one message, wherever it is given."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from tests.cases import each

from learnable.bayes import ParametricDensity
from learnable.datasets import linearly_separable, toeplitz_regression
from learnable.datasets.embedded.houses import houses
from learnable.datasets.embedded.loans import loans
from learnable.evaluation import bootstrap_interval, compare, zero_one_decomposition
from learnable.evaluation.replicates import bootstrap_predictions, simulated_predictions
from learnable.linear import Ridge
from learnable.reinforcement import russell_norvig_world, simulate, simulated_return, uniform_policy
from learnable.seeds import generator_from, seed_from
from learnable.selection import (
    bootstrap_error,
    choose_on_validation,
    cross_validated,
    deviance_optimism,
    holdout_choice,
    monte_carlo_df,
    optimism,
    structural_risk_minimisation,
    three_way_split,
)
from learnable.sequences import MarkovChain
from learnable.theory import estimate_bounded_differences, finite_class_oracle, pac_experiment, simulate_failure
from learnable.theory.proof import StructureRefuted

MDP = russell_norvig_world().mdp
X = np.arange(20.0)[:, None]
Y = X[:, 0]
POLICY = uniform_policy(MDP)


def _draw(m, generator):
    return generator.random(m), np.ones(m)


# Estimators refuse what no seed can be as they do other parameters (hostile/test_parameters.py).
GIVEN = {
    "bootstrap_interval": lambda seed: bootstrap_interval(np.mean, Y, random_state=seed),
    "compare": lambda seed: compare({"a": Ridge(), "b": Ridge(2.0)}, X, Y, random_state=seed),
    "pac_experiment": lambda seed: pac_experiment(
        _draw, lambda x, y: 0.0, float, m=3, epsilon=0.1, repeats=2, random_state=seed
    ),
    "simulate": lambda seed: simulate(MDP, POLICY, random_state=seed),
    "simulated_return": lambda seed: simulated_return(MDP, POLICY, random_state=seed),
    "ParametricDensity.sample": lambda seed: ParametricDensity("gaussian").fit(X).sample(3, random_state=seed),
    "cross_validated": lambda seed: cross_validated(Ridge(), X, Y, random_state=seed),
    "three_way_split": lambda seed: three_way_split(20, random_state=seed),
    "choose_on_validation": lambda seed: choose_on_validation([Ridge()], X, Y, three_way_split(20), random_state=seed),
    "linearly_separable": lambda seed: linearly_separable(3, 2, random_state=seed),
    "toeplitz_regression": lambda seed: toeplitz_regression(3, 5, random_state=seed),
    "houses": lambda seed: houses(20, random_state=seed),
    "loans": lambda seed: loans(20, random_state=seed),
    "simulated_predictions": lambda seed: simulated_predictions(Ridge(), lambda rng: (X, Y), X, 2, seed),
    "bootstrap_predictions": lambda seed: bootstrap_predictions(Ridge(), X, Y, X, 2, seed),
    "zero_one_decomposition": lambda seed: zero_one_decomposition([[0, 1], [1, 0]], [0, 0], random_state=seed),
    "optimism": lambda seed: optimism(lambda y: y, Y, 1.0, random_state=seed),
    "deviance_optimism": lambda seed: deviance_optimism(DummyClassifier(), X, Y > 9, random_state=seed),
    "monte_carlo_df": lambda seed: monte_carlo_df(lambda y: y, Y, random_state=seed),
    "bootstrap_error": lambda seed: bootstrap_error(Ridge(), X, Y, random_state=seed),
    "holdout_choice": lambda seed: holdout_choice([DummyClassifier()], X, Y > 9, random_state=seed),
    "structural_risk_minimisation": lambda seed: structural_risk_minimisation(
        [DummyClassifier()], X, Y > 9, [0.1], random_state=seed
    ),
    "StructureRefuted.check": lambda seed: StructureRefuted(None, 1, "").check(0, random_state=seed),
    "estimate_bounded_differences": lambda seed: estimate_bounded_differences(
        sum, lambda rng: rng.random(2), random_state=seed
    ),
    "simulate_failure": lambda seed: simulate_failure(
        lambda points, labels: lambda queries: queries >= 0, d=9, m=20, repeats=1, random_state=seed
    ),
    "monte_carlo": lambda seed: finite_class_oracle([[1, 1], [-1, -1]]).monte_carlo(10, random_state=seed),
    "MarkovChain.sample": lambda seed: MarkovChain().fit(np.tile([[0], [1]], (5, 1))).sample(3, random_state=seed),
}


@each("owner", GIVEN)
@each("seed", [-1, np.int64(-3)])
def test_a_negative_seed_is_named(owner, seed):
    with pytest.raises(ValueError, match=rf"{owner}\(random_state={seed}\): give an int >= 0") as raised:
        GIVEN[owner](seed)
    assert "np." not in str(raised.value)


@each("owner", GIVEN)
@each("seed", ["a", 1.5, True])
def test_what_is_no_seed_is_named(owner, seed):
    with pytest.raises(TypeError, match=rf"{owner}\(random_state={seed!r}\): give an int >= 0"):
        GIVEN[owner](seed)


def test_seeds_and_generators_give_the_numbers_of_numpy():
    for seed in (0, np.int32(7), [3, 4], np.array([3, 4]), np.random.SeedSequence(5)):
        expected = np.random.default_rng(seed).random(3)
        np.testing.assert_array_equal(generator_from(seed, "test").random(3), expected)
        np.testing.assert_array_equal(np.random.default_rng(seed_from(seed, "test")).random(3), expected)
    given = np.random.default_rng(0)
    assert generator_from(given, "test") is given
    assert generator_from(np.random.PCG64(1), "test").random() == np.random.default_rng(1).random()
    first, second = (generator_from(np.random.RandomState(0), "test").random() for _ in range(2))
    assert first == second
    assert generator_from(None, "test").random() != generator_from(None, "test").random()
    with pytest.raises(ValueError, match=r"test\(random_state=\[1, -2\]\)"):
        seed_from([1, -2], "test")
