"""Q-learning: convergence to Q*, exploration, regret, counts, environments."""

import numpy as np
import pytest
from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv
from tests.cases import each

from learnable import watch
from learnable.certificates import Verdict
from learnable.reinforcement import (
    MDP,
    PolicyIteration,
    QLearning,
    boltzmann,
    constant_steps,
    epsilon_greedy,
    q_values,
    russell_norvig_world,
    uniform_exploration,
    upper_confidence,
    visit_count_steps,
)

from .random_processes import random_mdp


@each("seed", range(3))
def test_converges_to_the_optimal_q_on_random_processes(seed):
    mdp = random_mdp(seed, n_states=4, n_actions=2, discount=0.8, ends=seed % 2 == 0)
    best = q_values(mdp, PolicyIteration().fit(mdp).values_)
    errors = []
    for n_steps in (1_000, 30_000, 1_000_000):
        model = QLearning(n_steps, exploration=uniform_exploration(), random_state=seed).fit(mdp)
        errors.append(np.nanmax(np.abs(model.q_values_ - best)))
        assert model.certificate_.verdict is not Verdict.REFUTED
        assert errors[-1] <= model.error_bound_ + 1e-12
    assert errors[2] < 0.06
    assert errors[2] < errors[0]


@each(
    "exploration",
    [epsilon_greedy(0.2), epsilon_greedy(1.0, decay=0.3), boltzmann(0.5), upper_confidence(2.0, epsilon=0.02)],
    ids=str,
)
def test_every_exploration_finds_the_best_policy(exploration):
    mdp = random_mdp(3, n_states=3, n_actions=3, discount=0.7)
    best = PolicyIteration().fit(mdp)
    model = QLearning(300_000, exploration=exploration, random_state=1).fit(mdp)
    assert model.policy_.tolist() == best.policy_.tolist()
    np.testing.assert_allclose(model.values_, best.values_, atol=0.05)


def test_a_deterministic_process_is_learned_exactly_with_full_steps():
    P = np.zeros((3, 2, 3))
    P[[0, 1, 2], 0, [1, 2, 0]] = 1.0
    P[[0, 1, 2], 1, [0, 0, 0]] = 1.0
    mdp = MDP(P, [[0.0, 0.1], [0.0, 0.0], [1.0, 0.0]], 0.5)
    model = QLearning(5_000, steps=constant_steps(1.0), exploration=uniform_exploration(), random_state=0).fit(mdp)
    np.testing.assert_allclose(model.q_values_, q_values(mdp, PolicyIteration().fit(mdp).values_), atol=1e-12)
    assert model.error_bound_ < 1e-12


def test_the_update_is_the_textbook_one():
    # One state, one action, rewards of 1: Q_1 = 1 (α = 1), Q_2 = Q_1 + ½ (1 + ½ Q_1 − Q_1) = 1.25.
    mdp = MDP([[[1.0]]], [[1.0]], 0.5)
    assert QLearning(1, steps=visit_count_steps(1.0)).fit(mdp).q_values_[0, 0] == 1.0
    assert QLearning(2, steps=visit_count_steps(1.0)).fit(mdp).q_values_[0, 0] == 1.25


def test_step_sizes_that_cannot_converge_tremble():
    mdp = MDP.from_table([("s", "a", "s", 0.5, 1.0), ("s", "a", "s", 0.5, -1.0), ("s", "b", None, 1.0, 0.0)], 0.5)
    assert mdp.rewards.tolist() == [0.0, 0.0]
    assert visit_count_steps(0.8).converges
    assert not constant_steps(0.1).converges
    assert not visit_count_steps(0.5).converges


def test_outcome_rewards_are_drawn_and_not_averaged():
    table = [("s", "a", "win", 0.5, 10.0), ("s", "a", "lose", 0.5, -10.0)]
    model = QLearning(1000, random_state=0).fit(MDP.from_table(table, 0.9))
    assert set(model.episode_returns_.tolist()) == {10.0, -10.0}
    assert set(model.episode_lengths_.tolist()) == {1}


