"""Models estimated from observed steps."""

import math
from collections.abc import Hashable, Iterable, Sequence
from numbers import Real
from typing import Any

import numpy as np

from learnable.plain import plain
from learnable.reinforcement.mdp_arrays import Pairs
from learnable.reinforcement.mdp_tables import Transition, pairs_of

STEP = "(state, action, reward, next state) or (state, action, reward, next state, ended)"


def read_observed(
    observed: Iterable[tuple], prior: float
) -> tuple[Pairs, list[Hashable], list[Hashable], np.ndarray, np.ndarray | None]:
    """(pairs, states, actions, count of each pair, None) from steps (state, action, reward, next state[, ended])."""
    if isinstance(prior, bool) or not isinstance(prior, Real):
        raise TypeError(f"MDP.from_transitions(prior={plain(prior)!r}): prior must be a number >= 0")
    if not 0.0 <= prior < np.inf:
        raise ValueError(f"MDP.from_transitions(prior={prior}): prior must be >= 0 and finite")
    states, actions, steps = _steps(observed)
    tried: dict[tuple[int, int], int] = {}
    for step in steps:
        tried[step.state, step.action] = tried.get((step.state, step.action), 0) + 1
    # A seen step is an outcome of weight 1/N; a pseudo-count is one for every state, at the mean reward of the pair.
    weight = {pair: 1.0 / (count + prior * len(states)) for pair, count in tried.items()}
    outcomes = [step._replace(probability=weight[step.state, step.action]) for step in steps]
    if prior > 0.0:
        gained: dict[tuple[int, int], float] = {}
        for step in steps:
            gained[step.state, step.action] = gained.get((step.state, step.action), 0.0) + step.reward
        outcomes += [
            Transition(s, a, after, prior * weight[s, a], gained[s, a] / count)
            for (s, a), count in tried.items()
            for after in range(len(states))
        ]
    counts = np.array([tried[pair] for pair in sorted(tried)])
    return pairs_of(outcomes, len(states)), list(states), list(actions), counts, None


def _steps(observed: Iterable[tuple]) -> tuple[dict[Hashable, int], dict[Hashable, int], list[Transition]]:
    if isinstance(observed, str) or not isinstance(observed, Iterable):
        raise TypeError(f"MDP.from_transitions(observed={observed!r}): a list of steps is needed, each {STEP}")
    rows = [_checked_step(row, f"step {number}") for number, row in enumerate(observed, start=1)]
    if not rows:
        raise ValueError(f"MDP.from_transitions: no step was observed; give at least one, {STEP}")
    states = _numbered(name for s, _, _, after, ended in rows for name in ((s,) if ended else (s, after)))
    actions = _numbered(row[1] for row in rows)
    steps = [
        Transition(states[s], actions[a], -1 if ended else states[after], 1.0, reward)
        for s, a, reward, after, ended in rows
    ]
    return states, actions, steps


def _checked_step(row: Any, step: str) -> tuple[Hashable, Hashable, float, Hashable, bool]:
    if not isinstance(row, Sequence | np.ndarray) or isinstance(row, str):
        raise TypeError(f"MDP.from_transitions: {step} is {row!r}; each step is {STEP}")
    if len(row) not in (4, 5):
        raise ValueError(f"MDP.from_transitions: {step} has {len(row)} entries; each step is {STEP}")
    state, action, reward, after, *rest = map(plain, row)
    ended = rest[0] if rest else False
    if not isinstance(reward, Real):
        raise TypeError(
            f"MDP.from_transitions: the reward of {step} is {reward!r}; it must be a number; each is {STEP}"
        )
    if not math.isfinite(reward):
        raise ValueError(
            f"MDP.from_transitions: the reward of {step} is {reward}; it must be finite: leave the step out"
        )
    if ended not in (False, True):
        raise TypeError(f"MDP.from_transitions: {step} says ended={ended!r}; it must be True or False")
    if after is None and not ended:
        raise ValueError(f"MDP.from_transitions: {step} leads to None; where the episode ended say so, ended=True")
    for what, name in (("state", state), ("action", action), ("next state", after)):
        if not isinstance(name, Hashable):
            raise TypeError(
                f"MDP.from_transitions: the {what} of {step} is {name!r}; name it by a number, str or tuple"
            )
    return state, action, float(reward), after, bool(ended)


def _numbered(names: Iterable[Hashable]) -> dict[Hashable, int]:
    """Numbers for names: sorted if they can be compared, so that states 0, 1, 2 keep their numbers."""
    found = dict.fromkeys(names)
    try:
        ordered = sorted(found)  # type: ignore[type-var]
    except TypeError:
        ordered = list(found)
    return {name: number for number, name in enumerate(ordered)}
