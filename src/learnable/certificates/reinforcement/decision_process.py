"""Plans for decision processes: how far values and policies are from the best, whoever made them.

For any V, with d = ΦV − V: min d/(1−γ) ≤ V* − V ≤ max d/(1−γ) in every state (where an episode can end, 0 counts among
the d). For a policy π likewise with d_π = T_πV − V and V_π. Hence ‖V* − V_π‖ ≤ ‖ΦV_π − V_π‖/(1−γ).
Where no episode can end, a constant added to all rewards moves every value alike and no choice: errors are measured by
how far values and rewards are apart.
Syllabus: RL3–RL8.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from learnable.certificates.core.certify import certifies
from learnable.certificates.core.claim import Claim
from learnable.certificates.core.effort import allowed, thorough
from learnable.certificates.core.ledger import Ledger
from learnable.certificates.core.reported import reported
from learnable.certificates.reinforcement.total_reward import potential

EPS = float(np.finfo(float).eps)


class Standing(NamedTuple):
    """What values V and pair weights π prove.

    Attributes
    ----------
    error : how far V may be from V* in any state.
    loss : how far V_π may be below V* in any state.
    own_error : how far V may be from V_π in any state.
    gain : how much one other action than that of π would raise r + γPV at most.
    rounding : what rounding may add to any of these.
    unit : what an error of the values is measured by.
    q : (K,) r + γPV.
    """

    error: float
    loss: float
    own_error: float
    gain: float
    rounding: float
    unit: float
    q: np.ndarray


def over_states(mdp: Any, of_pairs: np.ndarray, reduce: np.ufunc) -> np.ndarray:
    """One number a state from the numbers of its pairs; 0 for a state without any."""
    begin, end = mdp.first[:-1], mdp.first[1:]
    if (begin < end).all():
        return reduce.reduceat(of_pairs, begin)
    acting = np.flatnonzero(begin < end)
    result = np.zeros(mdp.n_states)
    result[acting] = reduce.reduceat(of_pairs, begin[acting])
    return result


def standing(mdp: Any, values: np.ndarray, weights: np.ndarray) -> Standing:
    """Where V and a policy (weights of the pairs) stand; for γ = 1 with a potential as the proof."""
    q = mdp.rewards + mdp.discount * np.asarray(mdp.transitions @ values).ravel()
    best, taken = over_states(mdp, q, np.maximum), over_states(mdp, weights * q, np.add)
    ahead, own, gain = best - values, taken - values, max(float((best - taken).max()), 0.0)
    size, unit = size_of(mdp, values), unit_of(mdp, values)
    # An episode that ends has the value 0 and nothing to gain: 0 is among the differences there.
    rise, fall = max(float(ahead.max()), 0.0), max(-float(ahead.min()), 0.0)
    own_rise, own_fall = max(float(own.max()), 0.0), max(-float(own.min()), 0.0)
    if mdp.discount < 1.0:
        reach = 1.0 / (1.0 - mdp.discount)
        acting = acting_states(mdp)
        behind = rise + own_fall if can_end(mdp) else max(float(ahead[acting].max() - own[acting].min()), 0.0)
        # Differences of large numbers come out as 0 where rounding leaves nothing of them.
        unseen = 2.0 * EPS * size
        return Standing(
            reach * max(rise, fall, unseen),
            reach * max(behind, unseen),
            reach * max(own_rise, own_fall, unseen),
            gain,
            128 * EPS * size * reach,
            unit,
            q,
        )
    h, c = potential(mdp)
    spread = float(np.abs(values - h).max(initial=0.0))

    def below(drop: float) -> float:
        return spread * drop / (c - drop) if drop < c else np.inf

    above, own_above = spread * rise / (rise + c), spread * own_rise / (own_rise + c)
    return Standing(
        max(above, below(fall)), above + below(own_fall), max(own_above, below(own_fall)), gain,
        128 * EPS * size * (1.0 + (spread + size) / c), unit, q,
    )  # fmt: skip


def pairs_taken(mdp: Any, policy: np.ndarray) -> tuple[np.ndarray, Claim]:
    """(weights of the pairs that a deterministic policy takes, the claim that every action may be taken)."""
    policy = np.asarray(policy)
    chosen = (mdp.pair_actions == policy[mdp.pair_states]).astype(float)
    acting = mdp.first[1:] > mdp.first[:-1]
    idle = np.where(acting, over_states(mdp, chosen, np.add) != 1.0, policy != -1)
    claim = Claim.at_most("RL1", "states whose action is not available", int(np.count_nonzero(idle)), 0.0)
    return chosen, claim


# How far from V* a plan may be in any state, as a share of what values and rewards differ by; and how much of that
# rounding may add: where it adds more, as with a discount that all but is 1, nothing is proved.
ACCURATE, MOST_ROUNDING = 1e-6, 1e-5


def size_of(mdp: Any, values: np.ndarray) -> float:
    """Largest value and largest reward: what rounding is measured by."""
    return float(np.abs(values).max(initial=0.0) + np.abs(mdp.rewards).max(initial=0.0))


def unit_of(mdp: Any, values: np.ndarray) -> float:
    """How far values and rewards are apart: what an error of the values is measured by.

    Where an episode can end, the value 0 of the end is among them. Rewards that rounding alone tells apart leave
    nothing to choose, and are themselves the measure.
    """
    if mdp.n_pairs == 0 or can_end(mdp):
        return size_of(mdp, values)
    apart = float(np.ptp(mdp.rewards))
    if apart <= 4.0 * EPS * float(np.abs(mdp.rewards).max()):
        return size_of(mdp, values)
    return float(np.ptp(values[acting_states(mdp)])) + apart


def acting_states(mdp: Any) -> np.ndarray:
    """(S,): the states that have actions."""
    return mdp.first[1:] > mdp.first[:-1]


def can_end(mdp: Any) -> bool:
    """Whether some step may end an episode."""
    acting = acting_states(mdp)
    if np.any(mdp.ending > 0.0):
        return True
    return bool(not acting.all() and np.any(mdp.transitions @ (~acting).astype(float) > 0.0))


def asked_of(model: Any) -> float:
    """The accuracy that the fit was asked for, which proves nothing."""
    return 0.0 if model.epsilon is None else float(model.epsilon)


@certifies(
    "ValueIteration",
    ledger=Ledger(verified=("values_", "policy_"), derived=("changes_", "n_iter_")),
)
def value_iteration_claims(model: Any, mdp: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """Values near V*, a policy near the best, each sweep a contraction; `certify` makes the sweeps again."""
    claims = list(plan_claims(model, mdp))
    if not claims[0].holds:
        return claims
    changes = np.asarray(model.changes_, dtype=float)
    claims = [*claims, contraction_claim(mdp, changes, model.values_)]
    claims.append(reported("RL7", "n_iter_", model.n_iter_, len(changes), scale=1.0))
    if thorough():
        claims.append(reported("RL7", "changes_", changes, _changes(_undiscounted(mdp), model.start, len(changes))))
    return claims


@certifies(
    "GaussSeidelValueIteration",
    "ModifiedPolicyIteration",
    ledger=Ledger(verified=("values_", "policy_"), unverified=("n_iter_",)),
)
def plan_claims(model: Any, mdp: Any, y: Any = None, sample_weight: Any = None) -> list[Claim]:
    """Values near V* and a policy near the best."""
    return _plan(model, _undiscounted(mdp))[0]


def _plan(model: Any, mdp: Any) -> tuple[list[Claim], Standing | None]:
    """(the claims about a plan, where it stands: None where its shape is another)."""
    if (other := _foreign_shape(model, mdp)) is not None:
        return [other], None
    weights, claim = pairs_taken(mdp, model.policy_)
    at = standing(mdp, model.values_, weights)
    bound, asked = _bounds(model, at)
    return (
        [
            claim,
            Claim.reached("RL6", "the values are within this of V* in every state", at.error, bound, asked),
            Claim.reached("RL6", "V* exceeds the value of the policy by at most", at.loss, 2.0 * bound, 2.0 * asked),
        ],
        at,
    )


def _bounds(model: Any, at: Standing) -> tuple[float, float]:
    """(how far from V* counts as near, how far the fit was asked to be at most)."""
    return allowed(ACCURATE) * at.unit + borne(at.rounding, at.unit), asked_of(model) + at.rounding


def borne(rounding: float, unit: float) -> float:
    """How much of the rounding is made allowance for in what is proved."""
    return min(rounding, MOST_ROUNDING * unit)


@certifies("PolicyIteration", ledger=Ledger(verified=("values_", "policy_"), unverified=("improvements_", "n_iter_")))
def policy_iteration_claims(model: Any, mdp: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """Values near V*, a policy near the best, and no action that would improve it."""
    mdp = _undiscounted(mdp)
    claims, at = _plan(model, mdp)
    if at is None or not claims[0].holds:
        return claims
    statement = "one other action would raise a value by at most"
    claims.append(Claim.reached("RL5", statement, at.gain, *_bounds(model, at)))
    least = float(np.min(model.improvements_, initial=0.0))
    claims.append(
        Claim.disclosure("RL5", "largest fall of a value from one policy to the next, as the fit saw it", -least)
    )
    return claims


def contraction_claim(mdp: Any, changes: np.ndarray, values: np.ndarray) -> Claim:
    """‖ΦV − V‖ shrinks by γ at least from sweep to sweep."""
    excess = np.asarray(changes[1:]) - mdp.discount * np.asarray(changes[:-1])
    largest = size_of(mdp, values) + float(np.max(changes, initial=0.0))
    return Claim.at_most(
        "RL7", "change of a sweep beyond γ times that of the sweep before", excess.max(initial=0.0), 128 * EPS * largest
    )


def _changes(mdp: Any, start: Any, sweeps: int) -> np.ndarray:
    """‖ΦV − V‖ of so many sweeps, made by products of whole matrices."""
    values = np.zeros(mdp.n_states) if start is None else np.array(start, dtype=float)
    values[np.diff(mdp.first) == 0] = 0.0
    found = np.empty(sweeps)
    for k in range(sweeps):
        q = mdp.rewards + mdp.discount * np.asarray(mdp.transitions @ values).ravel()
        ahead = over_states(mdp, q, np.maximum)
        found[k], values = np.abs(ahead - values).max(initial=0.0), ahead
    return found


@certifies(
    "LinearProgrammingPlanner",
    ledger=Ledger(verified=("values_", "policy_"), derived=("occupancy_", "weight_"), unverified=("n_iter_",)),
)
def program_claims(model: Any, mdp: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """V is feasible, μ is feasible, their objectives agree, and μ lives where V is tight."""
    mdp = _undiscounted(mdp)
    if (other := _foreign_shape(model, mdp)) is not None:
        return [other]
    given = np.full(mdp.n_states, 1.0 / mdp.n_states) if model.weight is None else np.asarray(model.weight, dtype=float)
    V, weight = model.values_, np.where(np.diff(mdp.first) > 0, given, 0.0)
    weights, claim = pairs_taken(mdp, model.policy_)
    at = standing(mdp, V, weights)
    mu = model.occupancy_[mdp.pair_states, mdp.pair_actions]
    slack = V[mdp.pair_states] - at.q
    flow = over_states(mdp, mu, np.add) - mdp.discount * np.asarray(mdp.transitions.T @ mu).ravel()
    flow[np.diff(mdp.first) == 0] = 0.0
    mass, total = float(np.abs(mu).sum()), float(given.sum())
    tolerance, most = allowed(ACCURATE) * at.unit + borne(at.rounding, at.unit), at.rounding
    lost = 128 * EPS * mass
    small, least = allowed(1e-9) * float(given.max()) + borne(lost, float(given.max())), lost
    return [
        claim,
        reported("RL6", "weight_", model.weight_, given),
        only_available("RL6", "occupancy_", model.occupancy_, mdp),
        Claim.reached(
            "RL6", "primal: V falls short of r + γPV by at most", max(0.0, float(-slack.min())), tolerance, most
        ),
        Claim.reached("RL6", "dual: largest imbalance of the occupancy", np.abs(flow - weight).max(), small, least),
        Claim.reached("RL6", "dual: most negative occupancy", max(0.0, float(-mu.min())), small, least),
        Claim.reached("RL6", "gap w·V − r·μ", abs(weight @ V - mdp.rewards @ mu), tolerance * total, most * total),
        Claim.reached(
            "RL6", "complementary slackness Σ μ (V − Q)", abs(float(mu @ slack)), tolerance * total, most * total
        ),
        Claim.reached("RL6", "the values are within this of V* in every state", at.error, tolerance, most),
        Claim.reached("RL6", "V* exceeds the value of the policy by at most", at.loss, 2.0 * tolerance, 2.0 * most),
    ]


@certifies("BackwardInduction", ledger=Ledger(verified=("values_", "policy_"), derived=("n_iter_",)))
def induction_claims(model: Any, mdp: Any, y: Any = None, sample_weight: Any = None) -> Sequence[Claim]:
    """V_t = ΦV_{t+1} at every time, and the action of every time attains it."""
    T, V, worst, behind = int(model.horizon), np.asarray(model.values_, dtype=float), 0.0, 0.0
    if V.shape != (T + 1, mdp.n_states) or np.shape(model.policy_) != (T, mdp.n_states):
        return [Claim.at_most("RL1", "the answer has other times or states than the problem", 1.0, 0.0)]
    idle, size = 0.0, size_of(mdp, V)
    for t in range(T):
        q = mdp.rewards + mdp.discount * np.asarray(mdp.transitions @ V[t + 1]).ravel()
        best = over_states(mdp, q, np.maximum)
        weights, claim = pairs_taken(mdp, model.policy_[t])
        own = over_states(mdp, weights * q, np.add)
        idle += claim.value
        worst, behind = max(worst, float(np.abs(best - V[t]).max())), max(behind, float((best - own).max()))
    last = 0.0 if model.final_values is None else np.asarray(model.final_values, dtype=float)
    return [
        Claim.at_most("RL1", "states and times whose action is not available", idle, 0.0),
        Claim.at_most("RL3", "largest violation of V_t = max_a (r + γPV_{t+1})", worst, 128 * EPS * size),
        Claim.at_most("RL3", "values after the last step, against those given", np.abs(V[-1] - last).max(), 0.0),
        Claim.at_most("RL8", "an action is behind the best of its time by at most", behind, 128 * EPS * size),
        reported("RL3", "n_iter_", model.n_iter_, T, scale=1.0),
    ]


def only_available(id: str, name: str, table: np.ndarray, mdp: Any) -> Claim:
    """The claim that a table (S, A) has numbers for the pairs there are, and none for the others."""
    numbers = np.zeros(np.shape(table), dtype=bool)
    numbers[mdp.pair_states, mdp.pair_actions] = True
    wrong = int(np.count_nonzero(np.isnan(table) == numbers)) if numbers.shape == (mdp.n_states, mdp.n_actions) else 1
    return Claim.at_most(id, f"entries of {name} missing, or there for no pair", wrong, 0.0)


def _undiscounted(mdp: Any) -> Any:
    """With γ = 1, the process in which terminal states have no actions."""
    return mdp.stopped() if mdp.discount == 1.0 else mdp


def _foreign_shape(model: Any, mdp: Any) -> Claim | None:
    if np.shape(model.values_) == (mdp.n_states,) == np.shape(model.policy_):
        return None
    return Claim.at_most("RL1", "the answer and the process differ in their number of states", 1.0, 0.0)
