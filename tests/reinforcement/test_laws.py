"""The theorems of planning, on random processes."""

from itertools import pairwise

import numpy as np
import pytest
from tests.cases import each

from learnable import watch
from learnable.certificates import Verdict
from learnable.reinforcement import (
    MDP,
    BackwardInduction,
    FiniteHorizonEvaluation,
    GaussSeidelValueIteration,
    IterativePolicyEvaluation,
    LinearProgrammingPlanner,
    ModifiedPolicyIteration,
    Policy,
    PolicyEnumeration,
    PolicyEvaluation,
    PolicyIteration,
    ValueIteration,
    certify_policy,
    compare_policies,
    greedy_policy,
    grid_world,
    improve_policy,
    q_values,
    uniform_policy,
)
from learnable.solvers.reinforcement.bellman import process_of
from learnable.solvers.reinforcement.policy_evaluation import induced, induced_by_pairs, weights_of
from learnable.solvers.reinforcement.value_iteration import Sweep

from .random_processes import as_sparse, brute_force_value, random_mdp

KINDS = [{}, {"ends": True}, {"restricted": True}, {"ends": True, "restricted": True, "discount": 0.97}]
PLANNERS = [
    ValueIteration(1e-9),
    ValueIteration(1e-9, stop="norm"),
    GaussSeidelValueIteration(1e-9),
    ModifiedPolicyIteration(1e-9),
    ModifiedPolicyIteration(1e-9, n_sweeps=0),
    PolicyIteration(1e-9),
    LinearProgrammingPlanner(1e-9),
]


@each("kind", KINDS, ids=str)
def test_every_planner_finds_the_values_of_enumeration(kind):
    for seed in range(3):
        mdp = random_mdp(seed, **kind)
        best = PolicyEnumeration().fit(mdp)
        assert best.certificate_.holds, best.certificate_
        for planner in PLANNERS:
            plan = planner.fit(mdp)
            assert plan.status_ == "optimal"
            assert plan.certificate_.holds, plan.certificate_
            np.testing.assert_allclose(plan.values_, best.values_, rtol=0, atol=2e-9)
            own = PolicyEvaluation(plan.policy_).fit(mdp).values_
            np.testing.assert_allclose(own, best.values_, rtol=0, atol=4e-9)


def test_the_best_policy_dominates_every_policy_at_every_state():
    for seed in range(10):
        mdp = random_mdp(seed, n_states=4, ends=seed % 2 == 0)
        best = PolicyEnumeration().fit(mdp)
        assert best.n_policies_ == 3**4
        np.testing.assert_allclose(best.highest_, best.values_, atol=1e-10)
        rng = np.random.default_rng(seed)
        for _ in range(20):
            stochastic = rng.dirichlet(np.ones(3), size=4)
            assert np.all(PolicyEvaluation(stochastic).fit(mdp).values_ <= best.values_ + 1e-10)


def test_sparse_and_dense_agree():
    for seed in range(8):
        mdp = random_mdp(seed, n_states=7, ends=seed % 2 == 0, restricted=True)
        other = as_sparse(mdp)
        for planner in PLANNERS:
            dense, sparse = planner.fit(mdp).values_, planner.fit(other).values_
            np.testing.assert_allclose(dense, sparse, rtol=0, atol=2e-9)


def test_value_iteration_contracts_and_keeps_its_promise():
    for seed in range(10):
        mdp = random_mdp(seed, discount=0.95, ends=seed % 2 == 0)
        exact = PolicyIteration(1e-12).fit(mdp).values_
        rng = np.random.default_rng(seed)
        start = rng.normal(size=mdp.n_states) * 10
        for stop in ("norm", "span"):
            for epsilon in (1.0, 1e-2, 1e-5):
                plan = ValueIteration(epsilon, stop=stop, start=start).fit(mdp)
                assert np.abs(plan.values_ - exact).max() <= epsilon
                assert plan.certificate_.verdict is not Verdict.REFUTED, plan.certificate_
                assert np.all(plan.changes_[1:] <= 0.95 * plan.changes_[:-1] + 1e-12)
        # Any two V: ‖ΦV − ΦW‖ ≤ γ ‖V − W‖.
        V, W = rng.normal(size=(2, mdp.n_states))
        apart = np.nanmax(q_values(mdp, V), axis=1) - np.nanmax(q_values(mdp, W), axis=1)
        assert np.abs(apart).max() <= 0.95 * np.abs(V - W).max() + 1e-12


