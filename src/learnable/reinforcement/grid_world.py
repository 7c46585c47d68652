"""Grid worlds: cells, walls, goals, noise."""

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from scipy import sparse

from learnable.reinforcement import grid_svg
from learnable.reinforcement.mdp import MDP

MOVES = {"up": (-1, 0), "right": (0, 1), "down": (1, 0), "left": (0, -1)}
ARROWS = ("↑", "→", "↓", "←")
Cell = tuple[int, int]


class GridWorld:
    """A decision process on the cells of a grid, which can be drawn.

    Attributes
    ----------
    mdp : the process; its states are the cells (row, column) that are not walls, row by row, its actions are up, right,
        down and left.
    shape : (rows, columns).
    goals : the reward of every goal cell.

    Examples
    --------
    >>> from learnable.reinforcement import ValueIteration, grid_world
    >>> world = grid_world(2, 3, goals={(0, 2): 1.0}, walls=[(0, 1)], discount=0.9)
    >>> plan = ValueIteration().fit(world.mdp)
    >>> print(world.arrows(plan.policy_))
    ↓ # +
    → → ↑
    >>> world.svg(plan).startswith("<svg")
    True
    """

    def __init__(self, mdp: MDP, shape: tuple[int, int], goals: Mapping[Cell, float]):
        self.mdp, self.shape, self.goals = mdp, shape, dict(goals)

    def table(self, values: Any, form: str = "{:.2f}") -> str:
        """Values as text, a line a row: the reward at a goal, nothing where there is a wall."""
        shown = self._by_cell(values, form.format)
        shown |= {cell: form.format(reward) for cell, reward in self.goals.items()}
        return self._lines(shown, " " * min(len(text) for text in shown.values()))

    def arrows(self, policy: Any) -> str:
        """Actions as arrows, + and - for goals, # for walls."""
        shown = self._by_cell(policy, lambda a: ARROWS[int(a)] if a >= 0 else "·")
        return self._lines(shown | {cell: "-" if gain < 0 else "+" for cell, gain in self.goals.items()}, "#")

    def svg(self, plan: Any = None, *, values: Any = None, policy: Any = None) -> str:
        """The grid as an SVG picture, with the values and the arrows of a plan, or of those given.

        Parameters
        ----------
        plan : anything with `values_` and `policy_`.
        values : array (S,); policy : ints (S,), or probabilities (S, A).
        """
        values = getattr(plan, "values_", None) if values is None else np.asarray(values, dtype=float)
        policy = getattr(plan, "policy_", None) if policy is None else np.asarray(policy)
        if values is not None and np.shape(values) != (self.mdp.n_states,):
            raise ValueError(f"GridWorld.svg: values of shape {np.shape(values)} for {self.mdp.n_states} cells")
        return grid_svg.draw(self.shape, list(self.mdp.states), self.goals, values, self._chances(policy))

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        walls = self.shape[0] * self.shape[1] - self.mdp.n_states
        return f"GridWorld({self.shape[0]} x {self.shape[1]}, {walls} walls, {len(self.goals)} goals, {self.mdp!r})"

    def _chances(self, policy: Any) -> np.ndarray | None:
        """(S, 4): the probability of each move."""
        if policy is None:
            return None
        if policy.ndim == 2:
            return policy
        return (policy[:, None] == np.arange(4)).astype(float)

    def _by_cell(self, numbers: Any, form) -> dict[Cell, str]:
        return {cell: form(number) for cell, number in zip(self.mdp.states, numbers)}  # type: ignore[misc]

    def _lines(self, shown: Mapping[Cell, str], wall: str) -> str:
        rows, columns = self.shape
        lines = (" ".join(shown.get((i, j), wall) for j in range(columns)) for i in range(rows))
        return "\n".join(line.rstrip() for line in lines)


