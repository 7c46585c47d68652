"""How fast Q-learning learns and how it explores. Syllabus: RL9, RL10."""

from typing import NamedTuple


class StepSizes(NamedTuple):
    """α = min(1, scale / (offset + n)^power) at the (n + 1)-th visit of a pair.

    Q-learning converges when Σ α = ∞ and Σ α² < ∞, which is 1/2 < power ≤ 1.
    """

    scale: float = 1.0
    offset: float = 1.0
    power: float = 0.8

    @property
    def converges(self) -> bool:
        """Whether Σ α = ∞ and Σ α² < ∞.

        >>> StepSizes(power=1.0).converges, StepSizes(power=0.5).converges
        (True, False)
        """
        return self.scale > 0.0 and 0.5 < self.power <= 1.0

    def refuse_nonsense(self) -> None:
        """ValueError unless every step size lies in (0, 1]."""
        if not (self.scale > 0.0 and self.offset > 0.0 and 0.0 <= self.power <= 1.0):
            raise ValueError(f"{self}: scale and offset must be positive, and power must lie in [0, 1]")


class Exploration(NamedTuple):
    """With probability ε a random action, else softmax of temperature τ (0 for the best), with a bonus for the unseen.

    After n visits of a state, ε and τ are divided by (1 + n)^decay; with decay ≤ 1 a state that is visited for ever
    has every action tried for ever.
    """

    epsilon: float = 0.0
    temperature: float = 0.0
    bonus: float = 0.0
    decay: float = 0.0

    def refuse_nonsense(self) -> None:
        """ValueError unless ε is a probability and nothing is negative."""
        if not (0.0 <= self.epsilon <= 1.0 and self.temperature >= 0.0 and self.bonus >= 0.0 and self.decay >= 0.0):
            raise ValueError(f"{self}: epsilon must lie in [0, 1], and temperature, bonus and decay must be >= 0")


def visit_count_steps(power: float = 0.8, *, offset: float = 1.0, scale: float = 1.0) -> StepSizes:
    """α = min(1, scale / (offset + n)^power), n the visits of the pair so far.

    >>> visit_count_steps(1.0)
    StepSizes(scale=1.0, offset=1.0, power=1.0)
    """
    if not (0.0 < power <= 1.0 and offset > 0.0 and scale > 0.0):
        raise ValueError(
            f"visit_count_steps(power={power}, offset={offset}, scale={scale}): power in (0, 1], offset and scale "
            "positive are needed"
        )
    return StepSizes(float(scale), float(offset), float(power))


def constant_steps(alpha: float = 0.1) -> StepSizes:
    """α the same at every visit: quick at first, but Q goes on to tremble around Q*.

    >>> constant_steps(0.1).converges
    False
    """
    if not 0.0 < alpha <= 1.0:
        raise ValueError(f"constant_steps(alpha={alpha}): alpha must lie in (0, 1]")
    return StepSizes(float(alpha), 1.0, 0.0)


def epsilon_greedy(epsilon: float = 0.1, *, decay: float = 0.0) -> Exploration:
    """The best action, but a random one with probability ε / (1 + visits of the state)^decay.

    >>> epsilon_greedy(0.2)
    Exploration(epsilon=0.2, temperature=0.0, bonus=0.0, decay=0.0)
    """
    if not (0.0 <= epsilon <= 1.0 and decay >= 0.0):
        raise ValueError(f"epsilon_greedy(epsilon={epsilon}, decay={decay}): epsilon in [0, 1], decay >= 0 are needed")
    return Exploration(epsilon=float(epsilon), decay=float(decay))


def boltzmann(temperature: float = 1.0, *, decay: float = 0.0) -> Exploration:
    """Actions with probabilities ∝ exp(Q/τ), τ = temperature / (1 + visits of the state)^decay.

    >>> boltzmann(0.5).temperature
    0.5
    """
    if not (temperature > 0.0 and decay >= 0.0):
        raise ValueError(f"boltzmann(temperature={temperature}, decay={decay}): temperature > 0, decay >= 0 are needed")
    return Exploration(temperature=float(temperature), decay=float(decay))


def upper_confidence(bonus: float = 1.0, *, epsilon: float = 0.0) -> Exploration:
    """The action of largest Q + bonus·√(log(1 + visits of the state) / visits of the pair); untried ones first.

    >>> upper_confidence(2.0).bonus
    2.0
    """
    if not (bonus > 0.0 and 0.0 <= epsilon <= 1.0):
        raise ValueError(f"upper_confidence(bonus={bonus}, epsilon={epsilon}): bonus > 0, epsilon in [0, 1] are needed")
    return Exploration(bonus=float(bonus), epsilon=float(epsilon))


def uniform_exploration() -> Exploration:
    """Every action with the same probability, for ever: Q-learning still learns Q*.

    >>> uniform_exploration().epsilon
    1.0
    """
    return Exploration(epsilon=1.0)
