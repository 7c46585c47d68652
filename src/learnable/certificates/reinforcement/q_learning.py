"""Tables of Q that were learned: how far they are from Q*, where the process is known. Syllabus: RL9."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import allowed
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.reported import reported
from learnable.certificates.core.shapes import check_shapes
from learnable.certificates.reinforcement.decision_process import only_available, over_states, size_of, unit_of

# How far from Q* a learned table may be, as a share of what values and rewards differ by, to be called near.
LEARNED = 1e-2


def residual_bound(mdp: Any, q_values: np.ndarray) -> float:
    """‖TQ − Q‖/(1−γ) ≥ ‖Q − Q*‖ over the pairs of the states that can be reached, which lead nowhere else."""
    q = np.asarray(q_values)[mdp.pair_states, mdp.pair_actions]
    ahead = mdp.rewards + mdp.discount * np.asarray(mdp.transitions @ over_states(mdp, q, np.maximum)).ravel()
    reachable = ~mdp.unreachable[mdp.pair_states]
    return float(np.abs(ahead - q)[reachable].max(initial=0.0)) / (1.0 - mdp.discount)


@certifies(
    "QLearning",
    ledger=Ledger(
        derived=("q_values_", "values_", "policy_", "error_bound_"),
        unverified=("episode_lengths_", "episode_returns_", "n_iter_", "regret_", "steps_", "visits_"),
        sometimes=("error_bound_",),
    ),
)
def learning_claims(model: Any, mdp: Any = None, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """How far Q and its greedy policy are from the best where the process is known; what was tried.

    Learning promises no accuracy. Where it came near to Q* that is proved; otherwise how near is told, and nothing is.
    """
    known = hasattr(mdp, "pair_states")  # an environment shows nothing of its process
    if known and model.discount is not None:
        mdp = mdp.with_discount(model.discount)
    q, visits = np.asarray(model.q_values_, dtype=float), model.visits_
    check_shapes(model, visits_=q.shape)
    if known and q.shape != (mdp.n_states, mdp.n_actions):
        return [Claim.at_most("RL1", "Q and the process differ in their states or actions", 1.0, 0.0)]
    comparable = np.where(np.isnan(q), -np.inf, q)
    acts = np.isfinite(comparable).any(axis=1)
    top = np.where(acts, comparable.max(axis=1), 0.0)
    claims = [
        reported("RL9", "values_", model.values_, top, 0.0),
        reported("RL9", "policy_", model.policy_, np.where(acts, comparable.argmax(axis=1), -1), 0.0),
    ]
    if known:
        claims += [only_available("RL9", "q_values_", q, mdp), *_nearness(model, mdp, q, top)]
        reachable = mdp.available & ~mdp.unreachable[:, None]
        missed = int(np.count_nonzero(reachable & (visits == 0)))
        claims.append(Claim.disclosure("RL9", "pairs that can be reached and were never tried", missed))
    else:
        claims.append(_unjudged("Q is not judged, since an environment does not show its process", q))
        claims.append(Claim.disclosure("RL9", "pairs never tried", float(np.sum((visits == 0) & np.isfinite(q)))))
    if hasattr(model, "regret_"):
        claims.append(Claim.disclosure("RL10", "regret Σ (V* − Q*(s, a)) of the steps", model.regret_[-1]))
    return claims


def _nearness(model: Any, mdp: Any, q: np.ndarray, values: np.ndarray) -> list[Claim]:
    if mdp.discount == 1.0:
        return [_unjudged("Q is not judged, since without discount its residual bounds nothing", q)]
    bound, size = residual_bound(mdp, q), size_of(mdp, values)
    near = allowed(LEARNED) * unit_of(mdp, values)
    unread = mdp.available & mdp.unreachable[:, None]
    moved = int(np.count_nonzero(q[unread] != model.initial))
    claims = [
        Claim.reached("RL9", "Q is within this of Q*", bound, near, np.inf),
        Claim.at_most("RL9", "pairs that cannot be reached and have another Q than at the start", moved, 0.0),
    ]
    if not hasattr(model, "error_bound_"):
        missing = Claim.disclosure("RL9", "error_bound_ is missing, as only after learning from an environment", 1.0)
        return [*claims, missing._replace(open=True)]
    return [*claims, reported("RL9", "error_bound_", model.error_bound_, bound, scale=size + bound)]


def _unjudged(statement: str, q: np.ndarray) -> Claim:
    """A claim that nothing can be proved here; refuted where Q is no table of numbers."""
    return Claim.disclosure("RL9", f"{statement}; its largest entry", np.nanmax(np.abs(q)))._replace(open=True)