@each("kind", KINDS, ids=str)
@each("make", [lambda mdp: mdp, as_sparse], ids=["dense", "sparse"])
def test_a_sweep_that_skips_pairs_is_the_sweep_of_all(make, kind):
    """However V moves between sweeps: a pair is left out only where it cannot be the best."""
    rng = np.random.default_rng(3)
    for seed in range(4):
        mdp = make(random_mdp(seed, n_states=20, n_actions=4, **kind))
        sweep, values = Sweep(process_of(mdp)), np.zeros(20)
        for shift in (0.0, 9.0, 0.0, -9.0, 0.0, 30.0, -30.0, 0.0):
            values = values + rng.normal(size=20) + shift
            _, swept = sweep(values, centred=False)
            best = np.nanmax(q_values(mdp, values), axis=1)
            np.testing.assert_allclose(swept, best, rtol=1e-13, atol=1e-12)
            assert sweep.size == np.abs(swept).max()
            taken = mdp.rewards + mdp.discount * (mdp.transitions @ values)
            np.testing.assert_allclose(taken[sweep.pairs], best, rtol=1e-13, atol=1e-12)


def test_the_chain_of_pairs_is_that_of_their_weights():
    rows = [("a", "go", "b", 1.0, 1.0), ("a", "stay", "a", 1.0, 0.5), ("b", "go", "end", 0.5, 2.0)]
    mdp = MDP.from_table([*rows, ("b", "go", "a", 0.5, 2.0)], discount=0.9)
    for each_mdp, pairs in ((mdp, [1, 2, -1]), (random_mdp(0), [0, 4, 8, 9, 12])):
        process = process_of(each_mdp)
        reward, P = induced_by_pairs(process, np.array(pairs))
        expected, chain = induced(process, 1.0 * weights_of(process, np.array(pairs)))
        np.testing.assert_array_equal(reward, expected)
        dense = [part.toarray() if hasattr(part, "toarray") else part for part in (P, chain)]
        np.testing.assert_array_equal(*dense)
        assert len(reward) == each_mdp.n_states


def test_the_first_policy_takes_the_first_of_the_largest_rewards():
    P = np.tile(np.eye(2)[:, None], (1, 4, 1))
    rewards = [[0.0, 2.0, 1.0, 2.0], [1.0, -1.0, 1.0, 1.0]]
    states = watch(PolicyIteration(), MDP(P, rewards, discount=0.5))
    assert next(iter(states)).state.pairs.tolist() == [1, 4]


def test_what_is_returned_is_the_swept_value_and_not_the_one_before():
    # One state, r = 1, γ = 0.5: V_k = 2 − 2^{1−k}. The norm rule with ε stops at the first ‖ΦV − V‖ < (1−γ)ε/γ.
    from learnable.reinforcement import MDP

    plan = ValueIteration(0.2, stop="norm").fit(MDP([[[1.0]]], [[1.0]], discount=0.5))
    assert plan.changes_.tolist() == [1.0, 0.5, 0.25, 0.125]
    assert plan.values_[0] == 1.875


def test_the_span_rule_is_exact_at_once_for_one_state():
    from learnable.reinforcement import MDP

    plan = ValueIteration(1e-9).fit(MDP([[[1.0]]], [[1.0]], discount=0.99))
    assert plan.n_iter_ == 1
    assert plan.values_[0] == pytest.approx(100.0)


def test_each_state_of_value_iteration_encloses_the_optimum():
    for seed in range(5):
        mdp = random_mdp(seed, ends=seed % 2 == 0)
        exact = PolicyIteration(1e-12).fit(mdp).values_
        for step in watch(ValueIteration(1e-8), mdp):
            assert np.abs(step.state.values - exact).max() <= step.state.error + 1e-10


