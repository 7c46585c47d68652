"""Every wrong process, policy or parameter gets an error that names it."""

import re

import gymnasium
import numpy as np
import pytest
from scipy import sparse
from tests.cases import each

from learnable import watch
from learnable._jit.reinforcement.bellman import backward_sweep, bellman_sweep, gauss_seidel_sweep, policy_sweeps
from learnable._jit.reinforcement.q_learning import learn
from learnable.reinforcement import (
    MDP,
    BackwardInduction,
    Exploration,
    FiniteHorizonEvaluation,
    GaussSeidelValueIteration,
    IterativePolicyEvaluation,
    ModifiedPolicyIteration,
    Policy,
    PolicyEnumeration,
    PolicyEvaluation,
    PolicyIteration,
    QLearning,
    StepSizes,
    ValueIteration,
    boltzmann,
    certify_policy,
    constant_steps,
    epsilon_greedy,
    expected_return,
    greedy_policy,
    grid_world,
    russell_norvig_world,
    simulate,
    simulated_return,
    upper_confidence,
    visit_count_steps,
)

from .random_processes import random_mdp

P = np.array([[[0.5, 0.5], [1.0, 0.0]], [[0.0, 1.0], [0.3, 0.7]]])
R = np.array([[1.0, 2.0], [0.0, -1.0]])


def changed(s, a, row):
    other = P.copy()
    other[s, a] = row
    return other


@each("form", [np.asarray, lambda x: sparse.csr_matrix(x.reshape(4, 2))])
def test_rows_that_do_not_sum_to_one_are_named_with_their_error(form):
    with pytest.raises(ValueError, match=r"state 1, action 0 sum to 0\.9, which is 0\.1 too little"):
        MDP(form(changed(1, 0, [0.4, 0.5])), R, 0.9)
    with pytest.raises(ValueError, match=r"'b', action 'go' sum to 1\.2, which is 0\.2 too much"):
        MDP(form(changed(1, 1, [0.5, 0.7])), R, 0.9, states=["a", "b"], actions=["stay", "go"])
    with pytest.raises(ValueError, match=r"2 rows are off; this is the worst"):
        MDP(form(np.where(P == 0.5, 0.4, np.where(P == 0.7, 0.1, P))), R, 0.9)


@each("form", [np.asarray, lambda x: sparse.csr_matrix(x.reshape(4, 2))])
def test_negative_and_undefined_probabilities(form):
    with pytest.raises(ValueError, match=r"state 0, action 1 gives state 1 the probability -0\.1; .* >= 0"):
        MDP(form(changed(0, 1, [1.1, -0.1])), R, 0.9)
    with pytest.raises(ValueError, match=r"state 0, action 0 gives state 0 the probability nan"):
        MDP(form(changed(0, 0, [np.nan, 1.0])), R, 0.9)


def test_rounded_rows_are_scaled_to_one():
    third = np.array([[[0.333333333, 0.333333333, 0.333333333]]] * 3)
    np.testing.assert_allclose(MDP(third, [0.0] * 3, 0.9).transitions.sum(axis=1), 1.0, atol=1e-15)


def test_rewards_and_discounts():
    with pytest.raises(ValueError, match=r"reward of state 0, action 1 is inf; leave the action out with available="):
        MDP(P, [[0.0, np.inf], [0.0, 0.0]], 0.9)
    with pytest.raises(ValueError, match=r"reward of state 1, action 0 is nan"):
        MDP(P, [[0.0, 0.0], [np.nan, 0.0]], 0.9)
    with pytest.raises(ValueError, match=r"rewards of shape \(3,\) fit neither"):
        MDP(P, [1.0, 2.0, 3.0], 0.9)
    for discount in (-0.1, 1.5, np.nan):
        with pytest.raises(ValueError, match=r"discount must lie in \[0, 1\]"):
            MDP(P, R, discount)
    with pytest.raises(TypeError, match=r"MDP\(discount='0.9'\)"):
        MDP(P, R, "0.9")
    with pytest.raises(TypeError, match=r"MDP\(transitions=\.\.\.\): numbers are needed"):
        MDP([[["x"]]], R, 0.9)
    with pytest.raises(ValueError, match=r"shape \(S, A, S\)"):
        MDP(P[:, :, :1], R, 0.9)


