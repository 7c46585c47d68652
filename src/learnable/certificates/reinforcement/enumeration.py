"""The best of all deterministic policies. Syllabus: RL8."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.reinforcement.decision_process import pairs_taken, standing

TRIED_AGAIN = 4096


@certifies("PolicyEnumeration")
def enumeration_claims(model: Any, mdp: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """The policy's values dominate those of every other, each solved again one by one while they are not too many."""
    weights, claim = pairs_taken(mdp, model.policy_)
    at = standing(mdp, model.values_, weights)
    size = float(np.abs(model.values_).max(initial=0.0)) + float(np.abs(mdp.rewards).max(initial=0.0))
    slack = at.rounding + 1e-12 * size / (1.0 - mdp.discount)
    claims = [
        claim,
        Claim.at_most("RL8", "the values are those of the policy, off by at most", at.own_error, slack),
        Claim.at_most("RL6", "V* exceeds the value of the policy by at most", at.loss, 2.0 * slack),
    ]
    choices = [range(a, b) for a, b in zip(mdp.first[:-1], mdp.first[1:]) if b > a]
    count = int(np.prod([len(each) for each in choices], dtype=object))
    claims.append(Claim.at_most("RL8", "policies left untried", abs(count - model.n_policies_), 0.0))
    if count <= TRIED_AGAIN:
        P = mdp.transitions.toarray() if hasattr(mdp.transitions, "toarray") else mdp.transitions
        above = max(float((_value(mdp, P, np.array(taken)) - model.values_).max()) for taken in product(*choices))
        claims.append(Claim.at_most("RL8", "another policy is better in some state by at most", max(above, 0.0), slack))
    return claims


def _value(mdp: Any, P: np.ndarray, taken: np.ndarray) -> np.ndarray:
    A, reward = np.eye(mdp.n_states), np.zeros(mdp.n_states)
    A[mdp.pair_states[taken]] -= mdp.discount * P[taken]
    reward[mdp.pair_states[taken]] = mdp.rewards[taken]
    return np.linalg.solve(A, reward)
