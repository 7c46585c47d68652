"""Values of given policies, and policies judged by them. Syllabus: RL3, RL4, RL5, RL6."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import allowed
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.reported import reported
from learnable.certificates.core.worst import worst_of
from learnable.certificates.reinforcement.decision_process import (
    ACCURATE,
    EPS,
    asked_of,
    borne,
    only_available,
    over_states,
    size_of,
    standing,
    unit_of,
)


@certifies(
    "PolicyEvaluation",
    "IterativePolicyEvaluation",
    ledger=Ledger(verified=("values_",), derived=("weights_", "q_values_"), unverified=("n_iter_",)),
)
def value_claims(model: Any, mdp: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """V solves the equation of the policy that was given, and Q belongs to V."""
    mdp = mdp.stopped() if mdp.discount == 1.0 else mdp
    weights, V = prescribed(mdp, model.policy)[0], model.values_
    if np.shape(V) != (mdp.n_states,):
        return [Claim.at_most("RL1", "the answer and the process differ in their number of states", 1.0, 0.0)]
    error, rounding, q = distance_to_value(mdp, V, weights)
    apart = np.abs(model.q_values_[mdp.pair_states, mdp.pair_actions] - q).max(initial=0.0)
    mean = over_states(mdp, weights * q, np.add)
    size, unit = size_of(mdp, V), unit_of(mdp, V)
    bound, asked = allowed(ACCURATE) * unit + borne(rounding, unit), asked_of(model) + rounding
    return [
        proper_weights_claim(mdp, weights),
        reported("RL1", "weights_", model.weights_, weights, 1e-12),
        only_available("RL4", "q_values_", model.q_values_, mdp),
        Claim.reached("RL3", "the values are within this of V_π in every state", error, bound, asked),
        Claim.at_most("RL4", "largest difference of Q and r + γPV", apart, 128 * EPS * size),
        Claim.reached("RL4", "largest difference of E_π Q and V", np.abs(mean - V).max(), bound, asked),
    ]


@certifies("FiniteHorizonEvaluation", ledger=Ledger(verified=("values_",), derived=("weights_", "n_iter_")))
def horizon_claims(model: Any, mdp: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """V_t = r_π + γP_πV_{t+1} at every time."""
    T, V, worst = int(model.horizon), np.asarray(model.values_, dtype=float), 0.0
    weights = prescribed(mdp, model.policy)
    if V.shape != (T + 1, mdp.n_states) or len(weights) not in (1, T):
        return [Claim.at_most("RL1", "the answer has other times or states than the problem", 1.0, 0.0)]
    size = size_of(mdp, V)
    for t in range(T):
        q = mdp.rewards + mdp.discount * np.asarray(mdp.transitions @ V[t + 1]).ravel()
        own = over_states(mdp, weights[t if len(weights) > 1 else 0] * q, np.add)
        worst = worst_of(worst, float(np.abs(own - V[t]).max()))
    last = 0.0 if model.final_values is None else np.asarray(model.final_values, dtype=float)
    return [
        max((proper_weights_claim(mdp, each) for each in weights), key=lambda claim: claim.value),
        reported("RL1", "weights_", model.weights_, weights, 1e-12),
        Claim.at_most("RL3", "largest violation of V_t = r_π + γP_πV_{t+1}", worst, 128 * EPS * size),
        Claim.at_most("RL3", "values after the last step, against those given", np.abs(V[-1] - last).max(), 0.0),
        reported("RL3", "n_iter_", model.n_iter_, T, scale=1.0),
    ]


def prescribed(mdp: Any, rule: Any) -> np.ndarray:
    """(T, K): the probability of each pair under a policy as users give it, T = 1 where it does not change."""
    if hasattr(rule, "probabilities_by_time"):
        return np.asarray(rule.probabilities_by_time)[:, mdp.pair_states, mdp.pair_actions]
    if isinstance(rule, Mapping):
        numbers, actions = {name: a for a, name in enumerate(mdp.actions)}, np.full(mdp.n_states, -1)
        for state, action in rule.items():
            actions[mdp.state_number(state)] = numbers[action]
        rule = actions
    rule = np.asarray(rule)
    if rule.dtype.kind in "iu":
        return (np.atleast_2d(rule)[:, mdp.pair_states] == mdp.pair_actions).astype(float)
    table = rule if rule.ndim == 3 else rule[None]
    return table[:, mdp.pair_states, mdp.pair_actions] / table.sum(axis=2)[:, mdp.pair_states]


def proper_weights_claim(mdp: Any, weights: np.ndarray) -> Claim:
    """Weights of the pairs of each acting state are probabilities."""
    off = np.where(np.diff(mdp.first) > 0, over_states(mdp, weights, np.add) - 1.0, 0.0)
    worst = max(float(np.abs(off).max(initial=0.0)), float(-weights.min(initial=0.0)))
    return Claim.at_most("RL1", "how far the policy is from probabilities that sum to 1", worst, 1e-9)


def distance_to_value(mdp: Any, values: np.ndarray, weights: np.ndarray) -> tuple[float, float, np.ndarray]:
    """(how far V may be from V_π, what rounding may add, r + γPV).

    V_π − V = (I − γP_π)⁻¹ (T_πV − V), and the rows of the inverse sum to at most 1/(1−γ); without discount, to the mean
    number of steps that π takes to the end.
    """
    q = mdp.rewards + mdp.discount * np.asarray(mdp.transitions @ values).ravel()
    off = np.abs(over_states(mdp, weights * q, np.add) - values).max()
    size = size_of(mdp, values)
    if mdp.discount < 1.0:
        reach = 1.0 / (1.0 - mdp.discount)
    else:
        reach = float(solved(mdp, weights, np.ones(mdp.n_states)).max())
    return reach * max(float(off), 2.0 * EPS * size), 128 * EPS * size * reach, q


def solved(mdp: Any, weights: np.ndarray, reward: np.ndarray) -> np.ndarray:
    """x with (I − γP_π) x = `reward`: by LU, or for a large chain by GMRES; what is left over is judged anyway."""
    K, n = mdp.n_pairs, mdp.n_states
    mix = sparse.csr_matrix((weights, (mdp.pair_states, np.arange(K))), shape=(n, K))
    A = sparse.csc_matrix(sparse.eye(n) - mdp.discount * (mix @ sparse.csr_matrix(mdp.transitions)))
    if n > 2000 and mdp.discount < 1.0:
        found, left = np.zeros(n), reward
        for _ in range(4):
            more, failed = sparse.linalg.gmres(A, left, rtol=1e-5, atol=0.0, restart=50, maxiter=10)
            if failed:
                break
            found = found + more
            left = reward - A @ found
        else:
            return found
    return np.atleast_1d(sparse.linalg.spsolve(A, reward))


class PolicyStanding(NamedTuple):
    """V_π, Q_π (K,), the bound on V* − V_π that Bellman's residual gives, and what rounding may add to it."""

    values: np.ndarray
    q: np.ndarray
    loss: float
    rounding: float