def test_nested_lists_are_read_state_first_and_say_so_where_they_could_be_matrices_of_actions():
    with pytest.warns(UserWarning, match=r"transitions\[state\]\[action\]\[next state\].*a list of arrays") as warned:
        nested = MDP(P.tolist(), R, 0.9)
    assert warned[0].filename == __file__
    np.testing.assert_array_equal(nested.transitions, MDP(P, R, 0.9).transitions)
    matrices = MDP(list(P.transpose(1, 0, 2)), R, 0.9)
    np.testing.assert_array_equal(matrices.transitions, nested.transitions)
    with pytest.warns(UserWarning, match=r"rewards\[state\]\[action\]\[next state\]"):
        MDP(P, np.arange(8.0).reshape(2, 2, 2).tolist(), 0.9)


def test_nested_lists_that_can_be_read_in_one_way_only_are_read_so_without_a_word():
    wide = np.random.default_rng(0).dirichlet(np.ones(3), size=(3, 2))  # 3 states, 2 actions
    gains = np.random.default_rng(1).normal(size=(3, 2, 3))
    expected = MDP(wide, gains, 0.9)
    for form in (
        lambda table: table.tolist(),
        lambda table: table.transpose(1, 0, 2).tolist(),
        lambda table: list(table.transpose(1, 0, 2)),
        lambda table: [list(row) for row in table],
    ):
        read = MDP(form(wide), form(gains), 0.9)
        np.testing.assert_array_equal(read.transitions.toarray(), expected.transitions.toarray())
        np.testing.assert_array_equal(read.rewards, expected.rewards)
    same = np.array([[[0.5, 0.5], [0.2, 0.8]], [[0.2, 0.8], [1.0, 0.0]]])  # P[s][a] = P[a][s]
    np.testing.assert_array_equal(MDP(same.tolist(), R, 0.9).transitions, MDP(same, R, 0.9).transitions)


def test_terminal_states():
    with pytest.raises(TypeError, match=r"MDP\(terminal='b'\): a list of states is needed; .* terminal=\['b'\]"):
        MDP(P, R, 0.9, terminal="b", states=["a", "b"])
    with pytest.raises(TypeError, match=r"MDP\(terminal=1\): a list of states is needed; .* terminal=\[1\]"):
        MDP(P, R, 0.9, terminal=1)
    with pytest.raises(TypeError, match=r"False is no name of a state; for a mask give np\.flatnonzero\(mask\)"):
        MDP(P, R, 0.9, terminal=np.array([False, True]))
    with pytest.raises(ValueError, match=r"no state is called 'z'; the names are 'a', 'b'$"):
        MDP(P, R, 0.9, terminal=np.array(["z"]), states=np.array(["a", "b"]))
    named = MDP(P, R, 0.9, terminal=np.array(["b"]), states=np.array(["a", "b"]))
    assert named.terminal.tolist() == [False, True]


def test_names_starts_and_availability():
    with pytest.raises(ValueError, match="3 names for 2 states"):
        MDP(P, R, 0.9, states=["a", "b", "c"])
    with pytest.raises(ValueError, match="the name 'a' is given twice"):
        MDP(P, R, 0.9, states=["a", "a"])
    with pytest.raises(ValueError, match="no state is called 5"):
        MDP(P, R, 0.9, start=5)
    with pytest.raises(ValueError, match=r"sum to 0\.7"):
        MDP(P, R, 0.9, start=[0.5, 0.2])
    with pytest.raises(ValueError, match="no state is called 'z'"):
        MDP(P, R, 0.9, terminal=["z"])
    with pytest.raises(ValueError, match="no action is available in any state"):
        MDP(P, R, 0.9, available=np.zeros((2, 2), dtype=bool))
    with pytest.raises(ValueError, match="state 1 with action 0 is given twice"):
        MDP.from_pairs([1, 0, 1], [0, 0, 0], np.eye(2)[[0, 0, 1]], [0.0] * 3, 0.9)
    with pytest.raises(ValueError, match=r"states must lie in 0, …, 1; found 0 to 2"):
        MDP.from_pairs([2, 0], [0, 0], np.eye(2), [0.0] * 2, 0.9)


