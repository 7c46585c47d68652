"""Models in many forms, simulated episodes, returns with intervals."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from gymnasium.envs.toy_text.frozen_lake import FrozenLakeEnv
from scipy import sparse
from sklearn.callback import ProgressBar

from learnable.reinforcement import (
    MDP,
    Policy,
    PolicyIteration,
    ValueIteration,
    expected_return,
    russell_norvig_world,
    simulate,
    simulated_return,
    uniform_policy,
)

from .random_processes import random_mdp


def test_every_form_of_a_process_is_the_same_process():
    rng = np.random.default_rng(0)
    P, R = rng.dirichlet(np.ones(4), size=(4, 3)), rng.normal(size=(4, 3, 4))
    mean = (P * R).sum(axis=2)
    matrices, rewards = [P[:, a] for a in range(3)], [R[:, a] for a in range(3)]
    forms = [
        MDP(P, mean, 0.9),
        MDP(P, R, 0.9),
        MDP(matrices, mean, 0.9),
        MDP(matrices, rewards, 0.9),
        MDP([sparse.csr_matrix(m) for m in matrices], [sparse.csr_matrix(r) for r in rewards], 0.9),
        MDP(sparse.csr_matrix(P.reshape(12, 4)), mean, 0.9),
        MDP.from_pairs(
            np.arange(12)[::-1] // 3, np.arange(12)[::-1] % 3, P.reshape(12, 4)[::-1], mean.ravel()[::-1], 0.9
        ),
    ]
    table = [(s, a, t, P[s, a, t], R[s, a, t]) for s in range(4) for a in range(3) for t in range(4)]
    names = ["state", "action", "next_state", "probability", "reward"]
    forms += [MDP.from_table(f, 0.9) for f in (table, pd.DataFrame(table, columns=names))]
    forms.append(MDP.from_table(pl.DataFrame(table, schema=names, orient="row"), 0.9))
    want = PolicyIteration().fit(forms[0]).values_
    for mdp in forms:
        np.testing.assert_allclose(mdp.rewards, mean.ravel(), atol=1e-12)
        np.testing.assert_allclose(PolicyIteration().fit(mdp).values_, want, atol=1e-10)
    with pytest.raises(ValueError, match="no column 'reward'"):
        MDP.from_table(pd.DataFrame(table, columns=[*names[:4], "r"]), 0.9)


def test_rewards_by_state_or_all_alike():
    P = random_mdp(0).transitions.reshape(5, 3, 5)
    assert MDP(P, [1.0, 2.0, 3.0, 4.0, 5.0], 0.9).rewards.tolist() == np.repeat([1, 2, 3, 4, 5], 3).tolist()
    np.testing.assert_allclose(ValueIteration(1e-9).fit(MDP(P, 2.0, 0.9)).values_, 20.0)


def test_a_model_estimated_from_many_steps_is_near_the_true_one():
    mdp = random_mdp(1, n_states=3, n_actions=2, ends=True)
    episodes = simulate(mdp, uniform_policy(mdp), n_episodes=8_000, horizon=10, random_state=0)
    estimated = MDP.from_transitions(episodes.transitions(), 0.9)
    np.testing.assert_allclose(estimated.transitions.toarray(), mdp.transitions, atol=0.02)
    np.testing.assert_allclose(estimated.rewards, mdp.rewards, atol=1e-9)
    np.testing.assert_allclose(estimated.ending, mdp.ending, atol=0.02)
    assert estimated.counts.sum() == episodes.lengths.sum()


def test_a_prior_spreads_what_was_seen():
    mdp = MDP.from_transitions([(0, 0, 1.0, 0), (0, 0, 1.0, 0), (1, 0, 0.0, 0)], 0.9, prior=1.0)
    np.testing.assert_allclose(mdp.transitions.toarray(), [[0.75, 0.25], [2 / 3, 1 / 3]])
    np.testing.assert_allclose(mdp.rewards, [1.0, 0.0])


def test_simulated_frequencies_are_those_of_the_process():
    mdp = random_mdp(2, n_states=3, n_actions=2, ends=True)
    policy = np.array([[0.3, 0.7], [1.0, 0.0], [0.5, 0.5]])
    episodes = simulate(mdp, policy, n_episodes=50_000, horizon=2, random_state=0)
    first, second = episodes.states[:, 0], episodes.states[:, 1]
    np.testing.assert_allclose(np.bincount(first, minlength=3) / 50_000, 1 / 3, atol=0.01)
    taken = episodes.actions[first == 0, 0]
    assert np.mean(taken == 1) == pytest.approx(0.7, abs=0.015)
    after = second[(first == 1) & (episodes.actions[:, 0] == 0)]
    np.testing.assert_allclose(np.mean(after == -1), mdp.ending[2], atol=0.02)
    np.testing.assert_allclose([np.mean(after == s) for s in range(3)], mdp.transitions[2], atol=0.02)


def test_a_policy_that_changes_with_time_is_followed():
    mdp = MDP([[[1.0], [1.0]]], [[0.0, 1.0]], 1.0)
    rule = np.array([[0], [1], [0], [1]])
    episodes = simulate(mdp, rule, n_episodes=2, horizon=4, random_state=0)
    assert episodes.actions.tolist() == [[0, 1, 0, 1]] * 2
    assert episodes.returns(0.5).tolist() == [0.5 + 0.125] * 2
    assert expected_return(mdp, rule, horizon=4) == 2.0
    assert repr(Policy(mdp, rule)) == "Policy(deterministic, 4 times, 1 states)"


def test_intervals_cover_the_exact_return():
    mdp = random_mdp(5, discount=0.8, ends=True)
    policy = uniform_policy(mdp)
    exact = expected_return(mdp, policy)
    covered = [exact in simulated_return(mdp, policy, n_episodes=200, random_state=seed) for seed in range(200)]
    assert np.mean(covered) > 0.9
    short = expected_return(mdp, policy, horizon=3)
    covered = [short in simulated_return(mdp, policy, n_episodes=200, horizon=3, random_state=s) for s in range(200)]
    assert 0.88 < np.mean(covered) <= 1.0
    # An interval that is far too narrow would not do.
    narrow = [exact in simulated_return(mdp, policy, n_episodes=200, level=0.3, random_state=s) for s in range(100)]
    assert np.mean(narrow) < 0.6


def test_undiscounted_episodes_run_to_their_end():
    world = russell_norvig_world()
    best = PolicyIteration().fit(world.mdp).policy_
    assert expected_return(world.mdp, best) == pytest.approx(0.7053, abs=1e-4)
    found = simulated_return(world.mdp, best, n_episodes=20_000, random_state=0)
    assert abs(found.estimate - 0.7053) < 0.02


def test_gymnasium_starts_where_the_environment_does():
    mdp = MDP.from_gymnasium(FrozenLakeEnv(), 0.99)
    assert mdp.start.tolist() == [1.0] + [0.0] * 15
    assert mdp.ending.sum() > 0
    episodes = simulate(mdp, np.ones(16, dtype=int), n_episodes=100, horizon=50, random_state=0)
    assert np.all(episodes.states[:, 0] == 0)


def test_planners_are_no_table_estimators_but_have_parameters():
    from sklearn.base import clone

    from learnable.checks import all_estimators, kind_of

    found = dict(all_estimators())
    assert {"ValueIteration", "QLearning", "PolicyIteration"} <= set(found)
    assert not kind_of(ValueIteration()).table
    planner = clone(ValueIteration(1e-3).set_params(max_iter=7))
    assert planner.get_params() == {"epsilon": 1e-3, "max_iter": 7, "stop": "span", "start": None}


def test_sweeps_report_to_callbacks():
    from learnable.reinforcement import QLearning

    class Counter:
        max_estimator_depth = 0

        def __init__(self):
            self.count = 0

        def setup(self, estimator, context): ...

        def teardown(self, estimator, context): ...

        def on_fit_task_begin(self, estimator, context): ...

        def on_fit_task_end(self, estimator, context):
            self.count += context.task_name == "step"

    for model in (ValueIteration(), QLearning(1000, n_reports=10, random_state=0)):
        seen = Counter()
        model.set_callbacks(seen).fit(random_mdp(0))
        assert seen.count == model.n_iter_


def test_a_progress_bar_is_drawn_for_a_planner(capfd):
    ValueIteration().set_callbacks(ProgressBar()).fit(russell_norvig_world().mdp)
    assert "ValueIteration - fit" in capfd.readouterr().out