def test_policy_improvement_never_hurts():
    for seed in range(12):
        mdp = random_mdp(seed, ends=seed % 3 == 0, restricted=seed % 2 == 0)
        policy = uniform_policy(mdp)
        before = PolicyEvaluation(policy).fit(mdp).values_
        for _ in range(20):
            better = improve_policy(mdp, policy)
            assert better.certificate.holds, better.certificate
            after = PolicyEvaluation(better.policy).fit(mdp).values_
            assert np.all(after >= before - 1e-10)
            if not better.changed.any():
                break
            assert after.sum() > before.sum()
            policy, before = better.policy, after
        assert certify_policy(mdp, policy, epsilon=1e-9).holds
        # Where it stops, policy iteration stops: V(s) is the best of r(s, a) + γ Σ P(s′|s, a) V(s′).
        found = PolicyIteration(1e-10).fit(mdp).values_
        np.testing.assert_allclose(found, before, atol=1e-8)
        np.testing.assert_allclose(np.nanmax(q_values(mdp, found), axis=1), found, atol=1e-8)


def test_the_improvement_theorem_for_two_policies_notices_when_its_premise_fails():
    mdp = random_mdp(3)
    bad = uniform_policy(mdp)
    good = improve_policy(mdp, bad).policy
    assert compare_policies(mdp, bad, good).holds
    assert not compare_policies(mdp, good, bad).holds


def test_policy_iteration_rises_and_ends_when_greedy():
    for seed in range(10):
        mdp = random_mdp(seed, n_states=12, n_actions=4)
        states = [step.state for step in watch(PolicyIteration(), mdp)]
        for earlier, later in pairwise(states):
            assert np.all(later.values >= earlier.values - 1e-9)
        assert states[-1].improvable == 0
        last = states[-1].values
        assert np.allclose(np.nanmax(q_values(mdp, last), axis=1), last, atol=1e-8)


def test_policy_values_by_three_routes():
    for seed in range(10):
        mdp = random_mdp(seed, ends=seed % 2 == 0, restricted=True)
        policy = uniform_policy(mdp)
        series = brute_force_value(mdp, policy.weights[0])
        exact = PolicyEvaluation(policy).fit(mdp)
        swept = IterativePolicyEvaluation(policy, epsilon=1e-8).fit(mdp)
        assert exact.certificate_.holds
        assert swept.certificate_.holds
        np.testing.assert_allclose(exact.values_, series, atol=1e-11)
        np.testing.assert_allclose(swept.values_, series, atol=1e-8)
        # E_π Q_π = V_π.
        np.testing.assert_allclose(np.nansum(policy.probabilities * exact.q_values_, axis=1), exact.values_, atol=1e-11)
        np.testing.assert_allclose(np.nansum(policy.probabilities * q_values(mdp, series), axis=1), series, atol=1e-11)
        np.testing.assert_allclose(q_values(mdp, series), exact.q_values_, atol=1e-11)


def test_large_sparse_chains_are_solved_like_small_dense_ones():
    rng = np.random.default_rng(0)
    n = 700  # beyond the size that is solved densely
    rows, columns = np.repeat(np.arange(n), 3), rng.integers(n, size=3 * n)
    from scipy import sparse

    from learnable.reinforcement import MDP

    P = sparse.csr_matrix((np.full(3 * n, 1 / 3), (rows, columns)), shape=(n, n))
    mdp = MDP.from_pairs(np.arange(n), np.zeros(n, dtype=int), P, rng.normal(size=n), 0.99)
    values = PolicyEvaluation(np.zeros(n, dtype=int)).fit(mdp).values_
    np.testing.assert_allclose(values, np.linalg.solve(np.eye(n) - 0.99 * P.toarray(), mdp.rewards), atol=1e-9)


def test_a_finite_horizon_approaches_the_infinite_one():
    for seed in range(5):
        mdp = random_mdp(seed)
        plan = BackwardInduction(horizon=300).fit(mdp)
        assert plan.certificate_.holds
        assert plan.values_.shape == (301, mdp.n_states)
        np.testing.assert_allclose(plan.values_[0], PolicyIteration().fit(mdp).values_, atol=1e-8)
        value = FiniteHorizonEvaluation(plan.policy_, horizon=300).fit(mdp)
        assert value.certificate_.holds
        np.testing.assert_allclose(value.values_, plan.values_, atol=1e-10)