def test_rows_of_unavailable_actions_and_terminal_states_are_not_read():
    broken = changed(0, 1, [np.nan, 7.0])
    mdp = MDP(broken, R, 0.9, available=np.array([[True, False], [True, True]]))
    assert mdp.n_pairs == 3
    over = MDP(changed(1, 0, [9.0, 9.0]), R, 0.9, terminal=[1])
    assert over.terminal.tolist() == [False, True]
    assert PolicyIteration().fit(over).values_[1] == 0.0
    assert PolicyIteration().fit(over).policy_[1] == -1


def test_unreachable_states_are_reported():
    chain = MDP([[[0.0, 1.0, 0.0]], [[1.0, 0.0, 0.0]], [[0.0, 0.0, 1.0]]], [0.0, 1.0, 5.0], 0.9, start=0)
    assert chain.unreachable.tolist() == [False, False, True]
    assert "1 unreachable" in repr(chain)


def test_no_proper_policy_is_refused_with_the_state():
    # State 'trap' leads only to itself, for a reward: nothing ends there.
    table = [("a", "go", "trap", 0.5, -1.0), ("a", "go", None, 0.5, -1.0), ("trap", "wait", "trap", 1.0, -1.0)]
    mdp = MDP.from_table(table, discount=1.0)
    for planner in (ValueIteration(), PolicyIteration(), ModifiedPolicyIteration()):
        with pytest.raises(ValueError, match=r"discount=1: no policy is proper: from state 'trap' the end cannot"):
            planner.fit(mdp)
    with pytest.raises(ValueError, match=r"the policy is not proper: from state 'trap'"):
        PolicyEvaluation([0, 1]).fit(mdp)
    assert PolicyIteration().fit(mdp.with_discount(0.9)).certificate_.holds


def test_free_endless_walks_are_refused_with_a_state():
    # Going round costs nothing, so the equations of γ = 1 have many solutions.
    table = [("a", "round", "b", 1.0, 0.0), ("b", "back", "a", 1.0, 0.0), ("a", "out", None, 1.0, -1.0)]
    with pytest.raises(ValueError, match=r"an endless policy stays around state '[ab]' at a mean reward of at least 0"):
        ValueIteration().fit(MDP.from_table(table, discount=1.0))
    paid = [(s, a, t, p, r - 0.1) for s, a, t, p, r in table]
    plan = PolicyIteration().fit(MDP.from_table(paid, discount=1.0))
    assert plan.values_.tolist() == pytest.approx([-1.1, -1.2])
    # A positive reward on the way is fine as long as the round trip loses.
    uneven = [("a", "round", "b", 1.0, 5.0), ("b", "back", "a", 1.0, -6.0), ("a", "out", None, 1.0, 0.0)]
    plan = ValueIteration().fit(MDP.from_table([*uneven, ("b", "out", None, 1.0, 0.0)], discount=1.0))
    assert plan.values_.tolist() == pytest.approx([5.0, 0.0])
    assert plan.certificate_.holds


def test_an_improper_policy_is_named():
    world = grid_world(1, 3, goals={(0, 2): 0.0}, living_reward=-1.0, discount=1.0)
    left = np.array([3, 3, -1])
    for what in (PolicyEvaluation(left), IterativePolicyEvaluation(left), PolicyIteration(policy=left)):
        with pytest.raises(ValueError, match=r"from state \(0, 0\)"):
            what.fit(world.mdp)
    with pytest.raises(ValueError, match="not proper"):
        certify_policy(world.mdp, left)
    with pytest.raises(ValueError, match=r"discount=1, and after 1000000 steps an episode goes on"):
        simulated_return(world.mdp, left, n_episodes=2, random_state=0)


def test_policies():
    mdp = random_mdp(0, n_states=2, n_actions=2)
    with pytest.raises(ValueError, match="action 5 is not available in state 1"):
        Policy(mdp, [0, 5])
    with pytest.raises(ValueError, match=r"probabilities of state 0 sum to 0\.9"):
        Policy(mdp, [[0.4, 0.5], [0.5, 0.5]])
    with pytest.raises(ValueError, match=r"state 1 takes action 0 with probability -0\.5"):
        Policy(mdp, [[0.5, 0.5], [-0.5, 1.5]])
    with pytest.raises(ValueError, match=r"ints of shape \(S,\) or \(T, S\)"):
        Policy(mdp, [0, 1, 0])
    with pytest.raises(ValueError, match="no action is called 'jump'"):
        Policy(mdp, {0: "jump"})
    with pytest.raises(ValueError, match="the policy is stochastic"):
        _ = Policy(mdp, [[0.5, 0.5], [0.5, 0.5]]).actions
    with pytest.raises(ValueError, match="changes with time"):
        PolicyEvaluation([[0, 1], [1, 0]]).fit(mdp)


