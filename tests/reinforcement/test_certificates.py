"""The tamper law for plans, and certificates that share no code with the sweeps."""

import copy
import os
import subprocess
import sys

import numpy as np
import pytest
from tests.cases import each

from learnable import certify
from learnable.certificates import Verdict
from learnable.certificates.core.certify import ledger_of
from learnable.certificates.reinforcement.q_learning import residual_bound
from learnable.reinforcement import (
    MDP,
    BackwardInduction,
    FiniteHorizonEvaluation,
    GaussSeidelValueIteration,
    IterativePolicyEvaluation,
    LinearProgrammingPlanner,
    ModifiedPolicyIteration,
    PolicyEnumeration,
    PolicyEvaluation,
    PolicyIteration,
    QLearning,
    ValueIteration,
    constant_steps,
    russell_norvig_world,
    uniform_exploration,
)

from .random_processes import random_mdp

MODELS = [
    ValueIteration(),
    GaussSeidelValueIteration(),
    ModifiedPolicyIteration(),
    PolicyIteration(),
    LinearProgrammingPlanner(),
    PolicyEnumeration(),
    BackwardInduction(5),
    PolicyEvaluation([0, 1, 2, 0, 1]),
    IterativePolicyEvaluation([0, 1, 2, 0, 1]),
    FiniteHorizonEvaluation([0, 1, 2, 0, 1], horizon=5),
]


def altered(model):
    """(what, copy) for changes of the answer that matter."""
    for name in ("values_", "q_values_", "occupancy_", "highest_", "changes_", "weight_", "weights_"):
        if not hasattr(model, name):
            continue
        answer = np.asarray(getattr(model, name))
        index = np.unravel_index(np.nanargmax(np.abs(answer)), answer.shape)
        for what, change in (("shift", 1e-3), ("large shift", 1.0), ("sign flip", -2.0 * answer[index])):
            changed = answer.copy()
            changed[index] += change
            yield f"{what} of {name}", _with(model, name, changed)
        yield f"roll of {name}", _with(model, name, np.roll(answer, 1, axis=-1))
        yield f"scaling of {name}", _with(model, name, 1.2 * answer)
        yield f"NaN in {name}", _with(model, name, np.where(answer == answer[index], np.nan, answer))
    if hasattr(model, "policy_") and not isinstance(model, LinearProgrammingPlanner):
        for what, policy in (("next action", (model.policy_ + 1) % 3), ("no such action", model.policy_ * 0 + 7)):
            yield what, _with(model, "policy_", policy)


def _with(model, name, value):
    other = copy.deepcopy(model)
    setattr(other, name, value)
    return other


@each("model", MODELS, ids=lambda m: type(m).__name__)
@each("ends", [False, True])
def test_a_changed_answer_is_rejected(model, ends):
    mdp = random_mdp(11, ends=ends)
    model = copy.deepcopy(model).fit(mdp)
    assert model.certify(mdp).holds, model.certificate_
    assert set(model.certificate_) <= set(certify(model, mdp))
    assert not ledger_of(type(model)).missing_from(vars(model))
    tried = 0
    for what, other in altered(model):
        if all(np.array_equal(value, vars(other)[name], equal_nan=True)
               for name, value in vars(model).items() if isinstance(value, np.ndarray)):  # fmt: skip
            continue  # equal weights, rolled
        assert not other.certify(mdp).holds, what
        tried += 1
    assert tried >= 6


def test_a_learned_table_is_proved_only_where_it_is_near_the_best():
    certain = MDP(np.eye(4)[[[1, 2], [2, 3], [3, 0], [0, 0]]], np.arange(8.0).reshape(4, 2), 0.8)
    exact = QLearning(5000, steps=constant_steps(1.0), exploration=uniform_exploration(), random_state=0).fit(certain)
    assert exact.certificate_.holds
    for what, other in altered(exact):
        assert other.certify(certain).verdict is Verdict.REFUTED, what
    assert _with(exact, "error_bound_", 1e9).certify(certain).verdict is Verdict.REFUTED
    # Everything altered at once, so that it agrees with itself, still proves nothing.
    forged = _with(exact, "q_values_", -exact.q_values_)
    forged.values_, forged.policy_ = forged.q_values_.max(axis=1), forged.q_values_.argmax(axis=1)
    forged.error_bound_ = 1.0
    assert forged.certify(certain).verdict is Verdict.REFUTED
    forged.error_bound_ = residual_bound(certain, forged.q_values_)
    assert forged.certify(certain).verdict is Verdict.NOTHING_ASSERTED
    for discount in (None, 0.5):  # a noisy process: told how near, and not refuted
        noisy = random_mdp(11, ends=True)
        learned = QLearning(20_000, discount=discount, random_state=0).fit(noisy)
        assert learned.certify(noisy).verdict is learned.certificate_.verdict is Verdict.NOTHING_ASSERTED