def policy_standing(mdp: Any, weights: np.ndarray) -> PolicyStanding:
    """A policy of anyone's making, judged by ‖V* − V_π‖ ≤ ‖ΦV_π − V_π‖/(1−γ)."""
    values = solved(mdp, weights, over_states(mdp, weights * mdp.rewards, np.add))
    at = standing(mdp, values, weights)
    return PolicyStanding(values, at.q, at.loss, at.rounding)


def policy_claims(mdp: Any, weights: np.ndarray, epsilon: float) -> Sequence[Claim]:
    """The policy is within ε of the best: Bellman's optimality condition, checked at its own value."""
    at = policy_standing(mdp, weights)
    best = over_states(mdp, at.q, np.maximum)
    taken = weights > 0.0
    behind = float((best[mdp.pair_states] - at.q)[taken].max(initial=0.0))
    return [
        proper_weights_claim(mdp, weights),
        Claim.at_most("RL6", "V* exceeds the value of the policy by at most", at.loss, epsilon + at.rounding),
        Claim.disclosure("RL6", "an action that the policy takes is behind the best by at most", behind),
    ]


def improvement_claims(mdp: Any, before: np.ndarray, after: np.ndarray) -> Sequence[Claim]:
    """The policy improvement theorem for two policies (weights): E_π′ Q_π ≥ E_π Q_π everywhere makes V_π′ ≥ V_π."""
    old, new = policy_standing(mdp, before), policy_standing(mdp, after)
    premise = float((old.values - over_states(mdp, after * old.q, np.add)).max())
    fall = float((old.values - new.values).max())
    tolerance = old.rounding + new.rounding
    return [
        Claim.at_most("RL5", "premise: E_π′ Q_π falls short of V_π by at most", max(premise, 0.0), tolerance),
        Claim.at_most("RL5", "conclusion: V_π′ falls short of V_π by at most", max(fall, 0.0), tolerance),
    ]