def test_tables_and_observations():
    with pytest.raises(ValueError, match="row 2 has 3 entries"):
        MDP.from_table([("a", "b", None, 1.0, 0.0), ("a", "b", 1.0)], 0.9)
    with pytest.raises(ValueError, match="no rows"):
        MDP.from_table([], 0.9)
    with pytest.raises(ValueError, match=r"state 'a', action 'x' sum to 0\.5"):
        MDP.from_table([("a", "x", None, 0.5, 1.0)], 0.9)
    with pytest.raises(ValueError, match="no step was observed"):
        MDP.from_transitions([], 0.9)
    with pytest.raises(ValueError, match="reward of step 1 is nan"):
        MDP.from_transitions([(0, 0, np.nan, 1)], 0.9)
    with pytest.raises(ValueError, match="prior must be >= 0"):
        MDP.from_transitions([(0, 0, 1.0, 1)], 0.9, prior=-1)
    with pytest.raises(TypeError, match="shows no model"):
        MDP.from_gymnasium(gymnasium.make("CartPole-v1"), 0.9)


@each(
    ("observed", "error", "message"),
    [
        (5, TypeError, r"observed=5\): a list of steps is needed"),
        ("abcd", TypeError, "observed='abcd'"),
        ([], ValueError, r"no step was observed; give at least one, \(state, action"),
        ([(0, 0, 1.0, 1), 7], TypeError, r"step 2 is 7; each step is \(state, action, reward, next state\)"),
        ([(0, 0, 1.0)], ValueError, r"step 1 has 3 entries; each step is \(state"),
        ([(0, 0, "one", 1)], TypeError, "the reward of step 1 is 'one'; it must be a number"),
        ([(0, 0, np.str_("one"), 1)], TypeError, "the reward of step 1 is 'one'; it must be a number"),
        ([(0, 0, 1.0, 1), (1, 0, np.inf, 1)], ValueError, "the reward of step 2 is inf; it must be finite"),
        ([([0, 1], 0, 1.0, 1)], TypeError, r"the state of step 1 is \[0, 1\]; name it by a number, str or tuple"),
        ([(0, 0, 1.0, [1])], TypeError, r"the next state of step 1 is \[1\]"),
        ([(0, 0, 1.0, 1, "no")], TypeError, "step 1 says ended='no'; it must be True or False"),
        ([(0, 0, 1.0, None)], ValueError, "step 1 leads to None; where the episode ended say so, ended=True"),
    ],
)
def test_observed_steps_that_are_none(observed, error, message):
    with pytest.raises(error, match=message):
        MDP.from_transitions(observed, 0.9)


def test_observed_steps_may_be_rows_of_arrays():
    steps = [(0, 1, 1.0, 1, False), (1, 0, 0.5, 0, True), (0, 1, 0.0, 0, False)]
    listed = MDP.from_transitions(steps, 0.9)
    as_array = MDP.from_transitions(np.array(steps, dtype=float), 0.9)
    np.testing.assert_array_equal(as_array.transitions.toarray(), listed.transitions.toarray())
    ended = MDP.from_transitions([("a", "go", 1.0, None, np.True_)], 0.9)
    assert ended.ending.tolist() == [1.0]


@each(("prior", "error"), [("1", TypeError), (True, TypeError), (np.nan, ValueError), (np.inf, ValueError)])
def test_priors_that_are_none(prior, error):
    with pytest.raises(error, match=r"MDP.from_transitions\(prior="):
        MDP.from_transitions([(0, 0, 1.0, 1)], 0.9, prior=prior)


