"""Decision processes: what each state is worth, and where to go from it."""

from typing import Any

import numpy as np

from learnable.films.marks import cells
from learnable.films.registry import Picture, Shot, draws

# Actions of a grid world, as (right, down).
_MOVES = {"left": (-1, 0), "down": (0, 1), "right": (1, 0), "up": (0, -1), "←": (-1, 0), "↓": (0, 1), "→": (1, 0),
          "↑": (0, -1)}  # fmt: skip


@draws(
    "solvers.reinforcement.policy_iteration.PolicyState",
    "solvers.reinforcement.value_iteration.SweepState",
    "solvers.reinforcement.q_learning.LearningState",
    "solvers.reinforcement.occupancy_program.ProgramState",
    "solvers.reinforcement.policy_enumeration.EnumerationState",
    "solvers.reinforcement.policy_evaluation.EvaluationState",
    "solvers.reinforcement.backward_induction.InductionState",
)
def plan(shot: Shot) -> Picture:
    """Values as colours, actions as arrows: on the grid where the states are cells of one, else state by state."""
    mdp = next((each for each in shot.stage.data if hasattr(each, "n_states")), None)
    model = shot.model
    values = np.asarray(model.values_, dtype=float)
    values = values[0] if values.ndim == 2 else values
    policy = getattr(model, "policy_", None)
    policy = None if policy is None else np.asarray(policy)
    # with a horizon: the first step of each
    policy = policy[0] if policy is not None and policy.ndim == 2 and len(policy) != len(values) else policy
    states = list(getattr(mdp, "states", None) or range(len(values)))
    actions = [str(action) for action in (getattr(mdp, "actions", None) or ())]
    if all(isinstance(state, tuple) and len(state) == 2 for state in states):
        panel = _grid(states, values, policy, actions)
    else:
        panel = cells("Values of the states", values[None, :60], columns=[str(state) for state in states[:60]])
    panels = [panel]
    q = getattr(model, "q_values_", None)
    if q is not None and np.ndim(q) == 2 and len(q) <= 30:
        panels.append(cells("Values of the actions", q, rows=[str(state) for state in states], columns=actions))
    return Picture(panels, f"The best state is worth {np.nanmax(values):.4g}, the worst {np.nanmin(values):.4g}.")


def _grid(states: list[tuple[int, int]], values: np.ndarray, policy: Any, actions: list[str]) -> dict[str, Any]:
    shape = np.max(np.array(states), axis=0) + 1
    table = np.full(shape, np.nan)
    arrows = []
    for k, (i, j) in enumerate(states):
        table[i, j] = values[k]
        if policy is not None and policy.ndim == 1 and 0 <= int(policy[k]) < len(actions):
            move = _MOVES.get(actions[int(policy[k])])
            if move is not None:
                arrows.append([i, j, *move])
    return cells("Values and moves", table, arrows=arrows)
