"""A decision process as the solvers see it, and how far values are from the best. Syllabus: RL6, RL7."""

from typing import Any, NamedTuple

import numpy as np

from learnable._jit.core.vectors import read_only
from learnable._jit.reinforcement.bellman import pair_rows

EPS = float(np.finfo(float).eps)


class Process(NamedTuple):
    """The pairs of a decision process.

    Attributes
    ----------
    transitions : array or CSR matrix (K, S); rows : the same for kernels.
    rewards : (K,).
    first : (S + 1,), where the pairs of each state begin.
    discount : γ.
    can_end : whether episodes can end, so that the value 0 of the end does not shift with the others.
    potential : (S,) h, and `margin` c > 0, with r + Ph − h ≤ −c for every pair; read only when γ = 1.
    largest_reward : max |r|.
    """

    transitions: Any
    rows: Any
    rewards: np.ndarray
    first: np.ndarray
    discount: float
    can_end: bool
    potential: np.ndarray
    margin: float
    largest_reward: float

    @property
    def n_states(self) -> int:
        return len(self.first) - 1


def process_of(mdp: Any, potential: np.ndarray | None = None, margin: float = 0.0) -> Process:
    """The arrays of an MDP."""
    h = np.zeros(mdp.n_states) if potential is None else potential
    return Process(
        mdp.transitions, pair_rows(mdp.transitions), read_only(mdp.rewards), mdp.first, mdp.discount, mdp.can_end, h,
        margin, float(np.abs(mdp.rewards).max(initial=0.0)),
    )  # fmt: skip


class Enclosure(NamedTuple):
    """V* lies within `error` of (values + shift) in every state."""

    shift: float
    error: float


def enclosure(process: Process, values: np.ndarray, low: float, high: float) -> Enclosure:
    """Where V* lies, from the extremes of ΦV − V and `values` = ΦV.

    γ < 1: ΦV + γ/(1−γ)·low ≤ V* ≤ ΦV + γ/(1−γ)·high, with low ≤ 0 ≤ high where an episode can end.
    γ = 1: with r + Ph − h ≤ −c, scaling V − h by 1 ± θ gives vectors on either side of V*.
    """
    gamma = process.discount
    if gamma < 1.0:
        reach = gamma / (1.0 - gamma)
        if process.can_end:
            return Enclosure(0.0, reach * max(high, -low, 0.0))
        return Enclosure(reach * 0.5 * (low + high), reach * 0.5 * (high - low))
    # ΦV is no further from Φ(ΦV) than V from ΦV, since rows of P sum to at most 1.
    rise, fall, c = max(high, 0.0), max(-low, 0.0), process.margin
    if fall >= c:
        return Enclosure(0.0, np.inf)
    theta = max(rise / (rise + c), fall / (c - fall))
    return Enclosure(0.0, theta * float(np.abs(values - process.potential).max(initial=0.0)))


def rounding(process: Process, largest: float) -> float:
    """An error of V, whose largest magnitude is given, that rounding alone explains: no further sweep helps."""
    size = largest + process.largest_reward
    spread = 1.0 / (1.0 - process.discount) if process.discount < 1.0 else 1.0 + size / process.margin
    return 4.0 * EPS * size * spread