@each("names", [(0, 1), ("a", "b")])
def test_a_frame_without_a_next_state_ends_the_episode(names):
    import pandas

    first, second = names
    rows = [(first, 0, second, 0.5, 1.0), (first, 0, None, 0.5, 1.0), (second, 0, None, 1.0, 2.0)]
    columns = ["state", "action", "next_state", "probability", "reward"]
    mdp = MDP.from_table(pandas.DataFrame(rows, columns=columns), 0.9)
    assert list(mdp.states) == list(names)
    assert mdp.ending.tolist() == [0.5, 1.0]


def test_a_state_never_visited_has_no_actions():
    mdp = MDP.from_transitions([(0, 0, 1.0, 1), (0, 1, 0.0, 2), (1, 0, 1.0, 0)], 0.9)
    assert mdp.counts.tolist() == [1, 1, 1]
    assert mdp.terminal.tolist() == [False, False, True]
    assert mdp.available.tolist() == [[True, True], [True, False], [False, False]]
    assert PolicyIteration().fit(mdp).policy_.tolist() == [0, 0, -1]


def test_planners_and_learners_refuse_what_they_cannot_use():
    with pytest.raises(TypeError, match=r"ValueIteration.fit: an MDP is needed, not ndarray"):
        ValueIteration().fit(P)
    with pytest.raises(TypeError, match=r"QLearning.fit\(CartPoleEnv\)|QLearning.fit\(.*\): an MDP is needed"):
        QLearning().fit(gymnasium.make("CartPole-v1"))
    with pytest.raises(ValueError, match="'epsilon' parameter of ValueIteration"):
        ValueIteration(epsilon=-1.0).fit(random_mdp(0))
    with pytest.raises(ValueError, match="'n_steps' parameter of QLearning"):
        QLearning(0).fit(random_mdp(0))
    with pytest.raises(ValueError, match=r"there are 8\.47e\+11 deterministic policies"):
        PolicyEnumeration().fit(random_mdp(0, n_states=25))
    with pytest.raises(ValueError, match="discount=1"):
        PolicyEnumeration().fit(random_mdp(0, discount=1.0))
    with pytest.raises(ValueError, match=r"start=\.\.\.\): 5 finite values"):
        ValueIteration(start=[1.0]).fit(random_mdp(0))
    with pytest.raises(ValueError, match="which has no action"):
        QLearning(10).fit(MDP(P, R, 0.9, terminal=[1], start=1))
    with pytest.raises(ValueError, match="does not show Q"):
        QLearning(10, regret=True).fit(gymnasium.make("FrozenLake-v1"))
    for call in (
        lambda: visit_count_steps(0.0),
        lambda: constant_steps(2.0),
        lambda: epsilon_greedy(1.5),
        lambda: boltzmann(0.0),
        lambda: upper_confidence(-1.0),
    ):
        with pytest.raises(ValueError, match=r"needed|must lie"):
            call()
    with pytest.raises(ValueError, match=r"simulate\(horizon=0\)"):
        simulate(random_mdp(0), [0] * 5, horizon=0)


def test_a_fit_that_fails_leaves_the_plan_as_it_was():
    plan = ValueIteration().fit(random_mdp(0))
    before = plan.values_.copy()
    with pytest.raises(TypeError):
        plan.fit(None)
    assert np.array_equal(plan.values_, before)


def test_what_was_given_is_not_touched():
    transitions, rewards = sparse.csr_matrix(P.reshape(4, 2)), R.copy()
    data, indices = transitions.data.copy(), transitions.indices.copy()
    mdp = MDP(transitions, rewards, 0.9)
    for planner in (ValueIteration(), PolicyIteration(), ModifiedPolicyIteration(), QLearning(100, random_state=0)):
        planner.fit(mdp)
    assert np.array_equal(transitions.data, data)
    assert np.array_equal(transitions.indices, indices)
    assert np.array_equal(rewards, R)


def test_a_model_that_cannot_be_written_is_fitted_by_the_kernels_of_one_that_can():
    """To the compiler its arrays are of other types: passed on as they are, all would be compiled again."""
    mdp = MDP(P, R, 0.9)
    called = (learn, policy_sweeps, bellman_sweep, gauss_seidel_sweep, backward_sweep)
    types = []
    for _ in range(2):
        for planner in (QLearning(9, random_state=0), ModifiedPolicyIteration(), ValueIteration(),
                        GaussSeidelValueIteration(), BackwardInduction(2)):  # fmt: skip
            planner.fit(mdp)
        types.append([len(kernel.signatures) for kernel in called])
        mdp.rewards.setflags(write=False)
    assert types[0] == types[1]


