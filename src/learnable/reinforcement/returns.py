"""Expected returns: exact, and by simulation with an interval."""

from math import ceil, log
from numbers import Integral
from typing import Any

import numpy as np

from learnable.evaluation import Interval, t_interval
from learnable.reinforcement.finite_horizon_evaluation import FiniteHorizonEvaluation
from learnable.reinforcement.mdp import MDP
from learnable.reinforcement.policy_evaluation import PolicyEvaluation
from learnable.reinforcement.simulation import Runner
from learnable.seeds import generator_from

# Rewards taken from a stream at a time, and at most.
STRETCH = 64
LONGEST = 1_000_000


def expected_return(mdp: MDP, policy: Any, *, horizon: int | None = None) -> float:
    """The expected return Σ γ^t r_t of an episode that begins by `mdp.start`, exact. Syllabus: RL2.

    Parameters
    ----------
    mdp, policy : the process and a `Policy`, or what `Policy` takes.
    horizon : number of steps; without end by default.

    >>> from learnable.reinforcement import MDP, expected_return
    >>> mdp = MDP([[[1.0]]], [[1.0]], discount=0.5)
    >>> expected_return(mdp, [0]), expected_return(mdp, [0], horizon=2)
    (2.0, 1.5)
    """
    if horizon is None:
        return float(mdp.start @ PolicyEvaluation(policy).fit(mdp).values_)
    return float(mdp.start @ FiniteHorizonEvaluation(policy, horizon=horizon).fit(mdp).values_[0])


def simulated_return(
    mdp: MDP,
    policy: Any,
    *,
    n_episodes: int = 1000,
    horizon: int | None = None,
    level: float = 0.95,
    random_state: Any = None,
) -> Interval:
    """The expected return from simulated episodes, with Student's interval. Syllabus: RL2.

    Without a horizon, discounted episodes are followed until what is left is below a thousandth of the largest return
    possible, and the interval is widened by that much; without discount they are followed to their end.

    >>> from learnable.reinforcement import expected_return, russell_norvig_world, simulated_return, uniform_policy
    >>> mdp = russell_norvig_world().mdp
    >>> random_walk = uniform_policy(mdp)
    >>> expected_return(mdp, random_walk) in simulated_return(mdp, random_walk, random_state=0)
    True
    """
    if not isinstance(n_episodes, Integral) or n_episodes < 2:
        raise ValueError(f"simulated_return(n_episodes={n_episodes}): at least 2 episodes are needed for an interval")
    if horizon is not None and (not isinstance(horizon, Integral) or horizon < 1):
        raise ValueError(f"simulated_return(horizon={horizon}): horizon must be an integer >= 1")
    runner = Runner(mdp, policy, n_episodes, generator_from(random_state, "simulated_return"))
    left_over, steps = 0.0, LONGEST
    if horizon is not None:
        steps = horizon
    elif mdp.discount < 1.0:
        largest = float(np.abs(runner.steps.outcome_rewards).max(initial=0.0))
        largest = max(largest, float(np.abs(runner.steps.ending_rewards).max(initial=0.0)))
        steps = ceil(log(1e-3) / log(mdp.discount)) if mdp.discount > 0.0 else 1
        left_over = mdp.discount**steps * largest / (1.0 - mdp.discount)
    returns, made = np.zeros(n_episodes), 0
    while made < steps and np.any(runner.state >= 0):
        stretch = min(STRETCH, steps - made)
        returns += mdp.discount**made * runner.run(stretch).returns(mdp.discount)
        made += stretch
    if horizon is None and mdp.discount == 1.0 and np.any(runner.state >= 0):
        state = mdp.states[int(runner.state.max())]
        raise ValueError(
            f"simulated_return: discount=1, and after {LONGEST} steps an episode goes on in state {state!r}; give a "
            "horizon or a discount below 1"
        )
    found = t_interval(returns, level=level)
    return found._replace(low=found.low - left_over, high=found.high + left_over)
