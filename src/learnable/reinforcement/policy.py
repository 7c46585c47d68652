"""Policies: one action a state, probabilities of actions, or one of these for every time."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from learnable.plain import plain
from learnable.reinforcement.mdp import MDP


class Policy:
    """How to act in a process: deterministic, stochastic or changing with time. Syllabus: RL1.

    Parameters
    ----------
    mdp : the process.
    rule : ints (S,) for one action a state, probabilities (S, A), ints (T, S) or probabilities (T, S, A) for a policy
        that changes with time, or a mapping from names of states to names of actions. What stands at a state without
        actions is not read.

    Attributes
    ----------
    weights : array (T, K), the probability of each pair given its state; T = 1 for a stationary policy.
    stationary, deterministic : bool.

    Examples
    --------
    >>> from learnable.reinforcement import MDP, Policy
    >>> mdp = MDP.from_table([("in", "wait", "in", 1.0, 0.0), ("in", "leave", None, 1.0, 5.0)], discount=0.9)
    >>> Policy(mdp, {"in": "leave"}).actions
    array([1])
    >>> Policy(mdp, [[0.25, 0.75]]).deterministic
    False
    """

    stationary: bool

    def __init__(self, mdp: MDP, rule: Any):
        table, owner = np.diff(mdp.first) > 0, f"Policy of {mdp.n_states} states"
        if isinstance(rule, Policy):
            rule = rule.probabilities if rule.stationary else rule.probabilities_by_time
        if isinstance(rule, Mapping):
            rule = _from_names(mdp, rule)
        rule = np.asarray(rule)
        if rule.dtype.kind in "iu" and rule.ndim in (1, 2) and rule.shape[-1] == mdp.n_states:
            weights = np.array([_from_actions(mdp, actions, owner) for actions in np.atleast_2d(rule)])
            self.stationary = rule.ndim == 1
        elif rule.dtype.kind == "f" and rule.ndim in (2, 3) and rule.shape[-2:] == (mdp.n_states, mdp.n_actions):
            tables = rule[None] if rule.ndim == 2 else rule
            weights = np.array([_from_probabilities(mdp, each, table, owner) for each in tables])
            self.stationary = rule.ndim == 2
        else:
            raise ValueError(
                f"{owner} and {mdp.n_actions} actions: ints of shape (S,) or (T, S), or floats of shape (S, A) or "
                f"(T, S, A) are needed; found {rule.dtype} of shape {rule.shape}"
            )
        self.mdp, self.weights = mdp, weights
        self.deterministic = bool(np.all((weights == 0.0) | (weights == 1.0)))

    @property
    def actions(self) -> np.ndarray:
        """(S,) or (T, S): the action taken in each state, −1 where there is none; of a deterministic policy."""
        if not self.deterministic:
            raise ValueError("Policy.actions: the policy is stochastic; see probabilities")
        taken = np.full((len(self.weights), self.mdp.n_states), -1)
        for t, weights in enumerate(self.weights):
            k = np.flatnonzero(weights)
            taken[t, self.mdp.pair_states[k]] = self.mdp.pair_actions[k]
        return taken[0] if self.stationary else taken

    @property
    def probabilities_by_time(self) -> np.ndarray:
        """(T, S, A): π_t(a | s), all 0 at states without actions."""
        return np.nan_to_num(np.array([self.mdp.pair_matrix(weights) for weights in self.weights]))

    @property
    def probabilities(self) -> np.ndarray:
        """(S, A) of a stationary policy."""
        if not self.stationary:
            raise ValueError(f"Policy.probabilities: the policy changes over {len(self.weights)} times")
        return self.probabilities_by_time[0]

    def __repr__(self) -> str:
        kind = "deterministic" if self.deterministic else "stochastic"
        time = "stationary" if self.stationary else f"{len(self.weights)} times"
        return f"Policy({kind}, {time}, {self.mdp.n_states} states)"


def stationary_weights(mdp: MDP, rule: Any, owner: str) -> np.ndarray:
    """(K,): the weights of a policy that must not change with time."""
    policy = Policy(mdp, rule)
    if not policy.stationary:
        raise ValueError(f"{owner}: the policy changes with time; give one rule, or a horizon")
    return policy.weights[0]


def uniform_policy(mdp: MDP) -> Policy:
    """Every available action with the same probability.

    >>> from learnable.reinforcement import russell_norvig_world, uniform_policy
    >>> uniform_policy(russell_norvig_world().mdp).probabilities[0]
    array([0.25, 0.25, 0.25, 0.25])
    """
    allowed = mdp.available.astype(float)
    return Policy(mdp, allowed / np.maximum(allowed.sum(axis=1, keepdims=True), 1.0))


def greedy_policy(mdp: MDP, values: Any) -> Policy:
    """The policy that is greedy for values (S,) or for Q (S, A): it takes the best action, the first among equals.

    >>> from learnable.reinforcement import greedy_policy, russell_norvig_world
    >>> world = russell_norvig_world()
    >>> greedy_policy(world.mdp, [0.0] * 11).deterministic
    True
    """
    values = np.asarray(values, dtype=float)
    if values.shape == (mdp.n_states,):
        q = mdp.rewards + mdp.discount * np.asarray(mdp.transitions @ values).ravel()
    elif values.shape == (mdp.n_states, mdp.n_actions):
        q = values[mdp.pair_states, mdp.pair_actions]
    else:
        raise ValueError(f"greedy_policy: values of shape {values.shape} for {mdp.n_states} states")
    if np.isnan(q).any():
        state = mdp.states[int(mdp.pair_states[int(np.argmax(np.isnan(q)))])]
        raise ValueError(f"greedy_policy: the value of an action of state {plain(state)!r} is nan; give it a number")
    table = np.where(mdp.available, mdp.pair_matrix(q), -np.inf)
    return Policy(mdp, np.where(mdp.available.any(axis=1), table.argmax(axis=1), -1))


def _from_names(mdp: MDP, rule: Mapping) -> np.ndarray:
    actions = np.full(mdp.n_states, -1)
    numbers = {name: a for a, name in enumerate(mdp.actions)}
    for state, action in rule.items():
        if action not in numbers:
            raise ValueError(f"Policy: no action is called {plain(action)!r} (state {plain(state)!r})")
        actions[mdp.state_number(state)] = numbers[action]
    return actions


def _from_actions(mdp: MDP, actions: np.ndarray, owner: str) -> np.ndarray:
    weights = (mdp.pair_actions == actions[mdp.pair_states]).astype(float)
    acts = np.zeros(mdp.n_states, dtype=bool)
    acts[mdp.pair_states[weights > 0.0]] = True
    wrong = np.flatnonzero(~acts & (np.diff(mdp.first) > 0))
    if len(wrong):
        s = int(wrong[0])
        raise ValueError(f"{owner}: action {actions[s]} is not available in state {mdp.states[s]!r}")
    return weights


def _from_probabilities(mdp: MDP, table: np.ndarray, acting: np.ndarray, owner: str) -> np.ndarray:
    inside = np.where(acting[:, None], table, 0.0)
    if not np.all(inside >= 0.0):
        s, a = np.argwhere(~(inside >= 0.0))[0]
        raise ValueError(f"{owner}: state {mdp.states[s]!r} takes action {a} with probability {inside[s, a]}")
    if np.any(inside[~mdp.available] > 0.0):
        s, a = np.argwhere((inside > 0.0) & ~mdp.available)[0]
        raise ValueError(f"{owner}: action {a} is not available in state {mdp.states[s]!r}")
    sums = inside.sum(axis=1)
    off = np.where(acting, np.abs(sums - 1.0), 0.0)
    if off.max() > 1e-8:
        s = int(off.argmax())
        raise ValueError(f"{owner}: the probabilities of state {mdp.states[s]!r} sum to {sums[s]:.9g}, not 1")
    return (inside / np.where(acting, sums, 1.0)[:, None])[mdp.pair_states, mdp.pair_actions]


# What a parameter that names a policy may be.
RULE: list[Any] = [Policy, Mapping, "array-like"]
