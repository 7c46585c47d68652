"""Tables of Q that were learned: how far they are from Q*, where the process is known. Syllabus: RL9."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.reinforcement.decision_process import over_states


def residual_bound(mdp: Any, q_values: np.ndarray) -> float:
    """‖TQ − Q‖/(1−γ) ≥ ‖Q − Q*‖ over the pairs of the states that can be reached, which lead nowhere else."""
    q = np.asarray(q_values)[mdp.pair_states, mdp.pair_actions]
    ahead = mdp.rewards + mdp.discount * np.asarray(mdp.transitions @ over_states(mdp, q, np.maximum)).ravel()
    reachable = ~mdp.unreachable[mdp.pair_states]
    return float(np.abs(ahead - q)[reachable].max(initial=0.0)) / (1.0 - mdp.discount)


@certifies("QLearning")
def learning_claims(model: Any, mdp: Any = None, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """The stated bound on ‖Q − Q*‖ where the process is known; the greedy policy; what was tried."""
    mdp = mdp if hasattr(mdp, "pair_states") else None  # an environment shows nothing of its process
    q, visits = model.q_values_, model.visits_
    known = np.where(np.isnan(q), -np.inf, q)
    acts = np.isfinite(known).any(axis=1)
    rows = np.flatnonzero(acts)
    taken = np.asarray(model.policy_)[rows]
    exists = (taken >= 0) & (taken < q.shape[1])
    behind = known.max(axis=1)[rows] - np.where(exists, known[rows, np.where(exists, taken, 0)], -np.inf)
    claims = [
        Claim.at_most("RL9", "an action of the policy is behind the best Q by at most", behind.max(initial=0.0), 0.0),
        Claim.at_most("RL9", "steps made and steps counted differ by", abs(visits.sum() - model.n_steps), 0.0),
    ]
    top = np.where(acts, known.max(axis=1), 0.0)
    claims.append(Claim.at_most("RL9", "values and maxima of Q differ by", np.abs(model.values_ - top).max(), 0.0))
    if mdp is not None and mdp.discount < 1.0:
        bound = residual_bound(mdp, q)
        if hasattr(model, "error_bound_"):
            stated = model.error_bound_ * (1.0 + 1e-9) + 1e-12
            claims.append(Claim.at_most("RL9", "Q is within the stated bound of Q*", bound, stated))
        else:
            claims.append(Claim.disclosure("RL9", "Q is within this of Q*", bound))
    if mdp is not None:
        reachable = mdp.available & ~mdp.unreachable[:, None]
        missed = int(np.count_nonzero(reachable & (visits == 0)))
        claims.append(Claim.disclosure("RL9", "pairs that can be reached and were never tried", missed))
    else:
        claims.append(Claim.disclosure("RL9", "pairs never tried", float(np.sum((visits == 0) & np.isfinite(q)))))
    if hasattr(model, "regret_"):
        claims.append(Claim.disclosure("RL10", "regret Σ (V* − Q*(s, a)) of the steps", model.regret_[-1]))
    return claims