def test_explicit_zeros_duplicates_and_wide_indices_give_the_dense_answer():
    rows, columns = np.array([0, 0, 0, 1, 2, 3, 3, 3]), np.array([0, 1, 0, 0, 1, 0, 1, 0])
    data = np.array([0.25, 0.5, 0.25, 1.0, 1.0, 0.3, 0.7, 0.0])
    untidy = sparse.coo_matrix((data, (rows, columns)), shape=(4, 2)).tocsr()
    untidy = sparse.csr_matrix((untidy.data, untidy.indices.astype(np.int64), untidy.indptr.astype(np.int64)))
    raw = sparse.csr_matrix((data, columns, np.array([0, 3, 4, 5, 8])), shape=(4, 2))
    want = PolicyIteration().fit(MDP(P, R, 0.9)).values_
    for form in (untidy, raw):
        mdp = MDP(form, R, 0.9)
        np.testing.assert_allclose(PolicyIteration().fit(mdp).values_, want, atol=1e-12)
        np.testing.assert_allclose(ValueIteration(1e-9).fit(mdp).values_, want, atol=1e-9)
        assert simulate(mdp, [0, 1], n_episodes=50, horizon=20, random_state=0).states.min() >= 0


def test_huge_rewards_give_finite_answers_and_infinite_ones_an_error():
    big = MDP(P, R * 1e150, 0.9)
    plan = PolicyIteration(1e140).fit(big)
    assert np.all(np.isfinite(plan.values_))
    assert plan.certificate_.holds
    with pytest.raises(ArithmeticError, match="rescale the rewards"), np.errstate(all="ignore"):
        ValueIteration().fit(MDP(P, R * 5e307, 0.9999))


def test_expected_return_needs_a_sensible_horizon():
    with pytest.raises(ValueError, match="'horizon' parameter"):
        expected_return(random_mdp(0), [0] * 5, horizon=0)


def test_watching_leaves_the_planner_untouched():
    planner = ValueIteration()
    assert list(watch(planner, random_mdp(0)))[-1].status == "optimal"
    assert not hasattr(planner, "values_")


@each("steps", [StepSizes(scale=-1.0), StepSizes(power=float("nan")), StepSizes(offset=0.0)])
def test_step_sizes_that_are_none(steps):
    with pytest.raises(ValueError, match="scale and offset must be positive"):
        QLearning(10, steps=steps).fit(russell_norvig_world().mdp)


@each("exploration", [Exploration(epsilon=-3.0), Exploration(temperature=-1.0)])
def test_exploration_that_is_none(exploration):
    with pytest.raises(ValueError, match=r"epsilon must lie in \[0, 1\]"):
        QLearning(10, exploration=exploration).fit(russell_norvig_world().mdp)


def test_a_policy_followed_beyond_its_last_time():
    mdp = russell_norvig_world().mdp
    plan = BackwardInduction(3).fit(mdp)
    assert simulate(mdp, plan.policy_, horizon=3, random_state=0).states.shape[1] == 3
    with pytest.raises(ValueError, match="given for 3 times, but 4 steps"):
        simulate(mdp, plan.policy_, horizon=4, random_state=0)
    with pytest.raises(ValueError, match="horizon must be an integer >= 1"):
        simulated_return(mdp, plan.policy_, horizon=0)


@each(
    ("wrong", "message"),
    [
        ({"goals": {(0, 0): 1.0}, "walls": [(0, 0)]}, "is a wall and a goal"),
        ({"jumps": {(0, 0): ((1, 1), 1.0)}, "walls": [(0, 0)]}, "is a wall and the start of a jump"),
        ({"jumps": {(0, 1): ((0, 0), 1.0)}, "walls": [(0, 0)]}, "is a wall and the end of a jump"),
        ({"jumps": {(0, 1): ((0, 0), 1.0)}, "goals": {(0, 1): 1.0}}, "is a goal, which ends the episode"),
        ({"goals": {(0, 1): float("nan")}}, r"cell \(0, 1\) is nan"),
    ],
)
def test_cells_of_two_minds_are_refused(wrong, message):
    """A goal in a wall would fall on the last cell of the grid: the number of a wall is −1."""
    with pytest.raises(ValueError, match=message):
        grid_world(2, 2, **wrong)