def test_backward_induction_beats_every_non_stationary_policy():
    from itertools import product

    mdp = random_mdp(1, n_states=2, n_actions=2, discount=1.0)
    best = BackwardInduction(horizon=3).fit(mdp).values_[0]
    rules = list(product(product(range(2), repeat=2), repeat=3))
    values = np.array([FiniteHorizonEvaluation(np.array(rule), horizon=3).fit(mdp).values_[0] for rule in rules])
    assert len(rules) == 64
    np.testing.assert_allclose(values.max(axis=0), best, atol=1e-12)


def test_the_spectral_radius_and_not_the_two_norm_makes_the_equations_solvable():
    # ‖P‖₂ = 2 for this chain: a bound by the 2-norm would not even see that γ = 0.9 is enough.
    P = np.zeros((4, 1, 4))
    P[:, 0, 0] = 1.0
    assert np.linalg.norm(P[:, 0], 2) == pytest.approx(2.0)
    from learnable.reinforcement import MDP

    value = PolicyEvaluation([0, 0, 0, 0]).fit(MDP(P, [1.0, 0.0, 0.0, 0.0], discount=0.9))
    np.testing.assert_allclose(value.values_, [10.0, 9.0, 9.0, 9.0])


def test_the_bound_for_a_foreign_policy_covers_its_true_loss():
    for seed in range(20):
        mdp = random_mdp(seed, ends=seed % 2 == 0)
        best = PolicyIteration().fit(mdp).values_
        rule = np.random.default_rng(seed).integers(3, size=mdp.n_states)
        loss = (best - PolicyEvaluation(rule).fit(mdp).values_).max()
        claim = certify_policy(mdp, rule).claim("RL6")
        assert loss <= claim.value + 1e-9
        assert claim.holds == (claim.value <= claim.bound)


def test_greedy_for_the_optimum_is_optimal_and_ties_go_to_the_first():
    mdp = random_mdp(5)
    best = PolicyIteration().fit(mdp)
    assert certify_policy(mdp, greedy_policy(mdp, best.values_)).holds
    tied = Policy(mdp, greedy_policy(mdp, np.zeros((mdp.n_states, mdp.n_actions))))
    assert np.all(tied.actions == 0)


@each("seed", range(3))
def test_final_values_are_earned_after_the_last_step(seed):
    """With final values V* every V_t of the best plan is V*, and that of a policy's own value is that value."""
    mdp = random_mdp(seed)
    best = PolicyIteration().fit(mdp)
    plan = BackwardInduction(4, final_values=best.values_).fit(mdp)
    np.testing.assert_allclose(plan.values_, np.tile(best.values_, (5, 1)), atol=1e-7)
    held = FiniteHorizonEvaluation(best.policy_, horizon=4, final_values=best.values_).fit(mdp)
    np.testing.assert_allclose(held.values_, plan.values_, atol=1e-7)
    assert plan.certificate_.holds
    assert held.certificate_.holds
    for other in (plan, held):
        other.set_params(final_values=best.values_ + 0.01)
        assert not other.certify(mdp).holds


def test_a_slow_grid_of_many_states_has_one_answer_however_it_is_planned():
    # More states than are solved densely, rows so short that sweeps read them all, and news that travels cell by cell.
    world = grid_world(26, 26, goals={(25, 25): 1.0, (3, 20): -1.0}, living_reward=-0.01, noise=0.2, discount=0.99)
    plans = [planner.fit(world.mdp) for planner in (PolicyIteration(), ModifiedPolicyIteration(), ValueIteration())]
    for plan in plans:
        assert plan.certificate_.holds, plan.certificate_
        np.testing.assert_allclose(plan.values_, plans[0].values_, rtol=0, atol=2e-6)
    mdp, policy = world.mdp, plans[0].policy_
    taken, acting = mdp.pair_actions == policy[mdp.pair_states], np.diff(mdp.first) > 0
    P, r = np.zeros((mdp.n_states, mdp.n_states)), np.zeros(mdp.n_states)
    P[acting], r[acting] = mdp.transitions[np.flatnonzero(taken)].toarray(), mdp.rewards[taken]
    own = np.linalg.solve(np.eye(len(r)) - mdp.discount * P, r)
    np.testing.assert_allclose(PolicyEvaluation(policy).fit(mdp).values_, own, rtol=0, atol=1e-8)
