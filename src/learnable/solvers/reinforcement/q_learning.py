"""Q-learning: learning to act from steps alone. Syllabus: RL9, RL10.

A state of the algorithm is a stretch of steps. Over a known process the steps run in a kernel; over an environment
each step is one call of it and one of a kernel.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from learnable._jit.reinforcement.q_learning import choose, learn, respond

FOREVER = np.iinfo(np.int64).max


class Rules(NamedTuple):
    """How to learn and to explore: (scale, offset, power) of the step sizes, (epsilon, temperature, bonus, decay)."""

    step: tuple[float, float, float]
    exploration: tuple[float, float, float, float]
    discount: float
    horizon: int | None


class LearningState(NamedTuple):
    """After a stretch of steps.

    Attributes
    ----------
    objective : mean return of the episodes completed in it (of all before, if there was none).
    steps : steps made so far.
    q, visits : (K,).
    returns, lengths : of the episodes completed in it.
    regret : Σ (V* − Q*(s, a)) over its steps; 0 when V* is not known.
    """

    objective: float
    steps: int
    q: np.ndarray
    visits: np.ndarray
    returns: np.ndarray
    lengths: np.ndarray
    regret: float


class Steps(NamedTuple):
    """What to draw the steps of a known process from.

    Attributes
    ----------
    cumulative, places, starts : cumulative probabilities of the next states of each pair.
    outcome_rewards, ending_rewards : the reward of each place, and of a step of each pair that ends the episode.
    first : (S + 1,), where the pairs of each state begin.
    begin : (S,), cumulative start probabilities.
    """

    cumulative: np.ndarray
    places: np.ndarray
    starts: np.ndarray
    outcome_rewards: np.ndarray
    ending_rewards: np.ndarray
    first: np.ndarray
    begin: np.ndarray


def iterates(
    steps: Steps, rules: Rules, gaps: np.ndarray, initial: float, lengths: list[int], generator: np.random.Generator
) -> Iterator[LearningState]:
    """One state per stretch; `lengths` tells how many steps each makes. `gaps` (K,) are V* − Q*, or zeros."""
    K, n = len(gaps), len(steps.first) - 1
    q, visits, seen = np.full(K, float(initial)), np.zeros(K, dtype=np.int64), np.zeros(n, dtype=np.int64)
    now, tally = np.array([-1, 0]), np.array([0.0, 1.0])
    made, mean = 0, 0.0
    horizon = FOREVER if rules.horizon is None else rules.horizon
    for length in lengths:
        returns, durations = np.empty(length), np.empty(length, dtype=np.int64)
        uniforms = generator.random((length, 4))
        done, regret = learn(
            steps.cumulative, steps.places, steps.starts, steps.outcome_rewards, steps.ending_rewards, steps.first,
            steps.begin, gaps, rules.discount, horizon, rules.step, rules.exploration, uniforms, now, tally, q, visits,
            seen, returns, durations,
        )  # fmt: skip
        made += length
        mean = float(returns[:done].mean()) if done else mean
        yield LearningState(mean, made, q, visits, returns[:done].copy(), durations[:done].copy(), float(regret))


def environment_iterates(
    environment: Any, n_actions: int, n_states: int, rules: Rules, initial: float, lengths: list[int],
    generator: np.random.Generator,
) -> Iterator[LearningState]:  # fmt: skip
    """The same with the steps of a gymnasium environment; a truncated episode is begun anew but not taken to end."""
    K = n_states * n_actions
    q, visits, seen = np.full(K, float(initial)), np.zeros(K, dtype=np.int64), np.zeros(n_states, dtype=np.int64)
    first = np.arange(n_states + 1, dtype=np.int64) * n_actions
    table = (q, visits, seen, first)
    discount, step, exploration = rules.discount, rules.step, rules.exploration
    horizon = FOREVER if rules.horizon is None else rules.horizon
    take = environment.step
    state, _ = environment.reset(seed=int(generator.integers(2**31)))
    pair = choose(*table, state, exploration, *generator.random(2).tolist())
    made, mean, gain, weight, duration = 0, 0.0, 0.0, 1.0, 0
    for length in lengths:
        returns, durations = [], []
        for u, w in generator.random((length, 2)).tolist():
            after, reward, ended, cut, _ = take(pair - state * n_actions)
            pair = respond(
                q,
                visits,
                seen,
                first,
                state,
                pair,
                float(reward),
                int(after),
                bool(ended),
                discount,
                step,
                exploration,
                u,
                w,
            )
            gain += weight * reward
            weight *= discount
            duration += 1
            state = after
            if ended or cut or duration >= horizon:
                returns.append(gain)
                durations.append(duration)
                gain, weight, duration = 0.0, 1.0, 0
                state, _ = environment.reset()
                pair = choose(*table, state, exploration, u, w)
        made += length
        mean = float(np.mean(returns)) if returns else mean
        yield LearningState(mean, made, q, visits, np.array(returns), np.array(durations, dtype=np.int64), 0.0)
