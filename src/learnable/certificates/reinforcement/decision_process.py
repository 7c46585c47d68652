"""Plans for decision processes: how far values and policies are from the best, whoever made them.

For any V, with d = ΦV − V: min d/(1−γ) ≤ V* − V ≤ max d/(1−γ) in every state (where an episode can end, 0 counts among
the d). For a policy π likewise with d_π = T_πV − V and V_π. Hence ‖V* − V_π‖ ≤ ‖ΦV_π − V_π‖/(1−γ).
Syllabus: RL3–RL8.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.reinforcement.total_reward import potential

EPS = float(np.finfo(float).eps)


class Standing(NamedTuple):
    """What values V and pair weights π prove.

    Attributes
    ----------
    error : how far V may be from V* in any state.
    loss : how far V_π may be below V* in any state.
    own_error : how far V may be from V_π in any state.
    rounding : what rounding may add to any of these.
    q : (K,) r + γPV.
    """

    error: float
    loss: float
    own_error: float
    rounding: float
    q: np.ndarray


def over_states(mdp: Any, of_pairs: np.ndarray, reduce: np.ufunc) -> np.ndarray:
    """One number a state from the numbers of its pairs; 0 for a state without any."""
    acting = np.flatnonzero(np.diff(mdp.first))
    result = np.zeros(mdp.n_states)
    result[acting] = reduce.reduceat(of_pairs, mdp.first[acting])
    return result


def standing(mdp: Any, values: np.ndarray, weights: np.ndarray) -> Standing:
    """Where V and a policy (weights of the pairs) stand; for γ = 1 with a potential as the proof."""
    q = mdp.rewards + mdp.discount * np.asarray(mdp.transitions @ values).ravel()
    ahead = over_states(mdp, q, np.maximum) - values
    own = over_states(mdp, weights * q, np.add) - values
    size = float(np.abs(values).max(initial=0.0) + np.abs(mdp.rewards).max(initial=0.0))
    # An episode that ends has the value 0 and nothing to gain: 0 is among the differences there.
    rise, fall = max(float(ahead.max()), 0.0), max(float(-ahead.min()), 0.0)
    own_rise, own_fall = max(float(own.max()), 0.0), max(float(-own.min()), 0.0)
    if mdp.discount < 1.0:
        reach = 1.0 / (1.0 - mdp.discount)
        return Standing(
            reach * max(rise, fall),
            reach * (rise + own_fall),
            reach * max(own_rise, own_fall),
            128 * EPS * size * reach,
            q,
        )
    h, c = potential(mdp)
    spread = float(np.abs(values - h).max(initial=0.0))

    def below(drop: float) -> float:
        return spread * drop / (c - drop) if drop < c else np.inf

    above, own_above = spread * rise / (rise + c), spread * own_rise / (own_rise + c)
    return Standing(
        max(above, below(fall)), above + below(own_fall), max(own_above, below(own_fall)),
        128 * EPS * size * (1.0 + (spread + size) / c), q,
    )  # fmt: skip


def pairs_taken(mdp: Any, policy: np.ndarray) -> tuple[np.ndarray, Claim]:
    """(weights of the pairs that a deterministic policy takes, the claim that every action may be taken)."""
    chosen = (mdp.pair_actions == np.asarray(policy)[mdp.pair_states]).astype(float)
    idle = (over_states(mdp, chosen, np.add) != 1.0) & (np.diff(mdp.first) > 0)
    claim = Claim.at_most("RL1", "states whose action is not available", int(np.count_nonzero(idle)), 0.0)
    return chosen, claim


# The largest share of the largest possible value that an ε may be.
LARGEST_EPSILON = 0.1


@certifies("ValueIteration", "GaussSeidelValueIteration", "ModifiedPolicyIteration", "PolicyIteration")
def plan_claims(model: Any, mdp: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """Values within ε of V*, the policy within 2ε, each sweep a contraction, no policy worse than the one before."""
    mdp = _undiscounted(mdp)
    if (other := _foreign_shape(model, mdp)) is not None:
        return [other]
    weights, claim = pairs_taken(mdp, model.policy_)
    at = standing(mdp, model.values_, weights)
    # However large an ε the plan was asked for, nothing is proved by one of the size of the values themselves.
    asked = model.epsilon + at.rounding
    epsilon = min(model.epsilon, LARGEST_EPSILON * _largest_value(mdp)) + at.rounding
    claims = [
        claim,
        Claim.reached("RL6", "the values are within epsilon of V* in every state", at.error, epsilon, asked),
        Claim.reached("RL6", "V* exceeds the value of the policy by at most", at.loss, 2.0 * epsilon, 2.0 * asked),
    ]
    if hasattr(model, "changes_"):
        claims.append(contraction_claim(mdp, model.changes_, model.values_))
    if hasattr(model, "improvements_"):
        worst = max(0.0, -float(np.min(model.improvements_, initial=0.0)))
        claims.append(Claim.at_most("RL5", "largest fall of a value from one policy to the next", worst, epsilon))
    return claims


def _largest_value(mdp: Any) -> float:
    """The largest value that the rewards allow: max |r| / (1 − γ), or max |r| in every state without discount."""
    steps = 1.0 / (1.0 - mdp.discount) if mdp.discount < 1.0 else float(len(mdp.first) - 1)
    return float(np.abs(mdp.rewards).max(initial=0.0)) * steps


def contraction_claim(mdp: Any, changes: np.ndarray, values: np.ndarray) -> Claim:
    """‖ΦV − V‖ shrinks by γ at least from sweep to sweep."""
    excess = np.asarray(changes[1:]) - mdp.discount * np.asarray(changes[:-1])
    size = float(np.abs(values).max(initial=0.0) + np.abs(mdp.rewards).max(initial=0.0))
    largest = size + float(np.max(changes, initial=0.0))
    return Claim.at_most(
        "RL7", "change of a sweep beyond γ times that of the sweep before", excess.max(initial=0.0), 128 * EPS * largest
    )


@certifies("LinearProgrammingPlanner")
def program_claims(model: Any, mdp: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """V is feasible, μ is feasible, their objectives agree, and μ lives where V is tight."""
    mdp = _undiscounted(mdp)
    if (other := _foreign_shape(model, mdp)) is not None:
        return [other]
    V, weight = model.values_, np.where(np.diff(mdp.first) > 0, model.weight_, 0.0)
    weights, claim = pairs_taken(mdp, model.policy_)
    at = standing(mdp, V, weights)
    mu = model.occupancy_[mdp.pair_states, mdp.pair_actions]
    slack = V[mdp.pair_states] - at.q
    flow = over_states(mdp, mu, np.add) - mdp.discount * np.asarray(mdp.transitions.T @ mu).ravel()
    flow[np.diff(mdp.first) == 0] = 0.0
    mass = float(np.abs(mu).sum())
    # V counts for 1 at a state without actions too; there it must be 0.
    small = 64 * EPS * max(mass, 1.0)
    tolerance = model.epsilon + at.rounding
    return [
        claim,
        Claim.at_most("RL6", "primal: V falls short of r + γPV by at most", max(0.0, float(-slack.min())), tolerance),
        Claim.at_most("RL6", "dual: largest imbalance of the occupancy", np.abs(flow - weight).max(), 1e-9 + small),
        Claim.at_most("RL6", "dual: most negative occupancy", max(0.0, float(-mu.min())), 1e-9),
        Claim.at_most("RL6", "gap w·V − r·μ", abs(weight @ V - mdp.rewards @ mu), tolerance * max(mass, 1.0)),
        Claim.at_most("RL6", "complementary slackness Σ μ (V − Q)", abs(float(mu @ slack)), tolerance * max(mass, 1.0)),
        Claim.at_most("RL6", "the values are within epsilon of V* in every state", at.error, tolerance),
        Claim.at_most("RL6", "V* exceeds the value of the policy by at most", at.loss, 2.0 * tolerance),
    ]


@certifies("BackwardInduction")
def induction_claims(model: Any, mdp: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """V_t = ΦV_{t+1} at every time, and the action of every time attains it."""
    V, worst, behind = model.values_, 0.0, 0.0
    claims = []
    size = float(np.abs(V).max(initial=0.0) + np.abs(mdp.rewards).max(initial=0.0))
    for t in range(model.horizon):
        q = mdp.rewards + mdp.discount * np.asarray(mdp.transitions @ V[t + 1]).ravel()
        best = over_states(mdp, q, np.maximum)
        weights, claim = pairs_taken(mdp, model.policy_[t])
        own = over_states(mdp, weights * q, np.add)
        if not claim.holds:
            claims.append(claim)
        worst, behind = max(worst, float(np.abs(best - V[t]).max())), max(behind, float((best - own).max()))
    last = 0.0 if model.final_values is None else np.asarray(model.final_values, dtype=float)
    return [
        *claims,
        Claim.at_most("RL3", "largest violation of V_t = max_a (r + γPV_{t+1})", worst, 128 * EPS * size),
        Claim.at_most(
            "RL3", "values after the last step, against those given", np.abs(V[-1] - last).max(), 128 * EPS * size
        ),
        Claim.at_most("RL8", "an action is behind the best of its time by at most", behind, 128 * EPS * size),
    ]


def _undiscounted(mdp: Any) -> Any:
    """With γ = 1, the process in which terminal states have no actions."""
    return mdp.stopped() if mdp.discount == 1.0 else mdp


def _foreign_shape(model: Any, mdp: Any) -> Claim | None:
    if np.shape(model.values_) == (mdp.n_states,) == np.shape(model.policy_):
        return None
    return Claim.at_most("RL1", "the answer and the process differ in their number of states", 1.0, 0.0)
