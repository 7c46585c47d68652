"""Grid worlds of the textbooks, whose values are in print."""

from learnable.reinforcement.grid_world import GridWorld, grid_world


def russell_norvig_world(living_reward: float = -0.04, discount: float = 1.0) -> GridWorld:
    """The 4×3 world of Russell and Norvig: one wall, goals of +1 and −1, a fifth of the moves slips sideways.

    >>> from learnable.reinforcement import russell_norvig_world
    >>> russell_norvig_world().mdp
    MDP(11 states, 4 actions, 36 pairs, 2 terminal, discount 1)
    """
    return grid_world(
        3, 4, goals={(0, 3): 1.0, (1, 3): -1.0}, walls=[(1, 1)], living_reward=living_reward, noise=0.2,
        discount=discount, start=(2, 0),
    )  # fmt: skip


def sutton_barto_world(discount: float = 0.9) -> GridWorld:
    """The 5×5 world of Sutton and Barto: A leads to A′ for 10, B to B′ for 5, a bump into the edge costs 1.

    >>> from learnable.reinforcement import PolicyEvaluation, sutton_barto_world, uniform_policy
    >>> world = sutton_barto_world()
    >>> value = PolicyEvaluation(uniform_policy(world.mdp)).fit(world.mdp)
    >>> print(world.table(value.values_, "{:.1f}"))
    3.3 8.8 4.4 5.3 1.5
    1.5 3.0 2.3 1.9 0.5
    0.1 0.7 0.7 0.4 -0.4
    -1.0 -0.4 -0.4 -0.6 -1.2
    -1.9 -1.3 -1.2 -1.4 -2.0
    """
    jumps = {(0, 1): ((4, 1), 10.0), (0, 3): ((2, 3), 5.0)}
    return grid_world(5, 5, jumps=jumps, bump_reward=-1.0, discount=discount)


def sutton_barto_corners() -> GridWorld:
    """The 4×4 world of Sutton and Barto: two corners end the episode, every move costs 1, no discount.

    >>> from learnable.reinforcement import PolicyEvaluation, sutton_barto_corners, uniform_policy
    >>> world = sutton_barto_corners()
    >>> value = PolicyEvaluation(uniform_policy(world.mdp)).fit(world.mdp)
    >>> print(world.table(value.values_, "{:.0f}"))
    0 -14 -20 -22
    -14 -18 -20 -20
    -20 -20 -18 -14
    -22 -20 -14 0
    """
    return grid_world(4, 4, goals={(0, 0): 0.0, (3, 3): 0.0}, living_reward=-1.0, discount=1.0)