@each("model", MODELS[:5] + MODELS[7:9], ids=lambda m: type(m).__name__)
def test_no_parameter_of_the_model_loosens_the_verdict(model):
    mdp = random_mdp(11)
    model = copy.deepcopy(model).fit(mdp)
    for epsilon in (1e6, 1e-300):
        assert _with(model, "epsilon", epsilon).certify(mdp).holds, "a fit that is accurate stays so"
    for values in (np.zeros(5), -model.values_, model.values_ + 1e-3):
        for status in ("optimal", "budget_spent", "stopped"):
            other = _with(_with(model, "values_", values), "epsilon", 1e6)
            other.status_ = status
            assert not other.certify(mdp).holds
    if hasattr(model, "policy"):
        assert not _with(model, "policy", [0, 0, 0, 0, 0]).certify(mdp).holds or isinstance(model, PolicyIteration)


def test_another_horizon_is_another_problem():
    mdp = random_mdp(11)
    for model in (BackwardInduction(5), FiniteHorizonEvaluation([0, 1, 2, 0, 1], horizon=5)):
        model.fit(mdp)
        altered_inside = model.values_.copy()
        altered_inside[3] += 1.0
        for horizon in (1, 4, 6):
            assert not _with(model, "horizon", horizon).certify(mdp).holds
            assert not _with(_with(model, "values_", altered_inside), "horizon", horizon).certify(mdp).holds
        assert not _with(model, "final_values", np.ones(5)).certify(mdp).holds


@each("model", MODELS, ids=lambda m: type(m).__name__)
def test_the_unit_of_the_rewards_changes_nothing(model):
    for unit in (1e-9, 1e9):
        mdp = random_mdp(11)
        mdp.rewards = unit * mdp.rewards
        fitted = copy.deepcopy(model).fit(mdp)
        assert fitted.certificate_.holds, fitted.certificate_
        plain = copy.deepcopy(model).fit(random_mdp(11))
        assert np.allclose(fitted.values_, unit * plain.values_, rtol=1e-5)
        assert not _with(fitted, "values_", 0.0 * fitted.values_).certify(mdp).holds


@each("model", MODELS[:4], ids=lambda m: type(m).__name__)
def test_a_changed_process_is_noticed(model):
    model = copy.deepcopy(model).fit(random_mdp(11))
    assert not model.certify(random_mdp(12)).holds
    assert not model.certify(random_mdp(11, n_states=6)).holds
    assert not model.certify(random_mdp(11, discount=0.8)).holds


def test_without_discount_a_potential_is_the_proof():
    mdp = russell_norvig_world().mdp
    for model in (ValueIteration(), PolicyIteration(), ModifiedPolicyIteration(), GaussSeidelValueIteration()):
        model = copy.deepcopy(model).fit(mdp)
        assert model.certificate_.holds
        exact = PolicyIteration(1e-11).fit(mdp).values_
        rng = np.random.default_rng(0)
        for size in (1e-4, 1e-2, 0.1):
            moved = _with(model, "values_", exact + size * rng.normal(size=len(exact)) * (exact != 0.0))
            claim = moved.certify(mdp).claim("RL6")
            # The bound is true, and it rejects.
            assert np.abs(moved.values_ - exact).max() <= claim.value
            assert not claim.holds


def test_a_plan_that_ran_out_of_budget_says_so():
    from sklearn.exceptions import ConvergenceWarning

    with pytest.warns(ConvergenceWarning, match="ValueIteration: the iteration budget ran out"):
        plan = ValueIteration(1e-9, max_iter=3).fit(random_mdp(0, ends=True))
    assert plan.status_ == "budget_spent"
    assert not plan.certificate_.holds