def test_walls_may_come_from_a_generator():
    assert grid_world(2, 2, walls=(cell for cell in [(0, 0)])).mdp.n_states == 3


def test_greedy_for_nothing_is_refused():
    mdp = MDP(P, R, 0.9)
    with pytest.raises(ValueError, match="state 1 is nan"):
        greedy_policy(mdp, [[1.0, 2.0], [np.nan, 0.0]])


@each("planner", [BackwardInduction(2), FiniteHorizonEvaluation([0, 0], horizon=2)])
def test_a_state_in_which_the_episode_is_over_is_worth_nothing(planner):
    """Reached at the last step it would earn its final value, reached before it would not."""
    mdp = MDP.from_table([("on", "go", "over", 1.0, 5.0)], discount=0.5)
    with pytest.raises(ValueError, match="state 'over' has no actions"):
        planner.set_params(final_values=[0.0, 8.0]).fit(mdp)
    assert planner.set_params(final_values=[4.0, 0.0]).fit(mdp).values_[:, 0].tolist() == [5.0, 5.0, 4.0]
    assert planner.certificate_.holds


def test_numbers_of_episodes_steps_and_cells_are_whole():
    mdp = MDP(P, R, 0.9)
    with pytest.raises(ValueError, match=r"n_episodes=2\.5\): n_episodes must be an integer"):
        simulate(mdp, [0, 0], n_episodes=2.5)
    for wrong in ({"n_episodes": 2.5}, {"horizon": 1.5}):
        with pytest.raises(ValueError, match=r"simulated_return\((n_episodes=2|horizon=1)\.5"):
            simulated_return(mdp, [0, 0], **wrong)
    with pytest.raises(ValueError, match=r"grid_world\(2\.5, 2\)"):
        grid_world(2.5, 2)


@each("column", ["probability", "reward"])
@each("value", ["half", None, [0.5]])
def test_a_number_of_a_table_that_is_none_is_named_with_its_row(column, value):
    row = {"state": "a", "action": "go", "next_state": "a", "probability": 1.0, "reward": 0.0}
    table = [tuple(row.values()), tuple((row | {"action": "stay", column: value}).values())]
    message = rf"MDP\.from_table: row 2 has the {column} {re.escape(repr(value))}; give a number"
    with pytest.raises(TypeError, match=message):
        MDP.from_table(table, discount=0.9)


@each("off", [0.0, 1e-10])
@each("form", [np.array, sparse.csr_matrix, sparse.csr_array, sparse.csc_matrix])
@each("whole", [True, False])
def test_what_the_caller_does_later_to_his_arrays_changes_nothing(form, off, whole):
    """Also when the rows are scaled to 1, and when they come as pairs."""
    given = np.asarray(P, dtype=float) * (1.0 + off)
    matrix = given if form is np.array and whole else form(given.reshape(4, 2))
    rewards, ending, start = np.array(R, dtype=float), np.zeros((2, 2)), np.array([0.5, 0.5])
    if whole:
        changed = [rewards, ending, start]
        mdp = MDP(matrix, rewards, 0.9, ending=ending, start=start)
    else:
        changed = [rewards.ravel(), ending.ravel(), start, np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])]
        mdp = MDP.from_pairs(changed[3], changed[4], matrix, changed[0], 0.9, ending=changed[1], start=start)
    kept = [mdp.transitions, mdp.rewards, mdp.ending, mdp.start, mdp.pair_states, mdp.pair_actions]
    before = [np.array(part.toarray() if sparse.issparse(part) else part) for part in kept]
    changed += [matrix.data, matrix.indices, matrix.indptr] if sparse.issparse(matrix) else [matrix]
    for part in changed:
        part[...] = 1 - part
    for part, old in zip(kept, before):
        np.testing.assert_array_equal(part.toarray() if sparse.issparse(part) else part, old)
    entries = mdp.transitions.data if sparse.issparse(mdp.transitions) else mdp.transitions
    assert entries.flags.writeable
