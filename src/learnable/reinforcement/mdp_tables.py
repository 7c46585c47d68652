"""Models from tables of transitions with probabilities: rows of text, data frames, gymnasium's `P`."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from learnable.plain import plain
from learnable.reinforcement.mdp_arrays import Pairs

COLUMNS = ("state", "action", "next_state", "probability", "reward")


class Transition(NamedTuple):
    """One line of a table; a next state of −1 ends the episode."""

    state: int
    action: int
    next_state: int
    probability: float
    reward: float


def read_table(table: Any) -> tuple[Pairs, list[Hashable], list[Hashable]]:
    """(pairs, states, actions) from rows of names."""
    states: dict[Hashable, int] = {}
    actions: dict[Hashable, int] = {}
    arrived: list[Hashable] = []
    lines = []
    for number, row in enumerate(_lines(table), start=1):
        if len(row) != len(COLUMNS):
            raise ValueError(f"MDP.from_table: row {number} has {len(row)} entries; {', '.join(COLUMNS)} are needed")
        state, action, after = map(plain, row[:3])
        if after != after:  # a data frame's NaN stands for None
            after = None
        states.setdefault(state, len(states))
        actions.setdefault(action, len(actions))
        arrived.append(after)
        numbers = [_number(row[place], number, COLUMNS[place]) for place in (3, 4)]
        lines.append((state, action, after, *numbers))
    if not lines:
        raise ValueError("MDP.from_table: the table has no rows")
    # States that act come first, in order of appearance; then those that are only arrived at.
    for after in arrived:
        if after is not None:
            states.setdefault(after, len(states))
    outcomes = [
        Transition(states[s], actions[a], -1 if after is None else states[after], p, r) for s, a, after, p, r in lines
    ]
    return pairs_of(outcomes, len(states)), list(states), list(actions)


def read_gymnasium(environment: Any) -> tuple[Pairs, int, int, np.ndarray | None]:
    """(pairs, number of states, number of actions, start) from the model an environment shows."""
    inside = getattr(environment, "unwrapped", environment)
    model = getattr(inside, "P", None)
    if model is None:
        raise TypeError(
            f"MDP.from_gymnasium({type(inside).__name__}): the environment shows no model (attribute P); learn with "
            "QLearning, or estimate a model with MDP.from_transitions"
        )
    n_states, n_actions = int(inside.observation_space.n), int(inside.action_space.n)
    outcomes = [
        Transition(s, a, -1 if done else int(after), float(probability), float(reward))
        for s in range(n_states)
        for a in range(n_actions)
        for probability, after, reward, done in model[s][a]
    ]
    start = getattr(inside, "initial_state_distrib", None)
    return pairs_of(outcomes, n_states), n_states, n_actions, None if start is None else np.asarray(start, dtype=float)


def pairs_of(outcomes: Sequence[Transition], n_states: int) -> Pairs:
    """Pairs with mean rewards; lines of the same state, action and next state add up."""
    s, a, after, probability, reward = (np.array(column) for column in zip(*outcomes))
    key = s * (a.max() + 1) + a
    kept, pair = np.unique(key, return_inverse=True)
    n_pairs, moves = len(kept), after >= 0

    def total(weights, among):
        shape = (n_pairs, n_states)
        return sparse.coo_matrix((weights[among], (pair[among], after[among])), shape=shape).tocsr()

    P = total(probability, moves)
    gains = total(probability * reward, moves)
    ending = np.bincount(pair[~moves], weights=probability[~moves], minlength=n_pairs)
    final = np.bincount(pair[~moves], weights=(probability * reward)[~moves], minlength=n_pairs)
    # P and the gains are sums over the same places in the same order, so their entries are aligned.
    share = np.divide(gains.data, P.data, out=np.zeros_like(P.data), where=P.data != 0.0)
    last = np.divide(final, ending, out=np.zeros(n_pairs), where=ending != 0.0)
    mean = np.asarray(gains.sum(axis=1)).ravel() + final
    return Pairs(kept // (a.max() + 1), kept % (a.max() + 1), P, mean, ending, share, last)


def _number(value: Any, row: int, column: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"MDP.from_table: row {row} has the {column} {plain(value)!r}; give a number") from None


def _lines(table: Any) -> Iterable[Sequence]:
    if hasattr(table, "columns"):
        import narwhals as nw

        frame = nw.from_native(table, eager_only=True)
        if missing := [name for name in COLUMNS if name not in frame.columns]:
            raise ValueError(f"MDP.from_table: the frame has no column {missing[0]!r}; columns: {frame.columns}")
        return frame.select(*COLUMNS).iter_rows()
    return table
