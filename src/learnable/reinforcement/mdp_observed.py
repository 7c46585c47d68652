"""Models estimated from observed steps."""

from collections.abc import Hashable, Iterable

import numpy as np

from learnable.reinforcement.mdp_arrays import Pairs
from learnable.reinforcement.mdp_tables import Outcome, pairs_of


def read_observed(
    observed: Iterable[tuple], prior: float
) -> tuple[Pairs, list[Hashable], list[Hashable], np.ndarray, np.ndarray | None]:
    """(pairs, states, actions, count of each pair, None) from steps (state, action, reward, next state[, ended])."""
    if not prior >= 0.0:
        raise ValueError(f"MDP.from_transitions(prior={prior}): prior must be >= 0")
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
            Outcome(s, a, after, prior * weight[s, a], gained[s, a] / count)
            for (s, a), count in tried.items()
            for after in range(len(states))
        ]
    counts = np.array([tried[pair] for pair in sorted(tried)])
    return pairs_of(outcomes, len(states)), list(states), list(actions), counts, None


def _steps(observed: Iterable[tuple]) -> tuple[dict[Hashable, int], dict[Hashable, int], list[Outcome]]:
    rows = []
    for number, row in enumerate(observed, start=1):
        if len(row) not in (4, 5):
            raise ValueError(
                f"MDP.from_transitions: step {number} has {len(row)} entries; state, action, reward, next state and "
                "perhaps ended are needed"
            )
        if not np.isfinite(row[2]):
            raise ValueError(f"MDP.from_transitions: the reward of step {number} is {row[2]}")
        rows.append((*row, False) if len(row) == 4 else tuple(row))
    if not rows:
        raise ValueError("MDP.from_transitions: no step was observed")
    states = _numbered(name for s, _, _, after, ended in rows for name in ((s,) if ended else (s, after)))
    actions = _numbered(row[1] for row in rows)
    steps = [
        Outcome(states[s], actions[a], -1 if ended else states[after], 1.0, float(reward))
        for s, a, reward, after, ended in rows
    ]
    return states, actions, steps


def _numbered(names: Iterable[Hashable]) -> dict[Hashable, int]:
    """Numbers for names: sorted if they can be compared, so that states 0, 1, 2 keep their numbers."""
    found = dict.fromkeys(name.item() if isinstance(name, np.generic) else name for name in names)
    try:
        ordered = sorted(found)  # type: ignore[type-var]
    except TypeError:
        ordered = list(found)
    return {name: number for number, name in enumerate(ordered)}
