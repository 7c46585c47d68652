"""Every deterministic policy of a small decision process, evaluated. Syllabus: RL8."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from learnable.solvers.reinforcement.bellman import Process

# Policies evaluated at a time by one batched solve.
BATCH = 2048


class EnumerationState(NamedTuple):
    """After a batch of policies.

    Attributes
    ----------
    objective : the largest Σ_s V_π(s) so far.
    values : (S,) the value of that policy; pairs : (S,) the pairs it takes.
    highest : (S,) the largest value of each state under any policy so far.
    tried : number of policies so far.
    """

    objective: float
    values: np.ndarray
    pairs: np.ndarray
    highest: np.ndarray
    tried: int


def iterates(process: Process) -> Iterator[EnumerationState]:
    """One state per batch of policies; ends when all are evaluated."""
    n, sizes = process.n_states, np.diff(process.first)
    acting = np.flatnonzero(sizes)
    count = int(np.prod(sizes[acting].astype(object), initial=1))
    P = process.transitions.toarray() if hasattr(process.transitions, "toarray") else np.asarray(process.transitions)
    best, values, pairs, highest = -np.inf, np.zeros(n), np.full(n, -1), np.full(n, -np.inf)
    for begin in range(0, count, BATCH):
        numbers = np.arange(begin, min(begin + BATCH, count))
        taken = np.full((len(numbers), n), -1)
        # A policy's number, written with as many digits as states act, the base of each its number of actions.
        rest = numbers
        for s in acting[::-1]:
            rest, digit = np.divmod(rest, sizes[s])
            taken[:, s] = process.first[s] + digit
        acts = taken >= 0
        chain = np.where(acts[:, :, None], P[taken], 0.0)
        reward = np.where(acts, process.rewards[taken], 0.0)
        V = np.linalg.solve(np.eye(n) - process.discount * chain, reward[:, :, None])[:, :, 0]
        highest = np.maximum(highest, V.max(axis=0))
        k = int(V.sum(axis=1).argmax())
        if V[k].sum() > best:
            best, values, pairs = float(V[k].sum()), V[k], taken[k]
        yield EnumerationState(best, values, pairs, highest, int(numbers[-1]) + 1)