def test_same_seed_same_answer_and_other_seed_another():
    mdp = random_mdp(0)
    one, two, three = (QLearning(5_000, random_state=seed).fit(mdp).q_values_ for seed in (7, 7, 8))
    assert np.array_equal(one, two)
    assert not np.array_equal(one, three)
    in_few = QLearning(5_000, random_state=7, n_reports=3).fit(mdp).q_values_
    assert np.array_equal(one, in_few)


def test_regret_is_the_sum_of_gaps_over_visits_and_grows_more_slowly_with_decay():
    mdp = random_mdp(2, n_states=4, n_actions=3, discount=0.7)
    best = PolicyIteration(1e-12).fit(mdp)
    gaps = best.values_[:, None] - q_values(mdp, best.values_)
    rates = {}
    for name, exploration in {"random": uniform_exploration(), "decay": epsilon_greedy(1.0, decay=0.7)}.items():
        model = QLearning(200_000, exploration=exploration, regret=True, random_state=0).fit(mdp)
        assert model.regret_[-1] == pytest.approx((gaps * model.visits_).sum(), rel=1e-9)
        assert np.all(np.diff(model.regret_) >= 0.0)
        assert model.steps_[-1] == 200_000
        assert model.certificate_.claim("RL10").value == model.regret_[-1]
        rates[name] = (model.regret_[-1] - model.regret_[50]) / (model.regret_[50] - model.regret_[0])
    assert rates["random"] > 0.9  # linear
    assert rates["decay"] < 0.7  # slower and slower
    # One state, two actions, one plainly worse: it is taken in half of the visits that explore.
    plain = MDP([[[1.0], [1.0]]], [[1.0, -1.0]], discount=0.5)
    for epsilon, decay in ((0.4, 0.0), (1.0, 0.7)):
        model = QLearning(20_000, exploration=epsilon_greedy(epsilon, decay=decay), random_state=0).fit(plain)
        expected = 0.5 * np.sum(epsilon / np.arange(1.0, 20_001.0) ** decay)
        assert model.visits_[0, 1] == pytest.approx(expected, abs=5.0 * np.sqrt(expected) + 5.0)


def test_untried_pairs_are_disclosed():
    mdp = random_mdp(0, n_states=5, n_actions=3)
    model = QLearning(3, random_state=0).fit(mdp)
    untried = model.certificate_[-1]
    assert untried.statement == "pairs that can be reached and were never tried"
    assert untried.value >= 12
    assert model.visits_.sum() == 3


def test_episodes_end_restart_and_are_cut_off():
    mdp = russell_norvig_world().mdp
    model = QLearning(20_000, random_state=0, horizon=30).fit(mdp)
    assert model.episode_lengths_.max() <= 30
    assert model.visits_[mdp.terminal].sum() == 0
    assert 0.0 < model.values_[mdp.state_number((0, 2))] < 1.0


def test_optimism_tries_everything():
    mdp = random_mdp(4, n_states=6, n_actions=4)
    greedy = {"exploration": epsilon_greedy(0.0), "steps": visit_count_steps(1.0), "random_state": 0}
    hopeful = QLearning(2_000, initial=100.0, **greedy).fit(mdp)
    assert hopeful.visits_.min() > 0
    assert QLearning(2_000, initial=-100.0, **greedy).fit(mdp).visits_.min() == 0


def test_environment_and_its_model_teach_the_same():
    lake = FrozenLakeEnv()
    mdp = MDP.from_gymnasium(lake, 0.9)
    settings = {"exploration": uniform_exploration(), "discount": 0.9, "random_state": 0}
    from_steps = QLearning(100_000, **settings).fit(lake)
    from_model = QLearning(1_000_000, **settings).fit(mdp)
    best = PolicyIteration().fit(mdp).values_
    np.testing.assert_allclose(from_steps.values_, best, atol=0.06)
    np.testing.assert_allclose(from_model.values_, best, atol=0.03)
    # With the model at hand, what was learned from the environment can be judged too.
    judged = next(c for c in from_steps.certify(mdp) if c.statement == "Q is within this of Q*")
    assert np.abs(from_steps.values_ - best).max() <= judged.value < 1.0


def test_learning_can_be_watched():
    steps = list(watch(QLearning(1_000, n_reports=10, random_state=0), random_mdp(0)))
    assert [step.state.steps for step in steps] == list(range(100, 1001, 100))
    assert not np.array_equal(steps[0].state.q, steps[-1].state.q)