def grid_world(
    rows: int,
    columns: int,
    *,
    goals: Mapping[Cell, float] | None = None,
    walls: Sequence[Cell] = (),
    living_reward: float = 0.0,
    noise: float = 0.0,
    jumps: Mapping[Cell, tuple[Cell, float]] | None = None,
    bump_reward: float | None = None,
    discount: float = 0.99,
    start: Cell | None = None,
) -> GridWorld:
    """A grid world: moves up, right, down and left; a move into a wall or over the edge stays. Syllabus: RL1.

    Parameters
    ----------
    rows, columns : size.
    goals : cell -> what entering it earns on top of the living reward. A goal ends the episode: it is a state without
        moves, of value 0.
    walls : cells that cannot be entered.
    living_reward : reward of every move.
    noise : probability that a move slips to one of its two sides, half each.
    jumps : cell -> (cell it leads to, reward), whatever the move.
    bump_reward : reward of a move that stays because of a wall or the edge; by default the living reward.
    discount : γ.
    start : cell where episodes begin; anywhere by default.
    """
    goals, jumps, barred = dict(goals or {}), dict(jumps or {}), set(walls)
    _check_cells(rows, columns, [*goals, *barred, *jumps, *(to for to, _ in jumps.values())], noise)
    _check_uses(goals, barred, jumps)
    free = np.ones((rows, columns), dtype=bool)
    for cell in barred:
        free[cell] = False
    number = np.where(free, np.cumsum(free).reshape(rows, columns) - 1, -1)
    cells = np.argwhere(free)
    n = len(cells)
    gain = np.full(n, np.nan)
    for cell, reward in goals.items():
        gain[number[cell]] = reward
    # 1. Where each of the four directions leads from every cell, and what it earns.
    lands = np.empty((4, n), dtype=np.int64)
    earns = np.empty((4, n))
    for a, (down, right) in enumerate(MOVES.values()):
        i, j = cells[:, 0] + down, cells[:, 1] + right
        inside = (i >= 0) & (i < rows) & (j >= 0) & (j < columns)
        target = np.where(inside, number[np.clip(i, 0, rows - 1), np.clip(j, 0, columns - 1)], -1)
        stays = target < 0
        lands[a] = np.where(stays, np.arange(n), target)
        bump = living_reward if bump_reward is None else bump_reward
        earns[a] = np.where(stays, bump, living_reward) + np.nan_to_num(gain[lands[a]])
    for cell, (to, reward) in jumps.items():
        lands[:, number[cell]], earns[:, number[cell]] = number[to], reward
    # 2. A pair for every move of every cell that is no goal: straight on, or a slip to either side.
    acting = np.flatnonzero(np.isnan(gain))
    pair_state, pair_action = np.repeat(acting, 4), np.tile(np.arange(4), len(acting))
    chances = [(0, 1.0 - noise), (1, 0.5 * noise), (3, 0.5 * noise)] if noise > 0.0 else [(0, 1.0)]
    K = len(pair_state)
    P: Any = sparse.csr_matrix((K, n))
    mean = np.zeros(K)
    for turn, chance in chances:
        direction = (pair_action + turn) % 4
        landing = lands[direction, pair_state]
        P = P + sparse.csr_matrix((np.full(K, chance), (np.arange(K), landing)), shape=(K, n))
        mean += chance * earns[direction, pair_state]
    names = [(int(i), int(j)) for i, j in cells]
    mdp = MDP.from_pairs(pair_state, pair_action, P, mean, discount, start=start, states=names, actions=list(MOVES))
    return GridWorld(mdp, (rows, columns), goals)


def _check_uses(goals: Mapping[Cell, float], barred: set[Cell], jumps: Mapping[Cell, tuple[Cell, float]]) -> None:
    uses = (("a goal", goals), ("the start of a jump", jumps), ("the end of a jump", [to for to, _ in jumps.values()]))
    for use, cells in uses:
        if walled := [cell for cell in cells if cell in barred]:
            raise ValueError(f"grid_world: cell {walled[0]} is a wall and {use}; it cannot be both")
    if endless := [cell for cell in jumps if cell in goals]:
        raise ValueError(f"grid_world: cell {endless[0]} is a goal, which ends the episode, and the start of a jump")
    rewards = {**goals, **{cell: reward for cell, (_, reward) in jumps.items()}}
    if strange := [cell for cell, reward in rewards.items() if not np.isfinite(reward)]:
        raise ValueError(f"grid_world: the reward of cell {strange[0]} is {rewards[strange[0]]}; it must be finite")


def _check_cells(rows: int, columns: int, cells: Sequence[Cell], noise: float) -> None:
    if not all(isinstance(size, Integral) and size >= 1 for size in (rows, columns)):
        raise ValueError(f"grid_world({rows}, {columns}): at least one row and one column are needed, in whole numbers")
    if not 0.0 <= noise <= 1.0:
        raise ValueError(f"grid_world(noise={noise}): noise is a probability")
    for i, j in cells:
        if not (0 <= i < rows and 0 <= j < columns):
            raise ValueError(f"grid_world: cell {(i, j)} lies outside of {rows} x {columns}")
