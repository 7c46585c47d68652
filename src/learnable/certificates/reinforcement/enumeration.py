"""The best of all deterministic policies. Syllabus: RL8."""

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Any

import numpy as np

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import thorough
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.reported import reported
from learnable.certificates.reinforcement.decision_process import borne, pairs_taken, size_of, standing, unit_of

# Policies up to which `certify` evaluates every one.
TRIED_AGAIN = 4096


@certifies(
    "PolicyEnumeration",
    ledger=Ledger(verified=("values_", "policy_"), derived=("highest_", "n_policies_"), unverified=("n_iter_",)),
)
def enumeration_claims(model: Any, mdp: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """The policy's values dominate those of every other; `certify` solves for each again while they are not many."""
    V = model.values_
    if not np.shape(V) == np.shape(model.policy_) == (mdp.n_states,):
        return [Claim.at_most("RL1", "the answer and the process differ in their number of states", 1.0, 0.0)]
    weights, claim = pairs_taken(mdp, model.policy_)
    at = standing(mdp, V, weights)
    size = size_of(mdp, V)
    slack = at.rounding + 1e-12 * size / (1.0 - mdp.discount)
    bound = borne(slack, unit_of(mdp, V))
    choices = [range(a, b) for a, b in zip(mdp.first[:-1], mdp.first[1:]) if b > a]
    count = prod(len(each) for each in choices)
    claims = [
        claim,
        Claim.reached("RL8", "the values are those of the policy, off by at most", at.own_error, bound, slack),
        Claim.reached("RL6", "V* exceeds the value of the policy by at most", at.loss, 2.0 * bound, 2.0 * slack),
        reported("RL8", "highest_", model.highest_, V, slack / max(size, np.finfo(float).tiny), size),
        Claim.at_most("RL8", "policies left untried", abs(count - model.n_policies_), 0.0),
    ]
    if thorough() and count <= TRIED_AGAIN:
        P = mdp.transitions.toarray() if hasattr(mdp.transitions, "toarray") else mdp.transitions
        above = max(float((_value(mdp, P, np.array(taken)) - V).max()) for taken in product(*choices))
        statement = "another policy is better in some state by at most"
        claims.append(Claim.reached("RL8", statement, max(above, 0.0), bound, slack))
    return claims


def _value(mdp: Any, P: np.ndarray, taken: np.ndarray) -> np.ndarray:
    A, reward = np.eye(mdp.n_states), np.zeros(mdp.n_states)
    A[mdp.pair_states[taken]] -= mdp.discount * P[taken]
    reward[mdp.pair_states[taken]] = mdp.rewards[taken]
    return np.linalg.solve(A, reward)