def test_judging_a_policy_needs_no_compiler():
    program = (
        "import sys, numpy as np\n"
        "from types import SimpleNamespace\n"
        "from learnable.certificates.reinforcement.policy_value import policy_claims\n"
        "mdp = SimpleNamespace(n_states=1, n_pairs=2, first=np.array([0, 2]), pair_states=np.zeros(2, int),\n"
        "    transitions=np.ones((2, 1)), rewards=np.array([1.0, 2.0]), ending=np.zeros(2), discount=0.5)\n"
        "assert all(c.holds for c in policy_claims(mdp, np.array([0.0, 1.0]), 1e-9))\n"
        "assert not all(c.holds for c in policy_claims(mdp, np.array([1.0, 0.0]), 1e-9))\n"
        "print(*[m for m in sys.modules if m == 'numba' or m.startswith(('learnable.solvers', 'learnable._jit'))])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], env=os.environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not done.stdout.split()


@each("discount", [0.9, 1.0])
def test_the_bounds_hold_for_values_above_and_below(discount):
    from learnable.certificates.reinforcement.decision_process import pairs_taken, standing

    for seed in range(8):
        mdp = (
            russell_norvig_world(discount=discount).mdp if seed % 2 else random_mdp(seed, ends=True, discount=discount)
        )
        if discount == 1.0 and seed % 2 == 0:
            mdp.rewards = mdp.rewards - 5.0  # every step costs
        best = PolicyIteration(1e-11).fit(mdp)
        rng = np.random.default_rng(seed)
        acting = np.diff(mdp.first) > 0
        for shift in (0.01, -0.01):
            values = best.values_ + np.where(acting, shift * rng.random(mdp.n_states), 0.0)
            policy = np.where(rng.random(mdp.n_states) < 0.1, 0, best.policy_) if discount < 1.0 else best.policy_
            weights, _ = pairs_taken(mdp, policy)
            own = PolicyEvaluation(np.where(acting, policy, -1)).fit(mdp).values_
            at = standing(mdp, values, weights)
            assert np.abs(values - best.values_).max() <= at.error
            assert np.abs(values - own).max() <= at.own_error
            assert (best.values_ - own).max() <= at.loss
            assert at.error < np.inf


@each("away", [1e-9, 1e-12, 1e-14])
def test_rounding_that_a_discount_near_one_multiplies_proves_nothing(away):
    mdp = random_mdp(0, discount=1.0 - away)
    for model in (PolicyIteration(), PolicyEnumeration(), PolicyEvaluation(np.zeros(5, dtype=int))):
        model.fit(mdp)
        assert certify(model, mdp).verdict is not Verdict.REFUTED
        largest = np.abs(model.values_).max()
        for moved in (0.1 * largest, 1e-4 * largest):
            forged = copy.deepcopy(model)
            forged.values_ = model.values_ + moved
            assert not certify(forged, mdp).holds, (model, moved)


def refuted(model, mdp):
    return certify(model, mdp).verdict is Verdict.REFUTED


@each("offset", [1e3, 1e6, 1e9])
def test_a_constant_added_to_all_rewards_hides_no_choice(offset):
    """It moves every value by the same and no choice: a policy behind by all there is to gain stays refuted."""
    for seed in range(3):
        mdp = random_mdp(seed)
        mdp.rewards = mdp.rewards + offset
        for model in (*MODELS[:6], *MODELS[7:9]):
            fitted = copy.deepcopy(model).fit(mdp)
            # Of values of 10¹⁰ rounding leaves too little.
            assert fitted.certify(mdp).holds or (offset == 1e9 and not refuted(fitted, mdp)), fitted.certificate_
            if hasattr(fitted, "policy_"):
                assert not _with(fitted, "policy_", (fitted.policy_ + 1) % 3).certify(mdp).holds
            moved = fitted.values_ + np.array([1e-2, 0.0, 0.0, 0.0, 0.0])
            assert not _with(fitted, "values_", moved).certify(mdp).holds


def test_equal_rewards_leave_nothing_to_choose():
    mdp = random_mdp(0)
    mdp.rewards = np.full_like(mdp.rewards, 0.3)
    for model in (*MODELS[:6], *MODELS[7:9]):
        fitted = copy.deepcopy(model).fit(mdp)
        assert fitted.certify(mdp).holds, fitted.certificate_
        assert not _with(fitted, "values_", 1.001 * fitted.values_).certify(mdp).holds


@each("unit", [1e-12, 1e-9, 1e9])
def test_linear_programs_know_no_unit(unit):
    for seed in range(3):
        for ends in (False, True):
            mdp = random_mdp(seed, ends=ends)
            mdp.rewards = unit * mdp.rewards
            fitted = LinearProgrammingPlanner().fit(mdp)
            assert fitted.certify(mdp).holds, fitted.certificate_
            assert (fitted.policy_ == PolicyIteration().fit(mdp).policy_).all()


def test_a_program_beyond_double_precision_is_refused_with_a_remedy():
    with pytest.raises(ArithmeticError, match="policy iteration goes further"):
        LinearProgrammingPlanner().fit(random_mdp(0, discount=1.0 - 1e-12))
