"""Episodes drawn from a process."""

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from learnable._jit.reinforcement.walk import walk
from learnable.reinforcement.mdp import MDP
from learnable.reinforcement.policy import Policy
from learnable.reinforcement.sampler import steps_of
from learnable.seeds import generator_from
from learnable.solvers.reinforcement.q_learning import Steps


class Episodes(NamedTuple):
    """Simulated episodes, one a row; −1 (rewards: 0) after the end.

    Attributes
    ----------
    states : (n, T) the state at each time. actions : (n, T). rewards : (n, T).
    final_states : (n,) where each stands after the last step, −1 if it has ended.
    """

    states: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray
    final_states: np.ndarray

    @property
    def lengths(self) -> np.ndarray:
        """(n,): steps made."""
        return (self.actions >= 0).sum(axis=1)

    def returns(self, discount: float) -> np.ndarray:
        """(n,): Σ_t γ^t r_t."""
        return self.rewards @ discount ** np.arange(self.rewards.shape[1])

    def transitions(self) -> list[tuple[int, int, float, int, bool]]:
        """The steps as (state, action, reward, next state, ended), as `MDP.from_transitions` takes them."""
        after = np.column_stack([self.states[:, 1:], self.final_states])
        made = np.argwhere(self.actions >= 0)
        return [
            (
                int(self.states[i, t]),
                int(self.actions[i, t]),
                float(self.rewards[i, t]),
                int(after[i, t]),
                after[i, t] < 0,
            )
            for i, t in made
        ]


def simulate(mdp: MDP, policy: Any, *, n_episodes: int = 100, horizon: int = 100, random_state: Any = None) -> Episodes:
    """Episodes under a policy, each of at most `horizon` steps. Syllabus: RL1.

    Parameters
    ----------
    mdp : the process; episodes begin by `mdp.start`.
    policy : a `Policy`, or what `Policy` takes.
    random_state : seed or `numpy.random.Generator`.

    >>> from learnable.reinforcement import russell_norvig_world, simulate, uniform_policy
    >>> mdp = russell_norvig_world().mdp
    >>> simulate(mdp, uniform_policy(mdp), n_episodes=3, horizon=5, random_state=0).states.shape
    (3, 5)
    """
    for name, number in (("n_episodes", n_episodes), ("horizon", horizon)):
        if not isinstance(number, Integral) or number < 1:
            raise ValueError(f"simulate({name}={number}): {name} must be an integer >= 1")
    runner = Runner(mdp, policy, n_episodes, generator_from(random_state, "simulate"))
    return runner.run(horizon)


# Steps that a stationary policy may be followed.
FOREVER = 2**62


class Runner:
    """Episodes that are run a stretch at a time."""

    def __init__(self, mdp: MDP, policy: Any, n_episodes: int, generator: np.random.Generator):
        self.mdp, self.generator, self.time = mdp, generator, 0
        self.steps: Steps = steps_of(mdp)
        rule = Policy(mdp, policy)
        # A policy that changes with time says nothing beyond its last time.
        self.lasts = FOREVER if rule.stationary else len(rule.weights)
        self.policy = cumulative_policy(mdp, rule)
        self.state = np.searchsorted(self.steps.begin, generator.random(n_episodes), side="right")

    def run(self, horizon: int) -> Episodes:
        n = len(self.state)
        if self.time + horizon > self.lasts:
            raise ValueError(
                f"the policy is given for {self.lasts} times, but {self.time + horizon} steps are asked for; give a "
                "shorter horizon, or a rule for every time"
            )
        states, pairs, entries = (np.empty((n, horizon), dtype=np.int64) for _ in range(3))
        uniforms = self.generator.random((n, horizon, 2))
        steps = self.steps
        walk(
            steps.cumulative, steps.places, steps.starts, steps.first, self.policy, self.time, self.state, uniforms,
            states, pairs, entries,
        )  # fmt: skip
        self.time += horizon
        moved, ended = entries >= 0, (pairs >= 0) & (entries < 0)
        rewards = np.zeros((n, horizon))
        rewards[moved] = steps.outcome_rewards[entries[moved]]
        rewards[ended] = steps.ending_rewards[pairs[ended]]
        actions = np.where(pairs >= 0, self.mdp.pair_actions[np.maximum(pairs, 0)], -1)
        return Episodes(states, actions, rewards, self.state.copy())


def cumulative_policy(mdp: MDP, policy: Policy) -> np.ndarray:
    """(T, K): cumulative probabilities of the pairs of each state."""
    total = np.cumsum(policy.weights, axis=1)
    before = np.where(mdp.first[:-1] > 0, np.take(total, np.maximum(mdp.first[:-1] - 1, 0), axis=1), 0.0)
    return np.ascontiguousarray(total - before[:, mdp.pair_states])
