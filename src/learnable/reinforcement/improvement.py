"""Policies judged and improved: Q, the improvement theorem, Bellman's bound for a policy of anyone's making."""

from typing import Any, NamedTuple

import numpy as np

from learnable.certificates.core.certificate import Certificate
from learnable.certificates.reinforcement.policy_value import improvement_claims, policy_claims, policy_standing
from learnable.reinforcement.mdp import MDP
from learnable.reinforcement.policy import Policy, greedy_policy
from learnable.reinforcement.policy_evaluation import followed


class Improvement(NamedTuple):
    """A policy and the one that acts greedily for its value.

    Attributes
    ----------
    policy : the improved policy.
    values : (S,) value of the policy before.
    changed : (S,) bool, states with a better action.
    certificate : premise and conclusion of the policy improvement theorem.
    """

    policy: Policy
    values: np.ndarray
    changed: np.ndarray
    certificate: Certificate


def q_values(mdp: MDP, values: Any) -> np.ndarray:
    """Q(s, a) = r(s, a) + γ Σ P(s′ | s, a) V(s′) as an array (S, A); NaN where an action is not available.

    Syllabus: RL4.

    >>> from learnable.reinforcement import MDP, q_values
    >>> q_values(MDP([[[1.0], [1.0]]], [[1.0, 2.0]], discount=0.5), [4.0])
    array([[3., 4.]])
    """
    values = np.asarray(values, dtype=float)
    if values.shape != (mdp.n_states,):
        raise ValueError(f"q_values: values of shape {values.shape} for {mdp.n_states} states")
    return mdp.pair_matrix(mdp.rewards + mdp.discount * np.asarray(mdp.transitions @ values).ravel())


def improve_policy(mdp: MDP, policy: Any) -> Improvement:
    """Act greedily for the value of a policy: by the improvement theorem no value falls. Syllabus: RL5.

    Where the policy already takes best actions only, it is kept.

    Parameters
    ----------
    mdp : the process.
    policy : a `Policy`, or what `Policy` takes.

    >>> from learnable.reinforcement import improve_policy, russell_norvig_world, uniform_policy
    >>> mdp = russell_norvig_world().mdp
    >>> better = improve_policy(mdp, uniform_policy(mdp))
    >>> int(better.changed.sum()), better.certificate.holds
    (9, True)
    """
    inside, _, weights = followed(mdp, policy, "improve_policy")
    at = policy_standing(inside, weights)
    best = inside.pair_matrix(at.q)
    top = np.nanmax(np.where(inside.available, best, -np.inf), axis=1, initial=-np.inf)
    gap = np.where(inside.available, top[:, None] - best, 0.0)[inside.pair_states, inside.pair_actions]
    behind = np.zeros(mdp.n_states, dtype=bool)
    behind[inside.pair_states[(weights > 0.0) & (gap > at.rounding)]] = True
    greedy = greedy_policy(inside, at.values)
    after = np.where(behind[inside.pair_states], greedy.weights[0], weights)
    certificate = Certificate("policy improvement", improvement_claims(inside, weights, after))
    return Improvement(Policy(inside, np.nan_to_num(inside.pair_matrix(after))), at.values, behind, certificate)


def compare_policies(mdp: MDP, before: Any, after: Any) -> Certificate:
    """The policy improvement theorem for any two policies: its premise and its conclusion. Syllabus: RL5.

    >>> from learnable.reinforcement import compare_policies, russell_norvig_world, uniform_policy
    >>> mdp = russell_norvig_world().mdp.with_discount(0.9)
    >>> compare_policies(mdp, uniform_policy(mdp), uniform_policy(mdp)).holds
    True
    """
    inside, _, first = followed(mdp, before, "compare_policies")
    _, _, second = followed(mdp, after, "compare_policies")
    return Certificate("policy improvement", improvement_claims(inside, first, second))


def certify_policy(mdp: MDP, policy: Any, epsilon: float = 1e-6) -> Certificate:
    """Is a policy, whoever made it, within ε of the best? ‖V* − V_π‖ ≤ ‖ΦV_π − V_π‖/(1−γ).

    The certificate needs no optimal policy: only the value of this one, and one look at what each action would give.
    Syllabus: RL6.

    Parameters
    ----------
    mdp : the process.
    policy : a `Policy`, or what `Policy` takes.
    epsilon : the loss allowed in any state.

    >>> from learnable.reinforcement import MDP, certify_policy
    >>> mdp = MDP([[[1.0], [1.0]]], [[1.0, 2.0]], discount=0.5)
    >>> certify_policy(mdp, [1]).holds, certify_policy(mdp, [0]).claim("RL6").value
    (True, 2.0)
    """
    if not epsilon >= 0.0:
        raise ValueError(f"certify_policy(epsilon={epsilon}): epsilon must be >= 0")
    inside, _, weights = followed(mdp, policy, "certify_policy")
    return Certificate("policy", policy_claims(inside, weights, epsilon))
